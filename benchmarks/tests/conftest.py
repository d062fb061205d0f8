"""Fixtures of the tests of the laboratory; helpers of the library's tests can be imported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent
# Helpers of the library's tests, such as a small corpus in files or a made-up GPU.
_OF_THE_LIBRARY = _FOLDER.parents[1] / "tests"
sys.path[:0] = [str(_FOLDER), str(_OF_THE_LIBRARY)]

import browser_fixtures
from browser_fixtures import browser, open_page, run_axe, screenshot
from common import corpora, expect_warnings, register_profiles

__all__ = ["browser", "corpora", "open_page", "run_axe", "screenshot"]

register_profiles()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Apply the markers, and keep tests with a browser in one process."""
    browser_fixtures.pytest_collection_modifyitems(items)
    expect_warnings(items)
