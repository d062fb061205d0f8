"""A Dask cluster for quick tests: tasks run at once, in this process.

It has what the engine asks of a client, and remembers which worker has which result, how much the
client sent and how much it gathered.
"""

from __future__ import annotations

import itertools
from typing import Any

import isthmus
from isthmus.matrices.dask import blocks, cluster


class FakeFuture:
    """A result, or an error, under its key."""

    def __init__(self, key: str, value: Any) -> None:
        self.key, self.value = key, value
        self.status = "finished"


class FakeClient:
    """Workers that compute when a task is submitted."""

    status = "running"
    dashboard_link = ""
    version = isthmus.__version__

    def __init__(self, n_workers: int = 2) -> None:
        self.id = f"fake-{id(self)}"
        self.workers = [f"tcp://worker-{number}" for number in range(n_workers)]
        self.holders: dict[str, str] = {}
        self.stages: list[str] = []
        self.gathered: list[Any] = []
        self._numbers = itertools.count()
        self.scheduler_comm = self
        self.comm = self

    def closed(self) -> bool:
        return self.status != "running"

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.workers, 1)

    def run(self, function: Any, **_: Any) -> dict[str, Any]:
        return dict.fromkeys(self.workers, self.version)

    def submit(
        self,
        function: Any,
        *arguments: Any,
        key: str,
        pure: bool = True,
        workers: list[str] | None = None,
        allow_other_workers: bool = False,
    ) -> FakeFuture:
        self.stages.append(key)
        self.holders[key] = (workers or self.workers)[0]
        return FakeFuture(key, function(*(_value(argument) for argument in arguments)))

    def scatter(
        self,
        data: Any,
        workers: list[str] | None = None,
        broadcast: bool = False,
        hash: bool = True,
    ) -> Any:
        if isinstance(data, list):
            return [self.scatter(item, workers) for item in data]
        key = f"data-{next(self._numbers)}"
        self.holders[key] = (workers or self.workers)[0]
        return FakeFuture(key, data)

    def gather(self, futures: list[FakeFuture]) -> list[Any]:
        self.gathered += [future.value for future in futures]
        return [future.value for future in futures]

    def who_has(self, futures: list[FakeFuture]) -> dict[str, list[str]]:
        return {future.key: [self.holders[future.key]] for future in futures}


def _value(argument: Any) -> Any:
    if isinstance(argument, FakeFuture):
        return argument.value
    if isinstance(argument, list):
        return [_value(item) for item in argument]
    return argument


def install(monkeypatch: Any) -> None:
    """Do not wait for results: they are there already."""
    for module in (cluster, blocks):
        monkeypatch.setattr(module, "wait_for", lambda client, futures: None)
