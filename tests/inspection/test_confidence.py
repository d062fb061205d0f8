"""Confidence against coverage, calibration, words in common and the map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from isthmus.inspection.confidence import calibration_on_source, coverage
from isthmus.inspection.projection import document_coordinates, map_of_documents
from isthmus.inspection.word_sides import vocabulary_overlap


def test_coverage_of_known_confidences() -> None:
    curve = coverage(np.array([0.5, 1.0, 0.9, 0.6]))
    assert curve is not None
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve.threshold.tolist() == [1.0, 0.9, 0.6, 0.5]
    assert np.allclose(curve.mean_confidence, [1.0, 0.95, 2.5 / 3, 0.75])
    assert curve.at(0.5) == (0.9, 0.95)
    assert curve.n_documents == 4
    assert coverage(np.array([])) is None


def test_coverage_of_many_documents_has_few_points() -> None:
    curve = coverage(np.random.default_rng(0).random(100_000))
    assert curve is not None
    assert len(curve.coverage) <= 101
    assert np.isclose(curve.at(0.5)[0], 0.5, atol=0.02)
    assert (np.diff(curve.mean_confidence) <= 0).all()


def _two_classes(n: int, noise: float) -> tuple[sparse.csr_matrix, np.ndarray]:
    generator = np.random.default_rng(0)
    codes = np.arange(n) % 2
    X = generator.random((n, 30)) * (generator.random((n, 30)) < 0.3)
    side = np.where(generator.random(n) < noise, 1 - codes, codes)
    X[np.arange(n), side] = 2
    return sparse.csr_matrix(X), codes


@pytest.mark.parametrize(("noise", "accuracy"), [(0.0, 1.0), (0.5, 0.5)])
def test_calibration_measures_the_accuracy_on_unseen_documents(
    noise: float, accuracy: float
) -> None:
    X, codes = _two_classes(600, noise)
    found = calibration_on_source(X, codes, LogisticRegression(), 2)
    assert found is not None
    assert abs(found.accuracy - accuracy) < 0.06
    assert sum(part.n_documents for part in found.bins) == found.n_documents == 600
    mean = sum(part.accuracy * part.n_documents for part in found.bins) / 600
    assert np.isclose(mean, found.accuracy)


def test_calibration_needs_two_classes_with_documents() -> None:
    X, codes = _two_classes(60, 0.0)
    assert calibration_on_source(X, np.zeros(60, int), LogisticRegression(), 2) is None
    assert calibration_on_source(X, np.full(60, -1), LogisticRegression(), 2) is None
    few = np.where(np.arange(60) < 3, 1, 0)
    assert calibration_on_source(X, few, LogisticRegression(), 2) is None
    copies = sparse.csr_matrix(np.ones((60, 5)))  # all in one fold
    assert calibration_on_source(copies, codes, LogisticRegression(), 2) is None


def test_calibration_of_many_documents_uses_a_sample() -> None:
    X, codes = _two_classes(8_000, 0.1)  # classes alternate
    found = calibration_on_source(X, codes, LogisticRegression(), 2)
    assert found is not None
    assert found.n_documents == 3_000


def test_words_in_common() -> None:
    in_source = np.array([True, True, False, False])
    in_target = np.array([True, False, True, True])
    target = sparse.csr_matrix([[1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2.0]])
    overlap = vocabulary_overlap(in_source, in_target, target)
    assert (overlap.n_shared, overlap.n_source_only, overlap.n_target_only) == (1, 1, 2)
    assert np.isclose(overlap.known_part, (0.5 + 1 + 0) / 3)


def test_similar_documents_are_neighbors_on_the_map() -> None:
    generator = np.random.default_rng(0)
    X = np.zeros((60, 40))
    for row in range(60):
        X[row, 20 * (row // 30) + generator.choice(20, 8, replace=False)] = 1
    places = map_of_documents(document_coordinates(sparse.csr_matrix(X)))
    assert places.shape == (60, 2)
    assert places.min() == 0
    assert places.max() == 1
    centers = [places[:30].mean(axis=0), places[30:].mean(axis=0)]
    within = max(places[:30].std(), places[30:].std())
    assert np.linalg.norm(centers[0] - centers[1]) > within
    again = map_of_documents(document_coordinates(sparse.csr_matrix(X)))
    assert np.array_equal(places, again)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_a_map_of_few_documents(n: int) -> None:
    X = sparse.csr_matrix(np.eye(n, 7) + 0.1)
    places = map_of_documents(document_coordinates(X))
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()


def test_documents_without_words_have_coordinates_too() -> None:
    places = map_of_documents(document_coordinates(sparse.csr_matrix((20, 6))))
    assert np.isfinite(places).all()
