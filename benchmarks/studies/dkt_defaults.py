"""Compare settings of DKT across languages on the German development problems.

Writes ``dkt_defaults.md``. Needs ISTHMUS_DATA; about ten minutes on one core.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from isthmus import DKT, BilingualVectorizer
from isthmus.datasets import load_webis, load_webis_dictionary

TEXT: dict[str, dict[str, Any]] = {
    "the default": {},
    "weighting column-normalized": {"weighting": "column-normalized"},
    "min_df 5": {"min_df": 5},
    "max_df 0.3": {"max_df": 0.3},
    "stem": {"stem": True},
    "English stop words": {"stop_words": "english"},
}
METHOD: dict[str, dict[str, Any]] = {
    "column_power 0": {"column_power": 0.0},
    "column_power 0.25": {"column_power": 0.25},
    "column_power 0.5": {"column_power": 0.5},
    "tol 0.002, max_iter 100": {"tol": 0.002, "max_iter": 100},
    "tol 0.01": {"tol": 0.01},
    "gamma 0.1": {"gamma": 0.1},
    "gamma 1.5": {"gamma": 1.5},
    "new_documents fold_in": {"new_documents": "fold_in"},
}
Labeled = tuple[list[str], list[str]]


def problems() -> Iterator[tuple[str, Labeled, Labeled]]:
    """Name of the problem, and texts with labels of source and target."""
    english, german = load_webis("en"), load_webis("de")
    yield (
        "categories",
        (english.texts, english.categories),
        (german.texts, german.categories),
    )
    for category in ("books", "dvd", "music"):
        reviews = (load_webis(language, categories=category) for language in ("en", "de"))
        source, target = ((part.texts, part.labels) for part in reviews)
        yield f"opinions on {category}", source, target


def accuracies(source: Labeled, target: Labeled, text: dict, method: dict) -> tuple[float, float]:
    """Accuracy on the half of the target that is fitted and on the other half."""
    vectorizer = BilingualVectorizer("en", "de", load_webis_dictionary("en", "de"), **text)
    truth = np.array(target[1])
    order = np.random.default_rng(0).permutation(len(truth))
    fitted, new = order[::2], order[1::2]
    X = vectorizer.fit_transform_domains(source[0], [target[0][i] for i in fitted])
    n_source = len(source[0])
    y = np.array([*source[1], *[None] * len(fitted)], dtype=object)
    model = DKT(**method).fit(X, y, np.repeat([0, -1], [n_source, len(fitted)]))
    predicted = model.predict(vectorizer.transform([target[0][i] for i in new]))
    correct = (model.transduction_[n_source:] == truth[fitted], predicted == truth[new])
    return float(np.mean(correct[0])), float(np.mean(correct[1]))


def main() -> None:
    warnings.simplefilter("ignore")
    prepared = list(problems())
    lines = [
        "# Settings of DKT on the German development problems",
        "",
        "Written by `python benchmarks/studies/dkt_defaults.py`.",
        "The source are English reviews, the",
        "target is half of the German reviews, without labels. Accuracy in per cent on this half,",
        "and in brackets on the other half as new documents. float32.",
        "",
        "| " + " | ".join(["setting", *(name for name, _, _ in prepared)]) + " |",
        "|" + " --- |" * (len(prepared) + 1),
    ]
    variants = [(name, text, {}) for name, text in TEXT.items()]
    variants += [(name, {}, method) for name, method in METHOD.items()]
    for name, text, method in variants:
        cells = []
        for _, source, target in prepared:
            fitted, new = accuracies(source, target, text, method)
            cells.append(f"{100 * fitted:.1f} ({100 * new:.1f})")
        lines.append("| " + " | ".join([name, *cells]) + " |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "dkt_defaults.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
