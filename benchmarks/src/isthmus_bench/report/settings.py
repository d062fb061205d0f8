"""How the results of a suite were made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from isthmus_bench.documents.tasks import SPLITS, BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.summary import Results

__all__ = ["settings_lines"]


def settings_lines(suite: Suite, results: Results) -> tuple[str, ...]:
    """The commands, the documents, the versions, and every entry."""
    versions: Counter[str] = Counter()
    families: dict[str, list[Entry]] = {}
    for entry in suite.entries:
        versions.update(results[entry.id].versions)
        families.setdefault(entry.family_id, []).append(entry)
    random = "methods and problems" if any(t.is_random for t in suite.tasks) else "methods"
    stems = f", stems: {suite.text.stemmer}" if suite.text.stemmer else ""
    names = [suite.origin] * 2 if suite.origin else [suite.name, ""]
    report = f"isthmus-bench report {names[1]}".rstrip()
    return (
        f"repeat: `isthmus-bench run {names[0]}`, then `{report}`",
        f"{suite.dtype}, {_terms(suite)}, stop words: {suite.text.stop_words or 'none'}{stems}, "
        f"seeds {_seeds(suite)} for random {random}, every fit on one thread",
        *_protocol(suite),
        *([_SPREAD] if suite.spread else []),
        *(f"versions: {text} ({count} runs)" for text, count in versions.most_common()),
        *map(_entry_line, families.values()),
    )


def _terms(suite: Suite) -> str:
    limits = []
    text = suite.text
    if (text.max_terms is None or text.min_df != 1) and any(not t.vocabulary for t in suite.tasks):
        limits.append(f"terms in at least {text.min_df} documents")
    if text.max_terms is not None:
        limits.append(f"the {text.max_terms:,} terms of a problem that occur in the most documents")
    if any(task.vocabulary for task in suite.tasks):
        least = 2 if text.min_df is None else text.min_df
        limits.append(f"terms in at least {least} and at most half of the documents of a language")
    return ", ".join(limits)


def _seeds(suite: Suite) -> str:
    """The seeds, with the problems that have them where these differ."""
    by_seeds = _problems_by(suite, lambda task: task.seeds or suite.seeds)
    if len(by_seeds) == 1:
        return ", ".join(map(str, by_seeds[0][0]))
    return " and ".join(f"{', '.join(map(str, seeds))} ({named})" for seeds, named in by_seeds)


_SPREAD = "after ±: the sample standard deviation over the seeds, of the mean over the problems"
_RULES = {
    "sample": "{} documents of every class of every domain, drawn by the seed",
    "sample_source": "{} documents of every class of the sources, drawn by the seed",
    "folds": "{} folds of every class of every domain; the seed names the one whose source "
    "documents are left out and whose target documents are scored",
    "keep_target": "of the target, {} are kept, drawn by the seed",
    "pools": "pools of unlabeled documents take part in every fit, except those that equal a "
    "scored document",
    "new_documents": "the scored documents are in no fit and do not count in terms and weights",
}


def _protocol(suite: Suite) -> list[str]:
    """One line per rule by which problems get their documents, with the problems it applies to."""

    def value_of(task: BenchmarkTask, name: str) -> Any:
        value = getattr(task, name)
        if name == "keep_target":
            kept = [f"{100 * share:g} % of the class {label}" for label, share in value.items()]
            return " and ".join(kept)
        return bool(value) if name == "pools" else value

    return [
        f"{text.format(value)} ({named})"
        for name, text in _RULES.items()
        for value, named in _problems_by(suite, partial(value_of, name=name))
        if value
    ]


def _problems_by(suite: Suite, value_of: Callable[[BenchmarkTask], Any]) -> list[tuple[Any, str]]:
    """The values that problems have, with the names of those problems."""
    tasks: dict[Any, list[BenchmarkTask]] = {}
    for task in suite.tasks:
        tasks.setdefault(value_of(task), []).append(task)
    return [(value, _name_problems(suite, part)) for value, part in tasks.items()]


def _name_problems(suite: Suite, tasks: Sequence[BenchmarkTask]) -> str:
    """All problems, those of a split or of sets, or their names."""
    if len(tasks) == len(suite.tasks):
        return "all problems"
    for split in SPLITS:
        if list(tasks) == [task for task in suite.tasks if task.split == split]:
            return f"{split} problems"
    sets = [group for group in suite.sets if len(group.tasks) > 1 and {*group.tasks} <= {*tasks}]
    if sum(len(group.tasks) for group in sets) == len(tasks):
        return ", ".join(f"the set {group.name}" for group in sets)
    return ", ".join(task.name for task in tasks)


_TRAINED_ON = {
    "target": "trained on the labeled documents of the target, without the source",
    "source folds": "10-fold cross-validation within the source",
    "target folds": "10-fold cross-validation within the target, with its true labels",
}


def _entry_line(entries: list[Entry]) -> str:
    entry = entries[0]
    values = {name: repr(value) for name, value in entry.params.items()}
    if entry.sweep is not None:
        values[entry.sweep.parameter] = ", ".join(repr(one.sweep_value) for one in entries)
    values |= {name: ", ".join(map(repr, tried)) for name, tried in entry.grid.items()}
    limit = entry.seconds_allowed
    parts = [
        f"{entry.family_label}: method `{entry.method}`",
        f"preset `{entry.preset}`" if entry.preset else "",
        f"weighting `{entry.weighting}`",
        f"second matrix: {entry.second_view}, if there are texts" if entry.second_view else "",
        *(f"{name}={value}" for name, value in values.items()),
        _TRAINED_ON.get(entry.trained_on, ""),
        "given the true class proportions of the scored documents" * entry.known_class_prior,
        "only the named problems" * entry.is_named_only,
        f"only on {' and '.join(entry.sets)}" if entry.sets else "",
        f"only seeds {', '.join(map(str, entry.seeds))}" if entry.seeds else "",
        f"at most {limit:g} seconds per fit" if limit is not None else "",
    ]
    return ", ".join(part for part in parts if part)
