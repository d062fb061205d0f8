"""Which text settings suit MTrick: the development problems under each of them.

Writes ``text_defaults.md`` beside this file. Needs ISTHMUS_DATA; about ten minutes on one core.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from isthmus import MTrick, SourceLogistic, TextVectorizer
from isthmus.bench.plan.reading import find_suite
from isthmus.datasets import load_amazon, load_newsgroups, load_webkb

SETTINGS: dict[str, dict[str, object]] = {
    "the default": {},
    "words in 3 documents or more": {"min_df": 3},
    "words in 5 documents or more": {"min_df": 5},
    "words in 15 documents or more": {"min_df": 15},
    "stems": {"stem": True},
    "no stop words": {"stop_words": None},
    "words and pairs of words": {"ngram_range": (1, 2)},
}


def problems() -> dict[str, list[tuple[list[str], list[str], list[str], list[str]]]]:
    """Texts and labels of source and target, by corpus."""
    found: dict[str, list[tuple[list[str], list[str], list[str], list[str]]]] = {}
    news = load_newsgroups()
    for task in find_suite("mtrick-table1").tasks:
        if task.split == "development":
            sides = []
            for selection in (task.domains[0], task.domains[-1]):
                class_of = {group: name for name, groups in selection for group in groups}
                rows = [i for i, group in enumerate(news.groups) if group in class_of]
                sides += [[news.texts[i] for i in rows], [class_of[news.groups[i]] for i in rows]]
            found.setdefault(f"20 Newsgroups, {task.set_name}", []).append(tuple(sides))
    reviews = load_amazon()
    found["Amazon"] = _pairs(
        reviews.texts,
        reviews.labels,
        reviews.domains,
        [
            ("books", "dvd"),
            ("dvd", "books"),
            ("electronics", "kitchen"),
            ("kitchen", "electronics"),
        ],
    )
    pages = load_webkb()
    pairs = [("cornell", "texas"), ("texas", "cornell"), ("washington", "wisconsin")]
    found["WebKB"] = _pairs(pages.texts, pages.labels, pages.universities, pairs)
    return found


def _pairs(texts, labels, domains, pairs):
    def side(name):
        rows = [i for i, domain in enumerate(domains) if domain == name]
        return [texts[i] for i in rows], [labels[i] for i in rows]

    return [(*side(source), *side(target)) for source, target in pairs]


def accuracies(problem, settings) -> tuple[float, float]:
    """Shares of the target that MTrick and the source alone label right."""
    source, labels, target, truth = problem
    X = TextVectorizer(**settings).fit_transform([*source, *target])
    y = np.array([*labels, *[None] * len(target)], dtype=object)
    sample_domain = np.repeat([0, -1], [len(source), len(target)])
    fitted = (m.fit(X, y, sample_domain) for m in (MTrick(), SourceLogistic()))
    ours, plain = (np.mean(m.transduction_[len(source) :] == truth) for m in fitted)
    return float(ours), float(plain)


def main() -> None:
    warnings.simplefilter("ignore")
    by_corpus = problems()
    lines = [
        "# Text settings on the development problems",
        "",
        "Written by `python benchmarks/text_defaults.py`. Mean accuracy in per cent of MTrick,",
        "and in brackets of the logistic regression on the source alone. float32.",
        "",
        "| " + " | ".join(["setting", *by_corpus]) + " |",
        "|" + " --- |" * (len(by_corpus) + 1),
    ]
    for name, settings in SETTINGS.items():
        cells = []
        for listed in by_corpus.values():
            mean = 100 * np.mean([accuracies(problem, settings) for problem in listed], axis=0)
            cells.append(f"{mean[0]:.2f} ({mean[1]:.2f})")
        lines.append("| " + " | ".join([name, *cells]) + " |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "text_defaults.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
