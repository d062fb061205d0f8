"""Plan and run several suites, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs, split_missing, split_pending
from isthmus_bench.run.results import Record, ResultFile
from isthmus_bench.run.runner import run_pending
from isthmus_bench.run.runs import Run

__all__ = ["SuiteRuns", "plan_suites", "run_suites"]


@dataclass(frozen=True)
class SuiteRuns:
    """The work on one suite.

    Attributes
    ----------
    suite : Suite
        The suite.
    results : ResultFile
        Its results.
    pending : list of Run
        Runs without a valid result.
    done : int
        Number of runs with one.
    missing : dict of str to str
        Entries that cannot run, with the package that they need.
    reason : str, optional
        Why the suite cannot run at all.
    """

    suite: Suite
    results: ResultFile
    pending: list[Run]
    done: int
    missing: dict[str, str]
    reason: str | None = None


def plan_suites(
    suites: Sequence[Suite],
    choice: Choice,
    folder: Path,
    data_home: str | None = None,
    again: bool = False,
) -> list[SuiteRuns]:
    """Find the pending runs of suites, whose results are in the folder.

    Of several suites, those without a chosen method are skipped. With ``again``, runs that have a
    result are pending too.
    """
    several = len(suites) > 1
    known = {name for suite in suites for entry in suite.entries for name in entry.names}
    for name in choice.methods if several else ():
        if name not in known:
            ids = sorted({entry.family_id for suite in suites for entry in suite.entries})
            raise ValueError(f"No suite has an entry '{name}': choose from {', '.join(ids)}.")
    planned = []
    for suite in suites:
        names = {name for entry in suite.entries for name in entry.names}
        here = choice
        if several and choice.methods:
            here = replace(choice, methods=tuple(m for m in choice.methods if m in names))
            if not here.methods:
                continue
        results = ResultFile(folder / f"{suite.name}.jsonl")
        try:
            runs, missing = split_missing(plan_runs(suite, here, data_home))
            pending, done = split_pending(runs, results, again)
        except ValueError as error:
            if not several:
                raise
            planned.append(SuiteRuns(suite, results, [], 0, {}, str(error)))
            continue
        planned.append(SuiteRuns(suite, results, pending, done, missing))
    return planned


def run_suites(
    planned: Sequence[SuiteRuns],
    jobs: int,
    on_result: Callable[[Record], None],
    on_suite: Callable[[SuiteRuns], None] = lambda runs: None,
    executor: Executor | None = None,
    on_progress: Callable[[str], None] = lambda text: None,
) -> dict[str, str]:
    """Run suite after suite, and return those that could not run with the reasons.

    Of several suites, one whose corpus is missing does not stop the others; a single one is an
    error that names it.
    """
    stopped: dict[str, str] = {}
    for runs in planned:
        on_suite(runs)
        if runs.reason is not None:
            stopped[runs.suite.name] = runs.reason
            continue
        try:
            run_pending(runs.pending, runs.results, jobs, on_result, executor, on_progress)
        except (ValueError, FileNotFoundError, ImportError) as error:
            reason = " ".join(str(error).split())
            if len(planned) == 1:
                name = runs.suite.origin or runs.suite.name
                raise ValueError(f"Suite '{name}': {reason}") from error
            stopped[runs.suite.name] = reason
    return stopped
