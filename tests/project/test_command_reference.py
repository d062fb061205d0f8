"""The page of the command line has every command, and the help of every option."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import typer

from isthmus import METHODS
from isthmus.cli.app import app
from isthmus_bench.cli.app import app as laboratory

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "command_line.md"
PAGE_OF_THE_LABORATORY = ROOT / "docs" / "benchmarks" / "command_line.md"


def commands(of):
    shown = typer.main.get_command(of).commands
    return {name: command for name, command in shown.items() if not command.hidden}


COMMANDS, OF_THE_LABORATORY = commands(app), commands(laboratory)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_heading_and_its_options(name):
    page = PAGE.read_text(encoding="utf-8")
    assert f"\n## {name}\n\n```{{command-reference}} {name}\n```\n" in page


@pytest.mark.parametrize(
    "command", [*COMMANDS.values(), *OF_THE_LABORATORY.values()], ids=lambda command: command.name
)
def test_every_option_has_a_help_text_and_a_kind_of_value(command):
    for parameter in command.params:
        assert parameter.help.endswith((".", ")")), parameter.name
        is_option = parameter.param_type_name == "option"
        if is_option and not parameter.is_flag:
            assert parameter.metavar, parameter.name


@pytest.fixture
def extensions(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_extensions"), *sys.path])


def test_the_directive_shows_all_options(extensions):
    from command_reference import all_commands, command_lines, summary_lines

    for program, expected in (("isthmus", COMMANDS), ("isthmus-bench", OF_THE_LABORATORY)):
        assert list(all_commands(program)) == list(expected)
        for name, command in expected.items():
            text = "\n".join(command_lines(name, command, program))
            assert f"{program} {name}" in text
            for parameter in command.params:
                option = parameter.opts[0]
                shown = option if option.startswith("-") else option.upper()
                assert shown in text
            assert f"| [`{name}`](#" in "\n".join(summary_lines(program))


@pytest.mark.parametrize("name", OF_THE_LABORATORY)
def test_the_page_of_the_laboratory_has_its_commands(name):
    page = PAGE_OF_THE_LABORATORY.read_text(encoding="utf-8")
    assert f"\n## {name}\n\n```{{command-reference}} {name}\n:program: isthmus-bench\n```" in page


def test_help_texts_become_markdown(extensions):
    from command_reference import markdown

    assert markdown("Use --json or 'data/*.csv'.") == "Use `--json` or `data/*.csv`."
    assert markdown("The source's *_id <x>.") == r"The source's \*\_id \<x\>."


def test_papers_have_a_citation(extensions):
    pytest.importorskip("yaml")
    from citations import Paper, isthmus_lines, papers_of_methods

    cited = {name for names in papers_of_methods().values() for name in names}
    assert {m.name for m in METHODS.values() if m.reference != "baseline"} <= cited
    keys = [paper.key for paper in papers_of_methods()]
    assert len(keys) == len({*keys})
    paper = Paper.parse("A. B. Author, C.-D. von Other. Is It a Title? Some Journal 7 (2), 1999.")
    assert paper.authors == ("A. B. Author", "C.-D. von Other")
    assert re.search(r"@article\{author1999is,.*volume = \{7\},", paper.bibtex(), re.DOTALL)
    with pytest.raises(ValueError, match="not 'Authors"):
        Paper.parse("something else")
    version = re.search(
        r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE
    )
    assert f"  version = {{{version[1]}}}," in isthmus_lines()
