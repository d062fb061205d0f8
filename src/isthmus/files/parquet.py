"""Parquet tables, in and out, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from isthmus.files.errors import DocumentFileError

__all__ = ["ParquetTable", "import_pyarrow"]

BATCH_ROWS = 256


def import_pyarrow(name: str) -> Any:
    """Import pyarrow with its Parquet part, or say how to get it."""
    try:
        pyarrow: Any = import_module("pyarrow")
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise DocumentFileError(
            f"The Parquet file {name} needs pyarrow: pip install 'isthmus[parquet]'."
        ) from error
    return pyarrow


class ParquetTable:
    """A Parquet file, read in small batches of rows."""

    format = "parquet"

    def __init__(self, path: Path) -> None:
        self.name = f"'{path}'"
        self._path = path
        self._arrow = import_pyarrow(self.name)
        with self._open() as table:
            names = table.schema_arrow.names
            rows = table.metadata.num_rows
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            first = names.index(repeated)
            second = names.index(repeated, first + 1)
            raise DocumentFileError(
                f"Columns {first + 1} and {second + 1} of {self.name} are both called "
                f"'{repeated}': rename one of them."
            )
        if rows == 0:
            raise DocumentFileError(f"The file {self.name} has no rows: name one with documents.")
        self.columns = tuple(names)

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Read the rows; every call starts anew."""
        number = 0
        with self._open() as table:
            batches = table.iter_batches(batch_size=BATCH_ROWS)
            while True:
                try:
                    batch = next(batches, None)
                    rows = [] if batch is None else batch.to_pylist()
                except (OSError, UnicodeError, self._arrow.ArrowException) as error:
                    raise self._damaged(f" after row {number}", error) from error
                if batch is None:
                    return
                for values in rows:
                    number += 1
                    yield f"row {number}", values

    def _open(self) -> Any:
        try:
            return self._arrow.parquet.ParquetFile(self._path)
        except (OSError, self._arrow.ArrowException) as error:
            raise self._damaged("", error) from error

    def _damaged(self, where: str, error: Exception) -> DocumentFileError:
        reason = " ".join(str(error).split()).rstrip(".")
        return DocumentFileError(
            f"The file {self.name} cannot be read as Parquet{where} ({reason}): copy or make it "
            "again."
        )
