"""The suite everyday, and suites of all ordered pairs of domains."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isthmus.datasets import EVERYDAY_DOMAINS
from isthmus_bench.documents.bilingual import find_dictionary, find_languages
from isthmus_bench.documents.corpora import CORPORA
from isthmus_bench.peers.registry import COMPETITORS, LABORATORY, PEERS
from isthmus_bench.plan.reading import find_suite, parse_suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.worker import execute
from tiny_suite import TINY

EVIDENCE = {
    "sentiment_kinds", "issue_types", "citation_function", "deceptive_reviews", "tweet_languages"
}  # fmt: skip
PAIRS = """
name = "pairs"
title = "Pairs"
citation = "Nobody"
seeds = [0]
dtype = "float32"
[text]
min_df = 2
[tasks]
kind = "domain-pairs"
[[sets]]
name = "reviews"
corpus = "synthetic"
split = "development"
domains = ["books", "kitchen"]
classes = ["positive", "negative"]
named = [1]
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
"""


def test_all_ordered_pairs_of_every_scenario() -> None:
    suite = find_suite("everyday")
    assert {group.name for group in suite.sets} == {*EVERYDAY_DOMAINS}
    assert len(suite.tasks) == 46 + 40
    for group in suite.sets:
        domains = EVERYDAY_DOMAINS[group.name]
        assert len(group.tasks) == len(domains) * (len(domains) - 1)
        for task in group.tasks:
            assert task.split == ("evidence" if group.name in EVIDENCE else "development")
            assert task.corpus == f"everyday/{group.name}"
            source, target = (
                {name.split(".")[0] for groups in part.values() for name in groups}
                for part in (task.sources[0], task.targets[0])
            )
            assert len(source) == len(target) == 1
            assert source != target
            assert source | target <= {*domains}


def test_languages_with_a_dictionary_use_it() -> None:
    tasks = {task.name: task for task in find_suite("everyday").tasks}
    translated = {name for name, task in tasks.items() if task.vocabulary == "dictionary"}
    assert translated == {
        *(f"news_languages: {name}_en to derstandard_de" for name in ("agnews", "bbc")),
        *(f"news_languages: derstandard_de to {name}_en" for name in ("agnews", "bbc")),
        *(f"tweet_languages: english to {name}" for name in ("french", "german")),
        *(f"tweet_languages: {name} to english" for name in ("french", "german")),
    }
    assert all(tasks[name].vocabulary is None for name in tasks.keys() - translated)
    pair = tasks["news_languages: derstandard_de to bbc_en"]
    assert find_languages(pair) == ("de", "en")


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (("en", "de"), True),
        (("fr", "en"), True),
        (("en", "ja"), True),
        (("en", "es"), False),
        (("de", "fr"), False),
    ],
)
def test_which_languages_have_a_dictionary(pair: tuple[str, str], expected: bool) -> None:
    for name in ("everyday/tweet_languages", "webis"):
        languages = CORPORA[name].languages
        assert languages is not None
        assert languages.has_dictionary(*pair) is expected


def test_every_classifier_and_five_peers_are_entries() -> None:
    suite = find_suite("everyday")
    methods = {entry.method for entry in suite.entries}
    own = {n for n, m in COMPETITORS.items() if m.kind == "classifier"} - {*PEERS, *LABORATORY}
    assert own <= methods
    assert methods & {*PEERS} == {
        "skada-jdot", "skada-ot-class", "skada-ot-entropic", "skada-sa", "skada-jcpot"
    }  # fmt: skip
    # Verdicts are compared with the first one, which is the source-only classifier of auto.
    assert suite.source_only == ("lg-balanced", "lg")
    assert suite.metrics == ("accuracy", "macro F1")
    assert (suite.text.stop_words, suite.text.min_df) == (None, 2)
    # The ranks over the other suites do not change.
    assert not suite.ranked


def test_pairs_of_domains_run() -> None:
    suite = parse_suite(PAIRS, "pairs.toml")
    first, second = suite.tasks
    assert [task.name for task in suite.tasks] == [
        "reviews: books to kitchen",
        "reviews: kitchen to books",
    ]
    assert first.sources == ({"positive": ("books.positive",), "negative": ("books.negative",)},)
    assert (first.sources, first.targets) == (second.targets, second.sources)
    assert [task.named for task in suite.tasks] == [False, True]
    (run, _) = plan_runs(suite, Choice())
    assert execute(run)["accuracy"] > 0.5


def test_pairs_of_domains_of_texts_of_a_user(tmp_path: Path) -> None:
    for name in ("old", "new"):
        lines = [f"{name} money bill {i},pay\n{name} door key {i},home\n" for i in range(5)]
        (tmp_path / f"{name}.csv").write_text("text,label\n" + "".join(lines))
    own = PAIRS.replace('corpus = "synthetic"', 'corpus = "tickets"')
    own = own.replace('"books", "kitchen"', '"old", "new"')
    own = own.replace('"positive", "negative"', '"pay", "home"')
    own += '[corpora.tickets]\nold = { file = "old.csv" }\nnew = { file = "new.csv" }\n'
    (run, _) = plan_runs(parse_suite(own, "own.toml", tmp_path), Choice())
    assert execute(run)["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('split = "development"', "", "sets 'reviews': 'split' is missing: use \"dev"),
        ('domains = ["books", "kitchen"]', "", "'domains' is missing: kind = \"domain-pairs\""),
        ('"books", "kitchen"', '"books"', "'domains' must have two or more names"),
        ('corpus = "synthetic"', "", "'corpus' is missing here and in 'tasks'"),
        ('corpus = "synthetic"', 'corpus = "letters"', "There is no corpus 'letters': choose"),
        ("named = [1]", "named = [2]", "'named' must have numbers from 0 to 1"),
        ("named = [1]", 'positive = ["books"]', "'positive' has no meaning with kind = \"domain"),
    ],
)
def test_errors_in_pairs_of_domains(old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_suite(PAIRS.replace(old, new), "pairs.toml")


def test_domains_need_their_kind() -> None:
    with pytest.raises(ValueError, match="'domains' has no meaning with kind = \"ordered-pairs\""):
        parse_suite(TINY.replace("positive =", 'domains = ["x"]\npositive ='), "t.toml")


@pytest.mark.corpus
def test_a_development_problem_across_languages(corpora: Path) -> None:
    if not (corpora / "everyday").is_dir():
        pytest.skip("the everyday scenarios are not in the data folder")
    suite = find_suite("everyday")
    name = "news_languages: derstandard_de to bbc_en"
    (run,) = (
        run
        for run in plan_runs(suite, Choice(methods=("lg",)), str(corpora))
        if run.task.name == name
    )
    assert find_dictionary(run.task, str(corpora)) is not None
    record = execute(run)
    assert record["error"] is None
    assert record["sizes"]["n_scored"] == 1756
    # 19.8 % without a dictionary.
    assert record["accuracy"] > 0.35
