"""What notebooks show of a fitted model and of an explanation."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from sklearn import config_context

import reported_models
from isthmus import Transfer, load
from isthmus.datasets import make_corpus
from isthmus.estimators.base.verdict import Interval, Verdict
from isthmus.inspection.explanation import Explanation, Span, WordWeight
from isthmus.inspection.facts import ClassShare
from isthmus.inspection.marked_text import mark_style
from isthmus.report.notebook import TargetSummary, render_summary

CORPUS = make_corpus(n_source=120, n_target=100)
ATTACK = '</style><script>alert("1")</script><img src=x onerror=alert(1)>&\x00\u202e'


class Reader(HTMLParser):
    """Collects elements, attributes and texts, and checks that elements are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += "" if self.open[-1] == "style" else data


@cache
def fitted(method: Any = None) -> Transfer:
    return Transfer(method, effort=None if method else "fast").fit(
        {"books": (CORPUS.source_texts, CORPUS.source_labels)},
        target_texts={"kitchen": CORPUS.target_texts},
    )


def html(model: Transfer) -> str:
    shown = model._repr_html_()
    assert shown == model._repr_mimebundle_()["text/html"]
    return shown


def verdict(reasons: tuple[str, ...] = ("Because.",), decision: Any = "check first") -> Verdict:
    interval = Interval(0.7, 0.5, 0.9)
    return Verdict(decision, interval, interval, {}, {}, reasons)


def summary(**changes: Any) -> TargetSummary:
    facts = TargetSummary(
        name="kitchen",
        sources=["books"],
        method="Auto",
        verdict=verdict(),
        shares=[ClassShare("sport", 1, 0.25, 2, 0.5, 3, 0.75, None)],
        words={"sport": {"books": ["goal"], "kitchen": ["pan"]}},
    )
    return replace(facts, **changes)


def test_a_fitted_model_shows_verdict_shares_and_words() -> None:
    model = fitted()
    page = Reader(html(model))
    assert f"Verdict: {model.verdicts_['kitchen'].decision}." in page.text
    assert str(model.verdicts_["kitchen"].accuracy) in page.text
    assert model.verdicts_["kitchen"].reasons[0] in page.text
    n_positive = int((model.labels_["kitchen"] == "positive").sum())
    assert f"{n_positive}: {n_positive} % (50 %)" in page.text
    for by_domain in model.top_words(8).values():
        for words in by_domain.values():
            assert ", ".join(words) in page.text
    assert model._repr_mimebundle_()["text/plain"] == repr(model)


def test_bars_have_the_lengths_of_the_shares() -> None:
    shares = [
        ClassShare("sport", 1, 0.2, 2, 0.4, 3, 0.75, None),
        ClassShare("art", 4, 0.8, 3, 0.6, 0, 0.0, None),
    ]
    words: dict[str, Any] = {"sport": {}, "art": {}}
    shown = render_summary([summary(shares=shares, words=words)])
    widths = [part.partition("%")[0] for part in shown.split('style="width: ')[1:]]
    # The largest class comes first, and the largest share fills its bar.
    assert widths == ["75", "100", "50", "25"]


def test_an_unfitted_model_keeps_the_diagram_of_scikit_learn() -> None:
    model = Transfer()
    assert "sk-top-container" in model._repr_html_()
    assert "sk-top-container" in model._repr_mimebundle_()["text/html"]
    assert "sk-top-container" not in html(fitted())


def test_the_display_option_of_scikit_learn_is_kept() -> None:
    with config_context(display="text"):
        for model in (Transfer(), fitted()):
            assert not hasattr(model, "_repr_html_")
            assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_a_loaded_model_shows_verdict_and_words(tmp_path: Any) -> None:
    fitted().save(tmp_path / "model")
    page = Reader(html(load(tmp_path / "model")))
    assert "Verdict: " in page.text
    assert "labels found" not in page.text
    assert "model file" in page.text
    assert fitted().top_words(1)["positive"]["kitchen"][0] in page.text


def test_several_targets_have_one_block_each() -> None:
    half = len(CORPUS.target_texts) // 2
    model = Transfer("lg", verdict=False).fit(
        CORPUS.source_texts,
        CORPUS.source_labels,
        {"first": CORPUS.target_texts[:half], "second": CORPUS.target_texts[half:]},
    )
    page = Reader(html(model))
    assert page.tags.count("table") == 2
    assert page.tags.count("style") == 1
    assert "Labels for first, learned from source" in page.text
    assert "Labels for second, learned from source" in page.text
    assert page.text.count("There is no verdict on these labels.") == 2
    n_first = int((model.labels_["first"] == "positive").sum())
    assert f"{n_first}: {2 * n_first} %" in page.text


def test_hostile_texts_are_escaped() -> None:
    facts = summary(
        name=ATTACK,
        sources=[ATTACK + "2"],
        verdict=verdict((ATTACK,)),
        shares=[ClassShare(ATTACK, 1, 0.25, 2, 0.5, 3, 0.75, None)],
        words={ATTACK: {ATTACK: [ATTACK], ATTACK + "2": [ATTACK, 7]}},
    )
    shown = render_summary([facts])
    page = Reader(shown)
    assert {"script", "img"}.isdisjoint(page.tags)
    assert "<script" not in shown
    assert page.names <= {"class", "style", "title"}
    assert shown.count("</style") == 1
    assert not {"\x00", "\u202e"} & set(shown)


@pytest.mark.parametrize("name", reported_models.MODELS)
def test_unusual_models(name: str) -> None:
    shown = html(reported_models.fitted(name))
    page = Reader(shown)
    assert {"script", "img"}.isdisjoint(page.tags)
    assert page.names <= {"class", "style", "title"}
    assert len(shown.encode()) < 12_000


def test_size_is_bounded() -> None:
    labels = [f"{number} {'x' * 300}" for number in range(50)]
    domains = [f"{number} {'d' * 300}" for number in range(12)]
    words = {label: {domain: ["w" * 300] * 8 for domain in domains} for label in labels}
    facts = summary(
        sources=domains[:-1],
        name=domains[-1],
        verdict=verdict(("r" * 2000,) * 50),
        shares=[ClassShare(label, 1, 0.02, 1, 0.02, 1, 0.02, None) for label in labels],
        words=words,
    )
    shown = render_summary([facts])
    assert len(shown) < 25_000
    text = Reader(shown).text
    assert "40 more classes are not shown." in text
    assert "+ 8 more" in text
    many = Reader(render_summary([facts] * 20))
    assert many.tags.count("table") == 5
    assert "15 more targets." in many.text
    assert len(html(fitted())) < 4_000


def test_an_explanation_marks_its_words() -> None:
    explanation = Explanation(
        text="Good <b>lid</b>\nbad knob",
        domain="kitchen",
        label="<pos>",
        probabilities={"neg": 0.25, "<pos>": 0.75},
        source_only="neg",
        words=[
            WordWeight("good", (-0.5, 0.5), 1),
            WordWeight("bad", (0.25, -0.25), 1),
            WordWeight("lid", (-0.01, 0.01), 1),
        ],
        spans=[Span(0, 4, 0), Span(8, 11, 2), Span(16, 19, 1)],
    )
    shown = explanation._repr_html_()
    page = Reader(shown)
    assert "<pos> (75 %), by the source alone neg" in page.text
    assert "Good <b>lid</b>\nbad knob" in page.text
    assert '<mark class="for level-3" title="+0.50">Good</mark>' in shown
    assert '<mark class="against level-2" title="\N{MINUS SIGN}0.25">bad</mark>' in shown
    assert page.tags.count("mark") == 2
    assert mark_style(".isthmus-explanation") in shown
    empty = replace(explanation, text=ATTACK, words=[], spans=[])
    page = Reader(empty._repr_html_())
    assert "its label is meaningless" in page.text
    assert "script" not in page.tags


def test_style_rules_are_scoped() -> None:
    shown = html(fitted()) + fitted().explain("A sturdy kettle.")._repr_html_()
    for part in shown.split("<style>")[1:]:
        rules = part.partition("</style>")[0].split("}")
        for rule in rules:
            for selector in rule.partition("{")[0].split(", ."):
                assert not selector.strip() or "isthmus-" in selector


@pytest.mark.parametrize("method", ["mtrick", "svm"])
def test_other_methods(method: str) -> None:
    assert fitted(method).verdicts_["kitchen"].decision in Reader(html(fitted(method))).text
