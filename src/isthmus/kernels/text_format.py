"""What the loops over texts and their callers agree on; see ``loops.text_words``."""

from __future__ import annotations

#: Value of a character that separates words.
SEPARATOR = -1
#: Flags of the value of a character: it cannot begin a word; it is a word by itself; two of them
#: are a word. The lower bits are the code of the character to count.
MARK, SYMBOL, REGIONAL_INDICATOR = 1 << 30, 1 << 29, 1 << 28
CODE_MASK = (1 << 21) - 1
#: This many bytes after the end of a word are read too, and must exist.
PADDING = 8
