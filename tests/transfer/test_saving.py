"""A fitted Transfer is saved to a file and loaded again."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier

import isthmus
from isthmus import ModelFileError, MTrick, TextVectorizer, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.text.weighting import WEIGHTINGS

CORPUS = make_corpus(n_source=80, n_target=60, classes=("positive", "negative", "question"))
QUICK = MTrick(max_iter=20, tol=0)
NEW = [*CORPUS.target_texts[:20], "Sturdy, but is it loud?", "", "zzz"]


def fitted(method: Any = QUICK, **parameters: Any) -> Transfer:
    model = Transfer(method, **parameters)
    return model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


@cache
def quick_model() -> Transfer:
    """A fitted model; tests must not change it."""
    return fitted()


# The contract tests store the model of every method; this is about the rest of the file.
@pytest.mark.parametrize("method", ["mtrick", "dkt", "scl", "self-training", "lg"])
def test_the_same_predictions_after_a_round_trip(method: str, tmp_path: Path) -> None:
    model = fitted(method)
    model.save(tmp_path / "m.isthmus")
    back = load(tmp_path / "m.isthmus")
    np.testing.assert_array_equal(back.predict_proba(NEW), model.predict_proba(NEW))
    assert (back.predict(NEW) == model.predict(NEW)).all()
    assert back.predict(NEW).dtype == model.predict(NEW).dtype
    assert back.top_words() == model.top_words()
    assert (back.label(NEW).source_only == model.label(NEW).source_only).all()
    assert back.domains_ == model.domains_
    assert type(back.estimator_) is type(model.estimator_)
    assert back.method.get_params() == model.estimator_.get_params()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_text_settings_are_kept(weighting: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "weighting": weighting,
        "stem": True,
        "ngram_range": (1, 2),
        "stop_words": {"the", "a"},
        "dtype": "float64",
    }
    model = fitted("lg", vectorizer=TextVectorizer(**settings), verdict=False)
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    np.testing.assert_array_equal(back.predict_proba(NEW), model.predict_proba(NEW))
    assert back.vectorizer_.get_params() == {
        **model.vectorizer_.get_params(),
        "stop_words": ["a", "the"],
    }


@pytest.mark.slow
def test_in_a_new_process(tmp_path: Path) -> None:
    model = quick_model()
    model.save(tmp_path / "m")
    (tmp_path / "new.json").write_text(json.dumps(NEW))
    code = (
        "import json, sys, isthmus; model = isthmus.load(sys.argv[1]); "
        "print(json.dumps(model.predict_proba(json.load(open(sys.argv[2]))).tolist()))"
    )
    paths = [str(tmp_path / "m"), str(tmp_path / "new.json")]
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, check=True)
    assert json.loads(done.stdout) == model.predict_proba(NEW).tolist()


def test_numbers_as_classes_and_several_domains(tmp_path: Path) -> None:
    numbers = [["positive", "negative", "question"].index(label) for label in CORPUS.source_labels]
    model = Transfer(QUICK).fit(
        {"books": (CORPUS.source_texts, numbers)},
        target_texts={"k1": CORPUS.target_texts[:30], "k2": CORPUS.target_texts[30:]},
    )
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    assert back.predict(NEW, domain="k2").tolist() == model.predict(NEW, domain="k2").tolist()
    assert back.classes_.tolist() == [0, 1, 2]


def test_neither_texts_nor_labels_are_in_the_file(tmp_path: Path) -> None:
    quick_model().save(tmp_path / "m")
    content = (tmp_path / "m").read_bytes().decode("latin-1")
    assert not any(text[:40] in content for text in CORPUS.source_texts + CORPUS.target_texts)
    with pytest.raises(AttributeError, match=r"labels_ .*model file"):
        _ = load(tmp_path / "m").labels_


def test_a_loaded_model_can_be_fitted_again_and_saved_again(tmp_path: Path) -> None:
    model = quick_model()
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    back.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    back.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    assert (back.labels_ == model.labels_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"vectorizer": TfidfVectorizer()}, "TfidfVectorizer .*TextVectorizer"),
        (
            {"method": MTrick(init_classifier=KNeighborsClassifier(), max_iter=2, tol=0)},
            "parameter init_classifier is KNeighborsClassifier",
        ),
        ({"random_state": np.random.RandomState(0)}, "parameter random_state is RandomState"),
    ],
)
def test_objects_that_are_not_plain_data_are_refused(
    parameters: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        fitted(**parameters).save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "m"
    quick_model().save(path)
    return path.read_bytes()


def changed(whole: bytes, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> bytes:
    """The file with its manifest and arrays changed by someone who knows the format."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    change(manifest, members)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def array_bytes(values: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(values), allow_pickle=False)
    return stream.getvalue()


def edit(*path: Any, to: Any) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        place = manifest
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


def as_array(*path: Any, to: Any) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    """The file with another array in some place."""

    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        members["arrays/other.npy"] = array_bytes(to)
        edit(*path, to={"@array": "other"})(manifest, members)

    return change


def huge_and_empty(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Arrays without an element that claim millions of clusters."""
    members["arrays/kc.npy"] = array_bytes(np.empty((300_000_000, 0), np.float32))
    members["arrays/mk.npy"] = array_bytes(np.empty((0, 300_000_000), np.float32))
    manifest["vectorizer"] |= {"terms": [], "spellings": []}
    model = manifest["estimator"]["model"]
    model["associations"] = {"@array": "kc"}
    model["word_clusters"] = {"@pairs": [[0, {"@array": "mk"}], [-1, {"@array": "mk"}]]}


def method_without_labels(part: str) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        manifest[part] = {**manifest[part], "method": "plsa", "parameters": {}}

    return change


MODEL, DOMAINS = ("estimator", "model"), ("estimator", "domains")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (edit("format", to="other"), "model file of isthmus"),
        (edit("version", to=10**6), "install a newer isthmus"),
        (edit("version", to=1), "again"),
        (edit("version", to=None), "format 'None'"),
        (edit("version", to=True), "format 'True'"),
        (edit("domains", to={"a": 0}), "names of the domains"),
        (edit("domains", to=[1]), "names of the domains"),
        (edit("domains", to={"a": "x", "b": []}), "names of the domains"),
        (edit("vectorizer", to=None), "vectorizer"),
        (edit("vectorizer", "terms", to=["a", "a"]), "vocabulary"),
        (edit("vectorizer", "terms", to=[1]), "words"),
        (edit("vectorizer", "terms", to=["\x1b[31m"]), "words"),
        (edit("vectorizer", "spellings", to=[]), "spelling"),
        (edit("vectorizer", "weights", to=None), "weights"),
        (edit("vectorizer", "weights", to="x"), "weights"),
        (edit("vectorizer", "settings", to={"evil": 1}), "text settings"),
        (edit("vectorizer", "settings", to=[]), "text settings"),
        (edit("vectorizer", "settings", "language", to="xx"), "language 'xx'"),
        (edit("vectorizer", "settings", "ngram_range", to=7), "text settings"),
        (edit("vectorizer", "settings", "ngram_range", to=[1, 10**12]), "text settings"),
        (edit("vectorizer", "settings", "stem", to="yes"), "stem='yes'"),
        (edit("vectorizer", "settings", "min_df", to={}), "text settings"),
        (edit("estimator", "method", to="os.system"), "'os.system'"),
        (edit("estimator", "method", to=["lg"]), "classifier"),
        (method_without_labels("estimator"), "'plsa' .*classifier"),
        (method_without_labels("source_only"), "'plsa' .*classifier"),
        (edit("estimator", "parameters", to={"evil": 1}), "parameters that MTrick does not have"),
        (edit("estimator", "parameters", to=None), "parameters that MTrick does not have"),
        (edit("estimator", "parameters", "max_iter", to="x"), "max_iter must be a whole number"),
        (edit("estimator", "parameters", "alpha", to=float("nan")), "NaN"),
        (edit("estimator", "evil", to=1), "method"),
        (edit("estimator", to=None), "method"),
        (edit("estimator", "model", to=[]), "missing"),
        (edit("estimator", "domains", to=[]), "missing"),
        (edit(*MODEL, "associations", to={"@array": "a99"}), "unknown value"),
        (edit(*MODEL, "associations", to={"@float": []}), "unknown value"),
        (edit(*DOMAINS, "classes", to={"@objects": [1]}), "unknown value"),
        (edit(*DOMAINS, "classes", to={"@objects": ["a", "a", "b"]}), "classes"),
        (edit(*DOMAINS, "classes", to={"@objects": ["c", "b", "a"]}), "classes"),
        (as_array(*DOMAINS, "domains", to=np.array([0, 1])), "domain"),
        (as_array(*DOMAINS, "domains", to=np.array([0.0, -1.0])), "domain"),
        (as_array("source_only", "domains", "domains", to=np.array([0, -7])), "domain"),
        (edit("source_only", "domains", "classes", to={"@objects": list("xyz")}), "classes"),
        (edit("source_only", to=None), "method"),
        (huge_and_empty, "vocabulary is empty"),
    ],
)
def test_changed_manifests(
    whole: bytes, change: Callable[..., None], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "m"
    path.write_bytes(changed(whole, change))
    with pytest.raises(ModelFileError, match=words) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_damage_is_noticed_or_harmless(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(whole)
    expected = load(path).predict_proba(NEW)
    generator = np.random.default_rng(0)
    # Both ends hold the tables of the archive.
    places = {*range(60), *range(len(whole) - 400, len(whole))}
    places |= set(generator.integers(len(whole), size=100).tolist())
    for place in sorted(places):
        for damaged in (
            whole[:place],
            whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :],
        ):
            path.write_bytes(damaged)
            try:
                model = load(path)
            except ModelFileError:
                continue
            np.testing.assert_array_equal(model.predict_proba(NEW), expected)


def test_loading_does_not_depend_on_the_name(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "kitchen.bin"
    path.write_bytes(whole)
    assert len(isthmus.load(str(path)).predict(NEW)) == len(NEW)


def test_copies_and_pickles_predict_the_same() -> None:
    model = quick_model()
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert (twin.predict(NEW) == model.predict(NEW)).all()


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (lambda y: [label == "positive" for label in y], bool),
        (lambda y: [1.0 if label == "positive" else 2.0 for label in y], float),
        (lambda y: np.array(y), str),
        (lambda y: pd.Series(y).astype("category"), str),
        (lambda y: pd.Series([*y[:-2], None, None]), str),
    ],
)
def test_kinds_of_labels(labels: Any, kind: type, tmp_path: Path) -> None:
    made = make_corpus(n_source=60, n_target=40)
    model = Transfer("lg").fit(made.source_texts, labels(made.source_labels), made.target_texts)
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    assert back.classes_.tolist() == model.classes_.tolist()
    assert all(isinstance(label, kind) for label in back.classes_.tolist())
    assert (back.predict(NEW) == model.predict(NEW)).all()


def test_half_a_character_in_a_name_is_refused(tmp_path: Path) -> None:
    model = Transfer("lg").fit(
        {"books\udcff": (CORPUS.source_texts, CORPUS.source_labels)},
        target_texts={"kitchen": CORPUS.target_texts},
    )
    with pytest.raises(ValueError, match="names of the domains"):
        model.save(tmp_path / "m")


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe"):
        load(tmp_path / "pipe")


def inside_itself(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Self-training around self-training around ..."""
    for _ in range(10):
        outer = copy.deepcopy(manifest["estimator"])
        outer["parameters"].pop("estimator", None)
        outer["model"]["estimator"] = manifest["estimator"]
        manifest["estimator"] = outer


MEMBER = (*MODEL, "estimator")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (edit(*MEMBER, to=None), "method"),
        (edit(*MEMBER, "method", to="plsa"), "'plsa' .*classifier"),
        (edit(*MEMBER, "domains", "classes", to={"@objects": ["a", "b", "c"]}), "classes"),
        (as_array(*MEMBER, "domains", "domains", to=np.array([0, -7])), "domain"),
        (edit(*MEMBER, "parameters", "C", to=-1), "C must be"),
        (edit("estimator", "parameters", "estimator", to="coda"), "'coda'"),
        (inside_itself, "nested"),
    ],
)
def test_damaged_classifier_inside_another(
    nested: bytes, change: Callable[..., None], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "m"
    path.write_bytes(changed(nested, change))
    with pytest.raises(ModelFileError, match=words):
        load(path)


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("nested") / "m"
    fitted(isthmus.SelfTraining(isthmus.SourceSVM(), n_rounds=1)).save(path)
    return path.read_bytes()
