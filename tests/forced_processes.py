"""Several processes for files of any size."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

_MAPS = (
    "isthmus.text.parts.counting.map_in_processes",
    "isthmus.cli.parallel_labels.map_in_processes",
    "isthmus.cli.output_parts.map_in_processes",
)


def force_processes(monkeypatch: pytest.MonkeyPatch, shard_bytes: int = 4000) -> None:
    """Read files of any size in small pieces by two processes."""
    for module in ("isthmus.transfer.words", "isthmus.cli.parallel_labels"):
        monkeypatch.setattr(f"{module}._MANY_BYTES", 1)
        monkeypatch.setattr(f"{module}.thread_limit", lambda: 2)
    monkeypatch.setattr("isthmus.matrices.processes.thread_limit", lambda: 2)
    monkeypatch.setattr("isthmus.transfer.words.shard_bytes", lambda n_lengths: shard_bytes)
    monkeypatch.setattr("isthmus.cli.parallel_labels._SHARD_BYTES", shard_bytes)


def map_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Do the work of other processes in this one; functions, items, results and errors are pickled.

    Returns the names of the functions that are called.
    """
    called: list[str] = []

    def map_pickled(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        sent = pickle.dumps(function)
        for item in items:
            called.append(type(function).__name__.strip("_"))
            try:
                result = pickle.loads(sent)(pickle.loads(pickle.dumps(item)))
            except BaseException as error:
                raise pickle.loads(pickle.dumps(error)) from None
            yield pickle.loads(pickle.dumps(result))

    for name in _MAPS:
        monkeypatch.setattr(name, map_pickled)
    return called
