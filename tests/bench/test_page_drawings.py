"""The drawings of a report's page."""

from __future__ import annotations

import random
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from isthmus.bench.report.blocks import Report, Section
from isthmus.bench.report.charts import Chart, Series
from isthmus.bench.report.page import render_page
from isthmus.bench.report.page.labels import Box, place_labels, spread
from isthmus.bench.report.page.rank_groups import rank_groups
from made_report import made_page

SVG = "{http://www.w3.org/2000/svg}"


def drawings_of(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


@pytest.fixture(scope="module")
def drawings() -> list[ElementTree.Element]:
    return drawings_of(made_page())


def test_drawings_take_colours_and_font_from_the_page(drawings):
    for drawing in drawings:
        text = ElementTree.tostring(drawing, encoding="unicode")
        assert not re.search(r"#[0-9a-f]{6}\b", text)
        assert "font-family" not in text
        assert "DejaVu" not in text
        assert drawing.find(f".//{SVG}style") is None


def test_who_points_at_a_point_is_told_its_problem(drawings):
    lines = drawings[0]
    hints = [title.text for title in lines.iter(f"{SVG}title")]
    # The last point of the second series has no number, and so no place.
    assert hints == [
        "books to dvd\nLG: 60",
        "dvd & <books>\nLG: 70",
        "kitchen to dvd\nLG: 80",
        "books to dvd\n_MTrick $x$: 90",
        "dvd & <books>\n_MTrick $x$: 91",
    ]
    areas = [area for area in lines.iter(f"{SVG}rect") if area.find(f"{SVG}title") is not None]
    assert [float(area.attrib["x"]) for area in areas[:3]] == sorted(
        float(area.attrib["x"]) for area in areas[:3]
    )
    # The y axis of an SVG points down.
    first, second = (float(area.attrib["y"]) for area in areas[:2])
    assert first > second


def test_charts_say_what_they_show(drawings):
    texts = [{text.text for text in drawing.iter(f"{SVG}text")} for drawing in drawings]
    assert {"LG", "_MTrick $x$", "below 65 %", "below 66 %", "paper 92.01"} <= texts[0]
    assert {"method 0", "method 3", "1", "1,000"} <= texts[1]
    # Points with names of their own are of a kind, which the legend tells.
    assert {"CORAL", "TCA", "peers"} <= texts[1]
    assert {"Accuracy per problem", "By language", "German", "French", "series 8"} <= texts[2]
    assert {"A", "1.20", "C", "2.90", "critical difference 1.00"} <= texts[3]


def test_bars_of_the_rank_diagram_name_their_methods(drawings):
    hints = [title.text for title in drawings[3].iter(f"{SVG}title")]
    assert hints[:3] == ["A: mean rank 1.20", "B: mean rank 1.90", "C: mean rank 2.90"]
    assert hints[3:] == ["A to B: 2 not told apart", "B to C: 2 not told apart"]


@pytest.mark.parametrize(
    ("ranks", "difference", "groups"),
    [
        ([1.0, 2.0, 3.0, 6.0, 6.5, 9.0], 2.0, [(0, 2), (3, 4)]),
        ([1.0, 2.0, 3.0, 4.0], 1.5, [(0, 1), (1, 2), (2, 3)]),
        ([1.0, 1.5, 2.0, 3.4], 2.0, [(0, 2), (1, 3)]),
        ([1.0, 2.5], 1.0, []),
        ([1.5, 1.5], 0.0, [(0, 1)]),
        ([1.0], 1.0, []),
        ([], 1.0, []),
    ],
)
def test_groups_are_as_large_as_can_be(ranks, difference, groups):
    assert rank_groups(ranks, difference) == groups


def test_texts_that_xml_or_the_font_cannot_hold_do_no_harm(drawings):
    series = Series("\x00 精度", (0.0,), (1.0,), ("\x01",))
    chart = Chart("日本語", "秒", "\x0b", (series,), log_x=True)
    page = render_page(Report("T", "", (Section("a", "A", (chart,)),)))
    assert "\N{REPLACEMENT CHARACTER} 精度" in "".join(drawings_of(page)[0].itertext())


def test_labels_cover_neither_each_other_nor_a_point():
    draw = random.Random(0)
    points = [(draw.gauss(400.0, 60.0), draw.gauss(200.0, 40.0)) for _ in range(30)]
    frame = Box(0.0, 0.0, 900.0, 400.0)
    labels = place_labels(points, [(draw.uniform(20.0, 120.0), 12.0) for _ in points], frame)
    assert not any(one.meets(other) for one, other in combinations(labels, 2))
    for label, point in zip(labels, points, strict=True):
        assert frame.holds(label)
        assert label.distance(point) < 80.0
        # Nearer to a strange point it would be taken for that one's.
        assert all(label.distance(other) > 10.0 for other in points if other != point)


def test_a_label_that_is_alone_stands_to_the_right_and_within_the_frame():
    frame = Box(0.0, 0.0, 200.0, 100.0)
    [alone] = place_labels([(50.0, 50.0)], [(40.0, 10.0)], frame)
    assert alone == Box(55.0, 45.0, 95.0, 55.0)
    [at_the_edge] = place_labels([(190.0, 50.0)], [(40.0, 10.0)], frame)
    assert at_the_edge == Box(145.0, 45.0, 185.0, 55.0)


def test_positions_move_apart_around_where_they_were():
    assert spread([5.0, 5.0, 5.0], 2.0) == [3.0, 5.0, 7.0]
    assert spread([20.0, 0.0, 10.0], 5.0) == [20.0, 0.0, 10.0]
    assert spread([], 1.0) == []
