"""How an MTrick iteration grows with the documents, relative to the memory bandwidth.

Run ``python benchmarks/studies/growth.py``; a million documents need 4 GB of memory. A copy moves
the bytes that an iteration needs at least: the target's matrix once, and each F read and written.
The fastest iteration is compared with the fastest copy. Half of the documents are source; their
labels are fixed, so they are not read again.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np

from isthmus.matrices.threads import cut_evenly, run_all, thread_limit
from isthmus_bench.report.blocks import table
from isthmus_bench.speed.competitors import Factors, isthmus_mtrick
from isthmus_bench.speed.corpus import make_documents
from isthmus_bench.speed.measuring import in_turn

COUNTS = (10_000, 100_000, 1_000_000)
TERMS, WORDS, CLUSTERS, ROUNDS = 50_000, 100, 50, 5
_COPIED = 64 * 2**20


def copy_bandwidth(threads: int, rounds: int = 7) -> float:
    """Bytes per second that a copy on some threads reads and writes, at best."""
    source = np.ones(_COPIED, np.float32)
    target = np.empty_like(source)
    pieces = [slice(*piece) for piece in cut_evenly(_COPIED, threads)]
    best = np.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        run_all(lambda piece: np.copyto(target[piece], source[piece]), pieces)
        best = min(best, time.perf_counter() - begin)
    return 2 * source.nbytes / best


def main() -> None:
    whole = make_documents(COUNTS[-1], TERMS, WORDS, "float32")
    rows = []
    for count in COUNTS:
        corpus = whole.first(count)
        for dtype in ("float32", "float64"):
            factors = Factors(corpus, CLUSTERS, dtype)
            seconds = in_turn({dtype: isthmus_mtrick(factors)}, ROUNDS, print)[dtype]
            X, taken, least = factors.target, median(seconds), min(seconds)
            moved = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + 4 * factors.F.nbytes
            copies = [moved / copy_bandwidth(threads) for threads in (1, thread_limit())]
            rows.append(
                [f"{count:,}", f"{corpus.X.nnz:,}", dtype, f"{1e3 * taken:.1f}",
                 f"{1e9 * taken / corpus.X.nnz:.2f}", f"{1e3 * least:.1f}",
                 *(f"{least / copy:.1f}" for copy in copies)]
            )  # fmt: skip
    titles = ["documents", "non-zeros", "dtype", "ms", "ns per non-zero", "least ms"]
    titles += ["x copy on one thread", f"x copy on {thread_limit()} threads"]
    print(table(titles, rows))


if __name__ == "__main__":
    main()
