"""The class shares of a target whose labels nobody knows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.utils.validation import check_array, check_consistent_length

from isthmus.domains.labels import as_label_array, plain_label
from isthmus.domains.model import Domain, Problem
from isthmus.domains.parse import make_problem
from isthmus.estimators.class_prior.cross_val_scores import (
    CrossValScores,
    check_classifier,
    cross_val_scores,
)
from isthmus.estimators.class_prior.estimate import PriorEstimate
from isthmus.estimators.components.parameters import (
    check_choice,
    check_number,
    check_whole_number,
    make_generator,
)
from isthmus.matrices.conversion import as_documents, canonical
from isthmus.matrices.threads import one_thread
from isthmus.solvers.class_prior.candidates import Candidates, find_candidates
from isthmus.solvers.class_prior.interval import prior_interval

__all__ = ["PRIOR_METHODS", "PriorEstimate", "estimate_class_prior", "estimate_shares"]

#: Ways to estimate class shares.
PRIOR_METHODS = ("auto", "likelihood", "black_box", "clusters")

# An estimate is worth so many labelled documents of the target: with a share of a half these have
# the standard error that estimates had on development problems, 0.06.
_WORTH = 70


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
    """Estimate the class shares of a target's documents from everything but their labels.

    A classifier is taught the labelled documents, and scores those of the target as well as,
    fold by fold, labelled ones that it has not seen.

    "likelihood" and "black_box" are right if the classes look the same in both domains
    (``p(x | y)`` is the same) and only their shares differ: the first takes the shares under which
    the calibrated scores of the target are likeliest, the second those under which the mean scores
    of the classes add up to the target's. "clusters" asks for no such thing: it starts from the
    scores, in several ways, and lets the target's documents part into as many clusters of their own
    words as there are classes. That is right where the classes are the largest difference between
    documents, as topics are, and wrong where they are not, as with opinions.

    "auto" looks at whether any mixture of the source's classes explains the distribution of the
    target's scores. If none does it takes "clusters". If one does, or if the documents do not part
    into clusters, it takes "likelihood", drawn in towards the shares of the source: hardly if it is
    far from them, wholly if it is within about 5 points of them, for so much the differences of
    domains make without any shift of the shares. In between it takes a little of both.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_terms)
        Documents of all domains, one a row. Rows are scaled to length 1.
    y : array-like of shape (n_rows,)
        Labels. Rows without one carry ``missing_label``, None or NaN.
    sample_domain : array-like of int of shape (n_rows,), default=None
        0 and above are source domains, below 0 target domains. Without it labelled rows are the
        source and unlabelled rows the target.
    method : {"auto", "likelihood", "black_box", "clusters"}, default="auto"
    classifier : {"logistic", "complement_nb"} or classifier of scikit-learn, default="logistic"
    n_folds : int, default=5
    confidence_level : float, default=0.95
        Of the part of the interval that sampling makes.
    n_resamples : int, default=100
        How often documents are drawn again for it.
    target : int, default=None
        The number of the target in ``sample_domain``, needed where there are several.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.
    random_state : int, RandomState or None, default=0
        Draws the resamples. Folds are dealt by what documents hold, so neither chance nor the order
        of the rows has a part in the shares.

    Returns
    -------
    PriorEstimate
        Shares of the unlabelled documents of the target, with intervals.

    Notes
    -----
    The interval covers the chance in which documents there are, on both sides, by a bootstrap of
    their scores. That the domains differ cannot be seen in it, so it is made wider: by 5 points
    and the mismatch of the scores, or, where clusters are taken, by 3 points and by how far the
    shares lie apart that several starts lead to. These amounts were chosen on development problems;
    ``benchmarks/class_priors.md`` has the errors and how often the interval held the truth: less
    often than it says where domains are more unlike than those, as books and kitchenware are, whose
    opinions use other words. It does not cover a target whose classes are not the source's,
    clusters that are not the classes, or a classifier that is no better than chance there.

    Documents of the target that hold the same terms as often count once.

    Labelled documents of the target are taken for a fair sample of it: the estimate counts as much
    as 70 of them. A class with fewer than four labelled documents keeps its share of the source,
    and so do all if no more than one class has so many, or no document of the target holds a word.

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
    Half of the source is about cars, but only every fifth document of the target:

    >>> import numpy as np
    >>> from isthmus import estimate_class_prior
    >>> about_cars, about_space = [9, 5, 1, 3, 4, 2], [1, 5, 9, 3, 2, 4]
    >>> draw = np.random.default_rng(0).poisson
    >>> source = draw(np.repeat([about_cars, about_space], 100, axis=0))
    >>> target = draw(np.repeat([about_cars, about_space], [40, 160], axis=0))
    >>> y = ["cars"] * 100 + ["space"] * 100 + [None] * 200
    >>> found = estimate_class_prior(np.vstack([source, target]), y)
    >>> found.classes, [round(share, 1) for share in found.shares]
    (('cars', 'space'), [0.2, 0.8])
    """
    check_choice("method", method, PRIOR_METHODS)
    check_classifier(classifier)
    check_whole_number("n_folds", n_folds, least=2)
    check_number("confidence_level", confidence_level, above=0, most=0.999)
    check_whole_number("n_resamples", n_resamples, least=1)
    X = canonical(check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32)))
    y = as_label_array(y)
    check_consistent_length(X, y)
    options = {"missing_label": missing_label, "sources_need_labels": False}
    problem = make_problem(X, y, sample_domain, **options)
    domain = _find_target(problem, target)
    if domain.labelled.all():
        raise ValueError(
            f"Every document of {domain.name} has a label, so nothing is left to estimate: count "
            "the labels, or hide some with None."
        )
    held = cross_val_scores(problem, X, classifier, n_folds=n_folds, targets=(domain,))
    source = problem.class_shares()
    low, high = np.zeros(len(source)), np.ones(len(source))
    found = _candidates(held, domain.number, thorough=True)
    if found is not None:
        with one_thread():
            ends = prior_interval(
                found,
                method,
                held.known,
                held.labels,
                held.targets[domain.number],
                confidence_level,
                n_resamples,
                make_generator(random_state),
            )
        covered = source[held.codes].sum()
        low[held.codes], high[held.codes] = covered * ends[0], covered * ends[1]
    by_method = {} if found is None else found.shares
    shares = _complete(problem, held, by_method.get(method))
    low, high = _with_sample(low, high, shares, domain, confidence_level)
    return PriorEstimate(
        classes=tuple(plain_label(label) for label in problem.classes),
        shares=tuple(_with_labelled(shares, domain).tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        confidence_level=float(confidence_level),
        n_documents=int(np.count_nonzero(~domain.labelled)),
        n_labelled=int(np.count_nonzero(domain.labelled)),
        method=method,
        target=domain.number,
        source_shares=tuple(source.tolist()),
        mismatch=None if found is None else found.mismatch,
        by_method={
            name: tuple(_complete(problem, held, part).tolist()) for name, part in by_method.items()
        },
    )


def estimate_shares(
    problem: Problem,
    X: Any,
    *,
    method: str = "auto",
    classifier: Any = "logistic",
    n_folds: int = 5,
) -> dict[int, NDArray[np.float64]]:
    """The estimated class shares of every target's unlabelled rows, by its number.

    The same as those of :func:`estimate_class_prior`, sooner, since nobody asks for intervals.
    """
    held = cross_val_scores(problem, X, classifier, n_folds=n_folds)
    shares = {}
    for domain in problem.targets:
        found = _candidates(held, domain.number, thorough=method == "clusters")
        chosen = None if found is None else found.shares[method]
        shares[domain.number] = _with_labelled(_complete(problem, held, chosen), domain)
    return shares


def _candidates(held: CrossValScores, number: int, *, thorough: bool) -> Candidates | None:
    """Shares of the classes that have documents enough; None if nothing can be said."""
    unknown, documents = held.targets[number], held.documents[number]
    if len(held.codes) < 2 or len(unknown) == 0:
        return None
    words = as_documents(documents) if documents.min() >= 0 else None
    with one_thread():
        return find_candidates(held.known, held.labels, unknown, words, thorough=thorough)


def _complete(
    problem: Problem, held: CrossValScores, shares: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Shares of all classes: one with too few documents keeps its share of the source."""
    complete = problem.class_shares()
    if shares is not None:
        complete[held.codes] = shares * complete[held.codes].sum()
    return complete


def _with_labelled(shares: NDArray[np.float64], domain: Domain) -> NDArray[np.float64]:
    """Shares moved towards those of the target's labelled documents."""
    counts = np.bincount(domain.labels[domain.labelled], minlength=len(shares))
    return (_WORTH * shares + counts) / (_WORTH + counts.sum())


def _with_sample(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    shares: NDArray[np.float64],
    domain: Domain,
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The interval around shares that were moved towards those of a labelled sample.

    Its half-widths are those of the estimate as far as that counts, of the sample as far as it
    does, and of the documents without a label around their own expectation, in squares.
    """
    n_labelled = int(np.count_nonzero(domain.labelled))
    if n_labelled == 0:
        return low, high
    n_open = max(1, len(domain.labels) - n_labelled)
    middle = _with_labelled(shares, domain)
    weight = _WORTH / (_WORTH + n_labelled)
    chance = float(norm.ppf((1 + level) / 2)) ** 2 * np.maximum(
        middle * (1 - middle), 1 / n_labelled
    )
    sample = (1 - weight) ** 2 * chance / n_labelled + chance / n_open
    down = np.sqrt((weight * (shares - low)) ** 2 + sample)
    up = np.sqrt((weight * (high - shares)) ** 2 + sample)
    return np.maximum(middle - down, 0.0), np.minimum(middle + up, 1.0)


def _find_target(problem: Problem, number: int | None) -> Domain:
    found = {domain.number: domain for domain in problem.targets}
    listed = ", ".join(str(known) for known in found)
    if not found:
        raise ValueError(
            "There is no target: mark the rows whose class shares are wanted with None in y, or "
            "with a number below 0 in sample_domain."
        )
    if number is None and len(found) > 1:
        raise ValueError(f"There are {len(found)} targets: name one of {listed} as target.")
    if number is not None and number not in found:
        raise ValueError(f"target={number!r} is no target: the targets are {listed}.")
    return found[next(iter(found)) if number is None else number]
