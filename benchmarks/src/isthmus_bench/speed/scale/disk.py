"""The whole command on texts whose counts are kept on the disk."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from isthmus_bench.speed.corpus import draw_texts
from isthmus_bench.speed.scale.process_tree import CommandRun, run_watched

__all__ = ["measure_disk"]

_SOURCE_FRACTION = 0.2
_N_PARTS = 20
# As on a machine with 8 GB.
_MAX_MEMORY = "1 GB"
_WORDS = 130

Rows = Iterator[tuple[str, str, str]]


def measure_disk(
    n_documents: int, n_compared: int, n_terms: int, on_progress: Callable[[str], None]
) -> Rows:
    """Yield rows of a table: what was measured, seconds, anonymous memory.

    ``n_compared`` documents are labeled both ways, and their labels are compared.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        on_progress(f"writing {n_compared:,} documents")
        few = _write_corpus(folder / "few", n_compared, n_terms)
        outputs: list[bytes] = []
        _classify(few, folder / "first.csv")  # compiles the loops
        for where, limit in (("in memory", "100 GB"), ("on the disk", "10 MB")):
            on_progress(f"isthmus classify, {n_compared:,} documents, counts {where}")
            output = folder / f"labels-{len(outputs)}.csv"
            run = _classify(few, output, "--max-memory", limit)
            yield f"{n_compared:,} documents, counts {where}", *_cost(run)
            outputs.append(output.read_bytes())
        same = "identical" if outputs[0] == outputs[1] else "DIFFERENT"
        yield f"{n_compared:,} documents: the two files of predictions are {same}", "", ""
        on_progress(f"writing {n_documents:,} documents")
        many = _write_corpus(folder / "many", n_documents, n_terms)
        size = sum(path.stat().st_size for path in many.rglob("*.csv"))
        on_progress(f"isthmus classify, {n_documents:,} documents")
        run = _classify(many, folder / "labels.csv", "--max-memory", _MAX_MEMORY)
        yield f"{n_documents:,} documents, {size / 1e9:.1f} GB of text", *_cost(run)
        for stage, seconds in json.loads(run.output)["timings"].items():
            yield f"- {stage}", f"{seconds:.1f}", ""


def _classify(corpus: Path, output: Path, *options: str) -> CommandRun:
    return run_watched(
        [
            *(sys.executable, "-m", "isthmus", "classify", "--json", "--method", "mtrick"),
            *("--source", str(corpus / "source"), "--target", str(corpus / "target")),
            *("--output", str(output), "--force", *options),
        ]
    )


def _cost(run: CommandRun) -> tuple[str, str]:
    return f"{run.seconds:.1f}", f"{run.peak / 2**30:.2f}"


def _write_corpus(folder: Path, n_documents: int, n_terms: int) -> Path:
    """Write a source and a target, each as a folder of CSV files."""
    n_source = int(_SOURCE_FRACTION * n_documents)
    with ExitStack() as stack:
        files: dict[str, list[Any]] = {}
        for domain in ("source", "target"):
            (folder / domain).mkdir(parents=True)
            files[domain] = [
                stack.enter_context(open(folder / domain / f"part-{i:03}.csv", "w"))
                for i in range(_N_PARTS)
            ]
            for file in files[domain]:
                file.write("text,label\n" if domain == "source" else "id,text\n")
        row = 0
        for texts, labels in draw_texts(n_documents, n_terms, _WORDS):
            for text, label in zip(texts, labels, strict=True):
                if row < n_source:
                    part = files["source"][row * _N_PARTS // n_source]
                    part.write(f"{text},{label}\n")
                else:
                    place = (row - n_source) * _N_PARTS // (n_documents - n_source)
                    files["target"][place].write(f"{row},{text}\n")
                row += 1
    return folder
