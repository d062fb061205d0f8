"""Wrong fields for pools, folds, new documents and paired tests: one sentence each."""

from __future__ import annotations

import pytest

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.reading import parse_suite
from tiny_suite import CLUSTERS, LISTED, SOURCE, TARGET, TINY

TWO = 'targets = [{ x = ["c"] }, { y = ["d"] }]\n'


def listed(sides: str) -> Task:
    (task,) = parse_suite(LISTED.replace("SIDES", sides), "tiny.toml").tasks
    return task


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (SOURCE + TARGET + "folds = 1", "folds=1 in problem 0 .* leaves no source row: give 2"),
        (SOURCE + TARGET + "folds = 5.0", "'folds' .* must be of type int, not float"),
        (SOURCE + TARGET + "folds = 2\nsample = 5", "Both 'folds' and 'sample' stand in problem 0"),
        (
            SOURCE + TARGET + "folds = 2\nsample_source = 5",
            "Both 'folds' and 'sample_source' stand in problem 0",
        ),
        (
            SOURCE + TARGET + "folds = 2\nkeep_target = { x = 0.5 }",
            "Both 'folds' and 'keep_target' .*: a seed either names a fold or draws rows",
        ),
        (SOURCE + TARGET + 'source_pool = "d"', "'source_pool' .* must be of type list, not str"),
        (SOURCE + TARGET + "target_pool = []", "'target_pool' .* list of one or more strings"),
        (SOURCE + TARGET + 'source_pool = ["c"]', "group 'c' is named more than once"),
        (
            SOURCE + TARGET + 'source_pool = ["d"]\ntarget_pool = ["d"]',
            "group 'd' is named more than once",
        ),
        (
            SOURCE + TARGET + 'source_pools = [["d"]]',
            "'source_pools' .* is for several 'sources': beside one 'source' write 'source_pool'",
        ),
        (
            SOURCE + TWO + 'target_pool = ["e"]',
            "'target_pool' .* is for one 'target': beside 'targets' write 'target_pools', a list",
        ),
        (
            SOURCE + TWO + 'target_pools = [["e"]]',
            r"'target_pools' .* each of the 2 'targets', \[\] for one without a pool, and has 1",
        ),
        (
            SOURCE + TWO + 'target_pools = [["e"], "f"]',
            "'pool' in list 1 of 'target_pools' of problem 0 .* must be of type list, not str",
        ),
        (SOURCE + TARGET + "new_documents = 1", "'new_documents' .* must be of type bool, not int"),
        (
            SOURCE + TARGET + "new_documents = true",
            "'new_documents' .* every target needs a pool: name its groups in 'target_pool'",
        ),
        (
            SOURCE + TWO + 'target_pools = [["e"], []]\nnew_documents = true',
            "'new_documents' .* every target needs a pool",
        ),
        (
            SOURCE + TARGET + 'target_pool = ["d"]\nnew_documents = true\nlabelled_target = 0.2',
            "Both 'new_documents' and 'labelled_target' stand in problem 0",
        ),
    ],
)
def test_wrong_problems(sides: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        listed(sides)
    assert "suite 'tiny.toml'" in str(caught.value)


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("folds = 2", "folds"),
        ('source_pool = ["en.music.positive"]', "source_pool"),
        ('target_pool = ["de.music.positive"]', "target_pool"),
        ('target_pool = ["de.music.positive"]\nnew_documents = true', "new_documents"),
    ],
)
def test_pools_and_folds_are_for_one_language(field: str, name: str) -> None:
    sides = 'source = { x = ["en.books.positive"], y = ["en.dvd.positive"] }\n'
    sides += 'target = { x = ["de.books.positive"] }\ncorpus = "webis"\nvocabulary = "identical"\n'
    with pytest.raises(ValueError, match=f"Both '{name}' and 'vocabulary' stand in problem 0"):
        listed(sides + field)


def test_pools_of_several_domains() -> None:
    sides = 'sources = [{ x = ["a"] }, { y = ["b"] }]\n'
    task = listed(sides + TARGET + 'source_pools = [[], ["d", "e"]]\ntarget_pool = ["f"]')
    assert (task.source_pools, task.target_pools) == (((), ("d", "e")), (("f",),))
    assert task.pools == {0: (), 1: ("d", "e"), -1: ("f",)}
    assert task.groups == ("a", "b", "c", "d", "e", "f")
    # Without a group there is no pool, written or not.
    assert listed(sides + TARGET + "source_pools = [[], []]") == listed(sides + TARGET)


def test_seeds_name_folds() -> None:
    text = LISTED.replace("SIDES", SOURCE + TARGET + "folds = 3")
    assert (
        parse_suite(text.replace("seeds = [0]", "seeds = [0, 2]"), "tiny.toml").tasks[0].folds == 3
    )
    for wrong in (
        text.replace("seeds = [0]", "seeds = [0, 3]"),
        text.replace("folds = 3", "folds = 3\nseeds = [1, 3]"),
    ):
        with pytest.raises(ValueError, match=r"seed 3 names no fold of the problem 'p' .* 0 to 2"):
            parse_suite(wrong, "tiny.toml")


def test_the_entry_that_others_are_tested_against() -> None:
    named = 'paired_with = "lg"\n'
    assert parse_suite(named + TINY, "tiny.toml").paired_with == "lg"
    with pytest.raises(ValueError, match="There is no entry 'svm' in suite"):
        parse_suite('paired_with = "svm"\n' + TINY, "tiny.toml")
    with pytest.raises(ValueError, match=r"'paired_with' .* must be of type str, not bool"):
        parse_suite("paired_with = true\n" + TINY, "tiny.toml")
    with pytest.raises(ValueError, match=r"'paired_with' .* clusters name none: leave it out"):
        parse_suite('paired_with = "km"\n' + CLUSTERS, "tiny.toml")
    # Where the seed draws the documents to score, problems are compared and documents are not.
    for field in ("sample = 5", "keep_target = { x = 0.5 }", "labelled_target = 0.2"):
        text = named + LISTED.replace("SIDES", SOURCE + TARGET + field)
        (task,) = parse_suite(text, "tiny.toml").tasks
        assert task.draws_scored
    # What is drawn of the source alone leaves the documents to score as they are.
    text = named + LISTED.replace("SIDES", SOURCE + TARGET + "labelled_source = 0.5")
    assert parse_suite(text, "tiny.toml").paired_with == "lg"
