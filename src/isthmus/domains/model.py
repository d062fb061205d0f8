"""The classes Domain and Problem: documents of several domains with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents

UNLABELED = -1


def count_classes(codes: NDArray[np.intp], n_classes: int) -> NDArray[np.intp]:
    """Return the number of rows of every class; unlabeled rows do not count."""
    return np.bincount(codes - UNLABELED, minlength=n_classes + 1)[1:]


@dataclass(frozen=True)
class Domain:
    """The documents of one source or target domain."""

    number: int
    """The value of ``sample_domain``: 0 or more for a source, negative for a target."""
    documents: Documents
    labels: NDArray[np.intp]
    """Class number of every row, ``UNLABELED`` if unknown."""
    rows: slice | NDArray[np.intp]
    """Positions of these rows in the caller's matrix."""
    given_name: str | None = None
    """The caller's name of the domain, for messages."""

    @property
    def is_target(self) -> bool:
        return self.number < 0

    @cached_property
    def labeled(self) -> NDArray[np.bool_]:
        """Which rows have a label; read-only, because all callers share it."""
        labeled = self.labels != UNLABELED
        labeled.flags.writeable = False
        return labeled

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        """Which documents have a term."""
        norms = self.documents.engine.to_host(self.documents.row_norms())
        return np.asarray(norms > 0)

    @cached_property
    def term_totals(self) -> NDArray[np.float64]:
        """Column sums of the documents."""
        return self.documents.engine.to_host(self.documents.column_sums())

    @property
    def name(self) -> str:
        kind = "target" if self.is_target else "source"
        return f"{kind} domain {self.number if self.given_name is None else repr(self.given_name)}"


@dataclass(frozen=True)
class Problem:
    """Source and target domains with one vocabulary and one set of classes."""

    domains: tuple[Domain, ...]
    """Sources first, then targets."""
    classes: NDArray[Any]
    n_rows: int

    @property
    def sources(self) -> tuple[Domain, ...]:
        return tuple(domain for domain in self.domains if not domain.is_target)

    @property
    def targets(self) -> tuple[Domain, ...]:
        return tuple(domain for domain in self.domains if domain.is_target)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows of all domains."""
        return sum(int(np.count_nonzero(domain.labeled)) for domain in self.domains)

    @property
    def labels(self) -> NDArray[np.intp]:
        """Labels of all rows in the caller's order."""
        return self.gather([domain.labels for domain in self.domains])

    def gather(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Concatenate one array per domain in the caller's order of rows."""
        stacked = np.empty((self.n_rows, *parts[0].shape[1:]), parts[0].dtype)
        for domain, part in zip(self.domains, parts, strict=True):
            stacked[domain.rows] = part
        return stacked

    def class_prior(self) -> NDArray[np.float64]:
        """Return the class proportions of the labeled source rows, or else of the target rows."""
        sources = [domain for domain in self.sources if domain.labeled.any()]
        counts = np.zeros(self.n_classes)
        for domain in sources or self.targets:
            counts += count_classes(domain.labels, self.n_classes)
        return counts / counts.sum()
