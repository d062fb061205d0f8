"""Pictures of single fits: their measures, what a result file accepts, and the drawings."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from isthmus_bench.documents.problems import BenchmarkProblem
from isthmus_bench.plan import measures
from isthmus_bench.plan.measures import embedding, similarity_pattern
from isthmus_bench.plan.reading import find_suite, parse_suite
from isthmus_bench.report.blocks import Chart, Grid, Grids
from isthmus_bench.report.figures import figure_blocks
from isthmus_bench.report.plots import draw
from isthmus_bench.report.summary import collect
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import ResultFile
from isthmus_bench.run.runner import run_pending
from tiny_suite import TINY, table_rows

# Rows of both classes and domains in turn, and one of a pool, which has no class.
LABELS = np.array([0, 1, 0, 1] * 10 + [-1])
DOMAIN = np.array([0, 0, -1, -1] * 10 + [-1])
PROBLEM = BenchmarkProblem(sparse.csr_matrix((41, 2)), LABELS, DOMAIN, ("rec", "talk"))
GROUPS = [(0, False), (0, True), (1, False), (1, True)]


def test_coordinates_of_every_group() -> None:
    values = np.column_stack([np.arange(41) + 0.12345, LABELS, DOMAIN])
    found = embedding(SimpleNamespace(embedding_=values), PROBLEM, PROBLEM.counts)["embedding"]
    assert [(group["label"], group["target"]) for group in found] == GROUPS
    assert found[1]["x"] == [place + 0.123 for place in range(2, 40, 4)]
    assert found[3]["y"] == [1.0] * 10


@pytest.mark.parametrize("as_input", [True, False])
def test_pattern_of_known_cosines(as_input: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # Classes are orthogonal, so that the mean of all cosines is 1/2.
    rows = np.array([[3.0, 0.0], [0.0, 5.0]])[np.maximum(LABELS, 0)]
    model = SimpleNamespace() if as_input else SimpleNamespace(embedding_=rows)
    monkeypatch.setattr(measures, "_ROWS_PER_BLOCK", 7)
    monkeypatch.setattr(measures, "_MOST_CELLS", 12)
    X = sparse.csr_matrix(rows) if as_input else np.zeros((41, 3))
    found = similarity_pattern(model, PROBLEM, X)["similarity"]
    assert [group["cells"] for group in found["groups"]] == [3, 3, 3, 3]
    assert found["rows"] == ["999999000000"] * 6 + ["000000999999"] * 6
    same = np.kron(np.eye(2), np.ones((2, 2)))
    assert found["shares"] == same.tolist()


def test_pattern_agrees_with_the_whole_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "_ROWS_PER_BLOCK", 11)
    rows = np.random.default_rng(0).normal(0.2, 1, (41, 4))
    found = similarity_pattern(SimpleNamespace(embedding_=rows), PROBLEM, rows)["similarity"]
    units = (rows / np.linalg.norm(rows, axis=1, keepdims=True))[:40]
    units = units[np.lexsort([DOMAIN[:40] < 0, LABELS[:40]])]
    above = units @ units.T > (units @ units.T).mean()
    # Forty documents, so that every cell is a pair.
    assert found["rows"] == ["".join("09"[int(pair)] for pair in row) for row in above]
    shares = above.reshape(4, 10, 4, 10).mean(axis=(1, 3))
    np.testing.assert_allclose(found["shares"], shares, atol=1e-4)


def test_measures_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SimpleNamespace(embedding_=np.ones((41, 2)))
    with pytest.raises(ValueError, match="remove 'new_documents'"):
        embedding(SimpleNamespace(embedding_=np.ones((5, 2))), PROBLEM, PROBLEM.counts)
    monkeypatch.setattr(measures, "_MOST_POINTS", 30)
    with pytest.raises(ValueError, match="keeps at most 30 documents: set 'sample'"):
        embedding(model, PROBLEM, PROBLEM.counts)
    monkeypatch.setattr(measures, "_MOST_ROWS", 30)
    with pytest.raises(ValueError, match="compares at most 30 documents: set 'sample'"):
        similarity_pattern(model, PROBLEM, PROBLEM.counts)


SPECTRAL = """
[[entries]]
id = "sc"
label = "SC"
method = "sc"
weighting = "tfidf"
measures = ["embedding", "similarity pattern"]
[[entries]]
id = "input"
label = "Input"
method = "lg"
params = { C = 2.0 }
weighting = "tfidf"
measures = ["similarity pattern"]
[[figures]]
title = "Coordinates"
entries = ["sc"]
x = "embedding"
[[figures]]
title = "Patterns"
entries = ["input", "sc"]
x = "similarity"
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results of both entries on the first problem."""
    file = ResultFile(tmp_path_factory.mktemp("results") / "r.jsonl")
    suite = parse_suite(TINY + SPECTRAL, "tiny.toml")
    with ThreadPoolExecutor(1) as executor:
        runs = plan_runs(suite, Choice(methods=("sc", "input"), limit=1))
        run_pending(runs, file, executor=executor)
    return file.path.read_text()


def blocks(lines: str, folder: Path) -> list[Any]:
    path = folder / "r.jsonl"
    path.write_text(lines)
    suite = parse_suite(TINY + SPECTRAL, "tiny.toml")
    return figure_blocks(suite, collect(suite, ResultFile(path).read()))


def test_figures_of_a_run(lines: str, tmp_path: Path) -> None:
    assert max(map(len, lines.splitlines())) < 20_000
    heading, chart, coordinates, _, grids, shares = blocks(lines, tmp_path)
    assert heading == "### Coordinates"
    assert isinstance(chart, Chart)
    # A class has a color, and sources have open circles.
    assert [series.style for series in chart.series] == [
        (0, True), (0, False), (1, True), (1, False)
    ]  # fmt: skip
    assert chart.title.startswith("SC, a 000")
    rows = table_rows(coordinates)
    assert [row[1] for row in rows[1:]] == [series.label for series in chart.series]
    assert rows[1][2:4] == [str(len(chart.series[0].x)), f"{np.mean(chart.series[0].x):.3f}"]
    assert isinstance(grids, Grids)
    assert [grid.title.partition(",")[0] for grid in grids.grids] == ["Input", "SC"]
    rows = table_rows(shares)
    assert rows[0][2:] == [name for name, _ in grids.grids[0].groups]
    assert len(rows) == 9
    # In the space of SC, labeled documents are similar if they have the same class.
    assert (rows[5][1:3], rows[5][4]) == ([rows[0][2], "100.0"], "0.0")


def test_nothing_is_drawn_without_results(tmp_path: Path) -> None:
    nothing = "There are no results to draw yet."
    assert blocks("", tmp_path) == ["### Coordinates", nothing, "### Patterns", nothing]


@pytest.mark.parametrize(
    ("pattern", "damaged"),
    [
        (r'"x":\[-?[\d.]+', '"x":[NaN'),
        (r'"x":\[-?[\d.]+,', '"x":['),
        (r'"label":0', '"label":-1'),
        (r'"cells":\d+', '"cells":7'),
        (r'"rows":\["\d', '"rows":["x'),
        (r'"shares":\[\[[\d.]+', '"shares":[[1.5'),
        (r'"shares":\[\[[\d.]+,', '"shares":[['),
    ],
)
def test_damaged_results_are_refused(
    lines: str, tmp_path: Path, pattern: str, damaged: str
) -> None:
    with pytest.raises(ValueError, match="is not a result: delete it"):
        blocks(re.sub(pattern, damaged, lines, count=1), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('x = "embedding"', 'x = "embedding"\nlog_x = true', "'log_x' has no meaning"),
        ('entries = ["sc"]', 'entries = ["input"]', r"needs measures = \['embedding'\]"),
        ('method = "sc"', 'method = "svm"', "no embedding with two coordinates"),
        ('method = "sc"', 'method = "sc"\nparams = { n_eigenvectors = 1 }', "no embedding with"),
    ],
)
def test_errors_of_suites(old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_suite(TINY + SPECTRAL.replace(old, new, 1), "tiny.toml")


GRIDS = Grids(
    "Two & two",
    (
        Grid("<first>", ("0099", "0099", "4400", "4400"), (("a, source", 2), ("b, target", 2))),
        Grid("second", ("9",), (("c", 1),)),
    ),
)


def test_cells_have_the_color_of_the_page() -> None:
    svg = draw(GRIDS, "a")
    assert 'aria-label="Two &amp; two"' in svg
    assert "var(--series-1)" in svg
    # One shape for 4 and two for 9, without lines between cells.
    assert svg.count('<g shape-rendering="crispEdges"') == 3
    assert svg.count("fill: var(--series-1)") == 3
    for text in ("a, source", "b, target", "&lt;first&gt;", "currentColor"):
        assert text in svg
    assert svg == draw(GRIDS, "a")


def test_the_problem_is_one_of_table_2_with_its_first_sample() -> None:
    suite, table = find_suite("cdsc-figures1-6"), find_suite("cdsc-table2")
    (task,) = suite.tasks
    (known,) = [other for other in table.tasks if other.name == task.name]
    assert task.model_copy(update={"set_name": known.set_name, "paper": known.paper}) == (
        known.model_copy(update={"seeds": task.seeds})
    )
    assert suite.seeds[0] == (known.seeds or ())[0]
    assert (suite.text, suite.dtype) == (table.text, table.dtype)
    by_id = {entry.id: entry for entry in table.entries}
    for entry in suite.entries[1:]:
        same = by_id[entry.id]
        assert (entry.method, entry.preset, entry.weighting) == (
            same.method, same.preset, same.weighting
        )  # fmt: skip
