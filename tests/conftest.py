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
# Compile at the first call, so that results do not depend on the tests that ran before.
os.environ.setdefault("ISTHMUS_COMPILE", "always")

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

# Every warning is an error. These markers say which ones a test expects without asserting them.
_EXPECTED_WARNINGS = {
    "ends_early": ("ignore::sklearn.exceptions.ConvergenceWarning",),
    "doubtful": (
        "ignore:Classes in .* may be swapped:UserWarning",
        "ignore:None of the .* documents:UserWarning",
        "ignore:.* documents are not connected:UserWarning",
        "ignore:The verdict on the labels of:UserWarning",
    ),
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Apply the markers and shorten quick runs."""
    for item in items:
        for marker, filters in _EXPECTED_WARNINGS.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.filterwarnings(*filters))
    if os.environ.get("ISTHMUS_QUICK_TESTS", "") not in ("", "0"):
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


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora; tests are skipped without it."""
    folder = os.environ.get("ISTHMUS_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("the real corpora are missing: set ISTHMUS_DATA to their folder")
    return Path(folder)
