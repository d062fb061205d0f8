"""Public names are on the page of the API, and their docstrings are complete."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import warnings
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

import isthmus
from isthmus import METHODS, TextVectorizer
from isthmus.datasets import make_corpus

ROOT = Path(__file__).parents[2]
API_PAGE = ROOT / "docs" / "reference" / "api.md"
# Fitted attributes that are not for users.
INTERNAL = {"fitted_domains_", "log_prior_shift_", "model_", "n_features_in_"}
# Examples of other names would need corpora or a damaged file.
WITHOUT_EXAMPLE = re.compile(
    r"isthmus\.datasets\.(load_\w+|ChecksumError|AmazonCounts|AmazonReviews|CrossDomain"
    r"|EverydayTexts|Newsgroups|ReutersStories|WebKB|WebisReviews)"
)


def names_on_page():
    """Full names in the tables of the page."""
    text = API_PAGE.read_text(encoding="utf-8")
    tables = re.findall(r"```\{eval-rst\}\n(.*?)```", text, flags=re.DOTALL)
    short = [name for table in tables for name in re.findall(r"^   ([\w.]+)$", table, re.MULTILINE)]
    return [f"isthmus.{name}" for name in short]


def find(full_name):
    """The object of a name, whose module may be any part of it."""
    module, _, name = full_name.rpartition(".")
    return getattr(import_module(module), name)


NAMES = names_on_page()
OBJECTS = {name: find(name) for name in NAMES}
DESCRIBED = {
    name: value
    for name, value in OBJECTS.items()
    if inspect.isclass(value) or inspect.isfunction(value)
}


def test_every_public_name_is_on_the_page_once():
    missing = {f"isthmus.{name}" for name in isthmus.__all__} - {*NAMES, "isthmus.__version__"}
    assert not missing
    assert len(NAMES) == len({*NAMES})


def sections(docstring):
    """The text before the first section, and the lines of every section of a docstring."""
    found = {"": []}
    title = ""
    lines = docstring.splitlines()
    for line, following in pairwise([*lines, ""]):
        if line and re.fullmatch("-+", following) and len(line) == len(following):
            title = line
            found[title] = []
        elif not re.fullmatch("-{3,}", line):
            found[title].append(line)
    return found


def entries(lines):
    """Name, type and description of every entry of a section."""
    found = []
    for line in filter(str.strip, lines):
        if line.startswith(" "):
            found[-1][2] += line.strip()
        else:
            names, _, kind = line.partition(" : ")
            found += [[name.strip(), kind, ""] for name in names.split(",") if " : " in line]
            found += [] if " : " in line else [["", line, ""]]
    # Several names may have one description.
    for earlier, later in zip(found[-2::-1], found[:0:-1], strict=True):
        if not earlier[2] and earlier[1] == later[1]:
            earlier[2] = later[2]
    return found


def parameters(value):
    """The names in a signature, with stars."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(parameter.kind, "") + parameter.name
        for parameter in inspect.signature(value).parameters.values()
        if parameter.name not in ("self", "cls")
    ]


def faults_of_docstring(value, expected, *, section="Parameters", returns=False):
    """What is missing in a docstring, in words."""
    docstring = inspect.getdoc(value) or ""
    parts = sections(docstring)
    if not "".join(parts[""]).strip():
        return ["no summary"]
    listed = [name for name, _, _ in entries(parts.get(section, []))]
    in_order = section == "Parameters"
    faults = []
    if listed != expected if in_order else {*listed} != {*expected}:
        faults.append(f"{section} {listed}, but there are {expected}")
    for part in ("Parameters", "Attributes"):
        for name, kind, description in entries(parts.get(part, [])):
            is_complete = kind == "ignored" or (name and kind and description)
            faults += [] if is_complete else [f"{part}: no type or description of {name or kind}"]
    if returns and not {"Returns", "Yields"} & {*parts}:
        faults.append("no result")
    return faults


def faults_of_function(function):
    annotation = inspect.signature(function).return_annotation
    has_result = annotation not in (None, "None", inspect.Signature.empty)
    return faults_of_docstring(function, parameters(function), returns=has_result)


def faults_of_class(cls):
    """Faults of the docstring of a class and of its public methods."""
    docstring = cls.__doc__ or ""
    if "Parameters\n" in docstring:
        faults = faults_of_docstring(cls, parameters(cls))
    elif is_dataclass(cls) or hasattr(cls, "_fields"):  # a result
        names = [field.name for field in fields(cls)] if is_dataclass(cls) else cls._fields
        shown = [name for name in names if not name.startswith("_")]
        faults = faults_of_docstring(cls, shown, section="Attributes")
    else:
        own = "__init__" in vars(cls) and not issubclass(cls, Exception)
        faults = faults_of_docstring(cls, parameters(cls) if own else [])
    for name, member in inspect.getmembers(cls):
        faults += [f"{name}: {fault}" for fault in _faults_of_member(cls, name, member)]
    return faults


def _faults_of_member(cls, name, member):
    definition = inspect.getattr_static(cls, name)
    owner = next(base for base in cls.__mro__ if name in vars(base))
    docstring = inspect.getdoc(definition) or ""
    if name.startswith("_") or not owner.__module__.startswith(("isthmus", cls.__module__)):
        return []
    if ":meta private:" in docstring:
        return []
    if isinstance(definition, property | cached_property):
        return [] if docstring else ["no description"]
    return faults_of_function(member) if callable(member) else []


@pytest.mark.parametrize("name", DESCRIBED)
def test_docstrings_describe_every_parameter_and_result(name):
    value = DESCRIBED[name]
    faults = faults_of_class(value) if inspect.isclass(value) else faults_of_function(value)
    assert not faults, "\n".join(faults)


def examples(docstring):
    """Examples that run."""
    found = doctest.DocTestParser().get_examples(docstring)
    return [example for example in found if doctest.SKIP not in example.options]


@pytest.mark.parametrize("name", DESCRIBED)
def test_docstrings_have_an_example_that_runs(name):
    if WITHOUT_EXAMPLE.fullmatch(name):
        assert name.removeprefix("isthmus.") not in isthmus.__all__
    else:
        assert examples(inspect.getdoc(DESCRIBED[name])), name


def text_below(name, module):
    """The text that follows the definition of a value in its module."""
    body = ast.parse(Path(import_module(module).__file__).read_text(encoding="utf-8")).body
    for statement, following in pairwise(body):
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        if any(getattr(target, "id", None) == name for target in targets):
            return ast.literal_eval(following.value)
    raise AssertionError(f"{name} is not defined in {module}")


def test_the_example_of_the_list_of_methods_is_right():
    text = text_below("METHODS", "isthmus.estimators.registry")
    test = doctest.DocTestParser().get_doctest(text, {}, "METHODS", None, None)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_data_has_a_description():
    modules = [
        f"isthmus.datasets.{path.stem}"
        for path in (ROOT / "src" / "isthmus" / "datasets").glob("[!_]*.py")
    ]
    constants = [name for name in NAMES if re.fullmatch(r"isthmus\.datasets\.[A-Z_]+", name)]
    assert constants
    for name in constants:
        short = name.rpartition(".")[2]
        (module,) = (m for m in modules if _defines(m, short))
        assert text_below(short, module)


def _defines(module, name):
    source = Path(import_module(module).__file__).read_text(encoding="utf-8")
    return re.search(rf"^{name} = ", source, flags=re.MULTILINE) is not None


@pytest.fixture(scope="module")
def fitted():
    """Every method, fitted to a small corpus."""
    corpus = make_corpus(60, 60)
    X = TextVectorizer().fit_transform(corpus.source_texts + corpus.target_texts)
    y = corpus.source_labels + [None] * 60
    numbers = [0] * 60 + [-1] * 60
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: method.estimator_class().fit(X, y, sample_domain=numbers)
            for name, method in METHODS.items()
        }


@pytest.mark.parametrize("name", METHODS)
def test_fitted_attributes_are_described(name, fitted):
    attributes = {n for n in vars(fitted[name]) if re.fullmatch(r"[a-z]\w*_", n)} - INTERNAL
    described = entries(sections(inspect.getdoc(type(fitted[name])))["Attributes"])
    assert attributes <= {attribute for attribute, _, _ in described}


# The checks themselves.


class Incomplete:
    """A class with faults.

    Parameters
    ----------
    first : int
        The first.
    third
        The type is missing.
    """

    def __init__(self, first, second):
        """Do nothing."""

    def method(self, value) -> int:
        """Return something."""
        return 1

    def undescribed(self):
        return None

    @property
    def attribute(self):
        return 1


def test_faults_are_found():
    faults = faults_of_class(Incomplete)
    assert "Parameters ['first', ''], but there are ['first', 'second']" in faults
    assert "Parameters: no type or description of third" in faults
    assert "method: Parameters [], but there are ['value']" in faults
    assert "method: no result" in faults
    assert "undescribed: no summary" in faults
    assert "attribute: no description" in faults


def test_an_example_that_is_skipped_does_not_count():
    assert not examples(">>> load()  # doctest: +SKIP\n")
    assert not examples("No example.")
    assert examples(">>> 1 + 1\n2\n")
