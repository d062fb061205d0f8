"""Errors in suite files name the file, the place and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.reading import find_suite, parse_suite
from tiny_suite import CLUSTERS, LISTED, SOURCE, TARGET, TINY

GOAL = '[[goals]]\nset = "a"\nentry = "lg"\n'
FIGURE = '[[figures]]\ntitle = "t"\nentries = ["lg"]\nx = "problems"\n'
REST = '[rest]\nweighting = "log-tfidf"\n'
TWO = 'targets = [{ x = ["c"] }, { y = ["d"] }]\n'
ENTRY = '[[entries]]\nid = "e"\nlabel = "E"\nmethod = "METHOD"\nweighting = "tfidf"\n'
SWEPT = ENTRY.replace("METHOD", "mtrick") + "sweep = { parameter = "
NAMED = TINY.replace('name = "a"\n', 'name = "a"\nnamed = [1, 3]\n')
TITLE, TEXT, METHOD = 'title = "Tiny"\n', "min_df = 2\n", 'method = "lg"\n'
BILINGUAL = (
    'source = { x = ["en.books.positive"], y = ["en.dvd.positive"] }\n'
    'target = { x = ["de.books.positive"] }\ncorpus = "webis"\nvocabulary = "identical"\n'
)


def listed(sides: str) -> BenchmarkTask:
    (task,) = parse_suite(LISTED.replace("SIDES", sides), "tiny.toml").tasks
    return task


def changed(old: str, new: str, text: str = TINY) -> str:
    assert old in text
    return text.replace(old, new)


def problem(fields: str, sides: str = SOURCE + TARGET) -> str:
    return LISTED.replace("SIDES", sides + fields)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (changed('name = "tiny"', ""), "name: missing: add it"),
        (changed('name = "tiny"', 'name = "../tiny"'), "name: pattern"),
        (changed(TITLE, TITLE + "notes = 1\n"), "notes: string, not 1"),
        (changed("seeds = [0, 1]", "seeds = [-1]"), "seeds 1: 0, not -1"),
        (changed("seeds = [0, 1]", 'seeds = "0"'), "seeds: must be a list, not '0'"),
        (changed("seeds = [0, 1]", "seeds = []"), "seeds: must have 1 or more values."),
        (changed("dtype =", "dtipe ="), "dtype: missing: add it (unknown fields: 'dtipe')."),
        (changed("[[sets]]", "[[setz]]"), "sets: missing: add it (unknown fields: 'setz')."),
        (changed("[[sets]]", "[sets]"), "sets: must be a list."),
        (changed("seeds = [0, 1]", "seeds = [true]"), "seeds 1: integer, not True"),
        (changed("float32", "float16"), "dtype: 'float32' or 'float64', not 'float16'"),
        (changed(TEXT, "min_df = 0\n"), "text, min_df: 1, not 0"),
        (changed(TEXT, "min_fd = 2\n"), "text, min_fd: no such field"),
        (changed(TEXT, ""), "'min_df' is missing"),
        (changed(TEXT, TEXT + 'stemmer = "potter"\n'), "text, stemmer: 'potter' porter"),
        (changed(TITLE, TITLE + 'table = "task"\n'), "table: 'sets' 'means' not 'task'"),
        (changed(TITLE, TITLE + 'metrics = ["F1"]\n'), "metrics: 'F1' accuracy, error"),
        (changed(TITLE, TITLE + 'metrics = ["NMI (geometric)"]\n'), "'NMI (geometric)' clusterer"),
        (changed(TITLE, TITLE + 'table = "figures"\n'), 'table = "figures" add [[figures]]'),
        (changed(TITLE, TITLE + 'paired_with = "svm"\n'), "no entry 'svm'"),
        (changed(TITLE, TITLE + 'paired_with = ["lg", "lg"]\n'), "paired_with: 'lg' twice"),
        (changed(TITLE, TITLE + 'paired_tests = [["lg", "svm"]]\n'), "no entry 'svm'"),
        (changed(TITLE, TITLE + 'paired_tests = [["lg"]]\n'), "paired_tests 1: 2 or more values"),
        (changed('id = "lg"', 'id = "lg"\npaper = "LR"'), "'lg' column 'LR'"),
        (changed("ordered-pairs", "pairs"), "tasks, kind: not 'pairs'"),
        (changed("development_every = 4", "development_every = 0"), "development_every: 1, not 0"),
        (changed(', "kitchen.positive"]', "]"), "sets 'a': two or more groups"),
        (changed('["books.negative"', '["books.positive"'), "sets 'a': share books.positive"),
        (changed('name = "a"', 'name = "a"\nnamed = [4]'), "sets 'a': 'named' 0 to 3"),
        (changed('name = "a"', 'name = "a"\nnamed = [true]'), "sets 'a', named 1: not True"),
        (changed('name = "a"', 'name = "a"\npaper.total.LG = "1"'), "sets 'a', paper, total, LG:"),
        (changed("[text]", "[text"), "not valid TOML"),
        (changed("[text]", "x = " + "[" * 5000 + "\n[text]"), "nested too deeply"),
        (changed('weighting = "log-tfidf"\n', ""), "entries 'lg', weighting: missing"),
        (changed('"log-tfidf"', '"idf"'), "entries 'lg', weighting: 'idf' counts, tfidf"),
        (changed(METHOD, 'method = "knn"\n'), "entries 'lg', method: 'knn' mtrick"),
        (changed(METHOD, 'method = "plsa"\n'), "entries 'lg', method: 'plsa' choose from"),
        (changed(METHOD, 'method = "kmeans"\n'), "'lg' is a clusterer"),
        (changed(METHOD, METHOD + 'preset = "paper"\n'), "entries 'lg': no preset 'paper'"),
        (changed(METHOD, METHOD + "params = { c = 1 }\n"), "entries 'lg': no parameter 'c' C"),
        (changed(METHOD, METHOD + "params = { random_state = 1 }\n"), "runner sets random_state"),
        (changed(METHOD, METHOD + "seeds = [7]\n"), "'lg' none of the seeds"),
        (changed(METHOD, METHOD + 'sets = ["b"]\n'), "'lg' unknown set 'b'"),
        (changed(METHOD, METHOD + "time_limit = 0\n"), "entries 'lg', time_limit: not 0"),
        (TINY + ENTRY.replace("METHOD", "lg").replace('"e"', '"lg"'), "two entry names 'lg'"),
        (TINY + SWEPT + '"beta", values = [1, 1] }', "entries 'e', sweep, values: twice"),
        (TINY + SWEPT + '"beta", values = [nan] }', "entries 'e', sweep, values: finite"),
        (TINY + SWEPT + '"beta", values = [1, -1] }', "entries 'e': beta must be -1"),
        (changed(METHOD, METHOD + 'params = { C = "x" }\n'), "'lg': C must be a finite number 'x'"),
        (TINY + SWEPT + '"bet", values = [1] }', "entries 'e': no parameter 'bet'"),
        (
            TINY + SWEPT + '"beta", values = [1] }\nparams = { beta = 2.0 }',
            "entries 'e': 'beta' in 'params' and in 'sweep'",
        ),
        (TINY + REST + 'without = ["knn"]', "rest, without: 'knn'"),
        (TINY + REST + 'problems = "few"', "rest, problems: not 'few'"),
        (TINY + REST + 'problems = "named"', "runs on no problem: no problem is named"),
        (
            NAMED + 'problems = "named"\n[difficulty]\nentry = "lg"\nthreshold = 65.0\n',
            "'lg' does not run on all problems",
        ),
        (TINY + GOAL + "mean = true", "goals 1, mean: not True"),
        (TINY + GOAL + "mean = nan", "goals 1, mean: not nan"),
        (TINY + GOAL + "mean = 965", "goals 1: 'mean' 0 and 100"),
        (TINY + GOAL + "collapsed = 5", "goals 1, collapsed: not 5"),
        (TINY + GOAL + 'split = "test"', "goals 1, split: not 'test'"),
        (TINY + GOAL + 'task = "a"\nsplit = "evidence"\nmean = 9', "goals 1: 'task' and 'split'"),
        (TINY + GOAL + 'task = "b"\nmean = 9', "the task 'b'"),
        (TINY + GOAL, "goals 1: give 'mean'"),
        (TINY + GOAL + 'metric = "F1"\nmean = 9', "goals 1: 'F1' accuracy, error"),
        (TINY + GOAL + 'metric = "error"\ncollapsed = 0', "goals 1: 'collapsed' remove 'metric'"),
        (TINY + GOAL + 'above = "lg"', "goals 1: itself"),
        (TINY + GOAL + 'not_below = "svm"', "no entry 'svm'"),
        (TINY + GOAL + "above_paper = true", "number is missing: add it to paper.total"),
        (TINY + GOAL.replace('"a"', '"b"') + "mean = 9", "unknown set 'b'"),
        (TINY + FIGURE + 'metrics = ["accuracy", "error"]', "figures 't': one figure of each"),
        (TINY + FIGURE + 'metrics = ["r1"]', "figure 't' measures word overlap"),
        (TINY + FIGURE + 'lines = "sets"', "figures 't': 'lines' no meaning"),
        (TINY + FIGURE.replace("problems", "sweep"), "figure 't' with a sweep"),
        (TINY + FIGURE.replace('["lg"]', '["svm"]'), "figure 't' unknown entry 'svm'"),
        (
            TINY + ENTRY.replace("METHOD", "mtrick") + 'measures = ["word overlap"]',
            "entries 'e': 'word overlap' init='plsa': remove it",
        ),
        (
            CLUSTERS + ENTRY.replace("METHOD", "kmeans") + 'measures = ["proxy A-distance"]',
            "entries 'e': no source",
        ),
        (problem("", SOURCE), "sets 'a', problems 'p': 'target' 'targets'"),
        (problem('sources = [{ x = ["d"] }]'), "problems 'p': 'source' or 'sources'"),
        (problem("", "source = 1\n" + TARGET), "problems 'p', sources 1:"),
        (problem("", "source = {}\n" + TARGET), "problems 'p', sources 1:"),
        (problem("", SOURCE + 'target = { z = ["c"] }'), "problems 'p': class 'z'"),
        (problem("", SOURCE + 'target = { x = ["a"] }'), "problems 'p': group 'a' more than once"),
        (problem("labeled_source = 0"), "problems 'p', labeled_source: not 0"),
        (problem("labeled_target = 1"), "problems 'p', labeled_target: less than 1"),
        (problem("labeled_target = false"), "problems 'p', labeled_target: not False"),
        (problem("target_labels = 1"), "problems 'p', target_labels: no such field"),
        (problem("keep_target = { x = 0 }"), "problems 'p', keep_target, x: not 0"),
        (problem("keep_target = { y = 0.5 }"), "problems 'p': 'keep_target' class 'y'"),
        (problem('vocabulary = "none"'), "problems 'p', vocabulary: not 'none'"),
        (problem('vocabulary = "identical"'), "'vocabulary' 'p' 'synthetic' remove it"),
        (problem('corpus = "nowhere"'), "no corpus 'nowhere'"),
        (problem("sample = 0.5"), "problems 'p', sample: integer, not 0.5"),
        (problem("sample = 5\nkeep_target = { x = 0.5 }"), "'sample' and 'keep_target'"),
        (problem("scored = 1"), "problems 'p': 'scored'"),
        (problem("folds = 1"), "problems 'p', folds: 2, not 1"),
        (problem("folds = 2\nsample_source = 5"), "'folds' and 'sample_source'"),
        (problem("folds = 2\nseeds = [0, 2]"), "seed 2 names no fold 0 to 1"),
        (problem('source_pool = ["c"]'), "problems 'p': group 'c' more than once"),
        (problem('target_pools = [["e"]]', SOURCE + TWO), "problems 'p': each of the 2 targets"),
        (problem("new_documents = true"), "problems 'p': 'new_documents' 'target_pool'"),
        (problem("folds = 2", BILINGUAL), "'vocabulary' and 'folds'"),
        (problem("paper.error.LG = 31"), "'p', paper, error: between 0 and 1"),
        (problem("paper.total.LG = 1"), "'p', paper: use a metric"),
        (
            problem("", BILINGUAL).replace("min_df = 1", 'min_df = 1\nstemmer = "porter"'),
            "'stemmer' one language 'p'",
        ),
        (changed("scored = 2", "scored = 3", CLUSTERS), "problems 'second': 'scored' 2 'tasks'"),
        (changed("scored = 2", "folds = 2", CLUSTERS), "problems 'second': 'folds' no meaning"),
        (changed('method = "kmeans"\nw', 'method = "lg"\nw', CLUSTERS), "'km' is a classifier"),
        (re.sub(r', bad = \["\w+.negative"\]', "", CLUSTERS), "'first': two or more classes"),
        ('paired_with = "km"\n' + CLUSTERS, "'paired_with' clusterers remove it"),
        ('source_only = ["km"]\n' + CLUSTERS, "'source_only' clusterers remove it"),
    ],
)
def test_wrong_suites(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"^Suite 'tiny\.toml'.*\.$") as caught:
        parse_suite(text, "tiny.toml")
    message = str(caught.value)
    place = 0
    for word in re.findall(r"'[^']*'[:,]?|\S+", words):
        place = message.find(word, place)
        assert place >= 0, message


@pytest.mark.parametrize("value", ["[1]", "[]", "1"])
@pytest.mark.parametrize("field", ["entries", "sets"])
def test_lists_of_tables(field: str, value: str) -> None:
    head, sets, entries = TINY.replace("[[entries]]", "[[sets]]").split("[[sets]]")
    tables = {"sets": f"[[sets]]{sets}", "entries": f"[[entries]]{entries}"}
    rest = "".join(text for name, text in tables.items() if name != field)
    with pytest.raises(ValueError, match=f"Suite 'tiny.toml', {field}.*: this must"):
        parse_suite(f"{field} = {value}\n{head}{rest}", "tiny.toml")


def test_integers_are_accepted_as_numbers() -> None:
    difficulty = '[difficulty]\nentry = "lg"\nthreshold = 65\n'
    suite = parse_suite(f"{TINY}{GOAL}mean = 90\ncollapsed = 0\n{difficulty}", "tiny.toml")
    assert suite.difficulty is not None
    assert (suite.difficulty.entry, suite.difficulty.threshold) == ("lg", 65.0)
    assert (suite.goals[0].mean, suite.goals[0].collapsed) == (90.0, 0.0)


def test_several_domains_and_fractions() -> None:
    task = listed(
        'sources = [{ x = ["a"] }, { y = ["b"], x = ["d"] }]\ntargets = [{ y = ["e"] }, '
        '{ x = ["f", "g"] }]\nlabeled_source = 0.7\nlabeled_target = 0.2'
    )
    assert list(task.domains) == [0, 1, -1, -2]
    assert task.domains[-2] == {"x": ("f", "g")}
    assert task.classes == ("x", "y")
    assert task.groups == ("a", "b", "d", "e", "f", "g")
    assert (task.labeled_source, task.labeled_target) == (0.7, 0.2)
    assert task.is_random
    assert not listed(SOURCE + TARGET + "labeled_source = 1").is_random


def test_pools_of_several_domains() -> None:
    sides = 'sources = [{ x = ["a"] }, { y = ["b"] }]\n'
    task = listed(sides + TARGET + 'source_pools = [[], ["d", "e"]]\ntarget_pool = ["f"]')
    assert task.pools == {0: (), 1: ("d", "e"), -1: ("f",)}
    assert task.groups == ("a", "b", "c", "d", "e", "f")
    assert listed(sides + TARGET + "source_pools = [[], []]") == listed(sides + TARGET)


def test_a_complete_class_is_not_drawn() -> None:
    task = listed(SOURCE + 'target = { x = ["c"], y = ["d"] }\nkeep_target = { x = 1, y = 0.4 }')
    assert task.keep_target == {"y": 0.4}
    assert task.is_random
    assert listed(SOURCE + TARGET + "keep_target = { x = 1.0 }") == listed(SOURCE + TARGET)


def test_a_clustering_problem_has_only_targets() -> None:
    task = parse_suite(CLUSTERS, "tiny.toml").tasks[1]
    assert task.is_clustering
    assert list(task.domains) == [-1, -2]
    assert (task.sources, task.scored, task.is_random) == ((), 2, False)
    # A task need not have documents of every class, and a problem need not have 'scored'.
    some = CLUSTERS.replace('good = ["books.positive"], ', "").replace("scored = 1", "")
    first = parse_suite(some, "tiny.toml").tasks[0]
    assert (first.classes, first.scored) == (("bad", "good"), None)


def test_goals_on_single_problems_need_results_of_the_paper() -> None:
    goal = GOAL.replace('"lg"', '"km"') + "above_paper = true\neach_problem = true\n"
    assert parse_suite(CLUSTERS + goal, "tiny.toml").goals[0].each_problem
    with pytest.raises(ValueError, match=r"'km' on 'second' .* add it to paper\.'NMI"):
        parse_suite(f'{CLUSTERS}{goal}metric = "NMI (geometric)"', "tiny.toml")


def test_suite_files(tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    path.write_text(TINY + "#" * (2**20 - len(TINY)))
    assert find_suite(str(path)).origin == str(path)
    path.write_text(TINY + "#" * (2**20 - len(TINY) + 1))
    with pytest.raises(ValueError, match=r"big\.toml' is larger than 1 MiB"):
        find_suite(str(path))
    path.write_text(TINY, encoding="utf-8-sig")
    assert find_suite(str(path)).title == "Tiny"
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"big\.toml' is not UTF-8"):
        find_suite(str(path))
    path.write_text(TINY.replace('name = "tiny"', 'name = "mtrick-table1"'))
    with pytest.raises(ValueError, match="use another name"):
        find_suite(str(path))
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(ValueError, match=r"folder\.toml' is a folder: name a \.toml file"):
        find_suite(str(folder))
