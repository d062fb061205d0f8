"""The parts of ``isthmus-bench speed --engine gpu``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from isthmus_bench.speed.gpu.crossover import measure_crossover
from isthmus_bench.speed.gpu.fits import measure_fits
from isthmus_bench.speed.gpu.lines import Line, LineFile
from isthmus_bench.speed.gpu.machine import describe_machine, require_gpu
from isthmus_bench.speed.gpu.passes import PASS_SIZES, PassJob, run_passes
from isthmus_bench.speed.gpu.profile import measure_profile
from isthmus_bench.speed.gpu.session import BudgetSpentError, Choice, Session

__all__ = ["GPU_PARTS", "measure_gpu"]


def _passes(session: Session) -> None:
    choice = session.choice
    for size in session.sizes(PASS_SIZES):
        last: Line = {"part": "passes", "name": "X'G", "documents": size, "terms": choice.terms,
                      "dtype": "float32", "width": 16}  # fmt: skip
        if session.is_done(last):
            continue
        session.on_progress(f"passes over {size:,} documents")
        for result in session.run(run_passes, PassJob(size, choice.terms, choice.rounds)):
            session.record({"part": "passes", **result})
            width = f", {result['width']} columns" if "width" in result else ""
            session.on_progress(f"{result['name']}{width}: {1e3 * result['seconds']:.3f} ms")


GPU_PARTS: dict[str, Callable[[Session], None]] = {
    "passes": _passes,
    "fits": measure_fits,
    "crossover": measure_crossover,
    "profile": measure_profile,
}


def measure_gpu(
    parts: Sequence[str],
    choice: Choice,
    results: Path,
    folder: Path | None,
    on_progress: Callable[[str], None],
    **session_options: Any,
) -> bool:
    """Measure some of ``GPU_PARTS``; False if the time budget ended the work early.

    Results are appended to the file ``results``. ``folder`` keeps documents and labels for the next
    run; None for a temporary folder.
    """
    require_gpu()
    file = LineFile(results)
    machine = describe_machine()
    if file.read().get('{"part": "machine"}') != machine:
        file.append(machine)
    with tempfile.TemporaryDirectory() if folder is None else nullcontext(folder) as place:
        Path(place).mkdir(parents=True, exist_ok=True)
        session = Session(choice, file, Path(place), on_progress, **session_options)
        try:
            for part in parts:
                GPU_PARTS[part](session)
        except BudgetSpentError:
            return False
    return True
