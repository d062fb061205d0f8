"""Futures of the blocks of a matrix, and how they are made again after a worker was lost."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from isthmus.matrices.dask.block_tasks import BlockFacts, as_block, facts_of, with_own_memory
from isthmus.matrices.dask.cluster import lost_workers, results_of, wait_for
from isthmus.matrices.dask.expression import Home
from isthmus.matrices.engines import EngineError

# Runs of consecutive blocks on one worker, and the number above which blocks are moved.
_RUNS, _MANY_RUNS = 4, 8


class BlockSource(ABC):
    """Makes the futures of all blocks of a matrix."""

    generation = 0
    """Increases when blocks were made again."""

    @abstractmethod
    def futures(self) -> list[Any]:
        """The future of every block."""

    @abstractmethod
    def restore(self) -> None:
        """Make lost blocks again, and find out where the blocks are now."""


def spread_places(n_blocks: int, workers: Sequence[str]) -> list[str]:
    """A worker for every block: runs of consecutive blocks in turn.

    With a single run per worker, the rows of one domain would be on few workers, and the others
    would wait. A run is a subtree of the order of sums, so that a worker sends one sum per run.
    """
    n_runs = len(workers) * max(1, min(_RUNS, n_blocks // len(workers)))
    length = 1 << max(0, (n_blocks // n_runs).bit_length() - 1)
    return [workers[number // length % len(workers)] for number in range(n_blocks)]


class ClientBlocks(BlockSource):
    """Blocks of the client, which keeps them and sends them again if they are lost."""

    def __init__(self, client: Any, blocks: Sequence[Any]) -> None:
        self._client, self._blocks = client, list(blocks)
        self.homes = [Home() for _ in self._blocks]
        self._futures: list[Any] = [None] * len(self._blocks)
        self._send(range(len(self._blocks)))

    def futures(self) -> list[Any]:
        return self._futures

    def _send(self, numbers: Sequence[int] | range) -> None:
        """Send blocks to the workers."""
        with lost_workers(self._client):
            workers = sorted(self._client.nthreads())
            if not workers:
                raise EngineError("The Dask cluster has no workers: start some first.")
            plan = spread_places(len(numbers), workers)
            for worker in workers:
                chosen = [n for n, place in zip(numbers, plan, strict=True) if place == worker]
                if not chosen:
                    continue
                sent = self._client.scatter(
                    [self._blocks[number] for number in chosen], workers=[worker], hash=False
                )
                token = uuid.uuid4().hex[:8]
                for number, future in zip(chosen, sent, strict=True):
                    self._futures[number] = self._client.submit(
                        with_own_memory,
                        future,
                        pure=False,
                        key=f"isthmus-block-{token}-{number}",
                        workers=[worker],
                        allow_other_workers=True,
                    )
                    self.homes[number].worker = worker
            # The scheduler does not know of a block that is still being copied.
            wait_for(self._client, self._futures)

    def restore(self) -> None:
        with lost_workers(self._client):
            found = self._client.who_has([f for f in self._futures if f.status == "finished"])
        lost = []
        for number, future in enumerate(self._futures):
            holders = found.get(future.key) or ()
            if not holders:
                lost.append(number)
            elif self.homes[number].worker not in holders:
                self.homes[number].worker = sorted(holders)[0]
        self.generation += 1
        if lost:
            self._send(lost)


class TaskBlocks(BlockSource):
    """Blocks that tasks of the caller make, so that Dask makes lost ones again itself."""

    def __init__(self, client: Any, blocks: Sequence[Any]) -> None:
        self._client = client
        self._given = _as_futures(client, blocks)
        self.homes = [Home() for _ in self._given]
        self._futures = self._given

    def facts(self) -> list[BlockFacts]:
        """Check the blocks on their workers."""
        token = uuid.uuid4().hex[:8]
        with lost_workers(self._client):
            tasks = [
                self._client.submit(facts_of, block, key=f"isthmus-check-{token}-{i}", pure=False)
                for i, block in enumerate(self._given)
            ]
            return results_of(self._client, tasks)

    def without_empty(self, facts: Sequence[BlockFacts]) -> list[BlockFacts]:
        """Leave out blocks without rows, unless all are."""
        filled = [i for i, fact in enumerate(facts) if fact.shape[0]] or [0]
        self._given = [self._given[i] for i in filled]
        self._futures, self.homes = self._given, [Home() for _ in filled]
        return [facts[i] for i in filled]

    def convert(self, facts: Sequence[BlockFacts], dtype: Any) -> None:
        """Make canonical CSR matrices of one type, and bring neighbors together.

        Blocks that are as they should be are not copied.
        """
        token, futures = uuid.uuid4().hex[:8], []
        self._locate()
        plan = self._plan(len(facts))
        for i, (block, fact) in enumerate(zip(self._given, facts, strict=True)):
            if fact.is_ready and fact.dtype == dtype and plan[i] == self.homes[i].worker:
                futures.append(block)
                continue
            where: dict[str, Any] = {}
            if plan[i] is not None:
                where = {"workers": [plan[i]], "allow_other_workers": True}
            key = f"isthmus-block-{token}-{i}"
            futures.append(
                self._client.submit(as_block, block, dtype, key=key, pure=False, **where)
            )
        self._futures = futures
        # Blocks that were copied need not stay on their first worker.
        self._given = []
        self._locate()

    def _plan(self, n_blocks: int) -> list[str | None]:
        """The worker of every block: where it is, unless neighbors are on too many workers."""
        places = [home.worker for home in self.homes]
        n_runs = 1 + sum(left != right for left, right in pairwise(places))
        known = sorted({place for place in places if place is not None})
        if n_runs <= _MANY_RUNS * len(known):
            return places
        with lost_workers(self._client):
            workers = sorted(self._client.nthreads())
        return list(spread_places(n_blocks, workers))

    def futures(self) -> list[Any]:
        return self._futures

    def _locate(self) -> None:
        with lost_workers(self._client):
            wait_for(self._client, self._futures)
            found = self._client.who_has(self._futures)
        for home, future in zip(self.homes, self._futures, strict=True):
            holders = sorted(found.get(future.key) or ())
            if home.worker not in holders:
                home.worker = holders[0] if holders else None

    def restore(self) -> None:
        if any(future.status in ("cancelled", "lost") for future in self._futures):
            if not self._client.nthreads():
                raise EngineError(
                    "The Dask cluster has no workers any more: start some and fit again."
                )
            raise EngineError(
                "A block of the distributed matrix was lost with its worker and cannot be "
                "computed again: make the blocks by tasks (dask.delayed or client.submit), not by "
                "client.scatter."
            )
        self.generation += 1
        self._locate()


class DerivedBlocks(BlockSource):
    """Blocks that are computed from blocks of other matrices, when they are needed."""

    def __init__(
        self,
        client: Any,
        sources: Sequence[BlockSource],
        homes: Sequence[Home],
        make: Sequence[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]] | int],
        name: str,
    ) -> None:
        """``make`` has a function, more arguments and block numbers, or a block to be shared."""
        self._client, self._sources, self.homes = client, list(sources), list(homes)
        self._make, self._name = list(make), name
        self._futures: list[Any] | None = None
        self._made_for: list[int] = []

    def futures(self) -> list[Any]:
        inputs = [source.futures() for source in self._sources]
        generations = [source.generation for source in self._sources]
        if self._futures is None or self._made_for != generations:
            if self._futures is not None:
                self.generation += 1
            self._made_for = generations
            self._futures = self._submit(inputs)
        return self._futures

    def _submit(self, inputs: Sequence[Sequence[Any]]) -> list[Any]:
        token = uuid.uuid4().hex[:8]
        futures = []
        with lost_workers(self._client):
            for number, (entry, home) in enumerate(zip(self._make, self.homes, strict=True)):
                if isinstance(entry, int):
                    futures.append(inputs[0][entry])
                    continue
                function, arguments, blocks = entry
                where: dict[str, Any] = {}
                if home.worker is not None:
                    where = {"workers": [home.worker], "allow_other_workers": True}
                values = [part[block] for part, block in zip(inputs, blocks, strict=True)]
                futures.append(
                    self._client.submit(
                        function,
                        *values,
                        *arguments,
                        pure=False,
                        key=f"isthmus-{self._name}-{token}-{number}",
                        **where,
                    )
                )
        return futures

    def restore(self) -> None:
        for source in self._sources:
            source.restore()
        self.generation += 1
        self._futures = None


def _as_futures(client: Any, blocks: Sequence[Any]) -> list[Any]:
    """Futures of futures and of delayed objects."""
    from dask.base import is_dask_collection

    delayed = [block for block in blocks if is_dask_collection(block)]
    computed = iter(client.compute(delayed) if delayed else [])
    return [next(computed) if is_dask_collection(block) else block for block in blocks]
