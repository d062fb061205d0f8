"""Compare settings of pivot and co-training methods on development problems of PJNMF's table.

Prints the main rows of ``pivot_defaults.md`` and ``co_training_defaults.md``, or with method names
(``python benchmarks/studies/pivot_defaults.py sfa scl``) only the rows of these methods. Needs
ISTHMUS_DATA; about half an hour on one core (SFA: half a minute), most of it for the preset "paper"
of PJNMF.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from isthmus import find_method, make_weighting
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import cut_problem, draw_labeled, scored_rows
from isthmus_bench.plan.reading import find_suite

PAPER = {"preset": "paper"}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "svm": {"source only": {}},
    "sfa": {
        "the default": {},
        "with_pivots False": {"with_pivots": False},
        "n_pivots 500": {"n_pivots": 500},
        "feature_weight 0.5": {"feature_weight": 0.5},
        "diffusion_time 0": {"diffusion_time": 0.0},
        "pivots label": {"pivots": "label"},
        "pivots frequency": {"pivots": "frequency"},
        "pivots domain": {"pivots": "domain"},
        "preset paper": PAPER,
    },
    "scl": {
        "the default": {},
        "n_pivots 200": {"n_pivots": 200},
        "feature_weight 0.5": {"feature_weight": 0.5},
        "ridge 3": {"ridge": 3.0},
        "C 1": {"C": 1.0},
    },
    "msda": {
        "the default": {},
        "noise 0.5": {"noise": 0.5},
        "n_components 500": {"n_components": 500},
        "min_df 5": {"min_df": 5},
        "n_layers 2": {"n_layers": 2},
    },
    "pjnmf": {
        "the default": {},
        "pivots shared": {"pivots": "shared"},
        "pivot_weight 1": {"pivot_weight": 1.0},
        "n_domain_components 1": {"n_domain_components": 1},
        "n_components 50": {"n_components": 50},
        "features coefficients": {"features": "coefficients"},
        "preset paper": PAPER,
    },
    "self-training": {
        "the default": {},
        "class_prior estimate": {"class_prior": "estimate"},
        "class_prior None": {"class_prior": None},
        "n_rounds 3": {"n_rounds": 3},
        "fraction 0.5": {"fraction": 0.5},
        "estimator sfa": {"estimator": "sfa"},
    },
    "mct": {
        "the default": {},
        "pivots label": {"pivots": ("label",)},
        "with_bag_of_words False": {"with_bag_of_words": False},
        "n_rounds 0": {"n_rounds": 0},
        "class_prior None": {"class_prior": None},
    },
    "coda": {
        "the default": {},
        "n_rounds 5": {"n_rounds": 5},
        "feature_penalty 0": {"feature_penalty": 0.0},
        "class_prior None": {"class_prior": None},
    },
}


@dataclass(frozen=True)
class Reviews:
    """Input of a method, with the scored rows and their labels."""

    name: str
    X: Any
    y: np.ndarray
    sample_domain: np.ndarray
    scored: np.ndarray
    labels: np.ndarray


def development() -> list[Reviews]:
    """The development problems with the pools of both domains, weighted as in the suite."""
    suite = find_suite("pjnmf-table1")
    problems = []
    for task in suite.tasks:
        if task.split != "development":
            continue
        text = suite.text
        groups = suite.groups(task.corpus)
        counted = count_corpus(task.corpus, groups, text.stop_words, None, text.stemmer)
        problem = cut_problem(counted, task, text.min_df or 1, suite.dtype, None, text.max_terms)
        labeled = draw_labeled(problem, task, None)
        y = problem.labels.astype(object)
        y[~labeled] = None
        X = make_weighting("log-tfidf").fit_transform(problem.counts)
        scored = scored_rows(problem, task, labeled)
        problems.append(
            Reviews(task.name, X, y, problem.sample_domain, scored, problem.labels[scored])
        )
    return problems


def accuracy(method: str, parameters: dict[str, Any], reviews: Reviews) -> float:
    """Accuracy on the target reviews in per cent."""
    estimator = find_method(method).build(**parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    estimator.fit(reviews.X, reviews.y, sample_domain=reviews.sample_domain)
    return 100 * float(np.mean(estimator.transduction_[reviews.scored] == reviews.labels))


def main() -> None:
    warnings.simplefilter("ignore")
    methods = sys.argv[1:] or list(VARIANTS)
    unknown = [name for name in methods if name not in VARIANTS]
    if unknown:
        raise SystemExit(f"No settings of {unknown[0]!r}: methods are {', '.join(VARIANTS)}.")
    problems = development()
    head = ["method", "setting", "mean", *(reviews.name for reviews in problems)]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for method in methods:
        for name, parameters in VARIANTS[method].items():
            values = [accuracy(method, parameters, reviews) for reviews in problems]
            cells = [f"{value:.2f}" for value in (np.mean(values), *values)]
            print("| " + " | ".join([method, name, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
