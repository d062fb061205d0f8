"""Several suites in one go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from isthmus.bench.plan.suite import Suite
from isthmus.bench.run.planning import Choice, plan_runs, split_missing, split_pending
from isthmus.bench.run.results import Record, ResultFile
from isthmus.bench.run.runner import run_pending
from isthmus.bench.run.runs import Run

__all__ = ["Stage", "plan_stages", "run_stages"]


@dataclass(frozen=True)
class Stage:
    """A suite with what is to do for it.

    Attributes
    ----------
    suite : Suite
        The suite.
    results : ResultFile
        Where its results are.
    pending : list of Run
        What has no result that stands.
    done : int
        How many runs have one.
    missing : dict of str to str
        Entries that cannot be run here, with the package that they need.
    trouble : str, optional
        Why the suite cannot be run at all.
    """

    suite: Suite
    results: ResultFile
    pending: list[Run]
    done: int
    missing: dict[str, str]
    trouble: str | None = None


def plan_stages(
    suites: Sequence[Suite],
    choice: Choice,
    folder: Path,
    data_home: str | None = None,
    again: bool = False,
) -> list[Stage]:
    """Find out what is to do.

    Parameters
    ----------
    suites : sequence of Suite
        In the order of the work. Of several, those that have none of the chosen methods are left
        out.
    choice : Choice
        Which part of each.
    folder : Path
        Where result files are.
    data_home : str, optional
        The data folder.
    again : bool
        Whether runs that have a result are run again, which the new one replaces.

    Returns
    -------
    list of Stage
        One for each suite.
    """
    _check_methods(suites, choice.methods)
    several = len(suites) > 1
    stages = []
    for suite in suites:
        names = {name for entry in suite.entries for name in entry.names}
        if several and choice.methods and names.isdisjoint(choice.methods):
            continue
        here = choice
        if several:
            here = choice.with_methods(tuple(m for m in choice.methods if m in names))
        results = ResultFile(folder / f"{suite.name}.jsonl")
        try:
            runs, missing = split_missing(plan_runs(suite, here, data_home))
            pending, done = split_pending(runs, results, again)
        except ValueError as error:
            if not several:
                raise
            stages.append(Stage(suite, results, [], 0, {}, str(error)))
            continue
        stages.append(Stage(suite, results, pending, done, missing))
    return stages


def _check_methods(suites: Sequence[Suite], methods: Sequence[str]) -> None:
    """A name that no suite knows is a slip; one that only some know is not."""
    known = {name for suite in suites for entry in suite.entries for name in entry.names}
    unknown = [name for name in methods if name not in known]
    if unknown and len(suites) > 1:
        ids = sorted({entry.chosen_by[-1] for suite in suites for entry in suite.entries})
        raise ValueError(f"No suite has an entry '{unknown[0]}': choose among {', '.join(ids)}.")


def run_stages(
    stages: Sequence[Stage],
    jobs: int,
    on_result: Callable[[Record], None],
    on_stage: Callable[[Stage], None] = lambda stage: None,
    executor: Executor | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, str]:
    """Run suite after suite.

    What keeps one of several suites from running, such as a corpus that is not here, does not keep
    the others. An executor does the work instead of processes of its own. ``tell`` hears what is
    being prepared.

    Returns
    -------
    dict of str to str
        Names of the suites that could not be run, with the reasons.
    """
    stopped: dict[str, str] = {}
    for stage in stages:
        on_stage(stage)
        if stage.trouble is not None:
            stopped[stage.suite.name] = stage.trouble
            continue
        try:
            run_pending(stage.pending, stage.results, jobs, on_result, executor, tell)
        except (ValueError, FileNotFoundError, ImportError) as error:
            if len(stages) == 1:
                raise
            stopped[stage.suite.name] = " ".join(str(error).split())
    return stopped
