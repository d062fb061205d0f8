"""Web pages in one file: HTML that escapes text, and the frame that all pages share."""

from __future__ import annotations

from isthmus.pages.html import Html, clean_text, join, json_script, raw, tag
from isthmus.pages.shell import base_style, render_shell, tables_script, template

__all__ = [
    "Html",
    "base_style",
    "clean_text",
    "join",
    "json_script",
    "raw",
    "render_shell",
    "tables_script",
    "tag",
    "template",
]
