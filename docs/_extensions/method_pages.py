"""What a page about a method has in common with all others: facts, parameters, results, picture.

Directives, each with the name of a method as its argument::

    method-facts, method-picture, method-parameters, method-results, method-reference

``method-tables`` has no argument: the tables of all methods, by family. A method without a written
page in ``docs/methods`` gets one in ``docs/project/methods``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import method_results
from benchmark_results import result_files
from docutils import nodes
from docutils.parsers.rst import directives
from method_pictures import PICTURES as METHOD_PICTURES
from method_pictures import draw_all
from numpydoc.docscrape import NumpyDocString
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from isthmus.estimators import registry
from isthmus.estimators.registry import METHODS, Method, find_method
from isthmus_bench.report.blocks import table
from isthmus_bench.report.tables import number

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = ROOT / "docs" / "methods"
GENERATED = ROOT / "docs" / "project" / "methods"
PICTURES = ROOT / "docs" / "_pictures"

COMMANDS = {
    "classifier": "`isthmus classify --method {}`",
    "clusterer": "`isthmus cluster --method {}`",
}

sys.path.append(str(ROOT / "tools"))
from update_generated import families, family_title  # noqa: E402


def page_of(method: Method) -> str:
    """The page of a method, as an absolute link within the site."""
    written = (WRITTEN / f"{method.name}.md").exists()
    return f"/methods/{method.name}" if written else f"/project/methods/{method.name}"


def class_link(method: Method) -> str:
    return f"{{class}}`~isthmus.{method.class_name}`"


def docstring(method: Method) -> NumpyDocString:
    return NumpyDocString(inspect.getdoc(method.estimator_class) or "")


def rst(lines: Iterable[str]) -> str:
    """Docstrings are reStructuredText: Markdown with such a part."""
    return "\n".join(["````{eval-rst}", ".. currentmodule:: isthmus", "", *lines, "````"])


class MethodDirective(SphinxDirective):
    """A directive about one method, whose content is generated Markdown."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        try:
            method = find_method(self.arguments[0])
        except ValueError as error:
            raise self.error(str(error)) from error
        self.env.note_dependency(inspect.getfile(method.estimator_class))
        self.env.note_dependency(registry.__file__)
        return self.nodes_of(method)

    def nodes_of(self, method: Method) -> list[nodes.Node]:
        return self.parse_text_to_nodes(self.markdown(method))

    def markdown(self, method: Method) -> str:
        raise NotImplementedError


class MethodFacts(MethodDirective):
    """A small table: names, kind, engines, presets, reference, cost and rank."""

    def markdown(self, method: Method) -> str:
        prior = inspect.signature(method.estimator_class).parameters.get("class_prior")
        facts = {
            "command line": COMMANDS.get(method.kind, "").format(method.name),
            "Python": f'`Transfer("{method.name}")`' if method.kind == "classifier" else "",
            "class": class_link(method),
            "kind": method.kind,
            "engines": ", ".join(method.engines),
            "presets": ", ".join(preset_fact(method, preset) for preset in method.presets),
            "class prior": f'"{prior.default}" by default' if prior and prior.default else "",
            "reference": method.reference,
            **self.measured(method),
        }
        return table(["", ""], [[name, text] for name, text in facts.items() if text])

    def run(self) -> list[nodes.Node]:
        parsed = super().run()
        for element in parsed:
            # Markdown has no table without a head.
            for head in [*element.findall(nodes.thead)]:
                head.parent.remove(head)
            element["classes"] = ["method-facts", "align-left"]
        return parsed

    def measured(self, method: Method) -> dict[str, str]:
        for path in result_files():
            self.env.note_dependency(path)
        found = method_results.standing(method.name)
        if found is None:
            return {}
        standing, ranking = found
        ranked = sum(other.rank is not None for other in ranking.standings)
        rank = (
            f"{number(standing.rank)} among {ranked} methods, {len(ranking.common)} evidence "
            f"problems ([all ranks]({method_results.BENCHMARKS}))"
        )
        seconds = "" if standing.seconds is None else f"{number(standing.seconds)} (median)"
        return {
            "seconds per fit": seconds,
            "mean rank": rank if standing.rank is not None else "",
        }


def preset_fact(method: Method, preset: str) -> str:
    """A preset, with the weighting of the words in its paper."""
    weighting = method.preset_weightings.get(preset)
    return f"`{preset}`" + (f" (weighting `{weighting}`)" if weighting else "")


class MethodPicture(SphinxDirective):
    """The picture of a method's idea, in a light and a dark version; the content is the caption."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if "alt" not in self.options:
            raise self.error("the option ':alt:' is missing: say what the picture shows")
        if name not in METHOD_PICTURES:
            raise self.error(f"there is no picture of {name!r} in method_pictures")
        images = [
            nodes.image(
                uri=f"/_pictures/{name}-{theme}.svg",
                alt=self.options["alt"],
                classes=[f"only-{theme}"],
            )
            for theme in ("light", "dark")
        ]
        # In a paragraph of their own: the theme hides a caption that follows a hidden image.
        figure = nodes.figure("", nodes.paragraph("", "", *images), classes=["method-picture"])
        caption = self.parse_text_to_nodes("\n".join(self.content))
        if caption:
            figure += nodes.caption("", "", *caption[0].children)
            figure += [nodes.legend("", *caption[1:])] if caption[1:] else []
        self.set_source_info(figure)
        return [figure]


class MethodParameters(MethodDirective):
    """The parameters of the class: name, type, default, description."""

    def markdown(self, method: Method) -> str:
        lines = []
        signature = inspect.signature(method.estimator_class).parameters
        for names, parameter in described_parameters(method):
            defaults = dict.fromkeys(f"``{signature[name].default!r}``" for name in names)
            kind = re.sub(r",?\s*default=.*", "", parameter.type)
            title = ", ".join(f"``{name}``" for name in names)
            title += f" : *{_escaped(kind)}*" if kind else ""
            lines.append(f"{title}, default {', '.join(defaults)}")
            lines += [f"    {line}" for line in parameter.desc]
        note = f"{class_link(method)} also lists the fitted attributes and the methods."
        return f"{rst(lines)}\n\n{note}"


def described_parameters(method: Method) -> list[tuple[list[str], Any]]:
    """Names and descriptions of the parameters; those that are described together are one entry."""
    return [(entry.name.split(", "), entry) for entry in docstring(method)["Parameters"]]


def _escaped(text: str) -> str:
    return re.sub(r"([*`|_\\])", r"\\\1", text.replace("``", ""))


class MethodResults(MethodDirective):
    """The figures of the paper and ours, means by family of problems, and the cost by size."""

    def markdown(self, method: Method) -> str:
        for path in result_files():
            self.env.note_dependency(path)
        parts = [
            (self.paper_caption(), method_results.paper_table(method.name)),
            (self.families_caption(method), method_results.family_table(method.name)),
            (self.cost_caption(), method_results.cost_table(method.name)),
        ]
        shown = [part for caption, text in parts if text for part in (caption, text) if part]
        return "\n\n".join(shown) or "There are no stored results of this method."

    def paper_caption(self) -> str:
        return (
            "What a paper reports on all problems of a set, and what this library has on the same "
            "problems (accuracy, precision and F1 in percent, errors and NMI as fractions):"
        )

    def families_caption(self, method: Method) -> str:
        if method.kind == "clusterer":
            return "Mean clustering accuracy on evidence problems, with default parameters:"
        if method.name == method_results.BASELINE:
            return "Mean accuracy on evidence problems, with default parameters:"
        return (
            "Mean accuracy on {term}`evidence problems <evidence problem>` by family, with default "
            "parameters, beside that of the {term}`source-only classifier` (logistic regression); "
            "on how many problems the method is worse than that, and its largest loss in "
            "percentage points:"
        )

    def cost_caption(self) -> str:
        measured = method_results.costs()
        return (
            ""
            if measured is None
            else (
                f"One fit on generated documents ({measured.words} words each, {measured.terms:,} "
                f"terms; {measured.machine}). {method_results.COST_NOTE}"
            )
        )


class MethodReference(MethodDirective):
    """The references of the class."""

    def markdown(self, method: Method) -> str:
        lines = docstring(method)["References"]
        return rst(lines) if lines else ""


class MethodTables(SphinxDirective):
    """One section per family: a table of its methods, and their pages."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(registry.__file__)
        return [self.section(*family) for family in families().items()]

    def section(self, family: str, methods: list[Method]) -> nodes.section:
        title = family_title(family)
        rows = [self.row(method) for method in methods]
        text = [
            table(["name", "class", "what it does", "reference", "engines"], rows),
            "",
            "```{toctree}",
            ":hidden:",
            f":caption: {title}",
            "",
            *(f"{method.name} <{page_of(method)}>" for method in methods),
            "```",
        ]
        section = nodes.section(ids=[nodes.make_id(title)], names=[title.lower()])
        section += nodes.title(title, title)
        section += self.parse_text_to_nodes("\n".join(text))
        return section

    def row(self, method: Method) -> list[str]:
        summary = method.summary[0].upper() + method.summary[1:]
        kind = "" if method.kind == "classifier" else f" ({method.kind})"
        link = f"[`{method.name}`]({page_of(method)}.md)"
        engines = ", ".join(method.engines)
        return [link, class_link(method), f"{summary}{kind}", method.reference, engines]


def generated_page(method: Method) -> str:
    """The page of a method that nobody has written one for."""
    title = method.title[0].upper() + method.title[1:]
    summary = " ".join(docstring(method)["Summary"])
    parts = [f"# {title}", rst([summary]), f"```{{method-facts}} {method.name}\n```"]
    for heading, directive in (
        ("Parameters", "method-parameters"),
        ("Results", "method-results"),
        ("Reference", "method-reference"),
    ):
        parts += [f"## {heading}", f"```{{{directive}}} {method.name}\n```"]
    return "\n\n".join(parts) + "\n"


def write_pages(app: Sphinx) -> None:
    """Write pages of methods that have no written one, and remove those that now have."""
    pages = {
        GENERATED / f"{method.name}.md": generated_page(method)
        for method in METHODS.values()
        if not (WRITTEN / f"{method.name}.md").exists()
    }
    for path in GENERATED.glob("*.md"):
        if path not in pages:
            path.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def draw_pictures(app: Sphinx) -> None:
    PICTURES.mkdir(exist_ok=True)
    draw_all(PICTURES)


def read_results(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Read the results before pages are read in several processes."""
    if any("methods/" in name for name in names):
        method_results.prepare()


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("method-facts", MethodFacts)
    app.add_directive("method-picture", MethodPicture)
    app.add_directive("method-parameters", MethodParameters)
    app.add_directive("method-results", MethodResults)
    app.add_directive("method-reference", MethodReference)
    app.add_directive("method-tables", MethodTables)
    app.connect("builder-inited", write_pages, priority=200)
    app.connect("builder-inited", draw_pictures, priority=200)
    app.connect("env-before-read-docs", read_results)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
