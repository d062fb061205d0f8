"""Fixtures that several tests use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
# The compiled form from the first call on, for one answer whatever ran before.
os.environ.setdefault("ISTHMUS_COMPILE", "always")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora; skips where there is none."""
    folder = os.environ.get("ISTHMUS_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("the real corpora are not here: set ISTHMUS_DATA to their folder")
    return Path(folder)
