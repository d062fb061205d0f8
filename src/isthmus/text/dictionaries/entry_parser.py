"""Parse the text of a dictionary entry into single translations.

The layout of a FreeDict entry is::

    edit /edit/ <v>
    aufbereiten <v, trans>, etw. bearbeiten [comp.]
             Note: remark
          "example"  - its translation
       Synonym: {work up}

     see: {editing}, {edited}

The first line contains the word, lines that begin at the margin contain translations, numbered if
there are several senses. Ambiguous parts are dropped: a missing pair does less harm than a wrong
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["entry_word", "is_head_line", "translations"]

_MAX_WORDS = 6
_MAX_CHARACTERS = 80
# Longer lines are prose, not translations.
_MAX_LINE = 2_000

# Replaces a removed mark: text after it within an item is not part of the translation.
_MARK = "\x00"
# Replaces a removed pronunciation: before it an abbreviation is glued to the translation.
_PRONOUNCED = "\x01"
_MARKS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_PARENTHESES = re.compile(r"\([^()]*\)")
# Possessive quantifiers avoid backtracking: a malicious line must not take longer than others.
_PRONUNCIATION = re.compile(r",?(?<!\s)\s++/(?=\S)[^/]*+/(?=[\s,;)]|$)")
_ABBREVIATION = re.compile(r"(?<=[^\W\d_A-Z])[A-Z][\w.]{0,40}$")
_SEPARATOR = re.compile("[,;\u060c\u3001\uff0c\uff1b]")
_NUMBER = re.compile(r"\A\s*(?:\(?\d{1,3}[.)]\s|\(?[a-z]\)\s|[•▪◦‣*\u2013\u2014-]\s)\s*")
_PART_OF_SPEECH = re.compile(
    r"\A\s*(?:(?:n|v|vt|vi|v\.t|v\.i|adj|adv|prep|conj|pron|int|interj|num|pl|abbr|phr)\.\s*)+(?=\S)"
)
_REMARK = re.compile(
    r"\s*(?:(?:synonyms?|antonyms?|see|see also|cf|note|notes|usage|examples?|e\.g)\s*[.:]"
    r"|[\w ]{1,30}:\s*\{|\{|->|→|⇒)",
    re.IGNORECASE,
)
# Placeholders such as "sb." and "sth.", also in other languages.
_SOMETHING = (
    r"(?:sb|sth|smb|smth|etw|jd[nms]?|jmd[nms]?|qn|qc|qqn|qqch|algn)\.(?:['\u2019]s)?(?: else)?"
)
_PLACEHOLDER = re.compile(rf"(?<![\w.]){_SOMETHING}(?:/{_SOMETHING})*(?!\w)")
_QUOTES = "\"'„“”«» \u2018\u2019\u2039\u203a"
_SUSPICIOUS = re.compile(r"[/…{}()\[\]<>=+|:~*#\\_\x00-\x1f]|\.\.")
_HYPHENS = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00ad": None})
_LETTER = re.compile(r"[^\W_]")
_SENTENCE_END = (".", "!", "?")


def is_head_line(line: str, headword: str) -> bool:
    """Whether a line repeats the headword of the index."""
    # Most lines begin with the headword, which is faster to check.
    return line.lower().startswith(headword) or _bare(headword) in _bare(line)


def entry_word(line: str, headword: str) -> str:
    """Return the word in the first line of an entry; empty if it is a sentence or ambiguous.

    The index has words in lower case without punctuation, the entry has the original spelling. An
    entry with several spellings, separated by commas, is listed once under each of them.
    """
    if len(line) > _MAX_LINE:
        return ""
    text = _without_remarks(line).partition(_PRONOUNCED)[0].partition(_MARK)[0]
    if "," not in text:
        return _cleaned(text)
    parts = [part for part in text.split(",") if _bare(part) == _bare(headword)]
    return _cleaned(parts[0]) if parts else ""


def translations(lines: Iterable[str]) -> list[str]:
    """Return the distinct translations in the lines below the word."""
    distinct: dict[str, None] = {}
    for line in _sense_lines([line for line in lines if line.strip()]):
        text = _without_remarks(_PART_OF_SPEECH.sub("", _NUMBER.sub("", line)))
        for item in _SEPARATOR.split(text):
            translation = _cleaned(_without_marks(item))
            if translation:
                distinct[translation] = None
    return list(distinct)


def _sense_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines with the smallest indentation; labels may add one space."""
    short = [line for line in lines if len(line) <= _MAX_LINE]
    senses = [(len(line) - len(line.lstrip()), line) for line in short if not _is_remark(line)]
    margin = min((indent for indent, _ in senses), default=0)
    return [line for indent, line in senses if indent <= margin + 1]


def _is_remark(line: str) -> bool:
    return _REMARK.match(line) is not None or (line[0] == " " and line.lstrip().startswith('"'))


def _without_remarks(text: str) -> str:
    text = _PRONUNCIATION.sub(_PRONOUNCED, text)
    text = _MARKS.sub(_MARK, text)
    return _PARENTHESES.sub("", text) if "(" in text else text


def _without_marks(item: str) -> str:
    """Return an item up to its first mark, without leading labels."""
    item, pronounced, _ = item.partition(_PRONOUNCED)
    item = item.lstrip(_MARK + " \t")
    if _MARK in item:
        return item.partition(_MARK)[0]
    if not pronounced:
        return item
    without_abbreviation = _ABBREVIATION.sub("", item)
    return without_abbreviation if without_abbreviation != item else ""


def _cleaned(text: str) -> str:
    """Return a word or short phrase with normalized spaces; empty if it is neither."""
    if "." in text:
        text = _PLACEHOLDER.sub("", text)
    words = text.translate(_HYPHENS).strip(_QUOTES).split()
    if not 0 < len(words) <= _MAX_WORDS:
        return ""
    text = " ".join(words)
    if text.endswith(_SENTENCE_END):
        if len(words) > 2:
            return ""
        text = text.rstrip("!?¿¡ ")
    text = text.lstrip("¿¡ ")
    if text.startswith("-") or text.endswith("-"):  # a prefix or suffix
        return ""
    if len(text) > _MAX_CHARACTERS or _SUSPICIOUS.search(text) or not _LETTER.search(text):
        return ""
    return text


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
