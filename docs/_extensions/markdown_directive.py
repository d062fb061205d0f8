"""A directive whose content is Markdown that the build writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class MarkdownDirective(SphinxDirective):
    """Insert what :meth:`markdown` returns."""

    has_content: ClassVar[bool] = False

    def markdown(self) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(self.markdown())


def markdown_table(titles: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """A table whose last columns, as many as ``numbers``, are aligned to the right."""
    n_texts = len(titles) - numbers
    marks = ["---"] * n_texts + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(row)} |" for row in (titles, marks, *rows))
