"""Fields of a suite that would be read as something else, or tell of what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.bench.plan.measure_checks import documents_attribute
from isthmus.bench.plan.reading import parse_suite
from isthmus.estimators.registry import METHODS
from tiny_suite import CLUSTERS, LISTED, SOURCE, TARGET, TINY

FIGURE = '[[figures]]\ntitle = "t"\nentries = ["lg"]\nx = "problems"\n'


@pytest.mark.parametrize("named", ["[[1]]", "[true]", "[1.0]", "[4]", "[-1]", '["1"]', "1"])
def test_named_problems_are_whole_numbers(named: str) -> None:
    content = TINY.replace('name = "a"', f'name = "a"\nnamed = {named}')
    with pytest.raises(ValueError, match=r"'named' in set 'a' .* whole numbers from 0 to 3"):
        parse_suite(content, "tiny.toml")


def test_false_is_no_share_of_labels() -> None:
    sides = SOURCE + TARGET + "labelled_target = "
    assert parse_suite(LISTED.replace("SIDES", sides + "0"), "t").tasks[0].labelled_target == 0
    with pytest.raises(ValueError, match=r"'labelled_target' .* must be a number, not False"):
        parse_suite(LISTED.replace("SIDES", sides + "false"), "tiny.toml")


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (
            'metrics = ["NMI (geometric)"]',
            r"metric 'NMI \(geometric\)' of the figure 't' .* for a clusterer, .*'lg' is a class",
        ),
        (
            'metrics = ["accuracy", "error"]',
            "'accuracy' in per cent and 'error' as a share, .*: draw one figure of each",
        ),
        ('lines = "sets"', "'lines' in figure 0 .* has no meaning beside x='problems'"),
    ],
)
def test_figures_that_cannot_be_drawn(field: str, message: str) -> None:
    parse_suite(TINY + FIGURE, "tiny.toml")
    with pytest.raises(ValueError, match=message):
        parse_suite(TINY + FIGURE + field, "tiny.toml")


def test_a_report_of_figures_needs_one() -> None:
    content = TINY.replace('title = "Tiny"', 'title = "Tiny"\ntable = "figures"')
    parse_suite(content + FIGURE, "tiny.toml")
    with pytest.raises(ValueError, match=r"table='figures' in suite 'tiny.toml' .* there is none"):
        parse_suite(content, "tiny.toml")


@pytest.mark.parametrize(
    ("content", "method", "measure", "reason"),
    [
        (TINY, "lg", "convergence", "it keeps no objective"),
        (TINY, "lg", "word overlap", "it does not have start='plsa'"),
        (TINY, "mtrick", "word overlap", "it does not have start='plsa'"),
        (CLUSTERS, "kmeans", "proxy A-distance", "problems of a clusterer have no source"),
    ],
)
def test_measures_that_no_fit_would_have(
    content: str, method: str, measure: str, reason: str
) -> None:
    entry = (
        f'[[entries]]\nid = "e"\nlabel = "E"\nmethod = "{method}"\nweighting = "tfidf"\n'
        f'measures = ["{measure}"]\n'
    )
    with pytest.raises(ValueError, match=f"'{measure}' in entry 'e' .* '{method}': {reason}"):
        parse_suite(content + entry, "tiny.toml")


def test_docstrings_tell_which_methods_keep_an_objective() -> None:
    X = np.random.default_rng(0).poisson(1.0, (24, 12)).astype(float)
    domain = np.repeat([0, -1], 12)
    y = np.tile([0, 1], 12).astype(object)
    y[domain < 0] = None
    for name in ("mtrick", "lssmtc", "asi", "pjnmf", "tsvm", "ib", "lg", "sfa", "kmeans", "llgc"):
        method = METHODS[name]
        labels = None if method.kind == "clusterer" else y
        fitted = method.estimator_class().fit(X, labels, sample_domain=domain)
        told = documents_attribute(method.estimator_class, "objective_")
        assert hasattr(fitted, "objective_") == told, name
