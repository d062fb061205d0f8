"""What classifiers on the eigenvectors of a graph of documents share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.linear_models import linear_memberships
from isthmus.estimators.spectral._embedding_classifier import (
    LINEAR,
    TrainingSet,
    check_classifier,
    class_shares,
    linear_rule,
    taught,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.numerics.affinity import OutOfSampleMap
from isthmus.numerics.scaling import unit_rows
from isthmus.solvers.spectral._nystrom import extend

# The share of documents that a coordinate must set apart to be about more than a few of them.
_FEWEST = 0.01


class SpectralTransferClassifier(TransferClassifier):
    """Base: documents as rows of eigenvectors, and a classifier on them.

    A subclass finds the coordinates of the fitted documents and keeps, for every domain, what
    leads a new one to its own (``_keep_ways_in``); ``_shaped`` is what the classifier sees. A
    model file holds data alone: the weights of a linear classifier; of another what it was taught,
    for the same lesson gives the same classifier.
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "eigenvalues_": "e",
        "extension_words_": "domain:mf",
        "extension_offset_": "domain:f",
        "class_words_": "domain:mc",
        "coef_": "ce",
        "intercept_": "c",
        "training_coordinates_": "ae",
        "training_labels_": "a",
        "training_weights_": "a",
    }

    classifier: Any
    extension_words_: dict[int, NDArray[Any]]
    extension_offset_: dict[int, NDArray[Any]]

    def _check_parameters(self) -> None:
        check_classifier(self.classifier)

    def _check_fitted(self) -> None:
        labels, weights = self.training_labels_, self.training_weights_
        if labels.dtype.kind != "i" or labels.min() < 0 or labels.max() >= len(self.classes_):
            raise ValueError("training_labels_ does not hold numbers of classes")
        if weights.min() <= 0:
            raise ValueError("training_weights_ holds weights that are not above 0")

    @abstractmethod
    def _shaped(self, coordinates: NDArray[Any]) -> NDArray[Any]:
        """Coordinates as the classifier sees them."""

    def _teach(self, lesson: TrainingSet) -> None:
        n_classes, width = len(self.classes_), lesson.coordinates.shape[1]
        self.classifier_ = taught(self.classifier, lesson)
        self.coef_, self.intercept_ = np.zeros((n_classes, width)), np.zeros(n_classes)
        if isinstance(self.classifier, str) and self.classifier in LINEAR:
            self.coef_, self.intercept_ = linear_rule(self.classifier_, n_classes, width)
            lesson = lesson.forgotten()
        self.training_coordinates_, self.training_labels_ = lesson.coordinates, lesson.labels
        self.training_weights_ = lesson.weights

    def _classify(self, shaped: NDArray[Any]) -> NDArray[Any]:
        """Memberships of documents from their coordinates, in every class of the problem."""
        if isinstance(self.classifier, str) and self.classifier in LINEAR:
            return linear_memberships(shaped, self.coef_, self.intercept_)
        if not hasattr(self, "classifier_"):  # this estimator comes from a file
            self._teach(
                TrainingSet(
                    self.training_coordinates_, self.training_labels_, self.training_weights_
                )
            )
        return class_shares(self.classifier_, shaped, len(self.classes_))

    def _keep_ways_in(self, ways: Sequence[OutOfSampleMap]) -> None:
        """One for every domain, or one for all."""
        ways = ways if len(ways) > 1 else [*ways] * len(self.domains_)
        by_number = dict(zip(self.domains_.tolist(), ways, strict=True))
        self.extension_words_ = {number: way.words for number, way in by_number.items()}
        self.extension_offset_ = {number: way.offset for number, way in by_number.items()}

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        coordinates, known = self._new_coordinates(X, number)
        memberships = np.zeros((X.shape[0], len(self.classes_)), X.dtype)
        if known.any():
            memberships[known] = self._classify(self._shaped(coordinates[known]))
        return memberships

    def _read_new(self, X: Any) -> Documents:
        """New documents with the weights of terms that the fitted ones had."""
        return as_documents(X)

    def _new_coordinates(
        self, X: Any, number: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Coordinates of new documents, and which of them have a word that was seen."""
        seen = OutOfSampleMap(self.extension_words_[number], self.extension_offset_[number])
        found = seen.of(unit_rows(self._read_new(X)))
        pulled, own, unit = found[:, :-2], found[:, -2], found[:, -1]
        return extend(pulled, own, unit, self.eigenvalues_), own > 0

    def _keep_words(self, problem: Problem, memberships: list[NDArray[Any]]) -> None:
        """How much more often a word stands with a class than the class is large."""
        self.class_words_ = {}
        for domain, found in zip(problem.domains, memberships, strict=True):
            known = np.eye(problem.n_classes)[np.maximum(domain.labels, 0)]
            shares = np.where(domain.labelled[:, None], known, found)
            documents = unit_rows(domain.documents)
            words = np.asarray(documents.transposed_times(shares.astype(documents.dtype)))
            size = shares.sum(axis=0) / max(1.0, float(shares.sum()))
            self.class_words_[domain.number] = words - words.sum(axis=1, keepdims=True) * size

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return self.class_words_


def column_scaling(
    coordinates: NDArray[Any], eigenvalues: NDArray[Any], n_classes: int, time: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shift and scale of every coordinate: to variance 1, then to what a random walk leaves of it.

    That is ``(1 - eigenvalue) ** time``, relative to the first coordinate that the classes do not
    need. A coordinate that sets but a few documents apart is not one of those, and counts no more
    than it; one without variance gets the scale 0.
    """
    if len(coordinates) == 0:
        return np.zeros(len(eigenvalues)), np.ones(len(eigenvalues))
    spread = coordinates.std(axis=0)
    flat = spread <= 1e-12 * np.abs(coordinates).max()
    mean, spread = coordinates.mean(axis=0), np.where(flat, 1.0, spread)
    # The fourth moment is one over the share of documents that are set apart, or nearly so.
    local = (((coordinates - mean) / spread) ** 4).mean(axis=0) > 1 / _FEWEST
    left = np.maximum(1 - eigenvalues, 0)
    broad = left[~local] if not local.all() else left
    unit = broad[min(n_classes, len(broad)) - 1]
    shares = left / unit if unit > 0 else (left > 0).astype(float)
    shares = np.where(local, np.minimum(shares, 1.0), shares)
    return mean, np.where(flat, 0.0, shares**time / spread)
