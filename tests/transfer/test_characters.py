"""Transfer counts character n-grams for methods that use them."""

from __future__ import annotations

import dataclasses
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from isthmus import (
    CharacterVectorizer,
    ModelFileError,
    SourceLogistic,
    TextVectorizer,
    Transfer,
    load,
)
from isthmus.datasets import make_corpus
from isthmus.estimators.registry import METHODS
from isthmus.text import character_vectorizer
from isthmus.transfer import words

CORPUS = make_corpus(n_source=60, n_target=40)
TEXTS = [*CORPUS.source_texts, *CORPUS.target_texts]
NEW = [*CORPUS.target_texts[:7], "Sturdy, but is it loud?", "", "zzz"]


class TwoViews(SourceLogistic):
    """A classifier that records the second views that it is given."""

    uses_characters = True

    def _read_training_data(
        self, X: Any, y: Any, sample_domain: Any, *, second_view: Any = None, **names: Any
    ) -> Any:
        self.fitted_view = second_view
        return super()._read_training_data(X, y, sample_domain, **names)

    def predict_proba(self, X: Any, sample_domain: Any = None, second_view: Any = None) -> Any:
        self.new_views = [*getattr(self, "new_views", []), second_view]
        return super().predict_proba(X, sample_domain)


@pytest.fixture
def in_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    row = dataclasses.replace(METHODS["lg"], name="two", estimator=f"{__name__}:TwoViews")
    monkeypatch.setitem(METHODS, "two", row)


def fitted(source: Any = CORPUS.source_texts, **settings: Any) -> Transfer:
    model = Transfer(TwoViews(), **settings)
    return model.fit(source, CORPUS.source_labels, CORPUS.target_texts)


def test_words_and_characters_in_one_reading() -> None:
    model = fitted(iter(CORPUS.source_texts))
    expected = CharacterVectorizer().fit_transform(TEXTS)
    assert model.characters_ is not None
    np.testing.assert_array_equal(model.estimator_.fitted_view.toarray(), expected.toarray())
    words_alone = TextVectorizer().fit(TEXTS)
    assert model.vectorizer_.terms_ == words_alone.terms_


def test_new_texts_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted()
    whole = model.label(NEW)
    monkeypatch.setattr(words, "_BLOCK_TEXTS_WITH_CHARACTERS", 4)
    model.estimator_.new_views = []
    blocks = model.label(iter(NEW))
    assert [view.shape[0] for view in model.estimator_.new_views] == [7, 3]
    views = np.vstack([view.toarray() for view in model.estimator_.new_views])
    np.testing.assert_allclose(views, model.characters_.transform(NEW).toarray())
    for field in dataclasses.fields(whole):
        np.testing.assert_array_equal(getattr(blocks, field.name), getattr(whole, field.name))
    with pytest.raises(ValueError, match="Text 5"):
        model.predict([*NEW[:5], 7])
    with pytest.raises(ValueError, match="single text"):
        model.predict("one text")
    with pytest.raises(ValueError, match="No documents"):
        model.predict([])
    model.predict(NEW[:4])  # no empty block at the end
    assert model.estimator_.new_views[-1].shape[0] == 4


def test_the_settings_of_the_vectorizer() -> None:
    model = fitted(vectorizer=TextVectorizer(lowercase=False))
    assert model.characters_.lowercase is False


@pytest.mark.parametrize(
    "vectorizer",
    [TextVectorizer(language="zh"), TextVectorizer(language="thai"), TfidfVectorizer()],
    ids=["chinese", "thai", "scikit-learn"],
)
def test_words_alone(vectorizer: Any) -> None:
    model = fitted(vectorizer=vectorizer)
    assert model.characters_ is None
    assert model.estimator_.fitted_view is None
    model.predict(NEW)
    assert model.estimator_.new_views == [None]


def test_other_methods_get_words_alone() -> None:
    model = Transfer("lg").fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    assert model.characters_ is None


def test_too_many_texts(monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder) -> None:
    monkeypatch.setattr(character_vectorizer, "MAX_DOCUMENTS", 50)
    stages: list[str] = []
    model = Transfer(TwoViews()).fit(
        CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts, announce=stages.append
    )
    assert model.characters_ is None
    assert model.estimator_.fitted_view is None
    assert "Continuing with words alone, without character n-grams" in stages
    assert not [w for w in recwarn if "character" in str(w.message)]
    model.predict(NEW)


@pytest.mark.usefixtures("in_registry")
class TestModelFiles:
    def test_round_trip(self, tmp_path: Path) -> None:
        model = fitted()
        model.save(tmp_path / "m.isthmus")
        back = load(tmp_path / "m.isthmus")
        assert back.characters_.get_params() == model.characters_.get_params()
        np.testing.assert_array_equal(back.predict_proba(NEW), model.predict_proba(NEW))
        for one, other in zip(back.estimator_.new_views, model.estimator_.new_views, strict=True):
            np.testing.assert_array_equal(one.toarray(), other.toarray())

    def test_round_trip_without_characters(self, tmp_path: Path) -> None:
        model = fitted(vectorizer=TextVectorizer(language="zh"))
        model.save(tmp_path / "m.isthmus")
        assert load(tmp_path / "m.isthmus").characters_ is None

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda state: [], "character n-grams are missing"),
            (lambda state: {"terms": ["abc"]}, "character n-grams are missing"),
            (lambda state: {**state, "terms": []}, "no character n-grams"),
            (lambda state: {**state, "terms": [*state["terms"][1:], state["terms"][1]]}, "dup"),
            (lambda state: {**state, "terms": [1]}, "not a list of strings"),
            (lambda state: {**state, "terms": state["terms"][1:]}, "weights do not match"),
            (lambda state: {**state, "terms": ["a\x1b", *state["terms"][1:]]}, "control"),
            (lambda state: {**state, "terms": ["a" * 99, *state["terms"][1:]]}, "longer than 5"),
            (lambda state: {**state, "weights": None}, "weights of the character n-grams"),
            (lambda state: {**state, "settings": {"evil": 1}}, "settings of the character"),
            (lambda state: {**state, "settings": {"ngram_range": 3}}, "ngram_range=3"),
        ],
    )
    def test_damaged_files(self, change: Callable[[Any], Any], words: str, tmp_path: Path) -> None:
        fitted().save(tmp_path / "m.isthmus")
        path = rewrite(tmp_path / "m.isthmus", lambda manifest: {
            **manifest, "characters": change(manifest["characters"])
        })  # fmt: skip
        with pytest.raises(ModelFileError, match=words):
            load(path)

    def test_a_method_without_characters(self, tmp_path: Path) -> None:
        fitted().save(tmp_path / "m.isthmus")

        def change(manifest: dict[str, Any]) -> dict[str, Any]:
            return {**manifest, "estimator": {**manifest["estimator"], "method": "lg"}}

        with pytest.raises(ModelFileError, match="does not use"):
            load(rewrite(tmp_path / "m.isthmus", change))


def rewrite(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """Write a changed copy of a model file."""
    changed = path.with_name("changed.isthmus")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if member == "manifest.json":
                content = json.dumps(change(json.loads(content))).encode()
            new.writestr(member, content)
    return changed


def test_a_stream_is_read_once() -> None:
    n_read = 0

    def stream() -> Iterator[str]:
        nonlocal n_read
        for text in CORPUS.source_texts:
            n_read += 1
            yield text

    fitted(stream())
    assert n_read == len(CORPUS.source_texts)
