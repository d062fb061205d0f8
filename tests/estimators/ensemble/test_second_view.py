"""The second matrix of Auto: what it adds, wrong input and model files."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from isthmus import Auto, ModelFileError, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.estimators.ensemble._model import AutoModel, joined, read_second_view, side_by_side
from isthmus.storage.container import read_container, write_container
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy

# The words of the weak problem say little.
pytestmark = pytest.mark.doubtful

TOY = make_toy(n_per_class=30)
N_ROWS = len(TOY.y)
SECOND = "self-training of the second view"


def characters(truth=TOY.truth, seed=0):
    """A sparse matrix of counts in which every class has columns of its own."""
    rates = np.where(np.arange(12) // 6 == truth[:, None], 1.5, 0.2)
    return sparse.csr_array(np.random.default_rng(seed).poisson(rates).astype(float))


def embeddings(truth=TOY.truth, seed=0):
    """Points around one center per class."""
    points = np.random.default_rng(seed).standard_normal((len(truth), 8))
    points[:, 0] += 5.0 * truth - 2.5
    return points


VIEWS = {"characters": characters(), "embeddings": embeddings()}
EVERY_VIEW = pytest.mark.parametrize("Z", VIEWS.values(), ids=VIEWS)


def weak_words():
    """Words that say little about the class."""
    noise = np.random.default_rng(5).poisson(1.5, TOY.X.shape)
    return sparse.csr_array(TOY.X * 0.3 + noise)


def fit(Z, X=TOY.X, effort="fast", members=("cocc", "self-training"), **parameters):
    auto = Auto(effort, members=list(members), **parameters)
    return auto.fit(X, TOY.y, sample_domain=TOY.sample_domain, second_view=Z)


@pytest.mark.parametrize(
    ("Z", "X", "members", "gain"),
    [
        (VIEWS["characters"], weak_words(), ("cocc", "self-training"), 0.3),
        # Embeddings are one vote among others, so the words must say something.
        (VIEWS["embeddings"], TOY.X, ("lg", "svm"), 0.03),
    ],
    ids=VIEWS,
)
def test_second_view_helps(Z, X, members, gain):
    without, with_view = (fit(view, X, members=members) for view in (None, Z))
    accuracies = [TOY.target_accuracy(auto.transduction_) for auto in (without, with_view)]
    assert accuracies[1] > accuracies[0] + gain
    assert accuracies[1] > 0.95
    target = TOY.is_target
    new = with_view.predict(X[target], second_view=Z[target])
    assert np.mean(new == with_view.transduction_[target]) > 0.9


def test_embeddings_are_one_more_member():
    names = [member.name for member in fit(VIEWS["embeddings"]).members_]
    assert names == ["source-only", "cocc", "self-training", SECOND]
    assert SECOND not in [member.name for member in fit(VIEWS["characters"]).members_]


@EVERY_VIEW
def test_callbacks_of_scikit_learn_get_the_number_of_fits(Z):
    pytest.importorskip("sklearn.callback", reason="requires scikit-learn 1.9")
    limits, iterations = set(), []

    class Recorder:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, *, metadata=None):
            if not metadata:
                limits.add(context.max_subtasks)

        def on_fit_task_end(self, estimator, context, *, metadata=None):
            if metadata:
                iterations.append(metadata["iteration"])

    auto = Auto("fast", members=["cocc", "lg"]).set_callbacks(Recorder())
    auto.fit(TOY.X, TOY.y, sample_domain=TOY.sample_domain, second_view=Z)
    assert limits == {len(iterations)}
    assert len(iterations) == len(auto.members_) - 1  # without the source-only classifier


@EVERY_VIEW
@pytest.mark.parametrize("effort", ["fast", "normal"])
def test_containers_and_types_give_the_same_result(Z, effort):
    dense = Z.toarray() if sparse.issparse(Z) else Z
    expected = fit(Z, effort=effort)
    for other in (dense, sparse.coo_matrix(dense), sparse.csc_array(dense), dense.tolist()):
        found = fit(other, effort=effort)
        np.testing.assert_array_equal(found.label_distributions_, expected.label_distributions_)
    target = TOY.is_target
    frame = pd.DataFrame(dense)
    assert fit(frame).second_coef_[-1].shape == (2, dense.shape[1])
    np.testing.assert_array_equal(
        expected.predict_proba(TOY.X[target], second_view=frame[target]),
        expected.predict_proba(TOY.X[target], second_view=Z[target]),
    )


def test_whole_numbers_are_accepted():
    counts = VIEWS["characters"].astype(np.int64)
    found, expected = fit(counts), fit(VIEWS["characters"])
    np.testing.assert_array_equal(found.label_distributions_, expected.label_distributions_)


@EVERY_VIEW
def test_float32(Z):
    X = TOY.X.astype(np.float32)
    auto = fit(Z, X)
    assert auto.label_distributions_.dtype == np.float32
    assert auto.predict_proba(X[:3], [0, 0, 0], second_view=Z[:3]).dtype == np.float32
    assert auto.second_coef_[-1].dtype == np.float32
    wide = fit(Z).label_distributions_
    np.testing.assert_allclose(auto.label_distributions_, wide, atol=2e-3)


@EVERY_VIEW
def test_input_is_not_changed(Z):
    before = Z.copy()
    fit(Z)
    assert abs(Z - before).max() == 0


@EVERY_VIEW
def test_dense_words_with_a_second_view(Z):
    found, expected = fit(Z, TOY.X.toarray()), fit(Z)
    np.testing.assert_allclose(found.label_distributions_, expected.label_distributions_, atol=1e-6)


@EVERY_VIEW
def test_order_of_rows_does_not_matter(Z):
    order = np.random.default_rng(2).permutation(N_ROWS)
    auto = Auto("fast").fit(
        TOY.X[order], TOY.y[order], sample_domain=TOY.sample_domain[order], second_view=Z[order]
    )
    expected = fit(Z, members=("cocc", "self-training", "sfa", "mtrick0"))
    np.testing.assert_allclose(
        auto.label_distributions_, expected.label_distributions_[order], atol=1e-5
    )


@EVERY_VIEW
def test_score_and_abstention(Z):
    auto = fit(Z)
    accuracy = auto.score(TOY.X, TOY.truth, sample_domain=TOY.sample_domain, second_view=Z)
    labels = auto.predict(TOY.X, TOY.sample_domain, second_view=Z)
    assert accuracy == np.mean(labels == TOY.truth)
    some = auto.predict(TOY.X, TOY.sample_domain, min_confidence=0.99, second_view=Z)
    assert any(label is None for label in some)


def test_document_without_words_is_labeled_by_its_characters():
    X = TOY.X.toarray()
    target_rows = np.flatnonzero(TOY.is_target)
    X[target_rows[::7]] = 0
    auto = fit(VIEWS["characters"], X)
    empty = target_rows[::7]
    assert np.mean(auto.transduction_[empty] == TOY.truth[empty]) > 0.7
    # Nothing is known about a document without words and without characters.
    row = auto.predict_proba(np.zeros((1, X.shape[1])), second_view=np.zeros((1, 12)))
    np.testing.assert_allclose(row[0], auto.domain_prior_[-1])


def with_value(value):
    Z = VIEWS["embeddings"].copy()
    Z[3, 2] = value
    return Z


@pytest.mark.parametrize(
    ("Z", "words"),
    [
        (
            VIEWS["embeddings"][:-1],
            f"second_view has {N_ROWS - 1} rows but X has {N_ROWS}: it must",
        ),
        (VIEWS["embeddings"][:0], "second_view|0 sample"),
        (VIEWS["embeddings"][:, :0], "0 feature"),
        (with_value(np.nan), "second_view contains NaN"),
        (with_value(np.inf), "second_view contains infinity"),
        (sparse.csr_array(with_value(np.nan)), "second_view contains NaN"),
        (VIEWS["embeddings"][:, 0], "2D"),
        (["text"] * N_ROWS, "2D|convert"),
        (pd.DataFrame(VIEWS["embeddings"]).assign(name="a"), "convert"),
    ],
    ids=[
        *("rows", "no rows", "no columns", "nan", "infinite", "sparse nan", "one dimension"),
        *("texts", "frame with texts"),
    ],
)
def test_bad_second_views(Z, words):
    with pytest.raises(ValueError, match=words):
        fit(Z)


def test_value_that_is_too_large_for_the_type_of_the_words():
    with pytest.raises(ValueError, match="second_view contains infinity or a value too large"):
        fit(with_value(1e300), TOY.X.astype(np.float32))


def test_frames_with_different_indexes():
    X, Z = pd.DataFrame(TOY.X.toarray()), pd.DataFrame(VIEWS["embeddings"])
    with pytest.raises(ValueError, match="X and second_view are pandas objects with different"):
        fit(Z.iloc[::-1], X)
    auto = fit(Z, X)
    numbers = pd.Series(TOY.sample_domain)
    with pytest.raises(ValueError, match="X and second_view are pandas objects with different"):
        auto.predict(X, numbers, second_view=Z.iloc[::-1])


def test_second_view_of_new_documents():
    with_view, without = fit(VIEWS["embeddings"]), fit(None)
    X, Z = TOY.X[-3:], VIEWS["embeddings"][-3:]
    cases = [
        (with_view, None, "0 columns, but the model has 8: pass the second matrix of these rows"),
        (with_view, Z[:, :5], "5 columns, but the model has 8: pass the columns that the model"),
        (with_view, Z[:2], "second_view has 2 rows but X has 3"),
        (with_view, Z * np.nan, "second_view contains NaN"),
        (without, Z, "8 columns, but the model has 0: the model was fitted without one, so omit"),
    ]
    for auto, second_view, words in cases:
        for method in (auto.predict, auto.predict_proba):
            with pytest.raises(ValueError, match=words):
                method(X, second_view=second_view)
        with pytest.raises(ValueError, match=words):
            auto.score(X, [0, 1, 1], second_view=second_view)


def test_second_fit_without_a_second_view():
    auto = fit(VIEWS["embeddings"])
    auto.fit(TOY.X, TOY.y, sample_domain=TOY.sample_domain)
    assert not hasattr(auto, "second_coef_")
    assert auto.predict(TOY.X[-2:]).shape == (2,)


def test_metadata_routing():
    Z = VIEWS["embeddings"]
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(FunctionTransformer(accept_sparse=True), Auto("fast"))
        pipeline.fit(TOY.X, TOY.y, sample_domain=TOY.sample_domain, second_view=Z)
        labels = pipeline.predict(TOY.X, sample_domain=TOY.sample_domain, second_view=Z)
    np.testing.assert_array_equal(
        labels, pipeline[-1].predict(TOY.X, TOY.sample_domain, second_view=Z)
    )


def test_source_alone():
    source = ~TOY.is_target
    Z = VIEWS["embeddings"][source]
    auto = Auto("fast").fit(TOY.X[source], TOY.truth[source], second_view=Z)
    assert auto.score(TOY.X[source], TOY.truth[source], second_view=Z) > 0.9


def test_joined_matrix_by_hand():
    X, Z = np.array([[3.0, 4.0], [0.0, 0.0]]), sparse.csr_matrix([[2.0], [5.0]])
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        joined(X, Z).toarray(), [[0.6 * half, 0.8 * half, half], [0, 0, half]]
    )
    np.testing.assert_allclose(joined(X, None), [[0.6, 0.8], [0, 0]])
    np.testing.assert_array_equal(side_by_side(X, Z).toarray(), [[3, 4, 2], [0, 0, 5]])
    assert side_by_side(X, None) is X
    assert read_second_view(None, X, X.dtype) is None


def round_trip(auto, path):
    packer = Packer()
    write_container(path, pack_classifier(auto, packer), packer.arrays)
    manifest, arrays = read_container(path)
    return unpack_classifier(Unpacker(arrays).unpack(manifest), auto.n_features_in_)


@EVERY_VIEW
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_model_file(Z, dtype, tmp_path):
    X = TOY.X.astype(dtype)
    auto = fit(Z, X)
    loaded = round_trip(auto, tmp_path / "m")
    np.testing.assert_array_equal(
        loaded.predict_proba(X, TOY.sample_domain, second_view=Z),
        auto.predict_proba(X, TOY.sample_domain, second_view=Z),
    )
    assert isinstance(loaded.model_, AutoModel)
    assert loaded.model_.n_second == Z.shape[1]
    with pytest.raises(ValueError, match="pass the second matrix of these rows"):
        loaded.predict(X[-1:])


@pytest.mark.parametrize(
    "change",
    [
        lambda coef: coef[:, :-1],
        lambda coef: coef[:1],
        lambda coef: coef[:, :0],
        lambda coef: coef[0],
        lambda coef: coef * np.nan,
        lambda coef: coef.astype(str),
        lambda coef: None,
    ],
    ids=["columns", "classes", "empty", "dimensions", "nan", "texts", "none"],
)
def test_damaged_weights_of_the_second_view(change):
    packer = Packer()
    packed = json.loads(json.dumps(pack_classifier(fit(VIEWS["embeddings"]), packer)))
    state = Unpacker(packer.arrays).unpack(packed)
    n_terms = TOY.X.shape[1]
    unpack_classifier(state, n_terms)  # without damage
    coef = state["model"]["second_coef"]
    state["model"]["second_coef"] = {**coef, -1: change(coef[-1])}
    with pytest.raises(ModelFileError):
        unpack_classifier(state, n_terms)
    for bad in ({}, {-1: coef[-1]}, {**coef, 99: coef[0]}, 1.0, coef[0]):
        state["model"]["second_coef"] = bad
        with pytest.raises(ModelFileError):
            unpack_classifier(state, n_terms)


class TestTransfer:
    corpus = make_corpus(n_source=60, n_target=50)

    @pytest.fixture
    def model(self):
        method = Auto(members=["lg", "svm"])
        corpus = self.corpus
        return Transfer(method).fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)

    def test_round_trip(self, model, tmp_path):
        model.save(tmp_path / "m.isthmus")
        loaded = load(tmp_path / "m.isthmus")
        texts = self.corpus.target_texts[:9]
        np.testing.assert_array_equal(loaded.predict_proba(texts), model.predict_proba(texts))
        assert loaded.characters_.terms_ == model.characters_.terms_
        assert loaded.verdict_ == model.verdict_

    def test_file_with_another_number_of_n_grams(self, model, tmp_path):
        characters = model.characters_
        model.save(tmp_path / "right.isthmus")
        manifest, arrays = read_container(tmp_path / "right.isthmus")
        part = manifest["characters"]
        name = part["weights"]["@array"]
        n_ngrams = len(characters.terms_)
        fewer = {**manifest, "characters": {**part, "terms": part["terms"][:-1]}}
        write_container(tmp_path / "m", fewer, {**arrays, name: arrays[name][:-1]})
        words = f"has {n_ngrams - 1} character n-grams, and its method was fitted with {n_ngrams}"
        with pytest.raises(ModelFileError, match=words):
            load(tmp_path / "m")
        write_container(tmp_path / "m", {**manifest, "characters": None}, arrays)
        with pytest.raises(ModelFileError, match=f"has 0 .* was fitted with {n_ngrams}"):
            load(tmp_path / "m")
