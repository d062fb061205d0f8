"""A stand-in for cupyx.scipy.sparse."""

from types import SimpleNamespace
from typing import Any

import cupy
from scipy import sparse


class csr_matrix(sparse.csr_matrix):  # noqa: N801 - the name in CuPy
    """Its transposed order has arrays "on the device"."""

    def tocsc(self, copy: bool = False) -> Any:
        found = sparse.csr_matrix.tocsc(self)
        parts = {name: cupy.asarray(getattr(found, name)) for name in ("data", "indices", "indptr")}
        return SimpleNamespace(**parts)
