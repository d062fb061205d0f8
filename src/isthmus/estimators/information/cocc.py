"""CoCC, co-clustering based classification (Dai et al. 2007)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.init_classifier import check_init_classifier
from isthmus.estimators.components.parameters import check_flag, check_number, check_whole_number
from isthmus.estimators.information._base import ClassWordsClassifier, centred
from isthmus.numerics.progress import Callback
from isthmus.solvers.information._divergence import class_words
from isthmus.solvers.information.cocc import cocc


class CoCC(ClassWordsClassifier):
    """Classification of the target by co-clustering it with its words.

    Minimises, over classes ``D^`` of the target's documents ``D`` and clusters ``W^`` of the words
    ``W``,

    ``I(D; W) - I(D^; W^) + lam (I(C; W) - I(C; W^))``

    where ``I`` is the mutual information: of documents and words in ``p(d, w)``, the target's
    matrix divided by its total, and of classes ``C`` and words in the labelled documents. What the
    source knows reaches the target through the word clusters, which must tell its classes apart
    too. In turn every document goes to the class ``argmin KL(p(W|d) || p^(W|d^))`` and every word
    to the cluster ``argmin p(w) KL(p(D|w) || p^(D|w^)) + lam q(w) KL(q(C|w) || q^(C|w^))``; the
    objective never rises.

    A reconstruction: the original paper was not at hand. Ours are the start of the words, which
    are cut into clusters by the classes that use them (no chance is in it); the start of the
    documents at the probabilities of the first classifier instead of its labels; and the
    smoothing, a document more in every class that has all words as often as the target has them.
    It belongs to the data, so the objective is exact and still never rises.

    All targets are co-clustered together: ``D`` are the documents of all of them. ``C`` are the
    labels of all labelled rows, whatever their domain; labelled rows of a target stay in their
    class. Words that the source alone uses, or the target alone, are placed by the side that has
    them. Nothing holds the classes' sizes: where one class is much rarer than the others in the
    target, give ``class_prior``.

    Parameters
    ----------
    n_word_clusters : int, default=64
        Word clusters, as many as are different at most.
    lam : float, default=0.25
        Weight of the labelled documents' classes.
    smoothing : float, default=0.01
        Weight of the document that is added to every class, as a share of all documents' weight.
    unit_rows : bool, default=True
        Whether documents are scaled to length 1, so that long ones do not rule.
    init_classifier : "logistic", "complement_nb" or classifier, default="logistic"
        Trained on the labelled rows (of length 1), gives the first memberships of the others.
    soft_init : bool, default=True
        Whether the first classifier's probabilities are taken as they are; False takes its labels,
        as the paper does, and with them its mistakes: words then confirm them.
    max_iter : int, default=50
    tol : float, default=0.002
        The fit ends after an iteration that changes less than this share of the target's labels; 0
        runs ``max_iter`` iterations.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the first guesses and the labels of every target are held to; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    transduction_ : array of shape (n_rows,)
        A label for every fitted row; given labels are kept.
    label_distributions_ : array of shape (n_rows, n_classes)
    word_clusters_ : array of int of shape (n_terms,)
        The cluster of every term; -1 for a term that nobody uses.
    associations_ : array of shape (n_word_clusters, n_classes)
        How much the target's classes use every word cluster, in shares of all words.
    coef_ : array of shape (n_classes, n_terms)
        How much a term speaks for each class: the logarithm of its cluster's share of the class,
        less the mean over the classes, times what makes the labelled rows' labels likeliest. A
        cluster that the target lacks speaks as it does among the labelled rows.
    source_coef_ : array of shape (n_classes, n_terms)
        The same of the labelled rows' classes; new documents of a source are read by it.
    intercept_ : array of shape (n_classes,)
        Zeros.
    objective_ : array of shape (n_iter_ + 1,)
        The objective without ``I(D; W)``, which no clustering changes, at the start and after
        every iteration; it never rises.
    n_iter_ : int
    alignment_certainty_ : float
        How clearly words speak for the names of the targets' classes, as of :class:`MTrick`; a
        warning tells of less than 4. 0 for documents with values below zero.

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

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {
            "init_classifier": "complement_nb",
            "soft_init": False,
            "smoothing": 0.001,
            "max_iter": 10,
            "tol": 0.0,
        }
    }
    _fitted_shapes: ClassVar[dict[str, str]] = {
        **ClassWordsClassifier._fitted_shapes,
        "word_clusters_": "m",
        "associations_": "kc",
        "source_coef_": "cm",
    }
    _signed: ClassVar[tuple[str, ...]] = (
        *ClassWordsClassifier._signed,
        "word_clusters_",
        "source_coef_",
    )

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

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        shape = X.shape[1], problem.n_classes
        given = [np.eye(shape[1])[d.labels] * d.labelled[:, None] for d in problem.domains]
        labelled = class_words(self._documents_of(problem.domains), given, *shape)
        first = self._first_memberships(problem, X)
        if not self.soft_init:
            first = [np.eye(shape[1])[part.argmax(axis=1)] for part in first]
        result = cocc(
            self._documents_of(problem.targets),
            first[len(problem.sources) :],
            [domain.labelled for domain in problem.targets],
            labelled,
            n_word_clusters=min(self.n_word_clusters, X.shape[1]),  # no more can be told apart
            weight=self.lam,
            smoothing=self.smoothing,
            stopping=self._stopping,
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol, "the labels")
        self.word_clusters_ = result.word_clusters
        self.associations_ = result.associations
        self.objective_ = np.asarray(result.objective)
        self.n_iter_ = result.n_iter
        sharpness = self._keep_rule(problem, X, result.log_shares)
        source_coef = sharpness * centred(result.labelled_log_shares)
        self.source_coef_ = source_coef.astype(X.dtype)
        return self._memberships(problem, X)

    def _coef_of(self, number: int) -> NDArray[Any]:
        return self.source_coef_ if number >= 0 else self.coef_

    def _check_fitted(self) -> None:
        super()._check_fitted()
        clusters = self.word_clusters_
        if clusters.dtype.kind != "i" or not -1 <= clusters.min() <= clusters.max() < len(
            self.associations_
        ):
            raise ValueError("word_clusters_ names clusters that associations_ does not have")
