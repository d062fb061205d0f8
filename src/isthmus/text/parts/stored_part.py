"""A part in files, whose arrays are read through the memory of the operating system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.text.parts.term_part import TermPart

__all__ = ["CsrArrays", "StoredPart", "part_bytes", "store_part"]

_ARRAYS = ("indices", "data", "indptr")


class CsrArrays(NamedTuple):
    """The arrays of a CSR matrix; SciPy would copy pointers that are longer than the columns."""

    data: NDArray[Any]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    shape: tuple[int, int]


@dataclass(frozen=True)
class StoredPart:
    """A matrix of counts in three files; another process can read it."""

    prefix: Path
    """The files have this path and a suffix."""
    shape: tuple[int, int]
    data_type: str

    def open(self) -> CsrArrays:
        """Return the counts; their arrays are mapped to the files."""
        indices, data, indptr = (self._map(name) for name in _ARRAYS)
        return CsrArrays(data, indices, indptr, self.shape)

    def remove(self) -> None:
        """Delete the files."""
        for name in _ARRAYS:
            self._path(name).unlink(missing_ok=True)

    def _map(self, name: str) -> NDArray[Any]:
        path = self._path(name)
        dtype = {"indices": "int32", "data": self.data_type, "indptr": "int64"}[name]
        if path.stat().st_size == 0:
            return np.empty(0, dtype)
        return np.asarray(np.memmap(path, dtype, "r"))

    def _path(self, name: str) -> Path:
        return self.prefix.with_suffix(f".{name}")


def part_bytes(part: TermPart) -> int:
    """Return about the number of bytes that a part needs on the disk."""
    n_entries = int(part.counts.indptr[-1])
    return n_entries * (4 + np.dtype(_data_type(part)).itemsize) + 8 * part.n_documents


def store_part(part: TermPart, prefix: Path) -> StoredPart:
    """Write the counts of a part to files."""
    stored = StoredPart(prefix, part.counts.shape, _data_type(part))
    part.counts.indices.astype(np.int32, copy=False).tofile(stored._path("indices"))
    part.counts.data.astype(stored.data_type, copy=False).tofile(stored._path("data"))
    part.counts.indptr.astype(np.int64, copy=False).tofile(stored._path("indptr"))
    return stored


def _data_type(part: TermPart) -> str:
    """Return the smallest type for the counts: nearly all of them are below 256."""
    largest = int(part.counts.data.max(initial=0))
    return str(np.min_scalar_type(largest)) if largest < 2**31 else "int32"
