"""Weights of term counts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from isthmus.kernels.compiled.jit_loop import loop


@loop("new row", "indices", "pointers", "row", "row", "number", "number", fused=False)
def log_tfidf_rows(_: int) -> Callable[..., None]:
    def rows(data, indices, indptr, idf, log_tf, start, stop):
        for i in range(start, stop):
            squares = 0.0
            for entry in range(indptr[i], indptr[i + 1]):
                count = data[entry]
                if 0 <= count < log_tf.shape[0] and count == math.floor(count):
                    value = log_tf[np.int64(count)]
                elif count >= 1:
                    value = data.dtype.type(math.log(count)) + data.dtype.type(1)
                else:
                    value = count
                value *= idf[indices[entry]]
                squares += np.float64(value * value)
                data[entry] = value
            if squares > 0:
                norm = math.sqrt(squares)
                for entry in range(indptr[i], indptr[i + 1]):
                    data[entry] = data[entry] / norm

    return rows
