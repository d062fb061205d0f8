"""The engine of the GPU: CuPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.array_engine import ArrayDenseDocuments, ArrayEngine
from isthmus.matrices.engines import is_out_of_memory
from isthmus.matrices.gpu.chunked import ChunkedDocuments
from isthmus.matrices.gpu.csr import GpuCsrDocuments
from isthmus.matrices.gpu.device import free_bytes
from isthmus.matrices.gpu.kernels import get_kernel, launch, real_type
from isthmus.matrices.gpu.layout import DeviceMatrix
from isthmus.matrices.protocols import PLAIN_STEP, Array, Documents, Profiles, StepOptions

# Share of the free memory that a matrix may take; the rest is for factors.
_SHARE = 0.6
# Matrices that are kept on the device for further use; a fit has one per domain, or a few.
_MAX_COPIES = 8
# Factors with more columns are multiplied by the library of matrix products.
_MAX_GRAM_WIDTH = 32
_GRAM_BLOCKS = 1024
# Word clusters or classes beyond this number do not fit into the registers of a thread.
_MAX_WORD_WIDTH = 16
_GRAM_ROWS = 256


class _Content:
    """What tells whether some rows were copied before: where their entries are stored."""

    def __init__(self, place: tuple[int, ...], lengths: Any, chosen: Any) -> None:
        self.place, self._lengths, self._chosen = place, lengths, chosen

    @classmethod
    def of(cls, X: Any, start: int, stop: int, chosen: NDArray[np.intp] | None) -> _Content:
        """The rows ``[start, stop)`` of a matrix, or the chosen ones of all."""
        mark = 0 if chosen is None else hash(chosen.tobytes())
        if not sparse.issparse(X):
            place = (X.ctypes.data, *X.strides, *X.shape, start, stop, mark)
            return cls(place, None, chosen)
        first, last = int(X.indptr[start]), int(X.indptr[stop])
        addresses = (array.ctypes.data + first * array.itemsize for array in (X.data, X.indices))
        place = (*addresses, last - first, stop - start, X.shape[1], mark)
        return cls(place, np.diff(X.indptr[start : stop + 1]), chosen)

    def __eq__(self, other: object) -> bool:
        # The same entries may be cut into other rows.
        return (
            isinstance(other, _Content)
            and self.place == other.place
            and np.array_equal(self._lengths, other._lengths)
            and np.array_equal(self._chosen, other._chosen)
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class _Copy:
    content: _Content
    documents: Documents
    X: Any


class GpuEngine(ArrayEngine):
    """Factors in the memory of the GPU.

    An engine lives as long as a fit. It keeps the matrices that it has copied to the device last,
    so that a fit copies its documents once.
    """

    name = "gpu"
    xp: Any = cupy

    def __init__(self) -> None:
        self._copied: dict[tuple[int, ...], _Copy] = {}

    def documents(self, X: Any, rows: slice | NDArray[np.intp] | None = None) -> Documents:
        start, stop, chosen = 0, X.shape[0], None
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(X.shape[0])
        elif rows is not None:
            chosen = np.asarray(rows)
        content = _Content.of(X, start, stop, chosen)
        known = self._copied.get(content.place)
        if known is not None and known.content == content:
            return known.documents
        if chosen is None:
            documents = self._copy(X, start, stop)
        else:
            documents = self._copy(X[chosen], 0, len(chosen))
        # The host arrays are kept too: their address must not be used again.
        self._copied[content.place] = _Copy(content, documents, X)
        if len(self._copied) > _MAX_COPIES:
            self._copied.pop(next(iter(self._copied)))
        return documents

    def release(self) -> None:
        """Forget the copied matrices at the end of a fit."""
        self._copied.clear()

    def _copy(self, X: Any, start: int, stop: int) -> Documents:
        if not sparse.issparse(X):
            X = cupy.asarray(np.ascontiguousarray(X[start:stop]))
            return ArrayDenseDocuments(X, engine=self)
        n_entries = int(X.indptr[stop]) - int(X.indptr[start])
        needed = DeviceMatrix.bytes_on_device(n_entries, stop - start, X.shape[1], X.dtype)
        if needed > _SHARE * free_bytes():
            # Matrices that nobody else uses are dropped first.
            self._copied.clear()
        if needed <= _SHARE * free_bytes():
            try:
                return GpuCsrDocuments(self, DeviceMatrix.from_host(X, start, stop))
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                cupy.get_default_memory_pool().free_all_blocks()
        return ChunkedDocuments.of(self, X, start, stop, int(_SHARE * free_bytes() / 2))

    def asarray(self, array: Any, dtype: Any = None) -> Array:
        return cupy.asarray(array, dtype)

    def to_host(self, array: Array) -> NDArray[Any]:
        return cupy.asnumpy(array)

    def word_step(
        self,
        clusters: Array,
        profiles: Array,
        products: Array,
        associations: NDArray[Any],
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> NDArray[Any]:
        n_clusters, n_classes = associations.shape
        if max(n_clusters, n_classes) > _MAX_WORD_WIDTH:
            return super().word_step(clusters, profiles, products, associations, gram, options)
        dtype = clusters.dtype
        kernel = get_kernel(
            "words", "word_rows", REAL=real_type(dtype),
            CLUSTERS=n_clusters, CLASSES=n_classes,
        )  # fmt: skip
        limits = np.finfo(dtype)
        launch(
            kernel, len(clusters), 128, np.int32(len(clusters)), clusters, profiles, products,
            cupy.asarray(np.ascontiguousarray(associations), dtype),
            cupy.asarray(np.ascontiguousarray(associations @ gram), dtype), options.anchor,
            options.pull, np.int32(options.normalize), dtype.type(limits.tiny),
            dtype.type(np.sqrt(limits.tiny)),
        )  # fmt: skip
        return self.gram(clusters, profiles)

    def profiles(self, clusters: Array, associations: NDArray[Any], products: Array) -> Profiles:
        values = self.product(clusters, associations)
        if values.shape[1] > _MAX_GRAM_WIDTH:
            return super().profiles(clusters, associations, products)
        # Both results are read at once: every reading waits for the device.
        grams = cupy.empty((2, values.shape[1], values.shape[1]))
        self._queue_gram(values, products, grams[0])
        self._queue_gram(values, values, grams[1])
        with_products, with_itself = self.to_host(grams)
        return Profiles(values, with_itself, float(np.trace(with_products)))

    def gram(self, left: Array, right: Array) -> NDArray[Any]:
        widths = (left.shape[1], right.shape[1])
        if max(widths) > _MAX_GRAM_WIDTH or 0 in (*widths, len(left)) or left.dtype != right.dtype:
            return super().gram(left, right)
        return np.asarray(self._precise_gram(left, right), left.dtype)

    def precise_gram(self, factor: Array) -> NDArray[np.float64]:
        if factor.shape[1] > _MAX_GRAM_WIDTH or 0 in factor.shape:
            return super().precise_gram(factor)
        return self._precise_gram(factor, factor)

    def _precise_gram(self, left: Array, right: Array) -> NDArray[np.float64]:
        """``left.T @ right`` of factors with few columns, summed in float64."""
        out = cupy.empty((left.shape[1], right.shape[1]))
        self._queue_gram(left, right, out)
        return self.to_host(out)

    def _queue_gram(self, left: Array, right: Array, out: Array) -> None:
        """Write ``left.T @ right``, summed in float64, without waiting for the device."""
        left, right = cupy.ascontiguousarray(left), cupy.ascontiguousarray(right, left.dtype)
        kernel = get_kernel(
            "gram", "gram_rows", REAL=real_type(left.dtype),
            LEFT=left.shape[1], RIGHT=right.shape[1],
        )  # fmt: skip
        n_rows, n_pairs = len(left), left.shape[1] * right.shape[1]
        # The sums of all blocks are added by one of them.
        max_blocks = max(_GRAM_BLOCKS // 8, 4 * _GRAM_BLOCKS // n_pairs)
        height = max(_GRAM_ROWS, -(-n_rows // min(max_blocks, _GRAM_BLOCKS)))
        n_blocks = -(-n_rows // height)
        partial = cupy.empty((n_blocks, n_pairs))
        n_ready = cupy.zeros((), np.uint32)
        kernel(
            (n_blocks,),
            (256,),
            (np.int64(n_rows), np.int64(height), left, right, partial, n_ready, out),
        )
