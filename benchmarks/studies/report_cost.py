"""Time, memory and size of a report for many documents.

    python benchmarks/studies/report_cost.py --documents 100000

The documents are generated: 56 words each, four classes. The fit is not part of the cost. Memory is
the growth of the resident memory while the report is written.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from isthmus import Transfer

_N_WORDS, _N_CLASSES = 20_000, 4


def main() -> None:
    """Fit, write the report and print its cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000, help="of both domains together")
    parser.add_argument("--method", default="mtrick")
    options = parser.parse_args()
    texts, labels = _make_documents(options.documents)
    half = len(texts) // 2
    started = time.perf_counter()
    model = Transfer(options.method, verdict=False)
    model.fit(texts[:half], labels[:half], texts[half:])
    print(f"fit: {time.perf_counter() - started:.1f} s")
    with tempfile.TemporaryDirectory() as folder, _PeakMemory() as memory:
        path = Path(folder) / "report.html"
        started = time.perf_counter()
        model.report(path)
        seconds = time.perf_counter() - started
        size = path.stat().st_size
    print(
        f"report of {len(texts):,} documents: {seconds:.1f} s, {memory.growth:.0f} MiB beyond the "
        f"fit, {size / 1e6:.2f} MB"
    )


def _make_documents(n: int) -> tuple[list[str], list[str]]:
    generator = np.random.default_rng(0)
    frequency = 1 / np.arange(1, _N_WORDS + 1)
    cumulated = np.cumsum(frequency / frequency.sum())
    codes = generator.integers(0, _N_CLASSES, n)
    common = np.searchsorted(cumulated, generator.random((n, 50))).clip(max=_N_WORDS - 1)
    own = 200 + 40 * codes[:, None] + generator.integers(0, 40, (n, 6))
    words = np.array([f"word{i}" for i in range(_N_WORDS)])
    texts = [" ".join(words[row]) for row in np.hstack([common, own])]
    return texts, [f"class {code}" for code in codes]


class _PeakMemory:
    """Growth of the resident memory, in MiB."""

    def __enter__(self) -> _PeakMemory:
        self._before = self._peak = _resident()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    @property
    def growth(self) -> float:
        return self._peak - self._before

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            self._peak = max(self._peak, _resident())


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    main()
