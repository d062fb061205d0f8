"""mSDA, the marginalised denoising autoencoders of Chen, Xu, Weinberger and Sha (2012)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import (
    check_auto_or_whole_number,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.pivots._base import AugmentedClassifier
from isthmus.estimators.pivots._pivot_choice import domain_frequencies
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import with_unit_rows
from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.progress import Callback
from isthmus.numerics.scaling import unit_rows
from isthmus.solvers.pivots._pivot_scores import largest
from isthmus.solvers.pivots.msda import (
    Layer,
    Products,
    first_layer,
    hidden_features,
    next_layer,
    word_features,
)

_AUTO_COMPONENTS = 1000
_AUTO_DF, _AUTO_DF_SHARE, _LEAST_DF = 10, 100, 2
# Rows whose hidden features are there at a time.
_BLOCK = 4096


class MarginalizedDenoising(AugmentedClassifier):
    """A linear classifier on words, and on the frequent words that they let one expect.

    A layer minimises, over ``W``,

    ``sum_i E ||x_i - W x~_i||^2``,

    where ``x~_i`` is the document ``x_i`` after each of its words was lost with probability
    ``noise``: words that go together, in any domain, learn to stand for one another. The mean is
    taken over all losses at once, so ``W = P Q^-1`` in closed form, with ``S = X'X`` (and a
    constant that is never lost), ``q`` the probabilities to stay, ``Q = S * qq'`` off the diagonal
    and ``S * q`` on it, ``P = S * q'``. Features are ``h = tanh(W x)``; a further layer does the
    same with ``h`` in the place of ``x``. The classifier reads ``[x, h]``, all of ``h`` brought
    to mean 0 and one variance. No domain and no label plays a part in ``h``: unlabelled documents
    of all domains teach it.

    With many terms only the ``n_components`` most frequent ones are reconstructed. All terms are
    dealt at random into blocks of as many; each block reconstructs the frequent terms by itself,
    and the mean of the reconstructions goes into ``tanh``. The original was not at hand for this:
    that the frequent terms are dealt out too, so that a short vocabulary has one block and the
    exact solution, how ``Q`` is levelled by ``ridge``, how features are scaled, and that documents
    are of length 1 rather than marks of presence are choices made here.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The most terms that are reconstructed, and features of a layer; also the most terms of a
        block. "auto" is 1,000, or all of fewer terms.
    min_df : int or "auto", default="auto"
        The least number of documents that hold a term from which others are reconstructed; a rarer
        one speaks through the classifier alone. "auto" is 10, or one in a hundred of fewer
        documents, but no fewer than 2.
    noise : float, default=0.9
        Probability that a word is lost, below 1. With less of it a word stands for itself, with
        more for those it goes with.
    n_layers : int, default=1
        Layers; the classifier reads the features of all of them.
    ridge : float, default=1e-5
        Added to the diagonal of ``Q``, as a share of its mean.
    feature_weight : float, default=1.0
        The length (root mean square) of a row of features, where that of a document is 1.
    classifier : {"svm", "logistic"} or None, default="svm"
        None leaves a transformer, which needs no label.
    C : float, default=0.3
        How closely the classifier follows the labels.
    random_state : int, RandomState or None, default=None
        Deals terms into blocks; without effect where one block holds them all.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`.
    inputs_ : array of int
        Columns of the terms from which others are reconstructed, rising.
    outputs_ : array of int
        Columns of the terms that are reconstructed, the most frequent first.
    components_ : array of shape (n_outputs, n_inputs + (n_layers - 1) * n_outputs)
        ``W`` of the first layer, a column for each of ``inputs_``, and beside it those of further
        layers.
    offsets_ : array of shape (n_layers, n_outputs)
        The weights of the constant.
    coef_ : array of shape (n_classes, n_terms)
    feature_coef_ : array of shape (n_classes, n_layers * n_outputs)
    intercept_ : array of shape (n_classes,)
    feature_shift_, feature_scale_ : array of shape (n_layers * n_outputs,)
        The mean of every feature, which is subtracted, and what it is then multiplied with.

    References
    ----------
    M. Chen, Z. Xu, K. Weinberger, F. Sha. Marginalized Denoising Autoencoders for Domain
    Adaptation. ICML 2012.

    Examples
    --------
    >>> from isthmus import MarginalizedDenoising, stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 1, 0]], ["good", "bad", "good"])},
    ...     {"films": [[1, 0, 2, 0], [0, 1, 0, 2]]},
    ... )
    >>> MarginalizedDenoising().fit(X, y, sample_domain).transduction_.tolist()
    ['good', 'bad', 'good', 'good', 'bad']
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **AugmentedClassifier._fitted_shapes,
        "inputs_": "i",
        "outputs_": "r",
        "components_": "rj",
        "offsets_": "lr",
    }
    # The mean of the features says nothing, and is the larger part of them the more blocks there
    # are: without it the weight of the features means the same for any number of blocks.
    _standardised: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        min_df: int | str = "auto",
        noise: float = 0.9,
        n_layers: int = 1,
        ridge: float = 1e-5,
        feature_weight: float = 1.0,
        classifier: str | None = "svm",
        C: float = 0.3,
        random_state: Any = None,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_components = n_components
        self.min_df = min_df
        self.noise = noise
        self.n_layers = n_layers
        self.ridge = ridge
        self.feature_weight = feature_weight
        self.classifier = classifier
        self.C = C
        self.random_state = random_state
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("n_components", "min_df"):
            check_auto_or_whole_number(name, getattr(self, name), least=1)
        check_number("noise", self.noise, least=0, most=0.999)
        check_whole_number("n_layers", self.n_layers, least=1)
        check_number("ridge", self.ridge, least=1e-12)

    def _check_fitted(self) -> None:
        n_layers, n_outputs = self.offsets_.shape
        n_weights = len(self.inputs_) + (n_layers - 1) * n_outputs
        if self.components_.shape[1] != n_weights or self._n_features_out != n_layers * n_outputs:
            raise ValueError("the layers do not fit each other")
        columns, n_terms = self.inputs_, self.coef_.shape[1]
        if columns.dtype.kind != "i" or not 0 <= columns.min() <= columns.max() < n_terms:
            raise ValueError("inputs_ are no columns of the documents")

    def _learn_features(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        _warn_if_nothing_is_shared(problem, X)
        self._choose_terms(X)
        generator = make_generator(self.random_state)
        n_blocks = -(-len(self.inputs_) // len(self.outputs_))
        order = generator.permutation(len(self.inputs_))
        blocks = np.array_split(self.inputs_[order], n_blocks)
        documents = with_unit_rows(X)
        first = first_layer(
            _term_products(documents),
            np.asarray(documents.sum(axis=0, dtype=np.float64)).ravel(),
            X.shape[0],
            self.outputs_,
            blocks,
            noise=self.noise,
            ridge=self.ridge,
            dtype=X.dtype,
        )
        layers = [Layer(first.weights[:, np.argsort(order)], first.offsets)]
        self._keep(layers)
        for _ in range(self.n_layers - 1):
            hidden = self._last_features(problem, X.shape[1])
            layers.append(next_layer(hidden, noise=self.noise, ridge=self.ridge))
            self._keep(layers)

    def _last_features(self, problem: Problem, n_terms: int) -> Iterator[NDArray[Any]]:
        layers = self._layers(n_terms)
        for domain in problem.domains:
            for block in domain.documents.row_blocks(_BLOCK):
                yield hidden_features(unit_rows(block), layers)[-1]

    def _choose_terms(self, X: Any) -> None:
        n_rows, n_terms = X.shape
        wanted = self.n_components
        if not isinstance(wanted, str) and wanted > n_terms:
            raise ValueError(
                f"n_components is {wanted} but there are {n_terms} terms: ask for fewer, or for "
                "'auto'."
            )
        frequency = document_frequency(X)
        if isinstance(self.min_df, str):
            least = int(np.clip(n_rows // _AUTO_DF_SHARE, _LEAST_DF, _AUTO_DF))
            least = min(least, max(int(frequency.max()), 1))
        else:
            least = int(self.min_df)
        enough = frequency >= least
        if not enough.any():
            if not isinstance(self.min_df, str):
                raise ValueError(
                    f"No term stands in {least} documents, the most frequent one in "
                    f"{frequency.max()}: lower min_df."
                )
            enough[0] = True  # no document has a word, and a feature of zeros says as much
        number = _AUTO_COMPONENTS if isinstance(wanted, str) else int(wanted)
        self.inputs_ = np.flatnonzero(enough)
        self.outputs_ = largest(frequency.astype(float), enough, number)

    def _keep(self, layers: list[Layer]) -> None:
        self.components_ = np.hstack([layer.weights for layer in layers])
        self.offsets_ = np.vstack([layer.offsets for layer in layers])

    def _layers(self, n_terms: int) -> list[Layer]:
        """The layers again, the first with a column for every term."""
        n_inputs, n_outputs = len(self.inputs_), self.offsets_.shape[1]
        weights = np.zeros((n_terms, n_outputs), self.components_.dtype)
        weights[self.inputs_] = self.components_[:, :n_inputs].T
        starts = range(n_inputs, self.components_.shape[1], n_outputs)
        others = [self.components_[:, start : start + n_outputs] for start in starts]
        return [Layer(W, b) for W, b in zip([weights.T, *others], self.offsets_, strict=True)]

    def _feature_map(self, number: int, dtype: Any) -> Callable[[Documents], NDArray[Any]]:
        layers = self._layers(self.n_features_in_)
        return lambda documents: _beside_each_other(hidden_features(documents, layers))

    def _word_features(self, number: int) -> NDArray[Any]:
        return np.hstack(word_features(self._layers(self.n_features_in_)))


def _warn_if_nothing_is_shared(problem: Problem, X: Any) -> None:
    by_domain = domain_frequencies(problem, X).counts > 0
    is_target = np.array([domain.is_target for domain in problem.domains])
    of_targets, of_sources = (by_domain[side].any(axis=0) for side in (is_target, ~is_target))
    if is_target.any() and not is_target.all() and not (of_targets & of_sources).any():
        warn_user(
            "Sources and targets share no term, so that nothing can be carried over: check that "
            "all documents were counted with one vocabulary."
        )


def _beside_each_other(hidden: list[NDArray[Any]]) -> NDArray[Any]:
    return hidden[0] if len(hidden) == 1 else np.hstack(hidden)


def _term_products(X: Any) -> Products:
    """Products of columns of a CSR matrix or an array."""
    if sparse.issparse(X):
        by_term = X.T.tocsr()
        return lambda a, b: (_wide(by_term[a]) @ _wide(by_term[b]).T).toarray()

    def products(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
        with one_blas_thread():
            return np.asarray(_wide(X[:, a]).T @ _wide(X[:, b]))

    return products


def _wide(X: Any) -> Any:
    return X.astype(np.float64, copy=False)
