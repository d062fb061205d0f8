"""Suite files that are wrong: one sentence that names the file and the field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.reading import find_suite, parse_suite
from tiny_suite import CLUSTERS, LISTED, SOURCE, TARGET, TINY

GOAL = '[[goals]]\nset = "a"\nentry = "lg"\n'


def listed(sides: str) -> Task:
    (task,) = parse_suite(LISTED.replace("SIDES", sides), "tiny.toml").tasks
    return task


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "tiny"', "", "'name' is missing in suite"),
        ('name = "tiny"', 'name = "../tiny"', "may hold only small letters"),
        ('title = "Tiny"', 'title = "Tiny"\nnotes = 1', "'notes' .* must be of type str, not int"),
        ("seeds = [0, 1]", "seeds = [-1]", "'seeds' .* integers >= 0"),
        ("seeds = [0, 1]", 'seeds = "0"', "'seeds' .* must be of type list, not str"),
        ("float32", "float16", "dtype='float16' .* must be float32 or float64"),
        ("min_df = 2", "min_df = 0", "min_df=0 .* at least 1"),
        ("min_df = 2", "min_fd = 2", "table 'text' .* unknown field 'min_fd'"),
        ("min_df = 2", "", "'min_df' is missing in the table 'text' .*: the problem 'a 000"),
        (
            'title = "Tiny"',
            'title = "Tiny"\ntable = "task"',
            "table='task' .* sets, means, problems",
        ),
        ('title = "Tiny"', 'title = "Tiny"\nmetrics = ["F1"]', "no metric 'F1' .* accuracy, error"),
        ('title = "Tiny"', 'title = "Tiny"\nmetrics = []', "'metrics' .* one or more strings"),
        (
            "min_df = 2",
            "min_df = 2\nmax_terms = 0",
            "max_terms=0 in the table 'text' .* at least 1",
        ),
        (
            "min_df = 2",
            'min_df = 2\nmax_terms = "2k"',
            "'max_terms' .* must be of type int, not str",
        ),
        (
            "min_df = 2",
            'min_df = 2\nstemmer = "potter"',
            "stemmer='potter' .* is unknown: .* porter",
        ),
        ("min_df = 2", "min_df = 2\nstemmer = true", "'stemmer' .* must be of type str, not bool"),
        (
            'title = "Tiny"',
            'title = "Tiny"\nmetrics = ["NMI (geometric)"]',
            r"metric 'NMI \(geometric\)' in suite .* is for a clusterer, which no entry is",
        ),
        (
            'method = "lg"',
            'method = "kmeans"',
            "'lg' .* is a clusterer, but .* 'a 000.* shows labels",
        ),
        ("ordered-pairs", "pairs", "no task rule 'pairs'"),
        ("development_every = 4", "development_every = 0", "development_every=0 .* at least 1"),
        ("development_every = 4", "development_evry = 4", "unknown field 'development_evry'"),
        (', "kitchen.positive"]', "]", "two or more groups"),
        ('["books.negative"', '["books.positive"', "share 'books.positive'"),
        ('name = "a"', 'name = "a"\nlabelled_target = 0.2', "Set 'a' .* field 'labelled_target'"),
        ('name = "a"', 'name = "a"\npaper = 1', "'paper' .* must be of type table, not int"),
        ('name = "a"', 'name = "a"\npaper.total = 1', "'total' in the table 'paper' of set 'a'"),
        ('name = "a"', 'name = "a"\npaper.total.LG = "1"', "'LG' .* must be a number, not '1'"),
        ("[text]", "[text", "not valid TOML"),
        ("[text]", "x = " + "[" * 5000 + "\n[text]", "lists in lists too deep"),
        ('weighting = "log-tfidf"', "", "'weighting' is missing in entry 'lg'"),
        ('"log-tfidf"', '"idf"', "weighting='idf' in entry 'lg' .* choose among counts, tfidf"),
        ('label = "LG"', 'label = "LG"\nseed = 1', "entry 'lg' .* unknown field 'seed'"),
        ('method = "lg"', 'method = "knn"', "method='knn' in entry 'lg' .* among mtrick"),
        ('method = "lg"', 'method = "plsa"', "'plsa' .* is a transformer and cannot be scored"),
        ('method = "lg"', 'method = "lg"\npreset = "paper"', "preset='paper' .* has no preset"),
        ('method = "lg"', 'method = "lg"\npreset = 1', "'preset' .* must be of type str, not int"),
        ('method = "lg"', 'method = "lg"\npaper = 1', "'paper' .* must be of type str, not int"),
        ('method = "lg"', 'method = "lg"\nparams = [1]', "'params' .* must be of type table"),
        ('method = "lg"', 'method = "lg"\nparams = { c = 1 }', "'c' that 'lg' does not have: .* C"),
        ('method = "lg"', 'method = "mtrick"\nparams = { random_state = 1 }', "runner sets it"),
    ],
)
def test_errors_name_field_and_file(old: str, new: str, message: str) -> None:
    assert old in TINY
    with pytest.raises(ValueError, match=message) as caught:
        parse_suite(TINY.replace(old, new), "tiny.toml")
    assert "suite 'tiny.toml'" in str(caught.value)


@pytest.mark.parametrize("value", ["[1]", "[]", "1"])
@pytest.mark.parametrize("field", ["entries", "sets", "goals"])
def test_lists_of_tables(field: str, value: str) -> None:
    head, sets, entries = TINY.replace("[[entries]]", "[[sets]]").split("[[sets]]")
    tables = {"sets": f"[[sets]]{sets}", "entries": f"[[entries]]{entries}"}
    rest = "".join(text for name, text in tables.items() if name != field)
    with pytest.raises(ValueError, match=f"'{field}' in suite 'tiny.toml' must be"):
        parse_suite(f"{field} = {value}\n{head}{rest}", "tiny.toml")


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("mean = true", "'mean' in goal 0 of suite 'tiny.toml' must be a number, not True"),
        ("mean = nan", "'mean' .* must be a number, not nan"),
        ("mean = 965", "'mean' .* from 0 to 100"),
        ('collapsed = "0"', "'collapsed' .* must be a number, not '0'"),
        ("collapsed = 5", "'collapsed' .* from 0 to 1"),
        ("above_paper = 1", "'above_paper' .* must be of type bool, not int"),
        ('split = "test"', "split='test' in goal 0"),
        ("task = 1", "'task' .* must be of type str, not int"),
        ('task = "a"\nsplit = "evidence"\nmean = 9', "Both 'task' and 'split' stand in goal 0"),
        ('task = "b"\nmean = 9', "names the task 'b' that 'a' does not have"),
        ("", "Neither 'mean' nor"),
        ('metric = "F1"\nmean = 9', "metric='F1' in goal 0 .* accuracy, error"),
        ('metric = "error"\nmean = 9', "'mean' .* must be a share, from 0 to 1"),
        ('metric = "error"\ncollapsed = 0', "'collapsed' .* leave out 'metric' and 'each_problem'"),
        ("collapsed = 0\neach_problem = true", "'collapsed' .* leave out 'metric'"),
        ("mean = 9\neach_problem = 1", "'each_problem' .* must be of type bool, not int"),
        ("not_below = 1", "'not_below' .* must be of type str, not int"),
        ('not_below = "lg"', "'not_below' in goal 0 .* names the goal's own entry"),
        ('not_below = "svm"', "There is no entry 'svm' in suite"),
        ("above = 1", "'above' .* must be of type str, not int"),
        ('above = "lg"', "'above' in goal 0 .* names the goal's own entry"),
        ('above = "svm"', "There is no entry 'svm' in suite"),
        ('metric = "NMI (arithmetic)"\nmean = 0.5', r"'NMI \(arithmetic\)' .* is for a clusterer"),
    ],
)
def test_goals(field: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_suite(f"{TINY}{GOAL}{field}", "tiny.toml")


def test_goal_on_an_unknown_entry_or_set() -> None:
    goal = f"{TINY}{GOAL}mean = 90"
    with pytest.raises(ValueError, match="no entry 'mtrick'"):
        parse_suite(goal.replace('entry = "lg"', 'entry = "mtrick"'), "tiny.toml")
    with pytest.raises(ValueError, match="unknown set 'b'"):
        parse_suite(goal.replace('set = "a"', 'set = "b"'), "tiny.toml")


def test_whole_numbers_are_numbers() -> None:
    difficulty = '[difficulty]\nentry = "lg"\nthreshold = 65\n'
    suite = parse_suite(f"{TINY}{GOAL}mean = 90\ncollapsed = 0\n{difficulty}", "tiny.toml")
    assert suite.difficulty == ("lg", 65.0)
    assert (suite.goals[0].mean, suite.goals[0].collapsed) == (90.0, 0.0)
    with pytest.raises(ValueError, match="'threshold' in the table 'difficulty' of suite"):
        parse_suite(f"{TINY}{difficulty.replace('65', 'true')}", "tiny.toml")


def test_several_domains_and_shares() -> None:
    task = listed(
        'sources = [{ x = ["a"] }, { y = ["b"], x = ["d"] }]\ntargets = [{ y = ["e"] }, '
        '{ x = ["f", "g"] }]\nlabelled_source = 0.7\nlabelled_target = 0.2'
    )
    assert list(task.domains) == [0, 1, -1, -2]
    assert task.domains[-2] == (("x", ("f", "g")),)
    assert task.classes == ("x", "y")
    assert task.groups == ("a", "b", "d", "e", "f", "g")
    assert (task.labelled_source, task.labelled_target) == (0.7, 0.2)
    assert task.is_random
    assert not listed(SOURCE + TARGET + "labelled_source = 1").is_random


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (SOURCE, "Exactly one of 'target' .* and 'targets' .* problem 0 of set 'a'"),
        (SOURCE + TARGET + 'sources = [{ x = ["d"] }]', "Exactly one of 'source'"),
        ("source = 1\n" + TARGET, "'source' .* must be of type table, not int"),
        ("sources = [1]\n" + TARGET, "'sources' .* list of one or more tables"),
        ("source = {}\n" + TARGET, "'source' of problem 0 .* one or more classes"),
        (SOURCE + 'target = { z = ["c"] }', "class 'z' that no source has"),
        (SOURCE + 'target = { x = ["a"] }', "group 'a' is named more than once"),
        (SOURCE + TARGET + "labelled_source = 0", "'labelled_source' .* above 0 and at most 1"),
        (SOURCE + TARGET + "labelled_target = 1.5", "'labelled_target' .* not 1.5"),
        (SOURCE + TARGET + "labelled_target = nan", "'labelled_target' .* must be a number"),
        (SOURCE + TARGET + "labelled_target = 1", "'labelled_target' .* must be below 1"),
        (SOURCE + TARGET + "labeled_target = 1", "Problem 0 .* unknown field 'labeled_target'"),
        (SOURCE + TARGET + "keep_target = 0.5", "'keep_target' .* must be of type table"),
        (SOURCE + TARGET + "keep_target = { x = 0 }", "'x' in 'keep_target' of .* above 0"),
        (SOURCE + TARGET + "keep_target = { y = 0.5 }", "class 'y' that no target has"),
        (SOURCE + TARGET + "vocabulary = 1", "'vocabulary' .* must be of type str, not int"),
        (SOURCE + TARGET + 'vocabulary = "none"', "vocabulary='none' .* dictionary, identical"),
        (SOURCE + TARGET + 'vocabulary = "identical"', "corpus 'synthetic' does not tell apart"),
        (SOURCE + TARGET + "sample = -250", "sample=-250 in problem 0 of set 'a' .* at least 1"),
        (SOURCE + TARGET + "sample = 0.5", "'sample' .* must be of type int, not float"),
        (
            SOURCE + TARGET + "sample = 5\nkeep_target = { x = 0.5 }",
            "Both 'sample' and 'keep_target' stand in problem 0",
        ),
        (SOURCE + TARGET + "seeds = []", "'seeds' in problem 0 .* one or more integers >= 0"),
        (SOURCE + TARGET + "seeds = 5", "'seeds' in problem 0 .* must be of type list, not int"),
        (
            SOURCE + TARGET + "scored = 1",
            "'scored' .* has no meaning without 'tasks': leave it out",
        ),
        (SOURCE + TARGET + "paper.error.LG = 31", 'LG=31 under paper."error" .* from 0 to 1'),
        (SOURCE + TARGET + "paper.total.LG = 1", "'paper' of problem 0 .* unknown field 'total'"),
        (SOURCE + TARGET + 'paper.accuracy.LG = "1"', "'LG' .* must be a number, not '1'"),
    ],
)
def test_wrong_problems(sides: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        listed(sides)
    assert "suite 'tiny.toml'" in str(caught.value)


def test_a_suite_file_is_at_most_a_mebibyte(tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    path.write_text(TINY + "#" * (2**20 - len(TINY)))
    assert find_suite(str(path)).name == "tiny"
    path.write_text(TINY + "#" * (2**20 - len(TINY) + 1))
    with pytest.raises(ValueError, match=r"big\.toml' is larger than 1 MiB"):
        find_suite(str(path))
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"big\.toml' is not UTF-8"):
        find_suite(str(path))


def test_what_would_fail_after_the_run_is_told_before(tmp_path):
    goal = '[[goals]]\nset = "a"\nentry = "lg"\n'
    with pytest.raises(ValueError, match=r"add it under paper\.total"):
        parse_suite(TINY + goal + "above_paper = true\n", "tiny.toml")
    named = TINY.replace('id = "lg"', 'id = "lg"\npaper = "LR"')
    with pytest.raises(ValueError, match="names the column 'LR' of a paper"):
        parse_suite(named, "tiny.toml")
    path = tmp_path / "own.toml"
    path.write_text(TINY.replace('name = "tiny"', 'name = "mtrick-table1"'))
    with pytest.raises(ValueError, match="like one of the package"):
        find_suite(str(path))
    path.write_text(TINY)
    assert find_suite(str(path)).origin == str(path)


def test_a_class_that_stays_whole_is_not_drawn():
    task = listed(SOURCE + 'target = { x = ["c"], y = ["d"] }\nkeep_target = { x = 1, y = 0.4 }')
    assert task.keep_target == (("y", 0.4),)
    assert task.is_random
    assert listed(SOURCE + TARGET + "keep_target = { x = 1.0 }") == listed(SOURCE + TARGET)


def test_a_goal_on_a_task_compares_with_the_paper_of_the_task():
    text = LISTED.replace("SIDES", SOURCE + TARGET + "paper.accuracy.LR = 70.0")
    text += 'paper = "LR"\n'
    goal = GOAL + 'task = "p"\nabove_paper = true\n'
    assert parse_suite(text + goal, "tiny.toml").goals[0].task == "p"
    with pytest.raises(ValueError, match=r"'lg' on 'p' .* under paper\.accuracy of the problem"):
        parse_suite(text.replace("accuracy", '"macro F1"') + goal, "tiny.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("scored = 2", "scored = 3", "scored=3 in problem 1 .* one of its 2 tasks"),
        ("scored = 2", "scored = 0", "scored=0 in problem 1 .* must be at least 1"),
        ("scored = 2", 'scored = "2"', "'scored' .* must be of type int, not str"),
        ("scored = 2", "labelled_target = 0.2", "'labelled_target' .* no meaning beside 'tasks'"),
        ("scored = 2", 'target_pool = ["x"]', "'target_pool' .* has no meaning beside 'tasks'"),
        ("scored = 2", "new_documents = true", "'new_documents' .* no meaning beside 'tasks'"),
        ("scored = 2", "folds = 2", "'folds' .* has no meaning beside 'tasks'"),
        (
            "scored = 2",
            'source = { good = ["x"] }',
            "'source' .* which show no label: leave it out",
        ),
        ('good = ["books.positive"]', 'good = ["kitchen.positive"]', "named more than once"),
        ('method = "kmeans"\nw', 'method = "lg"\nw', "'km' .* is a classifier, but .* no label"),
        ('"NMI (geometric)"]', '"macro F1"]', "metric 'macro F1' .* is for a classifier"),
        (
            'params = { scope = "all" }',
            "params = { scop = 1 }",
            "'scop' that 'kmeans' does not have",
        ),
    ],
)
def test_wrong_clustering_problems(old: str, new: str, message: str) -> None:
    assert old in CLUSTERS
    with pytest.raises(ValueError, match=message) as caught:
        parse_suite(CLUSTERS.replace(old, new), "tiny.toml")
    assert "suite 'tiny.toml'" in str(caught.value)


def test_a_clustering_problem_has_targets_alone() -> None:
    task = parse_suite(CLUSTERS, "tiny.toml").tasks[1]
    assert task.is_clustering
    assert list(task.domains) == [-1, -2]
    assert (task.sources, task.scored, task.is_random) == ((), 2, False)
    # A task need not have documents of every class, nor a problem one that is scored.
    some = CLUSTERS.replace('good = ["books.positive"], ', "").replace("scored = 1", "")
    first = parse_suite(some, "tiny.toml").tasks[0]
    assert (first.classes, first.scored) == (("bad", "good"), None)
    with pytest.raises(ValueError, match=r"The tasks of problem 0 .* two or more classes"):
        parse_suite(re.sub(r', bad = \["\w+.negative"\]', "", CLUSTERS), "tiny.toml")


def test_stems_are_for_one_language() -> None:
    sides = 'source = { x = ["en.books.positive"], y = ["en.dvd.positive"] }\n'
    sides += 'target = { x = ["de.books.positive"] }\ncorpus = "webis"\nvocabulary = "identical"'
    text = LISTED.replace("SIDES", sides)
    assert parse_suite(text, "tiny.toml").text.stemmer is None
    for field in ('stemmer = "porter"', "max_terms = 9"):
        with pytest.raises(ValueError, match=f"'{field.split()[0]}' .* 'p' has two: leave it out"):
            parse_suite(text.replace("min_df = 1", f"min_df = 1\n{field}"), "tiny.toml")


def test_goals_on_each_problem_need_the_paper_of_each() -> None:
    goal = GOAL.replace('"lg"', '"km"') + "above_paper = true\neach_problem = true\n"
    assert parse_suite(CLUSTERS + goal, "tiny.toml").goals[0].each_problem
    missing = r"'km' on 'second' .* add it under paper\.'NMI \(geometric\)' of the problem"
    with pytest.raises(ValueError, match=missing):
        parse_suite(f'{CLUSTERS}{goal}metric = "NMI (geometric)"', "tiny.toml")
