"""Model files: a fitted Transfer as one file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import clone

from isthmus._version import __version__
from isthmus.estimators.base.verdict import Verdict
from isthmus.storage.container import ModelFileError, read_container, write_container
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from isthmus.storage.vectorizers import (
    pack_characters,
    pack_vectorizer,
    unpack_characters,
    unpack_vectorizer,
)
from isthmus.transfer.fitting import set_verdicts
from isthmus.transfer.model import Transfer
from isthmus.transfer.texts import DEFAULT_TARGET

__all__ = ["load", "save"]

_FORMAT = "isthmus-model"
_VERSION = 4


def save(model: Transfer, path: str | os.PathLike[str]) -> None:
    """Write what predictions need; see :meth:`Transfer.save`.

    The engine is left out: a model that was fitted on a GPU predicts on any machine.
    """
    packer = Packer()
    manifest = {
        "format": _FORMAT,
        "version": _VERSION,
        "written_by": f"isthmus {__version__}",
        "domains": packer.pack(model.domains_, "The names of the domains"),
        "vectorizer": pack_vectorizer(model.vectorizer_, packer),
        "characters": pack_characters(model.characters_, packer),
        "estimator": pack_classifier(model.estimator_, packer),
        "source_only": pack_classifier(model.source_only_, packer),
        "verdicts": packer.pack(_pack_verdicts(model), "The verdict"),
    }
    write_container(path, manifest, packer.arrays)


def load(path: str | os.PathLike[str]) -> Transfer:
    """Read a model that :meth:`isthmus.Transfer.save` wrote.

    A model file is data, never code, so files from others can be opened safely.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Transfer
        The fitted model. It predicts, explains and gives the top words; attributes that describe
        the fitted texts, such as ``labels_``, are not in the file.

    Raises
    ------
    ModelFileError
        If the file is missing, damaged, or needs another version of isthmus.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import isthmus
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = isthmus.Transfer("cocc", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> with TemporaryDirectory() as folder:
    ...     model.save(Path(folder, "kitchen.isthmus"))
    ...     loaded = isthmus.load(Path(folder, "kitchen.isthmus"))
    >>> loaded.predict(["The kettle is sturdy and quick, a delight."]).tolist()
    ['positive']
    """
    manifest, arrays = read_container(path)
    if manifest.get("format") != _FORMAT:
        raise ModelFileError(f"'{path}' is not a model file of isthmus.")
    version = manifest.get("version")
    if type(version) is not int or version != _VERSION:
        newer = type(version) is int and version > _VERSION
        raise ModelFileError(
            f"'{path}' has format {str(version)[:20]!r} (written by "
            f"{str(manifest.get('written_by'))[:40]!r}), and isthmus {__version__} reads format "
            f"{_VERSION}: {'install a newer isthmus' if newer else 'save the model again'}."
        )
    try:
        return _unpack(manifest, Unpacker(arrays))
    except ModelFileError as error:
        raise ModelFileError(f"The model file '{path}' is damaged: {error}.") from None
    except ImportError:  # the file is valid, but an optional package is missing
        raise
    except Exception as error:  # a malicious file may fail in any way
        raise ModelFileError(
            f"The model file '{path}' is damaged ({type(error).__name__}: {error})."
        ) from None


def _unpack(manifest: dict[str, Any], unpacker: Unpacker) -> Transfer:
    parts = ("domains", "vectorizer", "characters", "estimator", "source_only")
    state = {key: unpacker.unpack(manifest.get(key)) for key in parts}
    model = Transfer()
    model.vectorizer_ = unpack_vectorizer(state["vectorizer"])
    model.characters_ = unpack_characters(state["characters"])
    n_terms = len(model.vectorizer_.terms_)
    model.estimator_ = unpack_classifier(state["estimator"], n_terms)
    model.source_only_ = unpack_classifier(state["source_only"], n_terms)
    if model.characters_ is not None and not getattr(model.estimator_, "uses_characters", False):
        raise ModelFileError("it has character n-grams, which its method does not use")
    n_ngrams = 0 if model.characters_ is None else len(model.characters_.terms_)
    n_fitted = getattr(model.estimator_.model_, "n_second", n_ngrams)
    if n_fitted != n_ngrams:
        raise ModelFileError(
            f"it has {n_ngrams} character n-grams, and its method was fitted with {n_fitted}"
        )
    known, plain = model.estimator_, model.source_only_
    if not np.array_equal(known.domains_, plain.domains_):
        raise ModelFileError("its two classifiers have different domains")
    # A class may occur only in labels of the target.
    if not set(plain.classes_.tolist()) <= set(known.classes_.tolist()):
        raise ModelFileError("its two classifiers have different classes")
    model.domains_ = _check_domains(state["domains"], model.estimator_)
    model.classes_ = model.estimator_.classes_
    _unpack_verdicts(unpacker.unpack(manifest.get("verdicts")), model)
    return model.set_params(method=clone(model.estimator_), vectorizer=clone(model.vectorizer_))


def _check_domains(domains: Any, estimator: Any) -> dict[str, int]:
    if (
        not isinstance(domains, dict)
        or not all(isinstance(name, str) for name in domains)
        or not all(isinstance(number, int) for number in domains.values())
        or sorted(domains.values()) != sorted(estimator.domains_.tolist())
    ):
        raise ModelFileError("the names of the domains do not match the method")
    return domains


def _pack_verdicts(model: Transfer) -> dict[str, Any]:
    """Return the verdicts of a model as plain data."""
    return {
        "as_mapping": isinstance(model.verdict_, dict),
        "targets": {name: verdict.to_dict() for name, verdict in model.verdicts_.items()},
    }


def _unpack_verdicts(state: Any, model: Transfer) -> None:
    """Set the verdicts of a model that was read from a file; a file may have none."""
    if state is None:
        state = {"as_mapping": DEFAULT_TARGET not in model.domains_, "targets": {}}
    if not isinstance(state, dict) or set(state) != {"as_mapping", "targets"}:
        raise ModelFileError("the verdict has other fields than expected")
    as_mapping, targets = state["as_mapping"], state["targets"]
    names = {name for name, number in model.domains_.items() if number < 0}
    if not isinstance(as_mapping, bool) or not (as_mapping or names == {DEFAULT_TARGET}):
        raise ModelFileError("the verdict does not match the targets")
    if not isinstance(targets, dict) or not set(targets) <= names:
        raise ModelFileError("the verdict does not match the targets")
    try:
        by_number = {
            model.domains_[name]: Verdict.from_dict(record, model.classes_.tolist())
            for name, record in targets.items()
        }
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    set_verdicts(model, by_number, as_mapping)
