"""Emit LLVM vector instructions for the rows of a table.

LLVM compiles a loop over a few columns to scalar multiplications: it expects long rows if the width
is known at run time only, and unrolls short rows before it looks for vectors if the width is a
constant. These functions emit the vector instructions directly: a row is loaded, multiplied and
stored as vectors of constant length. For one product with 50 columns in float32 this takes 8 ns per
non-zero, against 18 ns in a plain loop with a constant width and 30 ns in SciPy.

A table is a two-dimensional array in C order; nothing is checked. ``size`` says how many columns it
has, see :mod:`isthmus.kernels.conventions`. Where the number is known at run time only, the last
vector of a row may overlap the one before. It is loaded before any vector is stored, so that
columns in two vectors are computed twice from the same numbers, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils

from isthmus.kernels.conventions import CONSTANT_SIZES, ROW_BYTES, has_many_blocks, least_width

INT64 = ir.IntType(64)
_INT32 = ir.IntType(32)
# A product and a sum may be fused; the order of sums is never changed.
_FUSED = ("contract",)
# A vector register of AVX.
REGISTER_BYTES = 32
# A shorter vector is not faster than this one.
_SHORTEST_TAIL_BYTES = 16


class Piece(NamedTuple):
    """Columns that are loaded as one vector; ``new`` marks those that no earlier piece contains."""

    first: Any
    length: int
    new: Any = None  # None for all


Body = Callable[[list[Piece]], None]


def _split_columns(width: int, longest: int, first: int = 0) -> list[Piece]:
    """Split columns into pieces; powers of two compile best."""
    pieces = []
    while width:
        length = min(longest, 1 << (width.bit_length() - 1))
        pieces.append(Piece(INT64(first), length))
        first, width = first + length, width - length
    return pieces


def _moved(builder: Any, pieces: list[Piece], first: Any) -> list[Piece]:
    return [Piece(builder.add(first, piece.first), piece.length) for piece in pieces]


def _halved(length: int) -> list[int]:
    """Return a power of two and all smaller ones."""
    return [length >> place for place in range(length.bit_length())]


def unroll_factor(block: list[Piece], item_bytes: int) -> int:
    """Return the number of non-zeros per iteration: several if a row fits two registers."""
    return 4 if sum(piece.length for piece in block) * item_bytes <= 2 * REGISTER_BYTES else 1


class TablePointer:
    """Loads and stores of the rows of a table with ``size`` columns, or of a one-dim. array."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any, size: int = 1) -> None:
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.size, self.base = builder, size, array.data
        self.item = context.get_data_type(kind.dtype)
        self.item_bytes = kind.dtype.bitwidth // 8
        self._has_constant_width = size in CONSTANT_SIZES
        self.has_many_blocks = has_many_blocks(size, self.item_bytes)
        self.width = INT64(size)
        if not self._has_constant_width:
            self.width = cgutils.unpack_tuple(builder, array.shape, 2)[1]

    def for_each_block(self, body: Body, longest: int = ROW_BYTES) -> None:
        """Emit ``body(pieces)`` for blocks of columns that fit into registers.

        Pieces have at most ``longest`` bytes. A row whose width is known at run time has a piece at
        its end that may overlap others, so that there are few blocks: use this for operations that
        are expensive per block. There is code for every length of this piece. The size must be
        one of :func:`~isthmus.kernels.conventions.document_size`: shorter rows do not fill a block.
        """
        builder, width = self.builder, self.width
        if self._has_constant_width:
            for pieces in self._constant_blocks(longest):
                body(pieces)
            return
        in_piece = longest // self.item_bytes
        if self.has_many_blocks:
            main = (self.size + 1) // 2
            n_columns = builder.and_(width, INT64(-main))
            # The tail first: all other columns are then stored by their own block.
            for tail in self._tails(n_columns, main, in_piece):
                body(tail)
            with for_each(builder, INT64(0), n_columns, main) as first:
                body(_moved(builder, _split_columns(main, in_piece), first))
            return
        for main in reversed(_halved((self.size + 1) // 2)):
            if 2 * main <= least_width(self.size):
                continue
            whole = _split_columns(main, in_piece)
            if main >= least_width(self.size):
                with builder.if_then(builder.icmp_signed("==", width, INT64(main))):
                    self.width = INT64(main)  # a constant is faster
                    body(whole)
                    self.width = width
            for tail in self._tails(INT64(main), main, in_piece):
                body(whole + tail)

    def for_each_part(
        self,
        body: Body,
        longest: int = ROW_BYTES,
        before_length: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Emit ``body(pieces)`` for parts of the columns that do not overlap, the longest first.

        Use this for operations that are cheap per part, and where a part is loaded soon
        after it was stored, which would be slow for overlapping parts. ``before_length`` emits what
        is run before the part of this length, even if the row has none.
        """
        builder, width = self.builder, self.width
        if self._has_constant_width:
            for pieces in self._constant_blocks(longest):
                body(pieces)
            return
        length, in_piece = (self.size + 1) // 2, longest // self.item_bytes
        if self.has_many_blocks:
            with for_each(builder, INT64(0), builder.and_(width, INT64(-length)), length) as first:
                body(_moved(builder, _split_columns(length, in_piece), first))
            length //= 2
        # One part for every power of two in the width.
        for part in _halved(length):
            before_length(part)
            with builder.if_then(self._has_part(part)):
                first = builder.and_(width, INT64(-2 * part))
                body(_moved(builder, _split_columns(part, in_piece), first))

    def _has_part(self, length: int) -> Any:
        part = self.builder.and_(self.width, INT64(length))
        return self.builder.icmp_unsigned("!=", part, INT64(0))

    def _constant_blocks(self, longest: int) -> list[list[Piece]]:
        length = longest // self.item_bytes
        # Shorter pieces are loaded again anyway, so all columns are one block.
        in_block = length if longest == ROW_BYTES else self.size
        return [
            _split_columns(min(in_block, self.size - first), length, first)
            for first in range(0, self.size, in_block)
        ]

    def _tails(self, covered: Any, main: int, longest: int) -> Iterator[list[Piece]]:
        """Yield the pieces of every possible tail, within the branch that is run for it."""
        builder = self.builder
        left = builder.sub(self.width, covered)
        shorter, length = 0, min(main, _SHORTEST_TAIL_BYTES // self.item_bytes)
        while length <= main:
            is_longer = builder.icmp_signed(">", left, INT64(shorter))
            fits = builder.icmp_signed("<=", left, INT64(min(length, main - 1)))
            with builder.if_then(builder.and_(is_longer, fits)):
                start = builder.sub(self.width, INT64(length))
                pieces = _split_columns(length, longest)
                yield [self._tail_piece(start, piece, covered) for piece in pieces]
            shorter, length = length, 2 * length

    def _tail_piece(self, start: Any, piece: Piece, covered: Any) -> Piece:
        builder, length = self.builder, piece.length
        first = builder.add(start, piece.first)
        columns = builder.add(broadcast(builder, first, length), _lanes(INT64, range(length)))
        new = builder.icmp_signed(">=", columns, broadcast(builder, covered, length))
        return Piece(first, length, new)

    def dot(self, row: Any, other: TablePointer, other_row: Any) -> Any:
        """Return the sum of products of two rows, in the order of ``dot_product``."""
        builder, longest = self.builder, REGISTER_BYTES // self.item_bytes

        def factors(piece: Piece) -> tuple[int, Any, Any]:
            return piece.length, self.load(row, piece), other.load(other_row, piece)

        if self._has_constant_width:
            return dot_product(builder, list(map(factors, _split_columns(self.size, longest))))
        totals = {size: self.variable(size) for size in _halved(longest)}

        def fold(length: int) -> None:
            if length < longest:
                total = _add_halves(builder, builder.load(totals[2 * length]), 2 * length)
                builder.store(total, totals[length])

        def add(pieces: list[Piece]) -> None:
            for piece in pieces:
                length, left, right = factors(piece)
                added = multiply_add(builder, left, right, builder.load(totals[length]))
                builder.store(added, totals[length])

        self.for_each_part(add, REGISTER_BYTES, fold)
        return builder.extract_element(builder.load(totals[1]), _INT32(0))

    def address(self, row: Any, piece: Piece) -> Any:
        step = self.builder.mul(row, self.width)
        pointer = self.builder.gep(self.base, [self.builder.add(step, piece.first)])
        return self.builder.bitcast(pointer, ir.VectorType(self.item, piece.length).as_pointer())

    def load(self, row: Any, piece: Piece) -> Any:
        return self.builder.load(self.address(row, piece), align=self.item_bytes)

    def load_new(self, row: Any, piece: Piece) -> Any:
        """Load a piece, with zeros for the columns of earlier pieces."""
        vector = self.load(row, piece)
        if piece.new is None:
            return vector
        return self.builder.select(piece.new, vector, self.zeros(piece.length))

    def store(self, vector: Any, row: Any, piece: Piece) -> None:
        self.builder.store(vector, self.address(row, piece), align=self.item_bytes)

    def each(self, row: Any, pieces: list[Piece]) -> Iterator[tuple[Piece, Any]]:
        """Yield pieces and what they contain before any of them is replaced."""
        # Other loads are late, because there are few registers.
        early = {piece: self.load(row, piece) for piece in pieces if piece.new is not None}
        for piece in pieces:
            yield piece, early[piece] if piece in early else self.load(row, piece)

    def replace(self, before: Any, after: Any, row: Any, piece: Piece) -> None:
        """Store a piece that was computed from what it contained."""
        if self.has_many_blocks and piece.new is not None:
            # Its other columns are replaced with their own block.
            after = self.builder.select(piece.new, after, before)
        self.store(after, row, piece)

    def number(self, position: Any) -> Any:
        return self.builder.load(self.builder.gep(self.base, [position]))

    def index(self, position: Any) -> Any:
        raw = self.number(position)
        return raw if raw.type.width == INT64.width else self.builder.zext(raw, INT64)

    def variable(self, length: int) -> Any:
        """Return a vector variable that is set to zero here."""
        variable = cgutils.alloca_once(self.builder, ir.VectorType(self.item, length))
        self.builder.store(self.zeros(length), variable)
        return variable

    def zeros(self, length: int) -> Any:
        return ir.Constant(ir.VectorType(self.item, length), [0.0] * length)


def broadcast(builder: Any, number: Any, length: int) -> Any:
    kind = ir.VectorType(number.type, length)
    undefined = ir.Constant(kind, ir.Undefined)
    single = builder.insert_element(undefined, number, _INT32(0))
    return builder.shuffle_vector(single, undefined, _lanes(_INT32, [0] * length))


def _lanes(kind: Any, numbers: Sequence[int]) -> Any:
    return ir.Constant(ir.VectorType(kind, len(numbers)), list(numbers))


def multiply_add(builder: Any, left: Any, right: Any, total: Any) -> Any:
    return builder.fadd(builder.fmul(left, right, flags=_FUSED), total, flags=_FUSED)


def _add_halves(builder: Any, vector: Any, length: int) -> Any:
    """Return the sum of the lower and the upper half of a vector."""
    half = length // 2
    undefined = ir.Constant(vector.type, ir.Undefined)
    lower = builder.shuffle_vector(vector, undefined, _lanes(_INT32, range(half)))
    upper = builder.shuffle_vector(vector, undefined, _lanes(_INT32, range(half, length)))
    return builder.fadd(lower, upper)


def dot_product(builder: Any, factors: list[tuple[int, Any, Any]]) -> Any:
    """Return the sum of products of pieces in order of decreasing length."""
    length, left, right = factors[0]
    total = builder.fmul(left, right)
    for shorter, left, right in factors[1:]:
        while length > shorter:
            total, length = _add_halves(builder, total, length), length // 2
        total = multiply_add(builder, left, right, total)
    while length > 1:
        total, length = _add_halves(builder, total, length), length // 2
    return builder.extract_element(total, _INT32(0))


@contextmanager
def for_each(builder: Any, begin: Any, end: Any, step: int = 1) -> Iterator[Any]:
    by = INT64(step)
    with cgutils.for_range_slice(builder, begin, end, by, intp=INT64, inc=True) as (position, _):
        yield position


def for_each_unrolled(
    builder: Any, begin: Any, end: Any, unrolled: int, body: Callable[..., None]
) -> None:
    """Emit ``body(position, turn)`` for every position; ``turn`` counts within an iteration."""
    main_end = begin
    if unrolled > 1:
        main_end = builder.sub(end, builder.srem(builder.sub(end, begin), INT64(unrolled)))
        with for_each(builder, begin, main_end, unrolled) as position:
            for turn in range(unrolled):
                body(builder.add(position, INT64(turn)), turn)
    with for_each(builder, main_end, end) as position:
        body(position, 0)


def sum_weighted_rows(
    source: TablePointer,
    target: TablePointer,
    target_row: Any,
    bounds: tuple[Any, Any],
    fetch: Callable[[Any], tuple[Any, Any]],
    for_each_split: Callable[[Body], None],
    *,
    unroll: bool = False,
    scale: Any = None,
) -> None:
    """``target[target_row] = scale * sum_p number_p * source[row_p]``.

    ``fetch(p)`` returns row and number. ``for_each_split`` is ``source.for_each_block`` or
    ``source.for_each_part``. With ``unroll`` there are several partial sums, so that products need
    not wait for each other.
    """
    builder = source.builder

    def write(block: list[Piece]) -> None:
        unrolled = unroll_factor(block, source.item_bytes) if unroll else 1
        sums = [[source.variable(piece.length) for piece in block] for _ in range(unrolled)]

        def add(position: Any, turn: int) -> None:
            row, number = fetch(position)
            for total, piece in zip(sums[turn], block, strict=True):
                weight = broadcast(builder, number, piece.length)
                added = multiply_add(builder, weight, source.load(row, piece), builder.load(total))
                builder.store(added, total)

        for_each_unrolled(builder, *bounds, unrolled, add)
        for place, piece in enumerate(block):
            total = builder.load(sums[0][place])
            for other in sums[1:]:
                total = builder.fadd(total, builder.load(other[place]))
            if scale is not None:
                total = builder.fmul(total, broadcast(builder, scale, piece.length))
            target.store(total, target_row, piece)

    for_each_split(write)
