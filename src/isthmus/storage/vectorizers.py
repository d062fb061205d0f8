"""Fitted vectorizers as data."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.storage.bridges import pack_bridge, unpack_bridge
from isthmus.storage.container import ModelFileError
from isthmus.storage.trees import Packer
from isthmus.storage.words import check_words
from isthmus.text.bilingual import BilingualVectorizer
from isthmus.text.vectorizer import TextVectorizer

__all__ = ["pack_vectorizer", "unpack_vectorizer"]

_PARTS = {"settings", "terms", "spellings", "weights"}
_PARTS_OF_TWO = {"settings", "source", "target", "bridge", "weights"}


def pack_vectorizer(vectorizer: Any, packer: Packer) -> dict[str, Any]:
    """Settings, vocabulary and weights of a fitted vectorizer of isthmus."""
    if type(vectorizer) is TextVectorizer:
        return _pack_one(vectorizer, packer)
    if type(vectorizer) is BilingualVectorizer:
        return _pack_two(vectorizer, packer)
    raise ValueError(
        f"A {type(vectorizer).__name__} may hold functions of its own, so it cannot go into a "
        "model file: use isthmus.TextVectorizer, whose settings are plain data."
    )


def unpack_vectorizer(state: Any) -> TextVectorizer | BilingualVectorizer:
    """The vectorizer again."""
    if isinstance(state, dict) and set(state) == _PARTS_OF_TWO:
        return _unpack_two(state)
    return _unpack_one(state)


def _pack_one(vectorizer: TextVectorizer, packer: Packer) -> dict[str, Any]:
    return {
        "settings": _settings(vectorizer, packer, language=vectorizer.language_),
        "terms": vectorizer.terms_,
        "spellings": vectorizer.spellings_,
        "weights": packer.pack(vectorizer.weights_, "weights"),
    }


def _pack_two(vectorizer: BilingualVectorizer, packer: Packer) -> dict[str, Any]:
    source, target = vectorizer.source_, vectorizer.target_
    found = {
        "source_language": source.language_,
        "target_language": target.language_,
        "dictionary": None,  # what of it is in use stands in the bridge
    }
    return {
        "settings": _settings(vectorizer, packer, **found),
        "source": _pack_one(source, packer),
        "target": _pack_one(target, packer),
        "bridge": pack_bridge(vectorizer.bridge_, packer),
        "weights": packer.pack(vectorizer.weights_, "weights"),
    }


def _settings(vectorizer: Any, packer: Packer, **found: Any) -> dict[str, Any]:
    """The parameters, with what a fit found out in the place of "auto"."""
    name = type(vectorizer).__name__
    return {
        key: packer.pack(value, f"{name}'s parameter {key}")
        for key, value in {**vectorizer.get_params(deep=False), **found}.items()
    }


def _unpack_one(state: Any) -> TextVectorizer:
    if not isinstance(state, dict) or set(state) != _PARTS:
        raise ModelFileError("the file does not say how texts are to be counted")
    terms, spellings, weights = state["terms"], state["spellings"], state["weights"]
    for names in (terms, spellings):
        check_words(names)
    if not terms or len(set(terms)) != len(terms) or len(spellings) != len(terms):
        raise ModelFileError("the vocabulary is empty, or holds a term twice or without spelling")
    _check_weights(weights, len(terms))
    try:
        return TextVectorizer(**state["settings"]).restore(terms, spellings, weights)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the text settings are not known here ({error})") from None


def _unpack_two(state: dict[str, Any]) -> BilingualVectorizer:
    source, target = _unpack_one(state["source"]), _unpack_one(state["target"])
    bridge = unpack_bridge(state["bridge"], len(source.terms_), len(target.terms_))
    _check_weights(state["weights"], len(bridge.terms))
    if not isinstance(state["settings"], dict) or state["settings"].get("dictionary") is not None:
        raise ModelFileError("a file of others is named as its dictionary")
    try:
        vectorizer = BilingualVectorizer(**state["settings"])
        vectorizer.check()
        return vectorizer.restore(source, target, bridge, state["weights"])
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the text settings are not known here ({error})") from None


def _check_weights(weights: Any, n_terms: int) -> None:
    if weights is not None and (
        not isinstance(weights, np.ndarray)
        or weights.shape != (n_terms,)
        or weights.dtype.kind != "f"
        or not np.isfinite(weights).all()
    ):
        raise ModelFileError("the weights do not fit the vocabulary")
