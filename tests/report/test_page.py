"""The report of a fitted model: complete, escaped, self-contained and small."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import isthmus
from isthmus import Transfer
from isthmus.datasets import make_corpus
from isthmus.estimators.registry import METHODS
from reported_models import MODELS, fitted

_VOID = {"meta", "input", "br", "link", "img"}
_SECTIONS = [
    "verdict", "data", "method", "classes", "words", "clusters", "documents", "label-first", "map",
    "confidence", "convergence", "settings",
]  # fmt: skip


class Page(HTMLParser):
    """The elements and texts of a page; fails on an element that is not closed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._open: list[str] = []
        self._script: dict[str, str | None] | None = None
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "script":
            self._script = dict(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts.append((self._script, data))
        elif self._open and self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def data(self, id: str) -> Any:
        """The data for the script of the page."""
        return next(json.loads(text) for attrs, text in self.scripts if attrs.get("id") == id)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report of every model by name, rendered once."""
    folder = tmp_path_factory.mktemp("reports")
    made: dict[str, str] = {}

    def page(name: str) -> str:
        if name not in made:
            fitted(name).report(folder / f"{name}.html")
            made[name] = (folder / f"{name}.html").read_text(encoding="utf-8")
        return made[name]

    return page


@pytest.mark.parametrize("name", MODELS)
def test_the_page_is_complete_and_loads_nothing(name: str, pages: Any) -> None:
    source = pages(name)
    page = Page(source)
    assert len(source.encode()) < 2_000_000
    for tag, attributes in page.elements:
        assert tag not in ("img", "iframe", "object", "embed", "link", "base", "form")
        assert not any(key.startswith("on") or key == "style" for key in attributes)
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert Counter(ids).most_common(1)[0][1] == 1
    links = {a["href"] for t, a in page.elements if t in ("a", "use")}
    assert {str(link)[1:] for link in links} <= set(ids)


@pytest.mark.parametrize("name", MODELS)
def test_the_policy_allows_the_one_script_and_style_of_the_page(name: str, pages: Any) -> None:
    source = pages(name)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', source)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    run = [text for attrs, text in Page(source).scripts if "type" not in attrs]
    assert len(run) == 1
    style = re.findall(r"<style>(.*?)</style>", source, re.DOTALL)
    assert len(style) == 1
    for text in (run[0], style[0]):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_sections_come_in_the_order_of_their_importance(pages: Any) -> None:
    for name in ("usual", "mtrick"):
        ids = [a["id"] for t, a in Page(pages(name)).elements if t == "section"]
        assert ids == [section for section in _SECTIONS if section in ids]
    assert {"verdict", "words", "label-first", "map"} <= set(ids)
    assert {"clusters", "convergence"} <= set(ids)  # of MTrick


def test_hostile_texts_labels_words_and_names_are_text(pages: Any) -> None:
    source = pages("hostile")
    page = Page(source)
    assert "<script>alert" not in source
    assert len([1 for tag, _ in page.elements if tag == "script"]) == 3
    # Characters that a page must not contain are replaced.
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202e\ud800]", source)
    assert "<script>alert(1)</script>" in page.text
    assert "</td>" in page.text
    # Words with markup are in the picture and in the data.
    assert "alert(2)&gt;" in source
    texts = page.data("texts")
    assert any("<script>" in text["text"] for text in texts)


def test_numbers_are_those_of_the_model(pages: Any) -> None:
    model = fitted("usual")
    text = Page(pages("usual")).text
    verdict = model.verdicts_["kitchen"]
    assert verdict.decision in text
    assert f"{100 * verdict.accuracy.value:.0f} % of the labels are probably right" in text
    assert all(reason in text for reason in verdict.reasons)
    for label, n in Counter(model.labels_["kitchen"].tolist()).items():
        share = f"{label}: source 50 %, found {n} %"
        assert any(share in str(a.get("aria-label")) for _, a in Page(pages("usual")).elements)
    agreement = np.mean(model.labels_["kitchen"] == model.source_only_labels_["kitchen"])
    assert f"{100 * agreement:.0f} % of the labels found are those of the source-only" in text
    assert "120 documents of books" in text


def test_an_empty_class_is_named(pages: Any) -> None:
    text = Page(pages("fifty_classes")).text
    assert "No document got the label Class 40" in text
    assert "5 more" in text


def _texts_on(page: str, texts: list[str]) -> list[str]:
    """The documents of which a sentence is on the page."""
    plain = Page(page).text + json.dumps([Page(page).data(name) for name in ("texts", "map-data")])
    return [text for text in texts if text[:78] in plain]


def test_no_text_is_on_the_page_if_texts_are_left_out(tmp_path: Path) -> None:
    corpus = make_corpus(n_source=120, n_target=100)
    texts = [*corpus.source_texts, *corpus.target_texts]
    model = fitted("usual")
    model.report(tmp_path / "none.html", max_texts=0)
    page = (tmp_path / "none.html").read_text(encoding="utf-8")
    assert _texts_on(page, texts) == []
    assert "<mark" not in page
    model.report(tmp_path / "all.html")
    assert len(_texts_on((tmp_path / "all.html").read_text(encoding="utf-8"), texts)) > 100


@pytest.mark.parametrize("n", [1, 7, 60])
def test_the_number_of_texts_is_limited(n: int, tmp_path: Path) -> None:
    corpus = make_corpus(n_source=120, n_target=100)
    texts = {text[:78] for text in (*corpus.source_texts, *corpus.target_texts)}
    fitted("usual").report(tmp_path / "few.html", max_texts=n)
    page = (tmp_path / "few.html").read_text(encoding="utf-8")
    assert 1 <= len(_texts_on(page, list(texts))) <= n


def test_long_texts_in_a_wide_script_and_many_classes_stay_below_the_limit(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    letters = [chr(0x0905 + i) for i in range(53)]  # Devanagari: three bytes each

    def text(code: int) -> str:
        words = generator.choice(letters, (200, 2)).tolist()
        return " ".join(letters[code] * 3 + "".join(word) for word in words)

    names = ["類" * 198 + f"{code:02}" for code in range(50)]
    codes = np.arange(300) % 50
    model = Transfer("lg", verdict=False, vectorizer=isthmus.TextVectorizer(language=None))
    model.fit([text(c) for c in codes], [names[c] for c in codes], [text(c) for c in codes])
    model.report(tmp_path / "large.html")
    assert (tmp_path / "large.html").stat().st_size < 2_000_000


def test_many_classes_and_very_long_words_stay_below_the_limit(tmp_path: Path) -> None:
    n_classes = 300
    words = [f"{code}-{'w' * 3_000}" for code in range(n_classes)]
    texts = [f"{words[row % n_classes]} word{row % 50} word{row % 7}" for row in range(900)]
    labels = [f"class {row % n_classes}" for row in range(900)]
    vectorizer = TfidfVectorizer(analyzer=str.split)
    model = Transfer("lg", verdict=False, vectorizer=vectorizer).fit(texts, labels, texts)
    model.report(tmp_path / "large.html")
    source = (tmp_path / "large.html").read_text(encoding="utf-8")
    assert len(source.encode()) < 2_000_000
    assert source.count('class="word-panel"') == 50


def test_given_labels_of_the_target_are_not_called_found(tmp_path: Path) -> None:
    corpus = make_corpus(n_source=100, n_target=100)
    given = [label if row < 30 else None for row, label in enumerate(corpus.target_labels)]
    model = Transfer(effort="fast").fit(
        {"books": (corpus.source_texts, corpus.source_labels)},
        target_texts={"kitchen": (corpus.target_texts, given)},
    )
    model.report(tmp_path / "r.html")
    text = Page((tmp_path / "r.html").read_text(encoding="utf-8")).text
    assert "gave labels to 70 documents of kitchen" in text
    assert "with 30 given labels of kitchen" in text
    assert "without a single label" not in text
    assert "logistic regression on all given labels" in text
    assert "The 30 given labels of the target are included" in text


def test_documents_have_the_names_of_the_caller(tmp_path: Path) -> None:
    corpus = make_corpus(n_source=60, n_target=30)
    model = Transfer("lg", verdict=False)
    names = [f"ticket-{row}" for row in range(30)]
    texts = pd.Series(corpus.target_texts, index=names)
    model.fit(corpus.source_texts, corpus.source_labels, texts).report(tmp_path / "r.html")
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    shown = re.findall(r"document (ticket-\d+) · (negative|positive)", page.text)
    labels = dict(zip(names, model.labels_, strict=True))
    assert len(shown) > 10
    assert all(labels[name] == label for name, label in shown)
    assert "named by their index" in page.text


def test_web_pages_are_shown_without_markup_and_long_texts_say_that_they_are_cut(
    tmp_path: Path,
) -> None:
    corpus = make_corpus(n_source=60, n_target=30)
    pages = [f"<html><script>x()</script><p>{text}</p></html>" for text in corpus.target_texts]
    vectorizer = isthmus.TextVectorizer(html=True)
    model = Transfer("lg", verdict=False, vectorizer=vectorizer)
    model.fit(corpus.source_texts, corpus.source_labels, pages).report(tmp_path / "r.html")
    text = Page((tmp_path / "r.html").read_text(encoding="utf-8")).text
    assert "x()" not in text
    assert corpus.target_texts[0][:30] in text or corpus.target_texts[1][:30] in text
    long = [text * 10 for text in corpus.target_texts]
    model = Transfer("lg", verdict=False).fit(corpus.source_texts, corpus.source_labels, long)
    model.report(tmp_path / "long.html")
    text = Page((tmp_path / "long.html").read_text(encoding="utf-8")).text
    assert "Only the first 2,000 characters were examined." in text


@pytest.mark.parametrize(
    "vectorizer",
    [
        HashingVectorizer(n_features=512, alternate_sign=False),
        CountVectorizer(),
        make_pipeline(CountVectorizer(), FunctionTransformer(lambda X: X.toarray())),
        make_pipeline(CountVectorizer(), FunctionTransformer(lambda X: X.tocoo())),
    ],
    ids=["without names", "counts", "dense", "coordinates"],
)
def test_any_vectorizer(vectorizer: Any, tmp_path: Path) -> None:
    corpus = make_corpus(n_source=60, n_target=30)
    model = Transfer("lg", verdict=False, vectorizer=vectorizer)
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    model.report(tmp_path / "r.html")
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    ids = {a.get("id") for _, a in page.elements}
    assert {str(a["href"])[1:] for t, a in page.elements if t == "a"} <= ids


@pytest.mark.doubtful
@pytest.mark.ends_early
@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if m.kind == "classifier"])
def test_every_method_has_a_report(method: str, tmp_path: Path) -> None:
    corpus = make_corpus(n_source=50, n_target=40)
    model = Transfer(method, verdict=False, random_state=0)
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    model.report(tmp_path / "r.html", max_texts=4)
    text = Page((tmp_path / "r.html").read_text(encoding="utf-8")).text
    assert type(model.estimator_).__name__ in text or method == "auto"
    assert len(model.to_frame()) == 40


def test_the_report_of_one_of_several_targets(tmp_path: Path) -> None:
    corpus = make_corpus(n_source=60, n_target=60)
    model = Transfer("lg", verdict=False).fit(
        {
            "a": (corpus.source_texts[:30], corpus.source_labels[:30]),
            "b": (corpus.source_texts[30:], corpus.source_labels[30:]),
        },
        target_texts={"x": corpus.target_texts[:20], "y": corpus.target_texts[20:]},
    )
    with pytest.raises(ValueError, match="Several targets were fitted"):
        model.report(tmp_path / "r.html")
    with pytest.raises(ValueError, match="'a' is a source"):
        model.report(tmp_path / "r.html", domain="a")
    assert list(tmp_path.iterdir()) == []
    model.report(tmp_path / "r.html", domain="y", title="My <title>")
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "My <title>" in page.text
    assert "gave labels to 40 documents of y" in page.text
    assert "60 documents of a + b" in page.text


def test_wrong_use_gives_one_sentence_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted("usual")
    path = tmp_path / "r.html"
    for wrong in (-1, 2.5, True, "3"):
        with pytest.raises(ValueError, match=r"max_texts=.* must be 0 or a positive integer"):
            model.report(path, max_texts=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="does not exist"):
        model.report(tmp_path / "missing" / "r.html")
    with pytest.raises(Exception, match="not fitted yet"):
        Transfer().report(path)
    model.save(tmp_path / "m.isthmus")
    with pytest.raises(ValueError, match="which a model file does not hold"):
        isthmus.load(tmp_path / "m.isthmus").report(path)

    def fail(facts: Any) -> str:
        raise RuntimeError("no page")

    path.write_text("earlier")
    monkeypatch.setattr("isthmus.report.page.render_report", fail)
    with pytest.raises(RuntimeError, match="no page"):
        model.report(path)
    assert path.read_text() == "earlier"
    assert {p.name for p in tmp_path.iterdir()} == {"m.isthmus", "r.html"}


def test_the_same_model_gives_the_same_page(tmp_path: Path, pages: Any) -> None:
    fitted("usual").report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == pages("usual")
