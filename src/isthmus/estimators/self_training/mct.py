"""MCT, the multi-label consensus training of Li and Zong (2008)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.parameters import check_flag, check_number, check_whole_number
from isthmus.estimators.registry import find_classifier
from isthmus.estimators.self_training._pseudo_labels import (
    Candidates,
    candidates_of,
    changed_share,
    with_labels,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.rows import with_unit_rows
from isthmus.numerics.progress import Callback, Progress
from isthmus.solvers.self_training.mct import agreed_lessons


class MCT(TransferClassifier):
    """Classifiers with different pivots teach each other what they agree on.

    Every member ``m`` gives memberships ``p_m(c | x)``: an :class:`SCL` for each kind of pivots,
    and a classifier of the words alone. Shifted by one number a class, ``b_m``, so that a member's
    labels of the target have the class shares ``pi``, they agree on the documents

    ``A = {x : argmax_c log p_m(c | x) + b_mc is the same class for all m}``

    and are as certain of them as the mean over ``m`` of these sums is larger for that class than
    for the next. In round ``r`` of ``R`` the ``r / R`` times ``fraction`` of the target's documents
    of which they are most certain, ``pi_c`` of them of class ``c`` and all in ``A``, are added to
    the labelled ones, each with its label, and every member learns anew. In the end the class is
    that of the largest mean of ``p_m(c | x)``.

    The paper is not at hand: from later accounts it is known that members are SCL with different
    auxiliary problems and that documents they agree on are added round by round. The rest was
    chosen on development problems: the members, how certainty is measured, the quotas, and that
    every round chooses anew, so that an early mistake may be mended. Members must differ to have
    something to tell each other: features weigh more beside the words than in SCL by itself, and
    one member sees no features at all. Certainty as that of the least certain member was worse than
    the mean, under which agreement hardly matters, since the mean is small where members differ.
    Members that are taught only what the others say gained no more.

    Features need no label and are learnt once. Copies of a document take one place together.
    Nothing is left to chance.

    Parameters
    ----------
    pivots : sequence, default=("label", "shared")
        The pivots of every SCL: kinds, of which there are "label", "shared", "frequency" and
        "domain" (see :class:`PivotSelector`), or lists of names or of numbers of columns.
    with_bag_of_words : bool, default=True
        Whether a support vector machine on the words alone is a member.
    n_rounds : int, default=10
        Rounds of teaching; 0 takes the members as they are. Where domains are far apart more rounds
        help; an early round then adds few documents, and the right ones.
    fraction : float, default=0.8
        How much of a target's documents is added in the last round; those before add less.
    n_pivots : int or "auto", default="auto"
        The most pivots of a member. "auto" is 500, or a quarter of the vocabulary if that is less.
    n_components : int or "auto", default="auto"
        Features of a member. "auto" is 100. There are never more than pivots.
    min_df : int or "auto", default="auto"
        The least number of documents of every domain that hold a pivot, as of :class:`SCL`.
    feature_weight : float, default=1
        Weight of the features beside the words.
    C : float, default=0.3
        How much members are to fit the labels.
    class_prior : None, "source", "estimate", array or dict, default="source"
        Class shares of every target: those of the documents that are added, and those that its
        labels are held to, by one shift a class; see :func:`isthmus.estimate_class_prior` for
        "estimate". None adds the most certain documents and takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`.
    members_ : list of SCL and SourceSVM
        The members after the last round; the one on words comes last. They read documents of
        length 1.
    n_rounds_ : int
        Rounds of teaching: fewer than asked for if a callback ended them or no document of a target
        was without a label.
    domain_prior_ : dict of domain number to array of shape (n_classes,)
        The class shares that were assumed of every domain.

    References
    ----------
    S. Li, C. Zong. Multi-domain Adaptation for Sentiment Classification: Using Multiple Classifier
    Combining Methods. NLP-KE 2008.

    Examples
    --------
    "sturdy" stands beside "good" once, and is then learnt where it stands alone:

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

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "n_rounds_": "",
    }
    _fitted_parts: ClassVar[dict[str, str]] = {"members_": "list"}

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
    def _max_iterations(self) -> int:
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
        names = getattr(self, "feature_names_in_", getattr(self, "_counted_terms", None))
        members: list[TransferClassifier] = [
            find_classifier("scl")
            .build(
                n_components=self.n_components,
                n_pivots=self.n_pivots,
                pivots=pivots,
                min_df=self.min_df,
                feature_weight=self.feature_weight,
                C=self.C,
            )
            ._with_term_names(names)
            for pivots in self.pivots
        ]
        return (
            [*members, find_classifier("svm").build(C=self.C)]
            if self.with_bag_of_words
            else members
        )

    def _with_term_names(self, names: Any) -> Self:
        # Beside the parameters, as SCL keeps them.
        self._counted_terms = names
        return self

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        X = with_unit_rows(X)
        self.members_ = self._make_members()
        for member in self.members_:
            member._read_matrix(X, reset=True)
            member._learn_problem(problem, X, None)
        self.n_rounds_ = 0
        candidates = candidates_of(problem, X, self._held_to)
        before = None
        for number in range(1, self.n_rounds + 1 if candidates else 1):
            said = [self._said(c.X, c.number) for c in candidates]
            found, doubt = self._lessons(candidates, said, number)
            taught = with_labels(problem, found)
            for member in self.members_:
                member._fit_again(taught, X)
            self.n_rounds_ = number
            now = [np.mean(members, axis=0).argmax(axis=1) for members in said]
            changed, before = changed_share(before, now), now
            if callback is not None and callback(Progress(number, doubt, changed)):
                break
        return self._mean_of_members(problem, X)

    def _lessons(
        self,
        candidates: list[Candidates],
        said: list[list[NDArray[Any]]],
        number: int,
    ) -> tuple[dict[int, NDArray[np.intp]], float]:
        """Labels to be learnt in a round, and the share of documents that members differ on."""
        found = {}
        doubts = []
        for candidate, memberships in zip(candidates, said, strict=True):
            most = max(1, round(self.fraction * number / self.n_rounds * candidate.n_different))
            rows, labels, doubt = agreed_lessons(
                memberships, candidate.shares, most, candidate.groups
            )
            found[candidate.number] = candidate.spread(rows, labels)
            doubts.append(doubt * candidate.n_different)
        return found, sum(doubts) / sum(candidate.n_different for candidate in candidates)

    def _mean_of_members(self, problem: Problem, X: Any) -> list[NDArray[Any]]:
        """The mean memberships of every domain's rows; every member keeps its own labels too."""
        said = [self._said(part, number) for number, part in rows_of_domains(problem, X)]
        for member, own in zip(self.members_, zip(*said, strict=True), strict=True):
            member._label_again(problem, list(own))
        return [np.mean(members, axis=0) for members in said]

    def _said(self, X: Any, number: int) -> list[NDArray[Any]]:
        """What every member says of documents of length 1; nothing of an empty one."""
        filled = as_documents(X).row_norms() > 0
        return [
            np.where(filled[:, None], member._new_memberships(X, number), 0).astype(X.dtype)
            for member in self.members_
        ]

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        return np.asarray(np.mean(self._said(with_unit_rows(X), number), axis=0))

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        strengths = [member._word_strengths() for member in self.members_]
        return {
            number: np.asarray(np.mean([member[number] for member in strengths], axis=0))
            for number in self.domains_.tolist()
        }
