"""Small two-domain corpora of counts whose right answer is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True)
class Toy:
    """Stacked documents of domains with their true classes."""

    X: Any
    truth: NDArray[Any]
    sample_domain: NDArray[np.int64]
    y: NDArray[Any]
    """The truth for sources, -1 for targets."""

    @property
    def is_target(self) -> NDArray[np.bool_]:
        return self.sample_domain < 0

    def target_accuracy(self, labels: NDArray[Any]) -> float:
        return float(np.mean(labels[self.is_target] == self.truth[self.is_target]))


def make_toy(
    domains: tuple[int, ...] = (0, -1),
    n_classes: int = 2,
    n_per_class: int = 20,
    seed: int = 0,
    dtype: Any = np.float64,
) -> Toy:
    """Every class has words of its own in all domains and others in each domain."""
    generator = np.random.default_rng(seed)
    shared, own, noise = 6, 8, 10
    n_terms = n_classes * (shared + own * len(domains)) + noise
    rows, truth, numbers = [], [], []
    for d, number in enumerate(domains):
        for c in range(n_classes):
            rates = np.full(n_terms, 0.05)
            rates[-noise:] = 0.8
            rates[c * shared : (c + 1) * shared] = 0.6
            first = n_classes * shared + (d * n_classes + c) * own
            rates[first : first + own] = 1.2
            rows.append(generator.poisson(rates, (n_per_class, n_terms)))
            truth += [c] * n_per_class
            numbers += [number] * n_per_class
    X = sparse.csr_array(np.vstack(rows).astype(dtype))
    sample_domain = np.array(numbers)
    known = np.array(truth)
    return Toy(X, known, sample_domain, np.where(sample_domain < 0, -1, known))
