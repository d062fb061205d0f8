"""Fitted vectorizers as data."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.storage.container import ModelFileError
from isthmus.storage.trees import Packer
from isthmus.text.vectorizer import TextVectorizer

__all__ = ["pack_vectorizer", "unpack_vectorizer"]

_PARTS = {"settings", "terms", "spellings", "weights"}


def pack_vectorizer(vectorizer: Any, packer: Packer) -> dict[str, Any]:
    """Settings, vocabulary and weights of a fitted :class:`TextVectorizer`."""
    if type(vectorizer) is not TextVectorizer:
        raise ValueError(
            f"A {type(vectorizer).__name__} may hold functions of its own, so it cannot go into a "
            "model file: use isthmus.TextVectorizer, whose settings are plain data."
        )
    return {
        "settings": {
            key: packer.pack(value, f"TextVectorizer's parameter {key}")
            for key, value in vectorizer.get_params(deep=False).items()
        },
        "terms": vectorizer.terms_,
        "spellings": vectorizer.spellings_,
        "weights": packer.pack(vectorizer.weights_, "weights"),
    }


def unpack_vectorizer(state: Any) -> TextVectorizer:
    """The vectorizer again."""
    if not isinstance(state, dict) or set(state) != _PARTS:
        raise ModelFileError("the file does not say how texts are to be counted")
    terms, spellings, weights = state["terms"], state["spellings"], state["weights"]
    for names in (terms, spellings):
        if not isinstance(names, list) or not all(_is_word(name) for name in names):
            raise ModelFileError("the vocabulary is not a list of words")
    if not terms or len(set(terms)) != len(terms) or len(spellings) != len(terms):
        raise ModelFileError("the vocabulary is empty, or holds a term twice or without spelling")
    if weights is not None and (
        not isinstance(weights, np.ndarray)
        or weights.shape != (len(terms),)
        or weights.dtype.kind != "f"
        or not np.isfinite(weights).all()
    ):
        raise ModelFileError("the weights do not fit the vocabulary")
    try:
        return TextVectorizer(**state["settings"]).restore(terms, spellings, weights)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the text settings are not known here ({error})") from None


def _is_word(name: Any) -> bool:
    """Words are letters and digits; anything else could play tricks on a terminal."""
    return isinstance(name, str) and name.isprintable()
