"""The frame of a page: its parts, its security policy, and what it refuses."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from isthmus.pages import base_style, json_script, raw, render_shell, tables_script, tag


class Reader(HTMLParser):
    """Keeps the elements with their attributes and their own text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.last = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.last = tag

    def handle_data(self, data):
        self.texts[self.last] = self.texts.get(self.last, "") + data

    @property
    def policy(self) -> str:
        (value,) = (
            attributes["content"]
            for name, attributes in self.found
            if name == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        )
        return value


def made_shell(**changes):
    parts = {
        "title": "Model & <report>\n of @style@",
        "contents": [("one", "First <b>"), ("two", tag("code", "x"))],
        "intro": tag("p", "Summary"),
        "sections": [tag("section", tag("h2", "First"), id="one"), "plain <text>"],
        "style": base_style(),
        "script": tables_script(),
    }
    return render_shell(**(parts | changes))


def source(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_every_part_is_on_the_page():
    page = made_shell()
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    reader = Reader(page)
    assert reader.texts["title"].strip() == "Model & <report> of @style@"
    assert "Model & <report>\n of @style@" in reader.texts["h1"]
    assert ("nav", {"aria-label": "Contents"}) in reader.found
    assert '<li><a href="#one">First &lt;b&gt;</a></li>' in page
    assert '<li><a href="#two"><code>x</code></a></li>' in page
    assert "<p>Summary</p>" in page
    assert '<section id="one"><h2>First</h2></section>\nplain &lt;text&gt;' in page
    names = [name for name, _ in reader.found]
    assert [names.count(name) for name in ("main", "style", "script", "h1")] == [1, 1, 1, 1]


def test_the_same_parts_give_the_same_page():
    assert made_shell() == made_shell()


def test_the_heading_may_have_markup():
    page = made_shell(title="A", heading=raw("<em>A</em>"))
    assert "<title>A</title>" in page
    assert "<h1><em>A</em></h1>" in page


def embedded(page, name):
    (text,) = re.findall(f"<{name}>(.*?)</{name}>", page, flags=re.DOTALL)
    return text


def test_the_policy_names_the_hashes_of_style_and_script():
    page = made_shell()
    assert Reader(page).policy == (
        f"default-src 'none'; style-src {source(embedded(page, 'style'))}; "
        f"script-src {source(embedded(page, 'script'))}; base-uri 'none'; form-action 'none'"
    )


def test_style_attributes_need_a_weaker_policy():
    policy = Reader(made_shell(allow_style_attributes=True)).policy
    assert "style-src 'unsafe-inline';" in policy
    assert f"script-src {source(tables_script())};" in policy


def test_a_page_without_script_or_contents():
    page = made_shell(script="", contents=[])
    assert "script-src 'none'" in Reader(page).policy
    assert "<script" not in page
    assert "<nav" not in page


@pytest.mark.parametrize("part", ["style", "script"])
@pytest.mark.parametrize("text", ["</{}>", "</{} ", "<!--", "a\r\nb", "\0"])
def test_style_and_script_must_not_end_their_element(part, text):
    with pytest.raises(ValueError, match=f"The {part} of a page must not contain"):
        made_shell(**{part: text.format(part.upper())})


def test_the_page_loads_nothing():
    page = made_shell(sections=[json_script("data", ["</script>"])])
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#)", page)
    assert not re.search(r"url\(|@import", page)
    page.encode()
