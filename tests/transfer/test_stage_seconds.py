"""Seconds per stage of a piece of work."""

from __future__ import annotations

import time

import pytest

from isthmus import Transfer
from isthmus._stages import record_stages, stage, timed
from isthmus.datasets import make_corpus


def test_times_of_stages_add_up():
    begin = time.perf_counter()
    with record_stages("all") as times:
        time.sleep(0.02)
        with stage("outer"):
            time.sleep(0.02)
            with stage("inner"):
                time.sleep(0.04)
            time.sleep(0.02)
        with stage("inner"):
            time.sleep(0.02)
    passed = time.perf_counter() - begin
    assert list(times.seconds) == ["outer", "inner", "all"]
    assert sum(times.seconds.values()) == pytest.approx(passed, abs=0.01)
    assert times.seconds["inner"] >= 0.06
    assert 0.04 <= times.seconds["outer"] < times.seconds["inner"] + 0.02


def test_without_a_record_nothing_is_measured():
    with stage("alone"):
        pass
    assert list(timed([1, 2], "alone")) == [1, 2]


def test_the_time_of_an_iterator_is_that_of_its_items():
    def slow():
        for item in range(3):
            time.sleep(0.02)
            yield item

    with record_stages("all") as times:
        for _ in timed(slow(), "reading"):
            time.sleep(0.01)
    assert times.seconds["reading"] >= 0.06
    assert times.seconds["all"] >= 0.03


def test_an_error_ends_its_stage():
    with record_stages("all") as times:
        with pytest.raises(ValueError, match="wrong"), stage("broken"):
            raise ValueError("wrong")
        with stage("next"):
            pass
    assert list(times.seconds) == ["broken", "next", "all"]


def test_a_record_within_a_record_adds_to_it():
    with record_stages("all") as outer:
        with stage("before"):
            time.sleep(0.02)
        with stage("around"), record_stages("all") as inner, stage("within"):
            time.sleep(0.05)
    assert list(inner.seconds) == ["within", "all"]
    assert list(outer.seconds) == ["before", "around", "within", "all"]
    assert outer.seconds["within"] == inner.seconds["within"] >= 0.05
    assert outer.seconds["around"] < 0.02


def test_stages_of_a_fit():
    corpus = make_corpus(n_source=60, n_target=50, random_state=0)
    model = Transfer("lg").fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    assert list(model.stage_seconds_) == [
        "counting words", "reading the texts", "selecting terms", "weighting",
        "splitting into domains", "fitting SourceLogistic",
        "fitting the source-only classifier", "estimating the accuracy", "other",
    ]  # fmt: skip
    assert all(seconds >= 0 for seconds in model.stage_seconds_.values())
