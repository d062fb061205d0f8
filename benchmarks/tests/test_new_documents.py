"""New documents: scored documents that were not fitted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from isthmus import make_weighting
from isthmus_bench.documents import corpora
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run import worker
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key, unpack_mask
from isthmus_bench.run.worker import execute
from made_reviews import SUITE, forget, made_corpus, made_counts

POOLS = 'source_pool = ["s.pool"]\ntarget_pool = ["t.pool"]\n'
NEW = SUITE.replace(POOLS, POOLS + "new_documents = true\n")


class Recorder:
    """Records its input, and predicts class 0 for all rows except the first."""

    is_random = False
    given: tuple[Any, Any] | None = None

    def fit(self, X: Any, y: Any, sample_domain: Any) -> Recorder:
        self.fitted = (X.toarray(), list(y), sample_domain.tolist())
        self.transduction_ = self._labels(len(y))
        return self

    def predict(self, X: Any, sample_domain: Any) -> np.ndarray:
        self.given = (X.toarray(), sample_domain.tolist())
        return self._labels(X.shape[0])

    def _labels(self, n_rows: int) -> np.ndarray:
        return np.array([1] + [0] * (n_rows - 1), object)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    forget()
    recorder = Recorder()
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus())
    monkeypatch.setattr(worker, "build", lambda *_: recorder)
    yield recorder
    forget()


def run(text: str, seed: int | None = None) -> Record:
    suite = parse_suite(text, "made.toml")
    chosen = Choice() if seed is None else Choice(seeds=(seed,))
    record = execute(plan_runs(suite, chosen)[0])
    assert record["error"] is None
    return record


def weighted(rows: list[int], fit: list[int]) -> np.ndarray:
    counts = made_counts()
    used = np.flatnonzero(counts[fit].any(axis=0))
    weighting = make_weighting("tfidf").fit(counts[fit][:, used])
    return np.asarray(weighting.transform(counts[rows][:, used]).toarray())


SOURCE, TARGET = list(range(20)), list(range(20, 40))
SOURCE_POOL, TARGET_POOL = list(range(40, 46)), list(range(46, 52))


def test_scored_rows_are_not_fitted(recorder: Recorder) -> None:
    record = run(NEW)
    fit = SOURCE + SOURCE_POOL + TARGET_POOL
    seen, y, domain = recorder.fitted
    assert np.allclose(seen, weighted(fit, fit))
    assert y == [0] * 10 + [1] * 10 + [None] * 12
    assert domain == [0] * 26 + [-1] * 6
    assert recorder.given is not None
    assert np.allclose(recorder.given[0], weighted(TARGET, fit))
    assert recorder.given[1] == [-1] * 20
    # All rows of class 0 except the first are correct.
    assert record["accuracy"] == 9 / 20
    assert unpack_mask(record["correct_mask"], 20).tolist() == [False] + [True] * 9 + [False] * 10
    assert [record["sizes"][name] for name in ("n_source", "n_target", "n_scored")] == [26, 26, 20]
    assert record["problem"]["new_documents"] is True


def test_by_default_scored_rows_are_fitted_without_labels(recorder: Recorder) -> None:
    record = run(SUITE)
    seen, y, _ = recorder.fitted
    every = SOURCE + SOURCE_POOL + TARGET + TARGET_POOL
    assert np.allclose(seen, weighted(every, every))
    assert y == [0] * 10 + [1] * 10 + [None] * 32
    assert recorder.given is None
    # The only row with prediction 1 is the first one, a source row.
    assert unpack_mask(record["correct_mask"], 20).tolist() == [True] * 10 + [False] * 10
    assert "new_documents" not in record["problem"]


def test_terms_are_those_of_the_fitted_rows(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = made_counts()
    counts[:, 5:8] = 0
    counts[0, 5] = 1  # once in the source
    counts[20:40, 6] = 1  # in the target's documents only
    counts[1:3, 7] = 1
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus(counts))
    assert run(NEW)["sizes"]["n_terms"] == 8
    assert recorder.given is not None
    assert recorder.given[0].shape == (20, 8)
    assert run(NEW.replace("min_df = 1", "min_df = 2"))["sizes"]["n_terms"] == 7
    # Frequent in the fitted documents, not in the problem.
    few = NEW.replace("min_df = 1", "min_df = 1\nmax_terms = 3")
    run(few)
    assert np.array_equal(recorder.given[0] > 0, counts[20:40, 2:5] > 0)


@pytest.mark.parametrize("new", [True, False])
def test_folds_with_and_without_new_documents(recorder: Recorder, new: bool) -> None:
    text = (NEW if new else SUITE).replace(POOLS, POOLS + "folds = 5\n")
    sizes, scored = [], []
    for seed in range(5):
        record = run(text.replace("seeds = [0, 1]", "seeds = [0, 1, 2, 3, 4]"), seed)
        names = ("n_source", "n_target", "n_scored")
        sizes.append(tuple(record["sizes"][name] for name in names))
        _, y, domain = recorder.fitted
        assert y.count(0) == y.count(1) == 8
        assert domain.count(-1) == (6 if new else 10)
        if new:
            assert recorder.given is not None
            scored += recorder.given[0][:, 0].tolist()
    assert sizes == [(22, 10, 4)] * 5
    assert len(scored) == (20 if new else 0)


def test_fields_are_in_the_key_only_if_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus())
    texts = [
        SUITE.replace(POOLS, ""),
        SUITE,
        SUITE.replace('source_pool = ["s.pool"]\n', ""),
        NEW,
        SUITE.replace(POOLS, POOLS + "folds = 5\n"),
        SUITE.replace(POOLS, POOLS + "folds = 4\n"),
        NEW.replace(POOLS, POOLS + "folds = 5\n"),
    ]
    identities = [
        plan_runs(parse_suite(text, "made.toml"), Choice())[0].identity() for text in texts
    ]
    assert len({record_key(identity) for identity in identities}) == len(texts)
    later = ("pools", "folds", "new_documents")
    assert [[name for name in later if name in identity["problem"]] for identity in identities] == [
        [], ["pools"], ["pools"], ["pools", "new_documents"], ["pools", "folds"],
        ["pools", "folds"], ["pools", "folds", "new_documents"],
    ]  # fmt: skip
    assert identities[1]["problem"]["pools"] == {"source": [["s.pool"]], "target": [["t.pool"]]}
    assert identities[2]["problem"]["pools"] == {"source": [], "target": [["t.pool"]]}


def test_a_real_classifier_on_new_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus())
    assert run(NEW)["accuracy"] == run(SUITE)["accuracy"] == 1.0
    forget()
