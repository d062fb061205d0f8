"""CDSC, the cross-domain spectral classifier of Ling et al. (2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.labels import one_hot
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.domain_estimator import ONE_MACHINE
from isthmus.estimators.base.fitted_model import Fit, FittedModel, array, flag
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.idf import idf_weights, with_scaled_terms
from isthmus.estimators.components.linear_models import softmax_memberships
from isthmus.estimators.components.neighbor_graph import neighbor_graph
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_number,
    check_whole_number,
)
from isthmus.estimators.spectral._embedding_classifier import (
    check_embedding_classifier,
    embedding_classifier,
)
from isthmus.estimators.spectral._model import (
    Block,
    SpectralModel,
    class_words,
    column_scaling,
    label_map,
    map_fields,
    scale_coordinates,
    similarity_maps,
    split_by_domain,
    stacked_labels,
    whole_domains,
)
from isthmus.estimators.spectral._self_training import SelfTrained, self_train, self_train_ridge
from isthmus.matrices.protocols import Array, Documents
from isthmus.matrices.rows import as_documents, is_signed, with_unit_rows
from isthmus.numerics.affinity import ROUNDING, CosineAffinity, GraphAffinity
from isthmus.numerics.eigen import start_vector
from isthmus.numerics.progress import Callback
from isthmus.solvers.spectral.cdsc import balance, cdsc, cdsc_system, target_boost

# (1 + cosine) / 2 is large for any two documents. With less than an even balance, the cut between
# the domains would be stronger than any other.
_CROSS_SHARE, _CROSS_SHARE_SIGNED = 0.44, 0.5


@dataclass(frozen=True, kw_only=True)
class CDSCModel(SpectralModel):
    """A spectral model with term weights.

    With ``predicts_from_terms``, for graphs of nearest neighbors, the out-of-sample map leads to
    class scores instead of coordinates.
    """

    term_scale: NDArray[Any] = array("terms")
    predicts_from_terms: bool = flag()

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        if not self.predicts_from_terms:
            return super().predict_memberships(X, domain)
        coef, intercept = self.out_of_sample_weights[domain].T, self.out_of_sample_offset[domain]
        memberships = softmax_memberships(with_unit_rows(X), coef, intercept).astype(X.dtype)
        memberships[as_documents(X).row_norms() == 0] = 0
        return memberships

    @property
    def _n_outputs(self) -> int:
        return self._n_classes if self.predicts_from_terms else super()._n_outputs

    def _documents(self, X: Any) -> Documents:
        documents = super()._documents(X)
        return documents.scaled(columns=documents.engine.asarray(self.term_scale))


class CDSC(TransferClassifier):
    """Spectral classification: eigenvectors of a graph of all documents, and a classifier of them.

    With the cosines ``W`` of all documents and their row sums ``D``, the same matrices ``W_s`` and
    ``D_s`` restricted to target documents, and the must-links ``U'`` between labeled documents of
    the same class, computes the eigenvectors with the smallest eigenvalues of

    ``D^-1/2 [(D - W) + beta U' + lambda (D_s - W_s)] D^-1/2``

    and classifies documents by their row of ``D^-1/2`` times these eigenvectors. The default adds
    four changes that our experiments support (``benchmarks/studies/cdsc_defaults.md``):
    similarities within the sources and within the targets get less weight (``cross_share``), rare
    terms get more weight, every eigenvector is scaled by its weight after a random walk, and the
    classifier is refitted with its own labels of the target until they no longer change.
    ``from_preset("paper")`` has none of these.

    ``W`` is never formed: a product with it is two products with the documents. New documents get
    their coordinates by the Nyström extension. If documents have negative values,
    ``(1 + cosine) / 2`` replaces the cosine.

    Parameters
    ----------
    n_eigenvectors : int, default=30
        Number of coordinates. With ``scaling="columns"`` the first eigenvector, which is constant,
        is left out.
    beta : float, default=0.01
        Weight of the must-links.
    relative_beta : bool, default=True
        If True, ``beta`` is ``b`` in ``beta_c n_c = b * mean degree`` for a class of ``n_c``
        documents, which has the same effect on small and large data. If False, ``beta`` is the
        weight of the paper.
    lam : float, default=0.025
        Weight of the cut of the target (lambda).
    cross_share : float, "auto" or None, default="auto"
        Proportion of the degrees of the sources that comes from targets, and of the targets that
        comes from sources; similarities within the sources and within the targets are weighted
        accordingly. None leaves the cosines unchanged. "auto" is 0.44, and 0.5 for documents with
        negative values.
    self_similarity : bool, default=False
        Whether the diagonal of ``W`` is 1 or 0.
    idf_power : float, default=1.0
        Every term is multiplied by its inverse document frequency to this power, in addition to the
        weights that it has. 0 leaves the terms unchanged, as does a dense array without zeros.
    scaling : {"columns", "rows"}, default="columns"
        "columns" scales every coordinate to mean 0 and variance 1, then by ``diffusion_time``.
        "rows" scales the coordinates of every document to unit norm, as in the paper.
    diffusion_time : float, default=2.0
        With ``scaling="columns"`` a coordinate with eigenvalue mu has the weight ``(1 - mu)`` to
        this power, which remains after that many steps of a random walk. It is relative to the
        first coordinate that the classes do not need (the c-th for c classes).
    n_neighbors : int or None, default=None
        Keep only the similarities between a document and this many of its nearest neighbors. In
        our experiments this did not help, and few neighbors were much worse. The time grows with
        the square of the number of documents, and new documents are classified by a logistic
        regression on the labels of the fitted documents.
    classifier : {"ridge", "logistic", "svm", "nearest"} or classifier, default="ridge"
        Classifier of the coordinates: ridge classification, or any scikit-learn classifier. All
        classes have the same total weight.
    n_rounds : int, default=20
        Maximum rounds of self-training. It stops when no label changes. 0 turns it off.
    eigen_tol : float, default=1e-4
        Relative accuracy of the eigenvalues.

    Attributes
    ----------
    embedding_ : array of shape (n_rows, n_eigenvectors)
        Scaled coordinates of every fitted document; zeros for an empty document.
    eigenvalues_ : array of shape (n_eigenvectors,)
        In increasing order.
    classifier_ : object
        The fitted classifier.
    coef_, intercept_ : arrays of shape (n_classes, n_eigenvectors) and (n_classes,)
        Its linear rule for coordinates of documents; not set if it has none.
    n_rounds_ : int
        Rounds of self-training.
    term_scale_ : array of shape (n_terms,)
        Factor of every term.

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

    _engines: ClassVar[tuple[str, ...]] = ONE_MACHINE
    _model_class: ClassVar[type[FittedModel]] = CDSCModel
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
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
    def max_iterations(self) -> int:
        return self.n_rounds

    def _check_parameters(self) -> None:
        check_embedding_classifier(self.classifier)
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

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        problem, X = data.problem, data.X
        blocks = whole_domains(problem)
        labels = stacked_labels(blocks)
        is_target = [block.domain.is_target for block in blocks]
        term_scale = idf_weights(X, self.idf_power)
        affinity = self._balanced(self._affinity(blocks, X, term_scale), blocks, is_signed(X))
        system = cdsc_system(
            affinity,
            labels,
            is_target,
            beta=self.beta,
            lam=self.lam,
            relative_beta=self.relative_beta,
        )
        by_columns = self.scaling == "columns"
        engine = data.engine
        spectrum = cdsc(
            system,
            self.n_eigenvectors,
            start_vector([block.documents for block in blocks]),
            tol=self.eigen_tol,
            without_constant=by_columns,  # a constant column has no variance
        )
        linked = engine.to_host(spectrum.degrees > 0)
        coordinates = spectrum.embedding[spectrum.degrees > 0]
        mean, scale = None, None
        if by_columns:
            mean, scale = column_scaling(
                coordinates, spectrum.eigenvalues, problem.n_classes, self.diffusion_time, engine
            )
            scaled = (coordinates - engine.asarray(mean)) * engine.asarray(scale)
        else:
            scaled = engine.asarray(scale_coordinates(engine.to_host(coordinates), mean, scale))
        scaled = scaled.astype(X.dtype)
        embedding = np.zeros(spectrum.embedding.shape, X.dtype)
        embedding[linked] = engine.to_host(scaled)
        trained = self._train(scaled, labels[linked], data, callback)
        classifier = embedding_classifier(
            self.classifier, trained.estimator, trained.training_set, problem.n_classes
        )
        stacked = np.zeros((len(labels), problem.n_classes), X.dtype)
        stacked[linked] = classifier.classify(embedding[linked], problem.n_classes)
        if not linked.all():
            # Documents in small components get the labels of the documents they are similar to.
            votes = engine.to_host(
                affinity.times(engine.asarray(one_hot(labels, problem.n_classes)))
            )
            stacked[~linked] = np.where(votes > ROUNDING, votes, 0.0)[~linked]
            _warn_of_unconnected(stacked[labels < 0])
        memberships = split_by_domain(problem, blocks, stacked)
        if isinstance(affinity, GraphAffinity):
            maps = [label_map(problem, X, memberships)]
        else:
            boost = target_boost(is_target, self.lam)
            maps = similarity_maps(affinity, boost, spectrum.embedding, spectrum.degrees > 0)
        model = CDSCModel(
            **classifier.as_fields(),
            **map_fields(problem, maps),
            term_totals=data.term_totals,
            eigenvalues=spectrum.eigenvalues,
            class_words=class_words(problem, memberships),
            embedding_mean=mean,
            embedding_scale=scale,
            term_scale=term_scale,
            predicts_from_terms=isinstance(affinity, GraphAffinity),
        )
        diagnostics = {
            "embedding_": problem.gather(split_by_domain(problem, blocks, embedding)),
            "classifier_": trained.estimator,
            "n_rounds_": trained.n_rounds,
        }
        return Fit(model, memberships, diagnostics)

    def _affinity(
        self, blocks: list[Block], X: Any, term_scale: NDArray[Any]
    ) -> CosineAffinity | GraphAffinity:
        engine = blocks[0].documents.engine
        columns = engine.asarray(term_scale)
        documents = [block.documents.scaled(columns=columns) for block in blocks]
        signed = is_signed(X)
        if self.n_neighbors is None:
            return CosineAffinity.of(documents, signed=signed, with_self=self.self_similarity)
        order = np.concatenate([np.arange(X.shape[0])[block.domain.rows] for block in blocks])
        graph = neighbor_graph(
            with_scaled_terms(X[order], term_scale),
            self.n_neighbors,
            signed=signed,
            with_self=self.self_similarity,
        )
        return GraphAffinity.of(
            engine.documents(graph.astype(X.dtype)), [len(block.rows) for block in blocks]
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

    def _train(
        self,
        coordinates: Array,
        labels: NDArray[np.intp],
        data: TrainingData,
        callback: Callback | None,
    ) -> SelfTrained:
        problem, engine = data.problem, data.engine
        known = labels[labels >= 0]
        if engine.xp is not np and self._is_ridge and len(np.unique(known)) > 1:
            return self_train_ridge(
                coordinates, labels, problem.n_classes, self.n_rounds, callback, engine
            )
        rows = engine.to_host(coordinates)
        if len(known) == 0:  # no labeled document shares a term with another document
            labels = np.array([problem.class_prior().argmax()])
            rows = np.zeros((1, rows.shape[1]), rows.dtype)
        return self_train(self.classifier, rows, labels, problem.n_classes, self.n_rounds, callback)

    @property
    def _is_ridge(self) -> bool:
        return isinstance(self.classifier, str) and self.classifier == "ridge"


def _warn_of_unconnected(memberships: NDArray[Any]) -> None:
    """Warn if most unlabeled documents are not connected to a labeled one."""
    n_unconnected = int(np.count_nonzero(~memberships.any(axis=1)))
    if 2 * n_unconnected > len(memberships):
        warn_user(
            f"{n_unconnected} of {len(memberships)} unlabeled documents are not connected to any "
            "labeled document: they get the class prior of the source. Check that the documents "
            "of all domains were counted with one vocabulary."
        )
