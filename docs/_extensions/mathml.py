"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

from __future__ import annotations

from html import escape

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(_mathml(node, as_block=True))
    self.body.append("</div>")
    raise nodes.SkipNode


def _mathml(node: nodes.math | nodes.math_block, as_block: bool) -> str:
    try:
        return tex2mathml(node.astext().strip(), as_block=as_block)
    except MathError as error:
        logger.warning("Formula %r: %s", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
