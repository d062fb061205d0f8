"""What the workers do with blocks of a matrix: checks, selections of rows, simple results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels.plain_loops import row_block
from isthmus.matrices.rows import (
    canonical,
    is_finite,
    is_signed,
    scaled_to_unit_rows,
)


@dataclass(frozen=True)
class BlockFacts:
    """What the client knows about a block."""

    shape: tuple[int, int]
    dtype: Any
    nnz: int
    is_signed: bool
    is_finite: bool
    is_ready: bool
    """Whether it is a canonical CSR matrix of floats already."""


def facts_of(block: Any) -> BlockFacts:
    """Check a block as the caller gave it."""
    if not hasattr(block, "shape") or len(block.shape) != 2:
        raise ValueError(
            f"A block of a distributed matrix must be a SciPy CSR matrix, got "
            f"{type(block).__name__}."
        )
    is_csr = sparse.issparse(block) and block.format == "csr"
    is_ready = is_csr and canonical(block) is block and block.dtype in (np.float64, np.float32)
    values = block.tocsr() if sparse.issparse(block) else np.asarray(block)
    return BlockFacts(
        shape=(int(block.shape[0]), int(block.shape[1])),
        dtype=np.dtype(block.dtype),
        nnz=int(block.nnz) if sparse.issparse(block) else int(np.count_nonzero(block)),
        is_signed=is_signed(values),
        is_finite=is_finite(values),
        is_ready=is_ready,
    )


def common_type(facts: Sequence[BlockFacts]) -> Any:
    """float32 if all blocks have it, else float64."""
    is_single = all(fact.dtype == np.float32 for fact in facts)
    return np.dtype(np.float32 if is_single else np.float64)


def check_columns(facts: Sequence[BlockFacts]) -> None:
    """Raise ValueError if blocks have different columns."""
    n_columns = facts[0].shape[1]
    for number, fact in enumerate(facts):
        if fact.shape[1] != n_columns:
            raise ValueError(
                f"Block {number} has {fact.shape[1]} columns, but the first block has {n_columns}: "
                "count all documents with one vocabulary."
            )


def as_block(block: Any, dtype: Any) -> Any:
    """A canonical CSR matrix of a float type."""
    return with_own_memory(canonical(sparse.csr_array(block, dtype=dtype)))


def with_own_memory(block: Any) -> Any:
    """A copy if the arrays of a block are not aligned, as parts of a message may be.

    Loops need aligned arrays and would copy them every time.
    """
    arrays = (block.data, block.indices, block.indptr)
    if all(array.flags.aligned for array in arrays):
        return block
    data, indices, indptr = (np.array(array, order="C") for array in arrays)
    return row_block(data, indices, indptr, 0, *block.shape)


def rows_of_block(block: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows, in increasing order."""
    return block[rows]


def columns_of_block(block: Any, start: int, stop: int) -> Any:
    """A range of columns."""
    return canonical(sparse.csr_array(block[:, start:stop]))


def joined_blocks(left: Any, right: Any, scale: float | None) -> Any:
    """Two matrices side by side; with a scale, their unit-norm rows times this number."""
    parts = [left, right]
    if scale is not None:
        factor = left.dtype.type(scale)
        parts = [factor * scaled_to_unit_rows(part) for part in parts]
    return canonical(sparse.csr_array(sparse.hstack(parts, format="csr"), dtype=left.dtype))


def column_counts(blocks: Sequence[Any]) -> NDArray[np.intp]:
    """The number of rows in which every column is nonzero."""
    total = np.zeros(blocks[0].shape[1], np.intp)
    for block in blocks:
        stored = block.indices if block.data.all() else block.indices[block.data != 0]
        total += np.bincount(stored, minlength=len(total))
    return total


def product_with(block: Any, right: NDArray[Any]) -> NDArray[Any]:
    """``block @ right``."""
    return np.asarray(block @ right)


def row_digests(block: Any) -> NDArray[np.uint64]:
    """A fingerprint of every row, two numbers; zeros for an empty row."""
    digests = np.zeros((block.shape[0], 2), np.uint64)
    for row in range(block.shape[0]):
        entries = slice(block.indptr[row], block.indptr[row + 1])
        values, columns = block.data[entries], block.indices[entries]
        stored = values != 0
        if not stored.all():
            values, columns = values[stored], columns[stored]
        if len(columns):
            content = columns.astype(np.int64).tobytes() + values.tobytes()
            digest = blake2b(content, digest_size=16).digest()
            digests[row] = np.frombuffer(digest, np.uint64)
    return digests


def empty_rows(block: Any) -> NDArray[np.bool_]:
    """Which rows have no entry."""
    return np.asarray(np.diff(block.indptr) == 0)
