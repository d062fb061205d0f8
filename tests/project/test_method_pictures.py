"""Every method has a picture, and the pictures are small files that do not change by themselves."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from isthmus import METHODS
from isthmus.estimators.ensemble._members import default_members

pytest.importorskip("matplotlib", reason="the pictures are drawn with matplotlib")

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.syspath_prepend(EXTENSIONS)
    import method_pictures

    return method_pictures


def test_every_written_page_has_a_picture(pictures):
    """A page that the build makes of a new method does without."""
    written = {path.stem for path in (EXTENSIONS.parent / "methods").glob("*.md")} - {"index"}
    assert written <= set(pictures.PICTURES) <= set(METHODS)
    assert len(written) > 30


def test_a_picture_is_two_small_files_without_a_date(pictures, tmp_path):
    (tmp_path / "again").mkdir()
    paths = pictures.draw("mtrick", tmp_path)
    again = pictures.draw("mtrick", tmp_path / "again")
    assert [path.name for path in paths] == ["mtrick-light.svg", "mtrick-dark.svg"]
    for path, other in zip(paths, again, strict=True):
        text = path.read_text(encoding="utf-8")
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert len(text) < 100_000
        assert "date" not in text
        assert text == other.read_text(encoding="utf-8")


def test_only_outdated_pictures_are_drawn_again(pictures, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "PICTURES", {"lg": pictures.PICTURES["lg"]})
    pictures.draw_all(tmp_path)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["lg-dark.svg", "lg-light.svg"]
    contents = [file.read_bytes() for file in files]
    for file in files:
        file.write_text("kept", encoding="utf-8")
    pictures.draw_all(tmp_path)
    assert {file.read_text(encoding="utf-8") for file in files} == {"kept"}
    os.utime(files[0], (0, 0))
    pictures.draw_all(tmp_path)
    assert [file.read_bytes() for file in files] == contents


def test_the_picture_of_auto_shows_its_members(pictures):
    assert default_members("normal") == pictures.ensemble.MEMBERS
