"""Models to a file and back."""

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
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier

import isthmus
from isthmus import METHODS, ModelFileError, MTrick, TextVectorizer, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.text.weighting import WEIGHTINGS

CORPUS = make_corpus(n_source=80, n_target=60, classes=("positive", "negative", "question"))
CLASSIFIERS = [method.name for method in METHODS.values() if method.kind == "classifier"]
QUICK = MTrick(max_iter=20, tol=0)
NEW = [*CORPUS.target_texts[:20], "Sturdy, but is it loud?", "", "zzz"]


def fitted(method: Any = QUICK, **parameters: Any) -> Transfer:
    model = Transfer(method, **parameters)
    return model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


@pytest.mark.parametrize("method", CLASSIFIERS)
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
    model = fitted("lg", vectorizer=TextVectorizer(**settings))
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    np.testing.assert_array_equal(back.predict_proba(NEW), model.predict_proba(NEW))
    assert back.vectorizer_.get_params() == {
        **model.vectorizer_.get_params(),
        "stop_words": ["a", "the"],
    }


def test_in_a_new_process(tmp_path: Path) -> None:
    model = fitted()
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
    fitted().save(tmp_path / "m")
    content = (tmp_path / "m").read_bytes().decode("latin-1")
    assert not any(text[:40] in content for text in CORPUS.source_texts + CORPUS.target_texts)
    with pytest.raises(AttributeError, match="labels_ is not kept in a model file"):
        _ = load(tmp_path / "m").labels_


def test_a_loaded_model_can_be_fitted_again_and_saved_again(tmp_path: Path) -> None:
    model = fitted()
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    back.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    back.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    assert (back.labels_ == model.labels_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"vectorizer": TfidfVectorizer()}, "TfidfVectorizer may hold functions .*TextVectorizer"),
        (
            {"method": MTrick(init_classifier=KNeighborsClassifier(), max_iter=2, tol=0)},
            "parameter init_classifier is KNeighborsClassifier.* not plain data",
        ),
        ({"random_state": np.random.RandomState(0)}, "parameter random_state is RandomState"),
    ],
)
def test_what_is_no_data_is_refused(
    parameters: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        fitted(**parameters).save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "m"
    fitted().save(path)
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


FITTED = ("estimator", "fitted")


def as_plsa(part: str) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    """The file with a method in it that gives no labels, complete with its arrays."""

    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        n_terms = len(manifest["vectorizer"]["terms"])
        arrays = {
            "domains_": np.array([0, -1]),
            "components_": np.ones((2, n_terms)),
            "word_topics_": np.ones((n_terms, 2)),
            "log_likelihood_": np.ones(3),
        }
        members.update({f"arrays/p{key}.npy": array_bytes(v) for key, v in arrays.items()})
        fitted: dict[str, Any] = {key: {"@array": f"p{key}"} for key in arrays}
        manifest[part] = {"method": "plsa", "parameters": {}, "fitted": {**fitted, "n_iter_": 1}}

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
    fitted = manifest["estimator"]["fitted"]
    fitted["associations_"] = {"@array": "kc"}
    fitted["word_clusters_"] = {"@pairs": [[0, {"@array": "mk"}], [-1, {"@array": "mk"}]]}


def empty_arrays(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    members["arrays/kc.npy"] = array_bytes(np.empty((300_000_000, 0), np.float32))
    manifest["estimator"]["fitted"]["associations_"] = {"@array": "kc"}


FITTED = ("estimator", "fitted")
TWO = {"@objects": ["a", "a", "b"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (edit("format", to="other"), "is no model file of isthmus"),
        (edit("version", to=3), r"format '3' .* reads format 2: install a newer isthmus"),
        (edit("version", to=1), r"format '1' .* reads format 2: write it again"),
        (edit("version", to=None), "format 'None'"),
        (edit("version", to=True), "format 'True'"),
        (edit("domains", to={"a": 0}), "names of the domains do not fit"),
        (edit("domains", to=[1]), "names of the domains do not fit"),
        (edit("domains", to={"a": "x", "b": []}), "names of the domains do not fit"),
        (edit("vectorizer", to=None), "how texts are to be counted"),
        (edit("vectorizer", "terms", to=["a", "a"]), "a term twice"),
        (edit("vectorizer", "terms", to=[1]), "not a list of words"),
        (edit("vectorizer", "terms", to=["\x1b[31m"]), "not a list of words"),
        (edit("vectorizer", "spellings", to=[]), "or without spelling"),
        (edit("vectorizer", "weights", to=None), "needs weights"),
        (edit("vectorizer", "weights", to="x"), "weights do not fit"),
        (edit("vectorizer", "settings", to={"evil": 1}), "text settings are not known here"),
        (edit("vectorizer", "settings", to=[]), "text settings are not known here"),
        (edit("vectorizer", "settings", "language", to="xx"), "Unknown language 'xx'"),
        (edit("vectorizer", "settings", "ngram_range", to=7), "text settings"),
        (edit("vectorizer", "settings", "ngram_range", to=[1, 10**12]), "text settings"),
        (edit("vectorizer", "settings", "stem", to="yes"), "stem='yes' must be True or False"),
        (edit("vectorizer", "settings", "min_df", to={}), "text settings"),
        (edit("estimator", "method", to="os.system"), "'os.system' is no classifier"),
        (as_plsa("estimator"), "'plsa' is no classifier that is known here"),
        (as_plsa("source_only"), "'plsa' is no classifier that is known here"),
        (edit("estimator", "parameters", to={"evil": 1}), "parameters that MTrick does not have"),
        (edit("estimator", "parameters", to=None), "parameters that MTrick does not have"),
        (edit("estimator", "parameters", "max_iter", to="x"), "max_iter must be a whole number"),
        (edit("estimator", "parameters", "alpha", to=float("nan")), "NaN is no JSON"),
        (edit("estimator", "fitted", to={}), "a part of a fitted MTrick is missing"),
        (edit(*FITTED, "predict", to=1), "a part of a fitted MTrick is missing"),
        (edit(*FITTED, "associations_", to=3), "associations_ is not an array of 2 dimensions"),
        (edit(*FITTED, "associations_", to={"@array": "a99"}), "unknown value"),
        (edit(*FITTED, "n_iter_", to={"@float": []}), "unknown value"),
        (edit(*FITTED, "word_clusters_", to={}), "word_clusters_ does not have every domain"),
        (edit(*FITTED, "n_iter_", to="x"), "n_iter_ is not a number"),
        (edit(*FITTED, "classes_", to={"@objects": ["a"]}), "does not fit the rest"),
        (edit(*FITTED, "classes_", to=TWO), "not two or more different ones"),
        (edit(*FITTED, "classes_", to={"@objects": [1]}), "unknown value"),
        (as_array(*FITTED, "associations_", to=-np.ones((3, 3))), "associations_ .* below 0"),
        (as_array(*FITTED, "domains_", to=np.array([0, 1])), "does not have every domain"),
        (as_array("source_only", "fitted", "domains_", to=np.array([0, -7])), "every domain"),
        (edit("source_only", "fitted", "classes_", to={"@objects": list("xyz")}), "same classes"),
        (edit("source_only", to=None), "which method it holds"),
        (huge_and_empty, "vocabulary is empty"),
        (empty_arrays, "associations_ is empty"),
    ],
)
def test_changed_manifests(
    whole: bytes, change: Callable[..., None], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "m"
    path.write_bytes(changed(whole, change))
    with pytest.raises(ModelFileError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_every_array_of_a_wrong_shape_or_kind_is_noticed(whole: bytes, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        names = [name for name in archive.namelist() if name.startswith("arrays/")]
        originals = {name: np.load(io.BytesIO(archive.read(name))) for name in names}
    path = tmp_path / "m"
    for name, values in originals.items():
        wrong = [
            values[None],
            values[..., :0],
            values[:-1] if values.ndim == 2 else values[None, None],
        ]
        if values.dtype.kind == "f":
            wrong.append(np.full_like(values, np.nan))
        for other in wrong:

            def change(
                manifest: dict[str, Any],
                members: dict[str, bytes],
                name: str = name,
                other: Any = other,
            ) -> None:
                members[name] = array_bytes(other)

            path.write_bytes(changed(whole, change))
            try:
                model = load(path)
            except ModelFileError:
                continue
            # A curve of another length is no harm.
            np.testing.assert_array_equal(model.predict_proba(NEW).sum(axis=1).round(4), 1)


def test_damage_is_noticed_or_harmless(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(whole)
    expected = load(path).predict_proba(NEW)
    generator = np.random.default_rng(0)
    # The ends hold the archive's own book-keeping, the most delicate part.
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


def test_copies_and_pickles_are_left_to_python() -> None:
    model = fitted()
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


def test_half_a_character_is_refused_in_words(tmp_path: Path) -> None:
    model = Transfer("lg").fit(
        {"books\udcff": (CORPUS.source_texts, CORPUS.source_labels)},
        target_texts={"kitchen": CORPUS.target_texts},
    )
    with pytest.raises(ValueError, match=r"names of the domains holds .* write it otherwise"):
        model.save(tmp_path / "m")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is a pipe or a device"):
        load(tmp_path / "pipe")


def inside_itself(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Self-training around self-training around ..."""
    for _ in range(10):
        outer = copy.deepcopy(manifest["estimator"])
        outer["parameters"].pop("estimator", None)
        outer["parts"]["estimator_"] = [manifest["estimator"]]
        manifest["estimator"] = outer


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (edit("estimator", "parts", to={}), "a part of a fitted SelfTraining is missing"),
        (edit("estimator", "parts", to=None), "a part of a fitted SelfTraining is missing"),
        (edit("estimator", "parts", "estimator_", to=[]), "a part of a fitted SelfTraining"),
        (edit("estimator", "parts", "estimator_", to=[None]), "which method it holds"),
        (edit("estimator", "parts", "estimator_", 0, "method", to="plsa"), "no classifier"),
        (
            edit("estimator", "parts", "estimator_", 0, "fitted", "classes_", to={"@texts": ["x"]}),
            "does not fit the rest",
        ),
        (
            edit(
                *("estimator", "parts", "estimator_", 0, "fitted", "classes_"),
                to={"@objects": ["a", "b", "c"]},
            ),
            "its classifiers do not have the same classes and domains",
        ),
        (edit("estimator", "evil", to=1), "which method it holds"),
        (edit("estimator", "parameters", "estimator", to="coda"), "'coda' and estimator_ is some"),
        (inside_itself, "methods stand inside methods without end"),
        (edit("source_only", "parts", to={"estimator_": []}), "a part of a fitted SourceLogistic"),
    ],
)
def test_changed_parts(change: Callable[..., None], message: str, tmp_path: Path) -> None:
    path = tmp_path / "m"
    fitted(isthmus.SelfTraining(isthmus.SourceSVM(), n_rounds=1)).save(path)
    path.write_bytes(changed(path.read_bytes(), change))
    with pytest.raises(ModelFileError, match=message):
        load(path)
