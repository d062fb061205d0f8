"""What a few labeled documents of the target buy, on development problems.

    python benchmarks/studies/target_labels.py

Needs ISTHMUS_DATA; about ten minutes on one core. Writes ``target_labels.md``.

Every problem has at most 1,000 documents of the source and 1,000 of the target, drawn at random.
Half of the target can be labeled, and the accuracy is that on the other half, which is never
labeled: otherwise the accuracy would rise by leaving out the hardest documents. Labels are given
to a random sample, or to the documents that a report lists under "What to label first", as chosen
after a fit without target labels.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from isthmus import Transfer
from isthmus.datasets import load_amazon, load_everyday
from isthmus.inspection.documents import documents_to_label
from isthmus.matrices.rows import with_unit_rows
from isthmus.transfer.target_report import TargetReport

AMAZON = "amazon"
#: Corpus, source and target; all are development problems.
PROBLEMS = (
    (AMAZON, "books", "dvd"),
    ("spam_channels", "sms", "youtube"),
    ("news_publishers", "bbc", "huffpost"),
    ("emotions", "tweets", "self_reports"),
    ("dev_sentiment", "stackoverflow", "github"),
    ("drug_reactions", "patient_posts", "case_reports"),
)
SEEDS = (0, 1, 2)
SIZES = (20, 50, 100)
_MAX_DOCUMENTS = 1_000
# Rows of the table. The first two are Isthmus.
RANDOM, CHOSEN = "auto, random documents", "auto, documents that the report lists"
BOTH, TARGET = "logistic regression, source and random", "logistic regression, random alone"
ROWS = (RANDOM, CHOSEN, BOTH, TARGET)


@dataclass(frozen=True)
class Problem:
    """Texts and labels of a source and a target, and which documents of it can be labeled."""

    source: np.ndarray
    source_labels: np.ndarray
    target: np.ndarray
    truth: np.ndarray
    can_be_labeled: np.ndarray

    def fit(self, labeled: Sequence[int]) -> Transfer:
        """The default fit with the true labels of these documents."""
        labels = np.full(len(self.truth), None, object)
        labels[labeled] = self.truth[labeled]
        sources = {"source": (self.source, self.source_labels)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Transfer(random_state=0).fit(
                sources, target_texts={"target": (self.target, labels)}
            )

    def accuracy(self, labels: np.ndarray) -> float:
        """Accuracy in per cent on the documents that cannot be labeled."""
        return 100 * float(np.mean((labels == self.truth)[~self.can_be_labeled]))


def draw_problem(name: str, source: str, target: str, seed: int) -> Problem:
    """A random part of a pair of domains."""
    corpus: Any = load_amazon() if name == AMAZON else load_everyday(name)
    rng = np.random.default_rng(seed)
    texts, labels, domains = map(np.array, (corpus.texts, corpus.labels, corpus.domains))
    parts = [
        rng.permutation(np.flatnonzero(domains == domain))[:_MAX_DOCUMENTS]
        for domain in (source, target)
    ]
    of_source, of_target = parts
    can_be_labeled = rng.permutation(len(of_target)) < len(of_target) // 2
    return Problem(
        texts[of_source], labels[of_source], texts[of_target], labels[of_target], can_be_labeled
    )


def listed_documents(model: Transfer, problem: Problem, size: int) -> np.ndarray:
    """The documents that the report of a model would list, if its list were so long."""
    labeled = TargetReport(model, "target").labeled_sample()
    rows = labeled.sample.rows
    open_rows = labeled.is_open & problem.can_be_labeled[rows]
    return rows[documents_to_label(replace(labeled, is_open=open_rows), size)]


def logistic_accuracies(
    model: Transfer, problem: Problem, labeled: np.ndarray
) -> tuple[float, float]:
    """Accuracy of the source-only classifier's kind with these labels: with source, without."""
    source, target = (
        with_unit_rows(model.vectorizer_.transform(texts))
        for texts in (problem.source, problem.target)
    )
    values = []
    for with_source in (True, False):
        indices = np.arange(len(problem.source) if with_source else 0)
        rows = sparse.vstack([source[indices], target[labeled]], format="csr")
        labels = np.concatenate([problem.source_labels[indices], problem.truth[labeled]])
        classifier = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000)
        values.append(problem.accuracy(classifier.fit(rows, labels).predict(target)))
    return values[0], values[1]


def measure(problem: Problem, seed: int) -> tuple[float, float, dict[tuple[str, int], float]]:
    """Accuracies without target labels (source only, auto), and by row and number of labels."""
    first = problem.fit([])
    without = [
        problem.accuracy(labels["target"]) for labels in (first.source_only_labels_, first.labels_)
    ]
    # The first documents of one order, so that a larger sample contains the smaller ones.
    order = np.random.default_rng(seed).permutation(np.flatnonzero(problem.can_be_labeled))
    found: dict[tuple[str, int], float] = {}
    for size in SIZES:
        listed = listed_documents(first, problem, size)
        for row, labeled in ((RANDOM, order[:size]), (CHOSEN, listed)):
            found[row, size] = problem.accuracy(problem.fit(labeled).labels_["target"])
        found[BOTH, size], found[TARGET, size] = logistic_accuracies(first, problem, order[:size])
    return without[0], without[1], found


def main(seeds: tuple[int, ...] = SEEDS) -> None:
    """Measure all problems and write the page."""
    sections, means = [], []
    for name, source, target in PROBLEMS:
        results = [measure(draw_problem(name, source, target, seed), seed) for seed in seeds]
        without = np.mean([[source_only, auto] for source_only, auto, _ in results], axis=0)
        table = {key: np.mean([found[key] for _, _, found in results]) for key in results[0][2]}
        means.append((without, table))
        sections.append(section(f"{name}: {source} to {target}", without, table))
        print(sections[-1], flush=True)
    without = np.mean([part for part, _ in means], axis=0)
    table = {key: np.mean([part[key] for _, part in means]) for key in means[0][1]}
    sections.insert(0, section(f"Mean of the {len(PROBLEMS)} problems", without, table))
    introduction = (
        "# Labels of the target on development problems\n\n"
        "Written by `python benchmarks/studies/target_labels.py`.\n"
        "Accuracy in per cent on the half of the "
        f"target that is\nnever labeled, mean of the seeds {', '.join(map(str, seeds))}. Every "
        "seed draws at most 1,000 documents of each domain. The documents to label\nare a random "
        "sample, or those that the report lists. The logistic regressions are balanced, with C = "
        "10.\n"
    )
    page = "\n".join([introduction, *sections])
    (Path(__file__).parent / "target_labels.md").write_text(page, encoding="utf-8")


def section(title: str, without: np.ndarray, table: dict[tuple[str, int], float]) -> str:
    """The results of a problem as Markdown."""
    lines = [
        f"## {title}",
        "",
        "| | no target labels | " + " | ".join(f"{size} labels" for size in SIZES) + " |",
        "|" + " --- |" * (len(SIZES) + 2),
    ]
    for row in ROWS:
        first = {RANDOM: without[1], CHOSEN: without[1], BOTH: without[0]}.get(row)
        cells = ["-" if first is None else f"{first:.1f}"]
        cells += [f"{table[row, size]:.1f}" for size in SIZES]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    main(tuple(parser.parse_args().seeds))
