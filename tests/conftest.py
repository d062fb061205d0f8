"""Fixtures that several tests use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from common import QUICK, corpora, expect_warnings, register_profiles

__all__ = ["corpora", "pytest_collection_modifyitems"]

register_profiles()

# With ISTHMUS_QUICK_TESTS=1, for runs against other versions of the dependencies: of tests that
# differ in these parameters only, the first is run. They are about the logic of this package. The
# compiled loops are always tested completely: numba's code differs by type and size.
_REPEATED = frozenset(
    {"dtype", "setting", "domains", "n_classes", "shape", "array", "place", "value", "words"}
)
_ALWAYS_COMPLETE = ("kernels", "matrices")
# These do not depend on the version of any package.
_OWN_LOGIC = (
    "test_class_prior.py::",
    "test_model_files.py::test_damaged",
    "::test_number_of_threads_does_not_matter",
    "::test_number_of_blas_threads_does_not_matter",
    "::test_interpreted_loops_give",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Apply the markers and shorten quick runs."""
    expect_warnings(items)
    if QUICK:
        _shorten(config, items)


def _shorten(config: pytest.Config, items: list[pytest.Item]) -> None:
    first: dict[tuple[object, ...], pytest.Item] = {}
    for item in items:
        if not ("contract/" in item.nodeid and any(part in item.nodeid for part in _OWN_LOGIC)):
            first.setdefault(_quick_case(item), item)
    kept = set(first.values())
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = first.values()


def _params(item: pytest.Item) -> dict[str, object]:
    case = getattr(item, "callspec", None)
    return {} if case is None else case.params


def _quick_case(item: pytest.Item) -> tuple[object, ...]:
    """Tests with the same key are repetitions of each other in a quick run."""
    params = _params(item)
    if not params or Path(item.path).parent.name in _ALWAYS_COMPLETE:
        return (item.nodeid,)
    test = item.nodeid.partition("[")[0]
    rest = sorted({*params} - _REPEATED)
    # A value of a parameter is the same object in all tests of a function.
    return (test, *((name, id(params[name])) for name in rest))
