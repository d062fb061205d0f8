"""A report as one web page that needs nothing else: no network, no other file."""

from __future__ import annotations

from isthmus.bench.report.page.extra import missing_extra
from isthmus.bench.report.page.render import render_page

__all__ = ["missing_extra", "render_page"]
