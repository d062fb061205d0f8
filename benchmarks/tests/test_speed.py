"""The speed benchmark: documents, implementations and tables."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.matrices.host import HostEngine
from isthmus.numerics.progress import Stopping
from isthmus.solvers.tri_factorization._base import factorize
from isthmus.text.vectorizer import TextVectorizer
from isthmus_bench.speed import measuring, methods, report, texts
from isthmus_bench.speed.competitors import Factors, paper_iteration, pjnmf_ranks
from isthmus_bench.speed.corpus import load_corpus, make_documents, make_texts, save_corpus
from isthmus_bench.speed.measuring import in_turn, measure_fit
from isthmus_bench.speed.methods import MethodFits
from isthmus_bench.speed.report import DEFAULT_PARTS, PARTS, Sizes, machine, measure, to_markdown


def test_documents():
    corpus = make_documents(1000, 300, 20, "float32")
    assert corpus.X.shape == (1000, 300)
    assert corpus.X.dtype == np.float32
    assert corpus.X.has_canonical_format
    np.testing.assert_array_equal(corpus.X.sum(axis=1), 20)
    assert (corpus.y[:500] == corpus.labels[:500]).all()
    assert (corpus.y[500:] == -1).all()
    use = np.sort(np.asarray((corpus.X > 0).sum(axis=0)).ravel())
    assert use[-1] > 10 * np.median(use)  # few words are frequent
    few = corpus.first(100)
    assert few.n_source == 50


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_papers_formulas_are_what_the_solver_computes(dtype):
    factors = Factors(make_documents(60, 40, 15, "float64"), 5, dtype)
    printed = [factors.F, factors.F, factors.Gs, factors.Gt, factors.S]
    for _ in range(3):
        printed = paper_iteration(factors.source, factors.target, *printed)
    ours = factorize(factors.domains(), factors.S, engine=HostEngine(), stopping=Stopping(3, 0.0))
    tolerance = 1e-9 if dtype == "float64" else 2e-3
    for one, other in zip(
        (*ours.clusters, *ours.memberships, ours.associations), printed, strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def test_implementations_take_turns():
    order = []

    def side(name):
        def iterate():
            order.append(name)
            return float(len(order))

        return iterate

    seconds = in_turn({"a": side("a"), "b": side("b")}, 2, lambda what: None)
    assert order == ["a", "b"] * 3
    assert seconds == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_total_ranks():
    assert pjnmf_ranks(50) == (40, 5)
    assert pjnmf_ranks(3) == (1, 1)


def test_memory_of_a_fit_stays_below_one_and_a_half_matrices():
    settings = {"init": "class_conditional", "max_iter": 3, "tol": 0.0, "random_state": 0}
    cost = measure_fit("mtrick", settings, 30_000, 10_000, 100)
    assert cost.accuracy > 0.9
    assert 0 < cost.seconds_to_first_iteration < cost.seconds
    if cost.growth is None:
        pytest.skip("this system does not report the resident memory of a process")
    assert cost.growth < 1.5 * cost.matrix_bytes


def test_a_failed_fit_is_an_error():
    with pytest.raises(RuntimeError, match="measure fewer documents"):
        measure_fit("mtrick", {"init": "nonsense"}, 3_000, 100, 10)


def test_a_fit_that_takes_too_long_is_killed():
    settings = {"max_iter": 10**8, "tol": 0.0, "random_state": 0}
    with pytest.raises(TimeoutError, match=r"not done after 0\.3 seconds"):
        measure_fit("mtrick", settings, 2_000, 300, 20, time_limit=0.3)


def test_a_stored_corpus_is_the_same_corpus(tmp_path):
    corpus = make_documents(50, 30, 10, "float32")
    save_corpus(corpus, tmp_path / "corpus.npz")
    loaded = load_corpus(tmp_path / "corpus.npz")
    assert loaded.X.dtype == np.float32
    assert loaded.X.shape == corpus.X.shape
    assert (loaded.X != corpus.X).nnz == 0
    np.testing.assert_array_equal(loaded.y, corpus.y)


def test_the_report(monkeypatch):
    # Separate processes measure the memory, which other tests check.
    monkeypatch.setattr(report, "measure_fit", measuring._fit)
    monkeypatch.setattr(methods, "measure_fit", measuring._fit)
    monkeypatch.setattr(report, "_EIGENVECTORS", (2, 4))
    monkeypatch.setattr(report, "measure_tfidf", texts._fit_tfidf)
    monkeypatch.delenv("ISTHMUS_DATA", raising=False)
    fits = MethodFits(("svm", "lg"))
    sizes = Sizes(600, 200, 20, 4, largest=600, memory=600, rounds=1, method_fits=fits)
    progress = []
    parts = (*DEFAULT_PARTS, "methods")  # test_scale.py has the others
    tables = list(measure(sizes, parts, progress.append))
    page = to_markdown(tables, "isthmus-bench speed", machine())
    assert [len(table.rows) for table in tables[:4]] == [8, 4, 6, 5]
    assert "| isthmus, float32 |" in page
    assert page.count("\n## ") == len(parts)
    for table in tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
    assert "scikit-learn NMF (mu, Frobenius), float64: round 1 of 1" in progress
    assert [row[0] for row in tables[-1].rows] == ["LG", "SVM"]
    assert {*PARTS} - {*DEFAULT_PARTS} == {"methods", "disk", "cluster"}


def test_counting_is_compared_with_the_same_result():
    made, labels = make_texts(300, 200, 20)
    assert len(made) == len(labels) == 300
    assert {len(text.split()) for text in made} == {20}
    assert make_texts(300, 200, 20)[0] == made
    cost = texts.compare_counting(made, (1, 2), 1, lambda what: None)
    assert cost.identical
    assert set(cost.seconds) == {
        "scikit-learn CountVectorizer", "isthmus, one thread", "isthmus",
    }  # fmt: skip
    assert cost.shape[0] == 300


def test_a_difference_in_counting_is_reported(monkeypatch):
    made, _ = make_texts(50, 40, 10)
    fit = TextVectorizer.fit_transform

    def wrong(self, texts):
        counts = fit(self, texts)
        counts.data[7] += 1
        return counts

    monkeypatch.setattr(TextVectorizer, "fit_transform", wrong)
    assert not texts.compare_counting(made, (1, 1), 1, lambda what: None).identical


def test_the_whole_command(tmp_path):
    source, target = texts.write_domains(tmp_path, 400, 200, 20)
    cost = texts.measure_command(source, target, ["--method", "lg", "--no-verdict"])
    assert cost.seconds > sum(cost.timings.values()) > 0
    assert "reading the texts" in cost.timings
    assert cost.peak is None or cost.peak > 50e6
    with pytest.raises(RuntimeError, match="There is no file"):
        texts.measure_command(source, tmp_path / "missing.csv", [])
