"""CoCC, co-clustering based classification (Dai et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import one_hot
from isthmus.estimators.base.domain_estimator import ALL_ENGINES
from isthmus.estimators.base.fitted_model import Fit, FittedModel, array
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import check_init_classifier
from isthmus.estimators.components.parameters import check_flag, check_number, check_whole_number
from isthmus.estimators.information._base import (
    WordDistributionClassifier,
    WordDistributionModel,
    centered_over_classes,
)
from isthmus.numerics.progress import Callback
from isthmus.solvers.information._divergence import class_word_table
from isthmus.solvers.information.cocc import cocc


@dataclass(frozen=True, kw_only=True)
class CoCCModel(WordDistributionModel):
    """Word clusters and the weights of their terms, for sources and for targets."""

    source_coef: NDArray[Any] = array("classes", "terms")
    word_clusters: NDArray[np.intp] = array("terms")
    associations: NDArray[Any] = array("clusters", "classes", nonnegative=True)

    def coef_of(self, domain: int) -> NDArray[Any]:
        return self.source_coef if domain >= 0 else self.coef

    def check(self) -> None:
        clusters = self.word_clusters
        if clusters.dtype.kind != "i" or not -1 <= clusters.min() <= clusters.max() < len(
            self.associations
        ):
            raise ValueError("word_clusters holds clusters that associations does not have")


class CoCC(WordDistributionClassifier):
    """Classify target documents by co-clustering them with their words.

    Minimizes, over classes ``D^`` of the target documents ``D`` and clusters ``W^`` of the words
    ``W``,

    ``I(D; W) - I(D^; W^) + lam (I(C; W) - I(C; W^))``

    where ``I`` is the mutual information: of documents and words in ``p(d, w)``, the target matrix
    divided by its sum, and of classes ``C`` and words in the labeled documents. The word clusters
    connect the domains, since they must separate the classes of the source too. The algorithm
    alternates between two steps. Every document moves to the class
    ``argmin KL(p(W|d) || p^(W|d^))``, and every word to the cluster
    ``argmin p(w) KL(p(D|w) || p^(D|w^)) + lam q(w) KL(q(C|w) || q^(C|w^))``. The objective never
    increases.

    This implementation follows descriptions of the method, not the original paper. Three details
    are our own choices. The initial word clusters group words by the classes that use them, which
    needs no random numbers. The initial document memberships are the probabilities of a
    classifier, not its labels. Every class is smoothed with one additional document that has the
    word distribution of the whole target. This document is part of the data, so the objective is
    exact and still never increases.

    All targets are co-clustered together: ``D`` are the documents of all of them. ``C`` are the
    labels of all labeled rows in any domain. Labeled rows of a target keep their class. Words
    that occur in one domain only are clustered by that domain. The objective does not constrain the
    class sizes: give ``class_prior`` if a class is much rarer than the others in the target.

    Parameters
    ----------
    n_word_clusters : int, default=64
        Maximum number of word clusters. Words with equal class distributions share a cluster.
    lam : float, default=0.25
        Weight of the labeled documents.
    smoothing : float, default=0.01
        Weight of the document that is added to every class, relative to all documents.
    init_classifier : "logistic", "complement_nb" or classifier, default="logistic"
        Fitted to the labeled unit-norm rows. It gives the initial memberships of the other rows.
    soft_init : bool, default=True
        Whether the initial memberships are the probabilities of ``init_classifier``. False uses its
        labels, as the paper does; its errors are then harder to correct.
    tol : float, default=0.002
        The fit stops when an iteration changes a smaller proportion of the target labels. 0 runs
        ``max_iter`` iterations.

    Attributes
    ----------
    word_clusters_ : array of int of shape (n_terms,)
        Cluster of every term; -1 for a term that occurs in no document.
    associations_ : array of shape (n_word_clusters, n_classes)
        Joint distribution of word clusters and target classes.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms for target documents: ``log p(cluster of the term | class)``, minus the
        mean over the classes, times an inverse temperature that maximizes the likelihood of the
        labeled rows. For a cluster that the target does not use, the value of the labeled rows.
    source_coef_ : array of shape (n_classes, n_terms)
        Weights of the terms for source documents, from the classes of the labeled rows.
    objective_ : array of shape (n_iterations + 1,)
        The objective without the constant ``I(D; W)``, initially and after every iteration. It
        never increases.

    References
    ----------
    W. Dai, G.-R. Xue, Q. Yang, Y. Yu. Co-clustering based Classification for Out-of-domain
    Documents. KDD 2007.

    Examples
    --------
    >>> from isthmus import CoCC, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[2, 0, 1, 0], [0, 2, 0, 1]], ["good", "bad"])},
    ...     {"dvd": [[1, 0, 2, 0], [0, 1, 0, 2]]},
    ... )
    >>> CoCC().fit(X, y, sample_domain).transduction_.tolist()
    ['good', 'bad', 'good', 'bad']
    """

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _model_class: ClassVar[type[FittedModel]] = CoCCModel
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            "init_classifier": "complement_nb",
            "soft_init": False,
            "smoothing": 0.001,
            "max_iter": 10,
            "tol": 0.0,
        }
    }

    def __init__(
        self,
        n_word_clusters: int = 64,
        *,
        lam: float = 0.25,
        smoothing: float = 0.01,
        unit_rows: bool = True,
        init_classifier: Any = "logistic",
        soft_init: bool = True,
        max_iter: int = 50,
        tol: float = 0.002,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_word_clusters = n_word_clusters
        self.lam = lam
        self.smoothing = smoothing
        self.unit_rows = unit_rows
        self.init_classifier = init_classifier
        self.soft_init = soft_init
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole_number("n_word_clusters", self.n_word_clusters, least=1)
        check_number("lam", self.lam, least=0, most=1e6)
        check_flag("soft_init", self.soft_init)
        check_init_classifier(self.init_classifier)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        X, problem, engine = data.X, data.problem, data.engine
        n_terms, n_classes = X.shape[1], problem.n_classes
        labeled = class_word_table(
            self._documents_of(problem.domains),
            [
                domain.documents.asarray(one_hot(domain.labels, n_classes, X.dtype))
                for domain in problem.domains
            ],
            n_terms,
            n_classes,
            engine,
        )
        initial = self._initial_memberships(data)
        if not self.soft_init:
            initial = [np.eye(n_classes)[part.argmax(axis=1)] for part in initial]
        result = cocc(
            self._documents_of(problem.targets),
            [
                domain.documents.asarray(part)
                for domain, part in zip(problem.domains, initial, strict=True)
                if domain.is_target
            ],
            [domain.labeled for domain in problem.targets],
            labeled,
            n_word_clusters=min(self.n_word_clusters, n_terms),
            weight=self.lam,
            smoothing=self.smoothing,
            engine=engine,
            stopping=self._stopping,
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol, "the labels")
        coef, scale = self._calibrated_coef(data, result.log_word_probabilities)
        source_coef = scale * centered_over_classes(result.labeled_log_word_probabilities)
        model = CoCCModel(
            term_totals=data.term_totals,
            coef=coef,
            intercept=np.zeros(n_classes, X.dtype),
            source_coef=source_coef.astype(X.dtype),
            word_clusters=result.word_clusters,
            associations=result.associations,
        )
        diagnostics = {"objective_": np.asarray(result.objective), "n_iter_": result.n_iter}
        return Fit(model, self._rows_by_model(model, data), diagnostics)
