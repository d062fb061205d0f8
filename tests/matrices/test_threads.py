"""The thread limit and the thread pool."""

from __future__ import annotations

import os
import threading

import joblib
import pytest
from threadpoolctl import threadpool_limits

from isthmus.matrices import threads
from isthmus.matrices.threads import run_all, thread_limit


@pytest.fixture
def four_cores(monkeypatch):
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)

    class Libraries:
        def info(self):
            return [{"num_threads": 4}]

    monkeypatch.setattr(threads, "_cores", lambda: 4)
    monkeypatch.setattr(threads, "_controller", Libraries)


def test_all_cores_by_default(four_cores):
    assert thread_limit() == 4


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("OMP_NUM_THREADS", "2", 2),
        ("OMP_NUM_THREADS", "3,2", 3),
        ("NUMBA_NUM_THREADS", "1", 1),
        ("OMP_NUM_THREADS", "64", 4),
        ("OMP_NUM_THREADS", "nonsense", 4),
        ("OMP_NUM_THREADS", "0", 4),
    ],
)
def test_the_environment_limits(four_cores, monkeypatch, name, value, expected):
    monkeypatch.setenv(name, value)
    assert thread_limit() == expected


def test_threadpoolctl_limits():
    with threadpool_limits(1):
        assert thread_limit() == 1


def test_workers_of_joblib_share_the_cores():
    limits = joblib.Parallel(n_jobs=2)(joblib.delayed(thread_limit)() for _ in range(2))
    assert sum(limits) <= max(2, joblib.cpu_count())


def test_results_are_in_order(four_cores):
    assert run_all(lambda number: number * number, range(20)) == [n * n for n in range(20)]


def test_one_pool_with_one_thread_per_core(four_cores):
    threads._pools.clear()
    thread_ids = set()
    for size in (2, 3, 5, 9):
        thread_ids |= set(run_all(lambda _: threading.get_ident(), range(size)))
    assert len(threads._pools) == 1
    assert 1 <= len(thread_ids) <= 4
    assert threading.get_ident() not in thread_ids


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_its_own_threads(four_cores):
    assert run_all(abs, [-1, -2]) == [1, 2]
    child = os.fork()
    if child == 0:
        os._exit(0 if run_all(abs, [-1, -2, -3]) == [1, 2, 3] else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_an_error_on_a_thread_is_raised(four_cores):
    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_all(fail, [1, 2])
