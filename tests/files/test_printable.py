"""Text that is safe for terminals and spreadsheets."""

from __future__ import annotations

import csv

import pytest

from isthmus.files import DocumentFileError, check_table_path, open_table_writer
from isthmus.files.printable import escape_control_characters, spreadsheet_safe_cell


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\tb\nc", "a\tb\nc"),
        ("schön 良い", "schön 良い"),
        ("bell\a", "bell\\x07"),
    ],
)
def test_control_characters(text, escaped):
    assert escape_control_characters(text) == escaped


def test_line_breaks_can_be_escaped_too():
    assert escape_control_characters("a\nb", keep="") == "a\\nb"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-cmd", "'-cmd"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (" =1+1", "' =1+1"),
        ("\t=1+1", "'\t=1+1"),
        ("-1.5", "-1.5"),
        ("+3e7", "+3e7"),
        ("a=b", "a=b"),
        ("", ""),
        ("\x1b[2J", "\\x1b[2J"),
    ],
)
def test_cells_that_a_spreadsheet_evaluates(text, safe):
    assert spreadsheet_safe_cell(text) == safe


@pytest.mark.parametrize("safe", [False, True])
def test_a_table_for_spreadsheets(tmp_path, safe):
    path = tmp_path / "a.csv"
    with open_table_writer(path, ["=x", "n"], spreadsheet_safe=safe) as writer:
        writer.write({"=x": "@y", "n": -0.5})
        writer.write({"=x": "\x1b[0m", "n": None})
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    if safe:
        assert rows == [["'=x", "n"], ["'@y", "-0.5"], ["\\x1b[0m", ""]]
    else:
        assert rows == [["=x", "n"], ["@y", "-0.5"], ["\x1b[0m", ""]]


def test_only_text_tables_are_for_spreadsheets(tmp_path):
    check_table_path(tmp_path / "a.tsv", spreadsheet_safe=True)
    with pytest.raises(DocumentFileError, match="spreadsheet"):
        check_table_path(tmp_path / "a.jsonl", spreadsheet_safe=True)
