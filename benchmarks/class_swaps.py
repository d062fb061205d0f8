"""How often MTrick gives the target's groups to the wrong classes, and how often it says so.

Writes ``class_swaps.md`` beside this file. Needs ISTHMUS_DATA; half an hour on one core. With
``--evidence`` the evidence problems of mtrick-table1 are run too; nothing may be chosen on them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from isthmus import MTrick, make_weighting
from isthmus.bench.documents.counts import count_corpus
from isthmus.bench.documents.problems import cut_problem
from isthmus.bench.documents.tasks import BenchmarkTask
from isthmus.bench.plan.reading import find_suite
from isthmus.bench.plan.suite import Suite

CORPUS = "20newsgroups"
GROUPS = {
    "comp": (
        "comp.graphics",
        "comp.os.ms-windows.misc",
        "comp.sys.ibm.pc.hardware",
        "comp.sys.mac.hardware",
        "comp.windows.x",
    ),
    "comp and forsale": (
        "comp.graphics",
        "comp.sys.mac.hardware",
        "comp.windows.x",
        "misc.forsale",
    ),
    "rec": ("rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"),
    "sci": ("sci.crypt", "sci.electronics", "sci.med", "sci.space"),
    "talk": (
        "talk.politics.guns",
        "talk.politics.mideast",
        "talk.politics.misc",
        "talk.religion.misc",
    ),
    "religion": ("alt.atheism", "soc.religion.christian", "talk.religion.misc"),
    "politics": ("talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"),
}
# Families of problems that no suite has; of each, every so manieth problem.
FAMILIES = (
    ("rec", "talk", 3),
    ("comp", "rec", 8),
    ("comp", "talk", 8),
    ("comp", "sci", 1),
    ("comp and forsale", "sci", 1),
    ("religion", "politics", 1),
)
# Rows of the less frequent target class out of about a thousand.
SKEWED = {"80/20": 250, "95/5": 50}
# Part of the warning that classes may be swapped.
SWAP_WARNING = "may be swapped"
# Shares of the target about which a first classifier is right that was made to mislead.
RIGHT = (0.45, 0.4)


class Misled(ClassifierMixin, BaseEstimator):
    """A first classifier that is right about less than half of the target's documents."""

    def __init__(self, truth=None, right=0.4, seed=0):
        self.truth = truth
        self.right = right
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        right = np.random.default_rng(self.seed).random(len(self.truth)) < self.right
        first = np.where(right == (np.asarray(self.truth) == 1), 0.7, 0.3)
        return np.column_stack([1 - first, first])


def family(positive: str, negative: str, every: int) -> list[BenchmarkTask]:
    """Every ordered choice of source and target groups, as in MTrick's Table 1."""
    name = f"{positive} vs {negative}"
    pairs = [
        (p, n) for p in permutations(GROUPS[positive], 2) for n in permutations(GROUPS[negative], 2)
    ]
    return [
        BenchmarkTask(
            name=f"{name} {number}",
            set_name=name,
            split="development",
            corpus=CORPUS,
            sources=({"positive": (ps,), "negative": (ns,)},),
            targets=({"positive": (pt,), "negative": (nt,)},),
        )
        for number, ((ps, pt), (ns, nt)) in enumerate(pairs[::every])
        if len({ps, pt, ns, nt}) == 4
    ]


def cut(suite: Suite, tasks: list[BenchmarkTask]) -> Iterator[tuple[str, object, object]]:
    """Set, problem and weighted rows of every task, cut as the suite cuts its own."""
    groups = tuple(sorted({group for names in GROUPS.values() for group in names}))
    counted = count_corpus(CORPUS, groups, suite.text.stop_words, None)
    for task in tasks:
        problem = cut_problem(counted, task, suite.text.min_df, suite.dtype)
        X = make_weighting("log-tfidf").fit_transform(problem.counts)
        yield task.set_name, problem, X


def kept_rows(problem, n_rare: int, rare: int) -> np.ndarray:
    """All rows but the target's of one class beyond the first ``n_rare``."""
    of_class = np.flatnonzero((problem.sample_domain < 0) & (problem.labels == rare))
    kept = np.ones(len(problem.labels), bool)
    kept[of_class[n_rare:]] = False
    return kept


def fit(X, labels, sample_domain, **options) -> tuple[float, bool, bool]:
    """Share of the target that is labelled right; whether it warned; whether it began again."""
    target = sample_domain < 0
    y = labels.astype(object)
    y[target] = None
    told = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = MTrick(**options).fit(X, y, sample_domain, callback=told.append)
    right = float(np.mean(fitted.transduction_[target] == labels[target]))
    warned = any(SWAP_WARNING in str(warning.message) for warning in caught)
    return right, warned, len(told) > fitted.n_iter_


def compare(*data, **options) -> tuple[float, float, bool]:
    """Accuracy without the check and with it, and whether there was a warning."""
    right, warned, mended = fit(*data, **options)
    # Where nothing was mended the check changes nothing.
    without = fit(*data, **options, check_class_swap=False)[0] if mended else right
    return without, right, warned


def runs(evidence: bool) -> Iterator[tuple[str, tuple[float, float, bool]]]:
    """Name and figures of every fit."""
    suite = find_suite("mtrick-table1")
    splits = {
        split: [task for task in suite.tasks if task.split == split]
        for split in ("development", "evidence")
    }
    for name, problem, X in cut(suite, splits["development"]):
        data = problem.labels, problem.sample_domain
        yield f"{name}, development", compare(X, *data)
        truth = problem.labels[problem.sample_domain < 0].tolist()
        for right in RIGHT:
            figures = compare(X, *data, init_classifier=Misled(truth, right))
            yield f"{name}, development, first classifier {100 * right:.0f} % right", figures
        for skew, n_rare in SKEWED.items():
            for rare in range(2):
                kept = kept_rows(problem, n_rare, rare)
                figures = compare(X[kept], *(part[kept] for part in data))
                yield f"{name}, development, target {skew}", figures
    for name, problem, X in cut(suite, [task for choice in FAMILIES for task in family(*choice)]):
        yield name, compare(X, problem.labels, problem.sample_domain)
    if evidence:
        for name, problem, X in cut(suite, splits["evidence"]):
            yield f"{name}, evidence", compare(X, problem.labels, problem.sample_domain)


def line(name: str, figures: list[tuple[float, float, bool]]) -> str:
    """A row of the table."""
    before, after, warned = (np.array(column) for column in zip(*figures, strict=True))
    wrong = after < 0.5
    cells = [
        name,
        str(len(figures)),
        f"{100 * before.mean():.2f}",
        f"{100 * after.mean():.2f}",
        str(int((before < 0.5).sum())),
        str(int(wrong.sum())),
        str(int((wrong & warned).sum())),
        str(int(((after >= 0.75) & warned).sum())),
        str(int((after < before - 0.1).sum())),
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    evidence = "--evidence" in sys.argv[1:]
    found: dict[str, list[tuple[float, float, bool]]] = {}
    for name, figures in runs(evidence):
        found.setdefault(name, []).append(figures)
        if min(figures[:2]) < 0.5 or figures[2]:
            print(name, figures, flush=True)
    head = (
        "problems|mean without the check|mean with it|collapsed without|collapsed with|"
        "of these warned of|false alarms|made worse"
    )
    lines = [
        "# Directions of MTrick",
        "",
        "Written by `python benchmarks/class_swaps.py --evidence`. Nothing in the objective says",
        "which group of the target's documents is which class; `check_class_swap` holds the groups",
        "against the words of the labelled documents. A problem is collapsed if fewer than half of",
        "its labels are right, a false alarm is a warning where three quarters or more are, and a",
        "problem is made worse if the check costs more than ten points. Means in per cent.",
        "",
        "| " + " | ".join(["set", *head.split("|")]) + " |",
        "|" + " --- |" * 9,
        *(line(name, figures) for name, figures in found.items()),
    ]
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "class_swaps.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
