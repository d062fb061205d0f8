"""SC, the spectral learning of Kamvar, Klein and Manning (2003)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.spectral._base import SpectralTransferClassifier
from isthmus.estimators.spectral._blocks import back_to_domains, by_label, stacked_labels
from isthmus.estimators.spectral._embedding_classifier import TrainingSet
from isthmus.estimators.spectral._out_of_sample import joined
from isthmus.matrices.rows import is_signed
from isthmus.numerics.affinity import CosineAffinity, OutOfSampleMap
from isthmus.numerics.eigen import start_vector
from isthmus.numerics.progress import Callback
from isthmus.solvers.spectral.spectral_classifier import spectral_classifier


class SpectralClassifier(SpectralTransferClassifier):
    """Spectral learning: labels overwrite similarities, eigenvectors carry them on (SC).

    With ``A`` the cosines of all documents, of which those between labelled documents are set to 1
    (same class) or 0 (different classes), ``D`` its row sums and ``d_max`` the largest of them,
    takes the ``n_eigenvectors`` largest eigenvectors of

    ``N = (A + d_max I - D) / d_max``

    scales every document's row of them to length 1 and classifies those rows. Made for labelled
    and unlabelled documents of one domain: a system to compare with.

    ``A`` is never formed: the overwritten part is a sum a class. New documents get their row by
    Nyström's extension. Where documents have entries below zero, (1 + cosine) / 2 takes the place
    of the cosine.

    Parameters
    ----------
    n_eigenvectors : int, default=6
    classifier : {"nearest", "ridge", "logistic", "svm"} or classifier, default="nearest"
        What is fitted to the rows of the labelled documents: the nearest of them, as its authors
        did, or any classifier of scikit-learn.
    eigen_tol : float, default=1e-6
        Relative accuracy of the eigenvalues.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_
        As of :class:`MTrick`.
    embedding_ : array of shape (n_rows, n_eigenvectors)
        What the classifier saw of every fitted document; zeros for an empty one.
    eigenvalues_ : array of shape (n_eigenvectors,)
        Those of ``I - N``, rising from 0.
    classifier_ : object
        The classifier fitted.

    References
    ----------
    S. D. Kamvar, D. Klein, C. D. Manning. Spectral Learning. IJCAI 2003. Built from its
    description in other papers, for it was not at hand.

    Examples
    --------
    >>> from isthmus import SpectralClassifier
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> SpectralClassifier(2).fit(X, ["art", "sport", None, None]).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

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
        super()._check_parameters()
        check_whole_number("n_eigenvectors", self.n_eigenvectors, least=1)
        check_number("eigen_tol", self.eigen_tol, least=1e-12, most=0.1)

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
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
        self.eigenvalues_ = spectrum.eigenvalues
        self._keep_seen(affinity, spectrum.embedding, spectrum.unit, X.dtype)
        shaped = self._shaped(spectrum.embedding).astype(X.dtype)
        known = labels >= 0
        self._teach(TrainingSet(shaped[known], labels[known], np.ones(int(known.sum()), X.dtype)))
        # An empty document is like no other, though eigenvectors may have something for it.
        linked = np.concatenate([block.documents.row_norms() > 0 for block in blocks])
        memberships = np.where(linked[:, None], self._classify(shaped), 0).astype(X.dtype)
        self.embedding_ = problem.gather(back_to_domains(problem, blocks, shaped))
        found = back_to_domains(problem, blocks, memberships)
        self._keep_words(problem, found)
        return found

    def _keep_seen(
        self,
        affinity: CosineAffinity,
        coordinates: NDArray[Any],
        unit: float,
        dtype: Any,
    ) -> None:
        """A new document has no label, so nothing between it and others is overwritten."""
        columns = np.hstack([coordinates, np.ones((len(coordinates), 1))])
        seen = affinity.seen_by(np.ones((1, len(affinity.blocks))), columns)[0]
        constant = OutOfSampleMap(np.zeros((seen.words.shape[0], 1)), np.array([unit]))
        self._keep_ways_in([joined([seen, constant], dtype)])

    def _shaped(self, coordinates: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(normalize(coordinates))
