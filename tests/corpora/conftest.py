"""What the tests on real corpora share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="package", autouse=True)
def _counts_are_kept(corpora, tmp_path_factory):
    """Counting words takes longer than most fits, so it is done once for all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISTHMUS_CACHE", str(tmp_path_factory.mktemp("counts")))
        patch.setenv("ISTHMUS_DATA", str(corpora))
        yield
