"""Fixtures of the tests on real corpora."""

from __future__ import annotations

import pytest

from common import counts_are_kept

__all__ = ["counts_are_kept"]


@pytest.fixture(scope="package", autouse=True)
def _keep_counts(counts_are_kept):
    """All tests of this folder need the corpora."""
