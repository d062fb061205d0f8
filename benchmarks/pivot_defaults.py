"""Which settings suit the pivot family: development problems of PJNMF's table under some of them.

Prints the main rows of ``pivot_defaults.md`` anew; ``python benchmarks/pivot_defaults.py sfa scl``
those of some methods alone. Needs ISTHMUS_DATA; about half an hour on a core (SFA: half a minute),
most of it the paper's preset of PJNMF.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from isthmus import find_method, make_weighting
from isthmus.bench.documents.counts import count_corpus
from isthmus.bench.documents.problems import cut_problem, draw_labelled, scored_rows
from isthmus.bench.plan.reading import find_suite

PAPER = {"preset": "paper"}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "svm": {"the source alone": {}},
    "sfa": {
        "the default": {},
        "no features of pivots": {"with_pivots": False},
        "n_pivots 500": {"n_pivots": 500},
        "feature_weight 0.5": {"feature_weight": 0.5},
        "diffusion_time 0": {"diffusion_time": 0.0},
        "pivots label": {"pivots": "label"},
        "pivots frequency": {"pivots": "frequency"},
        "pivots domain": {"pivots": "domain"},
        "the paper's preset": PAPER,
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
        "500 outputs": {"n_components": 500},
        "min_df 5": {"min_df": 5},
        "two layers": {"n_layers": 2},
    },
    "pjnmf": {
        "the default": {},
        "pivots shared": {"pivots": "shared"},
        "pivot_weight 1": {"pivot_weight": 1.0},
        "one topic a domain": {"n_domain_components": 1},
        "50 shared topics": {"n_components": 50},
        "H for the projection": {"features": "coefficients"},
        "the paper's preset": PAPER,
    },
    "self-training": {
        "the default: an SVM, the source's shares": {},
        "estimated shares": {"class_prior": "estimate"},
        "no quotas": {"class_prior": None},
        "3 rounds": {"n_rounds": 3},
        "half of the target at last": {"fraction": 0.5},
        "around SFA": {"estimator": "sfa"},
    },
    "mct": {
        "the default": {},
        "label pivots alone": {"pivots": ("label",)},
        "no member on words": {"with_bag_of_words": False},
        "no rounds": {"n_rounds": 0},
        "no quotas": {"class_prior": None},
    },
    "coda": {
        "the default": {},
        "5 rounds": {"n_rounds": 5},
        "no price on terms": {"feature_penalty": 0.0},
        "no quotas": {"class_prior": None},
    },
}


@dataclass(frozen=True)
class Reviews:
    """A problem as a method sees it, and what it is scored by."""

    name: str
    X: Any
    y: np.ndarray
    sample_domain: np.ndarray
    scored: np.ndarray
    labels: np.ndarray


def development() -> list[Reviews]:
    """The development problems, with both pools, and weighted as in the suite."""
    suite = find_suite("pjnmf-table1")
    found = []
    for task in suite.tasks:
        if task.split != "development":
            continue
        text = suite.text
        groups = suite.groups(task.corpus)
        counted = count_corpus(task.corpus, groups, text.stop_words, None, text.stemmer)
        problem = cut_problem(counted, task, text.min_df or 1, suite.dtype, None, text.max_terms)
        shown = draw_labelled(problem, task, None)
        y = problem.labels.astype(object)
        y[~shown] = None
        X = make_weighting("log-tfidf").fit_transform(problem.counts)
        scored = scored_rows(problem, task, shown)
        found.append(
            Reviews(task.name, X, y, problem.sample_domain, scored, problem.labels[scored])
        )
    return found


def accuracy(method: str, parameters: dict[str, Any], reviews: Reviews) -> float:
    """In per cent, over the target's reviews."""
    estimator = find_method(method).build(**parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    estimator.fit(reviews.X, reviews.y, sample_domain=reviews.sample_domain)
    return 100 * float(np.mean(estimator.transduction_[reviews.scored] == reviews.labels))


def main() -> None:
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:] or list(VARIANTS)
    unknown = [name for name in wanted if name not in VARIANTS]
    if unknown:
        raise SystemExit(f"No settings of {unknown[0]!r}: methods are {', '.join(VARIANTS)}.")
    problems = development()
    head = ["method", "setting", "mean", *(reviews.name for reviews in problems)]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for method in wanted:
        for name, parameters in VARIANTS[method].items():
            found = [accuracy(method, parameters, reviews) for reviews in problems]
            cells = [f"{value:.2f}" for value in (np.mean(found), *found)]
            print("| " + " | ".join([method, name, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
