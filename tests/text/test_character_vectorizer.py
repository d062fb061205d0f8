"""CharacterVectorizer: texts to weighted counts of character n-grams."""

from __future__ import annotations

import tracemalloc
import unicodedata
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from isthmus import CharacterVectorizer
from isthmus.text import character_vectorizer
from isthmus.text.character_ngrams import WordCounts, all_ngrams

with warnings.catch_warnings():
    # scikit-learn skips its checks for transformers of texts.
    warnings.simplefilter("ignore", SkipTestWarning)
    SCIKIT_LEARN_CHECKS = parametrize_with_checks([CharacterVectorizer()])

TEXTS = ["The kettles boil quickly", "a quick kettle boils", "Books, books and books"]

# Any character but control characters and halves of surrogate pairs, which are left out.
CHARACTERS = st.one_of(
    st.sampled_from("aab \t\n é😀"),
    st.characters(exclude_categories=["Cc", "Cs"]),
)
DOCUMENTS = st.lists(st.text(CHARACTERS, max_size=30), min_size=1, max_size=6)
RANGES = st.tuples(st.integers(1, 6), st.integers(0, 4)).map(lambda pair: (pair[0], sum(pair)))


@SCIKIT_LEARN_CHECKS
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def expected_counts(texts: list[str], ngrams: tuple[int, int], **limits: Any) -> Any:
    """The counts by scikit-learn and its n-grams; None if there are none."""
    reference = CountVectorizer(analyzer="char_wb", ngram_range=ngrams, **limits)
    try:
        return reference.fit_transform(texts), list(reference.get_feature_names_out())
    except ValueError:
        return None


@pytest.mark.parametrize("setting", ["always", "never"])
def test_the_counts_of_scikit_learn(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)

    @given(DOCUMENTS, RANGES)
    def check(texts: list[str], ngrams: tuple[int, int]) -> None:
        texts = [unicodedata.normalize("NFC", text).lower() for text in texts]
        expected = expected_counts(texts, ngrams)
        words = WordCounts()
        for text in texts:
            words.add([text])
        counts, spellings = all_ngrams(words, ngrams)
        terms = spellings.spell(np.arange(counts.n_ngrams))
        if expected is None:
            assert terms == []
            return
        order = np.argsort(np.array(terms, object))
        assert [terms[i] for i in order] == expected[1]
        np.testing.assert_array_equal(counts.take(order).matrix().toarray(), expected[0].toarray())
        np.testing.assert_array_equal(counts.totals()[order], expected[0].sum(axis=0).A1)
        frequencies = np.bincount(expected[0].indices, minlength=len(terms))
        np.testing.assert_array_equal(counts.document_frequencies(1)[order], frequencies)
        frequencies[frequencies < 2] = 0
        np.testing.assert_array_equal(counts.document_frequencies(2)[order], frequencies)

    check()


@given(DOCUMENTS, st.integers(1, 3), st.one_of(st.none(), st.integers(1, 20)))
def test_the_matrix_of_scikit_learn(texts: list[str], min_df: int, max_terms: int | None) -> None:
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    vectorizer = CharacterVectorizer(min_df=min_df, max_terms=max_terms)
    counted = expected_counts([text.lower() for text in texts], (3, 5), min_df=min_df)
    if counted is None:
        with pytest.raises(ValueError, match="No character n-gram occurs in"):
            vectorizer.fit(texts)
        return
    # scikit-learn breaks ties between n-grams in another way, so its choice is not compared.
    totals = counted[0].sum(axis=0).A1
    terms = sorted(sorted(zip(-totals, counted[1], strict=True))[:max_terms], key=lambda t: t[1])
    reference = TfidfVectorizer(
        # Some capitals have no lower case; scikit-learn would warn about them.
        analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, lowercase=False,
        vocabulary=[term for _, term in terms],
    )  # fmt: skip
    expected = reference.fit_transform([text.lower() for text in texts]).toarray()
    rows = vectorizer.fit_transform(texts)
    assert rows.dtype == np.float32
    assert rows.has_sorted_indices
    assert vectorizer.terms_ == [term for _, term in terms]
    np.testing.assert_allclose(rows.toarray(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(vectorizer.transform(texts).toarray(), rows.toarray(), rtol=1e-6)


def test_new_texts() -> None:
    vectorizer = CharacterVectorizer().fit(TEXTS)
    rows = vectorizer.transform(["KETTLE", "", "xyz", *TEXTS])
    assert rows.shape == (6, len(vectorizer.terms_))
    assert rows[1].nnz == rows[2].nnz == 0
    terms = [vectorizer.terms_[column] for column in rows[0].indices]
    assert {" ket", "kettl", "ettle", "tle"} < set(terms)
    np.testing.assert_allclose(rows[3:].toarray(), vectorizer.fit_transform(TEXTS).toarray())
    assert list(vectorizer.get_feature_names_out()) == vectorizer.terms_


def test_min_df_auto_is_lower_for_few_documents() -> None:
    texts = ["abc"] * 4 + [""] * 96
    with pytest.raises(ValueError, match="No character n-gram occurs in 5 of the 100 documents"):
        CharacterVectorizer().fit(texts)
    assert CharacterVectorizer().fit(texts[:99]).terms_ == [
        " ab", " abc", " abc ", "abc", "abc ", "bc ",
    ]  # fmt: skip
    assert CharacterVectorizer().fit(["abc", ""]).terms_


def test_the_most_frequent_ngrams_do_not_depend_on_the_order_of_texts() -> None:
    one = CharacterVectorizer(max_terms=7).fit(TEXTS)
    other = CharacterVectorizer(max_terms=7).fit(TEXTS[::-1])
    assert one.terms_ == other.terms_
    assert len(one.terms_) == 7
    assert " book" in one.terms_


def test_control_characters_are_left_out() -> None:
    vectorizer = CharacterVectorizer().fit(["ab\x00cd", "ef\ud800gh", "\x1b[31m"])
    assert "ab" in vectorizer.terms_[0] + vectorizer.terms_[1]
    for term in vectorizer.terms_:
        assert not set(term) & {"\x00", "\x1b", "\ud800"}


def test_case_and_accents() -> None:
    assert " Ab" in CharacterVectorizer(lowercase=False).fit(["Abc"]).terms_
    vectorizer = CharacterVectorizer().fit(["CAF\u00c9"])
    decomposed = vectorizer.transform([unicodedata.normalize("NFD", "caf\u00e9")])
    assert decomposed.nnz == len(vectorizer.terms_)


def test_html_pages() -> None:
    pytest.importorskip("selectolax")
    page = "<html><body><script>secret()</script><p>steel</body></html>"
    stripped = CharacterVectorizer(html=True).fit([page]).terms_
    assert stripped == CharacterVectorizer().fit(["steel"]).terms_


class TestWatch:
    def test_one_reading_gives_the_same_rows(self) -> None:
        vectorizer = CharacterVectorizer()
        for text in TEXTS:
            vectorizer.observe([text])
        rows = vectorizer.finish()
        expected = CharacterVectorizer().fit_transform(TEXTS)
        np.testing.assert_array_equal(rows.toarray(), expected.toarray())
        assert vectorizer.transform(TEXTS).shape == rows.shape

    @pytest.mark.parametrize(
        "limit", ["MAX_DOCUMENTS", "MAX_STORED_WORDS", "MAX_WORD_CHARACTERS", "MAX_STORED_NGRAMS"]
    )
    def test_too_large_texts_are_not_counted(
        self, limit: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(character_vectorizer, limit, 2)
        vectorizer = CharacterVectorizer()
        vectorizer.observe(TEXTS)
        assert vectorizer.finish() is None
        with pytest.raises(NotFittedError):
            vectorizer.transform(TEXTS)
        assert CharacterVectorizer().fit_transform(TEXTS).nnz > 2  # no limits

    def test_memory_is_freed_above_the_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(character_vectorizer, "MAX_DOCUMENTS", 100)
        vectorizer = CharacterVectorizer()
        words = (f"{number:x}" for number in range(10**9))
        texts = (" ".join(next(words) for _ in range(200)) for _ in range(2000))
        tracemalloc.start()
        for text in texts:
            vectorizer.observe([text])
        remaining, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert remaining < 1e6
        assert peak < 10e6

    def test_no_frequent_ngrams(self) -> None:
        vectorizer = CharacterVectorizer(min_df=3)
        vectorizer.observe(["one", "two"])
        assert vectorizer.finish() is None

    def test_finish_without_texts(self) -> None:
        with pytest.raises(ValueError, match="observe"):
            CharacterVectorizer().finish()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ngram_range": (0, 3)}, r"ngram_range=\(0, 3\) must"),
        ({"ngram_range": (4, 3)}, r"ngram_range=\(4, 3\) must"),
        ({"ngram_range": (3, 100)}, r"ngram_range=\(3, 100\) must"),
        ({"ngram_range": 3}, "ngram_range=3 must"),
        ({"min_df": 0}, "min_df=0 must"),
        ({"min_df": 0.5}, r"min_df=0.5 must"),
        ({"max_terms": 0}, "max_terms=0 must"),
        ({"lowercase": "yes"}, "lowercase='yes' must"),
    ],
)
def test_invalid_parameters(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CharacterVectorizer(**settings).fit(TEXTS)
    with pytest.raises(ValueError, match=words):
        CharacterVectorizer(**settings).observe(TEXTS)


@pytest.mark.parametrize(
    ("texts", "words"),
    [("one text", "single text"), (["a", 3], "Text 1"), ([], "No documents")],
)
def test_invalid_texts(texts: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CharacterVectorizer().fit(texts)
    with pytest.raises(ValueError, match=words):
        CharacterVectorizer().fit(TEXTS).transform(texts)


def test_unfitted() -> None:
    with pytest.raises(NotFittedError):
        CharacterVectorizer().transform(TEXTS)
    with pytest.raises(NotFittedError):
        CharacterVectorizer().get_feature_names_out()


def test_a_failed_fit_leaves_the_earlier_one() -> None:
    vectorizer = CharacterVectorizer(min_df=1).fit(TEXTS)
    before = vectorizer.transform(TEXTS).toarray()
    with pytest.raises(ValueError, match="No character n-gram"):
        vectorizer.fit(["", ""])
    np.testing.assert_array_equal(vectorizer.transform(TEXTS).toarray(), before)


def test_restore() -> None:
    vectorizer = CharacterVectorizer().fit(TEXTS)
    restored = clone(vectorizer).restore(vectorizer.terms_, vectorizer.weights_)
    np.testing.assert_array_equal(
        restored.transform(TEXTS).toarray(), vectorizer.transform(TEXTS).toarray()
    )
    for terms in (["abcdef"], [""], ["a\x1bb"], ["\ud800"]):
        with pytest.raises(ValueError, match="A term is empty"):
            CharacterVectorizer().restore(terms, np.ones(1))
