"""What the tests of the library and those of the laboratory share."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

__all__ = [
    *("QUICK", "anchors", "corpora", "counts_are_kept", "examples", "expect_warnings"),
    "register_profiles",
]

#: Runs against other versions of the dependencies are shorter, see conftest.py.
QUICK = os.environ.get("ISTHMUS_QUICK_TESTS", "") not in ("", "0")

_EVERYDAY = 5 if QUICK else 20

# Compile at the first call, so that results do not depend on the tests that ran before.
os.environ.setdefault("ISTHMUS_COMPILE", "always")

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


def register_profiles() -> None:
    """Let tests of properties take few examples, or all with ``--hypothesis-profile all``.

    Only for ``conftest.py``, which runs once: what loads a profile later overrides the option.
    """
    # No test depends on the clock: the first call may compile a loop or load a dictionary.
    settings.register_profile("everyday", deadline=None, max_examples=_EVERYDAY)
    settings.register_profile("all", deadline=None, max_examples=100)
    settings.load_profile("everyday")


def examples(number: int, **others: Any) -> settings:
    """Settings of a property: this many examples with ``--hypothesis-profile all``, else few."""
    few = settings.default is not None and settings.default.max_examples <= _EVERYDAY
    return settings(max_examples=min(number, _EVERYDAY) if few else number, **others)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def expect_warnings(items: list[pytest.Item]) -> None:
    """Apply the markers of the tests that expect a warning."""
    for item in items:
        for marker, filters in _EXPECTED_WARNINGS.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.filterwarnings(*filters))


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora; tests are skipped without it."""
    folder = os.environ.get("ISTHMUS_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("the real corpora are missing: set ISTHMUS_DATA to their folder")
    return Path(folder)


@pytest.fixture(scope="package")
def counts_are_kept(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Words are counted once for all tests: it takes longer than most fits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISTHMUS_CACHE", str(tmp_path_factory.mktemp("counts")))
        patch.setenv("ISTHMUS_DATA", str(corpora))
        yield
