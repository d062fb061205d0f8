"""Tables of estimated accuracies, verdicts and calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from isthmus.estimators.base.verdict import CHECK_FIRST, DO_NOT_USE, USE
from isthmus_bench.documents.tasks import SPLITS, BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.suite import Suite
from isthmus_bench.plan.trust import COVERAGES
from isthmus_bench.report.blocks import Block, table
from isthmus_bench.report.summary import Results
from isthmus_bench.run.results import Record

__all__ = ["TrustedRun", "trust_tables"]

_POOR = 0.6
"""An accuracy below this is poor."""
_EQUAL = 1e-9


@dataclass(frozen=True)
class TrustedRun:
    """A run with its accuracy (0 to 1), that of the source-only classifier, and its estimates."""

    accuracy: float
    source_only: float | None
    fields: Record

    @property
    def is_bad(self) -> bool:
        """Whether the labels are worse than source-only labels, or poor."""
        harmful = self.source_only is not None and self.accuracy < self.source_only - _EQUAL
        return harmful or self.accuracy < _POOR


def trust_tables(suite: Suite, results: Results) -> list[Block]:
    """The tables of a suite with ``source_only``; nothing where no result has estimates."""
    blocks: list[Block] = []
    for split in reversed(SPLITS) if suite.source_only else ():
        tasks = [task for task in suite.tasks if task.split == split]
        runs = {
            entry.label: _runs(suite, entry, tasks, results)
            for entry in suite.entries
            if entry.sweep is None and entry.competes
        }
        judged = {name: part for name, part in runs.items() if _with(part, "verdict")}
        calibrated = {name: part for name, part in runs.items() if _with(part, "calibration_error")}
        if judged:
            blocks += [f"{split.capitalize()}, verdicts:", _verdict_table(judged)]
        if calibrated:
            blocks += [f"{split.capitalize()}, probabilities:", _calibration_table(calibrated)]
    if not blocks:
        return []
    return ["### Trust", _explanation(suite.label(suite.source_only[0])), *blocks]


def _explanation(label: str) -> str:
    return (
        "Estimates are made without target labels and compared with the accuracy that was "
        "measured; differences are in percentage points. The interval should cover 80 % of the "
        f'problems. "Bad" problems end below {label} or below {100 * _POOR:g} %. Errors of class '
        "proportions are total variation distances. The calibration error has 15 bins of equal "
        "width. A coverage of 25 % means the quarter of the documents with the highest "
        "probability. The difference is that of the surest half and all documents."
    )


def _runs(
    suite: Suite, entry: Entry, tasks: Sequence[BenchmarkTask], results: Results
) -> list[TrustedRun]:
    of_entry, base = results[entry.id], results[suite.source_only[0]]
    runs = []
    for task in tasks:
        for seed, fields in of_entry.trust.get(task.name, {}).items():
            other = base.complete_mean(task.name)
            runs.append(
                TrustedRun(
                    accuracy=of_entry.scores["accuracy"][task.name][seed] / 100,
                    source_only=None if other is None else other / 100,
                    fields=fields,
                )
            )
    return runs


def _with(runs: Iterable[TrustedRun], field: str) -> list[TrustedRun]:
    return [run for run in runs if field in run.fields]


def _verdict_table(runs_of: dict[str, list[TrustedRun]]) -> str:
    titles = [
        "method", "runs", "mean error of the estimate", "interval covers",
        "use / check first / do not use", 'bad, not "use"', 'others, not "use"',
        "error of the class proportions", "error of the source's proportions",
    ]  # fmt: skip
    rows = []
    for label, every in runs_of.items():
        runs = _with(every, "verdict")
        covered = [
            run.fields["estimated_low"] <= run.accuracy <= run.fields["estimated_high"]
            for run in runs
        ]
        decisions = Counter(run.fields["verdict"] for run in runs)
        error = _mean(runs, lambda r: abs(r.fields["estimated_accuracy"] - r.accuracy))
        rows.append(
            [
                label,
                f"{len(runs)}",
                f"{100 * error:.2f}",
                f"{100 * fmean(covered):.1f} %",
                " / ".join(f"{decisions[d]}" for d in (USE, CHECK_FIRST, DO_NOT_USE)),
                _not_used([run for run in runs if run.is_bad]),
                _not_used([run for run in runs if not run.is_bad]),
                f"{_mean(runs, lambda r: r.fields['prior_error']):.3f}",
                f"{_mean(runs, lambda r: r.fields['source_prior_error']):.3f}",
            ]
        )
    return table(titles, rows)


def _not_used(runs: Sequence[TrustedRun]) -> str:
    """How many of the runs have another verdict than "use"."""
    if not runs:
        return "-"
    warned = sum(run.fields["verdict"] != USE for run in runs)
    return f"{warned} of {len(runs)} ({100 * warned / len(runs):.0f} %)"


def _calibration_table(runs_of: dict[str, list[TrustedRun]]) -> str:
    titles = [
        "method", "runs", "calibration error",
        *(f"accuracy at {100 * coverage:.0f} % coverage" for coverage in COVERAGES.values()),
        "accuracy", "difference",
    ]  # fmt: skip
    rows = []
    for label, every in runs_of.items():
        runs = _with(every, "calibration_error")
        at_coverage = {field: _mean_of_field(runs, field) for field in COVERAGES}
        surest = at_coverage["surest_half_accuracy"]
        whole = 100 * _mean(runs, lambda r: r.accuracy)
        error = _mean(runs, lambda r: r.fields["calibration_error"])
        rows.append(
            [
                label, f"{len(runs)}", f"{error:.3f}",
                *("-" if value is None else f"{value:.2f}" for value in at_coverage.values()),
                f"{whole:.2f}", "-" if surest is None else f"{surest - whole:+.2f}",
            ]
        )  # fmt: skip
    return table(titles, rows)


def _mean_of_field(runs: Sequence[TrustedRun], field: str) -> float | None:
    """Mean in percent; None if some results are older than the field."""
    if len(_with(runs, field)) < len(runs):
        return None
    return 100 * _mean(runs, lambda run: run.fields[field])


def _mean(runs: Iterable[TrustedRun], value: Callable[[TrustedRun], float]) -> float:
    return fmean(value(run) for run in runs)
