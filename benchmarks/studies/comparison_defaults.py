"""Compare settings of the methods of comparison on development problems.

Prints the table of ``comparison_defaults.md``, or with method names (``python
benchmarks/studies/comparison_defaults.py tsvm cocc``) only the rows of these methods. Needs
ISTHMUS_DATA; about half an hour on one core for all methods.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from isthmus import find_method, make_weighting
from isthmus_bench.documents.bilingual import cut_bilingual
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import cut_problem, draw_labeled, scored_rows
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.reading import find_suite
from isthmus_bench.plan.suite import Suite

PAPER = {"preset": "paper"}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "lg": {"source only": {}},
    "svm": {"source only": {}, "C 0.1": {"C": 0.1}},
    "tsvm": {
        "the default": {},
        "C 0.01, unlabeled_C 0.1": {"C": 0.01, "unlabeled_C": 0.1},
        "class_prior None": {"class_prior": None},
        "preset paper": PAPER,
    },
    "sgt": {
        "the default": {},
        "cross_share None": {"cross_share": None},
        "n_neighbors 30": {"n_neighbors": 30},
        "preset paper": PAPER,
    },
    "gfhf": {
        "the default": {},
        "cross_share None": {"cross_share": None},
        "class_masses False": {"class_masses": False},
        "n_neighbors 10": {"n_neighbors": 10},
    },
    "llgc": {
        "the default": {},
        "cross_share None": {"cross_share": None},
        "alpha 0.9": {"alpha": 0.9},
        "preset paper": PAPER,
    },
    "cocc": {
        "the default": {},
        "soft_init False": {"soft_init": False},
        "preset paper": PAPER,
    },
    "ib": {"the default": {}, "preset paper": PAPER},
    "lwe": {"the default": {}, "n_clusters 8, threshold 0.2": {"n_clusters": 8, "threshold": 0.2}},
    "covariate-shift": {
        "the default": {},
        "ratio kliep": {"ratio": "kliep"},
        "ratio kde": {"ratio": "kde"},
    },
    "coral": {"the default": {}, "C 1": {"C": 1.0}},
    "self-training": {"the default": {}},
    "sklearn-self-training": {"the default": {}},
    "sklearn-label-spreading": {"the default": {}},
}
# Suites, and the name of the development problem if only one is used.
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
    """Column name and data of every development problem."""
    for name, task_name in SUITES.items():
        suite = find_suite(name)
        for task in suite.tasks:
            if task.split == "development" and task_name in (None, task.name):
                for seed in range(5) if task.sample is not None else [0]:
                    yield task.set_name, make_problem(suite, task, seed)


def make_problem(suite: Suite, task: BenchmarkTask, seed: int) -> Fit:
    """Weighted rows, labels and scored rows of a problem, prepared as in its suite."""
    text = suite.text
    drawn = seed if task.draws_rows else None
    if task.vocabulary is not None:
        problem = cut_bilingual(task, text.min_df, text.stop_words, suite.dtype, None, drawn)
    else:
        groups = suite.groups(task.corpus)
        counted = count_corpus(task.corpus, groups, text.stop_words, None, text.stemmer)
        min_df = text.min_df or 1
        problem = cut_problem(counted, task, min_df, suite.dtype, drawn, text.max_terms)
    labeled = draw_labeled(problem, task, seed)
    y = problem.labels.astype(object)
    y[~labeled] = None
    X = make_weighting("log-tfidf").fit_transform(problem.counts)
    scored = scored_rows(problem, task, labeled)
    return X, y, problem.sample_domain, scored, problem.labels[scored]


def accuracy(method: str, parameters: dict[str, Any], fit: Fit) -> float:
    """Accuracy on the scored documents in per cent."""
    X, y, sample_domain, scored, labels = fit
    estimator = find_method(method).build(**parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    estimator.fit(X, y, sample_domain=sample_domain)
    return 100 * float(np.mean(estimator.transduction_[scored].astype(labels.dtype) == labels))


def main() -> None:
    warnings.simplefilter("ignore")
    methods = sys.argv[1:] or list(VARIANTS)
    unknown = [name for name in methods if name not in VARIANTS]
    if unknown:
        raise SystemExit(f"No settings of {unknown[0]!r}: methods are {', '.join(VARIANTS)}.")
    rows = [(method, name) for method in methods for name in VARIANTS[method]]
    accuracies: dict[tuple[str, str], dict[str, list[float]]] = {row: {} for row in rows}
    for column, fit in problems():
        for method, name in rows:
            value = accuracy(method, VARIANTS[method][name], fit)
            accuracies[method, name].setdefault(column, []).append(value)
        print(column, file=sys.stderr, flush=True)
    columns = list(accuracies[rows[0]])
    head = ["method", "setting", *columns]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        cells = [f"{np.mean(accuracies[row][column]):.1f}" for column in columns]
        print("| " + " | ".join([*row, *cells]) + " |")


if __name__ == "__main__":
    main()
