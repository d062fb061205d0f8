"""The page of the results: Markdown from the lines that were measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from isthmus_bench.report.blocks import table
from isthmus_bench.speed.gpu.crossover_table import crossover_section
from isthmus_bench.speed.gpu.fit_tables import fit_sections
from isthmus_bench.speed.gpu.lines import Line
from isthmus_bench.speed.gpu.pass_table import pass_section
from isthmus_bench.speed.gpu.profile_table import profile_section

__all__ = ["gpu_page"]

_COMMANDS = """```sh
isthmus-bench speed --engine gpu --only passes
isthmus-bench speed --engine gpu --only fits,crossover,profile --folder /tmp/documents
isthmus-bench speed --engine gpu --only report --output benchmarks/speed/gpu.md    # needs no GPU
```"""


def gpu_page(lines: Mapping[str, Line]) -> str:
    """The page of all results."""
    stored = list(lines.values())
    sections = [
        *pass_section(stored), *fit_sections(stored), *crossover_section(stored),
        *profile_section(stored),
    ]  # fmt: skip
    if not sections:
        raise ValueError(
            "There are no results of the GPU: first use 'isthmus-bench speed --engine gpu' on a "
            "machine with a GPU."
        )
    parts = [
        "# Speed on a GPU",
        "Written by `isthmus-bench speed --engine gpu --only report`; do not edit by hand. "
        "These commands measure it on your machine. Every result is stored at once: stop with "
        "Ctrl-C, or set `--budget`, and continue with the same command.",
        _COMMANDS,
        *_machine(stored),
        *sections,
        *_failures(stored),
    ]
    return "\n\n".join(parts) + "\n"


def _machine(lines: Iterable[Line]) -> list[str]:
    blocks = []
    for line in lines:
        if line["part"] == "machine":
            device, versions = line["device"], {**line["versions"]}
            versions["CuPy"] = device["cupy"]
            rows = [
                ("GPU", f"{device['name']}, {device['memory_bytes'] / 2**30:.0f} GiB"),
                ("CUDA", f"runtime {_cuda(device['cuda'])}, driver {_cuda(device['driver'])}"),
                ("CPU", f"{line['processor']}, {line['cores']} cores, {line['threads']} threads"),
                ("versions", ", ".join(f"{name} {number}" for name, number in versions.items())),
                ("date", line["date"]),
            ]
            if "remark" in line:
                rows.append(("remark", line["remark"]))
            blocks.append(table(("", "machine"), rows))
    return blocks


def _cuda(number: Any) -> str:
    """13000 is version 13.0."""
    return f"{int(number) // 1000}.{int(number) % 1000 // 10}"


def _failures(lines: Iterable[Line]) -> list[str]:
    failures = [
        f"- {line['method']}, {line['documents']:,} documents, {line['dtype']}, "
        f"{line['engine']}: {line['error']}"
        for line in lines
        if "error" in line and "time_limit" not in line
    ]
    return ["## Failures", "\n".join(failures)] if failures else []
