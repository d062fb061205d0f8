"""Read Parquet tables with pyarrow."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from isthmus.files import limits
from isthmus.files.columns import check_unique_columns
from isthmus.files.errors import DocumentFileError

__all__ = ["ParquetTable", "import_pyarrow"]

# A batch is in memory as a whole, so it has fewer rows if they are long.
BATCH_ROWS = 2048
BATCH_BYTES = 4 * 1024**2
# Nested values may need much more memory than the file states.
BATCH_ROWS_OF_NESTED = 16


def import_pyarrow(name: str) -> Any:
    """Import pyarrow with its Parquet module, or raise an error that says how to install it."""
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
        with self._open() as table:  # only the footer is read
            schema, n_rows = table.schema_arrow, table.metadata.num_rows
        names = schema.names
        # Texts are read as indexes into their dictionary: a small file may repeat a long text in
        # every row.
        self._text_columns = [
            field.name for field in schema if _is_text(field.type, self._arrow.types)
        ]
        check_unique_columns(names, self.name)
        if n_rows == 0:
            raise DocumentFileError(f"The file {self.name} has no rows: name one with documents.")
        self.columns = tuple(names)

    def records(self) -> Generator[tuple[str, dict[str, Any]]]:
        """Read the rows; every call starts from the beginning."""
        number = 0
        with self._open(read_dictionary=self._text_columns) as table:
            batches = table.iter_batches(batch_size=_batch_size(table, self._arrow.types))
            while True:
                try:
                    batch = next(batches, None)
                except (OSError, UnicodeError, self._arrow.ArrowException) as error:
                    raise self._damaged(f" after row {number}", error) from error
                if batch is None:
                    return
                for values in self._rows_of(batch, number):
                    number += 1
                    yield f"row {number}", values

    def _rows_of(self, batch: Any, number: int) -> Iterator[dict[str, Any]]:
        try:
            columns = [self._cells(column) for column in batch.columns]
        except (OSError, UnicodeError, self._arrow.ArrowException) as error:
            raise self._damaged(f" after row {number}", error) from error
        for place, cells in enumerate(zip(*columns, strict=True), number + 1):
            for column, value in zip(self.columns, cells, strict=True):
                if isinstance(value, str | bytes) and len(value) > limits.MAX_CHARACTERS:
                    raise DocumentFileError(
                        f"Row {place} of {self.name} has more than {limits.MAX_CHARACTERS} "
                        f"characters in '{column}': no document is that long, remove it."
                    )
            yield dict(zip(self.columns, cells, strict=True))

    def _cells(self, column: Any) -> list[Any]:
        if not isinstance(column, self._arrow.DictionaryArray):
            return list(column.to_pylist())
        indices = column.indices.to_pylist()
        used = sorted({index for index in indices if index is not None})
        texts = column.dictionary.take(self._arrow.array(used, self._arrow.int64())).to_pylist()
        by_index = dict(zip(used, texts, strict=True))
        return [by_index.get(index) for index in indices]

    def _open(self, **options: Any) -> Any:
        try:
            return self._arrow.parquet.ParquetFile(self._path, **options)
        except (OSError, self._arrow.ArrowException) as error:
            raise self._damaged("", error) from error

    def _damaged(self, where: str, error: Exception) -> DocumentFileError:
        reason = " ".join(str(error).split()).rstrip(".")
        return DocumentFileError(
            f"The file {self.name} cannot be read as Parquet{where} ({reason}): copy it again."
        )


def _is_text(kind: Any, types: Any) -> bool:
    checks = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(check(kind) for check in checks)


def _batch_size(table: Any, types: Any) -> int:
    """Return the number of rows of a batch."""
    metadata = table.metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    longest = max((g.total_byte_size // max(g.num_rows, 1) for g in groups), default=0)
    nested = any(types.is_nested(field.type) for field in table.schema_arrow)
    most = BATCH_ROWS_OF_NESTED if nested else BATCH_ROWS
    return max(1, min(most, BATCH_BYTES // max(longest, 1)))
