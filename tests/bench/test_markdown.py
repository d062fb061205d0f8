"""Markdown of texts that hold bars and line ends."""

from __future__ import annotations

from isthmus.bench.report.blocks import Block, Cell, Heading, Report, Section, table
from isthmus.bench.report.markdown import render_markdown


def lines(*blocks: Block) -> list[str]:
    return render_markdown(Report("r\nr", "i", (Section("s", "s | s", blocks),))).splitlines()


def test_a_bar_or_a_line_end_does_not_break_a_row() -> None:
    made = table(["a|b", "c\nd"], [["x | y", Cell("1|2", best=True, beside="\n(3|4)")]])
    assert lines(made)[-3:] == [
        "| a\\|b | c d |",
        "| --- | --- |",
        "| x \\| y | **1\\|2** (3\\|4) |",
    ]


def test_other_text_stays_as_it_is() -> None:
    assert lines(table(["t"], [["`a`  *b* <c> \\\\ [d]"]]))[-1] == "| `a`  *b* <c> \\\\ [d] |"
    assert lines("a | b\nc")[-2:] == ["a | b", "c"]


def test_headings_are_one_line() -> None:
    found = lines(Heading("a | b\n c"))
    assert (found[0], found[4], found[-1]) == ("# r r", "## s | s", "### a | b c")
