"""LSSTTC, the transductive transfer classification of Gu and Zhou (2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.domain_estimator import ALL_ENGINES
from isthmus.estimators.base.fitted_model import Fit, FittedModel, number
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    check_init_classifier,
    fit_linear_blocks,
    labeled_blocks,
    one_row_per_class,
    softmax_of_documents,
    uses_sklearn,
    with_unit_norm,
)
from isthmus.estimators.components.parameters import make_generator
from isthmus.estimators.subspace._base import (
    CentroidModel,
    Coordinates,
    Part,
    SharedSubspaceMixin,
    kmeans_apart,
)
from isthmus.matrices.engines import current_engine
from isthmus.matrices.threads import one_thread
from isthmus.numerics.class_probabilities import most_likely_scale
from isthmus.numerics.progress import Callback
from isthmus.solvers.subspace._shared_subspace import SharedSubspace, Task, WStep
from isthmus.solvers.subspace.lssttc import classification_task, total_weight

# Chosen on development tasks: with C=1 the results were two percentage points worse.
_C_OF_INIT_CLASSIFIER = 10.0
# Random initializations of K-means, and what its memberships are smoothed by: as in LSSMTC.
_N_INIT = 30
_SMOOTHING = 0.2


@dataclass(frozen=True, kw_only=True)
class LSSTTCModel(CentroidModel, FittedModel):
    """Class memberships from the distances to the centroids."""

    inverse_temperature: float = number()
    lam: float = number(public=False)

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        A, known = self.products(X, domain)
        if self.multiplicative:
            memberships = self.nonnegative_memberships(A, domain)
        else:
            memberships = self.softmax_memberships(current_engine().to_host(A), domain)
        return np.where(known[:, None], memberships, 0)

    def softmax_memberships(self, A: NDArray[Any], domain: int) -> NDArray[Any]:
        """Softmax of the scores."""
        scores = self.scores(A, domain)
        weight = total_weight(domain, self.lam)
        factor = self.inverse_temperature / weight if weight > 0 else 1.0
        return np.asarray(softmax(scores * scores.dtype.type(factor), axis=1))

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {
            number: self.term_totals[number][:, None] * (P - P.mean(axis=1, keepdims=True))
            for number, P in self.profiles.items()
        }


class LSSTTC(SharedSubspaceMixin, TransferClassifier):
    """Classification by centroids of every target and, in a subspace, of all domains together.

    Minimizes, over the memberships ``P_t`` of the unlabeled rows,

    ``lam sum_t ||X_t' - M_t P_t'||^2 + (1 - lam) g^2 sum_d ||W'X_d' - M P_d'||^2``

    where ``M_t`` are the centroids of a target and ``M`` those of all domains ``d`` in the subspace
    ``W`` (orthonormal columns). The memberships of labeled rows are fixed to their labels. Sources
    have no term of their own. ``X`` holds the documents minus the mean of their domain, in the
    ``n_components`` leading directions of their singular value decomposition.

    The defaults differ from the paper in two ways. The paper's ``W`` minimizes the objective, so it
    contains almost nothing of the documents (between 1e-22 and 9 % in our measurements). By default
    ``W`` is discriminant, and ``g = ||X|| / ||X W||`` compensates for its small number of
    directions. Second, ``P`` is not relaxed: a row belongs to one class, the nearest by both terms.
    The nonnegative memberships of the paper absorb the norm of a document and continue to change
    after the labels were best.

    Parameters
    ----------
    lam : float, default=0.25
        Weight of the centroids of each target. With 0 only the shared centroids count; with 1 the
        source determines only the initialization.
    w_step : {"discriminant", "smallest", "smallest_in_span"}, default="discriminant"
        Subspace: the leading eigenvectors of ``(X'X + ridge s_1^2)^-1 X'P (P'P)^-1 P'X``, or those
        of ``X'(I - P (P'P)^-1 P')X`` with the smallest eigenvalues, as in the paper. The eigenvalue
        zero has ties if there are fewer documents than terms: "smallest" takes directions
        orthogonal to all documents first, and "smallest_in_span" only directions in the span of the
        documents. Both compute all singular directions, so the smaller of the numbers of documents
        and terms may be at most 5,000. They warn if the subspace contains almost nothing of the
        documents.
    p_step : {"binary", "multiplicative"}, default="binary"
        Whether a row belongs to one class, or has nonnegative memberships as in the paper.
    n_components : int, default=100
        Number of singular directions of the documents.
    n_subspace : int or "clusters", default="clusters"
        Dimension of the subspace; "clusters" is the number of classes. Directions in which the
        classes do not differ are left out.
    init_classifier : "auto", "kmeans", "logistic", "complement_nb" or classifier, default="auto"
        Classifier of the labeled unit-norm rows that gives the initial memberships of the
        unlabeled rows. "auto" is logistic regression with C=10. "kmeans" clusters the rows of every
        domain that has unlabeled ones, as in the paper; a cluster gets the class whose labeled rows
        have the most similar mean.
    max_iter : int, default=50
        0 returns the initial memberships.
    random_state : int, RandomState or None, default=None
        Random seed of the singular value decomposition; it has little effect on the labels.

    Attributes
    ----------
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1. With binary memberships a distribution
        is the softmax of the negative squared distances to the centroids, with a temperature fitted
        to the labeled rows.
    inverse_temperature_ : float
        Factor of the scores in the softmax.
    memberships_ : array of shape (n_rows, n_classes)
        ``P``; zeros for an empty document.

    Notes
    -----
    ``from_preset("paper")`` is the method of the paper as far as it is defined: the smallest ``W``
    with l = 100 (of its grid 100 to 1,000), nonnegative memberships, ``lam=0.5``, 20 iterations, no
    centering. The paper initializes the target by K-means, whose cluster numbers have no relation
    to the classes. The preset uses the classifier instead.

    References
    ----------
    Q. Gu, J. Zhou. Learning the Shared Subspace for Multi-Task Clustering and Transductive Transfer
    Classification. ICDM 2009.

    Examples
    --------
    >>> from isthmus import LSSTTC, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 1, 0]], ["good", "bad", "good"])},
    ...     {"films": [[1, 0, 2, 0], [0, 1, 0, 2]]},
    ... )
    >>> LSSTTC().fit(X, y, sample_domain).transduction_.tolist()
    ['good', 'bad', 'good', 'good', 'bad']
    """

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _model_class: ClassVar[type[FittedModel]] = LSSTTCModel
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            "lam": 0.5,
            "w_step": "smallest",
            "p_step": "multiplicative",
            "n_subspace": 100,
            "center": False,
            "max_iter": 20,
            "tol": 0.0,
        }
    }

    def __init__(
        self,
        lam: float = 0.25,
        *,
        w_step: WStep = "discriminant",
        p_step: str = "binary",
        n_components: int = 100,
        n_subspace: int | str = "clusters",
        ridge: float = 0.1,
        center: bool = True,
        unit_rows: bool = True,
        init_classifier: Any = "auto",
        max_iter: int = 50,
        tol: float = 0.001,
        class_prior: Any = None,
        missing_label: Any = -1,
        random_state: Any = None,
    ) -> None:
        self.lam = lam
        self.w_step = w_step
        self.p_step = p_step
        self.n_components = n_components
        self.n_subspace = n_subspace
        self.ridge = ridge
        self.center = center
        self.unit_rows = unit_rows
        self.init_classifier = init_classifier
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.missing_label = missing_label
        self.random_state = random_state

    def _check_parameters(self) -> None:
        self._check_subspace_parameters()
        check_init_classifier(self.init_classifier, "auto", "kmeans")

    def _starts_from(self, name: str) -> bool:
        return isinstance(self.init_classifier, str) and self.init_classifier == name

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        problem = data.problem
        generator = make_generator(self.random_state)
        coordinates = self._coordinates(problem, generator)
        tasks = self._tasks(data, coordinates, generator)
        result = self._solve(tasks, coordinates, max_iter=self.max_iter, callback=callback)
        model = LSSTTCModel(
            **self._model_fields(problem, coordinates, result),
            term_totals=data.term_totals,
            inverse_temperature=self._inverse_temperature(problem, tasks, result),
            lam=float(self.lam),
        )
        diagnostics = self._diagnostics(problem, coordinates, result, generator)
        engine = data.engine
        given = [engine.to_host(P) for P in result.memberships]
        if self.max_iter == 0 or model.multiplicative:
            return Fit(model, given, diagnostics)
        # By the final centroids, as for new documents.
        memberships = []
        parts = zip(problem.domains, tasks, given, result.centroids.profiles, strict=True)
        for domain, task, P, profile in parts:
            A = engine.to_host(engine.product(task.coordinates, profile))
            predicted = model.softmax_memberships(A, domain.number)
            memberships.append(np.where(engine.to_host(task.fixed)[:, None], P, predicted))
        return Fit(model, memberships, diagnostics)

    def _tasks(
        self, data: TrainingData, coordinates: Coordinates, generator: np.random.Generator
    ) -> list[Task]:
        """One task per domain with the initial memberships."""
        initial = self._initial(data, coordinates, generator)
        parts = zip(data.problem.domains, coordinates.split(), initial, strict=True)
        return [classification_task(domain, F, P, self.lam) for domain, F, P in parts]

    def _initial(
        self, data: TrainingData, coordinates: Coordinates, generator: np.random.Generator
    ) -> list[NDArray[Any]]:
        """Initial memberships: labels, and predictions for the unlabeled rows."""
        by_sklearn = uses_sklearn(data.engine, data.problem.n_labeled)
        if self._starts_from("kmeans") and data.given_memberships is None:
            predicted = self._matched_clusters(data, coordinates.ordered(generator), generator)
        elif self._starts_from("auto") and data.given_memberships is None and not by_sklearn:
            predicted = self._predicted_on_engine(data)
        elif self._starts_from("auto"):
            with one_thread():
                logistic = LogisticRegression(C=_C_OF_INIT_CLASSIFIER, max_iter=500)
                predicted = data.initial_memberships(logistic)
        else:
            predicted = data.initial_memberships(self.init_classifier)
        one_hot = np.eye(data.problem.n_classes, dtype=data.X.dtype)
        return [
            np.where(domain.labeled[:, None], one_hot[domain.labels], part)
            for domain, part in zip(data.problem.domains, predicted, strict=True)
        ]

    def _matched_clusters(
        self, data: TrainingData, parts: list[Part], generator: np.random.Generator
    ) -> list[NDArray[Any]]:
        """Memberships from K-means of every domain, matched with the means of the classes."""
        domains, n_classes = data.problem.domains, data.problem.n_classes
        one_hot = np.eye(n_classes, dtype=data.X.dtype)
        # Multiplicative steps cannot change a zero.
        smoothing = _SMOOTHING if self.p_step == "multiplicative" else 0.0
        memberships = (one_hot + smoothing) / (1 + n_classes * smoothing)
        rows = np.concatenate([F[d.labeled] for d, (F, _) in zip(domains, parts, strict=True)])
        labels = np.concatenate([d.labels[d.labeled] for d in domains])
        sizes = np.bincount(labels, minlength=n_classes)
        means = one_hot[labels].T.astype(np.float64) @ rows / np.maximum(sizes, 1)[:, None]
        predicted = [np.zeros((len(d.labels), n_classes), data.X.dtype) for d in domains]
        open_domains = [i for i, d in enumerate(domains) if not d.labeled.all()]
        own = [parts[i] for i in open_domains]
        clusters = kmeans_apart(own, n_classes, generator, _N_INIT, means)
        for i, found in zip(open_domains, clusters, strict=True):
            predicted[i] = memberships[found]
        return predicted

    def _predicted_on_engine(self, data: TrainingData) -> list[NDArray[Any]]:
        """The predictions of the same logistic regression, fitted on the engine."""
        problem = data.problem
        blocks, labels = labeled_blocks(problem)
        fit = fit_linear_blocks(
            "logistic",
            [with_unit_norm(block) for block in blocks],
            labels,
            problem.n_classes,
            C=_C_OF_INIT_CLASSIFIER,
        )
        rule = one_row_per_class(fit.coef, fit.intercept)
        return [
            softmax_of_documents(with_unit_norm(domain.documents), *rule, data.X.dtype)
            for domain in problem.domains
        ]

    def _inverse_temperature(
        self, problem: Problem, tasks: list[Task], result: SharedSubspace
    ) -> float:
        """The factor of the scores that maximizes the likelihood of the given labels."""
        scores, labels = [], []
        centroids, engine = result.centroids, tasks[0].engine
        parts = zip(problem.domains, tasks, centroids.profiles, centroids.grams, strict=True)
        for domain, task, profile, gram in parts:
            weight = total_weight(domain.number, self.lam)
            rows = np.flatnonzero(domain.labeled & domain.filled)
            if weight > 0 and len(rows):
                labeled = task.coordinates[engine.asarray(rows)].astype(np.float64)
                A = engine.product(labeled, profile)
                values = (A - engine.asarray(np.diag(gram) / 2)) / weight
                # The scale is found in many small steps, so the scores of all labeled rows are
                # brought together first.
                scores.append(engine.asarray(engine.to_host(values)))
                labels.append(domain.labels[rows])
        if not scores:
            return 1.0
        codes = engine.asarray(np.concatenate(labels))
        return most_likely_scale(engine.xp.concatenate(scores), codes, engine)
