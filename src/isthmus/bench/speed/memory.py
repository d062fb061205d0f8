"""Growth of resident memory during a fit, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from isthmus.bench.run.resident import PeakMemory
from isthmus.bench.speed.corpus import first_documents, make_documents, weighted
from isthmus.estimators.registry import find_method
from isthmus.kernels.compile_setting import COMPILE_SETTING

_WARM_UP = 2_000


@dataclass(frozen=True)
class FitCost:
    """What one fit took; ``growth`` is in bytes, None where the system does not tell."""

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
    *,
    weights: bool = False,
) -> FitCost:
    """Fit a method in a fresh interpreter and return what it cost.

    ``weights`` gives the terms the weights of ``log-tfidf`` before, instead of counts.
    """
    sizes = [n_documents, n_terms, n_words]
    done = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps([method, dict(parameters), sizes, weights])],
        env={**os.environ, COMPILE_SETTING: "always"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(
            f"The fit of {n_documents:,} documents ended with status {done.returncode} ({last}): "
            "most likely the memory was not enough, ask for fewer documents."
        )
    return FitCost(**json.loads(done.stdout))


def _fit(method: str, parameters: dict[str, Any], sizes: list[int], weights: bool) -> FitCost:
    n_documents, n_terms, n_words = sizes
    corpus = make_documents(n_documents, n_terms, n_words, "float32")
    if weights:
        corpus = weighted(corpus)
    y, domains = corpus.y, corpus.sample_domain
    build = find_method(method).build
    # Imports and compiled loops are no part of it.
    few = first_documents(corpus, _WARM_UP)
    brief = {"max_iter": 1} if "max_iter" in parameters else {}
    build(**{**parameters, **brief}).fit(few.X, few.y, few.sample_domain)
    del few
    times: list[float] = []
    memory = PeakMemory()
    estimator = build(**parameters)
    begin = time.perf_counter()
    estimator.fit(corpus.X, y, domains, callback=lambda _: times.append(time.perf_counter()))
    seconds = time.perf_counter() - begin
    growth = memory.growth
    target = slice(corpus.n_source, None)
    right = estimator.transduction_[target] == corpus.labels[target]
    return FitCost(
        n_documents,
        int(corpus.X.nnz),
        corpus.nbytes,
        growth,
        seconds,
        times[0] - begin if times else seconds,
        float(right.mean()),
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(asdict(_fit(*json.loads(sys.argv[1])))))
