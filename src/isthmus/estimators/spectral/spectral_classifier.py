"""SC, the spectral learning of Kamvar, Klein and Manning (2003)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.spectral._embedding_classifier import (
    TrainingSet,
    check_embedding_classifier,
    embedding_classifier,
    fit_classifier,
)
from isthmus.estimators.spectral._model import (
    SpectralModel,
    by_label,
    class_words,
    joined,
    map_fields,
    scale_coordinates,
    split_by_domain,
    stacked_labels,
)
from isthmus.matrices.rows import is_signed
from isthmus.numerics.affinity import CosineAffinity, OutOfSampleMap
from isthmus.numerics.eigen import start_vector
from isthmus.numerics.progress import Callback
from isthmus.solvers.spectral.spectral_classifier import spectral_classifier


class SpectralClassifier(TransferClassifier):
    """Spectral learning: eigenvectors of similarities that the labels overwrite (SC).

    ``A`` holds the cosines of all documents; those between labeled documents are set to 1 (same
    class) or 0 (different classes). With its row sums ``D`` and their maximum ``d_max``, computes
    the ``n_eigenvectors`` largest eigenvectors of

    ``N = (A + d_max I - D) / d_max``

    scales the row of every document to unit norm and classifies these rows. The method was
    designed for labeled and unlabeled documents of one domain; it serves as a baseline.

    ``A`` is never formed: the overwritten part is one sum per class. New documents get their row by
    the Nyström extension. If documents have negative values, ``(1 + cosine) / 2`` replaces the
    cosine.

    Parameters
    ----------
    n_eigenvectors : int, default=6
        Number of eigenvectors.
    classifier : {"nearest", "ridge", "logistic", "svm"} or classifier, default="nearest"
        Classifier of the rows of the labeled documents: the nearest neighbor, as in the paper, or
        any scikit-learn classifier.
    eigen_tol : float, default=1e-6
        Relative accuracy of the eigenvalues.

    Attributes
    ----------
    embedding_ : array of shape (n_rows, n_eigenvectors)
        Scaled rows of the eigenvectors, one per fitted document.
    eigenvalues_ : array of shape (n_eigenvectors,)
        Eigenvalues of ``I - N``, increasing from 0.
    classifier_ : object
        The fitted classifier.

    References
    ----------
    S. D. Kamvar, D. Klein, C. D. Manning. Spectral Learning. IJCAI 2003. The paper was not
    available; this follows its description in other papers.

    Examples
    --------
    >>> from isthmus import SpectralClassifier
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> SpectralClassifier(2).fit(X, ["art", "sport", None, None]).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

    _model_class: ClassVar[type[FittedModel]] = SpectralModel

    def __init__(
        self,
        n_eigenvectors: int = 6,
        *,
        classifier: Any = "nearest",
        eigen_tol: float = 1e-6,
        missing_label: Any = -1,
    ) -> None:
        self.n_eigenvectors = n_eigenvectors
        self.classifier = classifier
        self.eigen_tol = eigen_tol
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_embedding_classifier(self.classifier)
        check_whole_number("n_eigenvectors", self.n_eigenvectors, least=1)
        check_number("eigen_tol", self.eigen_tol, least=1e-12, most=0.1)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        problem, X = data.problem, data.X
        blocks = by_label(problem)
        labels = stacked_labels(blocks)
        affinity = CosineAffinity.of([b.documents for b in blocks], signed=is_signed(X))
        spectrum = spectral_classifier(
            affinity,
            labels,
            [bool(block.labels[0] >= 0) for block in blocks],
            n_eigenvectors=self.n_eigenvectors,
            start=start_vector(affinity.blocks),
            tol=self.eigen_tol,
        )
        embedding = scale_coordinates(spectrum.embedding, None, None).astype(X.dtype)
        known = labels >= 0
        training_set = TrainingSet(
            embedding[known], labels[known], np.ones(int(known.sum()), X.dtype)
        )
        estimator = fit_classifier(self.classifier, training_set)
        classifier = embedding_classifier(
            self.classifier, estimator, training_set, problem.n_classes
        )
        # An empty document is similar to no other, but may have coordinates that are not zero.
        linked = np.concatenate([block.documents.row_norms() > 0 for block in blocks])
        predicted = classifier.classify(embedding, problem.n_classes)
        stacked = np.where(linked[:, None], predicted, 0).astype(X.dtype)
        memberships = split_by_domain(problem, blocks, stacked)
        extension = _out_of_sample_map(affinity, spectrum.embedding, spectrum.unit, X.dtype)
        model = SpectralModel(
            **classifier.as_fields(),
            **map_fields(problem, [extension]),
            term_totals=data.term_totals,
            eigenvalues=spectrum.eigenvalues,
            class_words=class_words(problem, memberships),
        )
        diagnostics = {
            "embedding_": problem.gather(split_by_domain(problem, blocks, embedding)),
            "classifier_": estimator,
        }
        return Fit(model, memberships, diagnostics)


def _out_of_sample_map(
    affinity: CosineAffinity, coordinates: NDArray[Any], unit: float, dtype: Any
) -> OutOfSampleMap:
    """The map of the Nyström extension; similarities of a new document are not overwritten."""
    columns = np.hstack([coordinates, np.ones((len(coordinates), 1))])
    similarities = affinity.out_of_sample_maps(np.ones((1, len(affinity.blocks))), columns)[0]
    constant = OutOfSampleMap(np.zeros((similarities.words.shape[0], 1)), np.array([unit]))
    return joined([similarities, constant], dtype)
