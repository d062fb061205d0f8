"""The proxy A-distance, and r1 and r2 of MTrick's paper: known values and wrong input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from isthmus import CDSC, DKT, MTrick, Transfer, proxy_a_distance, word_cluster_overlap
from isthmus.evaluation.domain_similarity import _start_topics
from isthmus.solvers.tri_factorization import _restarts
from isthmus.solvers.tri_factorization.plsa import Plsa, plsa

DRAWN = np.random.default_rng(0).poisson(1.0, (40, 30)).astype(np.float64)
DOMAIN = np.repeat([0, -1], 20)
LABELS = np.where(DOMAIN < 0, None, np.tile([0, 1], 20))


def fitted(cls: Any = MTrick, **params: object) -> Any:
    settings = {
        "init": "plsa",
        "max_iter": 5,
        "tol": 0.0,
        "random_state": 3,
        "n_word_clusters": 4,
        **params,
    }
    return cls(**settings).fit(DRAWN, LABELS, sample_domain=DOMAIN)


def test_distance_of_domains() -> None:
    generator = np.random.default_rng(0)
    domain = np.repeat([0, -1], [300, 100])
    noise = generator.normal(size=(400, 3))
    assert abs(proxy_a_distance(noise, domain)) < 0.35
    apart = noise - 20 * domain[:, None] - 10
    assert proxy_a_distance(apart, domain) == 2.0
    assert proxy_a_distance(sparse.coo_array(apart), domain) == 2.0
    # Half of the target looks like the source: an error of 1/2 there, 1/4 in the mean of both,
    # whichever rows are drawn, although only an eighth of all rows is misclassified.
    alike = np.where((domain < 0) & (np.arange(400) % 2 > 0), 1.0, -1.0)
    seen = np.column_stack([alike, np.ones(400)])
    distances = [proxy_a_distance(seen, domain, seed) for seed in range(20)]
    assert np.mean(distances) == pytest.approx(2 * (1 - 2 / 4), abs=0.05)


def test_distance_joins_sources_and_targets() -> None:
    rows = np.repeat(np.eye(4), 5, axis=0)
    assert proxy_a_distance(rows, np.repeat([0, 1, -1, -2], 5)) == 2.0


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ([0] * 4, "has 4 rows of sources and 0 of targets: at least two of each"),
        ([0, 0, 0, -1], "has 3 rows of sources and 1 of targets"),
        ([0, -1], "pass one integer per row"),
        (["a", "b", "a", "b"], "values that are not integers"),
    ],
)
def test_distance_of_wrong_domains(domain: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        proxy_a_distance(np.eye(4), domain)


def test_overlap_of_known_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two clusters of ten words, of which the first four count."""

    def weights(*words: list[int]) -> NDArray[np.float64]:
        table = np.zeros((10, len(words)))
        for cluster, chosen in enumerate(words):
            table[chosen, cluster] = 1.0
        return table

    model = fitted(n_word_clusters=2)
    model.word_clusters_ = {
        0: weights([1, 2, 3, 4], [5, 6, 7, 8]),
        -1: weights([1, 2, 8, 9], [5, 6, 7, 0]),
    }
    model.term_totals_ = {0: np.ones(10), -1: np.ones(10)}
    topics = weights([1, 3, 8, 7], [5, 6, 7, 8])
    monkeypatch.setattr(
        "isthmus.evaluation.domain_similarity._start_topics", lambda *arguments: topics
    )
    overlap = word_cluster_overlap(model, DRAWN, DOMAIN, n_words=4)
    # Shared words: 1, 2 and 5, 6, 7. Words of the topics in either domain: 1, 3, 8 and all four.
    assert overlap == ((2 / 4 + 3 / 4) / 2, (3 / 4 + 4 / 4) / 2)
    assert (overlap.r1, overlap.r2) == overlap


def test_words_of_a_cluster_are_frequent(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted()
    clusters = np.full((30, 4), 0.5)
    clusters[5] = 0.6  # a rare word that belongs to every cluster most clearly
    model.word_clusters_ = {0: clusters, -1: clusters}
    totals = np.arange(30.0)
    model.term_totals_ = {0: totals, -1: totals[::-1].copy()}
    # The two most frequent words of both domains differ.
    assert word_cluster_overlap(model, DRAWN, DOMAIN, n_words=2).r1 == 0.0
    assert word_cluster_overlap(model, DRAWN, DOMAIN, n_words=30) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("cls", "params"),
    [(MTrick, {"unit_rows": False}), (MTrick, {"unit_rows": True}), (DKT, {"column_power": 0.5})],
)
def test_topics_are_those_of_the_initialization(
    monkeypatch: pytest.MonkeyPatch, cls: Any, params: dict[str, Any]
) -> None:
    began: list[Plsa] = []

    def watched(*args: object, **kwargs: object) -> Plsa:
        began.append(plsa(*args, **kwargs))  # type: ignore[arg-type]
        return began[-1]

    with monkeypatch.context() as patch:
        patch.setattr(_restarts, "plsa", watched)
        model = fitted(cls, **params)
    np.testing.assert_allclose(_start_topics(model, DRAWN, DOMAIN), began[-1].topics)
    np.testing.assert_allclose(
        _start_topics(model, sparse.csr_array(DRAWN), DOMAIN), began[-1].topics
    )


@pytest.mark.parametrize(
    "params",
    [
        {"init": "class_conditional", "n_word_clusters": 2},
        {"plsa_sample": 20},
        {"class_prior": "source"},
        {"random_state": None},
    ],
)
def test_overlap_needs_the_topics_of_the_start(params: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="starts from topics of all documents"):
        word_cluster_overlap(fitted(**params), DRAWN, DOMAIN)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CDSC(), "CDSC has no word clusters: pass a fitted MTrick"),
        (MTrick(), "MTrick has no word clusters: pass a fitted MTrick"),
        (Transfer("mtrick"), r"\(of a Transfer, its estimator_\)"),
    ],
)
def test_overlap_needs_word_clusters(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        word_cluster_overlap(model, DRAWN, DOMAIN)


def test_overlap_of_two_domains_only() -> None:
    domain = np.repeat([0, 1, -1], [10, 10, 20])
    model = MTrick(4, init="plsa", max_iter=2, tol=0.0, random_state=0).fit(DRAWN, LABELS, domain)
    with pytest.raises(ValueError, match="one source and one target, not 3 domains"):
        word_cluster_overlap(model, DRAWN, domain)


def test_overlap_of_other_documents() -> None:
    with pytest.raises(ValueError, match=r"shape \(39, 30\), but the model was fitted to \(40"):
        word_cluster_overlap(fitted(), DRAWN[1:], DOMAIN[1:])


@pytest.mark.parametrize("n_words", [0, -1, 2.5, True, "3"])
def test_number_of_words(n_words: Any) -> None:
    with pytest.raises(ValueError, match="must be a positive integer"):
        word_cluster_overlap(fitted(), DRAWN, DOMAIN, n_words=n_words)
