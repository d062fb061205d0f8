"""``Transfer`` on a real Dask cluster of processes: texts are counted and labeled there."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from isthmus import EngineError, MTrick, TextFiles, TextVectorizer, Transfer
from isthmus.datasets import make_corpus
from real_cluster import start

dask = pytest.importorskip("dask", reason="needs the package dask")
distributed = pytest.importorskip("distributed", reason="needs the package distributed")
bag = pytest.importorskip("dask.bag", reason="needs the package dask")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.doubtful,
    # Processes that are killed leave sockets behind.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

N_TEXTS = 120


@pytest.fixture(scope="module")
def client():
    with start(2) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(n_source=N_TEXTS, n_target=N_TEXTS, random_state=0)


@pytest.fixture(scope="module")
def files(corpus, tmp_path_factory):
    """The corpus as two CSV files."""
    folder = tmp_path_factory.mktemp("corpus")
    write(folder / "source.csv", corpus.source_texts, corpus.source_labels)
    write(folder / "target.csv", corpus.target_texts, corpus.target_labels)
    return folder


def write(path, texts, labels):
    rows = [f'"{text}",{label}\n' for text, label in zip(texts, labels, strict=True)]
    path.write_text("text,label\n" + "".join(rows), encoding="utf-8")


def make(engine=None, **options):
    return Transfer(MTrick(max_iter=15, tol=0), verdict=False, engine=engine, **options)


@pytest.fixture(scope="module")
def expected(corpus):
    return make().fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)


def arguments(how, corpus, folder):
    if how == "files":
        return TextFiles(folder / "source.csv"), None, TextFiles(folder / "target.csv")
    if how == "lists":
        return corpus.source_texts, corpus.source_labels, corpus.target_texts
    if how == "bags":
        source = bag.from_sequence(corpus.source_texts, npartitions=3)
        labels = bag.from_sequence(corpus.source_labels, npartitions=2)
        return source, labels, bag.from_sequence(corpus.target_texts, npartitions=4)
    frame = pytest.importorskip("dask.dataframe", reason="needs Dask data frames")
    source, target = (
        frame.read_csv(folder / name, blocksize=2000) for name in ("source.csv", "target.csv")
    )
    return source["text"], source["label"], target["text"]


@pytest.mark.parametrize("how", ["files", "lists", "bags", "frames"])
def test_same_terms_and_labels_as_on_one_machine(client, corpus, files, expected, how):
    model = make(client).fit(*arguments(how, corpus, files))
    assert model.engine_ == "dask"
    assert model.vectorizer_.terms_ == expected.vectorizer_.terms_
    np.testing.assert_array_equal(model.vectorizer_.weights_, expected.vectorizer_.weights_)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_allclose(model.probabilities_, expected.probabilities_, atol=1e-3)
    sample = model.report_sample_["target"]
    assert sample.texts == [corpus.target_texts[row] for row in sample.rows]
    assert sample.n_documents == N_TEXTS


@pytest.mark.parametrize(
    "options",
    [
        {"max_terms": 40},
        {"min_df": 0.02, "max_df": 0.5},
        {"stem": True, "ngram_range": (1, 2)},
        {"weighting": "tfidf"},
        {"weighting": "counts"},
        {"weighting": "presence"},
    ],
    ids=str,
)
def test_same_vectorizer(client, corpus, files, options):
    texts = arguments("lists", corpus, files)
    local = make(vectorizer=TextVectorizer(**options)).fit(*texts)
    model = make(client, vectorizer=TextVectorizer(**options)).fit(
        *arguments("files", corpus, files)
    )
    assert model.vectorizer_.terms_ == local.vectorizer_.terms_
    assert model.vectorizer_.spellings_ == local.vectorizer_.spellings_
    np.testing.assert_array_equal(model.labels_, local.labels_)


def test_a_weighting_that_needs_all_rows_is_refused(client, corpus, files):
    model = make(client, vectorizer=TextVectorizer(weighting="column-normalized"))
    with pytest.raises(ValueError, match="is not computed on a Dask cluster: use 'log-tfidf'"):
        model.fit(*arguments("files", corpus, files))


def test_the_bits_do_not_depend_on_the_number_of_workers(files, monkeypatch):
    """Real clusters of one, two and three workers; many shards of the files."""
    monkeypatch.setattr("isthmus.text.parts.cluster._SMALLEST_SHARD", 2000)
    results = []
    for n_workers in (1, 2, 3):
        with start(n_workers) as cluster, distributed.Client(cluster) as client:
            source, target = (TextFiles(files / f"{name}.csv") for name in ("source", "target"))
            results.append(make(client).fit(source, None, target))
    for other in results[1:]:
        np.testing.assert_array_equal(other.probabilities_, results[0].probabilities_)
        np.testing.assert_array_equal(other.source_only_labels_, results[0].source_only_labels_)
        assert other.report_sample_["target"].texts == results[0].report_sample_["target"].texts


def test_a_clone_has_the_same_client(client):
    assert clone(make(client)).engine is client


def test_a_model_predicts_without_a_cluster(corpus, client, monkeypatch):
    texts = corpus.source_texts, corpus.source_labels, corpus.target_texts
    model = make(client).fit(*texts).set_params(engine="dask")

    def no_client():
        raise ValueError("no client found")

    monkeypatch.setattr("distributed.get_client", no_client)
    assert set(model.predict(corpus.target_texts[:5])) <= set(model.classes_)


def test_a_missing_text_in_a_bag(client, corpus):
    texts = bag.from_sequence([*corpus.target_texts[:5], None], npartitions=1)
    with pytest.raises(ValueError, match=r"Text 5 of a partition of 'target' .* is None"):
        make(client).fit(corpus.source_texts, corpus.source_labels, texts)


def test_new_texts_of_a_bag_are_labeled_on_the_workers(client, corpus, files, expected):
    model = make(client).fit(*arguments("files", corpus, files))
    texts = bag.from_sequence(corpus.target_texts, npartitions=3)
    np.testing.assert_array_equal(
        model.predict(texts), model.predict(corpus.target_texts), strict=True
    )


def test_a_collection_needs_the_engine(corpus, client):
    texts = bag.from_sequence(corpus.target_texts, npartitions=2)
    with pytest.raises(ValueError, match="'target' are a collection of Dask: set engine='dask'"):
        make().fit(corpus.source_texts, corpus.source_labels, texts)


def test_a_frame_instead_of_a_column(client, corpus, files):
    frame = pytest.importorskip("dask.dataframe", reason="needs Dask data frames")
    table = frame.read_csv(files / "target.csv")
    with pytest.raises(ValueError, match=r"pass a column of it, as in frame\['text'\]"):
        make(client).fit(corpus.source_texts, corpus.source_labels, table)


def test_labels_of_another_length(client, corpus, files):
    source = bag.from_sequence(corpus.source_texts, npartitions=2)
    with pytest.raises(ValueError, match="has 120 texts but 119 labels"):
        make(client).fit(source, corpus.source_labels[1:], corpus.target_texts)


def test_a_line_that_cannot_be_read_names_file_and_line(client, corpus, files, tmp_path):
    broken = tmp_path / "broken.csv"
    lines = Path(files / "target.csv").read_text(encoding="utf-8").splitlines()
    lines[70] = "one,two,three,four"
    broken.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"Line 71 of '.*broken\.csv' has 4 fields"):
        make(client).fit(TextFiles(files / "source.csv"), None, TextFiles(broken))


def slow_texts(texts, n_partitions, seconds):
    """A bag whose partitions take a while."""

    def wait(part):
        time.sleep(seconds)
        return part

    return bag.from_sequence(texts, npartitions=n_partitions).map_partitions(wait)


def after(seconds, action):
    thread = threading.Timer(seconds, action)
    thread.start()
    return thread


def test_a_worker_killed_while_words_are_counted_costs_time_only(corpus, expected):
    with start(2) as cluster, distributed.Client(cluster) as client:
        pid = next(iter(client.run(os.getpid).values()))
        killer = after(1.0, lambda: os.kill(pid, signal.SIGKILL))
        model = make(client).fit(
            corpus.source_texts, corpus.source_labels, slow_texts(corpus.target_texts, 10, 0.4)
        )
        killer.join()
    np.testing.assert_array_equal(model.labels_, expected.labels_)


def test_a_paused_worker_is_waited_for_or_replaced(client, corpus, expected):
    def set_status(name):
        def change(dask_worker):
            from distributed.core import Status

            dask_worker.status = Status[name]

        first = next(iter(client.nthreads()))
        client.run(change, workers=[first])

    set_status("paused")
    resumed = after(3.0, lambda: set_status("running"))
    try:
        texts = slow_texts(corpus.target_texts, 6, 0.2)
        model = make(client).fit(corpus.source_texts, corpus.source_labels, texts)
    finally:
        resumed.join()
    np.testing.assert_array_equal(model.labels_, expected.labels_)


def test_a_lost_scheduler_is_one_clear_error(corpus):
    cluster = start(1)
    client = distributed.Client(cluster)
    closer = after(1.0, cluster.close)
    try:
        with pytest.raises(EngineError, match="scheduler of the Dask cluster is lost"):
            make(client).fit(
                corpus.source_texts, corpus.source_labels, slow_texts(corpus.target_texts, 10, 0.5)
            )
    finally:
        closer.join()
        client.close()
