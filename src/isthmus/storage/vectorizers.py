"""Fitted vectorizers as data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.storage.container import ModelFileError
from isthmus.storage.trees import Packer
from isthmus.text.bilingual_vectorizer import BilingualVectorizer
from isthmus.text.character_vectorizer import CharacterVectorizer
from isthmus.text.translation import Coverage, JointVocabulary
from isthmus.text.translation.coverage import KINDS
from isthmus.text.vectorizer import TextVectorizer

__all__ = ["pack_characters", "pack_vectorizer", "unpack_characters", "unpack_vectorizer"]

_PARTS = {"settings", "terms", "spellings", "weights"}
_CHARACTER_PARTS = {"settings", "terms", "weights"}
_JOINT_PARTS = {"terms", "source", "rows", "columns", "proportions", "use", "coverage"}
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
        "joint_vocabulary": _pack_joint_vocabulary(vectorizer.joint_vocabulary_, packer),
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
        _check_words(names)
    if not terms or len(set(terms)) != len(terms) or len(spellings) != len(terms):
        raise ModelFileError("the vocabulary is empty, has duplicate terms, or lacks spellings")
    _check_weights(weights, len(terms))
    try:
        return TextVectorizer(**state["settings"]).restore(terms, spellings, weights)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the text settings are invalid ({error})") from None


def _unpack_bilingual(state: dict[str, Any]) -> BilingualVectorizer:
    source, target = _unpack_text(state["source"]), _unpack_text(state["target"])
    joint = _unpack_joint_vocabulary(
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


def _pack_joint_vocabulary(vocabulary: JointVocabulary, packer: Packer) -> dict[str, Any]:
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


def _unpack_joint_vocabulary(state: Any, n_source: int, n_target: int) -> JointVocabulary:
    """The joint vocabulary of vocabularies of these sizes."""
    if not isinstance(state, dict) or set(state) != _JOINT_PARTS:
        raise ModelFileError("the joint vocabulary of the two languages is not complete")
    terms = state["terms"]
    _check_words(terms)
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
    _check_words([word for word, _ in unknown])
    numbers = [*words.values(), *tokens.values(), unused, n_pairs, *(use for _, use in unknown)]
    if not all(0 <= number < 2**63 for number in numbers):
        raise ModelFileError("the coverage of the joint vocabulary cannot be read")
    return Coverage(words, tokens, unused, unknown, n_pairs)


def _check_words(names: Any) -> None:
    """Raise ModelFileError unless all names are printable; others could attack a terminal."""
    if not isinstance(names, list) or not all(map(_is_word, names)):
        raise ModelFileError("the vocabulary is not a list of words")


def _is_word(name: Any) -> bool:
    return isinstance(name, str) and name.isprintable()
