"""Transfer.explain: weights of words by their removal, with every method and vectorizer."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from common import examples
from isthmus import (
    METHODS,
    BilingualVectorizer,
    CharacterVectorizer,
    TextVectorizer,
    Transfer,
    load,
)
from isthmus.datasets import make_bilingual_corpus, make_corpus
from isthmus.inspection import word_removal
from isthmus.inspection.explanation import Explanation
from isthmus.inspection.word_removal import log_odds, remove_spans
from isthmus.text.text_blocks import TextBlocks
from isthmus.transfer import explaining
from isthmus.transfer.explaining import explain_many

CORPUS = make_corpus(n_source=120, n_target=100)
CLASSIFIERS = [method for method in METHODS.values() if method.kind == "classifier"]
TEXT = "The kettle is sturdy and quick. A Sturdy kettle, but noisy!"


@cache
def fitted(method: str | None = "lg", **vectorizer: Any) -> Transfer:
    """A fitted model; tests must not change it."""
    model = Transfer(method, vectorizer=TextVectorizer(**vectorizer), verdict=False, random_state=0)
    return model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


def weights_of(explanation: Explanation) -> dict[str, tuple[float, ...]]:
    return {word.word: word.weights for word in explanation.words}


def places_of(explanation: Explanation, word: str) -> list[tuple[int, int]]:
    names = [w.word for w in explanation.words]
    return [(start, end) for start, end, number in explanation.spans if names[number] == word]


def scores(model: Transfer, texts: list[str]) -> Any:
    return log_odds(model.predict_proba(texts))


def assert_weights_are_those_of_shorter_texts(model: Transfer, text: str) -> None:
    explanation = model.explain(text)
    assert explanation.words
    for word, weights in weights_of(explanation).items():
        shorter = remove_spans(text, places_of(explanation, word))
        whole, without = scores(model, [text, shorter])
        np.testing.assert_allclose(weights, whole - without, rtol=1e-3, atol=1e-5)


# What the weights are


def test_weights_of_a_linear_rule_are_its_contributions() -> None:
    model = fitted("lg", weighting="counts", stop_words=None)
    explanation = model.explain(TEXT)
    vocabulary, coef = model.vectorizer_.vocabulary_, model.estimator_.coef_.astype(float)
    counts = {"the": 1, "kettle": 2, "is": 1, "sturdy": 2, "and": 1, "quick": 1, "noisy": 1}
    counts = {word: n for word, n in counts.items() if word in vocabulary}
    assert {"kettle", "sturdy", "noisy"} <= {*counts}
    for word, n in counts.items():
        contribution = n * (coef[1] - coef[0])[vocabulary[word]]
        expected = [-contribution, contribution]
        np.testing.assert_allclose(weights_of(explanation)[word], expected, rtol=1e-6, atol=1e-9)
    assert {word.word: word.n_occurrences for word in explanation.words} == counts


@pytest.mark.parametrize("method", ["lg", None], ids=["words", "words and characters"])
def test_weights_are_those_of_the_text_without_the_word(method: str | None) -> None:
    model = fitted(method)
    assert (model.characters_ is not None) == (method is None)
    assert_weights_are_those_of_shorter_texts(model, TEXT)
    for text in CORPUS.target_texts[:3]:
        assert_weights_are_those_of_shorter_texts(model, text)


@pytest.mark.parametrize("weighting", ["tfidf", "column-normalized", "presence"])
def test_weights_with_every_weighting(weighting: str) -> None:
    assert_weights_are_those_of_shorter_texts(fitted("lg", weighting=weighting), TEXT)


def test_the_explanation_is_about_the_prediction() -> None:
    model = fitted(None)
    texts = list(CORPUS.target_texts[:20])
    prediction = model.label(texts)
    for row, explanation in enumerate(explain_many(model, texts)):
        assert explanation.text == texts[row]
        assert explanation.domain == "target"
        assert explanation.label == prediction.labels[row]
        assert explanation.source_only == prediction.source_only[row]
        assert list(explanation.probabilities) == ["negative", "positive"]
        assert list(explanation.probabilities.values()) == prediction.probabilities[row].tolist()
        sizes = [abs(word.weights[1]) for word in explanation.words]
        assert sizes == sorted(sizes, reverse=True)
        np.testing.assert_allclose([sum(w.weights) for w in explanation.words], 0, atol=1e-9)


def test_several_texts_at_once_have_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted(None)
    texts = [*CORPUS.target_texts[:5], "", TEXT]
    one_by_one = [model.explain(text) for text in texts]
    for setting in ("_BLOCK_TEXTS", "_BLOCK_CHARACTERS"):
        monkeypatch.setattr(word_removal, setting, 100)
        monkeypatch.setattr(explaining, "_BLOCK_DOCUMENTS", 3)
        for expected, explanation in zip(one_by_one, explain_many(model, texts), strict=True):
            assert explanation.spans == expected.spans
            weights = weights_of(explanation)
            assert list(weights) == list(weights_of(expected))
            for word, weight in weights_of(expected).items():
                np.testing.assert_allclose(weights[word], weight, atol=1e-9)


def test_given_labels_are_explained() -> None:
    model = fitted()
    texts = [TEXT, *CORPUS.target_texts[:2]]
    explanations = explain_many(model, iter(texts), "target", ["negative", "positive", "negative"])
    assert [e.label for e in explanations] == ["negative", "positive", "negative"]
    assert explain_many(model, []) == []
    with pytest.raises(ValueError, match="There are 3 texts but 1 labels: give one label per"):
        explain_many(model, texts, labels=["negative"])
    with pytest.raises(ValueError, match="labels has 'neutral', which is not a class: classes are"):
        explain_many(model, texts[:1], labels=["neutral"])


# Methods


@pytest.mark.ends_early
@pytest.mark.doubtful
@pytest.mark.parametrize("method", CLASSIFIERS, ids=lambda method: method.name)
def test_every_method_has_weights(method: Any) -> None:
    corpus = make_corpus(n_source=80, n_target=60)  # few documents, so that it is quick
    model = Transfer(method.name, verdict=False)
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    explanations = explain_many(model, corpus.target_texts[:10])
    weights = [word.weights[0] for e in explanations for word in e.words]
    assert np.isfinite(weights).all()
    n_flat = sum("No single word" in e.note for e in explanations)
    # SC predicts the label of the nearest document, with probability 1.
    assert n_flat == 0 or method.name == "sc"
    assert np.ptp(weights) > 0 or method.name == "sc"


@pytest.mark.ends_early
@pytest.mark.doubtful
@pytest.mark.parametrize("method", [None, "mtrick", "cdsc", "cocc", "sfa", "sgt", "lg"])
def test_removing_the_top_words_lowers_the_score_most(method: str | None) -> None:
    model = fitted(method)
    generator = np.random.default_rng(0)
    falls = []
    for explanation in explain_many(model, CORPUS.target_texts[:30]):
        text, place = explanation.text, explanation.classes.index(explanation.label)
        top = [word for word, _ in explanation.top_words(n_words=3).supporting]
        others = [word.word for word in explanation.words if word.word not in top]
        drawn = [generator.choice(others, len(top), replace=False) for _ in range(5)]
        shorter = [
            remove_spans(text, sorted(p for word in words for p in places_of(explanation, word)))
            for words in (top, *drawn)
        ]
        whole, *without = scores(model, [text, *shorter])[:, place]
        falls.append((whole - without[0], whole - np.mean(without[1:])))
    of_top, of_others = np.mean(falls, axis=0)
    assert of_top > 0
    assert of_top > 2 * of_others
    assert np.mean([top > other for top, other in falls]) > 0.95


def test_saturated_probabilities_have_weights() -> None:
    model = fitted("lg", weighting="counts")
    coef = model.estimator_.coef_[1]
    strong = [model.vectorizer_.terms_[column] for column in np.argsort(-coef)[:10]]
    explanation = model.explain(" ".join(strong * 20))
    assert max(explanation.probabilities.values()) == 1.0
    assert min(abs(word.weights[1]) for word in explanation.words) > 0.5


def test_three_classes_and_numbers_as_labels() -> None:
    texts = ["red apple", "red cherry", "green pear", "green lime", "blue sky", "blue sea"] * 4
    target = ["red berry", "green leaf", "blue ink"] * 8
    model = Transfer("lg", verdict=False).fit(texts, [1, 1, 2, 2, 3, 3] * 4, target)
    explanation = model.explain("green sky green berry")
    assert explanation.label == 2
    assert list(explanation.probabilities) == [1, 2, 3]
    assert [word for word, _ in explanation.top_words(3).supporting] == ["sky"]
    assert explanation.top_words(3).opposing[0][0] == "green"
    assert "for 3: sky" in str(explanation)


def test_one_known_word_and_none() -> None:
    model = fitted(None)
    explanation = model.explain("zzz Sturdy qqq")
    assert [word.word for word in explanation.words] == ["sturdy"]
    assert explanation.text[slice(*explanation.spans[0][:2])] == "Sturdy"
    for text in ("zzz qqq", "", " ", "the"):
        explanation = model.explain(text)
        assert explanation.words == explanation.spans == []
        assert explanation.note.startswith("The text has no word that the model knows")


def test_unknown_words_count_by_their_characters() -> None:
    model = fitted(None)
    text = "Sturdiness and zzz"
    assert "sturdiness" not in model.vectorizer_.vocabulary_
    explanation = model.explain(text)
    assert [word.word for word in explanation.words] == ["sturdiness"]
    assert explanation.top_words("positive").supporting
    assert_weights_are_those_of_shorter_texts(model, text)
    assert fitted("lg").explain(text).words == []


def test_loaded_models_explain(tmp_path: Path) -> None:
    for method in (None, "mtrick"):
        model = fitted(method)
        model.save(tmp_path / "model.isthmus")
        expected, explanation = model.explain(TEXT), load(tmp_path / "model.isthmus").explain(TEXT)
        assert explanation.spans == expected.spans
        for word, weight in weights_of(expected).items():
            np.testing.assert_allclose(weights_of(explanation)[word], weight, atol=1e-6)


# Texts


def test_spellings_of_a_stem_are_one_word() -> None:
    model = fitted("lg", stem=True)
    text = "Kettles boil. A kettle, kettles!"
    explanation = model.explain(text)
    assert places_of(explanation, "kettles") == [(0, 7), (16, 22), (24, 31)]
    (word,) = [word for word in explanation.words if word.word == "kettles"]
    assert word.n_occurrences == 3
    assert_weights_are_those_of_shorter_texts(model, text)


def test_a_word_takes_its_ngrams_with_it() -> None:
    model = fitted("lg", ngram_range=(1, 2), weighting="counts", stop_words=None)
    explanation = model.explain("the kettle is sturdy")
    vocabulary, coef = model.vectorizer_.vocabulary_, model.estimator_.coef_.astype(float)
    assert "is sturdy" in vocabulary
    assert {word.word for word in explanation.words} == {"the", "kettle", "is", "sturdy"}
    columns = [vocabulary[term] for term in ("sturdy", "is sturdy")]
    expected = (coef - coef.mean(axis=0))[:, columns].sum(axis=1)
    np.testing.assert_allclose(weights_of(explanation)["sturdy"], expected, rtol=1e-6)
    pairs = fitted("lg", ngram_range=(2, 2)).explain("sturdy")
    assert pairs.words == []


def test_html_pages() -> None:
    page = '<p class="sturdy">A <b>sturdy</b> k&#101;ttle &lt; noisy<script>noisy</script>'
    for method in ("lg", None):
        explanation = fitted(method, html=True).explain(page)
        plain = fitted(method).explain("A  sturdy  kettle < noisy")
        assert weights_of(explanation).keys() == {"sturdy", "kettle", "noisy"}
        for word, weights in weights_of(plain).items():
            np.testing.assert_allclose(weights_of(explanation)[word], weights, atol=1e-5)
        marked = [page[start:end] for start, end, _ in explanation.spans]
        assert marked == ["sturdy", "noisy"]
        assert explanation.spans[0].start == page.index("sturdy</b>")


@pytest.mark.parametrize("language", ["chinese", "japanese", "thai"])
def test_unspaced_languages(language: str) -> None:
    good, bad = {
        "chinese": ("这本书很好看", "这本书很难看"),
        "japanese": ("この本はとても面白い", "この本はとても退屈だ"),
        "thai": ("หนังสือดีมาก", "หนังสือแย่มาก"),
    }[language]
    model = Transfer(vectorizer=TextVectorizer(language=language), verdict=False, method="lg")
    model.fit([good, bad] * 15, ["good", "bad"] * 15, [good + "。", bad + "。"] * 15)
    assert model.characters_ is None
    text = f"《{good}》"
    explanation = model.explain(text)
    assert explanation.label == "good"
    top = explanation.top_words("good").supporting
    assert top[0][0] in good
    assert top[0][0] not in bad
    assert explanation.spans
    ends = [0, *(span.end for span in explanation.spans)]
    for end, (start, stop, number) in zip(ends, explanation.spans, strict=False):
        assert end <= start < stop
        assert text[start:stop] == explanation.words[number].word


def test_overlapping_ngrams_mark_the_stronger_one() -> None:
    model = Transfer("lg", vectorizer=TextVectorizer(language="zh"), verdict=False)
    model.fit(["很好看", "很难看"] * 15, ["good", "bad"] * 15, ["很好看", "很难看"] * 15)
    explanation = model.explain("我好看")
    assert weights_of(explanation).keys() == {"好看"}
    explanation = model.explain("很好看")
    names = [explanation.words[span.word].word for span in explanation.spans]
    assert names == [explanation.words[0].word]


def test_two_languages() -> None:
    corpus = make_bilingual_corpus(n_source=100, n_target=100)
    vectorizer = BilingualVectorizer("en", "de", corpus.dictionary)
    model = Transfer("lg", vectorizer=vectorizer, verdict=False)
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    for text in corpus.target_texts[:3]:
        assert_weights_are_those_of_shorter_texts(model, text)
    text = corpus.source_texts[0]
    explanation = model.explain(text, "source")
    assert explanation.domain == "source"
    word, *_ = weights_of(explanation)
    shorter = remove_spans(text, places_of(explanation, word))
    whole, without = log_odds(model.predict_proba([text, shorter], "source"))
    np.testing.assert_allclose(weights_of(explanation)[word], whole - without, atol=1e-5)


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(ngram_range=(1, 2)),
        TfidfVectorizer(stop_words="english"),
        HashingVectorizer(n_features=2**12, alternate_sign=False),
    ],
    ids=lambda vectorizer: type(vectorizer).__name__,
)
def test_vectorizers_of_scikit_learn(vectorizer: Any) -> None:
    model = Transfer("lg", vectorizer=vectorizer, verdict=False)
    model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    assert_weights_are_those_of_shorter_texts(model, TEXT)
    explanation = model.explain(TEXT)
    words = {word.word for word in explanation.words}
    assert {"kettle", "sturdy"} <= words
    if isinstance(vectorizer, TfidfVectorizer):  # others know all words, or pairs of neighbors
        assert words <= {*model.vectorizer_.vocabulary_}
    assert model.explain("").words == []
    long_text = " ".join(f"{word} {word}x" for word in ("kettle", "sturdy", "noisy"))
    long_text += " ".join(f" w{i}" for i in range(400))
    kept = {word.word for word in model.explain(long_text).words}
    assert {"kettle", "sturdy", "noisy"} <= kept


@examples(50)
@given(st.text(st.one_of(st.characters(), st.sampled_from("sturdykettle İΣ\u0301\u0307,<&;>"))))
def test_random_texts_are_explained(text: str) -> None:
    for model in (fitted(None), fitted("lg", html=True, stem=True)):
        explanation = model.explain(f"{text}Sturdy{text} kettle{text}")
        end_of_last = 0
        for start, end, number in explanation.spans:
            assert end_of_last <= start < end <= len(explanation.text)
            assert 0 <= number < len(explanation.words)
            end_of_last = end


# Long texts


def test_a_long_text_takes_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    words = " ".join(CORPUS.target_texts).split()
    text = " ".join(generator.choice(words, 100_000))
    assert len(text) > 500_000
    model = fitted(None)
    counted, transform = [], CharacterVectorizer.transform

    def count(self: CharacterVectorizer, texts: Iterable[str] | TextBlocks) -> Any:
        single = [text for block in TextBlocks.of(texts) for text in block]
        counted.append([len(text) for text in single])
        return transform(self, single)

    monkeypatch.setattr(CharacterVectorizer, "transform", count)
    explanation = model.explain(text)
    assert 20 <= len(explanation.words) < 300
    assert len(explanation.words) <= sum(map(len, counted)) <= len(explanation.words) + 2
    assert sum(map(sum, counted)) < 32_000_000
    assert max(map(len, counted)) <= 50
    assert explanation.n_left_out > 0
    assert "were left out" in str(explanation)
    start, end, number = explanation.spans[-1]
    assert text[start:end].lower() == explanation.words[number].word


def test_the_words_of_a_long_text_are_those_with_the_largest_tfidf(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(word_removal, "MAX_WORDS", 50)
    model = fitted("lg")
    vocabulary = model.vectorizer_.terms_
    explanation = model.explain(" ".join(vocabulary))
    assert len(explanation.words) == 50
    assert explanation.n_left_out == len(vocabulary) - 50
    idf = dict(zip(vocabulary, model.vectorizer_.weights_, strict=True))
    chosen = {word.word for word in explanation.words}
    left_out = [idf[word] for word in vocabulary if word not in chosen]
    assert min(idf[word] for word in chosen) >= max(left_out)


# Errors


def test_wrong_input() -> None:
    with pytest.raises(NotFittedError):
        Transfer().explain("a text")
    model = fitted()
    with pytest.raises(ValueError, match=r"text is of type list, but one document is explained at"):
        model.explain(["a text"])
    with pytest.raises(ValueError, match=r"text is of type NoneType"):
        model.explain(None)
    with pytest.raises(ValueError, match=r"no domain 'kitchen': the fitted domains are 'source'"):
        model.explain("a text", "kitchen")
    with pytest.raises(ValueError, match=r"A single text was given"):
        explain_many(model, "a text")
    with pytest.raises(ValueError, match=r"Text 1 \(counted from 0\) is 3 of type int"):
        explain_many(model, ["a text", 3])


def test_several_targets_need_a_domain() -> None:
    targets = {"first": CORPUS.target_texts[:50], "second": CORPUS.target_texts[50:]}
    model = Transfer("lg", verdict=False).fit(CORPUS.source_texts, CORPUS.source_labels, targets)
    with pytest.raises(ValueError, match="Several targets were fitted: pass domain, one of"):
        model.explain(TEXT)
    assert model.explain(TEXT, "second").domain == "second"


# The words of a clear document support its label


@pytest.mark.doubtful
@pytest.mark.ends_early
@pytest.mark.parametrize("method", ["auto", "mtrick", "mtrick0", "dkt", "cocc", "lssttc", "sfa"])
def test_the_words_of_clear_documents_support_their_labels(method: str) -> None:
    generator = np.random.default_rng(0)
    topics = [[f"topic{code}word{i}" for i in range(25)] for code in range(5)]
    common = [f"common{i}" for i in range(60)]

    def text(code: int) -> str:
        return " ".join([*generator.choice(topics[code], 6), *generator.choice(common, 6)])

    codes = [row % 5 for row in range(150)]
    model = Transfer(method, verdict=False, random_state=0)
    texts = [text(code) for code in codes]
    model.fit([text(code) for code in codes], [f"class {code}" for code in codes], texts)
    for code, explanation in zip(codes, explain_many(model, texts[:40]), strict=False):
        assert explanation.label == f"class {code}"
        place = explanation.classes.index(explanation.label)
        weights = {word.word: word.weights[place] for word in explanation.words}
        own = [weight for word, weight in weights.items() if word.startswith(f"topic{code}")]
        others = [w for word, w in weights.items() if word.startswith("common")]
        assert np.median(own) > max(0, np.median(others))
