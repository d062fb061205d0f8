"""The frame of a page: one HTML file that loads nothing and runs one script at most."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from importlib import resources

from isthmus.pages.html import Html, clean_text, join, tag

__all__ = ["base_style", "render_shell", "tables_script", "template"]


def base_style() -> str:
    """The style sheet that all pages share. Append the rules of one page to it.

    Classes: ``box`` scrolls sideways, ``number`` is a right-aligned cell, ``note`` is quiet text.
    Colors are the variables ``--page``, ``--text``, ``--quiet``, ``--faint``, ``--stripe`` and
    ``--link``, for a light and a dark screen.
    """
    return template("isthmus.pages", "base.css")


def tables_script() -> str:
    """The script that sorts tables of the class ``sortable`` by a click on the head of a column.

    Columns whose head has the class ``number`` are sorted by number. A cell with the attribute
    ``data-value`` is sorted by it. Rows of the class ``summary`` stay at the end.
    """
    return template("isthmus.pages", "tables.js")


def render_shell(
    title: str,
    contents: Sequence[tuple[str, str]],
    intro: Html | str,
    sections: Iterable[Html | str],
    style: str,
    script: str = "",
    *,
    heading: Html | None = None,
    allow_style_attributes: bool = False,
) -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
        The title of the window, and of the page if ``heading`` is None.
    contents : sequence of (str, str)
        The id and the title of each section. Without any there is no table of contents.
    intro : Html or str
        What follows the heading, before the first section.
    sections : iterable of Html or str
        The sections; each has its id from ``contents``.
    style, script : str
        The style sheet and the script. The security policy names their hashes, so the page runs no
        other script, and an empty one means none.
    heading : Html, optional
        The title of the page, with markup.
    allow_style_attributes : bool, default=False
        Whether elements may have the attribute ``style``. The policy then allows every style.
    """
    _check_embedded("style", style)
    _check_embedded("script", script)
    parts = {
        "policy": _policy(style, script, allow_style_attributes),
        "window_title": join([" ".join(clean_text(title).split())]),
        "title": join([title if heading is None else heading]),
        "contents": _contents(contents),
        "intro": join([intro]),
        "sections": join(sections, "\n"),
        "style": style,
        "script": f"<script>{script}</script>\n" if script else "",
    }
    # One pass, so that an @ in a part has no meaning.
    return re.sub(
        r"@(\w+)@", lambda match: parts[match[1]], template("isthmus.pages", "shell.html")
    )


def _policy(style: str, script: str, allow_style_attributes: bool) -> str:
    styles = "'unsafe-inline'" if allow_style_attributes else _source(style)
    return (
        f"default-src 'none'; style-src {styles}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    """The expression of the policy that allows this text and no other."""
    if not text:
        return "'none'"
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _contents(contents: Sequence[tuple[str, str]]) -> str:
    if not contents:
        return ""
    entries = [tag("li", tag("a", title, href=f"#{name}")) for name, title in contents]
    parts = (tag("summary", "Contents"), tag("ol", join(entries, "\n")))
    return tag("nav", tag("details", join(parts, "\n"), open=True), aria_label="Contents") + "\n"


def _check_embedded(name: str, text: str) -> None:
    # A carriage return would change the hash: browsers read it as a newline.
    if re.search(rf"</{name}|<!--|\r|\0", text, flags=re.IGNORECASE):
        raise ValueError(f"The {name} of a page must not contain </{name}, <!--, CR or NUL.")


def template(package: str, name: str) -> str:
    """A file of the folder ``templates`` of a package, such as a style sheet."""
    return (resources.files(package) / "templates" / name).read_text(encoding="utf-8")
