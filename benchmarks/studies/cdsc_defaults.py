"""Compare settings of CDSC on development problems of four suites.

Writes ``cdsc_defaults.md``. Needs ISTHMUS_DATA; about ten minutes on one core.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from isthmus import CDSC, MTrick, SourceSVM, make_weighting
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import BenchmarkProblem, cut_problem
from isthmus_bench.plan.reading import find_suite

#: Suite, set, rows to draw per class (None: all), seeds.
COLUMNS = {
    "rec vs talk": ("cdsc-table2", "rec vs talk", 250, range(5)),
    "comp vs rec": ("cdsc-table2", "comp vs rec", 250, range(5)),
    "RecvsTalk": ("lssttc-tables6-8", "RecvsTalk", None, [0]),
    "sci vs talk, 16": ("mtrick-table1", "sci vs talk", 250, [0]),
    "rec vs sci, 16": ("mtrick-table1", "rec vs sci", 250, [0]),
    "WebKB, 3": ("lssttc-tables6-8", "WebKB", None, [0]),
    "Amazon, 4": ("amazon", "", None, [0]),
}
UNBALANCED = ("rec vs talk", "comp vs rec")
VARIANTS: dict[str, dict[str, Any]] = {
    "the default": {},
    "n_rounds 0: one classifier": {"n_rounds": 0},
    "cross_share 0.4": {"cross_share": 0.4},
    "cross_share 0.5": {"cross_share": 0.5},
    "cross_share None": {"cross_share": None},
    "self_similarity": {"self_similarity": True},
    "idf_power 0": {"idf_power": 0.0},
    "idf_power 0.5": {"idf_power": 0.5},
    "idf_power 2": {"idf_power": 2.0},
    "n_eigenvectors 10": {"n_eigenvectors": 10},
    "n_eigenvectors 60": {"n_eigenvectors": 60},
    "diffusion_time 0": {"diffusion_time": 0.0},
    "diffusion_time 1": {"diffusion_time": 1.0},
    "diffusion_time 3": {"diffusion_time": 3.0},
    "beta 0": {"beta": 0.0},
    "beta 0.1": {"beta": 0.1},
    "beta 1": {"beta": 1.0},
    "lam 0": {"lam": 0.0},
    "lam 0.5": {"lam": 0.5},
    "n_neighbors 20": {"n_neighbors": 20},
    "n_neighbors 100": {"n_neighbors": 100},
    "classifier: logistic regression": {"classifier": LogisticRegression()},
}


def problems(column: str) -> Iterator[tuple[BenchmarkProblem, Any]]:
    """Development problems of a column with their weighted documents."""
    suite_name, set_name, sample, seeds = COLUMNS[column]
    suite = find_suite(suite_name)
    text = suite.text
    for task in suite.tasks:
        by_task = suite_name == "cdsc-table2"
        selected = task.name == set_name if by_task else set_name in task.set_name
        if task.split != "development" or not selected:
            continue
        groups = suite.groups(task.corpus)
        counted = count_corpus(task.corpus, groups, text.stop_words, None, text.stemmer)
        for seed in seeds:
            drawn = replace(task, sample=sample)
            min_df = min(text.min_df or 1, 3)  # small samples have few frequent terms
            problem = cut_problem(counted, drawn, min_df, "float32", seed, text.max_terms)
            yield problem, make_weighting("log-tfidf").fit_transform(problem.counts)


def error(estimator: Any, problem: BenchmarkProblem, X: Any, rows: np.ndarray) -> float:
    """Error rate on the target documents."""
    labels, domains = problem.labels[rows], problem.sample_domain[rows]
    target = domains < 0
    estimator.fit(X[rows], np.where(target, -1, labels), domains)
    return float(np.mean(estimator.transduction_[target] != labels[target]))


def skewed_rows(problem: BenchmarkProblem) -> np.ndarray:
    """Rows with only 30 % of the second class of the target."""
    rows = np.arange(len(problem.labels))
    of_class = rows[(problem.sample_domain < 0) & (problem.labels == 1)]
    removed = np.random.default_rng(0).permutation(of_class)[round(0.3 * len(of_class)) :]
    return np.setdiff1d(rows, removed)


def main() -> None:
    warnings.simplefilter("ignore")
    head = [*COLUMNS, *(f"{name}, 77/23" for name in UNBALANCED)]
    lines = [
        "# Settings of CDSC on development problems",
        "",
        "Written by `python benchmarks/studies/cdsc_defaults.py`.",
        "Mean error rate, with one setting",
        "changed at a time. Newsgroup columns except RecvsTalk have 250 documents per class: five",
        "samples in the first two columns, 16 problems in the others. In the last two columns one",
        "class of the target is reduced to 30 %. Weighting log-tfidf, float32.",
        "",
        "| " + " | ".join(["setting", *head]) + " |",
        "|" + " --- |" * (len(head) + 1),
    ]
    data = {column: list(problems(column)) for column in COLUMNS}
    makers: dict[str, Any] = {"source SVM": SourceSVM, "MTrick": MTrick}
    makers |= {name: lambda changed=changed: CDSC(**changed) for name, changed in VARIANTS.items()}
    for name, make in makers.items():
        cells = []
        for column in COLUMNS:
            errors = [error(make(), p, X, np.arange(len(p.labels))) for p, X in data[column]]
            cells.append(f"{np.mean(errors):.3f}")
        for column in UNBALANCED:
            errors = [error(make(), p, X, skewed_rows(p)) for p, X in data[column]]
            cells.append(f"{np.mean(errors):.3f}")
        lines.append("| " + " | ".join([name, *cells]) + " |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "cdsc_defaults.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
