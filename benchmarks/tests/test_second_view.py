"""A second matrix for the same rows: character n-grams of the texts of a problem."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fake_auto import FAKE, FakeAuto
from isthmus_bench.documents import characters, corpora
from isthmus_bench.documents.characters import count_characters, make_character_vectorizer
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.peers import registry
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.report.settings import settings_lines
from isthmus_bench.report.summary import collect
from isthmus_bench.run import inputs
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.runs import Run
from isthmus_bench.run.worker import execute
from tiny_suite import LISTED

TEXTS = {
    "s.a": ["annual accounts audited", "annual audits of accounts", "auditors and accounts"] * 4,
    "s.b": ["brisk breezes blow", "breezes and blizzards", "blowing brisk blizzards"] * 4,
    "t.a": ["an account was audited", "the auditing of accounts"] * 5,
    "t.b": ["a blizzard was blowing", "the breezy blizzards"] * 5,
    "t.pool": ["accounting and breezes", "an account was audited"] * 3,
}
SIDES = """
source = { a = ["s.a"], b = ["s.b"] }
target = { a = ["t.a"], b = ["t.b"] }
"""
ENTRY = """
[[entries]]
id = "auto"
label = "auto"
method = "fake-auto"
weighting = "log-tfidf"
second_view = "characters"
"""


class Reader:
    """Reads the texts above, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, data_home: object, groups: tuple[str, ...]) -> corpora.CorpusDocuments:
        self.times += 1
        # The groups are mixed, as in 20 Newsgroups.
        pairs = sorted((t, g) for g, texts in TEXTS.items() if g in groups for t in texts)
        return corpora.CorpusDocuments([g for _, g in pairs], texts=[t for t, _ in pairs])


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    read = Reader()
    monkeypatch.setitem(corpora.CORPORA, "fake", corpora.Corpus(read, "fake texts"))
    monkeypatch.setitem(registry.COMPETITORS, FAKE.name, FAKE)
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    forget()
    yield read
    forget()


def forget() -> None:
    """Clear only the caches in memory."""
    FakeAuto.fits.clear()
    for cached in (count_corpus, inputs._problem, inputs._vectors, inputs._characters):
        cached.cache_clear()


def make_runs(sides: str = SIDES, entry: str = ENTRY) -> list[Run]:
    text = LISTED.replace("SIDES", sides).replace('corpus = "synthetic"', 'corpus = "fake"')
    return plan_runs(parse_suite(text + entry, "tiny.toml"), Choice(methods=("auto",)))


def test_the_rows_are_those_of_the_words(reader: Reader) -> None:
    (run,) = make_runs()
    record = execute(run)
    assert record["error"] is None
    fit = FakeAuto.fits[-1]
    n_rows = fit["X"].shape[0]
    assert fit["second_view"].shape[0] == n_rows == 44
    assert fit["second_view"].dtype == np.float32
    order = [*TEXTS["s.a"], *TEXTS["s.b"], *TEXTS["t.a"], *TEXTS["t.b"]]
    vectorizer = make_character_vectorizer().fit(order)
    # Rows of a domain are in the order of the corpus, which is sorted by text.
    expected = vectorizer.transform(sorted(order[:24]) + sorted(order[24:]))
    assert abs(fit["second_view"] - expected).max() < 1e-6


def test_the_first_fit_of_a_method_has_few_rows_of_both_matrices(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus_bench.run.worker._warm", set())
    monkeypatch.setattr("isthmus_bench.run.worker._WARM_UP_ROWS", 2)
    (run,) = make_runs()
    execute(run)
    sizes = [(fit["X"].shape[0], fit["second_view"].shape[0]) for fit in FakeAuto.fits]
    assert sizes == [(6, 6), (44, 44)]


def test_the_matrix_is_cached_on_disk(reader: Reader) -> None:
    (run,) = make_runs()
    execute(run)
    times, first = reader.times, FakeAuto.fits[-1]["second_view"]
    forget()
    execute(run)
    assert reader.times == times
    assert (FakeAuto.fits[-1]["second_view"] != first).nnz == 0


def test_another_revision_is_counted_again(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, fitted = np.arange(5), np.ones(5, bool)
    monkeypatch.setattr(
        characters, "make_character_vectorizer", lambda: _CountedVectorizer.make(min_df=1)
    )
    _CountedVectorizer.made = 0
    for revision, expected in ((1, 1), (1, 1), (2, 2)):
        monkeypatch.setattr(characters, "CHARACTERS_REVISION", revision)
        count_characters("fake", ("s.a", "s.b"), rows, fitted, None)
        assert _CountedVectorizer.made == expected


class _CountedVectorizer:
    made = 0

    @classmethod
    def make(cls, **options: Any) -> Any:
        cls.made += 1
        return make_character_vectorizer().set_params(**options)


def test_new_documents_are_weighted_by_the_others(reader: Reader) -> None:
    more = SIDES + 'target_pool = ["t.pool"]\nnew_documents = true\n'
    (run,) = make_runs(more)
    record = execute(run)
    assert record["error"] is None
    fit, prediction = FakeAuto.fits[-2:]
    # The scored documents are in no fit, and equal documents of the pool are removed.
    assert record["sizes"]["n_duplicates"] == 3
    assert fit["second_view"].shape[0] == fit["X"].shape[0] == 24 + 3
    assert prediction["second_view"].shape[0] == prediction["predicted"].shape[0] == 20
    fitted = [*TEXTS["s.a"], *TEXTS["s.b"], *["accounting and breezes"] * 3]
    terms = make_character_vectorizer().fit(fitted).get_feature_names_out()
    assert fit["second_view"].shape[1] == prediction["second_view"].shape[1] == len(terms)


def test_a_corpus_of_counts_has_no_second_matrix(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        corpora.CORPORA, "fake", corpora.Corpus(reader, "fake texts", has_texts=False)
    )
    (run,) = make_runs()
    assert execute(run)["error"] is None
    assert FakeAuto.fits[-1]["second_view"] is None


def test_the_second_matrix_is_part_of_the_setup(reader: Reader) -> None:
    (run,) = make_runs()
    setup = run.identity()["setup"]["second_view"]
    assert setup == {"kind": "characters", "revision": characters.CHARACTERS_REVISION}
    (without,) = make_runs(entry=ENTRY.replace('second_view = "characters"', ""))
    assert "second_view" not in without.identity()["setup"]


def test_only_methods_with_the_argument_have_a_second_matrix(reader: Reader) -> None:
    with pytest.raises(ValueError, match="'svm' does not use a second matrix: remove 'second_vi"):
        make_runs(entry=ENTRY.replace("fake-auto", "svm"))


def test_the_rest_has_the_second_matrix_by_default(reader: Reader) -> None:
    text = LISTED.replace("SIDES", SIDES).replace('corpus = "synthetic"', 'corpus = "fake"')
    suite = parse_suite(text + '[rest]\nweighting = "log-tfidf"\n', "tiny.toml")
    entries = {entry.method: entry for entry in suite.entries}
    assert entries["fake-auto"].second_view == "characters"
    assert entries["svm"].second_view is None
    lines = settings_lines(suite, collect(suite, {}))
    (line,) = [line for line in lines if "fake-auto" in line]
    assert "second matrix: characters" in line
