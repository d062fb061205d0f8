"""LSSTTC, the transductive transfer classification of Gu and Zhou (2009)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.init_classifier import check_init_classifier, initial_memberships
from isthmus.estimators.components.parameters import make_generator
from isthmus.estimators.components.temperature import fit_inverse_temperature
from isthmus.estimators.subspace._base import SharedSubspaceMixin
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback
from isthmus.solvers.subspace._shared_subspace import SharedSubspace, Task
from isthmus.solvers.subspace._steps import binary_scores

# Found on development tasks: with 1 the first guesses, and the answers, are two points worse.
_C_OF_FIRST_GUESS = 10.0


class LSSTTC(SharedSubspaceMixin, TransferClassifier):
    """Classification by centroids of every target and, in a subspace, of all domains together.

    Minimises, over the memberships ``P_t`` of the rows without a label,

    ``lam sum_t ||X_t' - M_t P_t'||^2 + (1 - lam) g^2 sum_d ||W'X_d' - M P_d'||^2``

    where ``M_t`` are the centroids of a target, ``M`` those of all domains ``d`` in the subspace
    ``W`` (orthonormal columns), and a labelled row has its label as membership for good. Sources
    have no term of their own. ``X`` stands for the documents without the mean of their domain, in
    the leading ``n_components`` directions of their singular value decomposition.

    Two things differ from the paper by default. Its ``W`` minimises the objective, which leads it
    to where the documents hold nothing (measured: from 1e-22 to 9 % of them): ``W`` is
    discriminant here instead, and ``g`` makes up for the few directions that it keeps. And ``P`` is
    not relaxed: a row belongs to one class, the nearest by both terms. The paper's nonnegative
    memberships absorb the length of a document, go on moving after the labels were best, and lose
    what they had.

    Parameters
    ----------
    lam : float, default=0.25
        Weight of the target's own centroids; 0 leaves the shared ones, 1 takes nothing from the
        source but the start.
    w_step : {"discriminant", "smallest"}, default="discriminant"
        Where the subspace lies: the leading eigenvectors of ``(X'X + ridge s_1^2)^-1 X'P (P'P)^-1
        P'X``, or the paper's, the last of ``X'(I - P (P'P)^-1 P')X`` (of equal ones, those in which
        no document has anything come first). "smallest" uses all directions of the documents, of
        which there may be 5,000; a warning says if its subspace holds nothing of them.
    p_step : {"binary", "multiplicative"}, default="binary"
        Whether a row belongs to one class, or to all by nonnegative amounts as in the paper.
    n_components : int, default=100
        Directions that are kept of the documents.
    n_subspace : int or "clusters", default="clusters"
        Dimension of the subspace; "clusters" is the number of classes. Directions in which classes
        do not differ are left out.
    ridge : float, default=0.1
        How much the scatter is levelled, as a share of that in its first direction.
    center : bool, default=True
        Whether the mean of a domain is subtracted from its documents, which takes most of what
        tells domains apart.
    unit_rows : bool, default=True
        Whether documents are scaled to length 1, before their mean is subtracted.
    init_classifier : "auto", "logistic", "complement_nb" or classifier, default="auto"
        Gives the first memberships of the unlabelled rows, learnt from all labelled ones of unit
        length; "auto" is logistic regression with C=10.
    max_iter : int, default=50
        0 leaves the first memberships.
    tol : float, default=0.001
        The fit ends when an iteration changes less than this share of the labels to be found; 0
        runs ``max_iter`` iterations.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.
    random_state : int, RandomState or None, default=None
        Draws where the search for the leading directions begins; labels hardly depend on it.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`. With binary memberships a distribution is a softmax of the squared
        distances to the centroids, as sharp as suits the labelled rows.
    memberships_ : array of shape (n_rows, n_classes)
        ``P``; zeros for an empty document.
    subspace_ : array of shape (n_terms, n_directions)
        ``W``.
    subspace_share_ : float
        ``||W'X||^2 / ||X||^2``.
    singular_values_ : array
    profiles_, profile_offsets_, profile_grams_ : dict of domain number to array
        ``x`` is half of ``profile_gram_jj - 2 (x'profile_j - offset_j)`` away from class ``j``, but
        for what is the same for all classes.
    objective_ : array of shape (n_iter_ + 1,)
        The objective at the start and after every iteration, with the subspace and the centroids
        that belong to the memberships. It may rise: the discriminant ``W`` does not minimise it.
    n_iter_ : int

    Notes
    -----
    ``from_preset("paper")`` is the paper's method as far as it is defined: the smallest ``W`` with
    l = 100 (of its grid 100 to 1,000), nonnegative memberships, ``lam=0.5``, 20 iterations and no
    mean subtracted. The paper starts the target from K-means, whose clusters have nothing to do
    with the numbers of the classes: the preset starts from the classifier.

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

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        **SharedSubspaceMixin._subspace_shapes,
        "inverse_temperature_": "",
    }
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
        w_step: Literal["discriminant", "smallest"] = "discriminant",
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
        if not self._is_auto:
            check_init_classifier(self.init_classifier)

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.init_classifier, str) and self.init_classifier == "auto"

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        generator = make_generator(self.random_state)
        found = self._coordinates(problem, generator)
        starts = self._starts(problem, X)
        tasks = []
        for domain, F, P in zip(problem.domains, found.split(), starts, strict=True):
            empty = domain.documents.row_norms() == 0
            P[empty] = 0
            weight = self.lam if domain.is_target else 0.0
            # Without either term nothing speaks of the rows of a source.
            unheard = empty | (weight == 0 and self.lam == 1)
            tasks.append(Task(F, P, domain.labelled | unheard, weight))
        result = self._solve(tasks, found, callback)
        self._keep(problem, found, result, generator)
        self.memberships_ = problem.gather(result.memberships)
        self.inverse_temperature_ = self._fit_sharpness(problem, tasks, result)
        if self.max_iter == 0 or self.p_step == "multiplicative":
            return result.memberships
        # By the centroids at the end, as for new documents.
        shares: list[NDArray[Any]] = []
        for domain, task in zip(problem.domains, tasks, strict=True):
            number = domain.number
            with one_thread():
                A = task.coordinates @ result.centroids.profiles[len(shares)].astype(X.dtype)
            shares.append(self._shares(self._new_scores(A, number), number))
        parts = zip(tasks, result.memberships, shares, strict=True)
        return [np.where(task.fixed[:, None], P, Q) for task, P, Q in parts]

    def _starts(self, problem: Problem, X: Any) -> list[NDArray[Any]]:
        """Labels, and the first guesses of the rows that have none."""
        if self._is_auto:
            with one_thread():
                model = LogisticRegression(C=_C_OF_FIRST_GUESS, max_iter=500)
                guesses = initial_memberships(problem, X, model)
        else:
            guesses = initial_memberships(problem, X, self.init_classifier)
        truth = np.eye(problem.n_classes, dtype=X.dtype)
        return [
            np.where(domain.labelled[:, None], truth[domain.labels], guess)
            for domain, guess in zip(problem.domains, guesses, strict=True)
        ]

    def _total_weight(self, number: int) -> float:
        """How much the squared distances of a domain count for: sources have the shared ones."""
        return 1.0 if number < 0 else 1 - self.lam

    def _fit_sharpness(self, problem: Problem, tasks: list[Task], result: SharedSubspace) -> float:
        """How sharply distances decide: what makes the given labels most likely."""
        scores, labels = [], []
        centroids = result.centroids
        parts = zip(problem.domains, tasks, centroids.profiles, centroids.grams, strict=True)
        for domain, task, profile, gram in parts:
            weight = self._total_weight(domain.number)
            rows = np.flatnonzero(domain.labelled & task.memberships.any(axis=1))
            if weight > 0 and len(rows):
                A = task.coordinates[rows].astype(np.float64) @ profile
                scores.append(binary_scores(A, gram) / weight)
                labels.append(domain.labels[rows])
        if not scores:
            return 1.0
        return fit_inverse_temperature(np.vstack(scores), np.concatenate(labels))

    def _shares(self, scores: NDArray[Any], number: int) -> NDArray[Any]:
        weight = self._total_weight(number)
        sharpness = self.inverse_temperature_ / weight if weight > 0 else 1.0
        return np.asarray(softmax(scores * scores.dtype.type(sharpness), axis=1))

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        A, known = self._read_new(X, number)
        if self.p_step == "multiplicative":
            memberships = self._new_partition(A, number)
        else:
            memberships = self._shares(self._new_scores(A, number), number)
        return np.where(known[:, None], memberships, 0)

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return {
            number: self.term_totals_[number][:, None] * (P - P.mean(axis=1, keepdims=True))
            for number, P in self.profiles_.items()
        }
