"""Probabilistic latent semantic analysis (Hofmann 2001)."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.domain_estimator import ALL_ENGINES
from isthmus.estimators.base.fitted_model import TransformerFit, TransformerModel, array
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.base.transformer import TransferTransformer
from isthmus.estimators.components.parameters import (
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.matrices.engines import current_engine
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.tri_factorization.plsa import fold_in_topics, plsa, random_topics

_AUTO_TOPICS = 50


@dataclass(frozen=True, kw_only=True)
class TopicModel(TransformerModel):
    """Distributions of words over topics and of topics over words."""

    components: NDArray[Any] = array("topics", "terms", nonnegative=True)
    word_topics: NDArray[Any] = array("terms", "topics", nonnegative=True)

    def transform(self, X: Any) -> NDArray[Any]:
        engine, topics = current_engine(), self.components.T.astype(X.dtype)
        mixtures = engine.to_host(
            fold_in_topics(engine.documents(X), engine.asarray(topics), engine=engine)
        )
        empty = ~mixtures.any(axis=1, keepdims=True)
        return np.where(empty, X.dtype.type(1 / topics.shape[1]), mixtures)


class PLSA(TransferTransformer):
    """Fit topics to the documents of all domains.

    Maximizes ``sum_ij x_ij log sum_z P(z|d_i) P(w_j|z)`` by expectation-maximization. The random
    initialization is drawn by term, so the order of the documents has no influence.

    Parameters
    ----------
    n_topics : int or "auto", default="auto"
        "auto" is 50, or the size of the vocabulary if that is smaller.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-4
        The fit stops when the relative change of the log-likelihood is smaller.

    Attributes
    ----------
    components_ : array of shape (n_topics, n_terms)
        ``P(w|z)``, rows sum to 1.
    word_topics_ : array of shape (n_terms, n_topics)
        ``P(z|w)``, rows sum to 1; uniform for a term that never occurs.
    log_likelihood_ : array
        Log-likelihood before every iteration.
    n_iter_ : int
        Number of iterations.

    References
    ----------
    T. Hofmann. Unsupervised Learning by Probabilistic Latent Semantic Analysis. Machine Learning
    42, 2001.

    Examples
    --------
    Every document is a mixture of topics:

    >>> from isthmus import PLSA
    >>> X = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2]]
    >>> mixtures = PLSA(n_topics=2, random_state=0).fit_transform(X)
    >>> mixtures.argmax(axis=1).tolist()
    [1, 1, 0, 0]
    """

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _needs_nonnegative: ClassVar[bool] = True

    def __init__(
        self,
        n_topics: int | str = "auto",
        *,
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_topics = n_topics
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_parameters(self) -> None:
        if self.n_topics != "auto":
            check_whole_number("n_topics", self.n_topics, least=1)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    def _count_topics(self, n_terms: int) -> int:
        if not isinstance(self.n_topics, numbers.Integral):
            return min(_AUTO_TOPICS, n_terms)
        if self.n_topics > n_terms:
            raise ValueError(
                f"n_topics={self.n_topics} is larger than the vocabulary of {n_terms} terms: use "
                f"at most {n_terms}, or leave it at 'auto'."
            )
        return int(self.n_topics)

    def _fit(self, data: TrainingData, callback: Callback | None) -> TransformerFit:
        blocks = [domain.documents for domain in data.problem.domains]
        n_terms, dtype = blocks[0].shape[1], blocks[0].dtype
        n_topics = self._count_topics(n_terms)
        engine = data.engine
        generator = make_generator(self.random_state)
        result = plsa(
            blocks,
            engine.asarray(random_topics(n_terms, n_topics, generator, dtype)),
            engine=engine,
            stopping=Stopping(self.max_iter, self.tol),
            callback=callback,
        )
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol)
        word_topics = engine.to_host(result.word_topics)
        occurs = word_topics.any(axis=1, keepdims=True)
        model = TopicModel(
            components=engine.to_host(result.topics).T,
            word_topics=np.where(occurs, word_topics, dtype.type(1 / n_topics)),
        )
        diagnostics = {
            "log_likelihood_": np.asarray(result.log_likelihood),
            "n_iter_": result.n_iter,
        }
        return TransformerFit(model, diagnostics)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])
