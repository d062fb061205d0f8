"""Which start and which way to stop suit MTrick: its development problems under each of them.

Writes ``initializations.md`` beside this file. Needs ISTHMUS_DATA; a few minutes on one core.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from isthmus import MTrick, make_weighting
from isthmus.bench.documents.counts import count_corpus
from isthmus.bench.documents.problems import cut_problem
from isthmus.bench.plan.reading import find_suite

VARIANTS: dict[str, dict[str, object]] = {
    "the default: class-conditional start, until the objective settles": {},
    "until fewer than 0.5 % of the labels change": {"stopping": "labels", "tol": 0.005},
    "until fewer than 0.1 % of the labels change": {"stopping": "labels", "tol": 0.001},
    "topics as the start": {"init": "plsa"},
    "two stages": {"init": "two_stage"},
}
# The last rows of the table; the others have log-tfidf.
WITH_BALANCED_COLUMNS: dict[str, dict[str, object]] = {
    "column-normalised": {},
    "column-normalised, two stages": {"init": "two_stage"},
}
SEEDS = (0, 1, 2)


def problems(weighting: str) -> list[tuple[str, object, object]]:
    """Name of the set, problem and weighted rows of every development problem."""
    found = []
    for name in ("mtrick-table1", "mtrick-table3"):
        suite = find_suite(name)
        for task in suite.tasks:
            if task.split == "development":
                groups = suite.groups(task.corpus)
                counted = count_corpus(task.corpus, groups, suite.text.stop_words, None)
                problem = cut_problem(counted, task, suite.text.min_df, suite.dtype)
                X = make_weighting(weighting).fit_transform(problem.counts)
                found.append((task.set_name, problem, X))
    return found


def accuracy(problem, X, options) -> float:
    """Share of the target that MTrick labels right, the mean over the seeds of a random start."""
    target = problem.sample_domain < 0
    y = problem.labels.astype(object)
    y[target] = None
    right = []
    for seed in SEEDS if MTrick(**options).is_random else SEEDS[:1]:
        fitted = MTrick(**options, random_state=seed).fit(X, y, problem.sample_domain)
        right.append(np.mean(fitted.transduction_[target] == problem.labels[target]))
    return float(np.mean(right))


def main() -> None:
    warnings.simplefilter("ignore")
    listed = problems("log-tfidf")
    sets = list(dict.fromkeys(name for name, _, _ in listed))
    lines = [
        "# Starts and stops of MTrick on its development problems",
        "",
        "Written by `python benchmarks/initializations.py`. Mean accuracy in per cent (worst problem),",
        "three seeds for random starts.",
        "",
        "| " + " | ".join(["variant", *sets]) + " |",
        "|" + " --- |" * (len(sets) + 1),
    ]
    variants = [(name, options, listed) for name, options in VARIANTS.items()]
    balanced = problems("column-normalised")
    variants += [(name, options, balanced) for name, options in WITH_BALANCED_COLUMNS.items()]
    for name, options, chosen in variants:
        right: dict[str, list[float]] = {}
        for set_name, problem, X in chosen:
            right.setdefault(set_name, []).append(100 * accuracy(problem, X, options))
        cells = [f"{np.mean(right[s]):.2f} ({min(right[s]):.1f})" for s in sets]
        lines.append("| " + " | ".join([name, *cells]) + " |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "initializations.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
