"""How the figures of a suite were made, in the words of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.protocol_lines import name_problems, protocol_lines
from isthmus.bench.report.summary import EntryResults

__all__ = ["settings_lines"]


def settings_lines(suite: Suite, results: Mapping[str, EntryResults]) -> tuple[str, ...]:
    """How to repeat it, what the documents are, the versions, and every entry."""
    seen: Counter[str] = Counter()
    for entry in suite.entries:
        seen.update(results[entry.id].versions)
    drawn = any(task.is_random for task in suite.tasks)
    chance = "methods and problems" if drawn else "methods"
    stems = f", stems: {suite.text.stemmer}" if suite.text.stemmer else ""
    return (
        _repeat(suite),
        f"{suite.dtype}, {_terms(suite)}, stop words: "
        f"{suite.text.stop_words or 'none'}{stems}, seeds {_seeds(suite)} "
        f"for {chance} with chance, every fit on one thread",
        *protocol_lines(suite),
        *(f"versions: {text} ({count} runs)" for text, count in seen.most_common()),
        *(_entry_line(entries) for entries in _by_sweep(suite.entries)),
    )


def _terms(suite: Suite) -> str:
    limits = []
    limited = suite.text.max_terms is None or suite.text.min_df != 1
    if limited and any(task.vocabulary is None for task in suite.tasks):
        limits.append(f"terms in at least {suite.text.min_df} documents")
    if suite.text.max_terms is not None:
        most = f"the {suite.text.max_terms:,} terms of a problem"
        limits.append(f"{most} that stand in the most documents")
    if any(task.vocabulary is not None for task in suite.tasks):
        least = 2 if suite.text.min_df is None else suite.text.min_df
        limits.append(f"terms in at least {least} and at most half of the documents of a language")
    return ", ".join(limits)


def _seeds(suite: Suite) -> str:
    """The seeds, with the problems that have them where these differ."""
    found: dict[tuple[int, ...], list[Task]] = {}
    for task in suite.tasks:
        found.setdefault(task.seeds or suite.seeds, []).append(task)
    if len(found) == 1:
        return ", ".join(map(str, next(iter(found))))
    return " and ".join(
        f"{', '.join(map(str, seeds))} ({name_problems(suite, tasks)})"
        for seeds, tasks in found.items()
    )


def _repeat(suite: Suite) -> str:
    if suite.origin is None:
        return f"repeat: `isthmus bench run {suite.name}`, then `isthmus bench report`"
    file = suite.origin
    return f"repeat: `isthmus bench run {file}`, then `isthmus bench report {file}`"


def _by_sweep(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The entries of every sweep together, all others by themselves."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.chosen_by[-1], []).append(entry)
    return list(found.values())


def _entry_line(entries: list[Entry]) -> str:
    entry = entries[0]
    label, values = entry.label, {name: repr(value) for name, value in entry.params.items()}
    if entry.sweep is not None:
        label, swept = entry.sweep.label, entry.sweep.parameter
        values[swept] = ", ".join(repr(one.params[swept]) for one in entries)
    preset = f", preset `{entry.preset}`" if entry.preset else ""
    params = ", ".join(f"{name}={value}" for name, value in values.items())
    told = ", given the true class shares of the documents to score" if entry.known_shares else ""
    named = ", the named problems alone" if entry.named else ""
    sets = f", on {' and '.join(entry.sets)} alone" if entry.sets else ""
    seeds = f", seeds {', '.join(map(str, entry.seeds))} alone" if entry.seeds else ""
    limit = entry.seconds_allowed
    most = "" if limit is None else f", at most {limit:g} seconds a fit"
    return (
        f"{label}: method `{entry.method}`{preset}, weighting `{entry.weighting}`"
        + (f", {params}" if params else "")
        + told
        + named
        + sets
        + seeds
        + most
    )
