"""Confidence against coverage, and calibration on the source."""

from __future__ import annotations

from math import floor

from isthmus.inspection.confidence import Calibration, Coverage
from isthmus.inspection.facts import ReportFacts
from isthmus.pages import Html, svg, tag
from isthmus.report.formatting import Numbers, documents, named, percent, section, table

__all__ = ["confidence_section", "has_confidence"]

_WIDTH, _HEIGHT = 480.0, 340.0
_FRAME = (56.0, _WIDTH - 28, _HEIGHT - 52, 30.0)
_FEW_DOCUMENTS = 10
_COVERAGES = (0.25, 0.5, 0.75, 0.9, 1.0)


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
            _coverage_figure(facts.coverage),
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


def _coverage_figure(coverage: Coverage) -> Html:
    low = min(0.9, float(coverage.threshold.min()) * 0.98)
    frame = _frame(low)
    axes = frame.axes(_parts(0.0), _parts(low), "proportion of the documents that is kept", "")
    lines = [
        svg.path(
            [
                (frame.x(float(c)), frame.y(float(v)))
                for c, v in zip(coverage.coverage, values, strict=True)
            ],
            f"curve {style}",
        )
        for values, style in ((coverage.mean_confidence, "c1"), (coverage.threshold, "c2 dashed"))
    ]
    legend = [
        svg.line(60, 14, 84, 14, "curve c1"),
        svg.text(90, 18, "mean confidence of those kept", "name"),
        svg.line(310, 14, 334, 14, "curve c2 dashed"),
        svg.text(340, 18, "least confidence", "name"),
    ]
    label = "Confidence against coverage. The table below has the same numbers."
    chart = svg.chart(_WIDTH, _HEIGHT, label, *axes, *lines, *legend, class_="small")
    return tag("figure", tag("figcaption", "Confidence and coverage"), chart)


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
    chart = svg.chart(
        _WIDTH,
        _HEIGHT,
        f"Calibration on the source. {spoken}.",
        *axes,
        diagonal,
        *dots,
        class_="small",
    )
    return tag(
        "figure",
        tag("figcaption", "Calibration on the source"),
        chart,
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
