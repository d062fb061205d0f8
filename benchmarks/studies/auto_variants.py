"""The automatic method on variants of the everyday development problems.

    python benchmarks/studies/auto_variants.py [--kinds natural random] [--limit 4]

Needs ``ISTHMUS_DATA``. Variants have at most 1,500 documents per domain:

natural   the problem as it is
same      the target has the class proportions of the source
random    random class proportions in both domains
subset    some of the classes, of problems with three or more
renamed   40 to 95 % of the terms of the target do not occur in the source

Every line has accuracy / macro-F1 of the source-only classifier and of ``auto``, the estimated
accuracy, and the errors of the class proportions; the last lines are means.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import f1_score

from isthmus import Auto
from isthmus_bench.plan.reading import find_suite
from isthmus_bench.run.inputs import problem_of, second_view_of, vectors_of
from isthmus_bench.run.planning import Choice, plan_runs

KINDS = ("natural", "same", "random", "subset", "renamed")
_MAX_DOCUMENTS = 1_500
_RENAMED = (0.4, 0.6, 0.75, 0.88, 0.95)


@dataclass(frozen=True)
class Variant:
    """Rows of a problem, with labels as numbers."""

    X: Any
    second_view: Any
    labels: np.ndarray
    is_target: np.ndarray
    n_classes: int

    def rows(self, chosen: np.ndarray) -> Variant:
        """The variant with these rows only."""
        second = None if self.second_view is None else self.second_view[chosen]
        return replace(
            self,
            X=self.X[chosen],
            second_view=second,
            labels=self.labels[chosen],
            is_target=self.is_target[chosen],
        )


def make_variant(whole: Variant, kind: str, number: int) -> Variant | None:
    """A variant of a problem; None if it has too few classes."""
    rng = np.random.default_rng(number)
    sides = [np.flatnonzero(~whole.is_target), np.flatnonzero(whole.is_target)]
    if kind == "natural":
        return whole
    if kind == "subset":
        if whole.n_classes < 3:
            return None
        size = int(rng.integers(2, min(whole.n_classes, 6)))
        kept = np.sort(rng.choice(whole.n_classes, size, replace=False))
        sides = [rows[np.isin(whole.labels[rows], kept)] for rows in sides]
        renumbered = np.searchsorted(kept, whole.labels)
        whole = replace(whole, labels=renumbered, n_classes=size)
    if kind in ("same", "random"):
        priors = [_proportions(whole, sides[0])] * 2
        if kind == "random":
            priors = [rng.dirichlet(np.full(whole.n_classes, 4.0)) for _ in sides]
        sides = [
            _at_proportions(whole, rows, p, rng) for rows, p in zip(sides, priors, strict=True)
        ]
    sides = [rng.permutation(rows)[:_MAX_DOCUMENTS] for rows in sides]
    variant = whole.rows(np.sort(np.concatenate(sides)))
    if kind == "renamed":
        share = _RENAMED[number % len(_RENAMED)]
        second = variant.second_view
        variant = replace(
            variant,
            X=_renamed(variant.X, variant.is_target, share, rng),
            second_view=None if second is None else _renamed(second, variant.is_target, share, rng),
        )
    return variant


def _proportions(whole: Variant, rows: np.ndarray) -> np.ndarray:
    return np.bincount(whole.labels[rows], minlength=whole.n_classes) / len(rows)


def _at_proportions(
    whole: Variant, rows: np.ndarray, prior: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """As many rows as possible with these class proportions."""
    counts = np.bincount(whole.labels[rows], minlength=whole.n_classes)
    used = prior > 0
    size = min(_MAX_DOCUMENTS, int((counts[used] / prior[used]).min()))
    parts = [
        rng.permutation(rows[whole.labels[rows] == k])[: round(size * prior[k])]
        for k in range(whole.n_classes)
    ]
    return np.concatenate(parts)


def _renamed(X: Any, is_target: np.ndarray, share: float, rng: np.random.Generator) -> Any:
    """The matrix with new columns for a share of the terms in the target."""
    n_terms = X.shape[1]
    is_new = rng.random(n_terms) < share
    entries = sparse.coo_matrix(X)
    columns = entries.col + np.where(is_target[entries.row] & is_new[entries.col], n_terms, 0)
    shape = (X.shape[0], 2 * n_terms)
    return sparse.csr_matrix((entries.data, (entries.row, columns)), shape=shape)


def problems(limit: int | None) -> Iterator[tuple[str, Variant]]:
    """The development problems of the suite everyday."""
    choice = Choice(methods=("auto",), split="development", limit=limit)
    for run in plan_runs(find_suite("everyday"), choice):
        problem = problem_of(run)
        yield (
            run.task.name,
            Variant(
                vectors_of(run), second_view_of(run), problem.labels, problem.sample_domain < 0,
                len(problem.classes),
            ),
        )  # fmt: skip


def measure(variant: Variant) -> np.ndarray:
    """Seven numbers of a fit, in per cent."""
    y = variant.labels.astype(object)
    y[variant.is_target] = None
    domains = np.where(variant.is_target, -1, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = Auto().fit(variant.X, y, sample_domain=domains, second_view=variant.second_view)
    truth = variant.labels[variant.is_target]
    source_only = auto.classes_[auto.members_[0].memberships.argmax(axis=1)]
    scores = []
    for labels in (source_only, auto.transduction_):
        given = labels[variant.is_target].astype(int)
        scores += [np.mean(given == truth), f1_score(truth, given, average="macro")]
    verdict = auto.verdicts_[-1]
    true_prior = np.bincount(truth, minlength=variant.n_classes) / len(truth)
    estimated = [part.value for part in verdict.class_prior.values()]
    source_prior = list(verdict.source_prior.values())
    errors = [np.abs(true_prior - prior).sum() / 2 for prior in (estimated, source_prior)]
    return 100 * np.array([*scores, verdict.accuracy.value, *errors])


def main(kinds: tuple[str, ...] = KINDS, limit: int | None = None) -> None:
    """Print one line per problem and kind, and the means."""
    means: dict[str, list[np.ndarray]] = {}
    for number, (name, whole) in enumerate(problems(limit)):
        for kind in kinds:
            variant = make_variant(whole, kind, number)
            if variant is not None:
                numbers = measure(variant)
                means.setdefault(kind, []).append(numbers)
                print(f"{kind:8} {name}: {_line(numbers)}", flush=True)
    for kind, rows in means.items():
        print(f"mean of {len(rows)} {kind}: {_line(np.mean(rows, axis=0))}")


def _line(numbers: np.ndarray) -> str:
    source, source_f1, auto, auto_f1, estimate, error, source_error = numbers
    return (
        f"source-only {source:.1f} / {source_f1:.1f}, auto {auto:.1f} / {auto_f1:.1f}, estimated "
        f"{estimate:.1f}, error of the proportions {error:.1f} (source {source_error:.1f})"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--limit", type=int, help="largest number of problems per scenario")
    options = parser.parse_args()
    main(tuple(options.kinds), options.limit)
