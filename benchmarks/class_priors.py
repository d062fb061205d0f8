"""How near estimated class shares come to the true ones, and how often the interval holds them.

Writes ``class_priors.md`` beside this file. Needs ISTHMUS_DATA; about ten minutes on one core.
With ``--development`` it runs the development problems alone and writes nothing.
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
from isthmus.bench.documents.counts import count_corpus
from isthmus.bench.documents.problems import BenchmarkProblem, cut_problem
from isthmus.bench.plan.reading import find_suite

# Suite, name of the problems, and every which evidence problem is run.
CORPORA = (("pjnmf-table1", "Amazon pairs", 1), ("mtrick-table1", "newsgroups", 3))
WHICH = "every third of 256"
# Shares of the first class in the target.
SKEWS = {"as it is": None, "80/20": 0.8, "20/80": 0.2, "90/10": 0.9, "10/90": 0.1}
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


def resampled(labels: np.ndarray, share: float | None) -> np.ndarray:
    """Rows in which the first class has a share: all of one class, some of the other."""
    if share is None:
        return np.arange(len(labels))
    rows = [np.flatnonzero(labels == code) for code in (0, 1)]
    wanted = (share, 1 - share)
    total = min(len(part) / part_share for part, part_share in zip(rows, wanted, strict=True))
    generator = np.random.default_rng(0)
    drawn = [
        generator.choice(part, round(total * part_share), replace=False)
        for part, part_share in zip(rows, wanted, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def judged(problem: BenchmarkProblem, share: float | None) -> tuple[dict[str, float], bool, float]:
    """Errors by method, whether the interval of "auto" holds the truth, and its width."""
    source = np.flatnonzero((problem.sample_domain >= 0) & ~problem.pooled)
    target = np.flatnonzero((problem.sample_domain < 0) & ~problem.pooled)
    target = target[resampled(problem.labels[target], share)]
    rows = np.concatenate([source, target])
    X = make_weighting("log-tfidf").fit_transform(sparse.csr_matrix(problem.counts[rows]))
    y = problem.labels[rows].astype(object)
    y[len(source) :] = None
    found = estimate_class_prior(X, y)
    truth = float(np.mean(problem.labels[target] == 0))
    shares = {"source": found.source_prior, **found.by_method}
    errors = {method: abs(shares[method][0] - truth) for method in METHODS}
    return errors, found.low[0] <= truth <= found.high[0], found.high[0] - found.low[0]


def main() -> None:
    warnings.simplefilter("ignore")
    splits = SPLITS[:1] if "--development" in sys.argv else SPLITS
    results = defaultdict(list)
    begun, n_fits = time.perf_counter(), 0
    for corpus, split, problem in problems(splits):
        for skew, share in SKEWS.items():
            results[corpus, skew, split].append(judged(problem, share))
            n_fits += 1
        print(corpus, split, len(results[corpus, "as it is", split]), flush=True)
    seconds = (time.perf_counter() - begun) / n_fits
    lines = [
        "# Class shares of a target, estimated without its labels",
        "",
        "Written by `python benchmarks/class_priors.py`. Mean absolute error of the share of the",
        "first class, in points, on development / evidence problems: the Amazon pairs (4 / 8;",
        "2,000 labelled reviews a side) and the newsgroup problems of MTrick's Table 1 (32 /",
        f"{WHICH}), log-tfidf, with the target as it is and with one class",
        "thinned out until the first has 80, 20, 90 or 10 % (700 to 1,250 documents are left).",
        "*source* takes the source's shares. *in interval*: problems in per cent of which the 95 %",
        "interval of *auto* holds the truth, with its mean width in points. All choices were made",
        "on the development problems, of which the Amazon pairs are the like ones: books and dvd,",
        "electronics and kitchen. All pairs of unlike shops are evidence.",
        f"An estimate with its interval took {seconds:.1f} seconds on average.",
        "",
        "| " + " | ".join(["problems", "target", *METHODS, "in interval", "width"]) + " |",
        "|" + " --- |" * (len(METHODS) + 4),
    ]
    for _, corpus, _ in CORPORA:
        for skew in [*SKEWS, "all of these"]:
            chosen = list(SKEWS) if skew == "all of these" else [skew]
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
