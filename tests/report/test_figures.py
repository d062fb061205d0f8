"""Figures of a fitted model: the right numbers at the right places, with any text."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import HashingVectorizer

import reported_models
from isthmus import Auto, MTrick, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.inspection.confidence import coverage
from isthmus.inspection.facts import ClassShare, DocumentMap, WordCluster
from isthmus.inspection.word_sides import KINDS, ClassWords, WordPoint
from isthmus.report.curves import draw_convergence, draw_coverage
from isthmus.report.figure import Drawing, Figure
from isthmus.report.label_places import text_width
from isthmus.report.map import draw_map
from isthmus.report.shares import draw_shares
from isthmus.report.words import draw_clusters, draw_words
from isthmus.transfer.target_report import TargetReport

CORPUS = make_corpus(n_source=120, n_target=100)
HOSTILE = [
    "_hidden",
    r"$\alpha_1$ $",
    "x" * 300,
    "two\nlines\x00\ud800\u202e",
    "機械翻訳 🙂",
    "العربية",
    "",
    "<b>&amp;</svg><script>alert(1)</script>",
]
FIGURES = ("label_shares", "confidence", "words", "word_clusters", "map", "convergence")
NAMESPACE = "{http://www.w3.org/2000/svg}"
# Positions have one digit after the point.
ROUNDING = 0.051


def fit(method: Any, **targets: Any) -> Transfer:
    source = {"books": (CORPUS.source_texts, CORPUS.source_labels)}
    targets = targets or {"kitchen": CORPUS.target_texts}
    return Transfer(method, verdict=False).fit(source, target_texts=targets)


@cache
def fitted() -> Transfer:
    """A method that has all figures; tests must not change it."""
    method = MTrick(init="plsa", n_word_clusters=20, max_iter=5, tol=0, random_state=0)
    return fit(method)


@cache
def automatic() -> Transfer:
    return fit(Auto(effort="fast"))


def facts(model: Transfer) -> TargetReport:
    return TargetReport(model, "kitchen")


class Picture:
    """The elements of a figure; it fails if the file would load or run anything."""

    def __init__(self, figure: Figure | Drawing) -> None:
        self.figure = figure if isinstance(figure, Figure) else figure.figure()
        # A parser of XML refuses what is not closed and characters that must not be there.
        self.root = ElementTree.fromstring(self.figure.svg)
        assert self.root.tag == f"{NAMESPACE}svg"
        assert self.root.attrib["role"] == "img"
        assert self.root.attrib["aria-label"] == self.figure.description
        self.width, self.height = (float(self.root.attrib[name]) for name in ("width", "height"))
        view = [float(number) for number in self.root.attrib["viewBox"].split()]
        assert view == [0, 0, self.width, self.height]
        names = {element.tag.removeprefix(NAMESPACE) for element in self.root.iter()}
        assert names <= {"svg", "style", "g", "title", "text", "line", "rect", "circle", "path"}
        for element in self.root.iter():
            assert not any(key.startswith("on") or "href" in key for key in element.attrib)
        (style,) = self.root.iter(f"{NAMESPACE}style")
        assert "url(" not in style.text
        assert "@import" not in style.text

    def find(self, tag: str, *classes: str) -> list[Any]:
        return [
            element
            for element in self.root.iter(NAMESPACE + tag)
            if set(classes) <= set(element.attrib.get("class", "").split())
        ]

    def texts(self, *classes: str) -> list[str]:
        # A tooltip may come before the text.
        found = self.find("text", *classes)
        return [(e.text or "") + "".join(part.tail or "" for part in e) for e in found]

    def points(self, *classes: str) -> Any:
        """The points of a line."""
        (path,) = self.find("path", *classes)
        return np.array([part.split() for part in path.attrib["d"][1:].split("L")], float)

    def centers(self, *classes: str) -> Any:
        circles = self.find("circle", *classes)
        return np.array([[float(c.attrib["cx"]), float(c.attrib["cy"])] for c in circles])

    def words(self) -> dict[int, Any]:
        """The group of every word of the words figure, by its column."""
        return {int(g.attrib["data-word"]): g for g in self.find("g", "word")}

    def places(self) -> dict[int, tuple[float, float]]:
        """Where every word is."""
        circles = {column: g.find(f"{NAMESPACE}circle") for column, g in self.words().items()}
        return {n: (float(c.attrib["cx"]), float(c.attrib["cy"])) for n, c in circles.items()}


def assert_scaled(values: Any, positions: Any, *, falls: bool = False) -> None:
    """Positions are a linear map of the values; upwards is down for them."""
    slope, start = np.polyfit(np.asarray(values, float), positions, 1)
    assert slope < 0 if falls else slope > 0
    np.testing.assert_allclose(positions, slope * np.asarray(values) + start, atol=2 * ROUNDING)


# What is drawn


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_shows_and_saves_itself(name: str, tmp_path: Path) -> None:
    figure = getattr(fitted().plot, name)()
    picture = Picture(figure)
    assert figure._repr_html_() == figure._repr_svg_() == figure.svg
    assert repr(figure) == f"Figure(description={figure.description!r})"
    figure.save(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8") == figure.svg
    assert getattr(fitted().plot, name)(domain="kitchen") == figure
    # Nothing is drawn outside.
    for element in picture.find("text"):
        assert 0 <= float(element.attrib["x"]) <= picture.width
        assert 0 <= float(element.attrib["y"]) <= picture.height


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_no_variables_that_only_browsers_know(name: str) -> None:
    assert "var(" not in getattr(fitted().plot, name)().svg


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "word_clusters"])
def test_the_report_has_the_same_marks(name: str, tmp_path: Path) -> None:
    fitted().report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    drawn = getattr(fitted().plot, name)().svg
    chart = drawn.rpartition('<g transform="translate(0 ')[2].partition('">')[2]
    chart = chart.removesuffix("</g></svg>")
    assert len(chart) > 500
    assert chart in page
    assert "<style>" not in page.partition("</head>")[2]


def test_bars_are_the_label_shares() -> None:
    model = automatic()
    picture = Picture(model.plot.label_shares())
    found = [np.mean(model.labels_["kitchen"] == label) for label in model.classes_]
    order = np.argsort(-np.array(found), kind="stable")
    legend = ["source", "target: labels found", "target: source-only classifier"]
    assert picture.texts("name") == [*legend, *model.classes_[order].tolist()]
    shares = sorted(facts(model).shares(), key=lambda share: -share.n_found)
    np.testing.assert_allclose([s.found for s in shares], np.array(found)[order])
    expected = [part for s in shares for part in (s.source, s.found, s.source_only)]
    bars = picture.find("rect", "bar")[3:]
    assert [bar.attrib["class"] for bar in bars[:3]] == ["bar c8 light", "bar c1", "bar c2"]
    widths = np.array([float(bar.attrib["width"]) for bar in bars])
    np.testing.assert_allclose(widths / widths.max(), np.array(expected) / max(expected), atol=1e-3)
    assert picture.texts("tick") == [f"{100 * part:.0f} %" for part in expected]
    # The largest class is at the top.
    tops = [float(bar.attrib["y"]) for bar in bars]
    assert tops == sorted(tops)


def test_only_the_largest_of_many_classes_have_bars() -> None:
    shares = [
        ClassShare(f"class {n}", n, n / 1225, n, n / 1225, n, n / 1225, None) for n in range(50)
    ]
    picture = Picture(draw_shares(shares))
    assert len(picture.find("rect", "bar")) == 3 + 3 * 16
    assert picture.texts("name")[3] == "class 49"
    assert "34 smaller classes are not shown." in picture.texts("tick")


@pytest.mark.parametrize("model", [fitted, automatic])
def test_lines_are_confidence_and_coverage(model: Any) -> None:
    picture = Picture(model().plot.confidence())
    expected = coverage(model().targets_["kitchen"].confidence)
    assert expected is not None
    lines = (("c1", expected.mean_confidence), ("c2", expected.threshold))
    for style, values in lines:
        points = picture.points("curve", style)
        assert_scaled(expected.coverage, points[:, 0])
        assert_scaled(values, points[:, 1], falls=True)
    # Both lines have one scale, which is that of the grid.
    whole = float(next(t for t in picture.find("text", "tick")).attrib["x"])
    assert whole < picture.points("curve", "c1")[0, 0]
    assert picture.find("path", "curve", "c2", "dashed")
    assert "mean confidence of those kept" in picture.texts("name")


def test_a_single_document_is_a_dot() -> None:
    single = coverage(np.array([0.7]))
    assert single is not None
    centers = Picture(draw_coverage(single)).centers("dot")
    assert len(centers) == 2
    assert (centers[0] == centers[1]).all()


def test_the_objective_by_iteration() -> None:
    picture = Picture(fitted().plot.convergence())
    objective = fitted().estimator_.objective_
    points = picture.points("curve")
    assert_scaled(range(len(objective)), points[:, 0])
    is_log = "objective (logarithmic)" in picture.texts("name")
    assert_scaled(np.log10(objective) if is_log else objective, points[:, 1], falls=True)
    assert {"0", "5"} <= set(picture.texts("tick"))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([100.0, 2.0, 1.0], "objective (logarithmic)"),
        ([3.0, 2.0], "objective"),
        ([100.0, 0.0, -5.0], "objective"),
        ([1.0, 1.0], "objective"),
    ],
)
def test_a_large_first_step_needs_a_logarithmic_axis(values: list[float], name: str) -> None:
    assert name in Picture(draw_convergence(np.array(values))).texts("name")


def test_words_are_placed_by_their_weights() -> None:
    picture = Picture(automatic().plot.words())
    (words,) = facts(automatic()).words()
    assert words.label == "positive"
    places = picture.places()
    assert set(places) == {point.column for point in words.points}
    both = [p for p in words.points if None not in (p.source_weight, p.target_weight)]
    assert len(both) > 10
    assert_scaled([p.source_weight for p in both], [places[p.column][0] for p in both])
    assert_scaled([p.target_weight for p in both], [places[p.column][1] for p in both], falls=True)
    assert {"occurs only in the source", "occurs only in the target"} <= set(picture.texts("name"))
    written = {p.shown for p in words.points} & set(picture.texts())
    assert len(written) > 10
    titles = {n: g.find(f"{NAMESPACE}title").text for n, g in picture.words().items()}
    assert titles == {p.column: f"{p.shown}: {KINDS[p.kind]}" for p in words.points}


def test_words_of_one_domain_are_in_the_margins() -> None:
    points = [
        WordPoint("both", "both", 1, 2.0, -1.5, 5, 5, "changed", 3.0),
        WordPoint("there", "", 2, -1.0, None, 5, 0, "source", 3.0),
        WordPoint("here", "here", 3, None, 1.0, 0, 5, "target", 3.0),
    ]
    picture = Picture(draw_words(ClassWords("sport", points), ["sport", "a", "b"], ("a", "b")))
    left, below = picture.find("rect", "strip")
    field = picture.find("rect", "field")[0]
    x, y = (float(field.attrib[name]) for name in ("x", "y"))
    size = float(field.attrib["width"])
    places = picture.places()
    middle = x + size / 2, y + float(field.attrib["height"]) / 2
    assert x < places[2][0] < middle[0]  # speaks against the class in the source
    assert 0 < places[2][1] - float(below.attrib["y"]) < float(below.attrib["height"])
    assert 0 < places[3][0] - float(left.attrib["x"]) < float(left.attrib["width"])
    assert y < places[3][1] < middle[1]
    assert places[1][0] > middle[0]
    assert places[1][1] > middle[1]
    colors = {n: g.find(f"{NAMESPACE}circle").attrib["class"] for n, g in picture.words().items()}
    assert colors == {1: "dot c2", 2: "dot c3", 3: "dot c4"}
    texts = picture.texts("name")
    assert {"← other classes", "sport in a (source) →", "↑ sport in b (target)"} <= set(texts)
    assert KINDS["same"] not in texts  # no such word
    assert {"not in the source", "lower strip: not in the target"} <= set(picture.texts("tick"))


def test_domains_without_a_name_are_not_named_twice() -> None:
    point = WordPoint("a", "a", 1, 2.0, -1.5, 5, 5, "changed", 3.0)
    words = ClassWords("x", [point])
    texts = Picture(draw_words(words, ["x", "y"], ("source", "target"))).texts("name")
    assert {"← y", "x in the source →", "↑ x in the target"} <= set(texts)
    places = np.random.default_rng(0).random((3, 2))
    shown = DocumentMap(places, np.zeros(3, int), np.arange(3) < 1, ["", "", ""], [""] * 3)
    names = Picture(draw_map(shown, ["x"], ("source", "target"))).texts("name")
    assert names == ["source", "target", "x"]


def test_the_other_of_two_classes_mirrors_the_words() -> None:
    first, second = (Picture(automatic().plot.words(label)) for label in ("negative", "positive"))
    assert {"← positive", "negative in books (source) →"} <= set(first.texts("name"))
    assert {"← negative", "↑ positive in kitchen (target)"} <= set(second.texts("name"))
    (words,) = facts(automatic()).words()
    both = [p.column for p in words.points if None not in (p.source_weight, p.target_weight)]
    sums = np.array([np.add(first.places()[n], second.places()[n]) for n in both])
    np.testing.assert_allclose(sums, np.broadcast_to(sums[0], sums.shape), atol=4 * ROUNDING)
    margins = [p for p in words.points if p.source_weight is None]
    assert all(first.places()[p.column][0] == second.places()[p.column][0] for p in margins)


def test_labels_of_words_do_not_cover_each_other() -> None:
    picture = Picture(automatic().plot.words())
    written = [g.find(f"{NAMESPACE}text") for g in picture.words().values()]
    boxes = []
    for text in filter(lambda element: element is not None, written):
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        boxes.append((x, y - 10, x + text_width(text.text), y + 2))
    touching = [
        (a, b)
        for n, a in enumerate(boxes)
        for b in boxes[n + 1 :]
        if a[0] < b[2] - 0.2 and b[0] < a[2] - 0.2 and a[1] < b[3] - 0.2 and b[1] < a[3] - 0.2
    ]
    assert len(boxes) > 10
    assert touching == []


def test_the_map_has_all_documents_with_words() -> None:
    model = automatic()
    picture = Picture(model.plot.map())
    (points,) = picture.find("g", "points")
    marks = list(points)
    source = [m for m in marks if m.tag == f"{NAMESPACE}circle"]
    target = [m for m in marks if m.tag == f"{NAMESPACE}path"]
    assert (len(source), len(target)) == (120, 100)
    styles = [set(m.attrib["class"].split()) for m in target]
    counted = sorted(next(iter(s & {"l0", "l1"})) for s in styles)
    classes = model.classes_.tolist()
    assert counted == sorted(f"l{classes.index(label)}" for label in model.labels_["kitchen"])
    # One color per class.
    assert len({frozenset(s) for s in styles}) == 2
    names = picture.texts("name")
    assert names[:2] == ["source: books", "target: kitchen"]
    assert set(names[2:]) == {"negative", "positive"}


def test_many_classes_on_the_map() -> None:
    n = 50
    codes = np.repeat(np.arange(n), np.arange(1, n + 1))
    places = np.random.default_rng(0).random((len(codes), 2))
    names = [""] * len(codes)
    shown = DocumentMap(places, codes, codes % 2 == 0, names, names)
    picture = Picture(draw_map(shown, [f"class {code}" for code in range(n)], ("a", "b")))
    # One color is that of the other classes.
    largest = [f"class {code}" for code in range(49, 42, -1)]
    assert picture.texts("name")[2:] == [*largest, "43 other classes"]
    (points,) = picture.find("g", "points")
    marks = list(points)
    assert len(marks) == len(codes)
    colors = {m.attrib["class"].split()[1] for m in marks}
    assert colors == {f"c{number}" for number in range(1, 9)}
    circles = np.array(
        [[float(m.attrib[a]) for a in ("cx", "cy")] for m in marks if "cx" in m.attrib]
    )
    assert_scaled(places[codes % 2 == 1][:, 0], circles[:, 0])
    assert_scaled(places[codes % 2 == 1][:, 1], circles[:, 1], falls=True)


def test_word_clusters_are_side_by_side() -> None:
    model = fitted()
    picture = Picture(model.plot.word_clusters())
    words = model.top_cluster_words(1)
    associations = model.cluster_associations().max(axis=1)
    strongest = np.argsort(-associations, kind="stable")[:16]
    cells = {e.text: float(e.attrib["x"]) for e in picture.find("text")}
    first_words = {text.partition(",")[0] for text in cells}
    for number in strongest:
        assert words[number]["books"][0] in first_words
        assert words[number]["kitchen"][0] in first_words
    widths = np.array([float(bar.attrib["width"]) for bar in picture.find("rect", "band")])
    expected = np.sort(associations[strongest])
    np.testing.assert_allclose(np.sort(widths) / widths.max(), expected / expected[-1], atol=1e-3)
    shares = [f"{100 * associations[number]:.0f} %" for number in strongest]
    assert sorted(shares) == sorted(t for t in picture.texts("tick") if t.endswith(" %"))
    assert cells["books"] < cells["kitchen"]
    assert "The 16 of 20 clusters with the strongest association." in picture.texts("tick")
    # The words of a cell end before the next column.
    column = cells["kitchen"] - cells["books"]
    assert all(text_width(text) <= column for text, x in cells.items() if x == cells["books"])


def test_several_targets_need_a_name() -> None:
    half = len(CORPUS.target_texts) // 2
    model = fit("lg", a=CORPUS.target_texts[:half], b=CORPUS.target_texts[half:])
    for name in FIGURES:
        with pytest.raises(ValueError, match="Several targets were fitted: pass domain"):
            getattr(model.plot, name)()
    found = np.mean(model.labels_["b"] == "positive")
    assert f"found {100 * found:.0f} %" in model.plot.label_shares(domain="b").description
    with pytest.raises(ValueError, match=r"is a source: plot\.confidence\(\) is about a target"):
        model.plot.confidence(domain="books")
    with pytest.raises(ValueError, match="There is no domain 'c'"):
        model.plot.map("c")


def test_several_sources_have_their_columns() -> None:
    sources = {
        name: (CORPUS.source_texts[n::5], CORPUS.source_labels[n::5])
        for n, name in enumerate("abcde")
    }
    method = MTrick(max_iter=3, tol=0)
    model = Transfer(method, verdict=False).fit(sources, target_texts=CORPUS.target_texts)
    heads = Picture(model.plot.word_clusters()).texts("head")
    assert heads == ["class", "a", "b", "c", "target"]
    assert "positive in a + b + c + d + e (source) →" in Picture(model.plot.words()).texts("name")


# Files


def test_a_figure_is_saved_as_svg_only(tmp_path: Path) -> None:
    figure = fitted().plot.label_shares()
    for wrong in ("figure.png", "figure", "figure.svg.pdf"):
        with pytest.raises(ValueError, match=r"is an SVG picture: name a file that ends with .svg"):
            figure.save(tmp_path / wrong)
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(ValueError, match="is a folder: name a file"):
        figure.save(tmp_path / "folder.svg")
    with pytest.raises(ValueError, match=r"The folder '.*missing' of the output does not exist"):
        figure.save(tmp_path / "missing" / "figure.svg")
    figure.save(str(tmp_path / "FIGURE.SVG"))
    (tmp_path / "FIGURE.SVG").write_text("earlier")
    figure.save(tmp_path / "FIGURE.SVG")
    assert (tmp_path / "FIGURE.SVG").read_text(encoding="utf-8") == figure.svg
    assert {p.name for p in tmp_path.iterdir()} == {"FIGURE.SVG", "folder.svg"}


def test_a_saved_figure_has_a_page_of_its_own_and_a_shown_one_has_not() -> None:
    style = re.findall("<style>(.*?)</style>", fitted().plot.map().svg, re.DOTALL)[0]
    # Only the root of a file is ':root': in a notebook this is the element html.
    page = [line for line in style.splitlines() if "background" in line]
    assert page
    assert all(".isthmus-figure:root {" in line for line in page)
    # No rule reaches beyond the figure.
    selectors = re.findall(r"([^{}]+)\{", style.replace("@media screen and", ""))
    rules = [part for s in selectors for part in s.split(",") if "prefers-color-scheme" not in part]
    assert all(rule.strip().startswith(".isthmus-figure") for rule in rules)


def test_figures_need_no_further_package() -> None:
    code = """
import sys
sys.modules["matplotlib"] = None
from isthmus import Transfer
from isthmus.datasets import make_corpus
corpus = make_corpus(n_source=40, n_target=40)
model = Transfer("lg", verdict=False)
model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
model.plot.words(), model.plot.map(), model.plot.label_shares(), model.plot.confidence()
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


# What cannot be drawn


def test_methods_without_clusters_or_objective_say_so() -> None:
    with pytest.raises(ValueError, match=r"Auto has no word clusters: use plot\.words"):
        automatic().plot.word_clusters()
    with pytest.raises(ValueError, match=r"combines other methods, see estimator_\.members_"):
        automatic().plot.convergence()
    with pytest.raises(ValueError, match="SourceLogistic has no objective by iteration"):
        fit("lg").plot.convergence()
    with pytest.raises(ValueError, match="There is no class 'neutral': the classes are 'negative'"):
        automatic().plot.words("neutral")


def test_words_need_names() -> None:
    model = Transfer("lg", vectorizer=HashingVectorizer(n_features=500), verdict=False)
    model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    with pytest.raises(ValueError, match="the vectorizer does not know its words"):
        model.plot.words()


@pytest.mark.parametrize("name", FIGURES)
def test_a_loaded_model_has_no_texts(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.isthmus"
    fitted().save(path)
    with pytest.raises(ValueError, match="a model file does not hold"):
        getattr(load(path).plot, name)()


@pytest.mark.parametrize("name", FIGURES)
def test_an_unfitted_model_has_no_figures(name: str) -> None:
    with pytest.raises(Exception, match="not fitted yet"):
        getattr(Transfer().plot, name)()


# Unusual models and hostile texts


@pytest.mark.parametrize("name", [name for name in reported_models.MODELS if name != "usual"])
def test_figures_of_unusual_models(name: str) -> None:
    model = reported_models.fitted(name)
    (domain,) = model.targets_
    for plot in FIGURES:
        if name == "mtrick" or plot not in ("word_clusters", "convergence"):
            Picture(getattr(model.plot, plot)(domain=domain))


def test_hostile_names_and_words() -> None:
    shares = [ClassShare(name, 1, 0.1, 1, 0.1, 1, 0.1, None) for name in HOSTILE]
    names = Picture(draw_shares(shares)).texts("name")[3:]
    assert names[:2] == ["_hidden", r"$\alpha_1$ $"]
    assert names[3:5] == ["two lines���", "機械翻訳 🙂"]
    assert names[6] == "(empty label)"
    assert all(len(name) <= 26 and "\n" not in name for name in names)
    points = [
        WordPoint(name, name, n, float(n), float(-n), 3, 3, "changed", 3.0)
        for n, name in enumerate(HOSTILE)
    ]
    words = ClassWords(HOSTILE[1], points)
    texts = Picture(draw_words(words, HOSTILE[1:3], (HOSTILE[3], HOSTILE[2]))).texts()
    assert any(text.startswith("<b>&amp;") for text in texts)
    places = np.random.default_rng(0).random((8, 2))
    shown = DocumentMap(places, np.arange(8), np.arange(8) < 4, [""] * 8, [""] * 8)
    names = Picture(draw_map(shown, HOSTILE, (HOSTILE[0], HOSTILE[1]))).texts("name")
    assert {"_hidden", r"target: $\alpha_1$ $"} <= set(names)
    clusters = [
        WordCluster(n, name, 0.5, {"a": HOSTILE, "$b_": [name]}) for n, name in enumerate(HOSTILE)
    ]
    Picture(draw_clusters(clusters, HOSTILE, ["a", "$b_"]))
