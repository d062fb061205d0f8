"""Counts in parts on the disk are those in memory, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from common import examples
from isthmus import TextVectorizer, config_context
from isthmus.files.scratch import ScratchSpaceError
from isthmus.text import text_blocks
from isthmus.text.parts import counting, term_part
from isthmus.text.weighting import WEIGHTINGS

pytestmark = pytest.mark.filterwarnings("ignore:.*does not split into words")

WORDS = ["kettle", "Kettles", "boils", "boiling", "the", "not", "tea", "ΟΔΟΣ", "我很喜欢", "x" * 20]
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=12),
    min_size=1,
    max_size=40,
)
LANGUAGES = [None, "english", "zh", "ja"]  # the last two are counted in plain Python
MANY = [f"kettle number{i % 7} boils {'often ' * (i % 300)}" for i in range(400)]


@pytest.fixture
def in_parts(monkeypatch, tmp_path):
    """Count in parts of about this many characters, in a folder of the test."""
    spilled = counting.SpilledCounts

    def limit(n_characters: int, *, max_bytes: int = 10**9):
        n_lengths = 2  # of terms, at most
        n_bytes = n_characters * counting._BYTES_PER_CHARACTER * n_lengths
        monkeypatch.setattr(counting, "max_memory", lambda: n_bytes)
        monkeypatch.setattr(text_blocks, "_MAX_CHARACTERS", n_characters // 8)
        # The matrix has a limit of its own in these tests.
        monkeypatch.setattr(
            *(counting, "SpilledCounts"),
            lambda parts, scratch, _: spilled(parts, scratch, max_bytes),
        )
        return config_context(scratch_folder=tmp_path)

    return limit


def result_of(vectorizer, texts):
    """Everything that a fit learns; the message if it fails."""
    try:
        X = vectorizer.fit_transform(iter(texts))
    except ValueError as error:
        return str(error)
    arrays = (X.indptr, X.indices, X.data, vectorizer.weights_)
    types = [None if values is None else values.dtype for values in arrays]
    values = [None if values is None else values.tolist() for values in arrays]
    return (vectorizer.terms_, vectorizer.spellings_, X.shape, X.has_sorted_indices, types, values)


OPTIONS = st.fixed_dictionaries(
    {
        "weighting": st.sampled_from(WEIGHTINGS),
        "language": st.sampled_from(LANGUAGES),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3)]),
        "min_df": st.sampled_from([1, 2, 0.1, "auto"]),
        "max_df": st.sampled_from([1.0, 0.5, 4]),
        "max_terms": st.sampled_from([None, 1, 3]),
        "dtype": st.sampled_from(["float32", "float64"]),
    }
)


@pytest.mark.parametrize("setting", ["always", "never"])
@examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, options=OPTIONS, stem=st.booleans(), size=st.integers(1, 60))
@example(texts=["tea", "", "tea"], options={}, stem=True, size=1)
def test_random_texts(in_parts, monkeypatch, tmp_path, setting, texts, options, stem, size):
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    options = {"stem": stem and options.get("language") is not None, **options}
    vectorizer = TextVectorizer(**options)
    with monkeypatch.context() as patch:
        patch.setattr(counting, "max_memory", lambda: 10**9)
        expected = result_of(vectorizer, texts)
    with in_parts(size):
        assert result_of(vectorizer, texts) == expected
    assert list(tmp_path.iterdir()) == []


def test_texts_are_in_several_parts(in_parts, monkeypatch):
    counted = []

    def record(part, *rest):
        counted.append(part.n_documents)
        return store_part(part, *rest)

    store_part = counting.store_part
    monkeypatch.setattr(counting, "store_part", record)
    with in_parts(10_000):
        X = TextVectorizer().fit_transform(MANY)
    assert len(counted) > 5
    assert sum(counted) == len(MANY) == X.shape[0]


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_blocks_of_rows(in_parts, monkeypatch, weighting):
    vectorizer = TextVectorizer(weighting=weighting, stem=True, max_terms=5)
    expected = result_of(vectorizer, MANY)
    monkeypatch.setattr(term_part, "_BLOCK_ROWS", 7)
    with in_parts(10_000):
        assert result_of(vectorizer, MANY) == expected


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_large_matrices_are_weighed_in_blocks(monkeypatch, weighting):
    vectorizer = TextVectorizer(weighting=weighting, dtype="float64")
    whole = vectorizer.fit_transform(MANY)
    weights = vectorizer.weights_
    monkeypatch.setattr("isthmus.text.weighting._BLOCK_NONZEROS", 50)
    in_blocks = vectorizer.fit_transform(MANY)
    for name in ("indptr", "indices"):
        np.testing.assert_array_equal(getattr(in_blocks, name), getattr(whole, name))
    # Sums of columns have another order.
    np.testing.assert_allclose(in_blocks.data, whole.data, rtol=1e-14)
    if weights is not None:
        np.testing.assert_allclose(vectorizer.weights_, weights, rtol=1e-14)


@pytest.mark.parametrize("most", [300, 2**8 - 1, 2**8, 2**16 - 1, 2**16])
def test_counts_above_a_byte(in_parts, most):
    texts = ["kettle " * most, "kettle boils"] * 2
    with in_parts(10):
        X = TextVectorizer(weighting="counts", min_df=1).fit_transform(texts)
    assert X.toarray().tolist() == [[0, most], [1, 1]] * 2


def is_mapped(array) -> bool:
    while array is not None:
        if isinstance(array, np.memmap):
            return True
        array = getattr(array, "base", None)
    return False


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_large_matrices_are_on_the_disk(in_parts, monkeypatch, tmp_path, weighting):
    vectorizer = TextVectorizer(weighting=weighting)
    expected = vectorizer.fit_transform(MANY)
    monkeypatch.setattr("isthmus.text.weighting._BLOCK_NONZEROS", 100)  # it is not copied
    n_bytes = expected.data.nbytes + expected.indices.nbytes
    for max_bytes in (n_bytes, n_bytes - 1):
        with in_parts(10_000, max_bytes=max_bytes):
            X = vectorizer.fit_transform(MANY)
        assert is_mapped(X.indices) == is_mapped(X.data) == (max_bytes < n_bytes)
        assert list(tmp_path.iterdir()) == []
        np.testing.assert_allclose(X.data, expected.data, rtol=1e-6)
        np.testing.assert_array_equal(X.indices, expected.indices)


def not_a_text():
    yield from MANY
    yield 3


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (not_a_text(), {}, r"^Text 400 \(counted from 0\) is 3"),
        (MANY, {"min_df": 500}, "min_df=500 drops them all"),
        (["the", "", "of"] * 20, {}, "The 60 documents contain no terms"),
    ],
    ids=["type", "min_df", "empty"],
)
def test_errors_leave_nothing_on_the_disk(in_parts, tmp_path, texts, options, message):
    with in_parts(10), pytest.raises(ValueError, match=message) as caught:
        TextVectorizer(**options).fit_transform(texts)
    # Also as long as somebody looks at the traceback.
    assert list(tmp_path.iterdir()) == []
    assert caught.value is not None


def test_a_fit_that_fails_keeps_the_earlier_one(in_parts):
    with in_parts(10_000):
        vectorizer = TextVectorizer().fit(MANY)
        terms, weights = vectorizer.terms_, vectorizer.weights_
        with pytest.raises(ValueError, match="Text 400"):
            vectorizer.fit(not_a_text())
    assert vectorizer.terms_ is terms
    np.testing.assert_array_equal(vectorizer.weights_, weights)


def test_not_enough_space(in_parts, tmp_path, monkeypatch):
    def disk_usage(path):
        return type("Usage", (), {"free": 10**7})

    monkeypatch.setattr("shutil.disk_usage", disk_usage)
    with in_parts(10_000), pytest.raises(ScratchSpaceError, match="the counts of words need"):
        TextVectorizer().fit(MANY)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_others_have_filled(in_parts, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("100 requested and 0 written")

    monkeypatch.setattr(counting, "store_part", fail)
    message = r"^The scratch folder '.*' cannot be used \(100 requested and 0 written\): name"
    with in_parts(10_000), pytest.raises(OSError, match=message):
        TextVectorizer().fit(MANY)
    assert list(tmp_path.iterdir()) == []


def test_no_folder_is_made_for_few_texts(in_parts, tmp_path):
    folder = tmp_path / "unused"
    folder.mkdir()
    with in_parts(10**6), config_context(scratch_folder=folder):
        TextVectorizer().fit(MANY)
    assert list(folder.iterdir()) == []
