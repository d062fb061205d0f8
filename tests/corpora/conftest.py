"""Fixtures of the tests on real corpora."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="package", autouse=True)
def _counts_are_kept(corpora, tmp_path_factory):
    """Words are counted once for all tests: it takes longer than most fits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISTHMUS_CACHE", str(tmp_path_factory.mktemp("counts")))
        patch.setenv("ISTHMUS_DATA", str(corpora))
        yield
