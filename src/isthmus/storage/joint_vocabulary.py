"""The joint vocabulary of two languages as data."""

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

__all__ = ["pack_joint_vocabulary", "unpack_joint_vocabulary"]

_PARTS = {"terms", "source", "rows", "columns", "proportions", "use", "coverage"}


def pack_joint_vocabulary(vocabulary: JointVocabulary, packer: Packer) -> dict[str, Any]:
    """The columns of the terms of both languages, and the total count of every target term."""
    coverage = vocabulary.coverage
    arrays = {
        "source": vocabulary.source.astype(np.int64),
        "rows": vocabulary.target.indptr.astype(np.int64),
        "columns": vocabulary.target.indices.astype(np.int64),
        "proportions": vocabulary.target.data,
        "use": vocabulary.use,
    }
    return {
        "terms": vocabulary.terms,
        **{key: packer.pack(value, "the joint vocabulary") for key, value in arrays.items()},
        "coverage": {
            "words": dict(coverage.words),
            "tokens": dict(coverage.tokens),
            "unused_translations": coverage.unused_translations,
            "frequent_unknown": [list(pair) for pair in coverage.frequent_unknown],
            "n_pairs": coverage.n_pairs,
        },
    }


def unpack_joint_vocabulary(state: Any, n_source: int, n_target: int) -> JointVocabulary:
    """The joint vocabulary of vocabularies of these sizes."""
    if not isinstance(state, dict) or set(state) != _PARTS:
        raise ModelFileError("the joint vocabulary of the two languages is not complete")
    terms = state["terms"]
    check_words(terms)
    source, use = _array(state, "source", "i", n_source), _array(state, "use", "f", n_target)
    rows, proportions = _array(state, "rows", "i", n_target + 1), _array(state, "proportions", "f")
    columns = _array(state, "columns", "i", len(proportions))
    for numbers in (source, columns):
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= len(terms)):
            raise ModelFileError("the joint vocabulary refers to terms that do not exist")
    if len(np.unique(source)) < n_source or len(set(terms)) < len(terms):
        raise ModelFileError("the joint vocabulary has two terms in one column")
    if rows[0] != 0 or rows[-1] != len(proportions) or (np.diff(rows) < 1).any():
        raise ModelFileError("the joint vocabulary has target terms without a column")
    matrix = sparse.csr_matrix((proportions, columns, rows), shape=(n_target, len(terms)))
    if (proportions <= 0).any() or not np.allclose(matrix.sum(axis=1), 1):
        raise ModelFileError("the proportions of a term in the joint vocabulary do not sum to 1")
    return JointVocabulary(terms, source, matrix, use, _coverage(state["coverage"]))


def _array(state: dict[str, Any], key: str, kind: str, length: int | None = None) -> NDArray[Any]:
    array = state[key]
    fits = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == kind
    if not fits or (length is not None and len(array) != length) or not np.isfinite(array).all():
        raise ModelFileError("the arrays of the joint vocabulary do not match the vocabularies")
    return np.asarray(array)


def _coverage(state: Any) -> Coverage:
    try:
        words, tokens = ({k: int(state[key][k]) for k in KINDS} for key in ("words", "tokens"))
        unknown = tuple((str(word), int(use)) for word, use in state["frequent_unknown"])
        unused, n_pairs = int(state["unused_translations"]), int(state["n_pairs"])
    except (TypeError, KeyError, ValueError, OverflowError):
        raise ModelFileError("the coverage of the joint vocabulary cannot be read") from None
    check_words([word for word, _ in unknown])
    numbers = [*words.values(), *tokens.values(), unused, n_pairs, *(use for _, use in unknown)]
    if not all(0 <= number < 2**63 for number in numbers):
        raise ModelFileError("the coverage of the joint vocabulary cannot be read")
    return Coverage(words, tokens, unused, unknown, n_pairs)
