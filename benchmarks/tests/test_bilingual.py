"""Tasks in two languages, on generated texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from isthmus.text.dictionaries import BilingualDictionary
from isthmus_bench.documents import corpora
from isthmus_bench.documents.bilingual import (
    REVISION,
    cut_bilingual,
    find_dictionary,
    find_languages,
    read_documents,
)
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.reading import find_suite, parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import ResultFile, record_key
from isthmus_bench.run.runner import run_pending
from isthmus_bench.run.runs import Run
from isthmus_bench.run.worker import execute
from tiny_suite import make_task, replace

TEXTS = {
    "de.art": ["Museum Bild", "Bild Bild"],
    "de.food": ["Brot Pizza", "Brot"],
    "en.art": ["museum picture", "picture image"],
    "en.food": ["bread pizza", "bread bread"],
    "ja.art": ["美術館", "絵"],
}
WORDS = {"picture": "Bild", "image": "Bild", "bread": "Brot"}
SUITE = """
name = "babel"
title = "Babel"
citation = "Genesis 11"
seeds = [0, 1]
dtype = "float32"
[tasks]
kind = "listed"
corpus = "babel"
[[sets]]
name = "a"
[[sets.problems]]
name = "en to de"
split = "evidence"
vocabulary = "dictionary"
source = { art = ["en.art"], food = ["en.food"] }
target = { art = ["de.art"], food = ["de.food"] }
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
"""


def _read(data_home: corpora.DataHome, groups: tuple[str, ...]) -> corpora.CorpusDocuments:
    pairs = [(group, text) for group, texts in TEXTS.items() for text in texts]
    return corpora.CorpusDocuments([g for g, _ in pairs], texts=[text for _, text in pairs])


def _dictionary(data_home: corpora.DataHome, source: str, target: str) -> BilingualDictionary:
    return BilingualDictionary.from_mapping(WORDS, ("en", target))


@pytest.fixture(autouse=True)
def _babel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    languages = corpora.Languages(lambda group: group.split(".")[0], _dictionary)
    monkeypatch.setitem(corpora.CORPORA, "babel", corpora.Corpus(_read, "babel", languages))
    read_documents.cache_clear()
    yield
    read_documents.cache_clear()


@pytest.fixture
def suite() -> Suite:
    return parse_suite(SUITE, "babel.toml")


@pytest.fixture
def task(suite: Suite) -> BenchmarkTask:
    return suite.tasks[0]


def test_a_dictionary_joins_the_vocabularies(task: BenchmarkTask) -> None:
    problem = cut_bilingual(task, None, None, "float64", None)
    # bread, image, museum, picture, pizza: sources first, in the order of the corpus.
    assert problem.counts.toarray().tolist() == [
        [0, 0, 1, 1, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [2, 0, 0, 0, 0],
        [0, 0.5, 1, 0.5, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [1, 0, 0, 0, 0],
    ]  # fmt: skip
    assert problem.counts.dtype == np.float64
    assert problem.labels.tolist() == [0, 0, 1, 1] * 2
    assert problem.sample_domain.tolist() == [0] * 4 + [-1] * 4
    assert problem.classes == ("art", "food")


def test_only_identical_strings_are_joined(task: BenchmarkTask) -> None:
    problem = cut_bilingual(replace(task, vocabulary="identical"), None, None, "float32", None)
    # bild, bread, brot, image, museum, picture, pizza
    assert problem.counts.toarray()[4].tolist() == [1, 0, 0, 0, 1, 0, 0]
    assert problem.counts.toarray()[6].tolist() == [0, 0, 1, 0, 0, 0, 1]


def test_min_df_applies_to_each_language(task: BenchmarkTask) -> None:
    problem = cut_bilingual(replace(task, vocabulary="identical"), 2, None, "float32", None)
    # bild, bread, brot, picture; museum and pizza stand in one text of each language.
    assert problem.counts.toarray()[[0, 4]].tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]


def test_removed_rows_add_no_terms(task: BenchmarkTask) -> None:
    kept = replace(task, vocabulary="identical", keep_target=(("food", 0.5),))
    sizes = {cut_bilingual(kept, None, None, "float32", None, seed).counts.shape for seed in (0, 3)}
    assert {rows for rows, _ in sizes} == {7}


def test_texts_are_read_once_for_a_task(
    task: BenchmarkTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    languages = corpora.CORPORA["babel"].languages

    def read(data_home: corpora.DataHome, groups: tuple[str, ...]) -> corpora.CorpusDocuments:
        reads.append(groups)
        return _read(data_home, groups)

    monkeypatch.setitem(corpora.CORPORA, "babel", corpora.Corpus(read, "babel", languages))
    for vocabulary in ("dictionary", "identical"):
        cut_bilingual(replace(task, vocabulary=vocabulary), None, None, "float32", None)
    assert reads == [("de.art", "de.food", "en.art", "en.food")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('food = ["en.food"]', 'food = ["de.food"]', "sources of the problem .* 'de' and 'en'"),
        ('art = ["de.art"]', 'art = ["ja.art"]', "targets of the problem .* 'de' and 'ja'"),
        ('corpus = "babel"', 'corpus = "amazon"', "corpus 'amazon' has one: remove it"),
        ('corpus = "babel"', 'corpus = "babble"', "no corpus 'babble'"),
    ],
)
def test_wrong_languages_are_errors(old: str, new: str, message: str) -> None:
    assert old in SUITE
    text = SUITE.replace(old, new)
    if "sources" in message:  # the group must not be named twice
        text = text.replace('"de.food"] }\n[[', '"de.other"] }\n[[')
    with pytest.raises(ValueError, match=message):
        parse_suite(text, "babel.toml")


def test_one_language_needs_no_vocabulary(task: BenchmarkTask) -> None:
    same = replace(task, targets=((("art", ("en.more",)),),))
    with pytest.raises(ValueError, match="is all in 'en': remove the field 'vocabulary'"):
        find_languages(same)


def test_an_unknown_group(task: BenchmarkTask) -> None:
    missing = replace(task, targets=((("art", ("de.arts",)),),))
    with pytest.raises(ValueError, match=r"'babel' has no group 'de\.arts': it has de\.art"):
        cut_bilingual(missing, None, None, "float32", None)


def test_recorded_runs_are_not_repeated(suite: Suite, tmp_path: Path) -> None:
    (run,) = plan_runs(suite, Choice())
    record = execute(run)
    assert record["error"] is None
    assert record["problem"]["vocabulary"] == {"joined_by": "dictionary", "revision": REVISION}
    assert (record["sizes"]["n_terms"], record["seed"]) == (5, None)
    assert record["accuracy"] == record["macro_precision"] == record["macro_f1"] == 1.0
    file = ResultFile(tmp_path / "r.jsonl")
    file.append(record)
    assert list(file.read()) == [record_key(run.identity())]


def test_dictionary_and_kept_rows_are_part_of_the_key(suite: Suite) -> None:
    (run,) = plan_runs(suite, Choice())
    changes = [{"vocabulary": "identical"}, {"vocabulary": None}, {"keep_target": (("art", 0.5),)}]
    keys = [record_key(replace(run, task=replace(run.task, **c)).identity()) for c in changes]
    assert len({record_key(run.identity()), *keys}) == 4
    assert "labeled" not in run.identity()["problem"]


def test_drawn_rows_have_one_run_per_seed() -> None:
    kept = 'keep_target = { art = 0.5 }\n[[entries]]\nid = "svm"\nlabel = "SVM"\nmethod = "svm"\n'
    text = SUITE.replace("[[entries]]\n", kept + 'weighting = "counts"\n[[entries]]\n')
    runs = plan_runs(parse_suite(text, "babel.toml"), Choice())
    assert [(run.seed, run.entry.id) for run in runs] == [
        (0, "svm"), (0, "lg"), (1, "svm"), (1, "lg")
    ]  # fmt: skip
    records = [execute(run) for run in runs]
    assert [record["error"] for record in records] == [None] * 4
    assert {record["sizes"]["n_target"] for record in records} == {3}
    assert records[0]["problem"]["keep_target"] == {"art": 0.5}


def japanese(suite: Suite) -> Run:
    (run,) = plan_runs(suite, Choice())
    return replace(run, task=replace(run.task, targets=((("art", ("ja.art",)),),)))


def test_a_run_without_its_extra_is_recorded_as_failed(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fugashi", None)
    record = execute(japanese(suite))
    assert record["error"].startswith("ImportError: ")
    assert "pip install 'isthmus[japanese]'" in record["error"]


def test_missing_texts_are_reported_before_the_first_run(suite: Suite, tmp_path: Path) -> None:
    run = japanese(suite)
    lost = replace(run, task=replace(run.task, targets=((("art", ("ja.arts",)),),)))
    with pytest.raises(ValueError, match=r"no group 'ja\.arts'"):
        run_pending([lost], ResultFile(tmp_path / "r.jsonl"))


WEBIS = make_task(
    "t", "s", "evidence", "webis",
    ((("p", ("en.books.positive",)), ("n", ("en.books.negative",))),),
    ((("p", ("jp.books.positive",)), ("n", ("jp.books.negative",))),),
    vocabulary="dictionary",
)  # fmt: skip


def test_languages_of_webis() -> None:
    assert find_languages(WEBIS) == ("en", "ja")
    assert find_dictionary(replace(WEBIS, vocabulary="identical"), None) is None
    from_german = replace(WEBIS, sources=((("p", ("de.books.positive",)),),))
    with pytest.raises(ValueError, match="'webis' has no dictionary of 'de' and 'ja': one of"):
        find_dictionary(from_german, None)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("language", "code", "pair"),
    [
        ("de", "de", ("book", "Buch")),
        ("fr", "fr", ("book", "livre")),
        ("jp", "ja", ("book", "本")),
    ],
)
def test_dictionaries_of_webis(
    corpora: Path, language: str, code: str, pair: tuple[str, str]
) -> None:
    task = replace(WEBIS, targets=((("p", (f"{language}.books.positive",)),),))
    for chosen in (task, replace(task, sources=task.targets, targets=task.sources)):
        dictionary = find_dictionary(chosen, str(corpora))
        assert dictionary is not None
        assert dictionary.languages == ("en", code)
        assert pair in dictionary.pairs


@pytest.mark.corpus
def test_a_problem_of_the_table_with_few_dvds_and_less_music(corpora: Path) -> None:
    choice = Choice(methods=("lg",), seeds=(0,))
    runs = plan_runs(find_suite("dkt-table3"), choice, str(corpora))
    (lg,) = (execute(run) for run in runs if run.task.name == "63/23/13, no dictionary")
    assert lg["error"] is None
    # 1,996 books, 37 % of 1,995 dvds and 21 % of 1,991 records.
    assert lg["sizes"]["n_target"] == 1996 + 738 + 418
