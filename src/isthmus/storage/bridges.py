"""The bridge between two languages as data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.storage.container import ModelFileError
from isthmus.storage.trees import Packer
from isthmus.storage.vocabulary import check_words
from isthmus.text.translation import Coverage, JointVocabulary
from isthmus.text.translation.coverage import KINDS

__all__ = ["pack_bridge", "unpack_bridge"]

_PARTS = {"terms", "source", "rows", "columns", "shares", "use", "coverage"}


def pack_bridge(bridge: JointVocabulary, packer: Packer) -> dict[str, Any]:
    """Where the words of both languages go, and how often the target uses each of its own."""
    coverage = bridge.coverage
    arrays = {
        "source": bridge.source.astype(np.int64),
        "rows": bridge.target.indptr.astype(np.int64),
        "columns": bridge.target.indices.astype(np.int64),
        "shares": bridge.target.data,
        "use": bridge.use,
    }
    return {
        "terms": bridge.terms,
        **{key: packer.pack(value, "the bridge") for key, value in arrays.items()},
        "coverage": {
            "words": dict(coverage.words),
            "tokens": dict(coverage.tokens),
            "unused_translations": coverage.unused_translations,
            "frequent_unknown": [list(pair) for pair in coverage.frequent_unknown],
            "n_pairs": coverage.n_pairs,
        },
    }


def unpack_bridge(state: Any, n_source: int, n_target: int) -> JointVocabulary:
    """The bridge between vocabularies of these sizes."""
    if not isinstance(state, dict) or set(state) != _PARTS:
        raise ModelFileError("the bridge between the languages is not complete")
    terms = state["terms"]
    check_words(terms)
    source, use = _array(state, "source", "i", n_source), _array(state, "use", "f", n_target)
    rows, shares = _array(state, "rows", "i", n_target + 1), _array(state, "shares", "f")
    columns = _array(state, "columns", "i", len(shares))
    for places in (source, columns):
        if len(places) and (places.min() < 0 or places.max() >= len(terms)):
            raise ModelFileError("the bridge leads to terms that are not there")
    if len(np.unique(source)) < n_source or len(set(terms)) < len(terms):
        raise ModelFileError("the bridge has two terms in one place")
    if rows[0] != 0 or rows[-1] != len(shares) or (np.diff(rows) < 1).any():
        raise ModelFileError("the bridge leaves words of the target without a place")
    matrix = sparse.csr_matrix((shares, columns, rows), shape=(n_target, len(terms)))
    if (shares <= 0).any() or not np.allclose(matrix.sum(axis=1), 1):
        raise ModelFileError("the shares of a word in the bridge do not add up to 1")
    return JointVocabulary(terms, source, matrix, use, _coverage(state["coverage"]))


def _array(state: dict[str, Any], key: str, kind: str, length: int | None = None) -> NDArray[Any]:
    array = state[key]
    fits = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == kind
    if not fits or (length is not None and len(array) != length) or not np.isfinite(array).all():
        raise ModelFileError("the arrays of the bridge do not fit the vocabularies")
    return np.asarray(array)


def _coverage(state: Any) -> Coverage:
    try:
        words, tokens = ({k: int(state[key][k]) for k in KINDS} for key in ("words", "tokens"))
        unknown = tuple((str(word), int(use)) for word, use in state["frequent_unknown"])
        unused, n_pairs = int(state["unused_translations"]), int(state["n_pairs"])
    except (TypeError, KeyError, ValueError, OverflowError):
        raise ModelFileError("the coverage of the bridge cannot be read") from None
    check_words([word for word, _ in unknown])
    numbers = [*words.values(), *tokens.values(), unused, n_pairs, *(use for _, use in unknown)]
    if not all(0 <= number < 2**63 for number in numbers):
        raise ModelFileError("the coverage of the bridge cannot be read")
    return Coverage(words, tokens, unused, unknown, n_pairs)
