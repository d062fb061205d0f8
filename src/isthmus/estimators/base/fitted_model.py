"""What a fit returns: a frozen dataclass of arrays with the rule that predicts from them.

A method declares its model like this::

    @dataclass(frozen=True, kw_only=True)
    class LinearModel(FittedModel):
        coef: NDArray[Any] = array("classes", "terms")
        intercept: NDArray[Any] = array("classes")

        def predict_memberships(self, X, domain): ...

Every field becomes a fitted attribute with a trailing underscore (``coef_``), unless it is None.
Model files store the fields and check them against the declared shapes when they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.parse import rows_of_domains
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    calibrate_by_scores,
    fit_logistic_to_memberships,
    linear_scores,
    softmax_memberships,
    softmax_of_documents,
    with_unit_norm,
)
from isthmus.estimators.components.parameters import check_whole_number
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import as_documents, with_unit_rows

Kind = Literal["array", "number", "flag", "estimator", "estimators"]
#: For every class (or cluster) the top words by domain number.
Words = dict[Any, dict[int, list[Any]]]
# C of the logistic regression that is fitted to the labels of a method.
_C_FOR_LABELS = 1.0
# A larger proportion of unreached documents is worth a warning.
_MANY = 0.05


@dataclass(frozen=True)
class FieldSpec:
    """What a model file must hold for a field.

    ``shape`` names the dimensions. "terms", "classes" and "domains" are the sizes of the problem;
    any other name is a size of the method's own, and fields that share a name share the size.
    """

    kind: Kind
    shape: tuple[str, ...] = ()
    per_domain: bool = False
    nonnegative: bool = False
    public: bool = True
    optional: bool = False
    labels: bool = False
    """Whether an array may also hold texts; other arrays hold numbers."""


def array(
    *shape: str,
    nonnegative: bool = False,
    public: bool = True,
    optional: bool = False,
    labels: bool = False,
) -> Any:
    """A field that holds one array, or None if it is optional."""
    return _declare(FieldSpec("array", shape, False, nonnegative, public, optional, labels))


def array_per_domain(
    *shape: str, nonnegative: bool = False, public: bool = True, optional: bool = False
) -> Any:
    """A field that holds a dict from domain number to array, or None if it is optional."""
    return _declare(FieldSpec("array", shape, True, nonnegative, public, optional))


def number(*, public: bool = True) -> Any:
    """A field that holds an int or a float."""
    return _declare(FieldSpec("number", public=public))


def flag(*, public: bool = False) -> Any:
    """A field that holds True or False."""
    return _declare(FieldSpec("flag", public=public))


def fitted_estimator() -> Any:
    """A field that holds a fitted estimator of the registry."""
    return _declare(FieldSpec("estimator"))


def fitted_estimators() -> Any:
    """A field that holds a list of fitted estimators of the registry."""
    return _declare(FieldSpec("estimators"))


def _declare(spec: FieldSpec) -> Any:
    if spec.optional:
        return field(default=None, metadata={"spec": spec})
    return field(metadata={"spec": spec})


def field_specs(model: Any) -> dict[str, FieldSpec]:
    """The declared fields of a model or of its class, by name."""
    declared: Iterator[Field[Any]] = iter(fields(model))
    return {item.name: item.metadata["spec"] for item in declared if "spec" in item.metadata}


@dataclass(frozen=True, kw_only=True)
class FittedModel:
    """Base of all fitted models of classifiers.

    ``term_totals`` are the column sums of the documents of every domain, as the method reads them.
    """

    term_totals: Mapping[int, NDArray[Any]] = array_per_domain("terms")

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        """Class memberships of new documents of a domain.

        A row of zeros means that nothing is known about a document. It gets the class prior.
        """
        raise NotImplementedError  # pragma: no cover - every model defines it

    def explained_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        """Class memberships whose change explains a prediction when a word is removed.

        A method whose memberships are so close to 0 and 1 that their differences mean nothing
        returns less extreme ones, in the same order.
        """
        return self.predict_memberships(X, domain)

    def word_weights(self) -> dict[int, NDArray[Any]]:
        """By domain number, how much every word (row) supports every class (column)."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def check(self) -> None:
        """Raise ValueError if fields that were read from a file contradict each other."""


class Fit(NamedTuple):
    """The result of fitting a classifier."""

    model: FittedModel
    memberships: Sequence[NDArray[Any]]
    """Class memberships of the fitted rows, one array per domain; rows of zeros as in a model."""
    diagnostics: Mapping[str, Any] = {}
    """Further fitted attributes by name, such as ``n_iter_``. Model files do not store them."""


@dataclass(frozen=True, kw_only=True)
class ClusterModel:
    """Base of the fitted models of clusterers."""

    def predict_labels(self, X: Any, domain: int) -> NDArray[np.intp]:
        """Cluster numbers of new documents of a domain."""
        raise NotImplementedError  # pragma: no cover - every model defines it


class ClusterFit(NamedTuple):
    """The result of fitting a clusterer."""

    model: ClusterModel
    labels: Sequence[NDArray[np.intp]]
    """Cluster numbers of the fitted rows, one array per domain."""
    diagnostics: Mapping[str, Any] = {}


@dataclass(frozen=True, kw_only=True)
class TransformerModel:
    """Base of the fitted models of transformers."""

    def transform(self, X: Any) -> NDArray[Any]:
        """New documents in the fitted space."""
        raise NotImplementedError  # pragma: no cover - every model defines it


class TransformerFit(NamedTuple):
    """The result of fitting a transformer."""

    model: TransformerModel
    diagnostics: Mapping[str, Any] = {}


@dataclass(frozen=True, kw_only=True)
class FittedDomains:
    """What every fitted classifier knows about its classes and domains."""

    classes: NDArray[Any] = array("classes", labels=True)
    class_prior: NDArray[np.float64] = array("classes", nonnegative=True)
    domains: NDArray[np.int64] = array("domains")
    domain_prior: Mapping[int, NDArray[np.float64]] = array_per_domain("classes", nonnegative=True)
    log_prior_shift: Mapping[int, NDArray[np.float64]] = array_per_domain("classes")


def profile_word_weights(profile: NDArray[Any], term_totals: NDArray[Any]) -> NDArray[Any]:
    """Weight of every word (row) for every column of a nonnegative profile.

    The weight of a word is its total times the difference between its proportion of the column and
    the mean proportion over all words. It is large for words that are frequent and specific.
    """
    totals = profile.sum(axis=1, keepdims=True)
    proportions = np.divide(profile, totals, out=np.zeros_like(profile), where=totals > 0)
    weight = term_totals[:, None]
    mean = (weight * proportions).sum(axis=0) / max(float(weight.sum()), np.finfo(float).tiny)
    return np.asarray(weight * (proportions - mean))


def top_words_by_class(
    names: Any, labels: Sequence[Any], by_domain: Mapping[int, NDArray[Any]], n_words: int
) -> Words:
    """For every label and domain the names of the words with the largest positive weights."""
    check_whole_number("n_words", n_words, least=1)
    names = np.asarray(names)
    top: Words = {label: {} for label in labels}
    for number, weights in by_domain.items():
        if len(names) != len(weights):
            raise ValueError(
                f"feature_names has {len(names)} names, but {len(weights)} terms were fitted: pass "
                "one name per term."
            )
        for column, words in enumerate(top.values()):
            order = np.argsort(-weights[:, column], kind="stable")[:n_words]
            words[number] = names[order[weights[order, column] > 0]].tolist()
    return top


@dataclass(frozen=True, kw_only=True)
class LinearModel(FittedModel):
    """Class probabilities are the softmax of ``x @ coef.T + intercept``."""

    coef: NDArray[Any] = array("classes", "terms")
    intercept: NDArray[Any] = array("classes")
    unit_norm: bool = flag()
    """Whether rows are scaled to unit norm first."""
    skips_empty: bool = flag()
    """Whether nothing is predicted for a document without a term."""

    @classmethod
    def of(
        cls,
        data: TrainingData,
        coef: NDArray[Any],
        intercept: NDArray[Any],
        *,
        unit_norm: bool = True,
        skips_empty: bool = False,
    ) -> Self:
        """The rule of a fit, in the precision of its documents."""
        return cls(
            term_totals=data.term_totals,
            coef=coef.astype(data.X.dtype),
            intercept=intercept.astype(data.X.dtype),
            unit_norm=unit_norm,
            skips_empty=skips_empty,
        )

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        engine = current_engine()
        if engine.name != "cpu":
            return self.memberships_of(engine.documents(X))
        memberships = softmax_memberships(X, self.coef, self.intercept, unit_norm=self.unit_norm)
        memberships = memberships.astype(X.dtype)
        if self.skips_empty:
            memberships[as_documents(X).row_norms() == 0] = 0
        return memberships

    def memberships_of(self, documents: Documents) -> NDArray[Any]:
        """Class memberships of documents of any engine, as a NumPy array."""
        rows = with_unit_norm(documents) if self.unit_norm else documents
        memberships = softmax_of_documents(rows, self.coef, self.intercept, documents.dtype)
        if self.skips_empty:
            memberships[documents.engine.to_host(documents.row_norms()) == 0] = 0
        return memberships

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef.T for n, totals in self.term_totals.items()}


def predict_rows(model: FittedModel, data: TrainingData) -> list[NDArray[Any]]:
    """Memberships of the fitted rows by the rule for new documents, one array per domain."""
    if isinstance(model, LinearModel) and data.engine.name != "cpu":
        # The documents of the domains are on the engine already.
        return [model.memberships_of(domain.documents) for domain in data.problem.domains]
    parts = rows_of_domains(data.problem, data.X)
    return [model.predict_memberships(part, number) for number, part in parts]


def fit_to_memberships(
    data: TrainingData, memberships: NDArray[Any], *, predict_unreached: bool = True
) -> Fit:
    """A fit for methods that label the given documents only.

    ``memberships`` has one row per row of ``data.X``, zeros for documents that the method did not
    reach; labeled rows are ignored. New documents are predicted by a logistic regression on these
    labels, scaled to the mean confidence of the method. It also predicts the unreached documents,
    or else they get the class prior.
    """
    memberships = np.array(memberships, data.X.dtype)
    model = _fit_rule(data, memberships)
    labels = data.problem.labels
    unreached = np.flatnonzero(~memberships.any(axis=1) & (labels < 0))
    if len(unreached):
        predicted = model.predict_memberships(data.X[unreached], 0)
        n_unreached, n_unlabeled = int(predicted.any(axis=1).sum()), int((labels < 0).sum())
        if n_unreached > _MANY * n_unlabeled:
            remedy = (
                "a classifier of the other documents labels them"
                if predict_unreached
                else "they get the class prior of the source"
            )
            warn_user(
                f"{n_unreached} of {n_unlabeled} unlabeled documents are not connected to any "
                f"labeled document: {remedy}. Check that the documents of all domains were "
                "counted with one vocabulary."
            )
        if predict_unreached:
            memberships[unreached] = predicted
    return Fit(model, [memberships[domain.rows] for domain in data.problem.domains])


def _fit_rule(data: TrainingData, memberships: NDArray[Any]) -> LinearModel:
    X, labels = data.X, data.problem.labels
    known = labels >= 0
    targets = memberships.copy()
    targets[known] = np.eye(data.problem.n_classes)[labels[known]]
    coef, intercept = fit_logistic_to_memberships(X, targets, _C_FOR_LABELS, data.problem)
    reached = np.flatnonzero(~known & targets.any(axis=1))
    if len(reached):
        probabilities = targets[reached] / targets[reached].sum(axis=1, keepdims=True)
        confidence = float(probabilities.max(axis=1).mean())
        scores = unit_norm_scores(data, coef, intercept, reached)
        coef, intercept = calibrate_by_scores(coef, intercept, scores, confidence)
    return LinearModel.of(data, coef, intercept, skips_empty=True)


def unit_norm_scores(
    data: TrainingData, coef: NDArray[Any], intercept: NDArray[Any], rows: NDArray[np.intp]
) -> NDArray[Any]:
    """Linear scores of some rows, scaled to unit norm."""
    engine = data.engine
    if engine.name == "cpu":
        return np.asarray(with_unit_rows(data.X[rows]) @ coef.T + intercept)
    parts = [
        engine.to_host(linear_scores(with_unit_norm(domain.documents), coef, intercept))
        for domain in data.problem.domains
    ]
    return np.asarray(data.problem.gather(parts)[rows])
