"""Figures: charts and tables from generated results, and error messages."""

from __future__ import annotations

import math

import pytest
from matplotlib.figure import Figure as Drawn

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report import figures
from isthmus_bench.report.blocks import Chart, Panels, Series
from isthmus_bench.report.figures import figure_blocks
from isthmus_bench.report.plots import _draw_charts
from isthmus_bench.report.summary import collect
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import TINY, table_rows

ENTRIES = """
[[entries]]
id = "steps"
label = "MTrick"
method = "mtrick"
weighting = "log-tfidf"
sweep = { parameter = "max_iter", values = [1, 10, 100] }
[[entries]]
id = "curve"
label = "MTrick, objective"
method = "mtrick"
weighting = "log-tfidf"
measures = ["convergence"]
[[entries]]
id = "svm"
label = "SVM"
method = "svm"
weighting = "log-tfidf"
"""
FIRST = "development (a 000: books.positive, books.negative -> kitchen.positive, kitchen.negative)"
SWEEP = """
[[figures]]
title = "Error by steps"
entries = ["steps"]
x = "sweep"
metrics = ["error"]
log_x = true
marks = { "the paper" = 100 }
note = "It falls."
"""


def make_records(suite: Suite, **fields: object) -> dict[str, Record]:
    """Accuracies that increase with the number of the problem and with ``max_iter``."""
    numbers = {task.name: number for number, task in enumerate(suite.tasks)}
    records = {}
    for run in plan_runs(suite, Choice()):
        identity = run.identity()
        accuracy = 0.5 + 0.1 * numbers[run.task.name]
        if run.entry.sweep is not None:
            accuracy += 0.01 * math.log10(run.entry.sweep_value)
        record = {
            **identity,
            "accuracy": accuracy,
            "seconds": 1.0,
            "versions": {},
            "error": None,
            **fields,
        }
        records[record_key(identity)] = record
    return records


def blocks(figure: str, keep: int | None = None, **fields: object) -> list[object]:
    suite = parse_suite(TINY + ENTRIES + figure, "tiny.toml")
    records = dict(list(make_records(suite, **fields).items())[:keep])
    return list(figure_blocks(suite, collect(suite, records)))


def texts(table: object) -> list[list[str]]:
    assert isinstance(table, str)
    return table_rows(table)


def test_a_sweep_has_one_chart_per_split() -> None:
    heading, note, panels, table = blocks(SWEEP)
    assert (heading, note) == ("### Error by steps", "It falls.")
    assert isinstance(panels, Panels)
    development, evidence = panels.charts
    # Problem 0 is the development problem; 1, 2 and 3 have a mean of .7 at one step.
    assert (development.title, evidence.title) == (FIRST, "evidence (3 problems)")
    (line,) = evidence.series
    assert (line.label, line.x, line.joined) == ("MTrick", (1, 10, 100), True)
    assert line.y == pytest.approx((0.3, 0.29, 0.28))
    assert development.series[0].y == pytest.approx((0.5, 0.49, 0.48))
    assert (evidence.x_label, evidence.y_label) == ("max_iter", "error")
    assert (evidence.log_x, evidence.marks) == (True, (("the paper", 100.0),))
    assert texts(table) == [
        ["problems", "line", "1", "10", "100"],
        [FIRST, "MTrick", ".500", ".490", ".480"],
        ["evidence (3 problems)", "MTrick", ".300", ".290", ".280"],
    ]


def test_a_point_needs_results_of_all_its_problems() -> None:
    # Five runs per problem: the first problem, and LG and the first value of the second.
    *_, chart, table = blocks(SWEEP, keep=8)
    assert isinstance(chart, Chart)
    assert chart.title == FIRST
    assert len(texts(table)) == 2
    assert blocks(SWEEP, keep=0)[-1] == "There are no results to draw yet."


def test_one_line_or_one_panel_per_problem() -> None:
    *_, panels, _ = blocks(SWEEP + 'lines = "problems"')
    assert isinstance(panels, Panels)
    assert [len(chart.series) for chart in panels.charts] == [1, 3]
    assert panels.charts[1].series[0].label.startswith("a 001")
    *_, panels, table = blocks(SWEEP + 'panels = "problems"')
    assert isinstance(panels, Panels)
    splits = [chart.title.rpartition(" ")[2] for chart in panels.charts]
    assert splits == ["(development)", "(evidence)", "(evidence)", "(evidence)"]
    assert len(texts(table)) == 5


def test_problems_side_by_side() -> None:
    figure = """
[[figures]]
title = "Two methods"
entries = ["lg", "svm"]
x = "problems"
variance = true
"""
    _, panels, table = blocks(figure)
    assert isinstance(panels, Panels)
    evidence = panels.charts[1]
    assert [line.label for line in evidence.series] == ["LG", "SVM"]
    assert evidence.series[0].y == pytest.approx((60, 70, 80))
    assert not evidence.series[0].joined
    assert evidence.categories == evidence.series[0].names
    assert evidence.categories[0].startswith("a 001")
    rows = texts(table)
    assert rows[0] == ["problem", "LG", "SVM", "mean", "variance"]
    assert rows[3][1:] == ["60.00", "60.00", "60.00", "0.000"]
    assert rows[-1] == ["mean, evidence (3 problems)", "70.00", "70.00", "", ""]


def test_variance_is_that_of_a_sample() -> None:
    figure = '[[figures]]\ntitle = "t"\nentries = ["lg", "svm"]\nx = "problems"\nvariance = true\n'
    suite = parse_suite(TINY + ENTRIES + figure, "tiny.toml")
    records = make_records(suite)
    for record in records.values():
        if record["setup"]["method"] == "svm":
            record["accuracy"] += 0.02
    *_, table = figure_blocks(suite, collect(suite, records))
    assert texts(table)[1][1:] == ["50.00", "52.00", "51.00", "2.000"]


def test_many_problems_are_summarized_by_their_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "_MOST_NAMED", 2)
    _, panels, table = blocks('[[figures]]\ntitle = "t"\nentries = ["lg"]\nx = "problems"\n')
    assert isinstance(panels, Panels)
    assert [chart.categories for chart in panels.charts] == [(), ()]
    assert panels.charts[1].series[0].names[2].startswith("a 003")
    assert texts(table)[2] == ["evidence (3 problems)", "LG", "3", "70.00", "60.00", "80.00"]


def test_two_metrics_are_two_lines() -> None:
    figure = """
[[figures]]
title = "Overlap"
entries = ["curve"]
x = "problems"
metrics = ["r1", "r2"]
"""
    figure = (
        figure.replace("curve", "words") + ENTRIES[ENTRIES.index('[[entries]]\nid = "curve"') :]
    )
    figure = figure.replace('id = "curve"', 'id = "words"').replace("convergence", "word overlap")
    figure = figure.replace("measures", 'params = { init = "plsa" }\nmeasures')
    figure = figure.replace('id = "svm"', 'id = "svm2"')
    _, panels, table = blocks(figure, r1=0.25, r2=0.75)
    assert isinstance(panels, Panels)
    assert [line.label for line in panels.charts[0].series] == ["r1", "r2"]
    assert texts(table)[1][1:] == [".250", ".750"]


def test_objective_is_drawn_as_its_logarithm() -> None:
    figure = '[[figures]]\ntitle = "t"\nentries = ["curve"]\nx = "iterations"\nlog_x = true\n'
    _, panels, table = blocks(figure, objective=[[0, 1000.0], [1, 100.0], [2, 10.0]])
    assert isinstance(panels, Panels)
    # A logarithmic axis cannot show iteration 0.
    assert panels.charts[0].series[0].x == (1, 2)
    assert panels.charts[0].series[0].y == pytest.approx((2.0, 1.0))
    assert texts(table)[1][2:] == ["3.000", "2.000", "1.000"]


SIZES = """
[[sets.problems]]
name = "{size} of each"
split = "evidence"
source = {{ good = ["books.positive"], bad = ["books.negative"] }}
target = {{ good = ["kitchen.positive"], bad = ["kitchen.negative"] }}
sample_source = {size}
"""


def test_training_sizes() -> None:
    head = TINY[: TINY.index("[[sets]]")].replace("ordered-pairs", "listed")
    head = head.replace("development_every = 4", "")
    problems = "".join(SIZES.format(size=size) for size in (10, 20))
    entry = TINY[TINY.index("[[entries]]") :]
    figure = '[[figures]]\ntitle = "t"\nentries = ["lg"]\nx = "training size"\n'
    content = head + '[[sets]]\nname = "a"\n' + problems + entry + figure
    suite = parse_suite(content, "tiny.toml")
    _, chart, _ = figure_blocks(suite, collect(suite, make_records(suite)))
    assert isinstance(chart, Chart)
    # Number of documents in two classes.
    assert (chart.series[0].x, chart.x_label) == ((20, 40), "labeled documents of the source")
    assert chart.series[0].y == pytest.approx((50, 60))
    with pytest.raises(ValueError, match=r"needs 'sample_source' in the problem '20 of each'"):
        parse_suite(content.replace("sample_source = 20", ""), "tiny.toml")


@pytest.mark.parametrize("log_y", [False, True])
def test_panels_with_the_same_quantity_show_all_points(log_y: bool) -> None:
    charts = [
        Chart("a panel", "x", "y", (Series("a", (0.0, 1.0), (low, 2 * low)),), log_y=log_y)
        for low in (1.0, 50.0)
    ]
    drawn = Drawn()
    _draw_charts(drawn, charts)
    assert len(drawn.axes) == 2
    for axes in drawn.axes:
        low, high = axes.get_ylim()
        assert low <= 1.0
        assert high >= 100.0
        assert axes.get_yscale() == ("log" if log_y else "linear")
