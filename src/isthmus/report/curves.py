"""Curves: confidence against coverage, calibration on the source, and convergence."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.confidence import Calibration, Coverage
from isthmus.inspection.facts import ReportFacts
from isthmus.pages import Html, svg, tag
from isthmus.report.figure import Drawing, Key
from isthmus.report.formatting import Numbers, count, documents, named, percent, section, table

__all__ = [
    "confidence_section",
    "convergence_section",
    "draw_convergence",
    "draw_coverage",
    "has_confidence",
]

_WIDTH, _HEIGHT = 480.0, 340.0
_FRAME = (56.0, _WIDTH - 28, _HEIGHT - 52, 30.0)
_FEW_DOCUMENTS = 10
_COVERAGES = (0.25, 0.5, 0.75, 0.9, 1.0)
_KEYS = (
    Key("mean confidence of those kept", "c1", "line"),
    Key("least confidence of those kept", "c2", "dashed"),
)
# The largest objective as a multiple of the smallest above which its axis is logarithmic.
_LARGE_RATIO = 20


def has_confidence(facts: ReportFacts) -> bool:
    """Whether there are enough labels for this section."""
    return facts.coverage is not None and facts.coverage.n_documents >= _FEW_DOCUMENTS


def confidence_section(facts: ReportFacts) -> Html | None:
    """How many documents remain if uncertain labels are left out."""
    if facts.coverage is None or not has_confidence(facts):
        return None
    calibrated = facts.method.is_automatic
    meaning = (
        "The confidence of the automatic method is scaled so that its mean over all documents is "
        "the estimated accuracy. Read the curve as an estimate of the accuracy of those kept, "
        "which is often too high; if classes are swapped, it means nothing."
        if calibrated
        else f"The confidence of {facts.method.name} ranks documents but is not calibrated: do not "
        "read it as accuracy."
    )
    rows = []
    for part in _COVERAGES:
        threshold, mean = facts.coverage.at(part)
        rows.append(
            [
                percent(part),
                f"{round(part * facts.coverage.n_documents):,}",
                f"{floor(10_000 * threshold) / 10_000:.4f}",
                percent(mean),
            ]
        )
    heads = [
        "keep",
        Numbers("documents"),
        Numbers("--min-confidence"),
        Numbers("mean confidence"),
    ]
    return section(
        "confidence",
        "Confidence",
        tag(
            "p",
            "If you need few wrong labels more than all labels, keep only the certain ones "
            f"(--min-confidence). {meaning}",
        ),
        tag(
            "div",
            tag(
                "figure",
                tag("figcaption", "Confidence and coverage"),
                draw_coverage(facts.coverage).on_page(),
            ),
            _calibration_figure(facts.calibration, facts),
            class_="pair",
        ),
        table("Documents that remain", heads, rows),
    )


def _frame(low: float) -> svg.Frame:
    left, right, bottom, top = _FRAME
    return svg.Frame(svg.Scale(0, 1, left, right), svg.Scale(low, 1, bottom, top))


def _parts(low: float, count: int = 5) -> list[tuple[float, str]]:
    return [(value, percent(value)) for value in svg.ticks(low, 1.0, count)]


def draw_coverage(coverage: Coverage) -> Drawing:
    """The confidence of the documents that are kept if uncertain ones are left out."""
    low = min(0.9, float(coverage.threshold.min()) * 0.98)
    frame = _frame(low)
    curves = ((coverage.mean_confidence, _KEYS[0]), (coverage.threshold, _KEYS[1]))
    parts: list[object] = [
        *frame.axes(_parts(0.0), _parts(low), "proportion of the documents that is kept", ""),
        *(_curve(frame, coverage.coverage, values, key) for values, key in curves),
    ]
    description = "Confidence against coverage: " + "; ".join(
        f"keep {percent(part)}, mean confidence {percent(coverage.at(part)[1])}"
        for part in _COVERAGES
    )
    return Drawing(_WIDTH, _HEIGHT, f"{description}.", parts, _KEYS, class_="small")


def _curve(frame: svg.Frame, xs: NDArray[Any], ys: NDArray[np.float64], key: Key) -> list[Html]:
    """A line, with dots if it has few points: a single one has no line."""
    points = [(frame.x(float(x)), frame.y(float(y))) for x, y in zip(xs, ys, strict=True)]
    dashed = " dashed" if key.shape == "dashed" else ""
    dots = [svg.circle(*point, 3, f"dot {key.style}") for point in points]
    return [svg.path(points, f"curve {key.style}{dashed}"), *(dots if len(points) <= 30 else ())]


def _calibration_figure(calibration: Calibration | None, facts: ReportFacts) -> Html | None:
    if calibration is None:
        return None
    low = min([1.0, *(min(b.confidence, b.accuracy) for b in calibration.bins)])
    low = min(0.5, 0.1 * int(10 * low))
    frame = svg.Frame(svg.Scale(low, 1, *_FRAME[:2]), svg.Scale(low, 1, *_FRAME[2:]))
    axes = frame.axes(_parts(low), _parts(low), "confidence", "accuracy")
    diagonal = svg.line(frame.x(low), frame.y(low), frame.x(1), frame.y(1), "grid diagonal")
    largest = max(b.n_documents for b in calibration.bins)
    dots = [
        svg.circle(
            frame.x(b.confidence),
            frame.y(b.accuracy),
            3 + 7 * (b.n_documents / largest) ** 0.5,
            "dot c8",
            f"confidence {percent(b.confidence)}, accuracy {percent(b.accuracy)}, "
            f"{documents(b.n_documents)}",
        )
        for b in calibration.bins
    ]
    spoken = "; ".join(
        f"confidence {percent(b.confidence)}, accuracy {percent(b.accuracy)}"
        for b in calibration.bins
    )
    drawing = Drawing(
        _WIDTH,
        _HEIGHT,
        f"Calibration on the source. {spoken}.",
        [*axes, diagonal, *dots],
        class_="small",
    )
    return tag(
        "figure",
        tag("figcaption", "Calibration on the source"),
        drawing.on_page(),
        tag(
            "p",
            "The source-only classifier on documents of ",
            named(facts.source_name),
            f" that it was not trained on: {percent(calibration.accuracy, 1)} are right, by "
            f"cross-validation on {documents(calibration.n_documents)}. Dots above the line are "
            "better than their confidence says. This is the accuracy within one domain, where "
            "nothing has to be transferred.",
            class_="note",
        ),
    )


def convergence_section(facts: ReportFacts) -> Html | None:
    """The objective after every iteration; None for methods without one."""
    if facts.objective is None or not np.isfinite(facts.objective).all():
        return None
    values = facts.objective
    last = len(values) - 1
    change = abs(values[-1] - values[-2]) / max(abs(values[-2]), 1e-300)
    return section(
        "convergence",
        "Convergence",
        tag(
            "p",
            f"{count(last, 'iteration')}. The last one changed the objective by "
            f"{100 * change:.2g} %. The curve should be flat at the end.",
        ),
        tag("figure", draw_convergence(values).on_page()),
    )


def draw_convergence(objective: NDArray[np.float64]) -> Drawing:
    """The objective before the first and after every iteration."""
    # The first iterations change the objective most, so that the others would look flat.
    is_log = bool(objective.min() > 0 and objective.max() > _LARGE_RATIO * objective.min())
    shown = np.log10(objective) if is_log else objective
    low, high = float(shown.min()), float(shown.max())
    if high == low:
        low, high = low - 1, high + 1
    last = len(objective) - 1
    frame = svg.Frame(svg.Scale(0, last, 96, 620), svg.Scale(low, high, 250, 30))
    x_ticks = [(v, f"{v:.0f}") for v in svg.ticks(0, last, 6) if v == int(v)]
    y_ticks = [(v, f"{10**v if is_log else v:.3g}") for v in svg.ticks(low, high, 4)]
    name = "objective (logarithmic)" if is_log else "objective"
    steps = np.unique(np.linspace(0, last, min(len(objective), 400)).astype(np.intp))
    description = f"Objective by iteration, from {objective[0]:.4g} to {objective[-1]:.4g}."
    parts = [
        *frame.axes(x_ticks, y_ticks, "iteration", name),
        *_curve(frame, steps, shown[steps], Key(name, "c1", "line")),
    ]
    return Drawing(640, 300, description, parts, class_="small")
