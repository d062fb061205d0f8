"""Plots of a fitted model: the right numbers, on the given axes, with any text."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from sklearn.feature_extraction.text import HashingVectorizer

import reported_models
from isthmus import Auto, MTrick, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.inspection.confidence import coverage
from isthmus.inspection.facts import ClassShare, DocumentMap, WordCluster
from isthmus.inspection.word_sides import KINDS, ClassWords, WordPoint
from isthmus.pages.colors import COLORS
from isthmus.report.plots import (
    draw_convergence,
    draw_label_shares,
    draw_map,
    draw_word_clusters,
    draw_words,
)
from isthmus.report.plots.texts import printable, text_style
from isthmus.transfer.target_report import TargetReport

mpl.use("Agg")
CORPUS = make_corpus(n_source=120, n_target=100)
HOSTILE = [
    "_hidden",
    r"$\alpha_1$ $",
    "x" * 300,
    "two\nlines\x00\ud800\u202e",
    "機械翻訳 🙂",
    "العربية",
    "",
    "<b>&amp;",
]
PLOTS = (
    *("plot_label_shares", "plot_confidence", "plot_words", "plot_word_clusters"),
    *("plot_map", "plot_convergence"),
)


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    """Every test ends with the settings and the figures with which it began."""
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


def fit(method: Any, **targets: Any) -> Transfer:
    source = {"books": (CORPUS.source_texts, CORPUS.source_labels)}
    targets = targets or {"kitchen": CORPUS.target_texts}
    return Transfer(method, verdict=False).fit(source, target_texts=targets)


@cache
def fitted() -> Transfer:
    """A method that has all plots; tests must not change it."""
    method = MTrick(init="plsa", n_word_clusters=20, max_iter=5, tol=0, random_state=0)
    return fit(method)


@cache
def automatic() -> Transfer:
    return fit(Auto(effort="fast"))


def parts(model: Transfer) -> TargetReport:
    return TargetReport(model, "kitchen")


def render(ax: Any) -> None:
    """Draw for real: warnings of the fonts are errors here."""
    ax.figure.canvas.draw()


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.figure.findobj(mpl.text.Text)]


# What is drawn


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_makes_one_figure_or_none(name: str) -> None:
    plot = getattr(fitted(), name)
    ax = plot()
    assert isinstance(ax, mpl.axes.Axes)
    assert plt.get_fignums() == [ax.figure.number]
    render(ax)
    plt.close(ax.figure)
    # A figure that pyplot does not know is enough.
    figure = mpl.figure.Figure(figsize=(3, 3), layout="constrained")
    first, second = figure.subplots(1, 2)
    assert plot(ax=second, domain="kitchen") is second
    assert second.has_data()
    assert not first.has_data()
    render(second)
    assert plt.get_fignums() == []


def test_bars_are_the_label_shares() -> None:
    model = automatic()
    ax = model.plot_label_shares()
    found = [np.mean(model.labels_["kitchen"] == label) for label in model.classes_]
    order = np.argsort(-np.array(found), kind="stable")
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == model.classes_[order].tolist()
    drawn = [[bar.get_width() for bar in bars] for bars in ax.containers]
    assert drawn[1] == pytest.approx(np.array(found)[order])
    shares = sorted(parts(model).shares(), key=lambda share: -share.n_found)
    assert drawn[0] == pytest.approx([share.source for share in shares])
    assert drawn[2] == pytest.approx([share.source_only for share in shares])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "source",
        "target",
        "target by the source-only classifier",
    ]
    # The largest class is at the top.
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_only_the_largest_of_many_classes_have_bars() -> None:
    shares = [
        ClassShare(f"class {n}", n, n / 1225, n, n / 1225, n, n / 1225, None) for n in range(50)
    ]
    ax = draw_label_shares(None, shares)
    assert [len(bars) for bars in ax.containers] == [16, 16, 16]
    assert ax.get_yticklabels()[0].get_text() == "class 49"
    assert "34 smaller classes are not shown" in ax.get_xlabel()
    render(ax)


@pytest.mark.parametrize("model", [fitted, automatic])
def test_lines_are_confidence_and_coverage(model: Any) -> None:
    ax = model().plot_confidence()
    expected = coverage(model().targets_["kitchen"].confidence)
    for line, values in zip(
        ax.get_lines(), (expected.mean_confidence, expected.threshold), strict=True
    ):
        np.testing.assert_allclose(line.get_xdata(), expected.coverage)
        np.testing.assert_allclose(line.get_ydata(), values)
    assert "mean confidence of those kept" in texts(ax)


def test_the_objective_by_iteration() -> None:
    ax = fitted().plot_convergence()
    (line,) = ax.get_lines()
    objective = fitted().estimator_.objective_
    assert line.get_xdata().tolist() == list(range(len(objective)))
    np.testing.assert_allclose(line.get_ydata(), objective)


@pytest.mark.parametrize(
    ("values", "scale"),
    [([100.0, 2.0, 1.0], "log"), ([3.0, 2.0], "linear"), ([100.0, 0.0, -5.0], "linear")],
)
def test_a_large_first_step_needs_a_logarithmic_axis(values: list[float], scale: str) -> None:
    ax = draw_convergence(None, np.array(values))
    assert ax.get_yscale() == scale
    render(ax)


def offsets(ax: Any) -> Any:
    return np.concatenate([np.asarray(points.get_offsets()) for points in ax.collections])


def test_words_are_placed_by_their_weights() -> None:
    ax = automatic().plot_words()
    (words,) = parts(automatic()).words()
    assert words.label == "positive"
    drawn = {tuple(place) for place in offsets(ax).round(6)}
    assert len(offsets(ax)) == len(words.points)
    both = [p for p in words.points if None not in (p.source_weight, p.target_weight)]
    assert both
    for point in both:
        assert (round(point.source_weight, 6), round(point.target_weight, 6)) in drawn
    shown = texts(ax)
    assert {"occurs only in the source", "occurs only in the target"} <= set(shown)
    written = [point for point in words.points if point.shown in shown]
    assert len(written) > 10


def test_words_of_one_domain_are_in_the_margins() -> None:
    points = [
        WordPoint("both", "both", 1, 2.0, -1.5, 5, 5, "changed", 3.0),
        WordPoint("there", "", 2, -1.0, None, 5, 0, "source", 3.0),
        WordPoint("here", "here", 3, None, 1.0, 0, 5, "target", 3.0),
    ]
    ax = draw_words(None, ClassWords("sport", points), ("a", "b"))
    places = {
        to_hex(part.get_facecolor()[0]): part.get_offsets()[0].tolist() for part in ax.collections
    }
    x, y = places[COLORS[2][0]]
    assert x == -1.0
    assert -2 * 1.46 < y < -2 * 1.08  # below the field, which ends at the largest weight
    x, y = places[COLORS[3][0]]
    assert -2 * 1.46 < x < -2 * 1.08
    assert y == 1.0
    assert places[COLORS[1][0]] == [2.0, -1.5]
    assert ax.get_xlim() == ax.get_ylim()
    assert "other classes" in ax.get_xlabel()
    assert KINDS["same"] not in texts(ax)  # no such word


def test_the_other_of_two_classes_mirrors_the_words() -> None:
    first, second = (automatic().plot_words(label) for label in ("negative", "positive"))
    assert "right: negative, left: positive" in first.get_xlabel()
    assert "up: positive, down: negative" in second.get_ylabel()
    limit = -1.08 * min(first.get_xlim()) / 1.46

    def inner(ax: Any) -> list[tuple[float, float]]:
        return [(x, y) for x, y in offsets(ax).tolist() if min(x, y) > -limit]

    assert sorted(inner(first)) == sorted((-x, -y) for x, y in inner(second))


def test_labels_of_words_do_not_cover_each_other() -> None:
    ax = automatic().plot_words()
    render(ax)
    boxes = [text.get_window_extent() for text in ax.texts if isinstance(text, mpl.text.Annotation)]
    # The widths of words are estimated, so that some may touch.
    touching = sum(a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[n + 1 :])
    assert len(boxes) > 10
    assert touching <= len(boxes) // 10


def test_the_map_has_all_documents_with_words() -> None:
    model = automatic()
    ax = model.plot_map()
    source, target = ax.collections
    assert len(source.get_offsets()) == 120
    assert len(target.get_offsets()) == 100
    colors = [to_hex(color) for color in target.get_facecolor()]
    codes = [COLORS[0][0], COLORS[1][0]]
    expected = [codes[model.classes_.tolist().index(label)] for label in model.labels_["kitchen"]]
    assert sorted(colors) == sorted(expected)
    assert source.get_paths()[0].vertices.shape != target.get_paths()[0].vertices.shape
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["source: books", "target: kitchen", "negative", "positive"]


def test_many_classes_on_the_map() -> None:
    n = 50
    codes = np.repeat(np.arange(n), np.arange(1, n + 1))
    places = np.random.default_rng(0).random((len(codes), 2))
    shown = DocumentMap(places, codes, codes % 2 == 0, np.arange(len(codes)), [""] * len(codes))
    ax = draw_map(None, shown, [f"class {code}" for code in range(n)], ("a", "b"))
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    # One color is that of the other classes.
    assert names[2:] == [*(f"class {code}" for code in range(43, 50)), "43 other classes"]
    assert sum(len(points.get_offsets()) for points in ax.collections) == len(codes)


def test_word_clusters_are_side_by_side() -> None:
    model = fitted()
    ax = model.plot_word_clusters()
    words = model.top_cluster_words(1)
    strongest = np.argsort(-model.cluster_associations().max(axis=1), kind="stable")[:16]
    cells = {text.get_text(): text.get_position() for text in ax.texts}
    first_words = {text.partition(",")[0] for text in cells}
    for number in strongest:
        assert words[number]["books"][0] in first_words
        assert words[number]["kitchen"][0] in first_words
    assert len(ax.patches) == 16
    assert cells["books"][0] < cells["kitchen"][0]
    assert "16 of 20 clusters" in ax.get_xlabel()


def test_several_targets_need_a_name() -> None:
    half = len(CORPUS.target_texts) // 2
    model = fit("lg", a=CORPUS.target_texts[:half], b=CORPUS.target_texts[half:])
    with pytest.raises(ValueError, match="Several targets were fitted: pass domain"):
        model.plot_map()
    ax = model.plot_label_shares(domain="b")
    found = np.mean(model.labels_["b"] == "positive")
    assert found in [pytest.approx(bar.get_width()) for bar in ax.containers[1]]
    with pytest.raises(ValueError, match="is a source"):
        model.plot_confidence(domain="books")
    assert len(plt.get_fignums()) == 1


# What cannot be drawn


def test_methods_without_clusters_or_objective_say_so() -> None:
    with pytest.raises(ValueError, match="Auto has no word clusters: use plot_words"):
        automatic().plot_word_clusters()
    with pytest.raises(ValueError, match=r"combines other methods, see estimator_\.members_"):
        automatic().plot_convergence()
    with pytest.raises(ValueError, match="SourceLogistic has no objective by iteration"):
        fit("lg").plot_convergence()
    with pytest.raises(ValueError, match="There is no class 'neutral': the classes are 'negative'"):
        automatic().plot_words("neutral")
    assert plt.get_fignums() == []


def test_words_need_names() -> None:
    model = Transfer("lg", vectorizer=HashingVectorizer(n_features=500), verdict=False)
    model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    with pytest.raises(ValueError, match="the vectorizer does not know its words"):
        model.plot_words()


@pytest.mark.parametrize("name", PLOTS)
def test_a_loaded_model_has_no_texts(name: str, tmp_path: Any) -> None:
    path = tmp_path / "model.isthmus"
    fitted().save(path)
    with pytest.raises(ValueError, match="a model file does not hold"):
        getattr(load(path), name)()


@pytest.mark.parametrize("name", PLOTS)
def test_matplotlib_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted()
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"needs matplotlib.*pip install 'isthmus\[report\]'"):
        getattr(model, name)()


# Unusual models and hostile texts


@pytest.mark.parametrize("name", [name for name in reported_models.MODELS if name != "usual"])
def test_plots_of_unusual_models(name: str) -> None:
    model = reported_models.fitted(name)
    (domain,) = model.targets_
    for plot in PLOTS:
        if name == "mtrick" or plot not in ("plot_word_clusters", "plot_convergence"):
            render(getattr(model, plot)(domain=domain))


def test_hostile_names_and_words() -> None:
    shares = [ClassShare(name, 1, 0.1, 1, 0.1, 1, 0.1, None) for name in HOSTILE]
    ax = draw_label_shares(None, shares)
    render(ax)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names[:2] == ["_hidden", r"$\alpha_1$ $"]
    assert names[6] == "(empty label)"
    assert all(len(name) <= 24 and "\n" not in name for name in names)
    points = [
        WordPoint(name, name, n, float(n), float(-n), 3, 3, "changed", 3.0)
        for n, name in enumerate(HOSTILE)
    ]
    render(draw_words(None, ClassWords(HOSTILE[1], points), (HOSTILE[3], HOSTILE[2]), HOSTILE[4]))
    places = np.random.default_rng(0).random((8, 2))
    shown = DocumentMap(places, np.arange(8), np.arange(8) < 4, np.arange(8), [""] * 8)
    ax = draw_map(None, shown, HOSTILE, (HOSTILE[0], HOSTILE[1]))
    render(ax)
    assert "_hidden" in [text.get_text() for text in ax.get_legend().get_texts()]
    clusters = [
        WordCluster(n, name, 0.5, {"a": HOSTILE, "$b_": [name]}) for n, name in enumerate(HOSTILE)
    ]
    render(draw_word_clusters(None, clusters, HOSTILE, ["a", "$b_"]))


def test_characters_that_no_font_has_are_replaced() -> None:
    line = printable("naïve \U0010fffd déjà\u200d vu", 40)
    assert line.startswith("naïve \N{REPLACEMENT CHARACTER} déjà")
    assert text_style("plain") == {"parse_math": False}


def test_a_second_font_is_used_if_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [
        mpl.font_manager.findfont(mpl.font_manager.FontProperties(family=[name]))
        for name in ("sans-serif", "STIXGeneral")
    ]
    used, other = (mpl.font_manager.get_font(path).get_charmap() for path in paths)
    letter = next(chr(code) for code in sorted(other) if code not in used and chr(code).isalpha())
    assert printable(letter, 9) == "\N{REPLACEMENT CHARACTER}"
    monkeypatch.setattr(
        "isthmus.report.plots.texts._installed_fallbacks", lambda: (("STIXGeneral", paths[1]),)
    )
    assert printable(letter, 9) == letter
    assert text_style(letter)["fontfamily"] == [*mpl.rcParams["font.family"], "STIXGeneral"]
    render(draw_label_shares(None, [ClassShare(letter, 1, 1.0, 1, 1.0, 1, 1.0, None)]))
