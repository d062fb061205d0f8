"""Checks on the figures of a suite: whether there will be anything to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isthmus.bench.plan.contestants import CONTESTANTS
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.scope import runs_on

if TYPE_CHECKING:
    from isthmus.bench.plan.entries import Entry
    from isthmus.bench.plan.figure_fields import Figure
    from isthmus.bench.plan.suite import Suite

__all__ = ["check_figures"]


def check_figures(suite: Suite, where: str) -> None:
    """Raise ValueError if a figure names what its suite does not have."""
    if suite.layout == "figures" and not suite.figures:
        raise ValueError(
            f"table='figures' in {where} shows the figures alone, but there is none: add "
            "[[figures]], or leave 'table' out."
        )
    for figure in suite.figures:
        place = f"the figure '{figure.title}' of {where}"
        known = {entry.chosen_by[-1] for entry in suite.entries}
        unknown = [name for name in figure.entries if name not in known]
        if unknown:
            raise ValueError(
                f"There is no entry '{unknown[0]}' for {place}: choose among "
                f"{', '.join(sorted(known))}."
            )
        shown = [entry for entry in suite.entries if entry.chosen_by[-1] in figure.entries]
        _check_sweeps(figure, shown, place)
        _check_kinds(figure, shown, place)
        _check_measures(figure, shown, place)
        _check_problems(suite, figure, shown, place)


def _check_sweeps(figure: Figure, shown: list[Entry], place: str) -> None:
    for entry in shown:
        if (entry.sweep is None) == (figure.x == "sweep"):
            wrong, name = ("no", "'sweep'") if entry.sweep is None else ("a", f"'{figure.x}'")
            raise ValueError(f"The entry '{entry.chosen_by[-1]}' has {wrong} sweep, but x is "
                             f"{name} in {place}.")  # fmt: skip
    parameters = sorted({entry.sweep.parameter for entry in shown if entry.sweep is not None})
    if len(parameters) > 1:
        raise ValueError(
            f"The sweeps of {place} are over {' and '.join(parameters)}: draw one figure of each."
        )


def _check_kinds(figure: Figure, shown: list[Entry], place: str) -> None:
    for entry in shown:
        kind = CONTESTANTS[entry.method].kind
        wrong = [name for name in figure.metrics if METRICS[name].kind not in (None, kind)]
        if wrong:
            raise ValueError(
                f"The metric '{wrong[0]}' of {place} is for a {METRICS[wrong[0]].kind}, but the "
                f"entry '{entry.chosen_by[-1]}' is a {kind}: leave one out."
            )


def _check_measures(figure: Figure, shown: list[Entry], place: str) -> None:
    found = [METRICS[name].measure for name in figure.metrics]
    needed = ["convergence"] if figure.x == "iterations" else [name for name in found if name]
    for entry in shown:
        for measure in (name for name in needed if name not in entry.measures):
            raise ValueError(
                f"The entry '{entry.chosen_by[-1]}' needs measures = [\"{measure}\"] for {place}."
            )


def _check_problems(suite: Suite, figure: Figure, shown: list[Entry], place: str) -> None:
    tasks = [t for t in suite.tasks if all(runs_on(entry, t) for entry in shown)]
    if not tasks:
        raise ValueError(f"No problem has results of all entries of {place}.")
    unsized = [task.name for task in tasks if task.sample_of(0) is None]
    if figure.x == "training size" and unsized:
        raise ValueError(
            f"The problem '{unsized[0]}' says no size for {place}: give it 'sample_source'."
        )
