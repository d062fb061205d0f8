"""Counting of words, and the whole command, compared with scikit-learn's vectorizers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.kernels.dispatch import COMPILE_SETTING
from isthmus.matrices.threads import one_thread
from isthmus_bench.speed.competitors import compiling
from isthmus_bench.speed.corpus import make_texts, write_texts
from isthmus_bench.speed.measuring import in_turn

__all__ = [
    "CommandCost",
    "CountingCost",
    "TfidfCost",
    "compare_counting",
    "measure_command",
    "measure_tfidf",
    "write_domains",
]

# The command, which states its largest resident memory at its end (on Linux). What the operating
# system tells the parent process includes the memory of that process itself.
_COMMAND = """
import atexit, sys
def state_peak():
    with open("/proc/self/status") as status:
        sys.stderr.writelines(line for line in status if line.startswith("VmHWM"))
if sys.platform == "linux":
    atexit.register(state_peak)
from isthmus.cli import main
main()
"""
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


@dataclass(frozen=True)
class CountingCost:
    """Seconds of all rounds by implementation, and whether the matrices are identical."""

    seconds: Mapping[str, Sequence[float]]
    identical: bool
    shape: tuple[int, int]


def compare_counting(
    texts: Sequence[str],
    ngram_range: tuple[int, int],
    rounds: int,
    on_progress: Callable[[str], None],
) -> CountingCost:
    """Count the words of texts with scikit-learn and with this package, on one and on all threads.

    All terms are counted, because scikit-learn's tokenizer has other stop words.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    from isthmus.text.vectorizer import TextVectorizer

    results: dict[str, Any] = {}

    def timed(name: str, count: Callable[[], Any]) -> Callable[[], float]:
        def run() -> float:
            results.pop(name, None)  # its memory is not freed within the time of the next round
            begin = time.perf_counter()
            results[name] = count()
            return time.perf_counter() - begin

        return run

    def isthmus() -> Any:
        vectorizer = TextVectorizer(
            language=None, min_df=1, weighting="counts", ngram_range=ngram_range
        )
        with compiling("always"):
            return vectorizer.fit_transform(texts), vectorizer.terms_

    def on_one_thread() -> Any:
        with one_thread():
            return isthmus()

    def sklearn() -> Any:
        vectorizer = CountVectorizer(ngram_range=ngram_range, dtype=np.float32)
        return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()

    seconds = in_turn(
        {
            "scikit-learn CountVectorizer": timed("sklearn", sklearn),
            "isthmus, one thread": timed("one", on_one_thread),
            "isthmus": timed("all", isthmus),
        },
        rounds,
        on_progress,
    )
    (expected, names), (one, terms), (matrix, _) = (results[n] for n in ("sklearn", "one", "all"))
    expected.sort_indices()
    identical = list(names) == terms and all(
        bool((getattr(expected, part) == getattr(other, part)).all())
        for part in ("indptr", "indices", "data")
        for other in (one, matrix)
    )
    return CountingCost(seconds, identical, matrix.shape)


@dataclass(frozen=True)
class CommandCost:
    """The cost of a process: seconds, and the largest resident memory in bytes, if it is known."""

    seconds: float
    peak: int | None
    timings: Mapping[str, float]


def measure_command(source: Path, target: Path, options: Sequence[str]) -> CommandCost:
    """Run ``isthmus classify`` from its start to the labels in a file."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "labels.csv"
        command = [
            *(sys.executable, "-c", _COMMAND, "classify", "--json"),
            *("--source", str(source), "--target", str(target), "--output", str(output)),
            *options,
        ]
        begin = time.perf_counter()
        # As for a user who has not set how loops are compiled.
        env = {name: value for name, value in os.environ.items() if name != COMPILE_SETTING}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise RuntimeError(f"isthmus classify failed: {done.stderr.strip()[-500:]}")
    peak = _PEAK.search(done.stderr)
    timings = json.loads(done.stdout)["timings"]
    return CommandCost(seconds, None if peak is None else 1024 * int(peak[1]), timings)


@dataclass(frozen=True)
class TfidfCost:
    """Seconds of ``TfidfVectorizer`` on texts in memory, and the bytes of its CSR matrix."""

    seconds: float
    matrix_bytes: int


def measure_tfidf(n_documents: int, n_terms: int, n_words: int) -> TfidfCost:
    """Fit scikit-learn's ``TfidfVectorizer`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps([n_documents, n_terms, n_words])],
        capture_output=True,
        text=True,
        check=True,
    )
    return TfidfCost(**json.loads(done.stdout))


def _fit_tfidf(n_documents: int, n_terms: int, n_words: int) -> TfidfCost:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, _ = make_texts(n_documents, n_terms, n_words)
    begin = time.perf_counter()
    X = TfidfVectorizer(dtype=np.float32).fit_transform(texts)
    seconds = time.perf_counter() - begin
    return TfidfCost(seconds, int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes))


def write_domains(folder: Path, n_documents: int, n_terms: int, n_words: int) -> tuple[Path, Path]:
    """Write generated texts as two CSV files, source and target."""
    texts, labels = make_texts(n_documents, n_terms, n_words)
    half = n_documents // 2
    source, target = folder / "source.csv", folder / "target.csv"
    write_texts(source, texts[:half], labels[:half])
    write_texts(target, texts[half:], labels[half:])
    return source, target


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(asdict(_fit_tfidf(*json.loads(sys.argv[1])))))
