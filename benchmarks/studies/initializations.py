"""Compare initializations and stopping rules of MTrick on its development problems.

Writes ``initializations.md``. Needs ISTHMUS_DATA; a few minutes on one core.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from isthmus import MTrick, make_weighting
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import cut_problem
from isthmus_bench.plan.reading import find_suite

VARIANTS: dict[str, dict[str, object]] = {
    "the default: init class_conditional, stopping by the objective": {},
    "stopping by labels: fewer than 0.5 % change": {"stopping": "labels", "tol": 0.005},
    "stopping by labels: fewer than 0.1 % change": {"stopping": "labels", "tol": 0.001},
    "init plsa": {"init": "plsa"},
    "init two_stage": {"init": "two_stage"},
}
# These rows have the weighting column-normalized, all others log-tfidf.
WITH_BALANCED_COLUMNS: dict[str, dict[str, object]] = {
    "column-normalized": {},
    "column-normalized, init two_stage": {"init": "two_stage"},
}
SEEDS = (0, 1, 2)


def problems(weighting: str) -> list[tuple[str, object, object]]:
    """Set name, problem and weighted rows of every development problem."""
    prepared = []
    for name in ("mtrick-table1", "mtrick-table3"):
        suite = find_suite(name)
        for task in suite.tasks:
            if task.split == "development":
                groups = suite.groups(task.corpus)
                counted = count_corpus(task.corpus, groups, suite.text.stop_words, None)
                problem = cut_problem(counted, task, suite.text.min_df, suite.dtype)
                X = make_weighting(weighting).fit_transform(problem.counts)
                prepared.append((task.set_name, problem, X))
    return prepared


def accuracy(problem, X, options) -> float:
    """Accuracy of MTrick on the target; random initializations are averaged over the seeds."""
    target = problem.sample_domain < 0
    y = problem.labels.astype(object)
    y[target] = None
    values = []
    for seed in SEEDS if MTrick(**options).is_random else SEEDS[:1]:
        fitted = MTrick(**options, random_state=seed).fit(X, y, problem.sample_domain)
        values.append(np.mean(fitted.transduction_[target] == problem.labels[target]))
    return float(np.mean(values))


def main() -> None:
    warnings.simplefilter("ignore")
    weighted = problems("log-tfidf")
    sets = list(dict.fromkeys(name for name, _, _ in weighted))
    lines = [
        "# Initializations and stopping rules of MTrick on its development problems",
        "",
        "Written by `python benchmarks/studies/initializations.py`.",
        "Mean accuracy in per cent, in brackets",
        "the worst problem. Three seeds for random initializations.",
        "",
        "| " + " | ".join(["variant", *sets]) + " |",
        "|" + " --- |" * (len(sets) + 1),
    ]
    variants = [(name, options, weighted) for name, options in VARIANTS.items()]
    balanced = problems("column-normalized")
    variants += [(name, options, balanced) for name, options in WITH_BALANCED_COLUMNS.items()]
    for name, options, chosen in variants:
        by_set: dict[str, list[float]] = {}
        for set_name, problem, X in chosen:
            by_set.setdefault(set_name, []).append(100 * accuracy(problem, X, options))
        cells = [f"{np.mean(by_set[s]):.2f} ({min(by_set[s]):.1f})" for s in sets]
        lines.append("| " + " | ".join([name, *cells]) + " |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "initializations.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
