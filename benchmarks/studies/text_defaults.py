"""Compare text settings for MTrick on development problems.

Writes ``text_defaults.md``. Needs ISTHMUS_DATA; about ten minutes on one core.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from isthmus import MTrick, SourceLogistic, TextVectorizer
from isthmus.datasets import load_amazon, load_newsgroups, load_webkb
from isthmus_bench.plan.reading import find_suite

SETTINGS: dict[str, dict[str, object]] = {
    "the default": {},
    "min_df 3": {"min_df": 3},
    "min_df 5": {"min_df": 5},
    "min_df 15": {"min_df": 15},
    "stem": {"stem": True},
    'stop_words "english"': {"stop_words": "english"},
    "stop_words None": {"stop_words": None},
    "ngram_range (1, 2)": {"ngram_range": (1, 2)},
}


def problems() -> dict[str, list[tuple[list[str], list[str], list[str], list[str]]]]:
    """Texts and labels of source and target, by corpus."""
    by_corpus: dict[str, list[tuple[list[str], list[str], list[str], list[str]]]] = {}
    news = load_newsgroups()
    for task in find_suite("mtrick-table1").tasks:
        if task.split == "development":
            parts = []
            for selection in (task.domains[0], task.domains[-1]):
                class_of = {group: name for name, groups in selection.items() for group in groups}
                rows = [i for i, group in enumerate(news.groups) if group in class_of]
                parts += [[news.texts[i] for i in rows], [class_of[news.groups[i]] for i in rows]]
            by_corpus.setdefault(f"20 Newsgroups, {task.set_name}", []).append(tuple(parts))
    reviews = load_amazon()
    by_corpus["Amazon"] = _pairs(
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
    by_corpus["WebKB"] = _pairs(pages.texts, pages.labels, pages.universities, pairs)
    return by_corpus


def _pairs(texts, labels, domains, pairs):
    def domain_texts(name):
        rows = [i for i, domain in enumerate(domains) if domain == name]
        return [texts[i] for i in rows], [labels[i] for i in rows]

    return [(*domain_texts(source), *domain_texts(target)) for source, target in pairs]


def accuracies(problem, settings) -> tuple[float, float]:
    """Accuracy on the target of MTrick and of the logistic regression on the source."""
    source, labels, target, truth = problem
    X = TextVectorizer(**settings).fit_transform([*source, *target])
    y = np.array([*labels, *[None] * len(target)], dtype=object)
    sample_domain = np.repeat([0, -1], [len(source), len(target)])
    fitted = (m.fit(X, y, sample_domain) for m in (MTrick(), SourceLogistic()))
    mtrick, source_only = (np.mean(m.transduction_[len(source) :] == truth) for m in fitted)
    return float(mtrick), float(source_only)


def main() -> None:
    warnings.simplefilter("ignore")
    by_corpus = problems()
    lines = [
        "# Text settings on the development problems",
        "",
        "Written by `python benchmarks/studies/text_defaults.py`.",
        "Mean accuracy in per cent of MTrick,",
        "in brackets of the logistic regression on the source only. float32.",
        "",
        "| " + " | ".join(["setting", *by_corpus]) + " |",
        "|" + " --- |" * (len(by_corpus) + 1),
    ]
    for name, settings in SETTINGS.items():
        cells = []
        for pairs in by_corpus.values():
            mean = 100 * np.mean([accuracies(problem, settings) for problem in pairs], axis=0)
            cells.append(f"{mean[0]:.2f} ({mean[1]:.2f})")
        lines.append("| " + " | ".join([name, *cells]) + " |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    (Path(__file__).parent / "text_defaults.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
