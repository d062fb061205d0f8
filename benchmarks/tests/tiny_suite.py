"""Suites on the generated corpus, small enough for tests."""

TINY = """
name = "tiny"
title = "Tiny"
citation = "Nobody"
seeds = [0, 1]
dtype = "float32"
[text]
stop_words = "english"
min_df = 2
[tasks]
kind = "ordered-pairs"
corpus = "synthetic"
development_every = 4
[[sets]]
name = "a"
positive = ["books.positive", "kitchen.positive"]
negative = ["books.negative", "kitchen.negative"]
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
"""

CLUSTERS = """
name = "clusters"
title = "Tiny clusters"
citation = "Nobody"
seeds = [0, 1]
dtype = "float32"
metrics = ["accuracy", "NMI (geometric)"]
table = "problems"
[text]
stop_words = "english"
min_df = 2
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
[[sets.problems]]
name = "first"
split = "development"
tasks = [
    { good = ["books.positive"], bad = ["books.negative"] },
    { good = ["kitchen.positive"], bad = ["kitchen.negative"] },
]
scored = 1
paper.accuracy = { KM = 60.0 }
paper."NMI (geometric)" = { KM = 0.25, NCut = 0.5 }
[[sets.problems]]
name = "second"
split = "evidence"
tasks = [
    { good = ["books.positive"], bad = ["books.negative"] },
    { good = ["kitchen.positive"], bad = ["kitchen.negative"] },
]
scored = 2
paper.accuracy = { KM = 70.0 }
[[entries]]
id = "km"
label = "KM"
method = "kmeans"
weighting = "tfidf"
paper = "KM"
[[entries]]
id = "all"
label = "All KM"
method = "kmeans"
params = { scope = "all" }
weighting = "tfidf"
"""

# A problem whose sides, and what else there is to it, take the place of SIDES.
LISTED = """
name = "tiny"
title = "Tiny"
citation = "Nobody"
seeds = [0]
dtype = "float32"
[text]
min_df = 1
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
[[sets.problems]]
name = "p"
split = "evidence"
SIDES
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "counts"
"""
SOURCE, TARGET = 'source = { x = ["a"], y = ["b"] }\n', 'target = { x = ["c"] }\n'


def render_report(found):
    """The report on suites and their records as Markdown."""
    from isthmus_bench.report.blocks import render_markdown
    from isthmus_bench.report.build import build_report

    return render_markdown(build_report(found))


def make_task(name, set_name, split, corpus, sources, targets, **fields):
    """A problem from classes with their groups, domain by domain, as pairs or dicts."""
    from isthmus_bench.documents.tasks import BenchmarkTask

    sides = {"sources": [dict(part) for part in sources], "targets": [dict(p) for p in targets]}
    if not sources:
        sides = {"tasks": sides["targets"]}
    if "keep_target" in fields:
        fields["keep_target"] = dict(fields["keep_target"])
    task = BenchmarkTask.model_validate(
        {"name": name, "split": split, "corpus": corpus, **sides, **fields}
    )
    return task.model_copy(update={"set_name": set_name})


def replace(value, **changes):
    """A copy of a dataclass or a table of a suite with other fields, which are not checked."""
    import dataclasses

    if "keep_target" in changes:
        changes["keep_target"] = dict(changes["keep_target"])
    for side in ("sources", "targets"):
        if side in changes:
            changes[side] = tuple(dict(part) for part in changes[side])
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **changes)
    return value.model_copy(update=changes)


def table_rows(text):
    """The titles and the rows of a Markdown table, without bold."""
    assert text.startswith("| "), text
    lines = [line.strip("|").replace("**", "") for line in text.splitlines()]
    rows = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    return [rows[0], *rows[2:]]
