"""The tables of whole fits: fifty iterations of MTrick, and every method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isthmus.estimators.registry import METHODS
from isthmus_bench.report.blocks import table
from isthmus_bench.speed.gpu.lines import Line

__all__ = ["fit_sections", "ratio", "seconds_cell"]

_FIT_NOTE = (
    "Generated documents of two classes and two domains, half source, half target, log-tfidf "
    "weights. Seconds of a whole fit from a SciPy CSR matrix in the memory of the CPU to labels "
    "there, every fit in a process of its own, after a small fit that loads and compiles "
    "everything. CPU and GPU have the same matrix. *Labels equal* compares the labels of the "
    "target on the two engines (for PLSA, the main topics of 20,000 documents); *objective* is the "
    "relative difference of its last value; *repeatable* tells whether two fits on the GPU gave "
    "the same labels. `>` is a fit that was stopped at its time limit."
)
_FIFTY_NOTE = (
    "`MTrick(max_iter=50, tol=0)`. *Cached*: the first fit of a process, with compiled kernels on "
    "disk; *cold*: without them, which happens once on a machine. Both include the import of CuPy "
    "and the start of the device."
)


def fit_sections(lines: Sequence[Line]) -> list[str]:
    """The tables that have results."""
    fits = [line for line in lines if line["part"] == "fits"]
    agreements = [line for line in lines if line["part"] == "agreement"]
    fifty = [line for line in fits if line["parameters"]]
    sections = ["## MTrick with 50 iterations", _fifty_table(fifty), _FIFTY_NOTE] if fifty else []
    plain = [line for line in fits if not line["parameters"]]
    if plain:
        sections += ["## Whole fits", _FIT_NOTE]
    kinds = sorted({(line["dtype"], line["documents"]) for line in plain})
    for dtype, documents in kinds:
        rows = _method_rows(plain, agreements, dtype, documents)
        sections += [f"### {documents:,} documents, {dtype}", table(_TITLES, rows)]
    return sections


def _fifty_table(fits: Sequence[Line]) -> str:
    titles = ("documents", "non-zeros", "CPU, s", "GPU, s", "GPU again, s", "times as fast",
              "GPU cached, s", "GPU cold, s")  # fmt: skip
    rows = []
    for documents in sorted({line["documents"] for line in fits}):
        found = {(x["engine"], x["start"]): x for x in fits if x["documents"] == documents}
        cpu, gpu = found.get(("cpu", "warm")), found.get(("gpu", "warm"))
        starts = [seconds_cell(found.get(("gpu", start))) for start in ("cached", "cold")]
        rows.append((
            f"{documents:,}", _nonzeros(cpu, gpu), seconds_cell(cpu), seconds_cell(gpu),
            seconds_cell(gpu, 1), ratio(cpu, gpu), *starts,
        ))  # fmt: skip
    return table(titles, rows)


_TITLES = ("method", "CPU, s", "GPU, s", "times as fast", "labels equal", "objective",
           "repeatable", "iterations", "accuracy")  # fmt: skip


def _method_rows(
    fits: Sequence[Line], agreements: Sequence[Line], dtype: str, documents: int
) -> list[tuple[str, ...]]:
    def matching(lines: Sequence[Line], method: str, **others: Any) -> Line | None:
        fields = {"method": method, "dtype": dtype, "documents": documents, **others}
        return next((x for x in lines if fields.items() <= x.items() and not x["parameters"]), None)

    rows: list[tuple[str, ...]] = []
    for method in METHODS.values():
        cpu = matching(fits, method.name, engine="cpu")
        gpu = matching(fits, method.name, engine="gpu")
        if cpu is None and gpu is None:
            continue
        agreement = matching(agreements, method.name)
        rows.append((
            method.short, seconds_cell(cpu), seconds_cell(gpu), ratio(cpu, gpu),
            "-" if agreement is None else f"{100 * agreement['agreement']:.3f} %",
            _objective_difference(cpu, gpu), _repeatable(gpu), _iterations(cpu, gpu),
            _accuracy(gpu or cpu),
        ))  # fmt: skip
    return rows


def seconds_cell(line: Line | None, number: int = 0) -> str:
    """The seconds of a fit, or why there are none."""
    if line is None:
        return "-"
    if "error" in line:
        return f"> {line['time_limit']:g}" if "time_limit" in line else "failed"
    return f"{line['seconds'][number]:.3g}" if number < len(line["seconds"]) else "-"


def ratio(cpu: Line | None, gpu: Line | None) -> str:
    """How many times as fast the GPU is; a lower bound if the CPU was stopped."""
    if cpu is None or gpu is None or "error" in gpu:
        return "-"
    if "error" in cpu:
        limit = cpu.get("time_limit")
        return "-" if limit is None else f"> {limit / gpu['seconds'][0]:.1f}"
    return f"{cpu['seconds'][0] / gpu['seconds'][0]:.1f}"


def _nonzeros(*lines: Line | None) -> str:
    return next((f"{x['nonzeros']:,}" for x in lines if x is not None and "nonzeros" in x), "-")


def _objective_difference(cpu: Line | None, gpu: Line | None) -> str:
    values = [x["objective"] for x in (cpu, gpu) if x is not None and "objective" in x]
    if len(values) < 2:
        return "-"
    largest = max(abs(value) for value in values)
    return f"{abs(values[0] - values[1]) / largest:.0e}" if largest else "0"


def _repeatable(gpu: Line | None) -> str:
    digests = (gpu or {}).get("digests", ())
    return "-" if len(digests) < 2 else "yes" if len({*digests}) == 1 else "NO"


def _iterations(cpu: Line | None, gpu: Line | None) -> str:
    counts = [str(x["iterations"]) for x in (cpu, gpu) if x is not None and "iterations" in x]
    return " / ".join(dict.fromkeys(counts)) or "-"


def _accuracy(line: Line | None) -> str:
    return "-" if line is None or "accuracy" not in line else f"{100 * line['accuracy']:.1f} %"
