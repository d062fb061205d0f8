"""Fixtures that several tests use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# No test depends on the clock: the first call may compile a loop or load a dictionary.
settings.register_profile("isthmus", deadline=None)
settings.load_profile("isthmus")

sys.path.insert(0, str(Path(__file__).parent))
# The compiled form from the first call on, for one answer whatever ran before.
os.environ.setdefault("ISTHMUS_COMPILE", "always")

# With ISTHMUS_QUICK_TESTS=1, for runs against other versions of what the package stands on: of
# tests that differ in nothing but these parameters the first is run. They are about the package's
# own logic. The loops are tested whole: what numba makes of them differs by type and size.
_REPEATED = frozenset(
    {"dtype", "setting", "n_classes", "domains", "shape", "array", "place", "value", "message"}
)
_WHOLE = ("kernels", "matrices")
# And these, which no other version of a package can break, are not run then.
_OWN_LOGIC = (
    "test_class_prior.py::",
    "::test_same_answer_with_any_number_of_threads",
    "::test_same_answer_however_many_threads_blas_has",
    "::test_same_answer_from_plain_and_from_compiled_loops",
    "::test_a_damaged_matrix_is_refused",
    "::test_bad_sample_domain",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out repetitions where a quick run is asked for."""
    if os.environ.get("ISTHMUS_QUICK_TESTS", "") in ("", "0"):
        return
    first: dict[tuple[object, ...], pytest.Item] = {}
    for item in items:
        if not ("contract/" in item.nodeid and any(part in item.nodeid for part in _OWN_LOGIC)):
            first.setdefault(_quick_case(item), item)
    kept = set(first.values())
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = first.values()


def _quick_case(item: pytest.Item) -> tuple[object, ...]:
    """What tells a test from those that a quick run does without."""
    case = getattr(item, "callspec", None)
    if case is None or Path(item.path).parent.name in _WHOLE:
        return (item.nodeid,)
    test = item.nodeid.partition("[")[0]
    rest = sorted({*case.params} - _REPEATED)
    # Values of a parameter are the same objects in all tests of a function.
    return (test, *((name, id(case.params[name])) for name in rest))


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora; skips where there is none."""
    folder = os.environ.get("ISTHMUS_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("the real corpora are not here: set ISTHMUS_DATA to their folder")
    return Path(folder)
