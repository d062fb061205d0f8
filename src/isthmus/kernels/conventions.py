"""What loops and their callers agree on: sizes of tables, and values of characters.

A constant number of columns makes a loop fastest, but every number would be compiled anew, and
compiling takes longer than most operations. So only usual numbers have a variant of their own: few
classes, and the numbers of clusters and topics that people choose. All others share a few variants
that read the number of columns at run time, see ``compiled/vector_builder.py``.

A size is the largest number of columns that a variant processes. Loops that take a larger
share of a fit have more variants.
"""

from __future__ import annotations

#: Bytes of a row that are kept in registers during a loop over non-zeros. A longer row is processed
#: in blocks.
ROW_BYTES = 256

# Numbers of columns with a variant of their own.
_OF_DOCUMENTS = (1, 2, 3, 4, 20, 30, 50, 100)
_OF_WORDS = (2, 3, 4, 50)
_OF_WORD_SUMS = (50,)

#: Sizes that stand for exactly this number of columns.
CONSTANT_SIZES = frozenset({*_OF_DOCUMENTS, *_OF_WORDS, *_OF_WORD_SUMS})

# Smallest and largest number of columns of the variant for few columns.
_LEAST, _FEW = 5, 15
# Largest number of columns of the small variant for sums over word factors.
_FEW_IN_WORD_SUMS = 7

#: Value of a character that separates words.
SEPARATOR = -1
#: Flags of the value of a character: it cannot begin a word; it is a word by itself; two of them
#: are a word. The lower bits are the code of the character to count.
MARK, SYMBOL, REGIONAL_INDICATOR = 1 << 30, 1 << 29, 1 << 28
CODE_MASK = (1 << 21) - 1
#: This many bytes after the end of a word are read too, and must exist.
PADDING = 8


def document_size(width: int, item_bytes: int) -> int:
    """Return the size for loops over documents, which take most of the time of a fit.

    Three variants are shared: by few columns, by rows that fit into registers, by longer rows.
    """
    if width in _OF_DOCUMENTS:
        return width
    in_registers = ROW_BYTES // item_bytes - 1
    if width <= in_registers:
        return _FEW if width <= _FEW else in_registers
    return _longest(item_bytes)


def least_width(size: int) -> int:
    """Return the smallest number of columns of a variant for documents that fit into registers."""
    return _LEAST if size == _FEW else _FEW + 1


def word_size(width: int, item_bytes: int) -> int:
    """Return the size for updates of word factors: one for all numbers that are not usual."""
    return width if width in _OF_WORDS else _longest(item_bytes)


def word_sum_size(width: int, item_bytes: int) -> int:
    """Return the size for sums over the rows of word factors, which take little time."""
    if width in _OF_WORD_SUMS:
        return width
    return _FEW_IN_WORD_SUMS if width <= _FEW_IN_WORD_SUMS else _longest(item_bytes)


def has_many_blocks(size: int, item_bytes: int) -> bool:
    """Whether the number of blocks of registers in a row is known at run time only."""
    return size == _longest(item_bytes)


def _longest(item_bytes: int) -> int:
    return 2 * (ROW_BYTES // item_bytes) - 1
