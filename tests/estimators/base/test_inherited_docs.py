"""Parameters and attributes that base classes document for the methods that share them."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import subprocess
import sys

import pytest
from sklearn.base import clone

from isthmus import METHODS, MTrick
from isthmus.estimators.base.classifier import TransferClassifier
from methods import EVERY

# Classes that describe a shared parameter in words of their own, because it does more there.
OTHER_WORDS = {
    "class_prior": {
        *("Auto", "DKT", "KTW", "MTrick", "MTrick0"),
        *("CoCC", "InformationBottleneck"),
        *("CODA", "MCT", "SelfTraining", "SklearnSelfTraining", "TSVM"),
    },
    "random_state": {
        *("DKT", "KTW", "MTrick", "MTrick0"),
        *("LSSMTC", "LSSTTC", "MarginalizedDenoising", "SelfTraining"),
    },
    "missing_label": set(),
    "label_distributions_": {"GFHF", "LLGC", "LSSTTC", "SGT", "SklearnLabelSpreading"},
}
SHARED = (
    *("class_prior", "missing_label", "random_state"),
    *("classes_", "transduction_", "label_distributions_", "domains_", "class_prior_"),
    *("domain_prior_", "term_totals_", "labels_", "n_clusters_"),
)


def described(cls):
    """The description of every parameter and attribute of a class, without its default."""
    entries = re.split(r"\n(?=\S)", inspect.getdoc(cls) or "")
    found = {}
    for entry in entries:
        names, _, rest = entry.partition(" : ")
        found |= dict.fromkeys(names.split(", "), rest.partition("\n")[2].strip())
    return found


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_name_has_one_wording(name):
    texts = {m.class_name: described(m.estimator_class).get(name) for m in METHODS.values()}
    texts = {cls: text for cls, text in texts.items() if text is not None}
    other = OTHER_WORDS.get(name, set())
    assert len({text for cls, text in texts.items() if cls not in other}) == 1
    (text,) = {text for cls, text in texts.items() if cls not in other}
    assert {cls for cls in texts if texts[cls] != text} == other


@EVERY
def test_described_defaults_are_those_of_the_constructor(method):
    text = (inspect.getdoc(method.estimator_class) or "").partition("Attributes\n")[0]
    described_defaults = dict(re.findall(r"^(\w+) : .*, default=(.*)$", text, re.MULTILINE))
    signature = inspect.signature(method.estimator_class).parameters
    values = {n: ast.literal_eval(v) for n, v in described_defaults.items() if n != "models"}
    assert values == {name: signature[name].default for name in values}


@EVERY
def test_sections_are_in_the_order_of_numpydoc(method):
    titles = re.findall(r"^(\w+)\n-{3,}$", inspect.getdoc(method.estimator_class), re.MULTILINE)
    order = ["Parameters", "Attributes", "Notes", "References", "Examples"]
    assert titles == [title for title in order if title in titles]
    assert titles[:2] == ["Parameters", "Attributes"]


class Derived(MTrick):
    """A method of the user.

    Parameters
    ----------
    beta : float, default=2.0
        In other words.
    """

    def __init__(self, beta=2.0, tol=1e-6, missing_label=-1):
        super().__init__(beta=beta, tol=tol, missing_label=missing_label)

    def get_params(self, deep=True):
        return {"beta": self.beta, "tol": self.tol, "missing_label": self.missing_label}


def test_a_class_wins_over_its_bases_and_lists_the_parameters_of_its_own_constructor():
    parameters = (inspect.getdoc(Derived) or "").partition("Attributes\n")[0]
    names = re.findall(r"^(\w+) : ", parameters, re.MULTILINE)
    assert names == ["beta", "tol", "missing_label"]
    assert described(Derived)["beta"] == "In other words."
    assert described(Derived)["tol"] == described(MTrick)["tol"]
    assert described(Derived)["classes_"] == described(TransferClassifier)["classes_"]


def test_a_class_without_a_docstring_stays_without_one():
    class Silent(MTrick):
        pass

    assert Silent.__doc__ is None


def test_estimators_are_cloned_and_pickled_as_before():
    model = Derived(beta=3.0)
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()


def test_without_docstrings():
    code = "from isthmus import MTrick, SFA; assert MTrick.__doc__ is None; print(SFA())"
    done = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout == "SFA()\n", done.stderr


def parameters_of(function):
    """The description of every parameter of a function, and whether it has a result."""
    docstring = inspect.getdoc(function) or ""
    entries = docstring.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    found = [entry.partition(" : ") for entry in re.split(r"\n(?=\S)", entries)]
    return {name: text for name, _, text in found if name}, "Returns\n-------\n" in docstring


class Shared(MTrick):
    """A method that adds a parameter to functions of its base classes."""

    def predict(self, X, sample_domain=None, *, extra=None):
        """Predict labels.

        Parameters
        ----------
        extra : int, default=None
            In addition.
        """

    def summary(self, extra, X, *, other):
        """Describe documents."""

    def score(self, X):
        return super().score(X)


def test_functions_describe_only_what_is_new():
    base, _ = parameters_of(TransferClassifier.predict)
    extra = {"extra": "int, default=None\n    In addition."}
    expected = {"X": base["X"], "sample_domain": base["sample_domain"], **extra}
    assert parameters_of(Shared.predict) == (expected, True)
    # A function has the parameters that functions above it describe, but not their result.
    assert parameters_of(Shared.summary) == ({**extra, "X": base["X"]}, False)
    assert list(parameters_of(Shared.summary)[0]) == ["extra", "X"]
    assert Shared.score.__doc__ is None
