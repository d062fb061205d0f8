"""What the workers compute with the documents of one block; each function gets a CSR matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.csr import CsrDocuments

__all__ = [
    "StepInput",
    "column_sums",
    "membership_step",
    "row_norms",
    "row_sums",
    "squared_norm",
    "squares_transposed_times",
    "times",
    "topic_step",
    "transposed_times",
]

Values = NDArray[Any]


def _documents(block: Any, rows: Values | None, columns: Values | None) -> CsrDocuments:
    """The documents of a block with the scales of their rows and columns."""
    return CsrDocuments(block.data, block.indices, block.indptr, block.shape[1], rows, columns)


def times(block: Any, rows: Values | None, columns: Values | None, right: Values) -> Values:
    return _documents(block, rows, columns).times(right)


def transposed_times(
    block: Any, rows: Values | None, columns: Values | None, left: Values
) -> Values:
    return _documents(block, rows, columns).transposed_times(left)


def squares_transposed_times(
    block: Any, rows: Values | None, columns: Values | None, left: Values
) -> Values:
    return _documents(block, rows, columns).squares_transposed_times(left)


@dataclass(frozen=True)
class StepInput:
    """Small input of a membership step."""

    gram: Values
    normalize: bool


def membership_step(
    block: Any,
    rows: Values | None,
    columns: Values | None,
    memberships: Values,
    profiles: Values,
    step_input: StepInput,
    fixed: Values | None,
    anchor: Values | None,
    pull: Values | None,
) -> tuple[Values, tuple[Values, Values, int]]:
    """The new memberships, and the sums of the step."""
    updated = np.array(memberships, order="C")
    step = _documents(block, rows, columns).membership_step(
        updated,
        profiles,
        step_input.gram,
        fixed=fixed,
        anchor=anchor,
        pull=pull,
        normalize=step_input.normalize,
    )
    return updated, (step.products, step.gram, step.changed)


def topic_step(
    block: Any,
    rows: Values | None,
    columns: Values | None,
    mixtures: Values,
    topics: Values,
    words: bool,
    likelihood: bool,
) -> tuple[Values, tuple[Values | None, float]]:
    """The new mixtures, and the sums of the step."""
    updated = np.array(mixtures, order="C")
    step = _documents(block, rows, columns).topic_step(
        updated, topics, words=words, likelihood=likelihood
    )
    return updated, (step.word_side, step.log_likelihood)


def row_sums(block: Any, rows: Values | None, columns: Values | None) -> Values:
    return _documents(block, rows, columns).row_sums()


def row_norms(block: Any, rows: Values | None, columns: Values | None) -> Values:
    return _documents(block, rows, columns).row_norms()


def column_sums(block: Any, rows: Values | None, columns: Values | None) -> Values:
    return _documents(block, rows, columns).column_sums()


def squared_norm(block: Any, rows: Values | None, columns: Values | None) -> float:
    return _documents(block, rows, columns).squared_norm()
