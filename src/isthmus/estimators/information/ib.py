"""The information bottleneck between domains or languages (Ling et al. 2008)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from isthmus.estimators.base.domain_estimator import ONE_MACHINE
from isthmus.estimators.base.fitted_model import Fit
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.information._base import WordDistributionClassifier, WordDistributionModel
from isthmus.numerics.progress import Callback
from isthmus.solvers.information.ib import information_bottleneck


class InformationBottleneck(WordDistributionClassifier):
    """Group documents into the classes with the least loss of information about their words.

    Minimizes, over classes ``X^`` of all documents ``X``, where labeled documents keep their
    class,

    ``I(X; W) - I(X^; W) = sum_x p(x) KL(p(W|x) || p(W|x^))``

    where ``I`` is the mutual information of documents and words in ``p(x, w)``, the matrix of all
    domains divided by its sum. Adding a document to a class costs ``p(x) + p(c)`` times their
    Jensen-Shannon divergence. Every unlabeled document moves to the class with the lowest cost,
    until no document moves.

    This implementation follows descriptions of the method, not the original paper. Three details
    are our own choices. All documents move at once, by ``KL(p(W|x) || p(W|c))``, the limit of the
    Jensen-Shannon cost for a document that is small compared with its class. The objective still
    never increases, and the order of the rows has no influence. The initial memberships are the
    probabilities of a classifier. Without it, the words of the labeled documents alone determine
    the first step. Every class is smoothed with one additional document that has the word
    distribution of all documents. This document is part of the data, so the objective is exact.

    A class has one word distribution for all domains. Words that occur in the target only are
    learned as target documents join a class. If the target uses mostly other words for a class than
    the source, these have little weight; :class:`CoCC` fits separate target classes.

    Parameters
    ----------
    smoothing : float, default=1.0
        Weight of the document that is added to every class, relative to all documents.
    init_classifier : "logistic", "complement_nb", classifier or None, default="logistic"
        Fitted to the labeled unit-norm rows. It gives the initial memberships of the other rows.
        With None they start in the nearest class of labeled documents, as in naive Bayes.
    tol : float, default=0.002
        The fit stops when an iteration changes a smaller proportion of the labels of unlabeled
        documents. 0 runs ``max_iter`` iterations.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms: ``log p(term | class)``, minus the mean over the classes, times an
        inverse temperature that maximizes the likelihood of the labeled rows.
    objective_ : array of shape (n_iterations + 1,)
        The objective without the constant ``I(X; W)``, initially and after every iteration. It
        never increases.

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

    _engines: ClassVar[tuple[str, ...]] = ONE_MACHINE
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
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

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        problem = data.problem
        result = information_bottleneck(
            self._documents_of(problem.domains),
            [data.engine.asarray(part) for part in self._initial_memberships(data)],
            [domain.labeled for domain in problem.domains],
            smoothing=self.smoothing,
            stopping=self._stopping,
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol, "the labels")
        model = WordDistributionModel(
            term_totals=data.term_totals,
            coef=self._calibrated_coef(data, result.log_word_probabilities)[0],
            intercept=np.zeros(problem.n_classes, data.X.dtype),
        )
        diagnostics = {"objective_": np.asarray(result.objective), "n_iter_": result.n_iter}
        return Fit(model, self._rows_by_model(model, data), diagnostics)
