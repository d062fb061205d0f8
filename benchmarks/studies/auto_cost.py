"""Time and memory of the automatic method on large data.

    python benchmarks/studies/auto_cost.py articles  # 2,000 + 2,000 newsgroup articles, one thread
    python benchmarks/studies/auto_cost.py texts  # 100,000 pieces of articles, all threads
    python benchmarks/studies/auto_cost.py matrix  # 1 million generated documents, effort "fast"

The first two need ``ISTHMUS_DATA``. Every part runs in its own process, after a warm-up fit.
"""

from __future__ import annotations

import os
import resource
import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

_SOURCE = ["rec.autos", "rec.motorcycles", "sci.crypt", "sci.electronics"]
_TARGET = ["rec.sport.baseball", "rec.sport.hockey", "sci.med", "sci.space"]


def _articles() -> dict[str, tuple[list[str], list[str]]]:
    """Texts and labels of both domains."""
    from isthmus_bench.documents.corpora import find_corpus

    groups = tuple(sorted(_SOURCE + _TARGET))
    documents = find_corpus("20newsgroups").read(os.environ.get("ISTHMUS_DATA"), groups)
    parts: dict[str, tuple[list[str], list[str]]] = {"source": ([], []), "target": ([], [])}
    for text, group in zip(documents.texts or [], documents.groups, strict=True):
        texts, labels = parts["source" if group in _SOURCE else "target"]
        texts.append(text)
        labels.append(group.partition(".")[0])
    return parts


def _sample(
    part: tuple[list[str], list[str]], size: int, n_words: int | None
) -> tuple[list[str], list[str]]:
    """Random articles, or random pieces of articles with ``n_words`` words."""
    rng = np.random.default_rng(0)
    texts, labels = part
    if n_words is None:
        chosen = rng.permutation(len(texts))[:size]
        return [texts[i] for i in chosen], [labels[i] for i in chosen]
    words = [text.split() for text in texts]
    pieces, piece_labels = [], []
    for i in rng.integers(0, len(words), size):
        start = rng.integers(0, max(len(words[i]) - n_words, 0) + 1)
        pieces.append(" ".join(words[i][start : start + n_words]))
        piece_labels.append(labels[i])
    return pieces, piece_labels


def _fit(effort: str, size: int, n_words: int | None) -> None:
    from isthmus import Auto, Transfer

    parts = _articles()
    source, source_labels = _sample(parts["source"], size, n_words)
    target, truth = _sample(parts["target"], size, n_words)
    few = slice(0, 300)
    Transfer(Auto(effort)).fit(source[few], source_labels[few], target[few])
    before, cpu = time.perf_counter(), time.process_time()
    model = Transfer(Auto(effort)).fit(source, source_labels, target)
    seconds, cpu_seconds = time.perf_counter() - before, time.process_time() - cpu
    members = sum(member.seconds for member in model.estimator_.members_)
    accuracy = float(np.mean(np.asarray(truth) == model.labels_))
    print(
        f"{effort}: {2 * size:,} documents, {seconds:.1f} s ({cpu_seconds:.1f} CPU seconds), of "
        f"these {members:.1f} s in members; {_peak():.2f} GiB at the peak; accuracy "
        f"{100 * accuracy:.1f} %, estimated {100 * model.verdict_.accuracy.value:.0f} %",
        flush=True,
    )


def _matrix(n_documents: int) -> None:
    from isthmus import Auto
    from isthmus_bench.speed.corpus import make_documents

    corpus = make_documents(n_documents, 50_000, 100, "float32")
    few = corpus.first(2_000)
    Auto("fast").fit(few.X, few.y, few.sample_domain)
    before = time.perf_counter()
    model = Auto("fast").fit(corpus.X, corpus.y, corpus.sample_domain)
    seconds = time.perf_counter() - before
    target = corpus.sample_domain < 0
    accuracy = float(np.mean(model.transduction_[target] == corpus.labels[target]))
    print(
        f"fast: {n_documents:,} generated documents, {corpus.nbytes / 2**30:.2f} GiB of CSR, "
        f"{seconds:.1f} s, {_peak():.2f} GiB at the peak, accuracy {100 * accuracy:.1f} %",
        flush=True,
    )
    for member in model.members_:
        print(f"    {member.name}: {member.seconds:.1f} s {member.note}", flush=True)


def _peak() -> float:
    """Largest memory of the process so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main(part: str) -> None:
    """Measure one part."""
    if part == "articles":
        with threadpool_limits(1):
            for effort in ("fast", "normal"):
                _fit(effort, 2_000, None)
    elif part == "texts":
        for effort in ("fast", "normal"):
            _fit(effort, 50_000, 100)
    elif part == "matrix":
        _matrix(1_000_000)
    else:
        sys.exit("Name a part: articles, texts or matrix.")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
