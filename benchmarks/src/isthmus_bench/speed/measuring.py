"""Measure iterations in turn, and whole fits in separate processes."""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isthmus.estimators.registry import find_method
from isthmus.kernels.dispatch import COMPILE_SETTING
from isthmus_bench.run.memory import PeakMemory
from isthmus_bench.speed.competitors import Iteration
from isthmus_bench.speed.corpus import load_corpus, make_documents, weighted

__all__ = ["FitCost", "in_turn", "measure_fit"]

_WARM_UP = 2_000
# More than the compiler needs for the loops of any method.
_COMPILE_SECONDS = 120.0
# What faulthandler writes before it ends the process.
_TIME_IS_UP = "Timeout ("


def in_turn(
    iterations: Mapping[str, Iteration], rounds: int, on_progress: Callable[[str], None]
) -> dict[str, list[float]]:
    """Warm up, then time all implementations round by round; the seconds of every round."""
    for name, iterate in iterations.items():
        on_progress(f"{name}: warming up")
        iterate()
    seconds: dict[str, list[float]] = {name: [] for name in iterations}
    for number in range(rounds):
        for name, iterate in iterations.items():
            on_progress(f"{name}: round {number + 1} of {rounds}")
            seconds[name].append(iterate())
    return seconds


@dataclass(frozen=True)
class FitCost:
    """The cost of one fit; ``growth`` of the memory is in bytes, None except on Linux."""

    n_documents: int
    nonzeros: int
    matrix_bytes: int
    growth: int | None
    seconds: float
    seconds_to_first_iteration: float
    accuracy: float


def measure_fit(
    method: str,
    parameters: Mapping[str, Any],
    n_documents: int,
    n_terms: int,
    n_words: int,
    weights: bool = False,
    time_limit: float | None = None,
    corpus_file: Path | None = None,
) -> FitCost:
    """Fit counts, or log-tfidf ``weights``, in a new interpreter and return the cost.

    A fit that takes more than ``time_limit`` seconds is killed and raises TimeoutError. The
    documents are read from ``corpus_file`` if there is one; it must hold what would be made.
    """
    file = None if corpus_file is None else str(corpus_file)
    arguments = [method, dict(parameters), n_documents, n_terms, n_words, weights, time_limit, file]
    done = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps(arguments)],
        env={**os.environ, COMPILE_SETTING: "always"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        if any(line.startswith(_TIME_IS_UP) for line in lines):
            raise TimeoutError(f"not done after {time_limit:g} seconds")
        raise RuntimeError(
            f"The fit of {n_documents:,} documents ended with status {done.returncode} "
            f"({lines[-1]}): if the memory is too small, measure fewer documents."
        )
    return FitCost(**json.loads(done.stdout))


@contextmanager
def _killed_after(seconds: float | None) -> Iterator[None]:
    """End this process if the block takes longer, even within a single compiled loop."""
    if seconds is None:
        yield
        return
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _fit(
    method: str,
    parameters: dict[str, Any],
    n_documents: int,
    n_terms: int,
    n_words: int,
    weights: bool = False,
    time_limit: float | None = None,
    corpus_file: str | None = None,
) -> FitCost:
    if corpus_file is not None:
        corpus = load_corpus(Path(corpus_file))
    else:
        corpus = make_documents(n_documents, n_terms, n_words, "float32")
        corpus = weighted(corpus) if weights else corpus
    y, domains = corpus.y, corpus.sample_domain
    build = find_method(method).build
    # Imports and compilation are not measured.
    few = corpus.first(_WARM_UP)
    brief = {"max_iter": 1} if "max_iter" in parameters else {}
    with _killed_after(None if time_limit is None else time_limit + _COMPILE_SECONDS):
        build(**{**parameters, **brief}).fit(few.X, few.y, few.sample_domain)
    times: list[float] = []
    memory = PeakMemory()
    estimator = build(**parameters)
    begin = time.perf_counter()
    with _killed_after(time_limit):
        estimator.fit(corpus.X, y, domains, callback=lambda _: times.append(time.perf_counter()))
    seconds = time.perf_counter() - begin
    growth = memory.growth
    target = slice(corpus.n_source, None)
    return FitCost(
        n_documents,
        int(corpus.X.nnz),
        corpus.nbytes,
        growth,
        seconds,
        times[0] - begin if times else seconds,
        float((estimator.transduction_[target] == corpus.labels[target]).mean()),
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(asdict(_fit(*json.loads(sys.argv[1])))))
