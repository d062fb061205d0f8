"""How many documents the automatic method needs: accuracy by the size of source and target.

    python benchmarks/studies/sample_sizes.py

Needs ISTHMUS_DATA; about five minutes on one core. Writes ``sample_sizes.md``. The two problems say
what to expect, and nothing was chosen by them.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isthmus import Transfer
from isthmus.datasets import load_amazon, load_newsgroups

SIZES = (25, 50, 100, 200, 500, 1_000, 1_600)
# Small samples differ more.
N_SAMPLES = {25: 5, 50: 5, 100: 5, 200: 5}
USUAL_SAMPLES = 2


@dataclass(frozen=True)
class Problem:
    """Texts and labels of a source and a target."""

    title: str
    source: np.ndarray
    source_labels: np.ndarray
    target: np.ndarray
    target_labels: np.ndarray

    def accuracies(self, size: int, seed: int) -> tuple[float, float, str]:
        """Accuracy in per cent of the default and of the source-only classifier, and the verdict.

        Source and target are random samples of the same size.
        """
        random = np.random.default_rng(seed)
        source = random.permutation(len(self.source))[:size]
        target = random.permutation(len(self.target))[:size]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = Transfer(random_state=0).fit(
                self.source[source], self.source_labels[source], self.target[target]
            )
        truth = self.target_labels[target]
        found = (model.labels_, model.source_only_labels_)
        auto, source_only = (100 * float(np.mean(labels == truth)) for labels in found)
        return auto, source_only, model.verdict_.decision


def newsgroups() -> Problem:
    """Science or politics, from other newsgroups."""
    corpus = load_newsgroups()
    texts, groups = np.array(corpus.texts, object), np.array(corpus.groups)
    parts = []
    for names in (("sci.crypt", "talk.politics.guns"), ("sci.med", "talk.religion.misc")):
        chosen = np.isin(groups, names)
        topics = [group.partition(".")[0] for group in groups[chosen]]
        parts += [texts[chosen], np.array(topics)]
    return Problem("newsgroups, sci or talk", *parts)


def reviews() -> Problem:
    """Opinions about kitchen appliances, from those about electronics."""
    corpus = load_amazon()
    texts, labels = np.array(corpus.texts, object), np.array(corpus.labels)
    domains = np.array(corpus.domains)
    parts = []
    for name in ("electronics", "kitchen"):
        parts += [texts[domains == name], labels[domains == name]]
    return Problem("reviews, electronics to kitchen", *parts)


def main() -> None:
    """Measure both problems and write the page."""
    lines = [
        "# Accuracy by the number of documents",
        "",
        "Written by `python benchmarks/studies/sample_sizes.py`.",
        "The default method on random samples of",
        "the same size from source and target: five samples up to 200 documents, then two.",
        "Accuracies in per cent.",
    ]
    for problem in (newsgroups(), reviews()):
        lines += ["", f"## {problem.title.capitalize()}", ""]
        lines += [
            "| documents on each side | mean | lowest | source-only | samples with verdict use |",
            "| ---: | ---: | ---: | ---: | ---: |",
        ]
        for size in SIZES:
            runs = [
                problem.accuracies(size, seed) for seed in range(N_SAMPLES.get(size, USUAL_SAMPLES))
            ]
            auto, source_only, verdicts = zip(*runs, strict=True)
            cells = (f"{size:,}", f"{np.mean(auto):.1f}", f"{min(auto):.1f}")
            cells += (f"{np.mean(source_only):.1f}", f"{verdicts.count('use')} of {len(runs)}")
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "sample_sizes.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
