"""The problems and texts on which ``record_results.py`` records results, and their folder."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["problems", "store_problems"]

#: Methods whose cost grows with the square of the documents still finish in seconds on these.
_DOCUMENTS_PER_DOMAIN = 240


def problems(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The matrices, labels and domains in a folder, by name."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            X = sparse.csr_array(
                (arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"]
            )
            names = ("y", "sample_domain", "fitted")
            yield path.stem, {"X": X} | {name: arrays[name] for name in names}


def store_problems(folder: Path) -> None:
    """Build the problems and the texts, unless the folder exists."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True)
    _store(folder / "generated.npz", *_generated(4, (0, 1, -1)))
    _store(folder / "partly_labeled.npz", *_generated(3, (0, -1, -2), labeled_targets=5))
    _store_texts(folder)
    data = os.environ.get("ISTHMUS_DATA")
    if not data:
        print("ISTHMUS_DATA is not set: generated problems only.", file=sys.stderr)
        return
    everyday = Path(data) / "everyday"
    _store(folder / "topics.npz", *_real(everyday / "news_publishers", "bbc", "huffpost"))
    _store(folder / "opinions.npz", *_real(everyday / "dev_sentiment", "github", "stackoverflow"))


def _store(path: Path, X: Any, y: Any, sample_domain: Any) -> None:
    """Every fifth document of each domain is kept as a new one."""
    fitted = np.arange(len(y)) % 5 != 0
    np.savez_compressed(
        path,
        data=X.data,
        indices=X.indices,
        indptr=X.indptr,
        shape=X.shape,
        y=y,
        sample_domain=sample_domain,
        fitted=fitted,
    )


def _generated(
    n_classes: int, domains: tuple[int, ...], labeled_targets: int = 0
) -> tuple[Any, Any, Any]:
    """Classes with words of their own in all domains and others in each, uneven in the target."""
    generator = np.random.default_rng(len(domains) * 10 + n_classes)
    shared, own, noise = 8, 12, 60
    n_terms = n_classes * (shared + own * len(domains)) + noise
    blocks, labels, numbers = [], [], []
    for d, number in enumerate(domains):
        for c in range(n_classes):
            rates = np.full(n_terms, 0.05)
            rates[-noise:] = generator.random(noise)
            rates[c * shared : (c + 1) * shared] = 0.4
            first = n_classes * shared + (d * n_classes + c) * own
            rates[first : first + own] = 0.6
            size = 25 + (15 * c if number < 0 else 0)
            blocks.append(generator.poisson(rates, (size, n_terms)))
            known = labeled_targets if number < 0 else size
            labels += [c if i < known else -1 for i in range(size)]
            numbers += [number] * size
    X = sparse.csr_array(np.vstack(blocks).astype(np.float64))
    return X, np.array(labels), np.array(numbers)


def _real(folder: Path, source: str, target: str) -> tuple[Any, Any, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, labels, numbers = [], [], []
    for name, number in ((source, 0), (target, -1)):
        documents = _read(folder / f"{name}.jsonl.gz")
        texts += [document["text"] for document in documents]
        labels += [document["label"] if number == 0 else "" for document in documents]
        numbers += [number] * len(documents)
    names = sorted(set(labels) - {""})
    y = np.array([names.index(label) if label else -1 for label in labels])
    X = TfidfVectorizer(min_df=2, stop_words="english", sublinear_tf=True).fit_transform(texts)
    return sparse.csr_array(X), y, np.array(numbers)


def _read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    order = np.random.default_rng(0).permutation(len(documents))[:_DOCUMENTS_PER_DOMAIN]
    return [documents[i] for i in order]


#: What readers, writers, tokenizers and text settings treat in different ways.
_ODD_TEXTS = [
    "<p>A <b>sturdy</b> kettle &amp; a quick toaster</p><script>var p = 1;</script>",
    'He said "sturdy, quick; and clean", then\tleft.',
    "Two lines:\nthe kettle\r\nand the story",
    "Die Übersetzung war schön, aber die Geschichten sind für große Kinder.",
    "Der Kessel ist schnell, und das Buch ist nicht gut gewesen.",
    "İSTANBUL Straße ΣΊΣΥΦΟΣ naïve café cafe\u0301 ﬁne ½ x²",
    "It's not bad, can't complain: e-mail me@example.org or see https://example.org/a?b=c",
    "=1+1 looks like a formula, +1 too; 3.14 and 1,000 are numbers 😀👍🏽 🇩🇪",
    "日本語の文章です。 Это русский текст. ข้อความภาษาไทย",
    "Kettles cracking, handles looking loose, families dreading endings",
    "null",
]


def _store_texts(folder: Path) -> None:
    from isthmus.datasets import make_corpus

    corpus = make_corpus()
    n_odd = len(_ODD_TEXTS)
    # Twice, so that their words are in enough documents to be terms.
    stored = {
        "source_texts": [*corpus.source_texts[:200], *_ODD_TEXTS, *_ODD_TEXTS],
        "source_labels": [*corpus.source_labels[:200], *corpus.source_labels[: 2 * n_odd]],
        "target_texts": [*corpus.target_texts[:150], *_ODD_TEXTS, *_ODD_TEXTS],
        "new_texts": [*corpus.target_texts[150:200], *_ODD_TEXTS],
    }
    (folder / "texts.json").write_text(json.dumps(stored))
