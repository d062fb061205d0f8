"""Pages of the API: which members they show, and links to the pages of methods.

Templates in ``_templates/autosummary`` make the pages. This extension hides members that are not
for users: those that come from scikit-learn or the standard library, and those whose docstring
contains ``:meta private:``. It gives data such as ``isthmus.METHODS`` the text that follows them in
the module that defines them.
"""

from __future__ import annotations

import re
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from method_pages import page_of
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.typing import ExtensionMetadata

import isthmus
from isthmus import METHODS

# Inherited from scikit-learn, and of use.
KEPT = {"get_feature_names_out"}
HIDDEN = re.compile(r"get_params|set_params|get_metadata_routing|set_output|set_\w+_request")
# Types in signatures, as regular expressions, and what is shown in their place.
SHORT_TYPES = {
    r"~?numpy\.ndarray\[tuple\[[^\]]*\], ~?numpy\.dtype\[[^\]]*\]\]": "~numpy.ndarray",
    r": ~?(typing\.)?Any(?= =|[,)])": "",
    r"~?collections\.abc\.Callable\[\[~?[\w.]*Progress\], bool \| None\]": "Callable",
    r"(?<![\w.])Callback\b": "Callable",
    r"(?<![\w.])Explanation\b": "~isthmus.inspection.explanation.Explanation",
    r"(?<![\w.])Figure\b": "~isthmus.report.figure.Figure",
    r"(?<![\w.])Plots\b": "~isthmus.transfer.plotting.Plots",
}


def add_method_pages(app: Sphinx, config: Config) -> None:
    """Let the template of a class know the page of its method."""
    config.autosummary_context["method_pages"] = {
        method.class_name: f":doc:`The method {method.name} <{page_of(method)}>`: how it works, "
        "when to use it, and its results."
        for method in METHODS.values()
    }


def hide_member(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Whether a member of a class is left out; None leaves the decision to Sphinx."""
    if name.startswith("_"):
        return None
    docstring = getattr(member, "__doc__", None) or ""
    if HIDDEN.fullmatch(name) or ":meta private:" in docstring:
        return True
    function = _function_of(member)
    if function is None:  # a value: the docstring of the class describes it
        return True
    is_ours = (getattr(function, "__module__", None) or "").startswith("isthmus")
    return None if is_ours or name in KEPT else True


def _function_of(member: Any) -> Any:
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return member if callable(member) else None


def shorten_signature(
    app: Sphinx, what: str, name: str, member: Any, options: Any, signature: str, returned: str
) -> tuple[str | None, str | None]:
    """Leave out of a signature what says nothing; docstrings have the types.

    Results have attributes and no parameters: users do not make them.
    """
    docstring = getattr(member, "__doc__", None) or ""
    if what == "class" and "Attributes\n" in docstring and "Parameters\n" not in docstring:
        return "", None
    return _shortened(signature), _shortened(returned)


def _shortened(text: str | None) -> str | None:
    if not text or text in ("Any", "~typing.Any"):
        return None
    for pattern, replacement in SHORT_TYPES.items():
        text = re.sub(pattern, replacement, text)
    return text


def describe_data(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Give data the text that follows it in the module that defines it."""
    if what != "data":
        return
    package, _, short = name.rpartition(".")
    for module in _possible_modules(package, short):
        text = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", short))
        if text:
            lines[:] = text
            return


def _possible_modules(package: str, name: str) -> list[str]:
    if package == "isthmus":
        return [isthmus._MODULES[name]]
    folder = Path(import_module(package).__file__ or "").parent
    return [f"{package}.{path.stem}" for path in sorted(folder.glob("[!_]*.py"))]


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_css_file("reference.css")
    app.connect("config-inited", add_method_pages)
    app.connect("autodoc-skip-member", hide_member)
    app.connect("autodoc-process-signature", shorten_signature)
    # Before numpydoc (500), which reads the sections of the text.
    app.connect("autodoc-process-docstring", describe_data, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
