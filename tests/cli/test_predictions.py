"""The rows of the file of predictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from common import examples
from isthmus.cli.predictions import PredictionRows, _rounded, added_columns
from isthmus.transfer.prediction import Prediction

PREDICTION = Prediction(
    labels=np.array(["a", "b", "b"]),
    probabilities=np.array([[0.75, 0.25], [0.12345, 0.87655], [0.5, 0.5]]),
    source_only=np.array(["a", "a", "b"]),
    without_words=np.zeros(3, np.bool_),
)
RECORDS = [{"id": 1, "text": "x"}, {"id": 2}, {"id": 3}]


def rows(**options):
    given_labels = options.pop("labels", None)
    added = added_columns(["id"], Path("a.csv"), given=given_labels is not None, **options)
    maker = PredictionRows(["id", "text"], added, ["a", "b"], min_confidence=0.6)
    (block,) = maker.make(RECORDS, PREDICTION, given_labels)
    return block


def test_copied_and_added_columns():
    columns = ("id", "text", "predicted", "confidence", "source_only")
    assert [tuple(row[name] for name in columns) for row in rows()] == [
        (1, "x", "a", 0.75, "a"),
        (2, None, "b", round(0.87655, 4), "a"),
        (3, None, None, 0.5, "b"),
    ]
    assert all(tuple(row) == columns for row in rows())


def test_probabilities_and_given_labels():
    (first, second, _) = rows(probabilities_of=["b"], labels=[None, "b", None])
    assert (first["label_given"], second["label_given"]) == ("no", "yes")
    assert (first["probability_b"], second["probability_b"]) == (0.25, round(0.87655, 4))
    assert "probability_a" not in first


def test_values_are_those_of_python():
    assert {type(value) for row in rows() for value in row.values()} == {
        int,
        str,
        float,
        type(None),
    }


@examples(200)
@given(st.lists(st.floats(0, 1) | st.integers(0, 10**5).map(lambda n: n / 10**5), max_size=20))
@example([0.00005, 0.12345, 0.12355, 0.5, 1.0, 0.99995, 0.00015])
def test_confidences_are_rounded_as_python_does(values):
    assert _rounded(np.array(values)) == [round(value, 4) for value in values]
    single = np.array(values, np.float32)
    assert _rounded(single) == [round(value, 4) for value in single.tolist()]
