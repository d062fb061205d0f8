"""HTML from Python values: known answers, hostile texts, and what a parser reads back."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.pages import Html, clean_text, join, json_script, raw, tag

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style></script><b>",
    "<!-- ]]> --> &amp; &#60;",
    "\x00\x1b[31m\x7f\x85",
    "\ud800 half",
    "\u202eexe.txt\u202c \u2066isolated\u2069",
    "line\r\nend\rtab\t\u2028\u2029",
    "שלום 😀 é",
)


class Reader(HTMLParser):
    """Keeps the elements with their attributes, and the text."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.ends: list[str] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        self.ends.append(tag)

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = unknown_decl = handle_pi = handle_comment


@pytest.mark.parametrize(
    ("element", "markup"),
    [
        (tag("p"), "<p></p>"),
        (tag("p", "a < b & c > d"), "<p>a &lt; b &amp; c &gt; d</p>"),
        (tag("p", "x", None, ["y", (tag("b", 1), [None])], 2.5), "<p>xy<b>1</b>2.5</p>"),
        (tag("p", (c for c in "ab")), "<p>ab</p>"),
        (tag("p", raw("<i>x</i>")), "<p><i>x</i></p>"),
        (tag("p", str(tag("i"))), "<p>&lt;i&gt;&lt;/i&gt;</p>"),
        (tag("br"), "<br>"),
        (tag("td", class_="a", data_row=3, aria_label='"&'),
         '<td class="a" data-row="3" aria-label="&quot;&amp;"></td>'),
        (tag("meta", name="x", content=""), '<meta name="x" content="">'),
        (tag("details", open=True, hidden=False, id=None), "<details open></details>"),
        (tag("svg", tag("linearGradient"), viewBox="0 0 1 1"),
         '<svg viewBox="0 0 1 1"><linearGradient></linearGradient></svg>'),
        (join(["a", None, tag("b"), "<"], ", "), "a, <b></b>, &lt;"),
        (join(["a", "b"], tag("br")), "a<br>b"),
    ],
)  # fmt: skip
def test_known_answers(element, markup):
    assert isinstance(element, Html)
    assert element == markup


def test_plain_strings_made_from_markup_are_escaped():
    assert tag("p", tag("b") + tag("b")) == "<p>&lt;b&gt;&lt;/b&gt;&lt;b&gt;&lt;/b&gt;</p>"
    assert not isinstance(tag("b").upper(), Html)


@pytest.mark.parametrize("name", ["", "1a", "a b", "a>", "a/", "a\n", "é", "p onclick=x", "-a"])
def test_invalid_names_are_refused(name):
    with pytest.raises(ValueError, match="is not a name"):
        tag(name)
    with pytest.raises(ValueError, match="is not a name"):
        tag("p", **{name: "x"})


def test_what_cannot_be_escaped_is_refused():
    with pytest.raises(ValueError, match="event handlers"):
        tag("p", onClick="alert(1)")
    with pytest.raises(ValueError, match="has no children"):
        tag("br", "x")
    for name in ("script", "STYLE", "iframe"):
        with pytest.raises(ValueError, match="cannot be escaped"):
            tag(name, "x")
    for child in (b"x", {"a": 1}, {"a"}):
        with pytest.raises(TypeError, match="cannot be of the type"):
            tag("p", child)


def test_characters_that_a_page_must_not_have_are_replaced():
    assert clean_text("a\x00\x1b\x7f\x9f\x0c\ufffe") == "a" + "\ufffd" * 6
    assert clean_text("\ud83d\udc00") == "\ufffd\ufffd"
    assert clean_text("\u202a\u202e\u2066\u2069") == "\ufffd" * 4
    assert clean_text("a\tb\r\nc\rd\n") == "a\tb\nc\nd\n"
    kept = "😀 שלום \u200e\u200f\u200d \xa0\u2028"
    assert clean_text(kept) == kept


def check_text_and_attribute(text):
    reader = Reader(tag("p", text, tag("b", text), title=text))
    expected = clean_text(text)
    assert reader.elements == [("p", {"title": expected}), ("b", {})]
    assert reader.ends == ["b", "p"]
    assert reader.text == expected * 2


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_texts(text):
    check_text_and_attribute(text)
    tag("p", text, title=text).encode()


# Single characters are rarely the interesting ones, so they are mixed with pieces of markup.
any_character = st.characters(codec=None, exclude_categories=())
pieces = st.sampled_from(["<", ">", "&", "</b>", "<!--", "-->", "&lt;", "&#x3c", "'", '"', "\r"])
texts = st.lists(st.text(any_character) | pieces | st.sampled_from(HOSTILE)).map("".join)


@given(texts)
def test_any_text_is_read_back_and_adds_no_element(text):
    check_text_and_attribute(text)
    tag("p", text, title=text).encode()


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=10,
)  # fmt: skip


def cleaned(data):
    if isinstance(data, dict):
        return {clean_text(key): cleaned(value) for key, value in data.items()}
    if isinstance(data, list):
        return [cleaned(value) for value in data]
    return clean_text(data) if isinstance(data, str) else data


@given(DATA)
def test_data_for_the_script_is_read_back(data):
    markup = json_script("data", data)
    reader = Reader(markup)
    assert reader.elements == [("script", {"type": "application/json", "id": "data"})]
    assert reader.ends == ["script"]
    assert json.loads(reader.text) == cleaned(data)
    assert not re.search("[<>&\u2028\u2029]", reader.text)
    markup.encode()


def test_data_known_answers():
    markup = json_script('a"b', {"k": ["</script>&\u2028", (1, None)], "é": 0.5})
    assert isinstance(markup, Html)
    assert markup == (
        '<script type="application/json" id="a&quot;b">'
        '{"k":["\\u003c/script\\u003e\\u0026\\u2028",[1,null]],"é":0.5}</script>'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_browsers_cannot_read_are_refused(value):
    with pytest.raises(ValueError, match="JSON"):
        json_script("data", [value])
