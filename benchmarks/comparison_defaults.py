"""How the systems to compare with do on the development problems, under some settings.

Prints the table of ``comparison_defaults.md`` anew; ``python benchmarks/comparison_defaults.py tsvm
cocc`` the rows of some methods alone. Needs ISTHMUS_DATA; about half an hour on a core for all.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from isthmus import find_method, make_weighting
from isthmus.bench.documents.bilingual import cut_bilingual
from isthmus.bench.documents.counts import count_corpus
from isthmus.bench.documents.problems import cut_problem, draw_labelled, scored_rows
from isthmus.bench.documents.tasks import BenchmarkTask
from isthmus.bench.plan.reading import find_suite
from isthmus.bench.plan.suite import Suite

PAPER = {"preset": "paper"}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "lg": {"the source alone": {}},
    "svm": {"the source alone": {}, "C 0.1": {"C": 0.1}},
    "tsvm": {
        "the default": {},
        "C 0.01, of the target 0.1": {"C": 0.01, "unlabelled_C": 0.1},
        "no quotas": {"class_prior": None},
        "the paper's preset": PAPER,
    },
    "sgt": {
        "the default": {},
        "no more on the other side": {"cross_share": None},
        "30 neighbours": {"n_neighbors": 30},
        "the paper's preset": PAPER,
    },
    "gfhf": {
        "the default": {},
        "no more on the other side": {"cross_share": None},
        "no class masses": {"class_masses": False},
        "10 neighbours": {"n_neighbors": 10},
    },
    "llgc": {
        "the default": {},
        "no more on the other side": {"cross_share": None},
        "alpha 0.9": {"alpha": 0.9},
        "the paper's preset": PAPER,
    },
    "cocc": {
        "the default": {},
        "start at labels": {"soft_init": False},
        "the paper's preset": PAPER,
    },
    "ib": {"the default": {}, "the paper's preset": PAPER},
    "lwe": {"the default": {}, "8 clusters": {"n_clusters": 8, "threshold": 0.2}},
    "covariate-shift": {
        "the default": {},
        "KLIEP": {"ratio": "kliep"},
        "densities": {"ratio": "kde"},
    },
    "coral": {"the default": {}, "C 1": {"C": 1.0}},
    "self-training": {"an SVM, the source's shares": {}},
    "sklearn-self-training": {"scikit-learn's settings": {}},
    "sklearn-label-spreading": {"scikit-learn's settings": {}},
}
# Suites and, for some, the one development problem of them that is taken.
SUITES = {
    "mtrick-table1": None,
    "cdsc-table2": None,
    "lssttc-tables6-8": None,
    "mtrick-table3": None,
    "dkt-table3": "D1 de",
    "pjnmf-table1": None,
}
Fit = tuple[Any, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def problems() -> Iterator[tuple[str, Fit]]:
    """Every development problem with the name of its column."""
    for name, only in SUITES.items():
        suite = find_suite(name)
        for task in suite.tasks:
            if task.split == "development" and only in (None, task.name):
                for seed in range(5) if task.sample is not None else [0]:
                    yield task.set_name, made(suite, task, seed)


def made(suite: Suite, task: BenchmarkTask, seed: int) -> Fit:
    """A problem as its suite cuts and weights it."""
    text = suite.text
    drawn = seed if task.draws_rows else None
    if task.vocabulary is not None:
        problem = cut_bilingual(task, text.min_df, text.stop_words, suite.dtype, None, drawn)
    else:
        groups = suite.groups(task.corpus)
        counted = count_corpus(task.corpus, groups, text.stop_words, None, text.stemmer)
        min_df = text.min_df or 1
        problem = cut_problem(counted, task, min_df, suite.dtype, drawn, text.max_terms)
    shown = draw_labelled(problem, task, seed)
    y = problem.labels.astype(object)
    y[~shown] = None
    X = make_weighting("log-tfidf").fit_transform(problem.counts)
    scored = scored_rows(problem, task, shown)
    return X, y, problem.sample_domain, scored, problem.labels[scored]


def accuracy(method: str, parameters: dict[str, Any], fit: Fit) -> float:
    """In per cent, over the documents to be labelled."""
    X, y, sample_domain, scored, labels = fit
    estimator = find_method(method).build(**parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    estimator.fit(X, y, sample_domain=sample_domain)
    return 100 * float(np.mean(estimator.transduction_[scored].astype(labels.dtype) == labels))


def main() -> None:
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:] or list(VARIANTS)
    unknown = [name for name in wanted if name not in VARIANTS]
    if unknown:
        raise SystemExit(f"No settings of {unknown[0]!r}: methods are {', '.join(VARIANTS)}.")
    rows = [(method, name) for method in wanted for name in VARIANTS[method]]
    found: dict[tuple[str, str], dict[str, list[float]]] = {row: {} for row in rows}
    for column, fit in problems():
        for method, name in rows:
            value = accuracy(method, VARIANTS[method][name], fit)
            found[method, name].setdefault(column, []).append(value)
        print(column, file=sys.stderr, flush=True)
    columns = list(found[rows[0]])
    head = ["method", "setting", *columns]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        cells = [f"{np.mean(found[row][column]):.1f}" for column in columns]
        print("| " + " | ".join([*row, *cells]) + " |")


if __name__ == "__main__":
    main()
