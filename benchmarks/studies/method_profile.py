"""Seconds of a fit by method and number of documents, and the functions that take them.

    python benchmarks/studies/method_profile.py
    python benchmarks/studies/method_profile.py --methods mct coda --documents 4000 --profile
    python benchmarks/studies/method_profile.py --save before    # later: --compare before

The documents are generated: two classes, 100 words each with Zipf frequencies, log-tfidf weights,
half of them source. Every fit runs in its own process after a warm-up fit, which loads or compiles
the loops, and is stopped after ``--limit`` seconds. ``--save`` stores the results. ``--compare``
prints how many labels differ from those of an earlier run, and by how much probabilities differ.
"""

from __future__ import annotations

import argparse
import cProfile
import multiprocessing
import os
import pstats
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

METHODS = ("mct", "coda", "sgt", "pjnmf", "cdsc", "cocc", "mtrick")
_TERMS, _WORDS = 50_000, 100
_WARM_UP = 4_000
_PROFILED_FUNCTIONS = 25


def main() -> None:
    """Fit every method on every number of documents, one after the other."""
    options = _options()
    print("method | documents | seconds | CPU seconds")
    print("--- | --- | --- | ---", flush=True)
    for count in options.documents:
        for method in options.methods:
            process = multiprocessing.get_context("spawn").Process(
                target=measure,
                args=(method, count, options.profile, options.save, options.compare),
            )
            process.start()
            process.join(options.limit)
            if process.is_alive():
                process.kill()
                process.join()
                print(f"{method} | {count:,} | more than {options.limit} | ", flush=True)


def measure(
    method: str, count: int, profile: bool, save: Path | None, compare: Path | None
) -> None:
    """Print the time of one fit."""
    os.environ["ISTHMUS_COMPILE"] = "always"  # the warm-up fit loads all loops
    # Imported here, so that only the process of the fit loads them.
    from isthmus.estimators.registry import find_method
    from isthmus_bench.speed.corpus import make_documents, weighted

    corpus = weighted(make_documents(max(count, _WARM_UP), _TERMS, _WORDS, "float32"))
    warm_up, fitted = corpus.first(_WARM_UP), corpus.first(count)
    estimator = find_method(method).build()
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=0)
    profiler = cProfile.Profile()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # generated documents may be easier or harder than real ones
        estimator.fit(warm_up.X, warm_up.y, warm_up.sample_domain)
        start, cpu_start = time.perf_counter(), time.process_time()
        if profile:
            profiler.enable()
        estimator.fit(fitted.X, fitted.y, fitted.sample_domain)
        profiler.disable()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    print(f"{method} | {count:,} | {seconds:.2f} | {cpu_seconds:.2f}", flush=True)
    if profile:
        for order in ("tottime", "cumtime"):
            pstats.Stats(profiler).sort_stats(order).print_stats(_PROFILED_FUNCTIONS)
    results = {"labels": estimator.transduction_, "probabilities": estimator.label_distributions_}
    name = f"{method}_{count}.npz"
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(save / name, **results)
    if compare is not None:
        print(f"    {_difference(compare / name, results)}", flush=True)


def _difference(path: Path, results: dict[str, Any]) -> str:
    """How much the results differ from stored ones."""
    if not path.is_file():
        return f"{path} does not exist."
    with np.load(path) as stored:
        n_other = int((stored["labels"] != results["labels"]).sum())
        largest = np.abs(stored["probabilities"] - results["probabilities"]).max()
    return f"{n_other} of {len(results['labels']):,} labels differ, probabilities by {largest:.1e}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--documents", nargs="+", type=int, default=[4_000, 100_000])
    parser.add_argument("--limit", type=float, default=300, help="seconds per process")
    parser.add_argument("--profile", action="store_true", help="print the slowest functions")
    parser.add_argument("--save", type=Path, help="folder for the results")
    parser.add_argument("--compare", type=Path, help="folder of earlier results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
