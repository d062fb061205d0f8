"""CDSC, the cross-domain spectral classifier of Ling et al. (2008)."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.components.idf import idf_weights, with_scaled_terms
from isthmus.estimators.components.linear_models import linear_memberships
from isthmus.estimators.components.neighbors import neighbour_graph
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
)
from isthmus.estimators.spectral._base import SpectralTransferClassifier, column_scaling
from isthmus.estimators.spectral._blocks import (
    Block,
    back_to_domains,
    stacked_labels,
    whole_domains,
)
from isthmus.estimators.spectral._out_of_sample import through_labels, through_similarities
from isthmus.estimators.spectral._self_training import lessons
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import is_signed, with_unit_rows
from isthmus.numerics.affinity import ROUNDING, CosineAffinity, GraphAffinity
from isthmus.numerics.eigen import start_vector
from isthmus.numerics.progress import Callback
from isthmus.solvers.spectral.cdsc import balance, cdsc, cdsc_system, target_boost

# (1 + cosine) / 2 is large for any two documents, so that anything but an even balance is a cut
# between the domains stronger than any other.
_CROSS_SHARE, _CROSS_SHARE_SIGNED = 0.44, 0.5


class CDSC(SpectralTransferClassifier):
    """The cut of all documents, held together by the labels, in a space for a classifier.

    With the cosines ``W`` of all documents and their degrees ``D``, ``W_s`` and ``D_s`` the same
    between target documents only, and ``U'`` the must-links between labelled documents of a class,
    takes the eigenvectors with the smallest eigenvalues of

    ``D^-1/2 [(D - W) + beta U' + lambda (D_s - W_s)] D^-1/2``

    and classifies documents by their row of ``D^-1/2`` times these eigenvectors. The default is the
    method with what our experiments added (``benchmarks/cdsc_defaults.md``): documents of one side
    weigh less with each other (``cross_share``), rare terms count more, every eigenvector is scaled
    by how much of it a random walk leaves, and the classifier is taught again with the target's
    labels it found, until they settle. ``from_preset("paper")`` has none of that.

    ``W`` is never formed: a product with it is two with the documents. New documents get their
    row by Nyström's extension. Where documents have entries below zero, (1 + cosine) / 2 takes
    the place of the cosine.

    Parameters
    ----------
    n_eigenvectors : int, default=30
        How many coordinates the classifier sees. With ``scaling="columns"`` the first eigenvector,
        which is constant, is left out.
    beta : float, default=0.01
        Weight of the must-links.
    relative_beta : bool, default=True
        Whether ``beta`` is ``b`` in ``beta_c n_c = b * mean degree`` for a class of ``n_c``
        documents, which means the same for small and large data, or the paper's own beta.
    lam : float, default=0.025
        Weight of the cut of the target alone (lambda).
    cross_share : float, "auto" or None, default="auto"
        Pairs of documents of one side are weighed so that this share of the degrees of either side
        lies in the other; None leaves the cosines as they are. ``"auto"`` is 0.44, and 0.5 for
        documents with entries below zero.
    self_similarity : bool, default=False
        Whether ``W`` has a diagonal of ones or of zeros.
    idf_power : float, default=1.0
        Every term is multiplied by its inverse document frequency to this power, on top of the
        weights it has; 0 leaves the terms alone, as they are in a dense array.
    scaling : {"columns", "rows"}, default="columns"
        Whether every coordinate is scaled to mean 0 and variance 1, then by ``diffusion_time``, or
        every document's row to length 1 (the paper).
    diffusion_time : float, default=2.0
        With ``scaling="columns"`` a coordinate of eigenvalue mu counts ``(1 - mu)`` to this power,
        which is what so many steps of a random walk leave of it, relative to the first coordinate
        that the classes do not need (the c-th, for c classes).
    n_neighbors : int or None, default=None
        Keep only the similarities between a document and so many that are most like it. Measured,
        it gained nothing and with few neighbours lost much; it costs time that grows with the
        square of the number of documents, and new documents are then classified by a logistic
        regression on the labels found.
    classifier : {"ridge", "logistic", "svm", "nearest"} or classifier, default="ridge"
        What is taught the coordinates of the labelled documents: least squares with a penalty, or
        any classifier of scikit-learn. Classes weigh the same.
    n_rounds : int, default=20
        Rounds of teaching with the labels found for the target; 0 is a single classifier. They end
        when no label changes.
    eigen_tol : float, default=1e-4
        Relative accuracy of the eigenvalues.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_
        As of :class:`MTrick`.
    embedding_ : array of shape (n_rows, n_eigenvectors)
        What the classifier saw of every fitted document; zeros for an empty one.
    eigenvalues_ : array of shape (n_eigenvectors,)
        In rising order.
    classifier_ : object
        The classifier fitted.
    n_rounds_ : int
        Rounds of teaching after the first.
    term_scale_ : array of shape (n_terms,)
        What every term was multiplied with.

    References
    ----------
    X. Ling, W. Dai, G.-R. Xue, Q. Yang, Y. Yu. Spectral Domain-Transfer Learning. KDD 2008.

    Examples
    --------
    >>> from isthmus import CDSC
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> CDSC().fit(X, ["art", "sport", None, None]).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **SpectralTransferClassifier._fitted_shapes,
        "embedding_mean_": "e",
        "embedding_scale_": "e",
        "term_scale_": "m",
        "n_rounds_": "",
    }
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            "n_eigenvectors": 6,
            "beta": 15.0,
            "relative_beta": False,
            "lam": 0.025,
            "cross_share": None,
            "self_similarity": True,
            "idf_power": 0.0,
            "scaling": "rows",
            "classifier": "svm",
            "n_rounds": 0,
        }
    }

    def __init__(
        self,
        n_eigenvectors: int = 30,
        *,
        beta: float = 0.01,
        relative_beta: bool = True,
        lam: float = 0.025,
        cross_share: float | str | None = "auto",
        self_similarity: bool = False,
        idf_power: float = 1.0,
        scaling: str = "columns",
        diffusion_time: float = 2.0,
        n_neighbors: int | None = None,
        classifier: Any = "ridge",
        n_rounds: int = 20,
        eigen_tol: float = 1e-4,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_eigenvectors = n_eigenvectors
        self.beta = beta
        self.relative_beta = relative_beta
        self.lam = lam
        self.cross_share = cross_share
        self.self_similarity = self_similarity
        self.idf_power = idf_power
        self.scaling = scaling
        self.diffusion_time = diffusion_time
        self.n_neighbors = n_neighbors
        self.classifier = classifier
        self.n_rounds = n_rounds
        self.eigen_tol = eigen_tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    @property
    def _max_iterations(self) -> int:
        return self.n_rounds

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole_number("n_eigenvectors", self.n_eigenvectors, least=1)
        check_number("beta", self.beta, least=0)
        check_flag("relative_beta", self.relative_beta)
        check_flag("self_similarity", self.self_similarity)
        check_number("lam", self.lam, least=0)
        if isinstance(self.cross_share, str) and self.cross_share != "auto":
            raise ValueError(
                f"cross_share must be 'auto', None or a number, got {self.cross_share!r}."
            )
        if self.cross_share not in (None, "auto"):
            check_number("cross_share", self.cross_share, least=0.01, most=0.99)
        check_number("idf_power", self.idf_power, least=0, most=10)
        check_choice("scaling", self.scaling, ("columns", "rows"))
        check_number("diffusion_time", self.diffusion_time, least=0, most=20)
        if self.n_neighbors is not None:
            check_whole_number("n_neighbors", self.n_neighbors, least=1)
        check_whole_number("n_rounds", self.n_rounds, least=0)
        check_number("eigen_tol", self.eigen_tol, least=1e-12, most=0.1)

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        blocks = whole_domains(problem)
        labels = stacked_labels(blocks)
        is_target = [block.domain.is_target for block in blocks]
        affinity = self._balanced(self._affinity(blocks, X), blocks, is_signed(X))
        system = cdsc_system(
            affinity,
            labels,
            is_target,
            beta=self.beta,
            lam=self.lam,
            relative_beta=self.relative_beta,
        )
        spectrum = cdsc(
            system,
            self.n_eigenvectors,
            start_vector([block.documents for block in blocks]),
            tol=self.eigen_tol,
            without_constant=self.scaling == "columns",  # it would have no variance
        )
        linked = spectrum.degrees > 0
        self.eigenvalues_ = spectrum.eigenvalues
        self.embedding_mean_, self.embedding_scale_ = column_scaling(
            spectrum.embedding[linked],
            spectrum.eigenvalues,
            problem.n_classes,
            self.diffusion_time,
        )
        shaped = np.zeros(spectrum.embedding.shape, X.dtype)
        shaped[linked] = self._shaped(spectrum.embedding[linked])
        self._learn(shaped[linked], labels[linked], callback)
        found = np.zeros((len(labels), problem.n_classes), X.dtype)
        found[linked] = self._classify(shaped[linked])
        if not linked.all():  # what hangs together with few others is what they are
            votes = affinity.times(np.eye(problem.n_classes)[labels] * (labels >= 0)[:, None])
            found[~linked] = np.where(votes > ROUNDING, votes, 0.0)[~linked]
            _warn_of_strangers(found[labels < 0])
        memberships = back_to_domains(problem, blocks, found)
        self.embedding_ = problem.gather(back_to_domains(problem, blocks, shaped))
        self._keep_words(problem, memberships)
        if isinstance(affinity, GraphAffinity):
            self._keep_ways_in([through_labels(problem, X, memberships)])
        else:
            boost = target_boost(is_target, self.lam)
            ways = through_similarities(affinity, boost, spectrum.embedding, linked)
            self._keep_ways_in(ways)
        return memberships

    def _affinity(self, blocks: list[Block], X: Any) -> CosineAffinity | GraphAffinity:
        self.term_scale_ = idf_weights(X, self.idf_power)
        documents = [block.documents.scaled(columns=self.term_scale_) for block in blocks]
        signed = is_signed(X)
        if self.n_neighbors is None:
            return CosineAffinity.of(documents, signed=signed, with_self=self.self_similarity)
        order = np.concatenate([np.arange(X.shape[0])[block.domain.rows] for block in blocks])
        graph = neighbour_graph(
            with_scaled_terms(X[order], self.term_scale_),
            self.n_neighbors,
            signed=signed,
            with_self=self.self_similarity,
        )
        return GraphAffinity.of(
            as_documents(graph.astype(X.dtype)), [len(block.rows) for block in blocks]
        )

    def _balanced(
        self, affinity: CosineAffinity | GraphAffinity, blocks: list[Block], signed: bool
    ) -> CosineAffinity | GraphAffinity:
        share = self.cross_share
        if share is None:
            return affinity
        if share == "auto":
            share = _CROSS_SHARE_SIGNED if signed else _CROSS_SHARE
        is_target = [block.domain.is_target for block in blocks]
        sizes = [len(block.rows) for block in blocks]
        return affinity.reweighted(balance(affinity, sizes, is_target, float(share)))

    def _learn(
        self, shaped: NDArray[Any], labels: NDArray[np.intp], callback: Callback | None
    ) -> None:
        n_classes = len(self.classes_)
        if not (labels >= 0).any():  # no labelled document has a word that another has
            likeliest = np.array([self.class_prior_.argmax()])
            shaped, labels = np.zeros((1, shaped.shape[1]), shaped.dtype), likeliest
        taken = lessons(self.classifier, shaped, labels, n_classes, self.n_rounds, callback)
        [(self.n_rounds_, last)] = deque(enumerate(taken), maxlen=1)
        self._teach(last)

    def _shaped(self, coordinates: NDArray[Any]) -> NDArray[Any]:
        if self.scaling == "rows":
            return np.asarray(normalize(coordinates))
        return (coordinates - self.embedding_mean_) * self.embedding_scale_

    def _read_new(self, X: Any) -> Documents:
        return super()._read_new(X).scaled(columns=self.term_scale_)

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        if self.n_neighbors is None:
            return super()._new_memberships(X, number)
        rule = (self.extension_words_[number].T, self.extension_offset_[number])
        memberships = linear_memberships(with_unit_rows(X), *rule).astype(X.dtype)
        memberships[as_documents(X).row_norms() == 0] = 0
        return memberships


def _warn_of_strangers(found: NDArray[Any]) -> None:
    """Say so if most documents to be labelled are like no labelled one."""
    lost = int(np.count_nonzero(~found.any(axis=1)))
    if 2 * lost > len(found):
        warn_user(
            f"{lost} of {len(found)} documents without a label have no term that leads to a "
            "labelled one, so they get the class shares of the source: check that all documents "
            "were counted with one vocabulary."
        )
