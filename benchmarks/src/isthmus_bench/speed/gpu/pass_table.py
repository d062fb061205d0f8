"""The table of single passes."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus_bench.report.blocks import table
from isthmus_bench.speed.gpu.lines import Line

__all__ = ["pass_section"]

# Milliseconds of the first kernels that were tried, on an H200, by documents, pass and columns.
_FIRST_KERNEL = {
    (1_000_000, "row pass"): {2: 0.38, 4: 0.44, 16: 1.55},
    (1_000_000, "X'G"): {2: 0.51, 4: 0.54, 16: 1.39},
    (5_000_000, "row pass"): {2: 2.4},
    (5_000_000, "X'G"): {2: 3.2},
}
_FIRST_DEVICE = "H200"
_NOTE = (
    "float32. The row pass multiplies every document with c columns and updates its class "
    "memberships. X'G multiplies all documents with their memberships, from the column-ordered "
    "copy. Ten calls follow each other between two events on the device; the median and the least "
    "of all rounds are shown. The share is that of a copy's bandwidth, bytes read and written, "
    "with 8 bytes counted per non-zero; the device stores 6 if there are at most 65,536 terms."
)


def pass_section(lines: Sequence[Line]) -> list[str]:
    """The table, or nothing without results."""
    passes = [line for line in lines if line["part"] == "passes" and line["name"] != "copy"]
    copies = [line for line in lines if line["part"] == "passes" and line["name"] == "copy"]
    if not passes:
        return []
    is_same_device = any(
        _FIRST_DEVICE in line["device"]["name"] for line in lines if line["part"] == "machine"
    )
    titles = ["documents", "non-zeros", "pass", "c", "ms", "least ms", "of a copy"]
    titles += ["first kernel, ms", "times as fast"] if is_same_device else []
    rows = [
        _row(line, is_same_device)
        for line in sorted(passes, key=lambda line: (line["documents"], line["name"] == "X'G"))
    ]
    rates = ", ".join(f"{line['bytes'] / line['seconds'] / 1e9:,.0f}" for line in copies)
    return [
        "## Single passes",
        f"Bandwidth of a copy on the device: {rates} GB/s (one number per run).",
        table(titles, rows),
        _NOTE,
    ]


def _row(line: Line, with_first_kernel: bool) -> tuple[str, ...]:
    milliseconds = 1e3 * line["seconds"]
    share = line["bytes"] / line["seconds"] / line["copy_rate"]
    row = (
        f"{line['documents']:,}", f"{line['nonzeros']:,}", line["name"], str(line["width"]),
        f"{milliseconds:.3f}", f"{1e3 * line['least']:.3f}", f"{share:.0%}",
    )  # fmt: skip
    if not with_first_kernel:
        return row
    first = _FIRST_KERNEL.get((line["documents"], line["name"]), {}).get(line["width"])
    if first is None:
        return (*row, "", "")
    return (*row, f"{first:.2f}", f"{first / milliseconds:.1f}")
