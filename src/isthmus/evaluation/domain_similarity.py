"""How similar two domains are: in their documents, and in the words of their clusters."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from isthmus.domains.parse import read_sample_domain
from isthmus.matrices.rows import with_narrow_indices, with_unit_rows

__all__ = ["WordClusterOverlap", "proxy_a_distance", "word_cluster_overlap"]


def proxy_a_distance(X: Any, sample_domain: Any, random_state: int = 0) -> float:
    """Distance of sources and targets: how well a classifier separates their documents.

    It is ``2 (1 - 2 e)``, with the error ``e`` of a linear SVM on unit-norm rows, trained on one
    half of both domains and tested on the other: 0 if they cannot be separated and 2 if there is no
    error. ``e`` is the mean of the errors on source and target, whatever their sizes. Compare
    pairs of domains: different topics alone give a large distance.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_features)
        Documents of sources and targets, or features of them, such as a ``transform`` gives.
    sample_domain : array-like of int of shape (n_rows,)
        0 and above are sources, below 0 targets.
    random_state : int, default=0
        Random seed of the halves.

    Returns
    -------
    float
        The distance; by chance it may be a little below 0.

    References
    ----------
    S. Ben-David, J. Blitzer, K. Crammer, F. Pereira. Analysis of Representations for Domain
    Adaptation. NIPS 2006.

    Examples
    --------
    >>> from isthmus import TextVectorizer, proxy_a_distance
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus()
    >>> X = TextVectorizer().fit_transform(corpus.source_texts + corpus.target_texts)
    >>> proxy_a_distance(X, [0] * 400 + [-1] * 400)  # books and kitchen appliances
    2.0
    >>> round(abs(proxy_a_distance(X[:400], [0, -1] * 200)), 1)  # books and books
    0.0
    """
    from sklearn.model_selection import train_test_split
    from sklearn.svm import LinearSVC

    X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
    is_target = read_sample_domain(sample_domain, X.shape[0]) < 0
    n_target = int(is_target.sum())
    if min(n_target, len(is_target) - n_target) < 2:
        raise ValueError(
            f"sample_domain has {len(is_target) - n_target} rows of sources and {n_target} of "
            "targets: at least two of each are needed, to train and to test."
        )
    train, test = train_test_split(
        np.arange(len(is_target)), test_size=0.5, random_state=random_state, stratify=is_target
    )
    documents = with_unit_rows(with_narrow_indices(X))
    model = LinearSVC(dual=False, class_weight="balanced").fit(documents[train], is_target[train])
    wrong = model.predict(documents[test]) != is_target[test]
    errors = [wrong[is_target[test] == side].mean() for side in (False, True)]
    return float(2 * (1 - 2 * np.mean(errors)))


class WordClusterOverlap(NamedTuple):
    """Result of :func:`word_cluster_overlap`."""

    r1: float
    r2: float


def word_cluster_overlap(
    model: Any, X: Any, sample_domain: Any, n_words: int = 20
) -> WordClusterOverlap:
    """Compare the words of the clusters in source and target, and with the topics at the start.

    These are r1 and r2 of MTrick's paper (eqs. 5.29 and 5.30), means over the clusters: the part of
    a cluster's words that source and target share, and the part of an initial topic's words that
    the cluster has in one of them. A small r1 and a large r2 mean that a cluster has other words in
    the target and yet one meaning. Its words are those with the largest ``P(w|z)``: the membership
    of a word times its total in the domain.

    Parameters
    ----------
    model : MTrick, MTrick0, DKT or KTW
        Fitted to ``X`` with one source, one target, ``init="plsa"``, ``plsa_sample=None``,
        ``class_prior=None`` and a whole number as ``random_state``.
    X : sparse matrix or array of shape (n_rows, n_terms)
        The documents of the fit.
    sample_domain : array-like of int of shape (n_rows,)
        The domain of every row, as in the fit.
    n_words : int, default=20
        Number of words of a cluster, as in the paper.

    Returns
    -------
    WordClusterOverlap
        A named tuple ``(r1, r2)``.

    Examples
    --------
    >>> from isthmus import MTrick, TextVectorizer, word_cluster_overlap
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus()
    >>> X = TextVectorizer().fit_transform(corpus.source_texts + corpus.target_texts)
    >>> domains = [0] * 400 + [-1] * 400
    >>> labels = corpus.source_labels + [None] * 400
    >>> model = MTrick(4, init="plsa", random_state=0).fit(X, labels, domains)
    >>> overlap = word_cluster_overlap(model, X, domains)
    >>> round(overlap.r1, 1), round(overlap.r2, 1)
    (0.0, 0.9)
    """
    if not hasattr(model, "word_clusters_"):
        raise ValueError(
            f"{type(model).__name__} has no word clusters: pass a fitted MTrick, MTrick0, DKT or "
            "KTW (of a Transfer, its estimator_)."
        )
    if len(model.domains_) != 2:
        raise ValueError(
            "The overlap of word clusters compares one source and one target, not "
            f"{len(model.domains_)} domains: fit two."
        )
    if isinstance(n_words, bool) or not isinstance(n_words, Integral) or n_words < 1:
        raise ValueError(f"n_words={n_words!r} must be a positive integer.")
    by_domain = [
        model.word_clusters_[number] * model.term_totals_[number][:, None]
        for number in model.domains_
    ]
    weights = (*by_domain, _start_topics(model, X, sample_domain))
    clusters = list(zip(*(_top_words(part, n_words) for part in weights), strict=True))
    r1 = np.mean([len(a & b) / len(c) for a, b, c in clusters])
    r2 = np.mean([len((a | b) & c) / len(c) for a, b, c in clusters])
    return WordClusterOverlap(float(r1), float(r2))


def _start_topics(model: Any, X: Any, sample_domain: Any) -> NDArray[Any]:
    """``P(w|z)`` of the topics that initialized a fit, one column per topic."""
    from isthmus.estimators.tri_factorization.plsa import PLSA

    X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
    if X.shape != (len(model.transduction_), model.n_features_in_):
        raise ValueError(
            f"X has the shape {X.shape}, but the model was fitted to "
            f"({len(model.transduction_)}, {model.n_features_in_}): pass the documents of the fit."
        )
    sample = model.plsa_sample
    if (
        model.init != "plsa"
        or (sample is not None and sample < X.shape[0])
        or model.class_prior is not None
        or not isinstance(model.random_state, Integral)
    ):
        raise ValueError(
            "The overlap of word clusters needs a fit that starts from topics of all documents, "
            "and the same topics again: set init='plsa', plsa_sample=None, class_prior=None and a "
            "whole number as random_state."
        )
    scale = getattr(model, "column_scale_", np.ones(1))
    if (scale != 1).any():
        X = sparse.csr_matrix(X).multiply(scale.astype(X.dtype)[None, :]).tocsr()
    topics = PLSA(
        model.associations_.shape[0],
        max_iter=model.plsa_iter,
        tol=0.0,
        random_state=model.random_state,
    )
    topics.fit(with_unit_rows(X) if model.unit_rows else X, sample_domain=sample_domain)
    return np.asarray(topics.components_.T)


def _top_words(weights: NDArray[Any], n_words: int) -> list[set[int]]:
    """The words with the largest weights of every column."""
    order = np.argsort(-weights, axis=0, kind="stable")[:n_words]
    return [set(column) for column in order.T.tolist()]
