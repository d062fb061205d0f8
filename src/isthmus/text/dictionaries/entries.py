"""From the text of a dictionary's entry to single translations.

FreeDict lays an entry out like this::

    edit /edit/ <v>
    aufbereiten <v, trans>, etw. bearbeiten [comp.]
             Note: remark
          "example"  - its translation
       Synonym: {work up}

     see: {editing}, {edited}

The first line holds the word, lines that begin at the margin hold translations, with a number
where there are several senses. What cannot be told apart with certainty is left out: a missing
pair does less harm than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["entry_word", "is_head_line", "translations"]

_MAX_WORDS = 6
_MAX_CHARACTERS = 80
# Longer lines are prose, not translations.
_MAX_LINE = 2_000

# Where a mark was taken out: what follows it within an item is no part of the translation.
_MARK = "\x00"
# Where a pronunciation was: in front of it stands an abbreviation, glued to the translation.
_SPOKEN = "\x01"
_MARKS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_PARENTHESES = re.compile(r"\([^()]*\)")
# The expressions try nothing twice: a line made to fool us must take no longer than others.
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
# "sb." and "sth." stand for what the word is used with; dictionaries of other languages have
# their own.
_ANYTHING = (
    r"(?:sb|sth|smb|smth|etw|jd[nms]?|jmd[nms]?|qn|qc|qqn|qqch|algn)\.(?:['\u2019]s)?(?: else)?"
)
_PLACEHOLDER = re.compile(rf"(?<![\w.]){_ANYTHING}(?:/{_ANYTHING})*(?!\w)")
_QUOTES = "\"'„“”«» \u2018\u2019\u2039\u203a"
_DOUBTFUL = re.compile(r"[/…{}()\[\]<>=+|:~*#\\_\x00-\x1f]|\.\.")
_HYPHENS = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00ad": None})
_LETTER = re.compile(r"[^\W_]")
_SENTENCE_END = (".", "!", "?")


def is_head_line(line: str, listed: str) -> bool:
    """Tell whether a line repeats the word under which the index lists the entry."""
    # Most lines begin with the word as it is listed, which is told sooner.
    return line.lower().startswith(listed) or _bare(listed) in _bare(line)


def entry_word(line: str, listed: str) -> str:
    """Return the word of an entry's first line; nothing if it is a sentence or in doubt.

    The index writes words in small letters without signs, the entry as they are. An entry with
    several spellings, parted by commas, is listed once under each.
    """
    if len(line) > _MAX_LINE:
        return ""
    text = _without_remarks(line).partition(_SPOKEN)[0].partition(_MARK)[0]
    if "," not in text:
        return _cleaned(text)
    parts = [part for part in text.split(",") if _bare(part) == _bare(listed)]
    return _cleaned(parts[0]) if parts else ""


def translations(lines: Iterable[str]) -> list[str]:
    """Return the translations in the lines below the word."""
    found: dict[str, None] = {}
    for line in _sense_lines([line for line in lines if line.strip()]):
        text = _without_remarks(_PART_OF_SPEECH.sub("", _NUMBER.sub("", line)))
        for item in _SEPARATOR.split(text):
            translation = _cleaned(_without_marks(item))
            if translation:
                found[translation] = None
    return list(found)


def _sense_lines(lines: Sequence[str]) -> list[str]:
    """Keep the lines with the smallest indentation; a label may push one in by a blank."""
    short = [line for line in lines if len(line) <= _MAX_LINE]
    senses = [(len(line) - len(line.lstrip()), line) for line in short if not _is_remark(line)]
    margin = min((indent for indent, _ in senses), default=0)
    return [line for indent, line in senses if indent <= margin + 1]


def _is_remark(line: str) -> bool:
    return _REMARK.match(line) is not None or (line[0] == " " and line.lstrip().startswith('"'))


def _without_remarks(text: str) -> str:
    text = _PRONUNCIATION.sub(_SPOKEN, text)
    text = _MARKS.sub(_MARK, text)
    return _PARENTHESES.sub("", text) if "(" in text else text


def _without_marks(item: str) -> str:
    """Cut an item at its first mark; labels in front of it are dropped."""
    item, spoken, _ = item.partition(_SPOKEN)
    item = item.lstrip(_MARK + " \t")
    if _MARK in item:
        return item.partition(_MARK)[0]
    if not spoken:
        return item
    cut = _ABBREVIATION.sub("", item)
    return cut if cut != item else ""


def _cleaned(text: str) -> str:
    """Return a word or short phrase without blanks to spare, or nothing if it is neither."""
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
    if text.startswith("-") or text.endswith("-"):  # a part of words
        return ""
    if len(text) > _MAX_CHARACTERS or _DOUBTFUL.search(text) or not _LETTER.search(text):
        return ""
    return text


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
