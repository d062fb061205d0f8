"""BilingualVectorizer: texts of two languages to one matrix."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from bilingual import SOURCE, TARGET, WORDS, fitted, make
from isthmus import DKT, BilingualDictionary, BilingualVectorizer
from isthmus.text.weighting import WEIGHTINGS

with warnings.catch_warnings():
    # scikit-learn skips its checks for transformers of texts.
    warnings.simplefilter("ignore", SkipTestWarning)
    SCIKIT_LEARN_CHECKS = parametrize_with_checks([BilingualVectorizer()])


def row(vectorizer: BilingualVectorizer, text: str, *, target: bool) -> dict[str, float]:
    """Return the terms of a text with their weights."""
    values = vectorizer.transform_domain([text], target=target).toarray()[0]
    return {vectorizer.terms_[column]: values[column].item() for column in np.flatnonzero(values)}


def test_terms_and_counts() -> None:
    vectorizer = make(weighting="counts")
    X = vectorizer.fit_transform_domains(SOURCE, TARGET)
    assert vectorizer.terms_ == [
        *("about", "book", "das", "fine", "good", "hotel", "hotels", "ist", "oper", "opern"),
        *("song", "the", "was"),
    ]
    assert vectorizer.get_feature_names_out().tolist() == vectorizer.terms_
    assert X.shape == (6, 13)
    assert vectorizer.joint_vocabulary_.target.shape == (len(vectorizer.target_.terms_), 13)
    assert row(vectorizer, "gute Bücher!", target=True) == {"book": 1, "fine": 0.5, "good": 0.5}
    assert vectorizer.coverage_.n_pairs == 4
    assert sum(vectorizer.coverage_.tokens.values()) == 10


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("domains", [[0, 0, 0, -1, -1, -1], [-1, 0, -2, 1, 0, -1]], ids=str)
def test_rows_in_any_order(weighting: str, dtype: str, domains: list[int]) -> None:
    iterators = {False: iter(SOURCE), True: iter(TARGET)}
    texts = [next(iterators[domain < 0]) for domain in domains]
    vectorizer = make(weighting=weighting, dtype=dtype)
    X = vectorizer.fit_transform(texts, sample_domain=domains)
    separate = make(weighting=weighting, dtype=dtype).fit_transform_domains(SOURCE, TARGET)
    assert X.dtype == separate.dtype == dtype
    assert X.format == separate.format == "csr"
    expected = separate.toarray()
    is_target = np.array(domains) < 0
    np.testing.assert_array_equal(X.toarray()[~is_target], expected[:3])
    np.testing.assert_array_equal(X.toarray()[is_target], expected[3:])
    mixed = vectorizer.transform(texts, sample_domain=domains)
    assert mixed.dtype == dtype
    assert mixed.has_sorted_indices
    np.testing.assert_array_equal(mixed.toarray(), X.toarray())
    np.testing.assert_array_equal(vectorizer.transform(TARGET).toarray(), expected[3:])
    np.testing.assert_array_equal(
        vectorizer.transform(SOURCE, sample_domain=[0, 2, 1]).toarray(), expected[:3]
    )
    for number, text in enumerate(TARGET):
        alone = vectorizer.transform([text], sample_domain=[-1]).toarray()
        np.testing.assert_array_equal(alone, expected[3 + number : 4 + number])


TEXTS = st.lists(
    st.sampled_from(
        ["buch", "Bücher", "gut", "book", "good", "fine", "song", "lied", "zug", "hotel"]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@pytest.mark.filterwarnings("ignore:The dictionary translates only")
@given(st.lists(TEXTS, min_size=1, max_size=6), st.lists(TEXTS, min_size=1, max_size=6))
def test_row_sums_are_the_numbers_of_words(source: list[str], target: list[str]) -> None:
    X = make(weighting="counts", dtype="float64").fit_transform_domains(source, target)
    lengths = [len(text.split()) for text in [*source, *target]]
    np.testing.assert_allclose(np.asarray(X.sum(axis=1)).ravel(), lengths)
    weighted = make().fit_transform_domains(source, target)
    assert (weighted.data > 0).all()
    np.testing.assert_allclose(weighted.multiply(weighted).sum(axis=1), 1, rtol=1e-5)


def test_streams_are_read_once() -> None:
    def stream(texts: list[str]) -> Iterator[str]:
        yield from texts

    X = make().fit_transform_domains(stream(SOURCE), stream(TARGET))
    np.testing.assert_array_equal(
        X.toarray(), make().fit_transform_domains(SOURCE, TARGET).toarray()
    )
    domains = [0, 0, 0, -1, -1, -1]
    again = make().fit_transform(stream([*SOURCE, *TARGET]), sample_domain=domains)
    np.testing.assert_array_equal(again.toarray(), X.toarray())
    assert fitted().transform(stream(TARGET)).shape[0] == 3


@pytest.mark.parametrize("container", [tuple, pd.Series, np.array])
def test_any_list_of_texts(container: Callable[[Any], Any]) -> None:
    domains = container([0, 0, 0, -1, -1, -1])
    X = make().fit_transform(container([*SOURCE, *TARGET]), sample_domain=domains)
    assert X.shape[0] == 6


def test_document_frequency_limits_apply_per_language() -> None:
    source = [f"all word{number % 10}" for number in range(40)]
    target = [f"alle wort{number % 3}" for number in range(9)]
    vectorizer = BilingualVectorizer("en", "de")
    vectorizer.fit_transform_domains(source, target)
    assert "all" not in vectorizer.terms_  # in more than half of the documents
    assert "alle" in vectorizer.terms_  # all terms are kept for few documents
    limited = BilingualVectorizer("en", "de", max_terms=2, max_df=1.0)
    limited.fit_transform_domains(source, target)
    assert limited.terms_ == ["all", "alle", "word0", "wort0"]


class TestPhrases:
    source, target = ("the world bank lends",), ("am New Yorker Hof", "die Weltbank")
    words: ClassVar = {"Weltbank": "World Bank", "New Yorker": "bank lends"}

    def fitted(self, ngram_range: tuple[int, int]) -> BilingualVectorizer:
        vectorizer = BilingualVectorizer(
            "en", "de", self.words, ngram_range=ngram_range, weighting="counts"
        )
        vectorizer.fit_transform_domains(self.source, self.target)
        return vectorizer

    @pytest.mark.parametrize("ngram_range", [(1, 2), (1, 3)])
    def test_words_and_ngrams(self, ngram_range: tuple[int, int]) -> None:
        vectorizer = self.fitted(ngram_range)
        assert row(vectorizer, "Weltbank", target=True) == {"world bank": 1}
        weights = row(vectorizer, "New Yorker", target=True)
        assert weights == {"bank lends": 1, "new": 1, "yorker": 1}

    def test_ngrams_only(self) -> None:
        weights = row(self.fitted((2, 2)), "am New Yorker", target=True)
        assert weights == {"am new": 1, "bank lends": 1}

    def test_words_of_a_phrase_share_its_count(self) -> None:
        weights = row(self.fitted((1, 1)), "Weltbank, New Yorker", target=True)
        assert weights == {"bank": 0.5, "new": 1, "world": 0.5, "yorker": 1}


class TestStems:
    def test_stems_of_both_languages(self) -> None:
        vectorizer = fitted(stem=True, weighting="counts")
        assert "hotels" not in vectorizer.terms_
        assert row(vectorizer, "Büchern", target=True) == {"book": 1}
        assert row(vectorizer, "hotels", target=False) == {"hotel": 1}

    def test_most_frequent_spellings(self) -> None:
        vectorizer = BilingualVectorizer("en", "de", {"Haus": "house"}, stem=True)
        vectorizer.fit_transform_domains(["houses stories"], ["Häuser, Häuser und Lampen"])
        assert vectorizer.terms_ == ["hous", "lamp", "stori", "und"]
        assert vectorizer.spellings_of(target=False) == ["houses", "lampen", "stories", "und"]
        assert vectorizer.spellings_of(target=True) == [
            "häuser (houses)",
            "lampen",
            "stories",
            "und",
        ]


def test_spellings() -> None:
    vectorizer = fitted()
    of_source, of_target = (vectorizer.spellings_of(target=target) for target in (False, True))
    assert of_source == vectorizer.terms_
    named = dict(zip(vectorizer.terms_, of_target, strict=True))
    assert named["good"] == "gute (good)"  # twice, "gut" once
    assert named["hotel"] == "hotel"  # identical in both
    assert named["oper"] == "oper"  # target only
    assert named["song"] == "song"  # source only


def test_html_is_stripped_from_texts_only() -> None:
    pytest.importorskip("selectolax", reason="html=True needs the extra 'html'")
    vectorizer = make(html=True, weighting="counts")
    vectorizer.fit_transform_domains(["<p>a good book</p>"], ["<b>Buch</b> gut"])
    assert vectorizer.terms_ == ["book", "good"]


class TestDictionaries:
    def test_several_types_of_dictionaries(self, tmp_path: Path) -> None:
        path = tmp_path / "words.tsv"
        path.write_text("en\tde\nbook\tBuch\n", encoding="utf-8")
        dictionary = BilingualDictionary((("Oper", "song"),), ("de", "en"))
        dictionaries = [path, {"gut": "good"}, dictionary]
        vectorizer = BilingualVectorizer("en", "de", dictionaries, weighting="counts")
        vectorizer.fit_transform_domains(SOURCE, TARGET)
        assert row(vectorizer, "Buch gut Oper", target=True) == {"book": 1, "good": 1, "song": 1}
        assert row(fitted(weighting="counts"), "Oper", target=True) == {"oper": 1}

    @pytest.mark.parametrize("empty", [None, {}, []], ids=repr)
    def test_without_dictionary_identical_strings_are_shared(self, empty: Any) -> None:
        vectorizer = BilingualVectorizer("en", "de", empty)
        vectorizer.fit_transform_domains(SOURCE, TARGET)
        assert vectorizer.coverage_.words == {"translated": 0, "shared": 1, "unknown": 8}
        assert vectorizer.coverage_.n_pairs == 0

    def test_arguments_are_not_modified(self) -> None:
        words, texts, domains = copy.deepcopy(WORDS), [*SOURCE, *TARGET], [0, 0, 0, -1, -1, -1]
        vectorizer = BilingualVectorizer("en", "de", words)
        vectorizer.fit(texts, sample_domain=domains)
        vectorizer.transform(texts, sample_domain=domains)
        assert words == WORDS
        assert vectorizer.dictionary is words
        assert texts == [*SOURCE, *TARGET]
        assert domains == [0, 0, 0, -1, -1, -1]


class TestScikitLearn:
    @SCIKIT_LEARN_CHECKS
    def test_checks(self, estimator: Any, check: Any) -> None:
        check(estimator)

    def test_parameters(self) -> None:
        vectorizer = make(stem=True)
        copied = clone(vectorizer)
        assert copied.get_params() == vectorizer.get_params()
        copied.set_params(target_language="fr", dictionary=None)
        assert (copied.target_language, copied.dictionary) == ("fr", None)
        assert vectorizer.target_language == "de"
        again = clone(fitted())
        with pytest.raises(NotFittedError):
            check_is_fitted(again)

    def test_pipeline(self) -> None:
        good, bad = ("a good book", "fine fine book"), ("an ugly train", "the ugly late train")
        texts = [*good, *bad, "gutes Buch", "hässlicher Zug", "gute Bücher", "Züge, hässlich"]
        words = {**WORDS, "Zug": "train", "hässlich": "ugly"}
        labels = np.array([1, 1, 0, 0, -1, -1, -1, -1])
        domains = np.array([0, 0, 0, 0, -1, -1, -1, -1])
        with sklearn.config_context(enable_metadata_routing=True):
            pipeline = make_pipeline(BilingualVectorizer("en", "de", words), DKT(random_state=0))
            pipeline.fit(texts, labels, sample_domain=domains)
            assert pipeline.predict(["ein gutes Buch", "ein Zug"]).tolist() == [1, 0]
            source = pipeline.predict(["a good book", "a train"], sample_domain=[0, 0])
        assert source.tolist() == [1, 0]
        assert pipeline[-1].transduction_[4:].tolist() == [1, 0, 1, 0]


class TestDetection:
    source = ("This is a good book about the sea and the weather.",) * 3
    target = ("Das ist ein gutes Buch über das Meer und das Wetter.",) * 3

    @pytest.fixture(autouse=True)
    def identifier(self) -> None:
        pytest.importorskip("py3langid", reason="detection needs the extra 'detect'")

    def test_both_languages(self) -> None:
        vectorizer = BilingualVectorizer("auto", "auto", WORDS, weighting="counts")
        X = vectorizer.fit_transform_domains(iter(self.source), iter(self.target))
        assert (vectorizer.source_.language_, vectorizer.target_.language_) == ("english", "german")
        named = BilingualVectorizer("english", "german", WORDS, weighting="counts")
        expected = named.fit_transform_domains(self.source, self.target)
        np.testing.assert_array_equal(X.toarray(), expected.toarray())

    def test_a_dictionary_of_other_languages(self) -> None:
        dictionary = BilingualDictionary((("livre", "book"),), ("fr", "en"))
        vectorizer = BilingualVectorizer("auto", "auto", dictionary)
        with pytest.raises(ValueError, match=r"fr and en, .* source is en and the target de"):
            vectorizer.fit_transform_domains(self.source, self.target)

    def test_undetectable_language(self) -> None:
        vectorizer = BilingualVectorizer("en", "auto")
        with pytest.raises(ValueError, match=r"^The target texts: .* no text contains a letter"):
            vectorizer.fit_transform_domains(self.source, ["12 34"])
        with pytest.raises(ValueError, match=r"^The target texts: No documents"):
            vectorizer.fit_transform_domains(self.source, [])


def test_japanese() -> None:
    for module in ("fugashi", "unidic_lite"):
        pytest.importorskip(module, reason="Japanese needs the extra 'japanese'")
    words = {"book": "本", "to read": "読む"}
    vectorizer = BilingualVectorizer("en", "ja", words, weighting="counts")
    vectorizer.fit_transform_domains(["I read to a book"], ["本を読む", "本だ"])
    assert row(vectorizer, "本を読む", target=True)["book"] == 1
    assert row(vectorizer, "読む", target=True) == {"read": 1.0}


def test_chinese() -> None:
    words = {"book": "书", "to like": "喜欢"}
    vectorizer = BilingualVectorizer("en", "zh", words, weighting="counts")
    vectorizer.fit_transform_domains(["I like to own a book"], ["喜欢,书", "书"])
    assert row(vectorizer, "喜欢", target=True) == {"like": 1.0}
    assert row(vectorizer, "书", target=True) == {"book": 1}
