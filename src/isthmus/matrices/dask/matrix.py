"""The handle of a matrix whose rows are on the workers of a Dask cluster."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels.plain_loops import row_block
from isthmus.matrices.dask import block_tasks
from isthmus.matrices.dask.block_tasks import (
    BlockFacts,
    as_block,
    check_columns,
    common_type,
    facts_of,
)
from isthmus.matrices.dask.blocks import BlockSource, ClientBlocks, DerivedBlocks, TaskBlocks
from isthmus.matrices.dask.cluster import lost_workers, results_of
from isthmus.matrices.dask.expression import Block, Layout, select_rows
from isthmus.matrices.rows import canonical, has_unit_rows, scaled_to_unit_rows
from isthmus.matrices.threads import cut_by_nonzeros

# Non-zeros of a block, and the number of blocks above which blocks become larger instead.
_NONZEROS_PER_BLOCK, _MAX_BLOCKS = 1_000_000, 512


class DistributedMatrix:
    """Blocks of rows of a CSR matrix on the workers of a Dask cluster.

    Estimators accept it as ``X`` and compute on the workers. Make it with :meth:`from_matrix` or
    :meth:`from_blocks`; the constructor is for these methods. ``X[rows]`` fetches a few rows as a
    SciPy matrix; ``take_rows`` returns rows that stay on the workers.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    source : BlockSource
        Makes the blocks, and makes them again if a worker is lost.
    layout : Layout
        Rows and places of the blocks.
    n_columns : int
        Number of columns.
    dtype : numpy.dtype
        Type of the numbers.
    facts : sequence of BlockFacts, default=None
        What is known about every block.

    Attributes
    ----------
    shape : tuple of two int
        Number of rows and columns.
    dtype : numpy.dtype
        Type of the numbers.
    nnz : int
        Number of stored entries.
    client : distributed.Client
        The client of the cluster.

    Examples
    --------
    A cluster inside this process:

    >>> from distributed import Client
    >>> from isthmus import DistributedMatrix, SourceLogistic
    >>> rows = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> with Client(processes=False, n_workers=1, dashboard_address=None) as client:
    ...     X = DistributedMatrix.from_matrix(rows, client, n_blocks=2)
    ...     print(X)
    ...     SourceLogistic().fit(X, ["art", "sport", None, None]).transduction_.tolist()
    DistributedMatrix(shape=(4, 4), dtype=float64, blocks=2)
    ['art', 'sport', 'art', 'sport']
    """

    ndim = 2
    is_distributed = True

    def __init__(
        self,
        client: Any,
        source: BlockSource,
        layout: Layout,
        n_columns: int,
        dtype: Any,
        facts: Sequence[BlockFacts] | None = None,
    ) -> None:
        self.client, self.source, self.layout = client, source, layout
        self.shape = (layout.n_rows, n_columns)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._facts = None if facts is None else list(facts)

    @classmethod
    def from_blocks(cls, blocks: Sequence[Any], client: Any) -> Self:
        """Make a matrix from blocks of rows, in their order.

        Parameters
        ----------
        blocks : list of SciPy matrices, futures or delayed objects
            Futures should come from tasks, so that Dask computes lost blocks again; the client
            keeps SciPy matrices and sends them again.
        client : distributed.Client
            The client of the cluster.

        Returns
        -------
        DistributedMatrix
            The matrix.
        """
        blocks = list(blocks)
        if not blocks:
            raise ValueError("A distributed matrix needs at least one block.")
        on_client = [sparse.issparse(block) or isinstance(block, np.ndarray) for block in blocks]
        if any(on_client) and not all(on_client):
            raise ValueError("Blocks are either matrices, or futures and delayed objects.")
        if all(on_client):
            found = [facts_of(block) for block in blocks]
            check_columns(found)
            dtype = common_type(found)
            pairs = [(f, b) for f, b in zip(found, blocks, strict=True) if f.shape[0]]
            pairs = pairs or [(found[0], blocks[0])]
            ready = [b if f.is_ready and f.dtype == dtype else as_block(b, dtype) for f, b in pairs]
            return cls._of(client, ClientBlocks(client, ready), [f for f, _ in pairs], dtype)
        source = TaskBlocks(client, blocks)
        found = source.facts()
        check_columns(found)
        found = source.without_empty(found)
        source.convert(found, common_type(found))
        return cls._of(client, source, found, common_type(found))

    @classmethod
    def from_matrix(cls, X: Any, client: Any, n_blocks: int | None = None) -> Self:
        """Distribute a matrix that is in memory.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_columns)
            The matrix. It is cut into blocks with about the same number of non-zeros.
        client : distributed.Client
            The client of the cluster.
        n_blocks : int, default=None
            Number of blocks. None means one per million non-zeros, and at most 512.

        Returns
        -------
        DistributedMatrix
            The matrix.
        """
        X = canonical(sparse.csr_array(X))
        if n_blocks is None:
            n_blocks = min(_MAX_BLOCKS, max(1, X.nnz // _NONZEROS_PER_BLOCK))
        ranges = cut_by_nonzeros(X.indptr, n_blocks) or [(0, 0)]
        return cls.from_blocks(
            [row_block(X.data, X.indices, X.indptr, *rows, X.shape[1]) for rows in ranges], client
        )

    def with_same_blocks(self, X: Any) -> DistributedMatrix:
        """Distribute another matrix with the same rows.

        :meta private:
        """
        X, starts = canonical(sparse.csr_array(X)), self.layout.starts.tolist()
        ranges = pairwise(starts)
        return DistributedMatrix.from_blocks(
            [row_block(X.data, X.indices, X.indptr, *rows, X.shape[1]) for rows in ranges],
            self.client,
        )

    @classmethod
    def _of(
        cls,
        client: Any,
        source: ClientBlocks | TaskBlocks,
        facts: Sequence[BlockFacts],
        dtype: Any,
    ) -> Self:
        token = uuid.uuid4().hex[:12]
        blocks = [
            Block((token, number), fact.shape[0], home, number)
            for number, (fact, home) in enumerate(zip(facts, source.homes, strict=True))
        ]
        return cls(client, source, Layout(blocks), facts[0].shape[1], dtype, facts)

    def __repr__(self) -> str:
        return (
            f"DistributedMatrix(shape={self.shape}, dtype={self.dtype}, blocks={len(self.layout)})"
        )

    def __len__(self) -> int:
        raise TypeError("The length of a matrix is ambiguous: use shape[0].")

    @property
    def futures(self) -> list[Any]:
        """The future of every block.

        :meta private:
        """
        return self.source.futures()

    @property
    def facts(self) -> list[BlockFacts]:
        """What is known about every block; computed when it is needed.

        :meta private:
        """
        if self._facts is None:
            self._facts = self._of_blocks(facts_of, "check")
        return self._facts

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return sum(fact.nnz for fact in self.facts)

    @property
    def is_signed(self) -> bool:
        """Whether the matrix has a negative entry."""
        return any(fact.is_signed for fact in self.facts)

    @property
    def is_finite(self) -> bool:
        """Whether the matrix has neither NaN nor infinity."""
        return all(fact.is_finite for fact in self.facts)

    def restore(self) -> None:
        """Make blocks again that were lost with a worker.

        :meta private:
        """
        self.source.restore()

    # Rows

    def take_rows(self, rows: slice | NDArray[np.intp]) -> DistributedMatrix:
        """Select some rows, which stay on the workers.

        Parameters
        ----------
        rows : slice or array of int
            Positions of the rows, in increasing order.

        Returns
        -------
        DistributedMatrix
            These rows.
        """
        layout, pieces = select_rows(self.layout, rows)
        if layout == self.layout:
            return self
        make: list[Any] = [
            piece.position
            if piece.rows is None
            else (block_tasks.rows_of_block, (piece.rows,), (piece.position,))
            for piece in pieces
        ]
        homes = [block.home for block in layout.blocks]
        source = DerivedBlocks(self.client, [self.source], homes, make, "rows")
        return DistributedMatrix(self.client, source, layout, self.shape[1], self.dtype)

    def __getitem__(self, rows: Any) -> Any:
        """Fetch some rows as a SciPy matrix; ``X[:, start:stop]`` stays on the workers."""
        if isinstance(rows, tuple):
            all_rows, columns = rows
            if all_rows != slice(None) or not isinstance(columns, slice):
                raise TypeError("Select rows, or a range of columns of all rows.")
            start, stop, _ = columns.indices(self.shape[1])
            more = stop - start - self.shape[1]
            return self._mapped(block_tasks.columns_of_block, (start, stop), "columns", None, more)
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
            ascending = np.unique(rows)
            if len(ascending) != len(rows) or not np.array_equal(ascending, rows):
                return self[ascending][np.searchsorted(ascending, rows)]
        return self.take_rows(rows).to_local()

    def to_local(self) -> Any:
        """Fetch all rows.

        Returns
        -------
        scipy.sparse.csr_array
            The matrix in the memory of this process.
        """
        with lost_workers(self.client):
            blocks = results_of(self.client, self.futures)
        return canonical(sparse.csr_array(sparse.vstack(blocks, format="csr")))

    # Other matrices

    def with_unit_rows(self) -> DistributedMatrix:
        """Scale the rows to unit norm.

        Returns
        -------
        DistributedMatrix
            The scaled matrix; the matrix itself if its rows have unit norm.
        """
        if all(self._of_blocks(has_unit_rows, "check-norms")):
            return self
        return self._mapped(scaled_to_unit_rows, (), "unit-rows")

    def joined(self, right: DistributedMatrix, scale: float | None = None) -> DistributedMatrix:
        """Two matrices side by side; with a scale, their unit-norm rows times this number.

        :meta private:
        """
        if right.layout.starts.tolist() != self.layout.starts.tolist():
            raise ValueError("Two distributed matrices have different blocks of rows.")
        return self._mapped(
            block_tasks.joined_blocks, (scale,), "side-by-side", right, right.shape[1]
        )

    def _mapped(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        name: str,
        other: DistributedMatrix | None = None,
        n_more_columns: int = 0,
    ) -> DistributedMatrix:
        sources = [self.source] if other is None else [self.source, other.source]
        make: list[Any] = [
            (function, arguments, (number,) * len(sources)) for number in range(len(self.layout))
        ]
        homes = [block.home for block in self.layout.blocks]
        source = DerivedBlocks(self.client, sources, homes, make, name)
        n_columns = self.shape[1] + n_more_columns
        return DistributedMatrix(self.client, source, self.layout, n_columns, self.dtype)

    # Results on the client

    def __matmul__(self, right: NDArray[Any]) -> NDArray[Any]:
        """The product with a NumPy array, collected on the client."""
        right = np.asarray(right)
        with lost_workers(self.client):
            sent = self.client.scatter(right, broadcast=True, hash=False)
        return np.concatenate(self._of_blocks(block_tasks.product_with, "product", sent))

    def column_counts(self) -> NDArray[np.intp]:
        """Count the rows in which every column is nonzero.

        Returns
        -------
        array of int of shape (n_columns,)
            The counts.
        """
        token = uuid.uuid4().hex[:8]
        futures = self.futures
        with lost_workers(self.client):
            tasks = [
                self.client.submit(
                    block_tasks.column_counts,
                    [futures[i] for i in positions],
                    pure=False,
                    key=f"isthmus-column-counts-{token}-{number}",
                    **_at(worker),
                )
                for number, (worker, positions) in enumerate(self.layout.groups())
            ]
            counts = results_of(self.client, tasks)
        total: NDArray[np.intp] = np.sum(counts, axis=0)
        return total

    def empty_rows(self) -> NDArray[np.bool_]:
        """Find rows without an entry.

        Returns
        -------
        array of bool of shape (n_rows,)
            Whether a row has no entry.
        """
        return np.concatenate(self._of_blocks(block_tasks.empty_rows, "empty-rows"))

    def duplicate_groups(self) -> NDArray[np.intp]:
        """A group number for every row; see ``isthmus.matrices.rows``.

        :meta private:
        """
        digests = np.concatenate(self._of_blocks(block_tasks.row_digests, "digests"))
        empty = ~digests.any(axis=1)
        _, first, which = np.unique(digests, axis=0, return_index=True, return_inverse=True)
        numbers = np.where(empty, np.arange(len(digests)), first[which.ravel()])
        return np.asarray(np.unique(numbers, return_inverse=True)[1], np.intp)

    def _of_blocks(self, function: Callable[..., Any], name: str, *arguments: Any) -> list[Any]:
        """A small result of every block."""
        token = uuid.uuid4().hex[:8]
        with lost_workers(self.client):
            tasks = [
                self.client.submit(
                    function,
                    future,
                    *arguments,
                    pure=False,
                    key=f"isthmus-{name}-{token}-{number}",
                    **_at(block.home.worker),
                )
                for number, (future, block) in enumerate(
                    zip(self.futures, self.layout.blocks, strict=True)
                )
            ]
            return results_of(self.client, tasks)


def _at(worker: str | None) -> dict[str, Any]:
    """Options of a task that should run on a worker, if it still exists."""
    return {} if worker is None else {"workers": [worker], "allow_other_workers": True}
