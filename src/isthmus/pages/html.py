"""Build HTML from Python values: a string is text and is escaped, unless it is marked as markup.

Texts come from the documents of users, so any character may occur in them. :func:`clean_text`
replaces those that HTML does not allow or that change the order of the text around them.
Languages that are written from right to left need no such characters. Put their words into a
``bdi`` element where they are part of a sentence, so that they do not move its other words.

Addresses (``href``) are escaped and not checked: do not take them from data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from html import escape

__all__ = ["Html", "clean_text", "join", "json_script", "raw", "tag"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
     "wbr")
)  # fmt: skip
# Browsers read the content of these as it is, so escaped text in them would be wrong.
_RAW_TEXT = frozenset(
    ("iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "xmp")
)
# Control characters, halves of surrogate pairs (they cannot be encoded in UTF-8), noncharacters,
# and the characters that embed, override or isolate a direction of writing.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)
_LINE_END = re.compile("\r\n?")
_UNSAFE_IN_SCRIPT = re.compile("[<>&\u2028\u2029]")


class Html(str):
    """Markup that is used as it is.

    Methods and operators of ``str`` return plain strings, which are escaped when they are used. Use
    :func:`join` to put pieces together.
    """

    __slots__ = ()


def clean_text(text: str) -> str:
    r"""Return the text with one U+FFFD for each character that must not be on a page.

    These are control characters except tab and newline, halves of surrogate pairs, U+FFFE, U+FFFF
    and the controls of the writing direction U+202A to U+202E and U+2066 to U+2069. Line ends
    become ``\n``.
    """
    return _UNSAFE.sub("\ufffd", _LINE_END.sub("\n", text))


def tag(name: str, /, *children: object, **attributes: str | float | None) -> Html:
    """Return an element.

    Children are markup (:class:`Html`), text, iterables of children, None (no child) or other
    values such as numbers, which are written with ``str``. An underscore at the end of the name of
    an attribute is dropped (``class_``), others become hyphens (``aria_label``). True gives an
    attribute without a value, None and False give none.

    >>> tag("p", "1 < 2 ", tag("b", "yes"), class_="note", data_row=3)
    '<p class="note" data-row="3">1 &lt; 2 <b>yes</b></p>'
    """
    if name.lower() in _RAW_TEXT:
        raise ValueError(f"The text of a {name!r} element cannot be escaped.")
    start = f"<{_checked(name)}{_attributes(attributes)}>"
    content = join(children)
    if name.lower() in _VOID:
        if content:
            raise ValueError(f"A {name!r} element has no children.")
        return Html(start)
    return Html(f"{start}{content}</{name}>")


def join(children: Iterable[object], separator: str = "") -> Html:
    """Return the children of an element one after another, with the separator between them."""
    gap = "".join(_markup(separator))
    return Html(gap.join("".join(_markup(child)) for child in children if child is not None))


def raw(markup: str) -> Html:
    """Mark trusted markup, such as the output of another renderer that escapes."""
    return Html(markup)


def json_script(id: str, data: object) -> Html:
    """Return a ``script`` element that holds data for the script of the page.

    Strings in the data are cleaned by :func:`clean_text`. NaN and infinity raise ValueError,
    because browsers cannot read them.
    """
    text = json.dumps(_clean_data(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # These occur in strings only. Without them nothing can end the element or begin a comment.
    text = _UNSAFE_IN_SCRIPT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    start = f"<script{_attributes({'type': 'application/json', 'id': id})}>"
    return Html(f"{start}{text}</script>")


def _markup(child: object) -> Iterator[str]:
    if isinstance(child, Html):
        yield child
    elif isinstance(child, str):
        yield escape(clean_text(child), quote=False)
    elif isinstance(child, (bytes, Mapping, Set)):
        raise TypeError(f"A child of an element cannot be of the type {type(child).__name__}.")
    elif isinstance(child, Iterable):
        for part in child:
            yield from _markup(part)
    elif child is not None:
        yield escape(clean_text(str(child)), quote=False)


def _attributes(attributes: Mapping[str, str | float | None]) -> str:
    parts = []
    for key, value in attributes.items():
        name = _checked(key.removesuffix("_").replace("_", "-"))
        if name.lower().startswith("on"):
            # The security policy of the pages would block it without an error here.
            raise ValueError(f"{name!r}: put event handlers into the script of the page.")
        if value is None or value is False:
            continue
        text = "" if value is True else f'="{escape(clean_text(str(value)))}"'
        parts.append(f" {name}{text}")
    return "".join(parts)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name of an element or attribute.")
    return name


def _clean_data(data: object) -> object:
    if isinstance(data, str):
        return clean_text(data)
    if isinstance(data, Mapping):
        return {_clean_data(key): _clean_data(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_clean_data(value) for value in data]
    return data
