"""Warnings point at the line that the user wrote."""

from __future__ import annotations

import pytest
from sklearn.exceptions import ConvergenceWarning

from isthmus import MTrick
from toy import make_toy


def test_a_warning_points_here():
    toy = make_toy()
    with pytest.warns(ConvergenceWarning) as caught:
        MTrick(max_iter=2).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert caught[0].filename == __file__
