"""Suites: numbering of the problems, the papers' numbers, errors in suite files."""

from __future__ import annotations

import hashlib
import re
from itertools import permutations
from pathlib import Path
from textwrap import dedent

import pytest

from isthmus_bench.documents.bilingual import find_languages
from isthmus_bench.peers.registry import COMPETITORS
from isthmus_bench.plan.reading import find_suite, parse_suite, suites
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import ResultFile, record_key
from tiny_suite import CLUSTERS, TINY

RESULTS = Path(__file__).parents[1] / "results"
SUITE = TINY.replace("development_every = 4", "development_every = 2")


def test_numbering_of_table_1() -> None:
    suite = find_suite("mtrick-table1")
    assert [group.name for group in suite.sets] == ["sci vs talk", "rec vs sci"]
    for group in suite.sets:
        assert len(group.tasks) == 144
        development = [i for i, task in enumerate(group.tasks) if task.split == "development"]
        assert development == list(range(0, 144, 9))
    first, last = suite.sets[0].tasks[0], suite.sets[0].tasks[-1]
    assert first.domains == {
        0: {"positive": ("sci.crypt",), "negative": ("talk.politics.guns",)},
        -1: {"positive": ("sci.electronics",), "negative": ("talk.politics.mideast",)},
    }
    assert (last.domains[0]["positive"], last.domains[-1]["positive"]) == (
        ("sci.space",),
        ("sci.med",),
    )
    assert suite.sets[1].tasks[0].domains == {
        0: {"positive": ("rec.autos",), "negative": ("sci.crypt",)},
        -1: {"positive": ("rec.motorcycles",), "negative": ("sci.electronics",)},
    }


def test_order_of_table_1_is_that_of_the_permutations() -> None:
    sci = ["sci.crypt", "sci.electronics", "sci.med", "sci.space"]
    pairs = [p for p in permutations(sci, 2) for _ in range(12)]
    tasks = find_suite("mtrick-table1").sets[0].tasks
    assert [(t.domains[0]["positive"] + t.domains[-1]["positive"]) for t in tasks] == pairs


def test_table_3_is_three_tasks_and_their_reverse() -> None:
    suite = find_suite("mtrick-table3")
    assert [t.name for t in suite.tasks if t.split == "development"] == ["orgs vs people"]
    for forward, back in zip(suite.tasks[:3], suite.tasks[3:], strict=True):
        assert forward.corpus == back.corpus
        assert (forward.sources, forward.targets) == (back.targets, back.sources)
    totals = [group.paper["total"]["MTrick"] for group in suite.sets[:3]]
    assert totals == [80.80, 76.77, 69.02]


def test_paper_numbers_of_table_1() -> None:
    sci, rec = find_suite("mtrick-table1").sets
    assert sci.paper["total"] == {
        "LG": 70.64, "SVM": 69.62, "TSVM": 79.35, "CoCC": 90.50, "MTrick0": 87.88, "MTrick": 92.01
    }  # fmt: skip
    assert rec.paper["L"]["MTrick"] == 90.44
    assert rec.paper["R"]["MTrick0"] == 93.50


@pytest.mark.parametrize("name", list(suites()))
def test_entries_can_be_built(name: str) -> None:
    suite = find_suite(name)
    for entry in suite.entries:
        estimator = COMPETITORS[entry.method].build(entry.preset, **entry.params)
        assert dict(entry.params).items() <= estimator.get_params().items()


def test_keys_of_the_suites_with_results_never_change() -> None:
    """Stored results are found by these keys."""
    runs = plan_runs(find_suite("mtrick-table3"), Choice())
    run = next(run for run in runs if run.entry.id == "lg")
    key = record_key(run.identity()).encode()
    assert hashlib.sha256(key).hexdigest() == (
        "77f9ecc1e5feaaa2d8a960618d95c70adf3b590e144599793d1eee9c0db36900"
    )


@pytest.mark.parametrize("name", [n for n in suites() if (RESULTS / f"{n}.jsonl").exists()])
def test_every_problem_has_stored_results(name: str) -> None:
    """A name that changes in a suite or in the identity of a run loses results."""
    records = ResultFile(RESULTS / f"{name}.jsonl").read()
    runs = plan_runs(find_suite(name), Choice())
    stored = {run.task.name for run in runs if record_key(run.identity()) in records}
    assert {run.task.name for run in runs} == stored


def test_dkt_table_3() -> None:
    suite = find_suite("dkt-table3")
    joined, identical, shares = suite.sets
    for group, vocabulary in ((joined, "dictionary"), (identical, "identical")):
        assert [task.vocabulary for task in group.tasks] == [vocabulary] * 6
        assert [task.labeled_target for task in group.tasks] == [0.0, 0.2] * 3
        assert {task.labeled_source for task in group.tasks} == {0.7}
        languages = [find_languages(task)[1] for task in group.tasks]
        assert languages == ["de", "de", "fr", "fr", "ja", "ja"]
        for task, language in zip(group.tasks, languages, strict=True):
            assert (task.split == "development") == (language == "de")
            assert task.classes == ("books", "dvd", "music")
            assert len(task.groups) == 12
    assert [task.keep_target for task in shares.tasks] == [{"dvd": 0.37, "music": 0.21}] * 2
    assert [sum(bool(t.paper) for t in group.tasks) for group in suite.sets] == [6, 0, 0]
    papers = {task.name: task.paper for task in joined.tasks}
    assert papers["D6 jp"]["F1 of macro averages"] == {
        "SVM_T": 44.7, "SVM_TS": 46.0, "TSVM_T": 45.6, "TSVM_TS": 46.7, "KTW": 46.3,
        "MTrick": 47.5, "IB": 47.8, "DKT, S only": 48.6, "DKT": 49.3,
    }  # fmt: skip
    assert papers["D1 de"]["macro precision"]["DKT"] == 71.6
    assert "SVM_T" not in papers["D1 de"]["macro precision"]


def test_nine_tasks_of_sentiment() -> None:
    tasks = find_suite("webis-sentiment").tasks
    assert len(tasks) == 9
    for task in tasks:
        language, category = task.name.split()
        assert (task.split == "development") == (language == "de")
        for side, first in ((task.sources, "en"), (task.targets, language)):
            labels = ("positive", "negative")
            assert side == ({y: (f"{first}.{category}.{y}",) for y in labels},)


def test_a_set_may_have_its_own_rule() -> None:
    suite = parse_suite(SUITE, "tiny.toml")
    assert len(suite.tasks) == 4
    assert suite.groups("synthetic") == (
        "books.negative",
        "books.positive",
        "kitchen.negative",
        "kitchen.positive",
    )


def test_unknown_suite_and_file() -> None:
    with pytest.raises(
        ValueError, match="choose from amazon, amazon-priors, amazon-priors-skewed, cds"
    ):
        find_suite("mtrick-table9")
    with pytest.raises(FileNotFoundError, match=r"no suite file 'x\.toml'"):
        find_suite("x.toml")


def test_the_examples_in_the_documentation_are_valid(tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "docs" / "benchmarks" / "suites.md"
    page = path.read_text(encoding="utf-8")
    (whole,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    pieces = re.findall(r"(?<=\n\n)((?:    .*\n)+)", page)
    pairs, own, rest, sampled, pooled, clusters, problem, goal, error_goal, *others = pieces
    as_paper, drawn = others[:3], others[3:]
    head, entries = whole.split("[[entries]]", 1)
    kind = '[tasks]\nkind = "domain-pairs"\n'
    spam = parse_suite(
        f"{head[: head.index('[tasks]')]}{kind}{dedent(pairs)}[[entries]]{entries}", "page.toml"
    )
    assert len(spam.tasks) == 6
    entries = entries.replace('id = "lg"', 'id = "lg"\npaper = "KTW"')
    settings = 'table = "problems"\nmetrics = ["accuracy", "macro precision", "macro F1"]\n'
    suite = parse_suite(
        settings + head + dedent(pooled) + dedent(sampled) + dedent(problem) + "[[entries]]"
        + entries + dedent(goal) + dedent(error_goal) + "".join(map(dedent, drawn)),
        "page.toml",
    )  # fmt: skip
    task = suite.tasks[-1]
    assert (task.vocabulary, task.keep_target) == ("dictionary", {"dvd": 0.2})
    assert find_languages(task) == ("en", "de")
    assert suite.sets[0].paper_row([task], "accuracy") == {"KTW": 71.2}
    assert (suite.tasks[-2].sample, suite.tasks[-2].seeds) == (50, (3, 4))
    assert suite.sets[0].paper_row([suite.tasks[-2]], "error") == {"SVM": 0.16}
    assert suite.goals[0].task == "books to kitchen"
    task = suite.tasks[-3]
    assert (task.pools, task.folds) == ({0: ("books.pool",), -1: ("dvd.pool",)}, 5)
    assert task.new_documents
    assert [entry.id for entry in suite.entries if entry.sweep] == [
        "by-beta@beta=0.5", "by-beta@beta=1", "by-beta@beta=2"
    ]  # fmt: skip
    assert [figure.x for figure in suite.figures] == ["sweep", "iterations"]
    assert (suite.goals[1].mean, suite.goals[1].not_below) == (0.1, "lg")
    rules = CLUSTERS[: CLUSTERS.index("[[sets.problems]]")]
    rows = CLUSTERS[CLUSTERS.index("[[entries]]") :]
    (task,) = parse_suite(rules + dedent(clusters) + rows.replace('paper = "KM"', ""), "c").tasks
    assert (list(task.domains), task.scored) == ([-1, -2], 2)
    named = head.replace('split = "evidence"', 'named = true\nsplit = "evidence"', 1)
    suite = parse_suite(
        f"{named}[[entries]]{entries}{dedent(rest)}".replace('paper = "KTW"', ""), "p"
    )
    few = {entry.method: entry for entry in suite.entries}
    for name in ("tickets-2025.csv", "tickets-2026.csv"):
        (tmp_path / name).write_text("body,queue\nhello,billing\n")
    tickets = parse_suite(f"{whole}{dedent(own)}", "page.toml", tmp_path)
    assert [domain for domain, _ in tickets.user_corpora[0].files] == ["last-year", "this-year"]
    assert (few["cocc"].is_named_only, few["cocc"].time_limit, "mct" in few) == (True, 60.0, False)
    printed = parse_suite(whole + "".join(map(dedent, as_paper)), "page.toml").entries[2:]
    assert printed[0].label == "LSSTTC, best of 12 settings (oracle)"
    assert printed[0].settings()[0].id == "lssttc-grid@lam=0.25,n_subspace=2"
    assert [entry.trained_on for entry in printed[1:]] == ["target", "target folds"]
    settings = parse_suite(whole.replace("# stemmer", "stemmer").replace("# max_", "max_"), "page")
    assert (settings.text.stemmer, settings.text.max_terms) == ("porter", 2000)
