"""The directive ``command-reference``: usage and options of a command, as ``--help`` has them.

Without an argument it lists all commands. The option ``:program:`` names another program than
``isthmus``. Every option becomes a target: the role ``{option}`isthmus classify --source` `` links
to it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

import typer
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

import isthmus.cli.app
import isthmus_bench.cli.app

PROGRAM = "isthmus"
APPS = {PROGRAM: isthmus.cli.app, "isthmus-bench": isthmus_bench.cli.app}
# What is set as code: options, and what stands between single quotes.
CODE = re.compile(r"(?<!\w)'(?P<quoted>[^'\s][^']*)'(?!\w)|(?<![\w-])(?P<option>--?[a-z][\w-]*)")
SHELL_LINE = re.compile(rf"(?P<title>[^:]+): (?P<command>{PROGRAM}\b.*)")
MARKUP = re.compile(r"([\\`*_\[\]<>$|#~])")


def all_commands(program: str = PROGRAM) -> dict[str, Any]:
    """Every command of a program by its name."""
    commands = typer.main.get_command(APPS[program].app).commands
    return {name: command for name, command in commands.items() if not command.hidden}


def summary_lines(program: str = PROGRAM) -> list[str]:
    """A table of all commands, in Markdown; a command links to its heading."""
    rows = ["| command | what it does |", "| --- | --- |"]
    for name, command in all_commands(program).items():
        first = markdown((command.help or "").split("\n\n")[0])
        rows.append(f"| [`{name}`](#{name}) | {first} |")
    return rows


def command_lines(name: str, command: Any, program: str = PROGRAM) -> list[str]:
    """Description, usage and options of a command, in Markdown."""
    lines = [line for part in (command.help or "").split("\n\n") for line in _paragraph(part)]
    lines = ["```{code-block} text", usage(name, command, program), "```", "", *lines]
    lines += [f"```{{program}} {program} {name}", "```", ""]
    for title, parameters in _panels(command).items():
        lines += [f"```{{rubric}} {title}", "```", ""]
        for parameter in parameters:
            lines += _parameter_lines(parameter)
    return lines


def _paragraph(text: str) -> list[str]:
    """A paragraph of the help; a command in it becomes a block of its own."""
    text = " ".join(text.split())
    shell = SHELL_LINE.fullmatch(text)
    if shell is None:
        return [markdown(text), ""]
    return [f"{shell['title']}:", "", "```console", f"$ {shell['command']}", "```", ""]


def usage(name: str, command: Any, program: str = PROGRAM) -> str:
    """How to call a command: what is required, and that there are options."""
    parts = [program, name]
    options = [p for p in command.params if is_option(p)]
    parts += [f"{p.opts[0]} {p.metavar}" for p in options if p.required]
    parts += ["[OPTIONS]"] if any(not p.required for p in options) else []
    for argument in (p for p in command.params if not is_option(p)):
        shown = argument_name(argument)
        parts.append(shown if argument.required else f"[{shown}]")
    return " ".join(parts)


def _panels(command: Any) -> dict[str, list[Any]]:
    """The parameters by the title that ``--help`` shows above them; those without one first."""
    panels: dict[str, list[Any]] = {"Arguments": [], "Options": []}
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        title = getattr(parameter, "rich_help_panel", None)
        title = title or ("Options" if is_option(parameter) else "Arguments")
        panels.setdefault(title, []).append(parameter)
    return {title: parameters for title, parameters in panels.items() if parameters}


def _parameter_lines(parameter: Any) -> list[str]:
    if not is_option(parameter):
        return [f"`{argument_name(parameter)}`", f": {description(parameter)}", ""]
    spellings = sorted([*parameter.opts, *parameter.secondary_opts], key=len)
    value = "" if is_flag(parameter) else f" {parameter.metavar}"
    heading = ", ".join(f"{spelling}{value}" for spelling in spellings)
    return [f"````{{option}} {heading}", description(parameter), "````", ""]


def description(parameter: Any) -> str:
    """The help of a parameter with its default, and whether it is required or may be repeated."""
    text = markdown(parameter.help or "")
    if parameter.required:
        text = f"**Required.** {text}"
    if getattr(parameter, "multiple", False) and "epeat" not in text:
        text += " Can be repeated."
    has_default = not is_flag(parameter) and parameter.default not in (None, "")
    if has_default and "efault" not in text:
        text += f" Default: `{parameter.default}`."
    return text


def is_option(parameter: Any) -> bool:
    return parameter.param_type_name == "option"


def is_flag(parameter: Any) -> bool:
    return bool(getattr(parameter, "is_flag", False))


def argument_name(argument: Any) -> str:
    """The name of an argument as in ``--help``; dots say that there may be several."""
    shown = argument.metavar or argument.name.upper()
    return f"{shown}..." if argument.nargs == -1 else shown


def markdown(text: str) -> str:
    """A help text as Markdown: options and quoted words are code, other characters are plain."""
    parts, end = [], 0
    text = " ".join(text.split())
    for match in CODE.finditer(text):
        parts.append(MARKUP.sub(r"\\\1", text[end : match.start()]))
        parts.append(f"`{match['quoted'] or match['option']}`")
        end = match.end()
    return "".join([*parts, MARKUP.sub(r"\\\1", text[end:])])


class CommandReference(SphinxDirective):
    """Insert the reference of a command, or the list of commands."""

    optional_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "program": lambda text: directives.choice(text, tuple(APPS))
    }

    def run(self) -> list[nodes.Node]:
        program = self.options.get("program", PROGRAM)
        if self.arguments:
            (name,) = self.arguments
            commands = all_commands(program)
            if name not in commands:
                raise self.error(f"There is no command '{program} {name}'.")
            lines = command_lines(name, commands[name], program)
        else:
            lines = summary_lines(program)
        for path in Path(APPS[program].__file__).parent.glob("*.py"):
            self.env.note_dependency(path)
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
