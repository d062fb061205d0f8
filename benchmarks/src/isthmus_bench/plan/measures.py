"""Measures: what a result contains about a fitted estimator besides its scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from scipy import sparse

from isthmus import proxy_a_distance, word_cluster_overlap
from isthmus.matrices.rows import with_narrow_indices, with_unit_rows
from isthmus_bench.documents.problems import BenchmarkProblem
from isthmus_bench.fields import Number, require
from isthmus_bench.peers.registry import COMPETITORS

__all__ = [
    "MEASURES", "Embedded", "Pattern", "convergence", "domain_distance", "embedding",
    "missing_for_measure", "similarity_pattern", "word_overlap",
]  # fmt: skip

Matrix = Any
"""Sparse or dense."""
Measure = Callable[[Any, BenchmarkProblem, Matrix], dict[str, Any]]
"""(fitted estimator, problem, its weighted documents) -> fields of a result."""

# Steps that are evenly spaced on a logarithmic axis.
_STEPS = {int(step * 10**power) for power in range(7) for step in (1, 1.5, 2, 3, 5, 7)}
# Larger results would make a result file hard to read and to keep.
_MOST_POINTS, _MOST_ROWS, _MOST_CELLS = 2000, 10_000, 60
_ROWS_PER_BLOCK = 1000


def convergence(estimator: Any, problem: BenchmarkProblem, X: Matrix) -> dict[str, Any]:
    """The objective at some iterations, at increasing distances, and at the last.

    For the labels at an iteration, sweep ``max_iter``.
    """
    objective = estimator.objective_
    last = len(objective) - 1
    steps = {0, last} | {step for step in _STEPS if step < last}
    return {"objective": [[step, float(f"{objective[step]:.9g}")] for step in sorted(steps)]}


def domain_distance(estimator: Any, problem: BenchmarkProblem, X: Matrix) -> dict[str, Any]:
    """The proxy A-distance in the features that a method learns, or else in its input."""
    features = X
    if hasattr(estimator, "transform"):
        features = estimator.transform(X, sample_domain=problem.sample_domain)
    return {"a_distance": round(proxy_a_distance(features, problem.sample_domain), 6)}


def word_overlap(estimator: Any, problem: BenchmarkProblem, X: Matrix) -> dict[str, Any]:
    """r1 and r2 of a tri-factorization that was initialized by PLSA (MTrick, Section 5.5)."""
    r1, r2 = word_cluster_overlap(estimator, X, problem.sample_domain)
    return {"r1": round(r1, 6), "r2": round(r2, 6)}


class _Group(BaseModel):
    """The documents of a class (its number) in the sources or in the targets."""

    model_config = ConfigDict(strict=True, extra="forbid")

    label: Annotated[int, Field(ge=0)]
    target: bool


class Embedded(_Group):
    """A group with two coordinates of every document."""

    x: Annotated[list[Number], Field(max_length=_MOST_POINTS)]
    y: list[Number]

    @model_validator(mode="after")
    def _check(self) -> Self:
        require(len(self.x) == len(self.y), "x and y differ in length")
        return self


class _Cells(_Group):
    cells: Annotated[int, Field(ge=1)]


class Pattern(BaseModel):
    """Which pairs of documents are more similar than the mean of all pairs.

    The documents are in groups. A digit ``d`` of ``rows`` is a cell: of its pairs, a share of
    ``d / 9``, rounded, is above the mean. ``shares`` has the exact share of every two groups.
    """

    model_config = ConfigDict(strict=True, extra="forbid")

    groups: list[_Cells]
    rows: list[Annotated[str, Field(pattern=r"^[0-9]+$")]]
    shares: list[list[Annotated[float, Field(ge=0, le=1)]]]

    @model_validator(mode="after")
    def _check(self) -> Self:
        side, sizes = sum(group.cells for group in self.groups), [*map(len, self.shares)]
        require(sizes == [len(self.groups)] * len(self.groups), "'shares' is not for the groups")
        require([*map(len, self.rows)] == [side] * side, "'rows' is not for the groups")
        return self


def embedding(estimator: Any, problem: BenchmarkProblem, X: Matrix) -> dict[str, Any]:
    """The first two coordinates of every document, those of the smallest eigenvalues."""
    values = _embedding_of(estimator, X)
    groups = _groups(problem)
    if sum(len(rows) for *_, rows in groups) > _MOST_POINTS:
        raise ValueError(
            f"The measure 'embedding' keeps at most {_MOST_POINTS} documents: set 'sample' in the "
            "problem."
        )
    first, second = np.round(values[:, :2].T.astype(float), 3)
    fields = [
        {"label": label, "target": target, "x": first[rows].tolist(), "y": second[rows].tolist()}
        for label, target, rows in groups
    ]
    return {"embedding": fields}


def similarity_pattern(estimator: Any, problem: BenchmarkProblem, X: Matrix) -> dict[str, Any]:
    """Which cosines of documents are above their mean (CDSC, Figure 6).

    The cosines are those of ``embedding_``, or else of the input.
    """
    values = _embedding_of(estimator, X) if hasattr(estimator, "embedding_") else X
    groups = _groups(problem)
    order = np.concatenate([rows for *_, rows in groups])
    if len(order) > _MOST_ROWS:
        raise ValueError(
            f"The measure 'similarity pattern' compares at most {_MOST_ROWS} documents: set "
            "'sample' in the problem."
        )
    sizes = [len(rows) for *_, rows in groups]
    cells = [max(1, min(size, size * _MOST_CELLS // len(order))) for size in sizes]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    edges = np.concatenate(
        [
            start + np.arange(count) * size // count
            for start, size, count in zip(starts, sizes, cells, strict=True)
        ]
    )
    above = _pairs_above_mean(with_unit_rows(with_narrow_indices(values))[order], edges)
    heights = np.diff([*edges, len(order)])
    digits = np.rint(9 * above / np.outer(heights, heights)).astype(int)
    ends = np.concatenate([[0], np.cumsum(cells)[:-1]])
    totals = np.add.reduceat(np.add.reduceat(above, ends, axis=0), ends, axis=1)
    return {
        "similarity": {
            "groups": [
                {"label": label, "target": target, "cells": count}
                for (label, target, _), count in zip(groups, cells, strict=True)
            ],
            "rows": ["".join(map(str, row)) for row in digits.tolist()],
            "shares": np.round(totals / np.outer(sizes, sizes), 4).tolist(),
        }
    }


def _groups(problem: BenchmarkProblem) -> list[tuple[int, bool, np.ndarray]]:
    """Class, whether in a target, and rows; class by class, the sources first."""
    found = []
    for label in range(len(problem.classes)):
        for target in (False, True):
            here = (problem.labels == label) & ((problem.sample_domain < 0) == target)
            if here.any():
                found.append((label, target, np.flatnonzero(here)))
    return found


def _embedding_of(estimator: Any, X: Matrix) -> np.ndarray:
    values = np.asarray(estimator.embedding_)
    if len(values) != X.shape[0]:
        raise ValueError(
            "Measures of an embedding need problems with all documents in the fit: remove "
            "'new_documents'."
        )
    return values


def _pairs_above_mean(rows: Matrix, edges: np.ndarray) -> np.ndarray:
    """How many cosines of unit-norm rows are above their mean, in the cells of a grid."""
    n_rows = rows.shape[0]
    total = np.asarray(rows.sum(axis=0), np.float64).ravel()
    mean = total @ total / n_rows**2
    by_row = np.empty((n_rows, len(edges)), np.int64)
    for start in range(0, n_rows, _ROWS_PER_BLOCK):
        part = rows[start : start + _ROWS_PER_BLOCK] @ rows.T
        above = (part.toarray() if sparse.issparse(part) else part) > mean
        by_row[start : start + len(above)] = np.add.reduceat(above, edges, axis=1, dtype=np.int64)
    return np.asarray(np.add.reduceat(by_row, edges, axis=0))


MEASURES: dict[str, Measure] = {
    "convergence": convergence,
    "proxy A-distance": domain_distance,
    "word overlap": word_overlap,
    "embedding": embedding,
    "similarity pattern": similarity_pattern,
}
"""By the name that entries use in their field ``measures``."""


def missing_for_measure(measure: str, method: str, built: Any) -> str | None:
    """Why a method cannot have a measure, None if it can; ``built`` is its estimator."""
    row = COMPETITORS[method]
    if measure == "convergence" and not row.has_objective:
        return "it has no objective"
    if measure == "word overlap" and getattr(built, "init", None) != "plsa":
        return "it does not have init='plsa'"
    if measure == "embedding" and not (
        row.family == "spectral" and getattr(built, "n_eigenvectors", 0) > 1
    ):
        return "it has no embedding with two coordinates"
    if measure in ("proxy A-distance", "similarity pattern") and row.kind == "clusterer":
        return "problems of a clusterer have no source"
    return None
