"""``isthmus-bench speed --engine gpu``: compare the GPU with the CPU of the same machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from isthmus_bench.cli.parsing import comma_separated, comma_separated_integers

if TYPE_CHECKING:
    from isthmus_bench.speed.gpu.session import Choice

__all__ = ["REPORT", "GpuOptions", "check_unused", "gpu_choice", "measure_gpu_speed"]

REPORT = "report"
DEFAULT_PAGE = Path("benchmarks/speed/gpu.md")
_ENGINES = ("gpu", "cpu")
_MIN_DOCUMENTS = 100


@dataclass(frozen=True)
class GpuOptions:
    """Options of the benchmark of the GPU."""

    PANEL: ClassVar[str] = "With --engine gpu"

    engine: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="'cpu', or 'gpu' to compare the GPU with the CPU of this machine.",
        ),
    ] = "cpu"
    sizes: Annotated[
        str,
        typer.Option(
            metavar="NUMBERS",
            help="Numbers of documents, separated by commas. Default: depends on the part.",
        ),
    ] = ""
    on: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Engines to fit on, 'gpu' or 'cpu', separated by commas. Default: both.",
        ),
    ] = ""
    budget: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Time after which nothing is started; 0 for no limit.",
        ),
    ] = 0.0
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder that keeps documents and labels. Default: a temporary one.",
        ),
    ] = None


def check_unused(options: GpuOptions) -> None:
    """Raise ValueError if an option of the GPU is given for the CPU."""
    default = GpuOptions()
    for name in ("sizes", "on", "budget", "folder"):
        if getattr(options, name) != getattr(default, name):
            raise ValueError(f"--{name} is an option of the GPU: add --engine gpu, or omit it.")


def measure_gpu_speed(
    options: GpuOptions,
    parts: Sequence[str],
    choice: Choice,
    results: Path,
    output: Path | None,
) -> None:
    """Measure the parts and write the page, if there is a file for it."""
    from rich.console import Console

    from isthmus.files import check_writable, whole_file
    from isthmus_bench.speed.gpu.lines import RESULT_FILE, LineFile
    from isthmus_bench.speed.gpu.report import gpu_page
    from isthmus_bench.speed.gpu.run import GPU_PARTS, measure_gpu

    for part in parts:
        if part not in (*GPU_PARTS, REPORT):
            names = ", ".join((*GPU_PARTS, REPORT))
            raise ValueError(f"--only {part!r} is not a part for the GPU: choose among {names}.")
    page = output or (DEFAULT_PAGE if REPORT in parts else None)
    if page is not None:
        check_writable(page)
    file = results / RESULT_FILE
    measured = [part for part in (parts or GPU_PARTS) if part != REPORT]
    if measured:
        error = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        finished = measure_gpu(measured, choice, file, options.folder, error.print)
        print(f"Results are in {file}.")
        if not finished:
            print("The time budget is spent: repeat the command to continue.")
    if page is not None:
        text = gpu_page(LineFile(file).read())
        with whole_file(page) as stream:
            stream.write(text)
        print(f"Wrote {page}.")


def gpu_choice(
    options: GpuOptions, methods: str, terms: int, rounds: int, time_limit: float, again: bool
) -> Choice:
    """What is measured, from the options."""
    from isthmus.estimators.registry import find_method, methods_on
    from isthmus_bench.speed.gpu.session import DEFAULT_METHODS, Choice

    names = comma_separated(methods) or DEFAULT_METHODS
    for name in names:
        if "gpu" not in find_method(name).engines:
            raise ValueError(
                f"--methods {name!r} does not run on the GPU: choose among "
                f"{', '.join(methods_on('gpu'))}."
            )
    sizes = comma_separated_integers(options.sizes, "--sizes", "100000,1000000")
    if any(size < _MIN_DOCUMENTS for size in sizes):
        raise ValueError(
            f"--sizes {options.sizes!r} has a number below {_MIN_DOCUMENTS}: separate numbers of "
            "documents by commas, and write them without one, as in 100000,1000000."
        )
    engines = comma_separated(options.on) or _ENGINES
    if not {*engines} <= {*_ENGINES}:
        raise ValueError(f"--on {options.on!r} must be cpu, gpu or both, separated by a comma.")
    return Choice(
        methods=names,
        sizes=sizes,
        engines=engines,
        terms=terms,
        rounds=rounds,
        time_limit=time_limit,
        budget=options.budget,
        again=again,
    )
