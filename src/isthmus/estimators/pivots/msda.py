"""mSDA, the marginalized denoising autoencoders of Chen, Xu, Weinberger and Sha (2012)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.fitted_model import FittedModel, array, number
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import (
    check_auto_or_whole_number,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.pivots._feature_classifier import FeatureClassifier, FeatureFit, unscaled
from isthmus.estimators.pivots._feature_model import FeatureFunction, FeatureMap, FeatureModel
from isthmus.estimators.pivots._pivot_selector import domain_frequencies
from isthmus.matrices.protocols import Engine
from isthmus.matrices.rows import with_unit_rows
from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.progress import Callback
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
# min_df="auto": the first number, or one in the second number of documents, at least the third.
_AUTO_MIN_DF, _DOCUMENTS_PER_MIN_DF, _LOWEST_MIN_DF = 10, 100, 2
# Number of rows whose hidden features are computed at once.
_BLOCK_ROWS = 4096


@dataclass(frozen=True, kw_only=True)
class MSDAFeatures(FeatureMap):
    """Outputs of all layers, side by side."""

    inputs: NDArray[np.intp] = array("inputs")
    outputs: NDArray[np.intp] = array("outputs")
    components: NDArray[Any] = array("outputs", "weights")
    offsets: NDArray[Any] = array("layers", "outputs")
    n_terms: int = number(public=False)

    def layers(self) -> list[Layer]:
        """The layers, the first one with a column for every term."""
        return _split_layers(self.components, self.offsets, self.inputs, self.n_terms)

    def feature_function(self, domain: int, engine: Engine, dtype: Any) -> FeatureFunction:
        layers = self.layers()
        return lambda documents: _side_by_side(hidden_features(documents, layers))

    def word_features(self, domain: int) -> NDArray[Any]:
        return np.hstack(word_features(self.layers()))


@dataclass(frozen=True, kw_only=True)
class MSDAModel(FeatureModel, MSDAFeatures):
    """Linear rule on documents and their mSDA features."""

    def check(self) -> None:
        n_layers, n_outputs = self.offsets.shape
        n_weights = len(self.inputs) + (n_layers - 1) * n_outputs
        n_features = len(self.feature_scale)
        if self.components.shape[1] != n_weights or n_features != n_layers * n_outputs:
            raise ValueError("the sizes of the layers do not match")
        if self.n_terms != self.coef.shape[1]:
            raise ValueError("n_terms is not the number of terms")
        columns = self.inputs
        if columns.dtype.kind != "i" or not 0 <= columns.min() <= columns.max() < self.n_terms:
            raise ValueError("inputs are not columns of the documents")


class MarginalizedDenoising(FeatureClassifier):
    """Features from denoising: every word predicts the frequent words that occur with it.

    A layer minimizes, over ``W``,

    ``sum_i E ||x_i - W x~_i||^2``,

    where ``x~_i`` is the document ``x_i`` after every word was removed with probability ``noise``.
    Words that occur together, in any domain, become substitutes for each other. The expectation
    over all removals has a closed form, ``W = P Q^-1``, with ``S = X'X`` (including a constant
    feature that is never removed), ``q`` the probabilities to stay, ``Q = S * qq'`` off the
    diagonal and ``S * q`` on it, and ``P = S * q'``. The features are ``h = tanh(W x)``. A further
    layer does the same with ``h`` in place of ``x``. A linear classifier is fitted to ``[x, h]``
    with standardized ``h``. The features use neither domains nor labels, so the unlabeled
    documents of all domains contribute.

    With many terms, only the ``n_components`` most frequent ones are reconstructed. All terms are
    split at random into blocks of that size; each block reconstructs the frequent terms on its own,
    and the mean of the reconstructions is the argument of ``tanh``. The
    following are choices of this implementation: frequent terms are part of the
    blocks, so that a small vocabulary has one block and the exact solution; ``ridge`` regularizes
    ``Q``; features are standardized; documents are unit-norm rows instead of binary vectors.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Maximum number of reconstructed terms, of features per layer, and of terms per block. "auto"
        is 1,000, or the number of terms if that is less.
    min_df : int or "auto", default="auto"
        Minimum document frequency of the terms that reconstruct others. Rarer terms are used by the
        classifier only. "auto" is 10, or a hundredth of the documents if that is less, and at
        least 2.
    noise : float, default=0.9
        Probability that a word is removed, below 1. The higher it is, the more a word represents
        the words that occur with it instead of itself.
    n_layers : int, default=1
        Number of layers. The classifier uses the features of all of them.
    ridge : float, default=1e-5
        Added to the diagonal of ``Q``, as a proportion of its mean.
    feature_weight : float, default=1.0
        Norm (root mean square) of a row of features; documents have norm 1.
    classifier : {"svm", "logistic"} or None, default="svm"
        Linear support vector machine or logistic regression. None makes a transformer, which needs
        no labels.
    random_state : int, RandomState or None, default=None
        Random seed of the split into blocks; without effect if there is one block.

    Attributes
    ----------
    inputs_ : array of int
        Columns of the terms that reconstruct others, in ascending order.
    outputs_ : array of int
        Columns of the reconstructed terms, most frequent first.
    components_ : array of shape (n_outputs, n_inputs + (n_layers - 1) * n_outputs)
        ``W`` of the first layer, one column per term of ``inputs_``, followed by those of further
        layers.
    offsets_ : array of shape (n_layers, n_outputs)
        Weights of the constant feature.
    feature_coef_ : array of shape (n_classes, n_layers * n_outputs)
        Weights of the standardized features.
    feature_shift_, feature_scale_ : array of shape (n_layers * n_outputs,)
        Mean of every feature, which is subtracted, and the factor by which it is then multiplied.

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

    _model_class: ClassVar[type[FittedModel]] = MSDAModel
    # The mean of the features carries no information and grows with the number of blocks. Without
    # it, feature_weight has the same effect for any number of blocks.
    _standardizes: ClassVar[bool] = True

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

    def _fit_features(self, data: TrainingData, callback: Callback | None) -> FeatureFit:
        X, problem = data.X, data.problem
        _warn_if_nothing_is_shared(problem, X)
        inputs, outputs = self._choose_terms(X)
        layers = [self._fit_first_layer(X, inputs, outputs)]
        components, offsets = _join_layers(layers)
        for _ in range(self.n_layers - 1):
            fitted = _split_layers(components, offsets, inputs, X.shape[1])
            hidden = _last_features(problem, fitted)
            layers.append(next_layer(hidden, noise=self.noise, ridge=self.ridge))
            components, offsets = _join_layers(layers)
        return FeatureFit(
            MSDAFeatures(
                **unscaled(offsets.size),
                inputs=inputs,
                outputs=outputs,
                components=components,
                offsets=offsets,
                n_terms=X.shape[1],
            )
        )

    def _fit_first_layer(
        self, X: Any, inputs: NDArray[np.intp], outputs: NDArray[np.intp]
    ) -> Layer:
        """The layer on the terms, fitted to random blocks; one column per input."""
        order = make_generator(self.random_state).permutation(len(inputs))
        n_blocks = -(-len(inputs) // len(outputs))
        documents = with_unit_rows(X)
        layer = first_layer(
            _term_products(documents),
            np.asarray(documents.sum(axis=0, dtype=np.float64)).ravel(),
            X.shape[0],
            outputs,
            np.array_split(inputs[order], n_blocks),
            noise=self.noise,
            ridge=self.ridge,
            dtype=X.dtype,
        )
        return Layer(layer.weights[:, np.argsort(order)], layer.offsets)

    def _choose_terms(self, X: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Columns of the terms that reconstruct others, and of those that are reconstructed."""
        n_rows, n_terms = X.shape
        n_components = self.n_components
        if not isinstance(n_components, str) and n_components > n_terms:
            raise ValueError(
                f"n_components={n_components} is more than the {n_terms} terms of the documents: "
                "lower it, or use 'auto'."
            )
        frequency = document_frequency(X)
        if isinstance(self.min_df, str):
            min_df = int(np.clip(n_rows // _DOCUMENTS_PER_MIN_DF, _LOWEST_MIN_DF, _AUTO_MIN_DF))
            min_df = min(min_df, max(int(frequency.max()), 1))
        else:
            min_df = int(self.min_df)
        is_input = frequency >= min_df
        if not is_input.any():
            if not isinstance(self.min_df, str):
                raise ValueError(
                    f"No term occurs in {min_df} documents, the most frequent one in "
                    f"{frequency.max()}: lower min_df."
                )
            is_input[0] = True  # all documents are empty: one feature of zeros
        n_outputs = _AUTO_COMPONENTS if isinstance(n_components, str) else int(n_components)
        return np.flatnonzero(is_input), largest(frequency.astype(float), is_input, n_outputs)


def _join_layers(layers: list[Layer]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weights of all layers side by side, and offsets with one row per layer."""
    components = np.hstack([layer.weights for layer in layers])
    return components, np.vstack([layer.offsets for layer in layers])


def _split_layers(
    components: NDArray[Any], offsets: NDArray[Any], inputs: NDArray[np.intp], n_terms: int
) -> list[Layer]:
    """The inverse of :func:`_join_layers`; the first layer gets a column for every term."""
    n_inputs, n_outputs = len(inputs), offsets.shape[1]
    weights = np.zeros((n_terms, n_outputs), components.dtype)
    weights[inputs] = components[:, :n_inputs].T
    starts = range(n_inputs, components.shape[1], n_outputs)
    others = [components[:, start : start + n_outputs] for start in starts]
    return [Layer(W, b) for W, b in zip([weights.T, *others], offsets, strict=True)]


def _last_features(problem: Problem, layers: list[Layer]) -> Iterator[NDArray[Any]]:
    """Outputs of the last layer for all documents, one block of rows at a time."""
    for domain in problem.domains:
        for block in domain.documents.row_blocks(_BLOCK_ROWS):
            yield hidden_features(block.unit_rows(), layers)[-1]


def _warn_if_nothing_is_shared(problem: Problem, X: Any) -> None:
    in_domain = domain_frequencies(problem, X).counts > 0
    is_target = np.array([domain.is_target for domain in problem.domains])
    in_targets, in_sources = (in_domain[rows].any(axis=0) for rows in (is_target, ~is_target))
    if is_target.any() and not is_target.all() and not (in_targets & in_sources).any():
        warn_user(
            "Sources and targets share no term, so labels cannot be transferred: check that all "
            "documents were counted with one vocabulary."
        )


def _side_by_side(hidden: list[NDArray[Any]]) -> NDArray[Any]:
    return hidden[0] if len(hidden) == 1 else np.hstack(hidden)


def _term_products(X: Any) -> Products:
    """A function that computes ``X_a' X_b`` for columns of a CSR matrix or an array."""
    if sparse.issparse(X):
        by_term = X.T.tocsr()
        return lambda a, b: (_wide(by_term[a]) @ _wide(by_term[b]).T).toarray()

    def products(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
        with one_blas_thread():
            return np.asarray(_wide(X[:, a]).T @ _wide(X[:, b]))

    return products


def _wide(X: Any) -> Any:
    return X.astype(np.float64, copy=False)
