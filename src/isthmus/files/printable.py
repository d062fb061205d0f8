"""Make text from files safe for terminals and spreadsheets."""

from __future__ import annotations

__all__ = ["escape_control_characters", "spreadsheet_safe_cell", "without_protection"]

# Spreadsheets evaluate a cell that begins with one of these.
_FORMULA_STARTS = ("=", "+", "-", "@")


def escape_control_characters(text: object, keep: str = "\t\n") -> str:
    r"""Return the text with control characters written as escapes such as ``\x1b``.

    A label, a word or a file name may contain control characters that change colors, clear the
    screen or rename the window of a terminal. Those in ``keep`` are not changed.
    """
    string = str(text)
    if string.isprintable():
        return string
    return "".join(c if c.isprintable() or c in keep else _escaped(c) for c in string)


def spreadsheet_safe_cell(text: str) -> str:
    """Return the text so that a spreadsheet shows it and does not evaluate it.

    An apostrophe is put before text that begins with ``=``, ``+``, ``-`` or ``@``, also after
    blanks, unless it is a number. Control characters are escaped.
    """
    text = escape_control_characters(text, keep="\t\n\r")
    if text.lstrip().startswith(_FORMULA_STARTS) and not _is_number(text):
        return "'" + text
    return text


def without_protection(text: str) -> str:
    """Return the text without the apostrophe that :func:`spreadsheet_safe_cell` has added."""
    is_protected = text.startswith("'") and spreadsheet_safe_cell(text[1:]) == text
    return text[1:] if is_protected else text


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
