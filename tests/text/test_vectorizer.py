"""TextVectorizer: texts to weighted term counts."""

from __future__ import annotations

import tracemalloc
import unicodedata
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from isthmus import TextVectorizer
from isthmus.text.weighting import WEIGHTINGS

with warnings.catch_warnings():
    # scikit-learn skips its checks for transformers of texts.
    warnings.simplefilter("ignore", SkipTestWarning)
    SCIKIT_LEARN_CHECKS = parametrize_with_checks([TextVectorizer()])

TEXTS = ["The kettles boil quickly", "a quick kettle boils", "Books, books and books"]


@SCIKIT_LEARN_CHECKS
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_terms_are_sorted_and_counted() -> None:
    vectorizer = TextVectorizer(weighting="counts")
    X = vectorizer.fit_transform(TEXTS)
    assert vectorizer.terms_ == ["boil", "boils", "books", "kettle", "kettles", "quick", "quickly"]
    assert X.toarray().tolist() == [
        [1, 0, 0, 0, 1, 0, 1],
        [0, 1, 0, 1, 0, 1, 0],
        [0, 0, 3, 0, 0, 0, 0],
    ]
    assert X.dtype == np.float32
    assert vectorizer.get_feature_names_out().tolist() == vectorizer.terms_


def test_stems_and_spellings() -> None:
    vectorizer = TextVectorizer(stem=True, weighting="counts").fit(
        ["Batteries, batteries", "a battery", "loved loving"]
    )
    assert vectorizer.terms_ == ["batteri", "love"]
    assert vectorizer.spellings_ == ["batteries", "loved"]


def test_pairs_skip_stop_words() -> None:
    vectorizer = TextVectorizer(ngram_range=(2, 2), stem=True).fit(["kettles of steel boil"])
    assert vectorizer.terms_ == ["kettl steel", "steel boil"]
    assert vectorizer.spellings_ == ["kettles steel", "steel boil"]


def test_another_language() -> None:
    texts = ["Die Häuser sind schön", "das Haus ist schön"]
    vectorizer = TextVectorizer(language="de", stem=True, max_df=1).fit(texts)
    assert "haus" not in vectorizer.terms_  # both words have one stem, which occurs in two texts
    assert TextVectorizer(language="german").fit(texts).terms_.count("die") == 1


def test_default_stop_words_keep_negation_and_modality() -> None:
    text = "This is not what I should have done, but it is too late and never very good"
    assert TextVectorizer().fit([text]).terms_ == [
        "but", "done", "good", "late", "never", "not", "should", "too", "very", "what",
    ]  # fmt: skip
    assert TextVectorizer(stop_words="english").fit([text]).terms_ == ["good", "late"]
    assert "this" in TextVectorizer(stop_words=None).fit([text]).terms_
    assert "this" in TextVectorizer(language="german").fit([text]).terms_


def test_custom_stop_words() -> None:
    vectorizer = TextVectorizer(stop_words=["Kettle", "quick"]).fit(TEXTS)
    assert "kettle" not in vectorizer.terms_
    assert "the" in vectorizer.terms_


def test_lowercase_false() -> None:
    terms = TextVectorizer(lowercase=False, language=None).fit(["Turkey turkey The"]).terms_
    assert terms == ["The", "Turkey", "turkey"]


def test_decomposed_accents() -> None:
    word = "caf\u00e9"
    vectorizer = TextVectorizer(weighting="counts").fit([word])
    assert vectorizer.transform([unicodedata.normalize("NFD", word)]).sum() == 1


def test_html_pages() -> None:
    pytest.importorskip("selectolax")
    page = (
        "<html><head><title>Kettles</title><style>p {color: red}</style></head><body>"
        "<!-- hidden --><script>secret()</script><p>steel<p>glass &amp; tin</body></html>"
    )
    assert TextVectorizer(html=True).fit([page]).terms_ == ["glass", "kettles", "steel", "tin"]


def test_a_deeply_nested_page_is_flattened_before_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser alone would take minutes."""
    lexbor = pytest.importorskip("selectolax.lexbor")
    parse, pages = lexbor.LexborHTMLParser, []
    monkeypatch.setattr(lexbor, "LexborHTMLParser", lambda page: pages.append(page) or parse(page))
    page = "<div><b>" * 60_000 + "<p>steel<script>secret()</script><p>glass &amp; tin"
    terms = TextVectorizer(html=True).fit([page]).terms_
    assert terms == ["glass", "steel", "tin"]
    assert pages[0].count("<") == 2  # the script


def test_limits_as_numpy_numbers() -> None:
    limits: dict[str, Any] = {"min_df": np.int64(1), "max_df": np.float32(1.0)}
    assert len(TextVectorizer(ngram_range=(np.int64(1), 1), **limits).fit(TEXTS).terms_) == 7


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_new_texts_are_weighted_like_fitted_ones(weighting: str, dtype: str) -> None:
    vectorizer = TextVectorizer(weighting=weighting, dtype=dtype)
    X = vectorizer.fit_transform(TEXTS)
    again = vectorizer.transform([*TEXTS, "unheard-of"])
    assert X.dtype == again.dtype == dtype
    np.testing.assert_allclose(again[:3].toarray(), X.toarray(), rtol=1e-6)
    assert again[3].nnz == 0


WORDS = st.lists(
    st.sampled_from(["apple", "kettle", "boils", "the", "and", "über", "straße", "x", "7up"]),
    max_size=8,
)


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=8), st.sampled_from([(1, 1), (1, 2)]))
def test_same_result_as_scikit_learn(texts: list[str], ngrams: tuple[int, int]) -> None:
    reference = CountVectorizer(ngram_range=ngrams, stop_words="english")
    settings: dict[str, Any] = {"ngram_range": ngrams, "stop_words": "english", "min_df": 1}
    vectorizer = TextVectorizer(weighting="counts", **settings)
    try:
        expected = reference.fit_transform(texts)
    except ValueError:
        with pytest.raises(ValueError, match="no terms"):
            vectorizer.fit(texts)
        return
    counts = vectorizer.fit_transform(texts)
    assert vectorizer.terms_ == reference.get_feature_names_out().tolist()
    assert (counts.toarray() == expected.toarray()).all()
    assert counts.has_sorted_indices
    weighted = TextVectorizer(dtype="float64", **settings).fit_transform(texts)
    log_tfidf = TfidfVectorizer(ngram_range=ngrams, stop_words="english", sublinear_tf=True)
    np.testing.assert_allclose(weighted.toarray(), log_tfidf.fit_transform(texts).toarray())


@pytest.mark.parametrize(
    "texts", [tuple(TEXTS), pd.Series(TEXTS), np.array(TEXTS), np.array(TEXTS, object), iter(TEXTS)]
)
def test_any_iterable_of_texts(texts: Any) -> None:
    assert TextVectorizer().fit_transform(texts).shape == (3, 7)


class TestLimits:
    texts = ("aa bb", "aa bb cc", "aa dd")

    @pytest.mark.parametrize(
        ("limits", "terms"),
        [
            ({"min_df": 2}, ["aa", "bb"]),
            ({"min_df": 0.5}, ["aa", "bb"]),
            ({"min_df": 1, "max_df": 2}, ["bb", "cc", "dd"]),
            ({"min_df": 1, "max_df": 0.7}, ["bb", "cc", "dd"]),
            ({"min_df": 1, "max_terms": 2}, ["aa", "bb"]),
            ({"min_df": 1, "max_terms": 3}, ["aa", "bb", "cc"]),  # ties are broken by name
            ({"min_df": 1, "max_df": 1.0}, ["aa", "bb", "cc", "dd"]),
        ],
    )
    def test_selected_terms(self, limits: dict[str, Any], terms: list[str]) -> None:
        assert TextVectorizer(**limits).fit(self.texts).terms_ == terms

    def test_automatic_min_df(self) -> None:
        assert len(TextVectorizer().fit(self.texts).terms_) == 4
        assert TextVectorizer().fit([*self.texts, *["aa bb"] * 20]).terms_ == ["aa", "bb"]

    @pytest.mark.parametrize(
        ("n_texts", "terms"), [(19, ["aa", "bb", "cc"]), (20, ["bb", "cc"]), (21, ["cc"])]
    )
    def test_automatic_max_df(self, n_texts: int, terms: list[str]) -> None:
        # "aa" occurs in all texts but one, "bb" in every second, "cc" in every third.
        texts = [
            " ".join(word for word, step in (("bb", 2), ("cc", 3)) if number % step == 0)
            + (" aa" if number else "")
            for number in range(n_texts)
        ]
        assert TextVectorizer(max_df="auto").fit(iter(texts)).terms_ == terms
        assert TextVectorizer(max_df=1.0).fit(texts).terms_ == ["aa", "bb", "cc"]

    def test_automatic_max_df_that_drops_all(self) -> None:
        with pytest.raises(ValueError, match=r"max_df=0\.5 drops .*raise max_df"):
            TextVectorizer(max_df="auto").fit(["aa bb"] * 30)

    @pytest.mark.parametrize(
        ("limits", "message"),
        [
            (
                {"min_df": 15},
                r"4 different terms, but min_df=15 drops .* occurs in 3",
            ),
            ({"max_df": 0.1, "min_df": 1}, r"max_df=0.1 drops"),
            ({"min_df": 2, "max_df": 1}, r"min_df=2 and max_df=1 together drop"),
        ],
    )
    def test_the_limit_that_drops_all_terms_is_named(
        self, limits: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            TextVectorizer(**limits).fit(self.texts)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"language": "klingon"}, "Unknown language 'klingon'.* arabic"),
        ({"stop_words": "dutch"}, "stop_words='dutch' must be 'auto'"),
        ({"stop_words": ["a", 3]}, "stop_words contains 3"),
        ({"stop_words": iter(["a"])}, "must be 'auto', None or a list"),
        ({"stem": True, "language": None}, "stem=True needs a language"),
        ({"stem": "yes"}, "stem='yes' must be True or False"),
        ({"ngram_range": 2}, "ngram_range=2 must be two integers"),
        ({"ngram_range": (1, 10**12)}, "<= 20"),
        ({"weighting": []}, r"Unknown weighting \[\]"),
        ({"ngram_range": (2, 1)}, r"ngram_range=\(2, 1\) .*shortest <= longest"),
        ({"ngram_range": (1, 2, 3)}, "must be two integers"),
        ({"min_df": 0}, "min_df .* is 0"),
        ({"min_df": 1.5}, "min_df .* is 1.5"),
        ({"max_df": True}, "max_df is True"),
        ({"max_terms": 0}, "max_terms=0 must be a positive integer"),
        ({"weighting": "bm25"}, "Unknown weighting 'bm25'"),
        ({"dtype": "int8"}, "dtype='int8' must be 'float32' or 'float64'"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TextVectorizer(**parameters).fit(TEXTS)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "single text .* list of texts"),
        (["a", None], r"Text 1 \(counted from 0\) is None of type NoneType"),
        (["aa", float("nan")], "is nan of type float, not text"),
        ([b"aa"], "of type bytes"),
        ([], "No documents"),
        (["", "the of a"], "The 2 documents contain no terms"),
    ],
)
def test_wrong_texts(texts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TextVectorizer().fit(texts)


def test_an_error_leaves_an_earlier_fit_unchanged() -> None:
    vectorizer = TextVectorizer()
    with pytest.raises(ValueError, match="no terms"):
        vectorizer.fit(["the"])
    with pytest.raises(NotFittedError):
        check_is_fitted(vectorizer)
    before = vectorizer.fit(TEXTS).transform(TEXTS).toarray()
    with pytest.raises(ValueError, match="no terms"):
        vectorizer.set_params(language="german", stop_words=["wort"]).fit(["wort"])
    vectorizer.set_params(language="english", stop_words="auto")
    assert vectorizer.language_ == "english"
    np.testing.assert_array_equal(vectorizer.transform(TEXTS).toarray(), before)


class TestDetection:
    texts = (
        "Die Häuser am Meer waren schön und die Gärten auch.",
        "Das Haus steht seit vielen Jahren leer, sagte der Nachbar.",
    )

    @pytest.fixture(autouse=True)
    def identifier(self) -> None:
        pytest.importorskip("py3langid", reason="detection needs the extra 'detect'")

    @pytest.mark.parametrize("container", [list, iter, pd.Series])
    def test_detected_language(self, container: Any) -> None:
        vectorizer = TextVectorizer(language="auto", stem=True)
        X = vectorizer.fit_transform(container(self.texts))
        named = TextVectorizer(language="german", stem=True)
        np.testing.assert_array_equal(X.toarray(), named.fit_transform(self.texts).toarray())
        assert vectorizer.language_ == "german"
        assert vectorizer.language == "auto"
        assert "haus" in vectorizer.terms_
        np.testing.assert_array_equal(vectorizer.transform(self.texts).toarray(), X.toarray())

    def test_new_texts_use_the_detected_language(self) -> None:
        vectorizer = TextVectorizer(language="auto", stem=True, weighting="counts").fit(self.texts)
        assert vectorizer.transform(["the Häusern of my neighbor are empty"]).sum() == 1

    def test_all_texts_of_a_long_stream_are_counted(self) -> None:
        stream = (f"{self.texts[0]} wort{number}" for number in range(2_500))
        vectorizer = TextVectorizer(language="auto", min_df=1)
        assert vectorizer.fit_transform(stream).shape[0] == 2_500
        assert "wort2499" in vectorizer.terms_

    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            ("one text", "single text .* list of texts"),
            ([], "No documents"),
            (iter(()), "No documents"),
            (pd.DataFrame({"text": texts}), "table .* list of texts"),
            (["", "12"], "no text contains a letter.*name the language"),
            (["ein Wort", None], r"Text 1 \(counted from 0\) is None"),
        ],
        ids=["text", "none", "empty stream", "table", "digits", "missing"],
    )
    def test_wrong_texts(self, texts: Any, message: str) -> None:
        vectorizer = TextVectorizer(language="auto")
        with pytest.raises(ValueError, match=message):
            vectorizer.fit(texts)
        with pytest.raises(NotFittedError):
            check_is_fitted(vectorizer)


def test_a_long_document() -> None:
    text = "kettle boils " * 800_000  # 10 MB
    X = TextVectorizer(weighting="counts").fit_transform([text, "kettle"])
    assert X.toarray().tolist() == [[800_000, 800_000], [0, 1]]


@pytest.mark.parametrize(("setting", "n_texts"), [("never", 1_000), ("always", 30_000)])
def test_texts_of_a_stream_are_not_stored(
    monkeypatch: pytest.MonkeyPatch, setting: str, n_texts: int
) -> None:
    # The compiled way has some blocks of texts in memory.
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    TextVectorizer(min_df=1).fit(["compile first"])
    size = 7_000

    def stream() -> Iterator[str]:
        for number in range(n_texts):
            yield f"word{number % 50} " * (size // 7)

    tracemalloc.start()
    try:
        X = TextVectorizer(min_df=1).fit_transform(stream())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert X.shape == (n_texts, 50)
    assert peak < size * n_texts / 10
