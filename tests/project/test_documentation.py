"""Examples run and print what their page says; links, files and names exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from common import anchors
from isthmus import __version__
from isthmus.cli.app import app

ROOT = Path(__file__).parents[2]
# Folders that the build of the documentation writes.
BUILT = {"_build", "gallery", "project", "api"}
WRITTEN = [
    path for path in ROOT.glob("docs/**/*.md") if not BUILT & {*path.relative_to(ROOT).parts}
]
PAGES = sorted([*ROOT.glob("*.md"), *WRITTEN])
# docs/benchmarks/corpora.md needs the corpora, and docs/contribute/adding_a_method.md a copy of the
# project: both have tests of their own.
EXAMPLES = [
    page
    for page in PAGES
    if "```python\n" in page.read_text(encoding="utf-8")
    and page.name not in ("corpora.md", "adding_a_method.md")
]


# Their commands run too, in order with the Python blocks.
SESSIONS = [
    ROOT / "README.md",
    ROOT / "docs" / "start.md",
    *(ROOT / "docs" / "guides" / f"{name}.md" for name in ("files", "no_labels", "target_labels")),
]


def blocks(page, language):
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def promised_output(code):
    """What the comments say that is printed: after print, or in the lines that follow it."""
    lines, after_print = [], False
    for line in code.splitlines():
        is_print = line.lstrip().startswith("print(")
        if "  # " in line and is_print:
            lines.append(line.rpartition("  # ")[2])
        elif line.startswith("# ") and after_print:
            lines.append(line.removeprefix("# "))
        after_print = is_print or (after_print and line.startswith("# "))
    return lines


@pytest.mark.parametrize(
    "page", [page for page in EXAMPLES if page not in SESSIONS], ids=lambda page: page.stem
)
@pytest.mark.slow
def test_examples_print_what_the_page_says(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    expected = []
    for code in blocks(page, "python"):
        exec(compile(code, page.name, "exec"), names)
        expected += promised_output(code)
    assert capsys.readouterr().out.splitlines() == expected


def words(text):
    return " ".join(text.split())


def run_command(command):
    """Run a command of this package; what it prints, without lines about the progress."""
    result = CliRunner().invoke(app, shlex.split(command, comments=True)[1:])
    lines = [line for line in result.output.splitlines() if not line.endswith(" elapsed)")]
    return result.exit_code, words("\n".join(lines))


def steps_of(session):
    """The commands of a console block, each with the output that the page shows."""
    commands = session.replace("\\\n", " ")
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", commands, flags=re.MULTILINE)


def sessions(page):
    """All commands of the console blocks of a page."""
    return [step for session in blocks(page, "console") for step in steps_of(session)]


@pytest.mark.slow
@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.stem)
def test_sessions_print_what_the_page_says(page, tmp_path, monkeypatch, capsys):
    """Files, Python blocks and commands of a page."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    for file, content in re.findall(r"file `(\S+)`:\n\n```text\n(.*?)```", text, re.DOTALL):
        Path(file).write_text(content, encoding="utf-8")
    names, expected, n_compared = {}, [], 0
    for language, block in re.findall(r"```(python|console)\n(.*?)```", text, flags=re.DOTALL):
        if language == "python":
            exec(compile(block, page.name, "exec"), names)
            expected += promised_output(block)
        for command, shown in steps_of(block) if language == "console" else ():
            if command.startswith("isthmus "):
                code, printed = run_command(command)
                assert code == (2 if shown.startswith("Error: ") else 0), printed
                # A page may show the beginning only.
                assert printed.startswith(words(shown)), command
                n_compared += bool(shown)
    assert capsys.readouterr().out.splitlines() == expected
    assert n_compared


def test_few_blocks_are_not_run():
    """They need a cluster that is started by hand, or the package skada."""
    pages = [page.name for page in PAGES for _ in blocks(page, "python notest")]
    assert pages == ["scale.md", "scikit_learn.md", "scikit_learn.md"]


def all_commands():
    """Every command of this package on a page, with the page."""
    for page in PAGES:
        lines = [command for command, _ in sessions(page)]
        for block in blocks(page, "sh"):
            lines += block.replace("\\\n", " ").splitlines()
        yield from ((page, line) for line in lines if line.startswith("isthmus "))


def test_commands_have_the_options_that_pages_use():
    checked = 0
    for page, line in all_commands():
        command = typer.main.get_command(app)
        words_of_line = shlex.split(line, comments=True)[1:]
        while isinstance(command, typer.core.TyperGroup):
            command = command.commands[words_of_line.pop(0)]
        known = {name for parameter in command.params for name in parameter.opts}
        used = {word.partition("=")[0] for word in words_of_line if re.match("--?[a-z]", word)}
        assert used <= known, f"{page.name}: {line}"
        checked += 1
    assert checked > 40


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reference/command_line.md", "guides/languages.md"])
def test_commands_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [line for part in blocks(ROOT / "docs" / name, "sh") for line in part.splitlines()]
    commands = [shlex.split(line, comments=True)[1:] for line in lines]
    assert {command[0] for command in commands} == {
        *("demo", "classify", "evaluate", "explain", "predict"),
        *(["cluster"] if "command_line" in name else []),
    }
    for command in commands:
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, f"{command}: {result.output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([\w./#-]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    for link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize(
    "name",
    ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/contribute/adding_a_method.md",
     "docs/contribute/internals.md", "docs/guides/speed.md", "docs/guides/texts.md"],
)  # fmt: skip
def test_files_and_modules_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"\n## A worked example.*", "", text, flags=re.DOTALL)
    known = {path.name for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")}
    places = [ROOT, ROOT / "src", ROOT / "src" / "isthmus", ROOT / "docs"]
    for path in re.findall(r"`([\w./]+\.(?:py|md|toml)|[a-z_]+(?:/[a-z_]+)+/?)`", text):
        if "/" in path:
            assert any((place / path).exists() for place in places), path
        elif path.endswith(".py"):
            assert path in known, path
    for path in re.findall(r"`(isthmus(?:\.\w+)+)", text):
        module, _, attribute = path.rpartition(".")
        assert hasattr(import_module(module), attribute), path


def test_the_version_is_the_same_everywhere():
    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert __version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize("section", ["dependencies", *EXTRAS])
def test_dependencies_are_bounded_below_and_not_pinned(section):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = project.get(section) or project["optional-dependencies"][section]
    for requirement in listed:
        assert re.fullmatch(r"[\w.-]+>=[\w.]+", requirement), requirement
