"""The best three methods of every set, from generated results."""

from __future__ import annotations

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import TINY, render_report

ENTRY = '[[entries]]\nid = "{0}"\nlabel = "Our {0}"\nmethod = "{1}"\nweighting = "log-tfidf"\n'
OTHERS = {"svm": "svm", "ib": "ib", "cocc": "cocc", "far": "cocc", "p": "skada-coral"}


def page(text: str, scores: dict[str, float]) -> str:
    suite = parse_suite(text, "tiny.toml")
    records: dict[str, Record] = {}
    for run in plan_runs(suite, Choice()):
        rest = {"seconds": 1.0, "error": None, "versions": {}}
        # The order on the development problem differs.
        score = scores[run.entry.id]
        accuracy = score if run.task.split == "evidence" else 1 - score
        record = {**run.identity(), "accuracy": accuracy, **rest}
        records[record_key(record)] = record
    return render_report([(suite, records)])


def test_default_entries_are_ordered_by_evidence_results() -> None:
    text = TINY + "".join(ENTRY.format(*pair) for pair in OTHERS.items())
    text = text.replace('id = "far"', 'id = "far"\nparams = { max_iter = 3 }')
    scores = {"lg": 0.7, "svm": 0.8, "ib": 0.6, "cocc": 0.9, "far": 0.99, "p": 0.85}
    row = "| tiny: a | 3 | CoCC 90.00 | SVM 80.00 | LG 70.00 | skada CORAL 85.00 |"
    assert row in page(text, scores)


def test_no_table_if_few_methods_have_common_problems() -> None:
    text = TINY + ENTRY.format("svm", "svm")
    assert "The best of every set" not in page(text, {"lg": 0.7, "svm": 0.8})
