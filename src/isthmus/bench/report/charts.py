"""What a report draws, as numbers: nothing here knows how it will look."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Chart", "Drawing", "Panels", "RankDiagram", "Series"]


@dataclass(frozen=True)
class Series:
    """Points of one label, joined by a line unless ``joined`` is False.

    ``names`` says what the points are, one by one, for a reader who points at them.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    names: tuple[str, ...] = ()
    joined: bool = True


@dataclass(frozen=True)
class Chart:
    """Series over one pair of axes.

    Attributes
    ----------
    title, x_label, y_label : str
        What is drawn.
    series : tuple of Series
        In the order of the legend.
    log_x : bool
        Whether the steps of the x axis are factors.
    categories : tuple of str
        Names of the x positions 0, 1, 2, ... where they are no numbers.
    marks : tuple of (str, float)
        Upright lines: what they mean, and where.
    levels : tuple of (str, float)
        Lines across, such as a paper's number: what they mean, and where.
    label_points : bool
        Whether names stand in the chart: those of the points of a series that is not joined, and
        the label of any other beside its line.
    least_span : float
        The y axis covers as much, so that what hardly changes looks so.
    note : str
        A sentence below.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    categories: tuple[str, ...] = ()
    marks: tuple[tuple[str, float], ...] = ()
    levels: tuple[tuple[str, float], ...] = ()
    label_points: bool = False
    least_span: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class Panels:
    """Small charts side by side, under one title."""

    title: str
    charts: tuple[Chart, ...]
    note: str = ""


@dataclass(frozen=True)
class RankDiagram:
    """Mean ranks of methods, with bars over those that no test tells apart.

    Attributes
    ----------
    title : str
        What is drawn.
    ranks : tuple of (str, float)
        Methods with their mean ranks, best first.
    critical_difference : float
        Mean ranks that lie farther apart differ.
    n_tasks : int
        How many problems the ranks are means of.
    note : str
        A sentence below.
    """

    title: str
    ranks: tuple[tuple[str, float], ...]
    critical_difference: float
    n_tasks: int
    note: str = ""


Drawing = Chart | Panels | RankDiagram
