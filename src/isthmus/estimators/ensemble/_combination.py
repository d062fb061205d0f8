"""From members to labels: fit, combine, fit again, combine again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.base.verdict import Verdict
from isthmus.estimators.components.linear_models import with_confidence
from isthmus.estimators.ensemble._members import (
    READS_BOTH,
    READS_BOTH_IF_SHORT,
    SOURCE_ONLY,
    Member,
    MemberFitter,
    make_member,
    name_of,
)
from isthmus.estimators.ensemble._model import joined
from isthmus.estimators.ensemble._proportions import (
    ESTIMATE_PROPORTIONS,
    cross_validate,
    outside_estimates,
)
from isthmus.estimators.ensemble._target import Target, TargetLabels
from isthmus.estimators.ensemble._verdicts import (
    Evidence,
    collect_evidence,
    source_only_weight,
    verdict_on,
)
from isthmus.estimators.registry import find_classifier
from isthmus.matrices.rows import is_signed
from isthmus.numerics.progress import Callback
from isthmus.solvers.ensemble.consensus import centered_logs, scaled_scores

# Mean number of values of the second matrix up to which documents are short: 90 to 200 in one or
# two sentences, 340 and more in articles and e-mails.
_SHORT = 250
# Scores to memberships from which a member starts again.
_RESTART_SCALE = 2.0


@dataclass(frozen=True)
class Combination:
    """The result of all members."""

    members: list[Member]
    """The source-only classifier, the members, and the members that were fitted again."""
    memberships: list[NDArray[Any]]
    """Calibrated class probabilities, one array per domain; zeros for documents without words."""
    labels: Mapping[int, TargetLabels]
    """By target number."""
    evidence: Mapping[int, Evidence]
    verdicts: Mapping[int, Verdict]
    source_only: TransferClassifier
    rows: Any
    """All rows as the rule for new documents reads them: unit norm, both matrices."""
    decision: str


def make_source_only() -> TransferClassifier:
    """The source-only classifier that every result is compared with.

    On development problems it was better than the SVM and than a logistic regression without
    balanced classes: everyday problems 58.0, 57.6 and 55.5 % of accuracy, 51.0, 49.6 and 46.8 of
    macro-F1.
    """
    estimator: TransferClassifier = find_classifier("lg").build(C=10.0, class_weight="balanced")
    return estimator


def combine(
    data: TrainingData,
    members: Sequence[Any],
    *,
    refits: bool = False,
    time_limit: float | None = None,
    callback: Callback | None = None,
    outside: bool = True,
) -> Combination:
    """Fit the members, combine them per target, and judge the result.

    ``refits`` is whether some members are fitted again, ``outside`` whether clusters and label
    shift may change the class proportions.
    """
    fitter = MemberFitter(time_limit, callback)
    words = data.with_documents(joined(data.X, None))
    both, rows = words, words.X
    if data.second_view is not None:
        rows = joined(data.X, data.second_view)
        # Members that read both matrices count words, so embeddings stay apart.
        both = words if is_signed(data.second_view) else data.with_documents(rows)
    started = time.perf_counter()
    source_only = _fit_source_only(words)
    source_seconds = time.perf_counter() - started
    source_memberships = source_only.label_distributions_
    readers = READS_BOTH + (READS_BOTH_IF_SHORT if _is_short(data.second_view) else ())
    for member in members:
        name = name_of(member)
        fitter.fit(name, make_member(member), both if name in readers else words)
    if data.second_view is not None and both is words:
        second = data.with_documents(joined(data.second_view, None))
        fitter.fit("self-training of the second view", make_member("self-training"), second)
    first = [member for member in fitter.members if not member.left_out]
    prior = data.problem.class_prior()
    targets = [
        Target(d, both.X, data.target_prior.get(d.number), prior) for d in both.problem.targets
    ]
    targets = [target for target in targets if len(target)]
    rounds = _Rounds(first, source_memberships)
    labels = {}
    for target in targets:
        labels[target.number] = rounds.first(target)
    cross_validation = cross_validate(words)
    if outside and first:
        estimates = outside_estimates(words, targets, labels, cross_validation)
        for target in targets:
            if target.number in estimates:
                target.use(estimates[target.number])
                labels[target.number] = rounds.first(target)
    if refits and labels and first:
        again = _fit_again(fitter, words, both, targets, labels)
        labels = {t.number: rounds.second(t, labels[t.number], again) for t in targets}
    evidence = {}
    for target in targets:
        number = target.number
        facts = collect_evidence(
            words, target, labels[number], first, source_memberships, cross_validation
        )
        weight = 0.0 if target.has_given_prior or not first else source_only_weight(facts)
        if weight > 0:  # transfer is doubtful: stay nearer to the source-only classifier
            labels[number] = target.towards(labels[number], source_memberships[target.rows], weight)
            facts = collect_evidence(
                words, target, labels[number], first, source_memberships, cross_validation
            )
        evidence[number] = replace(facts, source_only_weight=weight)
    verdicts = {n: verdict_on(data, labels[n], evidence[n]) for n in labels}
    probabilities = {
        n: with_confidence(part.scores, verdicts[n].accuracy.value) for n, part in labels.items()
    }
    all_members = [Member(SOURCE_ONLY, source_memberships, source_seconds), *fitter.members]
    return Combination(
        members=all_members,
        memberships=_by_domain(data, targets, probabilities),
        labels=labels,
        evidence=evidence,
        verdicts=verdicts,
        source_only=source_only,
        rows=rows,
        decision=_decision(all_members),
    )


def _fit_source_only(words: TrainingData) -> TransferClassifier:
    """The source-only classifier, which scales new documents to unit norm."""
    source_only = make_source_only()
    source_only._fit_data(words, None, check_result=False)
    model = replace(source_only.model_, unit_norm=True)  # type: ignore[call-arg]
    source_only._set_model(source_only.fitted_domains_, model, words.X.shape[1])
    return source_only


def _by_domain(
    data: TrainingData, targets: Sequence[Target], values: Mapping[int, NDArray[Any]]
) -> list[NDArray[Any]]:
    """One array per domain with the values of the open documents; zeros elsewhere."""
    parts = {
        domain.number: np.zeros((len(domain.labels), data.problem.n_classes), data.X.dtype)
        for domain in data.problem.domains
    }
    for target in targets:
        parts[target.number][target.positions] = values[target.number]
    return list(parts.values())


def _is_short(second_view: Any) -> bool:
    """Whether the second matrix has few values per document."""
    if second_view is None:
        return True
    return bool(second_view.nnz <= _SHORT * second_view.shape[0])


class _Rounds:
    """The scores of one target from the memberships of the members."""

    def __init__(self, members: list[Member], source_only: NDArray[Any]) -> None:
        self._members = members
        self._source_only = source_only

    def first(self, target: Target) -> TargetLabels:
        if not self._members:
            return target.unchanged(self._source_only[target.rows])
        memberships = {m.name: m.memberships[target.rows] for m in self._members}
        return target.label(memberships, self._estimates(target))

    def second(
        self, target: Target, labels: TargetLabels, again: list[NDArray[Any]]
    ) -> TargetLabels:
        refits = [centered_logs(part[target.rows]) for part in again]
        return target.add(labels, refits, self._estimates(target))

    def _estimates(self, target: Target) -> list[NDArray[np.float64]]:
        named = [m for m in self._members if m.name in ESTIMATE_PROPORTIONS]
        return [
            m.memberships[target.rows].mean(axis=0, dtype=np.float64)
            for m in named or self._members
        ]


def _fit_again(
    fitter: MemberFitter,
    words: TrainingData,
    both: TrainingData,
    targets: list[Target],
    labels: Mapping[int, TargetLabels],
) -> list[NDArray[Any]]:
    """Members that start from the labels of the first round or from its class proportions."""
    prior = words.problem.class_prior()
    target_prior = {n: part.proportions.prior for n, part in labels.items()}
    domain_prior = {d.number: target_prior.get(d.number, prior) for d in words.problem.domains}
    again = fitter.fit(
        "self-training with the estimated class proportions",
        make_member("self-training"),
        words.with_prior(target_prior, domain_prior),
        prior_is_given=True,
    )
    start = {
        number: softmax(_RESTART_SCALE * scaled_scores(part.scores), axis=1)
        for number, part in labels.items()
    }
    restarted = fitter.fit(
        "cocc from the labels so far",
        make_member("cocc"),
        replace(both, given_memberships=_by_domain(both, targets, start)),
    )
    return [m.memberships for m in (again, restarted) if not m.left_out]


def _decision(members: list[Member]) -> str:
    used = [member.name for member in members[1:] if not member.left_out]
    left_out = [
        f"{member.name}, {member.note.removeprefix('left out, ')}"
        for member in members
        if member.left_out
    ]
    text = f"Consensus of {', '.join(used)}" if used else "Labels of the source-only classifier"
    return f"{text}. Left out: {'; '.join(left_out)}." if left_out else f"{text}."
