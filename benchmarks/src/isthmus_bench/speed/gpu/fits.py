"""Whole fits of every method on the CPU and on the GPU."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.estimators.registry import find_method
from isthmus_bench.speed.gpu.fitting import FitJob, run_fits
from isthmus_bench.speed.gpu.lines import Line, identity
from isthmus_bench.speed.gpu.problem import stored_problem
from isthmus_bench.speed.gpu.session import Choice, Session

__all__ = [
    "FIFTY", "FIT_SIZES", "describe_job", "fit_jobs", "fit_line", "measure_fits", "planned_fits",
]  # fmt: skip

FIT_SIZES = (100_000, 1_000_000)
FIFTY: dict[str, Any] = {"max_iter": 50, "tol": 0.0}
"""Parameters for exactly 50 iterations of MTrick."""
# The second fit tells whether the labels are the same.
_REPEATS = {"gpu": 2, "cpu": 1}


def planned_fits(choice: Choice, sizes: Sequence[int]) -> list[FitJob]:
    """All fits without their engine, the most important first."""
    job = FitJob("mtrick", sizes[-1], "", "")
    plan = []
    if "mtrick" in choice.methods:
        plan += [replace(job, documents=size, parameters=FIFTY) for size in sizes]
        plan += [replace(job, parameters=FIFTY, start=start) for start in ("cached", "cold")]
    for size in sizes:
        plan += [replace(job, documents=size, method=method) for method in choice.methods]
    plan += [
        replace(job, documents=sizes[0], method=method, dtype="float64")
        for method in choice.methods
        if _has_objective(method)
    ]
    return plan


def _has_objective(name: str) -> bool:
    return find_method(name).has_objective or name == "plsa"


def measure_fits(session: Session) -> None:
    """Fit everything that has no result yet, on the chosen engines."""
    for planned in planned_fits(session.choice, session.sizes(FIT_SIZES)):
        engines = [name for name in session.choice.engines
                   if planned.start == "warm" or name == "gpu"]  # fmt: skip
        for job in _pending(session, planned, engines):
            fit_jobs(session, "fits", [job])
        if planned.start == "warm":
            _compare(session, planned)


def _pending(session: Session, planned: FitJob, engines: Sequence[str]) -> Iterator[FitJob]:
    """The fits without a result, and those whose labels are needed but not in the folder."""
    is_compared = session.is_done(_agreement_line(session, planned))
    for engine in engines:
        repeats = _REPEATS[engine] if planned.start == "warm" else 1
        job = replace(planned, engine=engine, repeats=repeats)
        stored = session.find(fit_line(session, "fits", job)) or {}
        lacks_labels = (
            planned.start == "warm"
            and {*engines} == {"cpu", "gpu"}
            and not is_compared
            and "error" not in stored
            and not _label_file(session, job).exists()
        )
        if lacks_labels or not session.is_done(fit_line(session, "fits", job)):
            yield replace(job, labels=str(_label_file(session, job)))


def fit_line(session: Session, part: str, job: FitJob) -> Line:
    """The identity of the result of a fit."""
    return {
        "part": part,
        "method": job.method,
        "parameters": dict(job.parameters),
        "documents": job.documents,
        "terms": session.choice.terms,
        "dtype": job.dtype,
        "engine": job.engine,
        "start": job.start,
    }


def fit_jobs(session: Session, part: str, jobs: Sequence[FitJob]) -> None:
    """Fit jobs of one engine in a new process and record every result."""
    terms, pending = session.choice.terms, []
    for job in jobs:
        problem = stored_problem(session.folder, job.documents, terms)
        pending.append(replace(job, problem=str(problem)))
    session.on_progress(f"{describe_job(pending[0])}: fitting")
    try:
        for result in session.run(run_fits, list(pending)):
            job = pending.pop(0)
            session.record({**fit_line(session, part, job), **result})
            session.on_progress(f"{describe_job(job)}: {result['seconds'][0]:.3f} seconds")
    except TimeoutError as error:
        for job in pending:
            # Jobs are in the order of their documents.
            _record_error(session, part, job, str(error), time_limit=session.choice.time_limit)
    except RuntimeError as error:
        _record_error(session, part, pending[0], str(error))


def _record_error(session: Session, part: str, job: FitJob, error: str, **others: Any) -> None:
    session.on_progress(f"{describe_job(job)}: {error}")
    session.record({**fit_line(session, part, job), "error": error, **others})


def describe_job(job: FitJob) -> str:
    """A fit in words."""
    parameters = "".join(f" {name}={value}" for name, value in job.parameters.items())
    start = "" if job.start == "warm" else f", {job.start}"
    return (
        f"{job.method}{parameters}, {job.documents:,} documents, {job.dtype}, {job.engine}{start}"
    )


def _label_file(session: Session, job: FitJob) -> Path:
    text = identity(fit_line(session, "fits", job))
    return session.folder / f"labels-{hashlib.sha256(text.encode()).hexdigest()[:16]}.npy"


def _agreement_line(session: Session, planned: FitJob) -> Line:
    line = fit_line(session, "agreement", planned)
    del line["engine"]
    return line


def _compare(session: Session, planned: FitJob) -> None:
    """Record the agreement of the labels, if both fits have left theirs."""
    files = [_label_file(session, replace(planned, engine=name)) for name in ("cpu", "gpu")]
    line = _agreement_line(session, planned)
    if session.is_done(line) or not all(file.exists() for file in files):
        return
    cpu, gpu = (np.load(file) for file in files)
    equal = int((cpu == gpu).sum())
    session.on_progress(f"{planned.method}: {equal:,} of {cpu.size:,} labels agree")
    session.record({**line, "compared": int(cpu.size), "agreement": equal / cpu.size})
