"""The fitted model of the spectral classifiers: coordinates, and maps of new documents to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from isthmus.domains.labels import one_hot
from isthmus.domains.model import Domain, Problem
from isthmus.estimators.base.fitted_model import FittedModel, array, array_per_domain
from isthmus.estimators.components.linear_models import fit_logistic_to_memberships
from isthmus.estimators.spectral._embedding_classifier import EmbeddingClassifier
from isthmus.matrices.engines import current_engine
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.affinity import CosineAffinity, OutOfSampleMap
from isthmus.solvers.spectral._coordinates import extend

# Coordinates that separate a smaller proportion of the documents are local.
_LOCAL = 0.01
# C of the logistic regression on the labels of the method.
_C_FOR_LABELS = 1.0


@dataclass(frozen=True)
class Block:
    """Rows of one domain."""

    domain: Domain
    rows: NDArray[np.intp]
    """Their positions in the domain."""
    documents: Documents

    @property
    def labels(self) -> NDArray[np.intp]:
        return self.domain.labels[self.rows]


def whole_domains(problem: Problem) -> list[Block]:
    """One block per domain."""
    return [Block(d, np.arange(len(d.labels)), d.documents) for d in problem.domains]


def by_label(problem: Problem) -> list[Block]:
    """For every domain one block of labeled and one of unlabeled rows; no empty blocks."""
    blocks = []
    for domain in problem.domains:
        for rows in (np.flatnonzero(domain.labeled), np.flatnonzero(~domain.labeled)):
            if len(rows) == len(domain.labels):
                blocks.append(Block(domain, rows, domain.documents))
            elif len(rows):
                blocks.append(Block(domain, rows, domain.documents.take_rows(rows)))
    return blocks


def stacked_labels(blocks: list[Block]) -> NDArray[np.intp]:
    """Labels of the rows of all blocks, one block after the other."""
    return np.concatenate([block.labels for block in blocks])


def split_by_domain(
    problem: Problem, blocks: list[Block], values: NDArray[Any]
) -> list[NDArray[Any]]:
    """Values of the stacked blocks as one array per domain, in the row order of the domain."""
    parts = {
        domain.number: np.empty((len(domain.labels), *values.shape[1:]), values.dtype)
        for domain in problem.domains
    }
    start = 0
    for block in blocks:
        stop = start + len(block.rows)
        parts[block.domain.number][block.rows] = values[start:stop]
        start = stop
    return [parts[domain.number] for domain in problem.domains]


@dataclass(frozen=True, kw_only=True)
class SpectralModel(EmbeddingClassifier, FittedModel):
    """Coordinates of documents in eigenvectors of a graph, and a classifier of them.

    A linear map of every domain gives a new document its products with the fitted eigenvectors and
    its two degrees (see :mod:`isthmus.solvers.spectral._coordinates`). The coordinates are scaled
    with ``embedding_mean`` and ``embedding_scale``, or to rows of unit norm if these are None.
    """

    eigenvalues: NDArray[np.float64] = array("eigenvectors")
    out_of_sample_weights: Mapping[int, NDArray[Any]] = array_per_domain(
        "terms", "outputs", public=False
    )
    out_of_sample_offset: Mapping[int, NDArray[Any]] = array_per_domain("outputs", public=False)
    class_words: Mapping[int, NDArray[Any]] = array_per_domain("terms", "classes", public=False)
    embedding_mean: NDArray[Any] | None = array("eigenvectors", public=False, optional=True)
    embedding_scale: NDArray[Any] | None = array("eigenvectors", public=False, optional=True)

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        coordinates, known = self._coordinates(X, domain)
        memberships = np.zeros((X.shape[0], self._n_classes), X.dtype)
        if known.any():
            scaled = scale_coordinates(
                coordinates[known], self.embedding_mean, self.embedding_scale
            )
            memberships[known] = self.classify(scaled, self._n_classes)
        return memberships

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return dict(self.class_words)

    def check(self) -> None:
        self.check_classifier(self._n_classes)
        if (self.embedding_mean is None) != (self.embedding_scale is None):
            raise ValueError("embedding_mean and embedding_scale are not both given")
        if len(next(iter(self.out_of_sample_offset.values()))) != self._n_outputs:
            raise ValueError("out_of_sample_offset does not fit the eigenvalues")

    @property
    def _n_classes(self) -> int:
        return next(iter(self.class_words.values())).shape[1]

    @property
    def _n_outputs(self) -> int:
        """Outputs of the out-of-sample map."""
        return len(self.eigenvalues) + 2

    def _documents(self, X: Any) -> Documents:
        """New documents with the term weights of the fitted documents."""
        return current_engine().documents(X)

    def _coordinates(self, X: Any, domain: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Coordinates of new documents, and which of them contain a fitted term."""
        documents = self._documents(X).unit_rows()
        extension = OutOfSampleMap(
            documents.engine.asarray(self.out_of_sample_weights[domain]),
            self.out_of_sample_offset[domain],
        )
        outputs = documents.engine.to_host(extension.of(documents))
        products, degrees, masses = outputs[:, :-2], outputs[:, -2], outputs[:, -1]
        return extend(products, degrees, masses, self.eigenvalues), degrees > 0


def scale_coordinates(
    coordinates: NDArray[Any], mean: NDArray[Any] | None, scale: NDArray[Any] | None
) -> NDArray[Any]:
    """Coordinates with scaled columns, or with unit-norm rows if there is no mean."""
    if mean is None:
        return np.asarray(normalize(coordinates))
    return (coordinates - mean) * scale


def column_scaling(
    coordinates: Array,
    eigenvalues: NDArray[Any],
    n_classes: int,
    time: float,
    engine: Engine | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and scale of every coordinate: variance 1, times the weight after a random walk.

    The weight is ``(1 - eigenvalue) ** time`` relative to the first coordinate that ``n_classes``
    classes do not need. A local coordinate, one that separates only a few documents, is never that
    reference, and its weight is at most 1. A coordinate without variance gets the scale 0.
    ``engine`` is that of the coordinates, the CPU by default.
    """
    if len(coordinates) == 0:
        return np.zeros(len(eigenvalues)), np.ones(len(eigenvalues))
    engine = engine or HostEngine()
    to_host, asarray = engine.to_host, engine.asarray
    spread = to_host(coordinates.std(axis=0))
    flat = spread <= 1e-12 * float(engine.xp.abs(coordinates).max())
    mean, spread = to_host(coordinates.mean(axis=0)), np.where(flat, 1.0, spread)
    # The fourth moment is about one over the proportion of documents that are separated.
    moments = (((coordinates - asarray(mean)) / asarray(spread)) ** 4).mean(axis=0)
    local = to_host(moments) > 1 / _LOCAL
    remaining = np.maximum(1 - eigenvalues, 0)
    candidates = remaining[~local] if not local.all() else remaining
    reference = candidates[min(n_classes, len(candidates)) - 1]
    weights = remaining / reference if reference > 0 else (remaining > 0).astype(float)
    weights = np.where(local, np.minimum(weights, 1.0), weights)
    return mean, np.where(flat, 0.0, weights**time / spread)


def class_words(problem: Problem, memberships: Sequence[NDArray[Any]]) -> dict[int, NDArray[Any]]:
    """By domain, how much more often a word occurs in a class than the class size suggests."""
    words = {}
    for domain, part in zip(problem.domains, memberships, strict=True):
        known = one_hot(domain.labels, problem.n_classes)
        weights = np.where(domain.labeled[:, None], known, part)
        documents = domain.documents.unit_rows()
        engine = documents.engine
        totals = engine.to_host(
            documents.transposed_times(engine.asarray(weights, documents.dtype))
        )
        proportions = weights.sum(axis=0) / max(1.0, float(weights.sum()))
        words[domain.number] = totals - totals.sum(axis=1, keepdims=True) * proportions
    return words


def joined(parts: Sequence[OutOfSampleMap], dtype: Any) -> OutOfSampleMap:
    """One map with the outputs of several maps."""
    words = np.hstack([part.words for part in parts], dtype=dtype)
    return OutOfSampleMap(words, np.concatenate([part.offset for part in parts]))


def map_fields(problem: Problem, maps: Sequence[OutOfSampleMap]) -> dict[str, Any]:
    """Fields of a model from one map per domain, or one map for all domains."""
    maps = maps if len(maps) > 1 else [*maps] * len(problem.domains)
    by_domain = dict(zip((domain.number for domain in problem.domains), maps, strict=True))
    return {
        "out_of_sample_weights": {number: part.words for number, part in by_domain.items()},
        "out_of_sample_offset": {number: part.offset for number, part in by_domain.items()},
    }


def similarity_maps(
    affinity: CosineAffinity,
    boost: NDArray[Any],
    coordinates: Array,
    linked: Array,
) -> list[OutOfSampleMap]:
    """The maps of the Nyström extension, one per block (see ``solvers/spectral/_coordinates.py``).

    ``boost`` weights the pairs of blocks in ``T``, in addition to the weights of ``affinity``.
    ``linked`` marks the documents that have coordinates. The maps are NumPy arrays.
    """
    weights = [tuple(row) for row in np.hstack([affinity.weights * boost, affinity.weights])]
    distinct = list(dict.fromkeys(weights))  # all sources often have the same weights
    n_blocks = len(affinity.blocks)
    engine, ones = affinity.engine, linked[:, None].astype(float)
    rows, columns = np.array(distinct), engine.xp.hstack([coordinates, ones])
    boosted = affinity.out_of_sample_maps(rows[:, :n_blocks], columns)
    plain = affinity.out_of_sample_maps(rows[:, n_blocks:], ones)
    dtype = affinity.blocks[0].dtype
    maps = [
        joined([_on_host(part, engine) for part in parts], dtype)
        for parts in zip(boosted, plain, strict=True)
    ]
    return [maps[distinct.index(row)] for row in weights]


def _on_host(part: OutOfSampleMap, engine: Engine) -> OutOfSampleMap:
    return OutOfSampleMap(engine.to_host(part.words), part.offset)


def label_map(problem: Problem, X: Any, memberships: Sequence[NDArray[Any]]) -> OutOfSampleMap:
    """A logistic regression on the labels of the method, for graphs of nearest neighbors.

    The neighbors of a new document cannot be found without all fitted documents.
    """
    targets = problem.gather(memberships)
    known = problem.labels >= 0
    targets[known] = np.eye(problem.n_classes)[problem.labels[known]]
    coef, intercept = fit_logistic_to_memberships(X, targets, _C_FOR_LABELS, problem)
    return OutOfSampleMap(coef.T.astype(X.dtype), intercept)
