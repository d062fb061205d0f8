"""From how many documents on the GPU is faster."""

from __future__ import annotations

from isthmus_bench.speed.gpu.fits import fit_jobs, fit_line
from isthmus_bench.speed.gpu.fitting import FitJob
from isthmus_bench.speed.gpu.session import Session

__all__ = ["CROSSOVER_METHODS", "CROSSOVER_SIZES", "measure_crossover"]

CROSSOVER_SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
CROSSOVER_METHODS = ("mtrick", "cocc")
_REPEATS = 3


def measure_crossover(session: Session) -> None:
    """Fit two methods to more and more documents on both engines."""
    for method in CROSSOVER_METHODS:
        if method not in session.choice.methods:
            continue
        for engine in session.choice.engines:
            jobs = [
                FitJob(method, size, engine, "", repeats=_REPEATS)
                for size in session.sizes(CROSSOVER_SIZES)
            ]
            # One process for all sizes: the fits are short, and all of them are warm.
            jobs = [j for j in jobs if not session.is_done(fit_line(session, "crossover", j))]
            if jobs:
                fit_jobs(session, "crossover", jobs)
