"""Weightings of term counts, as transformers fitted on the rows of all domains together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import FunctionTransformer, normalize
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from isthmus.kernels import loops
from isthmus.kernels.dispatch import read_only
from isthmus.matrices.threads import chunk_count, cut_by_nonzeros, run_all

# Non-zeros that are weighed at a time where that needs copies: the whole may be larger than memory.
_BLOCK_NONZEROS = 20_000_000
# Logarithms of counts below this number are computed once.
_SMALL_COUNTS = 256
# Estimated cost of a count without compiled loops, in multiplications.
_WORK_OF_WEIGHTING = 6


def apply_sublinear_tf(values: NDArray[Any]) -> None:
    """Replace counts of 1 or more by ``1 + log tf`` in place; smaller counts are kept.

    A count that is split over several translations may be below 1, where ``1 + log tf`` may be
    negative.
    """
    large = values >= 1
    values[large] = np.log(values[large]) + 1


class SublinearTfidf(TfidfTransformer):
    """tf-idf with sublinear tf and unit-norm rows; counts need not be integers."""

    def transform(self, X: Any, copy: bool = True) -> Any:
        """Return the weighted rows."""
        check_is_fitted(self)
        counts = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            copy=copy,
        )
        if not sparse.issparse(counts):
            counts = sparse.csr_matrix(counts)
        # Whether the result is a sparse matrix or a sparse array depends on scikit-learn's version.
        container = type(super().transform(counts[:1], copy=True))
        if _weigh_rows(counts, self.idf_):
            return counts if type(counts) is container else container(counts)
        apply_sublinear_tf(counts.data)
        return super().transform(counts, copy=False)


def _weigh_rows(counts: Any, idf: NDArray[Any]) -> bool:
    """Weigh counts in place with a compiled loop; return False if it is not worth compiling."""
    work = counts.nnz * _WORK_OF_WEIGHTING
    loop = loops.log_tfidf_rows.find(1, work, counts.dtype, counts.indices.dtype, repeated=False)
    if loop is None:
        return False
    log_tf = np.arange(_SMALL_COUNTS, dtype=counts.dtype)
    apply_sublinear_tf(log_tf)
    pointers = counts.indptr.astype(np.int64, copy=False)
    arrays = (counts.data, *map(read_only, (counts.indices, pointers)))
    factors = read_only(idf.astype(counts.dtype, copy=False)), read_only(log_tf)
    ranges = cut_by_nonzeros(pointers, chunk_count(counts.nnz))
    run_all(lambda rows: loop(*arrays, *factors, *rows), ranges)
    return True


class ColumnNormalizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale counts so that frequent terms do not dominate.

    Sublinear tf (``1 + log tf``, ``tf`` below 1), rows divided by their sums, columns divided by
    the square root of their sums over all fitted rows, then rows scaled to unit norm. A term that
    occurs in no fitted row gets weight 0.

    Attributes
    ----------
    column_scale_ : array of shape (n_terms,)
        Factor of every term.

    Examples
    --------
    The first term is frequent, so it has a smaller weight in the second document:

    >>> from isthmus import ColumnNormalizer
    >>> ColumnNormalizer().fit_transform([[9, 1], [1, 1]]).round(2).tolist()
    [[0.93, 0.38], [0.61, 0.79]]
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _row_fractions(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32), copy=True
        )
        check_non_negative(X, type(self).__name__)
        apply_sublinear_tf(X.data if sparse.issparse(X) else X)
        return normalize(X, norm="l1", copy=False)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the weight of every column on the documents of all domains.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Term counts of the documents, one per row.
        y : ignored

        Returns
        -------
        self
        """
        sums: Any = 0.0
        for _, block in _row_blocks(X):
            fractions = self._row_fractions(block, reset=True)
            sums = sums + np.asarray(fractions.sum(axis=0), np.float64).ravel()
        scale = np.zeros_like(sums)
        np.divide(1, np.sqrt(sums), out=scale, where=sums > 0)
        self.column_scale_ = scale
        return self

    def transform(self, X: Any) -> Any:
        """Weight the counts.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Term counts of the documents, one per row.

        Returns
        -------
        sparse matrix or array of shape (n_rows, n_terms)
            The weighted rows, with unit norm.
        """
        check_is_fitted(self)
        fractions = self._row_fractions(X, reset=False)
        scale = self.column_scale_.astype(fractions.dtype)
        weighted = (
            fractions.multiply(scale[None, :]).tocsr()
            if sparse.issparse(fractions)
            else fractions * scale
        )
        return normalize(weighted, copy=False)


def _presence(X: Any) -> Any:
    present = X.copy()
    values = present.data if sparse.issparse(present) else present
    values[values > 0] = 1
    return present


_WEIGHTINGS: dict[str, Callable[[], Any]] = {
    "counts": lambda: FunctionTransformer(accept_sparse=True, feature_names_out="one-to-one"),
    "tfidf": lambda: TfidfTransformer(norm=None),
    "log-tfidf": SublinearTfidf,
    "column-normalized": ColumnNormalizer,
    "presence": lambda: FunctionTransformer(
        _presence, accept_sparse=True, feature_names_out="one-to-one"
    ),
}

#: Names that :func:`make_weighting` accepts.
WEIGHTINGS = tuple(_WEIGHTINGS)


def make_weighting(name: str) -> Any:
    """Return a weighting of term counts by name.

    Parameters
    ----------
    name : {"counts", "tfidf", "log-tfidf", "column-normalized", "presence"}
        "counts" keeps the counts. "tfidf" is ``tf * idf`` without scaling of rows (MTrick's paper).
        "log-tfidf" is ``(1 + log tf) * idf`` with unit-norm rows, which suits most methods; where
        tf is below 1, because counts are split over translations, it is tf itself.
        "column-normalized" is :class:`ColumnNormalizer`. "presence" is 1 for a term that occurs.

    Returns
    -------
    transformer
        An unfitted transformer of scikit-learn. Fit it on the documents of all domains together.

    Examples
    --------
    >>> import numpy as np
    >>> from isthmus import make_weighting
    >>> make_weighting("presence").fit_transform(np.array([[3, 0], [1, 2]])).tolist()
    [[1, 0], [1, 1]]
    """
    if not isinstance(name, str) or name not in _WEIGHTINGS:
        raise ValueError(f"Unknown weighting {name!r}: use one of {', '.join(WEIGHTINGS)}.")
    return _WEIGHTINGS[name]()


def fit_weighting(name: str, counts: Any, frequencies: NDArray[Any]) -> Any:
    """Return a weighting fitted to counts whose document frequencies are known."""
    weighting = make_weighting(name)
    if isinstance(weighting, ColumnNormalizer) and hasattr(counts, "weighed"):
        raise ValueError(
            f"weighting={name!r} is not computed on a Dask cluster: use 'log-tfidf' or another one."
        )
    if isinstance(weighting, FunctionTransformer) and hasattr(counts, "weighed"):
        return weighting  # it learns nothing
    if not isinstance(weighting, TfidfTransformer):
        return weighting.fit(counts)
    # The formula of scikit-learn, which would count the documents of every term again.
    idf = np.full(len(frequencies), counts.shape[0] + 1, counts.dtype)
    idf /= frequencies.astype(counts.dtype) + counts.dtype.type(1)
    np.log(idf, out=idf)
    return with_weights(name, idf + counts.dtype.type(1))


def weigh_in_place(weighting: Any, counts: Any) -> Any:
    """Return ``weighting.transform(counts)``; may overwrite ``counts`` to avoid a copy."""
    if hasattr(counts, "weighed"):  # on the workers of a cluster
        return counts.weighed(weighting)
    is_large = sparse.issparse(counts) and counts.nnz > _BLOCK_NONZEROS
    if isinstance(weighting, SublinearTfidf) or (
        isinstance(weighting, TfidfTransformer) and not is_large
    ):
        return weighting.transform(counts, copy=False)
    if not is_large:
        return weighting.transform(counts)
    # Weightings change the values alone.
    for entries, block in _row_blocks(counts):
        counts.data[entries] = weighting.transform(block).data
    return counts


def _row_blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """Yield consecutive rows of a large CSR matrix with the places of their entries.

    Any other matrix is one block. A block must not be written to: SciPy copies the arrays of some.
    """
    if not sparse.issparse(X) or X.format != "csr" or X.nnz <= _BLOCK_NONZEROS:
        yield slice(None), X
        return
    for start, stop in cut_by_nonzeros(X.indptr, 1 + X.nnz // _BLOCK_NONZEROS):
        first, last = int(X.indptr[start]), int(X.indptr[stop])
        arrays = (X.data[first:last], X.indices[first:last], X.indptr[start : stop + 1] - first)
        block = sparse.csr_matrix(arrays, shape=(stop - start, X.shape[1]), copy=False)
        yield slice(first, last), block


def fitted_weights(weighting: Any) -> NDArray[Any] | None:
    """Return the fitted weight of every term; None if the weighting has no fitted weights."""
    if isinstance(weighting, TfidfTransformer):
        return np.asarray(weighting.idf_)
    if isinstance(weighting, ColumnNormalizer):
        return weighting.column_scale_
    return None


def with_weights(name: str, weights: NDArray[Any] | None) -> Any:
    """Return the weighting of that name with the result of :func:`fitted_weights` restored."""
    weighting = make_weighting(name)
    has_weights = isinstance(weighting, TfidfTransformer | ColumnNormalizer)
    if has_weights != (weights is not None):
        raise ValueError(f"The weighting {name!r} {'needs' if has_weights else 'has no'} weights.")
    if weights is not None:
        setattr(weighting, "idf_" if name.endswith("tfidf") else "column_scale_", weights)
        weighting.n_features_in_ = len(weights)
    return weighting
