"""``Transfer.verdict_``, also from model files, and labels that are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isthmus import SourceLogistic, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.estimators.base.verdict import CHECK_FIRST, DO_NOT_USE, USE
from isthmus.storage.container import ModelFileError, read_container, write_container
from isthmus.transfer.prediction import Prediction
from verdicts import make_verdict, set_verdicts

CORPUS = make_corpus(n_source=60, n_target=50)


def fitted(target: Any = None, labels: Any = None) -> Transfer:
    target = CORPUS.target_texts if target is None else target
    labels = CORPUS.source_labels if labels is None else labels
    return Transfer("lg").fit(CORPUS.source_texts, labels, target)


def test_verdict_of_the_only_target(monkeypatch: pytest.MonkeyPatch) -> None:
    set_verdicts(monkeypatch, CHECK_FIRST)
    model = fitted()
    assert model.verdict_ == make_verdict(CHECK_FIRST)
    assert model.verdicts_ == {"target": model.verdict_}


@pytest.mark.doubtful
def test_verdicts_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    set_verdicts(monkeypatch, USE, DO_NOT_USE)
    parts = {"a": CORPUS.target_texts[:25], "b": CORPUS.target_texts[25:]}
    model = fitted(parts)
    assert model.verdict_ == {"a": make_verdict(USE), "b": make_verdict(DO_NOT_USE)}
    assert fitted({"a": parts["a"]}).verdict_ == {"a": make_verdict(USE)}


def test_methods_without_a_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    set_verdicts(monkeypatch)
    assert fitted().verdict_ is None
    model = fitted({"target": CORPUS.target_texts})
    assert model.verdict_ == {}
    model.save(tmp_path / "m")
    assert load(tmp_path / "m").verdict_ == {}


@pytest.mark.doubtful
@pytest.mark.parametrize("labels", [None, "numbers"])
@pytest.mark.parametrize("as_mapping", [False, True])
def test_model_files_keep_the_verdict(
    as_mapping: bool, labels: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    set_verdicts(monkeypatch, DO_NOT_USE)
    if labels == "numbers":
        labels = [int(label == "positive") for label in CORPUS.source_labels]
    model = fitted({"target": CORPUS.target_texts} if as_mapping else None, labels)
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.verdict_ == model.verdict_
    assert loaded.verdicts_ == model.verdicts_
    assert isinstance(loaded.verdict_, dict) == as_mapping
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ([], "other fields"),
        ({"as_mapping": True}, "other fields"),
        ({"as_mapping": 1, "targets": {}}, "match the targets"),
        ({"as_mapping": True, "targets": []}, "match the targets"),
        ({"as_mapping": True, "targets": {"source": {}}}, "match the targets"),
        ({"as_mapping": True, "targets": {"target": {}}}, "verdict has other fields"),
    ],
)
def test_damaged_verdicts(verdicts: Any, message: str, tmp_path: Path) -> None:
    fitted().save(tmp_path / "m")
    manifest, arrays = read_container(tmp_path / "m")
    write_container(tmp_path / "m", {**manifest, "verdicts": verdicts}, arrays)
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "m")


def test_a_single_verdict_needs_a_single_target(tmp_path: Path) -> None:
    fitted({"kitchen": CORPUS.target_texts}).save(tmp_path / "m")
    manifest, arrays = read_container(tmp_path / "m")
    manifest["verdicts"] = {"as_mapping": False, "targets": {}}
    write_container(tmp_path / "m", manifest, arrays)
    with pytest.raises(ModelFileError, match="match the targets"):
        load(tmp_path / "m")


def test_model_files_without_verdicts_are_read(tmp_path: Path) -> None:
    for target, verdict in ((None, None), ({"kitchen": CORPUS.target_texts}, {})):
        fitted(target).save(tmp_path / "m")
        manifest, arrays = read_container(tmp_path / "m")
        del manifest["verdicts"]
        write_container(tmp_path / "m", manifest, arrays)
        assert load(tmp_path / "m").verdict_ == verdict


def test_uncertain_texts_get_no_label() -> None:
    model = fitted()
    texts = CORPUS.target_texts
    confidence = model.predict_proba(texts).max(axis=1)
    threshold = float(np.median(confidence))
    labels = model.predict(texts, min_confidence=threshold)
    complete = model.predict(texts)
    assert labels.dtype == object
    assert [label is None for label in labels] == (confidence < threshold).tolist()
    assert all(a is None or a == b for a, b in zip(labels, complete, strict=True))
    assert 0 < sum(label is None for label in labels) < len(texts)


def test_every_text_has_a_label_by_default() -> None:
    model = fitted()
    labels = model.predict(CORPUS.target_texts)
    assert labels.dtype == model.classes_.dtype
    assert (model.predict(CORPUS.target_texts, min_confidence=0) == labels).all()


def test_labels_of_fitted_texts_at_a_confidence() -> None:
    model = fitted()
    prediction = model.targets_["target"]
    np.testing.assert_array_equal(prediction.confidence, model.probabilities_.max(axis=1))
    threshold = float(np.median(prediction.confidence))
    labels = prediction.labels_at(threshold)
    assert [label is None for label in labels] == (prediction.confidence < threshold).tolist()
    assert prediction.labels_at(None) is prediction.labels
    assert None not in model.labels_.tolist()


@pytest.mark.doubtful
def test_known_labels_of_the_target_are_never_left_out() -> None:
    known = [*CORPUS.target_labels[:10], *[None] * 40]
    model = fitted({"kitchen": (CORPUS.target_texts, known)})
    labels = model.targets_["kitchen"].labels_at(1.0)
    assert labels[:10].tolist() == list(CORPUS.target_labels[:10])


def test_numbers_become_those_of_python() -> None:
    probabilities = np.array([[0.9, 0.1], [0.4, 0.6]])
    none = np.zeros(2, bool)
    prediction = Prediction(np.array([1, 2]), probabilities, np.array([1, 1]), none)
    assert prediction.labels_at(0.7).tolist() == [1, None]
    assert type(prediction.labels_at(0.7)[0]) is int


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), "0.8", True])
def test_a_wrong_confidence_is_refused(value: Any) -> None:
    model = fitted()
    X = model.vectorizer_.transform(CORPUS.target_texts[:2])
    for predict in (
        lambda: model.predict(CORPUS.target_texts[:2], min_confidence=value),
        lambda: model.estimator_.predict(X, min_confidence=value),
        lambda: model.targets_["target"].labels_at(value),
    ):
        with pytest.raises(ValueError, match="must be a number from 0 to 1, or None"):
            predict()


def test_estimators_leave_out_uncertain_labels() -> None:
    X = np.array([[3.0, 0, 1], [0, 3, 1], [2, 0, 1], [0, 2, 1], [0, 0, 1]])
    y = np.array(["a", "b", None, None, None], object)
    estimator = SourceLogistic().fit(X, y, [0, 0, -1, -1, -1])
    new = np.array([[5.0, 0, 0], [1, 1, 1]])
    memberships = estimator.predict_proba(new)
    threshold = float(memberships.max(axis=1).mean())
    expected = np.where(memberships.max(axis=1) < threshold, None, estimator.predict(new))
    labels = estimator.predict(new, min_confidence=threshold)
    assert labels.tolist() == expected.tolist()
    assert labels.tolist().count(None) == 1
