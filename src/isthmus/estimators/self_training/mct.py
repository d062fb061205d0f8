"""MCT, the multi-label consensus training of Li and Zong (2008)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.parse import rows_of_domains
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, fitted_estimators
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import check_flag, check_number, check_whole_number
from isthmus.estimators.registry import find_classifier
from isthmus.estimators.self_training._pseudo_labels import (
    Candidates,
    candidates_of,
    changed_proportion,
)
from isthmus.matrices.rows import as_documents, with_unit_rows
from isthmus.numerics.progress import Callback, Progress
from isthmus.solvers.self_training.mct import agreed_labels


@dataclass(frozen=True, kw_only=True)
class MCTModel(FittedModel):
    """The mean of the members; they read unit-norm rows."""

    members: list[Any] = fitted_estimators()

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        models = [member.model_ for member in self.members]
        return np.asarray(np.mean(_member_memberships(models, with_unit_rows(X), domain), axis=0))

    def word_weights(self) -> dict[int, NDArray[Any]]:
        weights = [member.model_.word_weights() for member in self.members]
        return {
            number: np.asarray(np.mean([member[number] for member in weights], axis=0))
            for number in self.term_totals
        }


class MCT(TransferClassifier):
    """Co-training of classifiers with different pivots, on the labels on which they agree.

    The members are one :class:`SCL` per kind of pivots and a classifier of the words only. Each
    member ``m`` predicts memberships ``p_m(c | x)``. They are shifted by one number per class,
    ``b_m``, so that the member's labels of the target match the class prior ``pi``. The members
    agree on the documents

    ``A = {x : argmax_c log p_m(c | x) + b_mc is the same class for all m}``

    and their certainty is the difference of the two largest means over ``m`` of these sums. In
    round ``r`` of ``R``, the most certain documents in ``A``, at most ``(r / R) * fraction`` of the
    target's documents and a proportion ``pi_c`` of class ``c``, are added to the labeled ones, and
    every member is fitted again. At the end, the class of a document is that with the largest mean
    of ``p_m(c | x)``.

    Later descriptions, which this follows, state that the members are SCL with different
    auxiliary problems and that documents on which they agree are added in rounds. The rest was
    chosen on development problems: the members, the measure of certainty, the quotas, and that
    every round selects the documents again, so that early mistakes can be corrected. Members have
    to differ to learn from each other: features have more weight than in SCL alone, and one member
    has no features. The certainty of the least certain member was a worse measure than the mean;
    with the mean, agreement itself matters little, because the mean is small where members differ.
    Training members only on labels of the others gave no improvement.

    Features need no pseudo-labels and are fitted once. Duplicates count as one document. The method
    is deterministic.

    Parameters
    ----------
    pivots : sequence, default=("label", "shared")
        Pivots of every SCL member: "label", "shared", "frequency" or "domain" (see
        :class:`PivotSelector`), or a list of column names or numbers.
    with_bag_of_words : bool, default=True
        Whether a support vector machine on the words only is a member.
    n_rounds : int, default=10
        Number of rounds; 0 uses the members without co-training. More rounds help if the domains
        are very different, because early rounds then add fewer documents with fewer mistakes.
    fraction : float, default=0.8
        Proportion of a target's documents that the last round adds; earlier rounds add fewer.
    n_pivots : int or "auto", default="auto"
        Maximum number of pivots of a member. "auto" is 500, or a quarter of the vocabulary if that
        is less.
    n_components : int or "auto", default="auto"
        Number of features of a member, at most the number of pivots. "auto" is 100.
    min_df : int or "auto", default="auto"
        Minimum number of documents with the pivot in every domain, as in :class:`SCL`.
    feature_weight : float, default=1
        Weight of the features relative to the words.
    C : float, default=0.3
        Inverse regularization strength of the members.
    class_prior : None, "source", "estimate", array or dict, default="source"
        Class prior of every target. The documents that are added have these proportions, and the
        labels are matched to it by one log shift per class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None adds the most certain documents
        and leaves the labels unchanged.

    Attributes
    ----------
    members_ : list of SCL and SourceSVM
        The members after the last round, the one without features last. They read unit-norm rows.
    n_rounds_ : int
        Number of completed rounds: fewer than ``n_rounds`` if a callback stopped the fit, 0 if no
        target has an unlabeled document.

    References
    ----------
    S. Li, C. Zong. Multi-domain Adaptation for Sentiment Classification: Using Multiple Classifier
    Combining Methods. NLP-KE 2008.

    Examples
    --------
    "sturdy" occurs with "good" once; then it is learned where it occurs alone:

    >>> import pandas as pd
    >>> from isthmus import MCT
    >>> terms = ["good", "bad", "thrilling", "dull", "sturdy", "flimsy"]
    >>> books = [[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 0, 2, 0, 0]]
    >>> tools = [[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 0, 2]]
    >>> X = pd.DataFrame(books + tools, columns=terms)
    >>> y = ["+", "-", "+", "-", None, None, None, None]
    >>> MCT().fit(X, y).transduction_[4:].tolist()
    ['+', '-', '+', '-']
    """

    _model_class: ClassVar[type[FittedModel]] = MCTModel

    def __init__(
        self,
        pivots: Any = ("label", "shared"),
        *,
        with_bag_of_words: bool = True,
        n_rounds: int = 10,
        fraction: float = 0.8,
        n_pivots: int | str = "auto",
        n_components: int | str = "auto",
        min_df: int | str = "auto",
        feature_weight: float = 1.0,
        C: float = 0.3,
        class_prior: Any = "source",
        missing_label: Any = -1,
    ) -> None:
        self.pivots = pivots
        self.with_bag_of_words = with_bag_of_words
        self.n_rounds = n_rounds
        self.fraction = fraction
        self.n_pivots = n_pivots
        self.n_components = n_components
        self.min_df = min_df
        self.feature_weight = feature_weight
        self.C = C
        self.class_prior = class_prior
        self.missing_label = missing_label

    @property
    def max_iterations(self) -> int:
        return self.n_rounds

    def _check_parameters(self) -> None:
        if not isinstance(self.pivots, list | tuple) or len(self.pivots) == 0:
            raise ValueError(
                "pivots must be a list with the pivots of every member, such as ('label', "
                f"'shared'), got {self.pivots!r}."
            )
        check_flag("with_bag_of_words", self.with_bag_of_words)
        check_whole_number("n_rounds", self.n_rounds, least=0)
        check_number("fraction", self.fraction, above=0, most=1)
        for member in self._make_members():
            member._check_parameters()

    def _make_members(self) -> list[TransferClassifier]:
        members: list[TransferClassifier] = [
            find_classifier("scl").build(
                n_components=self.n_components,
                n_pivots=self.n_pivots,
                pivots=pivots,
                min_df=self.min_df,
                feature_weight=self.feature_weight,
                C=self.C,
            )
            for pivots in self.pivots
        ]
        if self.with_bag_of_words:
            members.append(find_classifier("svm").build(C=self.C))
        return members

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        X = with_unit_rows(data.X)
        members = self._make_members()
        # No member has a class_prior, so the same data serve all of them.
        member_data = members[0]._with_class_prior(replace(data, X=X, shared={}))
        for member in members:
            fit = member._fit(member_data, None)
            member._set_fit(member_data, fit, check_result=False)
        models = [member.model_ for member in members]
        candidates = candidates_of(data, X)
        n_rounds, previous = 0, None
        for number in range(1, self.n_rounds + 1 if candidates else 1):
            memberships = [_member_memberships(models, c.X, c.number) for c in candidates]
            pseudo_labels, disagreement = self._pseudo_labels(candidates, memberships, number)
            relabeled = member_data.with_labels(pseudo_labels)
            models = [
                member._refit(model, relabeled)
                for member, model in zip(members, models, strict=True)
            ]
            n_rounds = number
            labels = [np.mean(parts, axis=0).argmax(axis=1) for parts in memberships]
            changed, previous = changed_proportion(previous, labels), labels
            if callback is not None and callback(Progress(number, disagreement, changed)):
                break
        by_domain = [
            _member_memberships(models, part, domain)
            for domain, part in rows_of_domains(data.problem, X)
        ]
        by_member = zip(*by_domain, strict=True)
        for member, model, parts in zip(members, models, by_member, strict=True):
            member._set_refit(member_data, model, parts)
        means = [np.mean(parts, axis=0) for parts in by_domain]
        fitted = MCTModel(term_totals=data.term_totals, members=members)
        return Fit(fitted, means, {"n_rounds_": n_rounds})

    def _pseudo_labels(
        self, candidates: list[Candidates], memberships: list[list[NDArray[Any]]], number: int
    ) -> tuple[dict[int, NDArray[np.intp]], float]:
        """Pseudo-labels of a round by target, and the proportion of documents without agreement."""
        pseudo_labels = {}
        n_disagreed = []
        for candidate, parts in zip(candidates, memberships, strict=True):
            n_rows = max(1, round(self.fraction * number / self.n_rounds * candidate.n_different))
            agreement = agreed_labels(parts, candidate.class_prior, n_rows, candidate.groups)
            pseudo_labels[candidate.number] = candidate.labels_of_domain(
                agreement.rows, agreement.labels
            )
            n_disagreed.append(agreement.disagreement * candidate.n_different)
        n_different = sum(candidate.n_different for candidate in candidates)
        return pseudo_labels, sum(n_disagreed) / n_different


def _member_memberships(models: Sequence[FittedModel], X: Any, domain: int) -> list[NDArray[Any]]:
    """Memberships of unit-norm rows by every member; zeros for empty documents."""
    filled = as_documents(X).row_norms() > 0
    return [
        np.where(filled[:, None], model.predict_memberships(X, domain), 0).astype(X.dtype)
        for model in models
    ]
