"""How often MTrick swaps the classes of the target, and how often it warns about it.

Writes ``class_swaps.md``. Needs ISTHMUS_DATA; half an hour on one core. With ``--evidence`` the
evidence problems of mtrick-table1 are run too; no setting may be chosen on them.
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
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import cut_problem
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.reading import find_suite
from isthmus_bench.plan.suite import Suite

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
# Families of problems that are in no suite, and n: every nth problem is run.
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
# Accuracies of misleading initial classifiers on the target.
ACCURACIES = (0.45, 0.4)


class MisleadingClassifier(ClassifierMixin, BaseEstimator):
    """Initial classifier that is correct on less than half of the target documents."""

    def __init__(self, truth=None, accuracy=0.4, seed=0):
        self.truth = truth
        self.accuracy = accuracy
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        correct = np.random.default_rng(self.seed).random(len(self.truth)) < self.accuracy
        second = np.where(correct == (np.asarray(self.truth) == 1), 0.7, 0.3)
        return np.column_stack([1 - second, second])


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
    """Set, problem and weighted rows of every task, prepared as in the suite."""
    groups = tuple(sorted({group for names in GROUPS.values() for group in names}))
    counted = count_corpus(CORPUS, groups, suite.text.stop_words, None)
    for task in tasks:
        problem = cut_problem(counted, task, suite.text.min_df, suite.dtype)
        X = make_weighting("log-tfidf").fit_transform(problem.counts)
        yield task.set_name, problem, X


def kept_rows(problem, n_rare: int, rare: int) -> np.ndarray:
    """All rows except those of the target's rare class after the first ``n_rare``."""
    of_class = np.flatnonzero((problem.sample_domain < 0) & (problem.labels == rare))
    kept = np.ones(len(problem.labels), bool)
    kept[of_class[n_rare:]] = False
    return kept


def fit(X, labels, sample_domain, **options) -> tuple[float, bool, bool]:
    """Accuracy on the target, whether there was a warning, and whether it was fitted again."""
    target = sample_domain < 0
    y = labels.astype(object)
    y[target] = None
    iterations = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = MTrick(**options).fit(X, y, sample_domain, callback=iterations.append)
    accuracy = float(np.mean(fitted.transduction_[target] == labels[target]))
    warned = any(SWAP_WARNING in str(warning.message) for warning in caught)
    return accuracy, warned, len(iterations) > fitted.n_iter_


def compare(*data, **options) -> tuple[float, float, bool]:
    """Accuracy without the check and with it, and whether there was a warning."""
    accuracy, warned, fitted_again = fit(*data, **options)
    # Without a second fit, the check does not change the labels.
    without = fit(*data, **options, check_class_swap=False)[0] if fitted_again else accuracy
    return without, accuracy, warned


def runs(evidence: bool) -> Iterator[tuple[str, tuple[float, float, bool]]]:
    """Set name and figures of every fit."""
    suite = find_suite("mtrick-table1")
    splits = {
        split: [task for task in suite.tasks if task.split == split]
        for split in ("development", "evidence")
    }
    for name, problem, X in cut(suite, splits["development"]):
        data = problem.labels, problem.sample_domain
        yield f"{name}, development", compare(X, *data)
        truth = problem.labels[problem.sample_domain < 0].tolist()
        for accuracy in ACCURACIES:
            misleading = MisleadingClassifier(truth, accuracy)
            figures = compare(X, *data, init_classifier=misleading)
            percent = f"{100 * accuracy:.0f} %"
            yield f"{name}, development, initial classifier {percent} correct", figures
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
    """One row of the table."""
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
    by_set: dict[str, list[tuple[float, float, bool]]] = {}
    for name, figures in runs(evidence):
        by_set.setdefault(name, []).append(figures)
        if min(figures[:2]) < 0.5 or figures[2]:
            print(name, figures, flush=True)
    head = (
        "problems|mean without the check|mean with it|swapped without|swapped with|"
        "swapped and warned|false warnings|made worse"
    )
    lines = [
        "# Class swaps of MTrick",
        "",
        "Written by `python benchmarks/studies/class_swaps.py --evidence`.",
        "The objective of MTrick does",
        "not determine which group of target documents is which class. `check_class_swap` compares",
        "the groups with the words of the labeled documents. A problem is swapped if fewer than",
        "half of its labels are correct. A false warning is a warning with at least three quarters",
        "of the labels correct. A problem is made worse if the check costs more than ten points.",
        "Means are accuracies in per cent.",
        "",
        "| " + " | ".join(["set", *head.split("|")]) + " |",
        "|" + " --- |" * 9,
        *(line(name, figures) for name, figures in by_set.items()),
    ]
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "class_swaps.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
