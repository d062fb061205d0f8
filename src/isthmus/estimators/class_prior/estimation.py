"""Estimation of the class prior of a target without its labels."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.utils.validation import check_array, check_consistent_length

from isthmus.domains.labels import as_label_array, plain_label
from isthmus.domains.model import Domain, Problem
from isthmus.domains.parse import make_problem
from isthmus.estimators.class_prior.local_sample import local_problem, spread_rows
from isthmus.estimators.class_prior.proportions import (
    CombinedPrior,
    ConsensusEstimate,
    CrossValScores,
    combine_estimates,
    cross_val_scores,
    estimates_of_target,
)
from isthmus.estimators.components.linear_models import INIT_CLASSIFIERS
from isthmus.estimators.components.parameters import (
    check_choice,
    check_classifier,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.registry import find_classifier
from isthmus.matrices.engines import fit_engine, is_distributed
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import canonical, is_signed
from isthmus.matrices.threads import one_thread
from isthmus.solvers.class_prior.estimation import PriorEstimates, prior_interval

#: Names of the estimation methods.
PRIOR_METHODS = ("auto", "likelihood", "black_box", "clusters")

# Weight of an estimate in labeled target documents: the proportion of a class in 70 documents has
# a standard error of 0.06, as the estimates had on development problems.
_ESTIMATE_WEIGHT = 70
# Documents of each domain that are fetched from a distributed matrix.
_MAX_FETCHED = 5_000


@dataclass(frozen=True)
class PriorEstimate:
    """The result of :func:`isthmus.estimate_class_prior`.

    Proportions are in the order of the classes. ``print`` shows one line per class.

    Attributes
    ----------
    classes : tuple
        Labels of the classes.
    prior : tuple of float
        Estimated proportion of every class.
    low, high : tuple of float
        Ends of the interval of every class.
    confidence_level : float
        Level of the interval.
    n_documents : int
        Number of unlabeled target documents, which the prior describes.
    n_labeled : int
        Number of labeled target documents.
    method : str
        Method of the estimate.
    target : int
        Domain number of the target.
    source_prior : tuple of float
        Proportion of every class among the labeled source documents.
    mismatch : float or None
        Distance of the target scores from all mixtures of source classes, from 0 to 1. None if
        there was nothing to compare; then ``prior`` is the source prior.
    by_method : dict of str to tuple of float
        The prior by every method, before labeled target documents are included.
    weights : dict of str to float
        How much each part contributed to "auto": "consensus", "clusters" and "likelihood".

    Examples
    --------
    Half of the source documents are about cars, but only every fifth target document is:

    >>> import numpy as np
    >>> from isthmus import estimate_class_prior
    >>> about_cars, about_space = [9, 5, 1, 3, 4, 2], [1, 5, 9, 3, 2, 4]
    >>> draw = np.random.default_rng(0).poisson
    >>> source = draw(np.repeat([about_cars, about_space], 50, axis=0))
    >>> target = draw(np.repeat([about_cars, about_space], [20, 80], axis=0))
    >>> y = ["cars"] * 50 + ["space"] * 50 + [None] * 100
    >>> estimate = estimate_class_prior(np.vstack([source, target]), y, method="likelihood")
    >>> estimate.classes, estimate.source_prior, estimate.n_documents
    (('cars', 'space'), (0.5, 0.5), 100)
    >>> estimate.low[0] < 0.2 < estimate.high[0]
    True
    >>> print(estimate)  # doctest: +ELLIPSIS
    cars: 2... % (... to ... %)
    space: 7... % (... to ... %)
    """

    classes: tuple[Any, ...]
    prior: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    confidence_level: float
    n_documents: int
    n_labeled: int
    method: str
    target: int
    source_prior: tuple[float, ...]
    mismatch: float | None
    by_method: dict[str, tuple[float, ...]]
    weights: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as dicts, lists, numbers and text, ready for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        rows = zip(self.classes, self.prior, self.low, self.high, strict=True)
        lines = [
            f"{label}: {100 * proportion:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
            for label, proportion, low, high in rows
        ]
        return "\n".join(lines)


def estimate_class_prior(
    X: Any,
    y: Any,
    sample_domain: Any = None,
    *,
    method: str = "auto",
    classifier: Any = "logistic",
    n_folds: int = 5,
    confidence_level: float = 0.95,
    n_resamples: int = 100,
    target: int | None = None,
    missing_label: Any = -1,
    random_state: Any = 0,
) -> PriorEstimate:
    """Estimate the class prior of a target without its labels.

    "auto" starts from the class proportions that :class:`isthmus.Auto` with ``effort="fast"``
    estimates: the mean memberships of two of its members, and the proportions at which one half of
    the target predicts the labels of the other half best. These stay near the source prior if the
    target has a very different one. Two other estimates replace them as far as they can be trusted:

    - "clusters" groups the target documents by their words into as many clusters as classes. It is
      used if the clusters are predictable and agree with the labels of the members. It works if
      the classes are the largest difference between documents, such as topics, and fails if they
      are not, such as opinions.
    - "likelihood" maximizes the likelihood of the calibrated scores of a classifier of the labeled
      documents, under label shift: ``p(x | y)`` is the same in both domains and only the class
      prior differs. It is used, shrunk towards the source prior, if a mixture of the source classes
      explains the distribution of the target scores and the classifier agrees with the members.

    "black_box" also assumes label shift. It solves for the prior under which the mean scores of the
    classes sum to the mean score of the target. It is not part of "auto".

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_terms)
        Documents of all domains, one per row. Rows are scaled to unit norm.
    y : array-like of shape (n_rows,)
        Labels. Unlabeled rows are marked with ``missing_label``, None or NaN.
    sample_domain : array-like of int of shape (n_rows,), default=None
        0 and above are source domains, below 0 target domains. By default labeled rows are the
        source and unlabeled rows the target.
    method : {"auto", "likelihood", "black_box", "clusters"}, default="auto"
        The method, see above.
    classifier : {"logistic", "complement_nb"} or scikit-learn classifier, default="logistic"
        Classifier of the labeled documents, whose scores "likelihood", "black_box" and "clusters"
        start from.
    n_folds : int, default=5
        Number of folds of the cross-validation.
    confidence_level : float, default=0.95
        Level of the interval.
    n_resamples : int, default=100
        Number of bootstrap samples for the interval.
    target : int, default=None
        Domain number of the target. Required if there are several targets.
    missing_label : object, default=-1
        Marks unlabeled rows, in addition to None and NaN. None turns it off.
    random_state : int, RandomState or None, default=0
        Random seed of the bootstrap. The prior itself depends neither on it nor on the order of the
        rows.

    Returns
    -------
    PriorEstimate
        Class prior of the unlabeled target documents, with intervals.

    Notes
    -----
    The interval of the members is a constant error and the spread of several estimates.
    On the 35 development pairs on which it decides, 80 % intervals covered 75 % of the proportions
    and 95 % intervals 91 %. Those of the other methods cover the sampling error of source and
    target documents, by a bootstrap of their scores, and are widened for the difference between the
    domains: by 5 percentage points plus the mismatch of the scores, or, for clusters, by 3 points
    plus the range of the priors from different initial memberships. "auto" combines them with the
    weights of its parts. ``benchmarks/studies/proportions.md`` and
    ``benchmarks/studies/class_priors.md`` report the errors. The interval does not cover a target
    with other classes than the source, or members that are not better than random on the target.

    If the documents have negative values, "auto" is the shrunk maximum likelihood prior.

    Duplicate target documents count once in all methods but "auto".

    Labeled target documents are treated as a random sample of the target, and the estimate counts
    as much as 70 of them. A class with fewer than four labeled documents keeps its source prior.
    All classes do so if at most one class has four labeled documents, or if all target documents
    are empty. A target of a few documents stays near the source prior.

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker. Adjusting the Outputs of a Classifier to New a Priori
    Probabilities: A Simple Procedure. Neural Computation 14 (1), 2002.

    Z. C. Lipton, Y.-X. Wang, A. J. Smola. Detecting and Correcting for Label Shift with Black Box
    Predictors. ICML 2018.

    A. M. Alexandari, A. Kundaje, A. Shrikumar. Maximum Likelihood with Bias-Corrected Calibration
    is Hard-To-Beat at Label Shift Adaptation. ICML 2020.

    Examples
    --------
    Half of the source documents are about cars, but only every fifth target document is:

    >>> import numpy as np
    >>> from isthmus import estimate_class_prior
    >>> about_cars, about_space = [9, 5, 1, 3, 4, 2], [1, 5, 9, 3, 2, 4]
    >>> draw = np.random.default_rng(0).poisson
    >>> source = draw(np.repeat([about_cars, about_space], 100, axis=0))
    >>> target = draw(np.repeat([about_cars, about_space], [40, 160], axis=0))
    >>> y = ["cars"] * 100 + ["space"] * 100 + [None] * 200
    >>> estimate = estimate_class_prior(np.vstack([source, target]), y)
    >>> estimate.classes, [round(proportion, 1) for proportion in estimate.prior]
    (('cars', 'space'), [0.2, 0.8])
    """
    check_choice("method", method, PRIOR_METHODS)
    check_classifier("classifier", classifier, tuple(INIT_CLASSIFIERS))
    check_whole_number("n_folds", n_folds, least=2)
    check_number("confidence_level", confidence_level, above=0, most=0.999)
    check_whole_number("n_resamples", n_resamples, least=1)
    X = canonical(check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32)))
    y = as_label_array(y)
    check_consistent_length(X, y)
    options = {"missing_label": missing_label, "sources_need_labels": False}
    problem = make_problem(X, y, sample_domain, **options)
    domain = _find_target(problem, target)
    if domain.labeled.all():
        raise ValueError(
            f"Every document of {domain.name} has a label, so there is nothing to estimate: count "
            "the labels, or mark unlabeled documents with None."
        )
    scores = cross_val_scores(problem, X, classifier, n_folds=n_folds, targets=(domain,))
    source_prior = problem.class_prior()
    low, high = np.zeros(len(source_prior)), np.ones(len(source_prior))
    estimates = estimates_of_target(scores, domain.number)
    by_method: dict[str, NDArray[np.float64]] = {}
    combined = None
    if estimates is not None:
        consensus = _consensus(problem, X).get(domain.number)
        combined = combine_estimates(scores, domain.number, estimates, consensus)
        by_method = {"auto": combined.prior, **estimates.priors}
        with one_thread():
            ends = _interval(
                estimates,
                combined,
                method,
                scores,
                domain.number,
                confidence_level,
                n_resamples,
                make_generator(random_state),
            )
        covered = source_prior[scores.codes].sum()
        low[scores.codes], high[scores.codes] = covered * ends[0], covered * ends[1]
    prior = _of_all_classes(problem, scores, by_method.get(method))
    low, high = _interval_with_sample(low, high, prior, domain, confidence_level)
    return PriorEstimate(
        classes=tuple(plain_label(label) for label in problem.classes),
        prior=tuple(_with_sample(prior, domain).tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        confidence_level=float(confidence_level),
        n_documents=int(np.count_nonzero(~domain.labeled)),
        n_labeled=int(np.count_nonzero(domain.labeled)),
        method=method,
        target=domain.number,
        source_prior=tuple(source_prior.tolist()),
        mismatch=None if estimates is None else estimates.mismatch,
        by_method={
            name: tuple(_of_all_classes(problem, scores, part).tolist())
            for name, part in by_method.items()
        },
        weights={}
        if combined is None
        else {
            "consensus": combined.consensus_weight,
            "clusters": combined.cluster_weight,
            "likelihood": combined.likelihood_weight,
        },
    )


def estimate_target_priors(problem: Problem, X: Any) -> dict[int, NDArray[np.float64]]:
    """Estimated class prior of the unlabeled rows of every target, by domain number.

    The values of :func:`estimate_class_prior` with ``method="auto"``, without the intervals. Of a
    distributed matrix, a sample of the documents is fetched.
    """
    if is_distributed(X):
        rows = spread_rows(problem, X, _MAX_FETCHED)
        with fit_engine(HostEngine()):
            return estimate_target_priors(*local_problem(problem, X, rows))
    scores = cross_val_scores(problem, X)
    estimates = {d.number: estimates_of_target(scores, d.number) for d in problem.targets}
    possible = any(part is not None for part in estimates.values())
    consensus = _consensus(problem, X) if possible else {}
    priors = {}
    for domain in problem.targets:
        number, prior = domain.number, None
        part = estimates[number]
        if part is not None:
            prior = combine_estimates(scores, number, part, consensus.get(number)).prior
        priors[number] = _with_sample(_of_all_classes(problem, scores, prior), domain)
    return priors


def _consensus(problem: Problem, X: Any) -> dict[int, ConsensusEstimate]:
    """Estimates of the automatic method by target number; empty if it cannot read the values."""
    if is_signed(X):
        return {}
    # The automatic method depends on this package, so it is imported by name.
    automatic = find_classifier("auto").build(effort="fast")
    estimates: dict[int, ConsensusEstimate] = automatic._estimate_consensus(problem, X)
    return estimates


def _interval(
    estimates: PriorEstimates,
    combined: CombinedPrior,
    method: str,
    scores: CrossValScores,
    number: int,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of the interval of a method; for "auto", the weighted means of those of its parts."""
    if method == "auto":
        factor = float(norm.ppf((1 + level) / 2) / norm.ppf(0.9))
        half_width = factor * combined.consensus_half_width
        low = combined.consensus_weight * (combined.consensus - half_width)
        high = combined.consensus_weight * (combined.consensus + half_width)
        weights = {"clusters": combined.cluster_weight, "likelihood": combined.likelihood_weight}
    else:
        low = high = np.zeros(len(scores.codes))
        weights = {method: 1.0}
    data = scores.known, scores.labels, scores.targets[number]
    for name, weight in weights.items():
        if weight > 0:
            ends = prior_interval(estimates, name, *data, level, n_resamples, generator)
            low, high = low + weight * ends[0], high + weight * ends[1]
    if method == "auto":
        # The likelihood is shrunk in the estimate and not in its interval.
        low, high = np.minimum(low, combined.prior), np.maximum(high, combined.prior)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _of_all_classes(
    problem: Problem, scores: CrossValScores, prior: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """The prior of all classes; a class with too few documents keeps its source prior."""
    complete = problem.class_prior()
    if prior is not None:
        complete[scores.codes] = prior * complete[scores.codes].sum()
    return complete


def _with_sample(prior: NDArray[np.float64], domain: Domain) -> NDArray[np.float64]:
    """Weighted mean of the estimate and the proportions of the labeled target documents."""
    counts = np.bincount(domain.labels[domain.labeled], minlength=len(prior))
    return (_ESTIMATE_WEIGHT * prior + counts) / (_ESTIMATE_WEIGHT + counts.sum())


def _interval_with_sample(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    prior: NDArray[np.float64],
    domain: Domain,
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The interval around the weighted mean of :func:`_with_sample`.

    Its squared half-width is a sum of three parts: of the estimate and of the sample, each with its
    weight, and of the unlabeled documents around their expectation.
    """
    n_labeled = int(np.count_nonzero(domain.labeled))
    if n_labeled == 0:
        return low, high
    n_unlabeled = max(1, len(domain.labels) - n_labeled)
    middle = _with_sample(prior, domain)
    weight = _ESTIMATE_WEIGHT / (_ESTIMATE_WEIGHT + n_labeled)
    variance = float(norm.ppf((1 + level) / 2)) ** 2 * np.maximum(
        middle * (1 - middle), 1 / n_labeled
    )
    sampling = (1 - weight) ** 2 * variance / n_labeled + variance / n_unlabeled
    down = np.sqrt((weight * (prior - low)) ** 2 + sampling)
    up = np.sqrt((weight * (high - prior)) ** 2 + sampling)
    return np.maximum(middle - down, 0.0), np.minimum(middle + up, 1.0)


def _find_target(problem: Problem, number: int | None) -> Domain:
    targets = {domain.number: domain for domain in problem.targets}
    listed = ", ".join(str(known) for known in targets)
    if not targets:
        raise ValueError(
            "There is no target: mark the rows whose class prior is to be estimated with None in "
            "y, or with a number below 0 in sample_domain."
        )
    if number is None and len(targets) > 1:
        raise ValueError(f"There are {len(targets)} targets: pass one of {listed} as target.")
    if number is not None and number not in targets:
        raise ValueError(f"target={number!r} is not a target: the targets are {listed}.")
    return targets[next(iter(targets)) if number is None else number]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
