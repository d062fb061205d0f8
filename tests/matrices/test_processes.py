"""A function in several processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

import isthmus
import process_tasks
from isthmus.matrices.processes import map_in_processes
from process_tasks import die_at_three, environment_of, fail_at_three, square, wait_for_end

needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc")


def test_results_are_in_order_and_items_are_taken_late() -> None:
    taken = []

    def numbers():
        for number in range(20):
            taken.append(number)
            yield number

    results = map_in_processes(square, numbers(), n_processes=2)
    assert taken == []
    received = []
    for n_received, result in enumerate(results):
        received.append(result)
        assert len(taken) <= 4 + n_received + 1
    assert received == [number * number for number in range(20)]
    assert taken == list(range(20))


@needs_proc
def test_processes_have_one_thread_and_end_with_the_iteration(monkeypatch) -> None:
    monkeypatch.setattr("isthmus.matrices.processes.thread_limit", lambda: 2)
    results = list(map_in_processes(environment_of, range(12)))
    pids = {pid for pid, _, _ in results}
    assert 1 <= len(pids) <= 2
    assert os.getpid() not in pids
    assert {(n_threads, ignores) for _, n_threads, ignores in results} == {("1", True)}
    assert wait_for_end(pids) == set()


@needs_proc
def test_an_error_is_raised_after_the_results_before_it() -> None:
    results = map_in_processes(fail_at_three, range(100), n_processes=2)
    pids = {next(results) for _ in range(3)}
    with pytest.raises(ValueError, match=r"^three is wrong$"):
        next(results)
    assert wait_for_end(pids) == set()


@needs_proc
def test_processes_end_when_the_results_are_no_longer_read() -> None:
    results = map_in_processes(fail_at_three, iter([1] * 10**6), n_processes=2)
    pid = next(results)
    results.close()
    assert wait_for_end({pid}) == set()


def test_an_error_of_the_items_is_raised() -> None:
    def items():
        yield from range(5)
        raise OSError("the file ends here")

    with pytest.raises(OSError, match="the file ends here"):
        list(map_in_processes(square, items(), n_processes=1))


def test_a_process_that_is_killed_is_an_error() -> None:
    with pytest.raises(TerminatedWorkerError):
        list(map_in_processes(die_at_three, range(8), n_processes=1))


@needs_proc
def test_processes_end_if_the_main_process_is_killed() -> None:
    code = (
        "from isthmus.matrices.processes import map_in_processes\n"
        "from process_tasks import print_process\n"
        "list(map_in_processes(print_process, [1, 2], n_processes=1))"
    )
    folders = [Path(isthmus.__file__).parents[1], Path(process_tasks.__file__).parent]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as main:
        assert main.stdout is not None
        pid = int(main.stdout.readline())
        main.kill()
    assert wait_for_end({pid}) == set()


def test_nothing_to_do() -> None:
    assert list(map_in_processes(square, [], n_processes=1)) == []
