"""Fixtures of the tests of files."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pytest

NOBODY = 65534
TOP = Path(tempfile.gettempdir())


@pytest.fixture
def as_nobody():
    """A context in which permissions count, also where the tests are run by root."""

    @contextlib.contextmanager
    def act(*folders):
        if os.geteuid() != 0:
            yield
            return
        for folder in folders:
            for place in (folder, *folder.parents):
                if place.is_relative_to(TOP) and place != TOP:
                    place.chmod(place.stat().st_mode | 0o055)
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return act
