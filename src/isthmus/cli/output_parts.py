"""Write predictions as a folder of Parquet files, which several processes write."""

from __future__ import annotations

import os
import secrets
import shutil
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.cli.output import is_standard_stream
from isthmus.files import open_table_writer
from isthmus.matrices.processes import map_in_processes

if TYPE_CHECKING:
    from isthmus.cli.predictions import PredictionRows
    from isthmus.files import DocumentShard
    from isthmus.transfer.prediction import Prediction

__all__ = ["FIRST_PART", "check_folder", "whole_folder", "write_parts"]

# A folder of parts may be called labels.parquet, as Spark does.
_TABLE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".gz")


def check_folder(path: Path, *, force: bool) -> None:
    """Raise ValueError unless the folder can be written; called before long work."""
    from isthmus.files.parquet import import_pyarrow

    parent = path.resolve().parent
    if path.suffix in _TABLE_SUFFIXES or is_standard_stream(path):
        raise ValueError(
            f"--parts writes a folder, and '{path}' is the name of a file: name a folder with "
            "--output."
        )
    import_pyarrow(f"'{path}'")
    if path.is_symlink():
        raise ValueError(f"'{path}' is a link, and --parts replaces a folder: name its folder.")
    if path.exists() and not path.is_dir():
        raise ValueError(f"'{path}' is a file, and --parts writes a folder: name another.")
    if path.is_dir() and any(path.iterdir()):
        foreign = [name for name in os.listdir(path) if not _is_part(name)]
        if foreign:
            raise ValueError(
                f"The folder '{path}' has other files than parts, such as '{foreign[0]}': name "
                "another."
            )
        if not force:
            raise ValueError(
                f"The folder '{path}' already exists: add --force to overwrite, or name another."
            )
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ValueError(f"The folder '{parent}' cannot be written: name another with --output.")


@contextmanager
def whole_folder(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a new folder, which gets its name only after everything was written.

    The folder is checked again: the work may have taken hours.
    """
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(6)}.part")
    temporary.mkdir(parents=False)
    try:
        yield temporary
        _replace(path, temporary, force=force)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _replace(path: Path, temporary: Path, *, force: bool) -> None:
    check_folder(path, force=force)
    if not path.is_dir():
        os.rename(temporary, path)
        return
    old = temporary.with_suffix(".old")
    os.rename(path, old)
    try:
        os.rename(temporary, path)
    except BaseException:
        os.rename(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write_parts(
    shards: Iterable[tuple[DocumentShard, Prediction, list[Any] | None]],
    maker: PredictionRows,
    folder: Path,
    client: Any = None,
) -> Generator[int]:
    """Write one file per shard; yields the number of rows of every file.

    The files are written by several processes, or by the workers of a client of Dask, which must
    see the folder.
    """
    writer = _PartWriter(maker, folder.resolve())
    numbered = ((number, *shard) for number, shard in enumerate(shards))
    if client is None:
        return map_in_processes(writer, numbered)
    return _on_cluster(writer, numbered, client)


def _on_cluster(writer: _PartWriter, items: Iterable[Any], client: Any) -> Generator[int]:
    """Write the files on the workers; few predictions at a time are sent to them."""
    from isthmus.matrices.dask.cluster import results_in_order, wait_for

    def submit(item: Any) -> Any:
        key = f"isthmus-write-{secrets.token_hex(8)}"
        return client.submit(writer, item, key=key, pure=False)

    remaining = iter(items)
    n_waiting = 2 * max(1, len(client.nthreads()))
    running = deque(submit(item) for item in islice(remaining, n_waiting))
    try:
        while running:
            yield from results_in_order(client, [running[0]])
            running.popleft()
            running.extend(submit(item) for item in islice(remaining, 1))
    finally:
        if running:
            # Tasks that are writing would leave files in a folder that is being removed.
            with suppress(Exception):
                client.cancel([future for future in running if not future.done()])
                wait_for(client, list(running))


@dataclass(frozen=True)
class _PartWriter:
    maker: PredictionRows
    folder: Path

    def __call__(self, item: tuple[int, DocumentShard, Prediction, list[Any] | None]) -> int:
        number, shard, prediction, labels = item
        path = self.folder / _part_name(number)
        records = (values for block in shard.blocks() for values in block.records.rows())
        with open_table_writer(path, self.maker.columns) as writer:
            for row in chain.from_iterable(self.maker.make(records, prediction, labels)):
                writer.write(row)
        return len(prediction)


def _part_name(number: int) -> str:
    return f"part-{number:05}.parquet"


#: The name of the only file of a folder.
FIRST_PART = _part_name(0)


def _is_part(name: str) -> bool:
    return name.startswith("part-") and name.endswith(".parquet")
