"""Tests of properties take few examples every day, and all of them in ``make slow``."""

from __future__ import annotations

import pytest

from common import QUICK, examples


@pytest.mark.slow
def test_the_option_of_make_slow_is_in_force_after_all_tests_are_collected(request):
    takes_all = request.config.getoption("--hypothesis-profile") == "all"
    assert examples(300).max_examples == (300 if takes_all else 5 if QUICK else 20)
