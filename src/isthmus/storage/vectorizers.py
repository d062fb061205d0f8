"""Fitted vectorizers as data."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.storage.container import ModelFileError
from isthmus.storage.joint_vocabulary import pack_joint_vocabulary, unpack_joint_vocabulary
from isthmus.storage.trees import Packer
from isthmus.storage.vocabulary import check_words
from isthmus.text.bilingual_vectorizer import BilingualVectorizer
from isthmus.text.character_vectorizer import CharacterVectorizer
from isthmus.text.vectorizer import TextVectorizer

__all__ = ["pack_characters", "pack_vectorizer", "unpack_characters", "unpack_vectorizer"]

_PARTS = {"settings", "terms", "spellings", "weights"}
_CHARACTER_PARTS = {"settings", "terms", "weights"}
_BILINGUAL_PARTS = {"settings", "source", "target", "joint_vocabulary", "weights"}


def pack_vectorizer(vectorizer: Any, packer: Packer) -> dict[str, Any]:
    """Settings, vocabulary and weights of a fitted vectorizer of isthmus."""
    if type(vectorizer) is TextVectorizer:
        return _pack_text(vectorizer, packer)
    if type(vectorizer) is BilingualVectorizer:
        return _pack_bilingual(vectorizer, packer)
    raise ValueError(
        f"A {type(vectorizer).__name__} may contain functions, so it cannot be saved in a model "
        "file: use isthmus.TextVectorizer."
    )


def unpack_vectorizer(state: Any) -> TextVectorizer | BilingualVectorizer:
    """Restore a fitted vectorizer."""
    if isinstance(state, dict) and set(state) == _BILINGUAL_PARTS:
        return _unpack_bilingual(state)
    return _unpack_text(state)


def pack_characters(characters: CharacterVectorizer | None, packer: Packer) -> Any:
    """Settings, n-grams and weights of a fitted vectorizer of characters; None if there is none."""
    if characters is None:
        return None
    return {
        "settings": _settings(characters, packer),
        "terms": characters.terms_,
        "weights": packer.pack(characters.weights_, "weights"),
    }


def unpack_characters(state: Any) -> CharacterVectorizer | None:
    """Restore a fitted vectorizer of characters."""
    if state is None:
        return None
    if not isinstance(state, dict) or set(state) != _CHARACTER_PARTS:
        raise ModelFileError("the settings of the character n-grams are missing")
    terms, weights = state["terms"], state["weights"]
    if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms):
        raise ModelFileError("the character n-grams are not a list of strings")
    if not terms or len(set(terms)) != len(terms):
        raise ModelFileError("there are no character n-grams, or there are duplicates")
    if weights is None:
        raise ModelFileError("the weights of the character n-grams are missing")
    _check_weights(weights, len(terms))
    try:
        return CharacterVectorizer(**state["settings"]).restore(terms, weights)
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            f"the settings of the character n-grams are invalid ({error})"
        ) from None


def _pack_text(vectorizer: TextVectorizer, packer: Packer) -> dict[str, Any]:
    return {
        "settings": _settings(vectorizer, packer, language=vectorizer.language_),
        "terms": vectorizer.terms_,
        "spellings": vectorizer.spellings_,
        "weights": packer.pack(vectorizer.weights_, "weights"),
    }


def _pack_bilingual(vectorizer: BilingualVectorizer, packer: Packer) -> dict[str, Any]:
    source, target = vectorizer.source_, vectorizer.target_
    fitted = {
        "source_language": source.language_,
        "target_language": target.language_,
        "dictionary": None,  # the entries in use are stored in the joint vocabulary
    }
    return {
        "settings": _settings(vectorizer, packer, **fitted),
        "source": _pack_text(source, packer),
        "target": _pack_text(target, packer),
        "joint_vocabulary": pack_joint_vocabulary(vectorizer.joint_vocabulary_, packer),
        "weights": packer.pack(vectorizer.weights_, "weights"),
    }


def _settings(vectorizer: Any, packer: Packer, **fitted: Any) -> dict[str, Any]:
    """The parameters, with "auto" replaced by the fitted values."""
    name = type(vectorizer).__name__
    return {
        key: packer.pack(value, f"{name}'s parameter {key}")
        for key, value in {**vectorizer.get_params(deep=False), **fitted}.items()
    }


def _unpack_text(state: Any) -> TextVectorizer:
    if not isinstance(state, dict) or set(state) != _PARTS:
        raise ModelFileError("the settings of the vectorizer are missing")
    terms, spellings, weights = state["terms"], state["spellings"], state["weights"]
    for names in (terms, spellings):
        check_words(names)
    if not terms or len(set(terms)) != len(terms) or len(spellings) != len(terms):
        raise ModelFileError("the vocabulary is empty, has duplicate terms, or lacks spellings")
    _check_weights(weights, len(terms))
    try:
        return TextVectorizer(**state["settings"]).restore(terms, spellings, weights)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the text settings are invalid ({error})") from None


def _unpack_bilingual(state: dict[str, Any]) -> BilingualVectorizer:
    source, target = _unpack_text(state["source"]), _unpack_text(state["target"])
    joint = unpack_joint_vocabulary(
        state["joint_vocabulary"], len(source.terms_), len(target.terms_)
    )
    _check_weights(state["weights"], len(joint.terms))
    if not isinstance(state["settings"], dict) or state["settings"].get("dictionary") is not None:
        raise ModelFileError("it names a dictionary file")
    try:
        vectorizer = BilingualVectorizer(**state["settings"])
        vectorizer.check()
        return vectorizer.restore(source, target, joint, state["weights"])
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the text settings are invalid ({error})") from None


def _check_weights(weights: Any, n_terms: int) -> None:
    if weights is not None and (
        not isinstance(weights, np.ndarray)
        or weights.shape != (n_terms,)
        or weights.dtype.kind != "f"
        or not np.isfinite(weights).all()
    ):
        raise ModelFileError("the weights do not match the vocabulary")
