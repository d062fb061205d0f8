"""The table of fits to more and more documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from isthmus.estimators.registry import find_method
from isthmus_bench.report.blocks import table
from isthmus_bench.speed.gpu.lines import Line

__all__ = ["crossover_section"]

_TITLES = ("method", "documents", "non-zeros", "CPU, s", "GPU, s", "times as fast")


def crossover_section(lines: Sequence[Line]) -> list[str]:
    """The table and where the GPU begins to be faster, or nothing without results."""
    found: dict[str, dict[int, dict[str, Line]]] = {}
    for line in lines:
        if line["part"] == "crossover" and "error" not in line:
            sizes = found.setdefault(line["method"], {})
            sizes.setdefault(line["documents"], {})[line["engine"]] = line
    rows, sentences = [], []
    for method, sizes in found.items():
        pairs = {size: pair for size, pair in sorted(sizes.items()) if len(pair) == 2}
        name = find_method(method).short
        rows += [_row(name, size, pair) for size, pair in pairs.items()]
        if pairs:
            sentences.append(_sentence(name, pairs))
    if not rows:
        return []
    note = "Medians of three warm fits; the documents are those of the whole fits."
    return ["## From how many documents on", table(_TITLES, rows), " ".join([note, *sentences])]


def _row(name: str, size: int, pair: Mapping[str, Line]) -> tuple[str, ...]:
    cpu, gpu = median(pair["cpu"]["seconds"]), median(pair["gpu"]["seconds"])
    nonzeros = f"{pair['gpu']['nonzeros']:,}"
    return name, f"{size:,}", nonzeros, f"{cpu:.3f}", f"{gpu:.3f}", f"{cpu / gpu:.2f}"


def _sentence(name: str, pairs: Mapping[int, Mapping[str, Line]]) -> str:
    """The smallest size such that the GPU is faster there and at all larger sizes."""
    first = None
    for size, pair in sorted(pairs.items(), reverse=True):
        if median(pair["gpu"]["seconds"]) >= median(pair["cpu"]["seconds"]):
            break
        first = size
    if first is None:
        return f"{name} is not faster on the GPU at these sizes."
    nonzeros = pairs[first]["gpu"]["nonzeros"]
    return f"{name} is faster on the GPU from {first:,} documents ({nonzeros:,} non-zeros) on."
