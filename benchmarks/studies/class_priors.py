"""Errors of estimated class priors, and the coverage of their intervals.

Writes ``class_priors.md``. Needs ISTHMUS_DATA; about ten minutes on one core.
With ``--development`` it runs only the development problems and writes nothing.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from isthmus import estimate_class_prior, make_weighting
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import BenchmarkProblem, cut_problem
from isthmus_bench.plan.reading import find_suite

# Suite, name of the problems, and n: every nth evidence problem is run.
CORPORA = (("pjnmf-table1", "Amazon pairs", 1), ("mtrick-table1", "newsgroups", 3))
EVIDENCE = "every third of 256"
# Proportion of the first class in the target.
SKEWS = {"unchanged": None, "80/20": 0.8, "20/80": 0.2, "90/10": 0.9, "10/90": 0.1}
METHODS = ("source", "black_box", "likelihood", "clusters", "auto")
SPLITS = ("development", "evidence")


def problems(splits: tuple[str, ...]) -> Iterator[tuple[str, str, BenchmarkProblem]]:
    """Name of the corpus, split and counts of every problem."""
    for suite_name, name, stride in CORPORA:
        suite = find_suite(suite_name)
        evidence = [task for task in suite.tasks if task.split == "evidence"][::stride]
        development = [task for task in suite.tasks if task.split == "development"]
        for task in [*development, *evidence]:
            if task.split in splits:
                groups = suite.groups(task.corpus)
                counted = count_corpus(task.corpus, groups, suite.text.stop_words, None)
                yield name, task.split, cut_problem(counted, task, suite.text.min_df, suite.dtype)


def resampled_rows(labels: np.ndarray, proportion: float | None) -> np.ndarray:
    """Rows with this proportion of the first class: all of one class, a sample of the other."""
    if proportion is None:
        return np.arange(len(labels))
    rows = [np.flatnonzero(labels == code) for code in (0, 1)]
    prior = (proportion, 1 - proportion)
    total = min(len(part) / p for part, p in zip(rows, prior, strict=True))
    generator = np.random.default_rng(0)
    drawn = [
        generator.choice(part, round(total * p), replace=False)
        for part, p in zip(rows, prior, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def evaluate(
    problem: BenchmarkProblem, proportion: float | None
) -> tuple[dict[str, float], bool, float]:
    """Errors by method, whether the interval of "auto" covers the true prior, and its width."""
    source = np.flatnonzero((problem.sample_domain >= 0) & ~problem.pooled)
    target = np.flatnonzero((problem.sample_domain < 0) & ~problem.pooled)
    target = target[resampled_rows(problem.labels[target], proportion)]
    rows = np.concatenate([source, target])
    X = make_weighting("log-tfidf").fit_transform(sparse.csr_matrix(problem.counts[rows]))
    y = problem.labels[rows].astype(object)
    y[len(source) :] = None
    estimate = estimate_class_prior(X, y)
    truth = float(np.mean(problem.labels[target] == 0))
    priors = {"source": estimate.source_prior, **estimate.by_method}
    errors = {method: abs(priors[method][0] - truth) for method in METHODS}
    low, high = estimate.low[0], estimate.high[0]
    return errors, low <= truth <= high, high - low


def main() -> None:
    warnings.simplefilter("ignore")
    splits = SPLITS[:1] if "--development" in sys.argv else SPLITS
    results = defaultdict(list)
    begin, n_fits = time.perf_counter(), 0
    for corpus, split, problem in problems(splits):
        for skew, proportion in SKEWS.items():
            results[corpus, skew, split].append(evaluate(problem, proportion))
            n_fits += 1
        print(corpus, split, len(results[corpus, "unchanged", split]), flush=True)
    seconds = (time.perf_counter() - begin) / n_fits
    lines = [
        "# Class prior of a target, estimated without its labels",
        "",
        "Written by `python benchmarks/studies/class_priors.py`.",
        "Mean absolute error of the proportion of",
        "the first class in percentage points, on development / evidence problems: the Amazon",
        "pairs (4 / 8; 2,000 labeled reviews per domain) and the newsgroup problems of MTrick's",
        f"Table 1 (32 / {EVIDENCE}). Weighting log-tfidf. The target is unchanged, or one class is",
        "subsampled until the first class has 80, 20, 90 or 10 % (700 to 1,250 documents remain).",
        "*source* is the class prior of the source. *in interval* is the percentage of problems",
        "for which the 95 % interval of *auto* covers the true proportion, and *width* is its mean",
        "width in percentage points. All choices were made on the development problems. Their",
        "Amazon pairs are similar domains (books and dvd, electronics and kitchen); the pairs of",
        "dissimilar domains are all evidence problems.",
        f"An estimate with its interval took {seconds:.1f} seconds on average.",
        "",
        "| " + " | ".join(["problems", "target", *METHODS, "in interval", "width"]) + " |",
        "|" + " --- |" * (len(METHODS) + 4),
    ]
    for _, corpus, _ in CORPORA:
        for skew in [*SKEWS, "all"]:
            chosen = list(SKEWS) if skew == "all" else [skew]
            cells = [corpus, skew]
            for read in [lambda row, m=method: 100 * row[0][m] for method in METHODS] + [
                lambda row: 100 * row[1],
                lambda row: 100 * row[2],
            ]:
                parts = [
                    [read(row) for name in chosen for row in results[corpus, name, split]]
                    for split in splits
                ]
                cells.append(" / ".join(f"{np.mean(part):.1f}" for part in parts))
            lines.append("| " + " | ".join(cells) + " |")
    print("\n".join(lines))
    if splits == SPLITS:
        page = "\n".join(lines) + "\n"
        (Path(__file__).parent / "class_priors.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
