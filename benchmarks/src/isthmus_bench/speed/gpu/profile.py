"""Where the time of a fit goes, by stage."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

from isthmus._stages import record_stages, stage
from isthmus.config import config_context
from isthmus_bench.speed.gpu.fits import FIFTY, describe_job, fit_line
from isthmus_bench.speed.gpu.fitting import FitJob, build, warm_up
from isthmus_bench.speed.gpu.problem import load_problem, stored_problem
from isthmus_bench.speed.gpu.processes import READY
from isthmus_bench.speed.gpu.session import Session

__all__ = ["measure_profile", "run_profile"]

PROFILE_SIZES = (1_000_000,)
_REST = "rest"
# Stage, module and attribute of the functions that are timed.
_STAGES = (
    ("validation", "isthmus.estimators.base.classifier", "TransferClassifier._read_training_data"),
    (
        "first classifier",
        "isthmus.estimators.base.training_data",
        "predict_initial_memberships",
    ),
    ("iterations", "isthmus.estimators.tri_factorization.mtrick", "mtrick"),
)
_DEVICE_STAGES = (
    ("copy to the device", "isthmus.matrices.gpu.engine", "GpuEngine.documents"),
    ("column-ordered copy", "isthmus.matrices.gpu.layout", "make_panels"),
)


def measure_profile(session: Session) -> None:
    """Record the stages of MTrick with 50 iterations on the chosen engines."""
    if "mtrick" not in session.choice.methods:
        return
    for size in session.sizes(PROFILE_SIZES):
        for engine in session.choice.engines:
            job = FitJob("mtrick", size, engine, "", FIFTY)
            line = fit_line(session, "profile", job)
            if session.is_done(line):
                continue
            session.on_progress(f"{describe_job(job)}: stages")
            problem = str(stored_problem(session.folder, size, session.choice.terms))
            try:
                for result in session.run(run_profile, replace(job, problem=problem)):
                    session.record({**line, **result})
            except (TimeoutError, RuntimeError) as error:
                session.record({**line, "error": str(error)})


def run_profile(job: FitJob, send: Callable[[Any], None]) -> None:
    """Fit once with all stages timed; this runs in a process of its own."""
    corpus = load_problem(Path(job.problem), job.dtype)
    y, sample_domain = corpus.y, corpus.sample_domain
    warm_up(job, corpus)
    send(READY)
    on_gpu = job.engine == "gpu"
    wait = _wait_for_device if on_gpu else _do_nothing
    with ExitStack() as stack:
        for name, module, path in (*_STAGES, *(_DEVICE_STAGES if on_gpu else ())):
            stack.enter_context(_timed_attribute(name, module, path, wait))
        stack.enter_context(config_context(engine=job.engine))
        with record_stages(_REST) as times:
            build(job).fit(corpus.X, y, sample_domain)
    send({"stages": {name: round(value, 6) for name, value in times.seconds.items()}})


@contextmanager
def _timed_attribute(name: str, module: str, path: str, wait: Callable[[], None]) -> Iterator[None]:
    """Time a function of a module, or a method or cached property of a class, as a stage."""
    owner: Any = importlib.import_module(module)
    *classes, attribute = path.split(".")
    for part in classes:
        owner = getattr(owner, part)
    original = vars(owner)[attribute]
    is_property = isinstance(original, cached_property)
    timed = _timed(original.func if is_property else original, name, wait)
    if is_property:
        timed = cached_property(timed)
        timed.__set_name__(owner, attribute)
    setattr(owner, attribute, timed)
    try:
        yield
    finally:
        setattr(owner, attribute, original)


def _timed(function: Callable[..., Any], name: str, wait: Callable[[], None]) -> Any:
    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        # Work that was queued before belongs to the stage before.
        wait()
        with stage(name):
            result = function(*arguments, **options)
            wait()
        return result

    return call


def _do_nothing() -> None:
    pass


def _wait_for_device() -> None:
    import cupy

    cupy.cuda.Device().synchronize()
