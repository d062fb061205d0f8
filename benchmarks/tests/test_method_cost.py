"""The costs of all methods by number of documents: what is measured, stored and shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isthmus.estimators.registry import METHODS
from isthmus_bench.report.blocks import GrowthChart, Report, Section, render_markdown
from isthmus_bench.report.build import build_report
from isthmus_bench.report.method_cost import cost_section, memory_table, seconds_table
from isthmus_bench.run.method_costs import COST_FILE, cost_entries, read_costs
from isthmus_bench.speed import methods
from isthmus_bench.speed.measuring import FitCost
from isthmus_bench.speed.methods import MethodFits, counts_up_to, measure_methods

COUNTS = (100, 1_000, 10_000)


class Machine:
    """Answers instead of fits: seconds by method and number of documents."""

    def __init__(self, monkeypatch, seconds, growth=50_000):
        self.calls = []
        self.seconds = seconds
        self.growth = growth
        monkeypatch.setattr(methods, "measure_fit", self.fit)

    def fit(self, method, parameters, count, terms, words, weights, time_limit, corpus_file):
        assert weights
        assert corpus_file.exists()
        self.calls.append((method, count))
        answer = self.seconds(method, count)
        if isinstance(answer, Exception):
            raise answer
        if answer > time_limit:
            raise TimeoutError(f"not done after {time_limit:g} seconds")
        return FitCost(count, 7, 100, int(self.growth * count), answer, answer, 0.9)


def run(fits, counts=COUNTS, progress=None):
    return measure_methods(fits, counts, 60, 10, [].append if progress is None else progress.append)


def outcomes(costs):
    return {entry.id: [by[n].outcome for n in sorted(by)] for entry, by in costs.by_entry().items()}


@pytest.fixture
def fits(tmp_path):
    return MethodFits(("lg", "svm"), time_limit=10.0, results=tmp_path / "results")


def test_every_classifier_is_measured():
    entries = cost_entries()
    assert {entry.method for entry in entries} == {
        method.name for method in METHODS.values() if method.kind == "classifier"
    }
    assert len({entry.id for entry in entries}) == len(entries)
    assert [e.id for e in cost_entries(("svm", "auto"))] == ["auto-fast", "auto-normal", "svm"]
    assert dict(cost_entries(("auto",))[0].parameters) == {"effort": "fast"}


def test_numbers_of_documents():
    assert counts_up_to(1_000_000) == (1_000, 10_000, 100_000, 1_000_000)
    assert counts_up_to(99_999) == (1_000, 10_000)
    assert counts_up_to(600) == (600,)


def test_small_fits_come_first_and_long_ones_are_not_tried(monkeypatch, fits):
    machine = Machine(monkeypatch, lambda m, n: {"lg": n / 5_000, "svm": n / 500}[m], growth=0)
    progress = []
    costs = run(fits, progress=progress)
    # svm: 2 seconds for 1,000 documents, so that 10,000 would take 20.
    assert machine.calls == [
        ("lg", 100), ("svm", 100), ("lg", 1_000), ("svm", 1_000), ("lg", 10_000),
    ]  # fmt: skip
    assert outcomes(costs) == {"lg": ["measured"] * 3, "svm": ["measured"] * 2 + ["not tried"]}
    assert "svm, 10,000 documents: not tried: 1,000 documents took 2.0 seconds" in progress
    assert "lg, 10,000 documents: 2.00 seconds, 0 MB" in progress


def test_a_fixed_cost_does_not_grow_with_the_documents(monkeypatch):
    # 0.9 and 2.0 seconds: 9,000 more documents are expected to take 11 more.
    machine = Machine(monkeypatch, lambda m, n: {100: 0.9, 1_000: 2.0, 10_000: 3.0}[n], growth=0)
    run(MethodFits(("lg",), time_limit=14.0))
    assert machine.calls[-1] == ("lg", 10_000)
    machine = Machine(monkeypatch, lambda m, n: {100: 0.1, 1_000: 2.0, 10_000: 3.0}[n], growth=0)
    run(MethodFits(("lg",), time_limit=14.0))
    assert machine.calls[-1] == ("lg", 1_000)


def test_an_exceeded_limit_ends_a_method(monkeypatch, fits):
    Machine(monkeypatch, lambda m, n: 99.0 if n > 100 else 0.1, growth=0)
    costs = run(fits)
    assert outcomes(costs)["lg"] == ["measured", "exceeded", "not tried"]
    assert [row[2:] for row in seconds_table(costs)[1]] == [("0.10", "> 10", "not tried")] * 2
    assert [row[2:] for row in memory_table(costs)[1]] == [("0.000", "-", "-")] * 2


def test_too_much_memory_is_not_tried(monkeypatch, fits):
    monkeypatch.setattr(methods, "_available_memory", lambda: 20_000_000)
    machine = Machine(monkeypatch, lambda m, n: 0.1, growth=10_000)
    progress = []
    run(fits, progress=progress)
    assert ("lg", 10_000) not in machine.calls
    assert "lg, 10,000 documents: not tried: 1,000 documents needed 10 MB of memory" in progress


def test_results_are_stored_and_not_measured_again(monkeypatch, fits):
    machine = Machine(monkeypatch, lambda m, n: n / 500, growth=0)
    first = run(fits, counts=COUNTS[:2])
    before = (fits.results / COST_FILE).read_bytes()
    machine.calls.clear()
    progress = []
    assert run(fits, counts=COUNTS[:2], progress=progress) == first
    assert machine.calls == []
    assert "lg, 1,000 documents: stored, 2.00 seconds, 0 MB" in progress
    assert (fits.results / COST_FILE).read_bytes() == before
    run(MethodFits(("lg",), 10.0, fits.results, again=True), counts=COUNTS[:2])
    assert machine.calls == [("lg", 100), ("lg", 1_000)]
    stored = read_costs(fits.results / COST_FILE)
    assert outcomes(stored) == outcomes(first)
    assert stored.terms == 60
    assert "isthmus" in stored.versions[0]


def test_a_higher_limit_and_a_failure_are_tried_again(monkeypatch, fits):
    answers = {100: 0.1, 1_000: 20.0}
    machine = Machine(monkeypatch, lambda m, n: answers[n], growth=0)
    run(fits, COUNTS[:2])
    machine.calls.clear()
    run(fits, COUNTS[:2])
    assert machine.calls == []
    costs = run(MethodFits(("lg",), 30.0, fits.results), COUNTS[:2])
    assert machine.calls == [("lg", 1_000)]
    assert outcomes(costs)["lg"] == ["measured", "measured"]

    answers[1_000] = RuntimeError("killed")
    again = MethodFits(("lg",), 30.0, fits.results, again=True)
    assert outcomes(run(again, COUNTS[:2]))["lg"] == ["measured", "failed"]
    machine.calls.clear()
    run(MethodFits(("lg",), 30.0, fits.results), COUNTS[:2])
    assert machine.calls == [("lg", 1_000)]


def test_an_unknown_method_is_an_error():
    with pytest.raises(ValueError, match="did you mean 'mtrick'"):
        MethodFits(("mtrik",))
    with pytest.raises(ValueError, match="predicts no labels"):
        MethodFits(("kmeans",))


@pytest.fixture
def stored(monkeypatch, fits) -> Path:
    Machine(monkeypatch, lambda m, n: n / {"lg": 5_000, "svm": 500}[m])
    run(fits)
    return fits.results / COST_FILE


def changed(path: Path, change) -> Path:
    """The same file after a change of every result or shared value."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        change(line.get("shared", line))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def replace_value(name, value):
    def change(fields):
        if name in fields:
            fields[name] = value

    return change


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("documents", 0),
        ("documents", 1e300),
        ("documents", "1000"),
        ("machine", "[click](https://example.org)"),
        ("machine", "x" * 1000),
        ("seconds", float("nan")),
        ("seconds", float("inf")),
        ("seconds", -1.0),
        ("memory", float("inf")),
        ("time_limit", 0.0),
        ("isthmus", "<script>"),
    ],
)
def test_values_that_are_no_results_are_refused(stored, name, value):
    assert read_costs(stored) is not None
    with pytest.raises(ValueError, match="method_cost"):
        read_costs(changed(stored, replace_value(name, value)))


def test_a_file_that_is_too_large_is_refused(stored, monkeypatch):
    from isthmus_bench.run import method_costs

    monkeypatch.setattr(method_costs, "_LARGEST_FILE", 10)
    with pytest.raises(ValueError, match="is larger than"):
        read_costs(stored)


def test_old_revisions_and_unknown_methods_are_not_shown(stored, tmp_path):
    assert read_costs(tmp_path / "missing.jsonl") is None
    assert read_costs(changed(stored, replace_value("revision", 99))) is None
    text = stored.read_text().replace('"revision": 99', '"revision": 1')
    stored.write_text(text.replace('"entry": "lg"', '"entry": "unknown"'))
    assert list(outcomes(read_costs(stored))) == ["svm"]


def test_results_of_two_machines_do_not_mix(stored, monkeypatch, fits):
    monkeypatch.setattr(methods, "hardware", lambda: "another, 64 cores")
    machine = Machine(monkeypatch, lambda m, n: 0.001, growth=0)
    run(MethodFits(("lg",), 10.0, fits.results), COUNTS[:2])
    assert machine.calls == [("lg", 100), ("lg", 1_000)]
    costs = read_costs(stored)
    assert costs.machine != "another, 64 cores"
    assert len(costs.costs) == 6


def test_the_section(stored):
    section = cost_section(read_costs(stored))
    (chart,) = [block for block in section.blocks if isinstance(block, GrowthChart)]
    assert [(line.label, line.group) for line in chart.lines] == [
        ("LG", "baselines"), ("SVM", "baselines"),
    ]  # fmt: skip
    assert chart.lines[0].points == ((100.0, 0.02), (1_000.0, 0.2), (10_000.0, 2.0))
    assert chart.lines[1].points == ((100.0, 0.2), (1_000.0, 2.0))
    assert chart.limit == 10.0
    text = render_markdown(Report("A", "", (section,)))
    assert "| SVM | baselines | 0.20 | 2.00 | not tried |" in text
    assert "| LG | baselines | 5.00 | 50.0 | 500 |" in text
    assert "isthmus-bench speed --only methods" in text


def test_an_exceeded_limit_is_a_lower_bound_and_no_point(monkeypatch, fits):
    Machine(monkeypatch, lambda m, n: 99.0 if n > 100 else 0.1, growth=0)
    section = cost_section(run(fits))
    (chart,) = [block for block in section.blocks if isinstance(block, GrowthChart)]
    assert chart.lines[0].points == ((100.0, 0.1),)
    assert chart.lines[0].above == (1_000.0, 10.0)


def test_a_report_without_costs_has_no_section(stored):
    assert build_report([]).sections == ()
    (section,) = build_report([], read_costs(stored)).sections
    assert isinstance(section, Section)
    assert section.name == "cost"
