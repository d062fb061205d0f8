"""Words that negate, and pairs of words, for the automatic method on development problems.

    python benchmarks/studies/negation.py

Needs ISTHMUS_DATA; about ten minutes on one core. Writes ``negation.md``.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from isthmus import TextVectorizer, Transfer
from isthmus.datasets import load_amazon

PAIRS = (
    ("books", "dvd"),
    ("dvd", "books"),
    ("electronics", "kitchen"),
    ("kitchen", "electronics"),
)
SETTINGS: dict[str, dict[str, object]] = {
    "the default": {},
    "ngram_range (1, 2)": {"ngram_range": (1, 2)},
    'stop_words "english", without not and no': {"stop_words": "english"},
    'stop_words "english", ngram_range (1, 2)': {"stop_words": "english", "ngram_range": (1, 2)},
}


def accuracies(corpus, source: str, target: str, settings: dict[str, object]) -> tuple[float, ...]:
    """Accuracy in per cent of the automatic method and of the source-only classifier."""
    texts, labels, domains = map(np.array, (corpus.texts, corpus.labels, corpus.domains))
    from_source, from_target = domains == source, domains == target
    model = Transfer(vectorizer=TextVectorizer(**settings), random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(texts[from_source], labels[from_source], texts[from_target])
    truth = labels[from_target]
    return tuple(
        100 * float(np.mean(found == truth)) for found in (model.labels_, model.source_only_labels_)
    )


def main() -> None:
    """Measure all pairs and write the page."""
    corpus = load_amazon()
    titles = [f"{source} to {target}" for source, target in PAIRS]
    lines = [
        "# Negation on the development problems of the Amazon reviews",
        "",
        "Written by `python benchmarks/studies/negation.py`.",
        "Accuracy in per cent of the automatic method,",
        "in brackets of the source-only classifier. 2,000 reviews of each domain.",
        "",
        "| " + " | ".join(["setting", *titles, "mean"]) + " |",
        "|" + " --- |" * (len(titles) + 2),
    ]
    for name, settings in SETTINGS.items():
        values = [accuracies(corpus, *pair, settings) for pair in PAIRS]
        values.append(tuple(np.mean(values, axis=0)))
        cells = [f"{auto:.1f} ({source_only:.1f})" for auto, source_only in values]
        lines.append("| " + " | ".join([name, *cells]) + " |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "negation.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
