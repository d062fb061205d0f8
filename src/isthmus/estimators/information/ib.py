"""The information bottleneck between domains or languages (Ling et al. 2008)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.information._base import ClassWordsClassifier
from isthmus.numerics.progress import Callback
from isthmus.solvers.information.ib import information_bottleneck


class InformationBottleneck(ClassWordsClassifier):
    """Documents grouped into the classes so that little is lost of what they tell about words.

    Minimises, over classes ``X^`` of all documents ``X``, of which the labelled ones stay in
    theirs,

    ``I(X; W) - I(X^; W) = sum_x p(x) KL(p(W|x) || p(W|x^))``

    where ``I`` is the mutual information of documents and words in ``p(x, w)``, the matrix of all
    domains divided by its total. Putting a document into a class costs ``p(x) + p(c)`` times their
    Jensen-Shannon divergence; every document without a label goes where that is least, until none
    moves.

    A reconstruction: the original paper was not at hand. All documents move at once and not one
    after the other, by ``KL(p(W|x) || p(W|c))``, which is the Jensen-Shannon cost for a document
    much lighter than its class: the objective still never rises, and the order of the rows decides
    nothing. Ours are also the start from the probabilities of a first classifier, without which the
    labelled documents' words alone decide the first move; and the smoothing, a document more in
    every class that has all words as often as all documents have them. It belongs to the data, so
    the objective is exact.

    A class has the same words in all domains here: what a target alone uses is learnt as its
    documents join, and where its words for a class are largely others, they pull little against
    the source's. :class:`CoCC` leaves the target words of its own.

    Parameters
    ----------
    smoothing : float, default=1.0
        Weight of the document that is added to every class, as a share of all documents' weight.
    unit_rows : bool, default=True
        Whether documents are scaled to length 1, so that long ones do not rule.
    init_classifier : "logistic", "complement_nb", classifier or None, default="logistic"
        Trained on the labelled rows (of length 1), gives the first memberships of the others. None:
        they begin in the class of labelled documents that is nearest, as naive Bayes says.
    max_iter : int, default=50
    tol : float, default=0.002
        The fit ends after an iteration that moves less than this share of the documents without a
        label; 0 runs ``max_iter`` iterations.
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
    coef_ : array of shape (n_classes, n_terms)
        How much a term speaks for each class: the logarithm of its share of the class, less the
        mean over the classes, times what makes the labelled rows' labels likeliest.
    intercept_ : array of shape (n_classes,)
        Zeros.
    objective_ : array of shape (n_iter_ + 1,)
        The objective without ``I(X; W)``, which no grouping changes, at the start and after every
        iteration; it never rises.
    n_iter_ : int
    alignment_certainty_ : float
        How clearly words speak for the names of the targets' classes, as of :class:`MTrick`; a
        warning tells of less than 4. 0 for documents with values below zero.

    References
    ----------
    X. Ling, G.-R. Xue, W. Dai, Y. Jiang, Q. Yang, Y. Yu. Can Chinese Web Pages be Classified with
    English Data Source? WWW 2008.

    Examples
    --------
    >>> from isthmus import InformationBottleneck, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"english": ([[2, 0, 1, 0], [0, 2, 0, 1]], ["art", "sport"])},
    ...     {"chinese": [[1, 0, 2, 0], [0, 1, 0, 2]]},
    ... )
    >>> InformationBottleneck().fit(X, y, sample_domain).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"init_classifier": None, "smoothing": 0.001, "tol": 0.0}
    }

    def __init__(
        self,
        smoothing: float = 1.0,
        *,
        unit_rows: bool = True,
        init_classifier: Any = "logistic",
        max_iter: int = 50,
        tol: float = 0.002,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.smoothing = smoothing
        self.unit_rows = unit_rows
        self.init_classifier = init_classifier
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        result = information_bottleneck(
            self._documents_of(problem.domains),
            self._first_memberships(problem, X),
            [domain.labelled for domain in problem.domains],
            smoothing=self.smoothing,
            stopping=self._stopping,
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol, "the labels")
        self.objective_ = np.asarray(result.objective)
        self.n_iter_ = result.n_iter
        self._keep_rule(problem, X, result.log_shares)
        return self._memberships(problem, X)
