"""Operations on the rows of tables as numba intrinsics, see :mod:`vector_builder`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from isthmus.kernels.compiled.vector_builder import (
    INT64,
    REGISTER_BYTES,
    Piece,
    TablePointer,
    broadcast,
    dot_product,
    for_each,
    for_each_unrolled,
    multiply_add,
    sum_weighted_rows,
    unroll_factor,
)


@intrinsic(prefer_literal=True)
def column_count(typing, table, size):
    """Return the number of columns of a table: a constant if its size has a variant of its own."""
    signature = types.int64(table, size)

    def read(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        return TablePointer(context, builder, kind, values[0], size.literal_value).width

    return signature, read


@intrinsic(prefer_literal=True)
def gather(typing, data, indices, begin, end, table, scale, out, row, size):
    """``out[row] = scale * sum_p data[p] * table[indices[p]]`` for p in ``[begin, end)``."""
    n = size.literal_value
    signature = types.void(
        data, indices, types.int64, types.int64, table, table.dtype, out, types.int64, size
    )

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        numbers = TablePointer(context, builder, kinds[0], values[0])
        columns = TablePointer(context, builder, kinds[1], values[1])
        source = TablePointer(context, builder, kinds[4], values[4], n)
        target = TablePointer(context, builder, kinds[6], values[6], n)

        def fetch(position: Any) -> tuple[Any, Any]:
            return columns.index(position), numbers.number(position)

        bounds = (values[2], values[3])
        sum_weighted_rows(
            *(source, target, values[7], bounds, fetch, source.for_each_block),
            unroll=True,
            scale=values[5],
        )
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def scatter(typing, data, indices, begin, end, source, row, table, size):
    """``table[indices[p]] += data[p] * source[row]`` for p in ``[begin, end)``."""
    n = size.literal_value
    signature = types.void(
        data, indices, types.int64, types.int64, source, types.int64, table, size
    )

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        numbers = TablePointer(context, builder, kinds[0], values[0])
        columns = TablePointer(context, builder, kinds[1], values[1])
        origin = TablePointer(context, builder, kinds[4], values[4], n)
        target = TablePointer(context, builder, kinds[6], values[6], n)

        def write_block(block: list[Piece]) -> None:
            vectors = [origin.load(values[5], piece) for piece in block]

            def add(position: Any, _: int) -> None:
                column, number = columns.index(position), numbers.number(position)
                for (piece, before), vector in zip(
                    target.each(column, block), vectors, strict=True
                ):
                    weight = broadcast(builder, number, piece.length)
                    added = multiply_add(builder, weight, vector, before)
                    target.replace(before, added, column, piece)

            unrolled = unroll_factor(block, target.item_bytes)
            for_each_unrolled(builder, values[2], values[3], unrolled, add)

        target.for_each_block(write_block)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def sample(typing, indices, begin, end, table, source, row, out, size):
    """``out[p - begin] = source[row] @ table[indices[p]]`` for p in ``[begin, end)``."""
    n = size.literal_value
    signature = types.void(indices, types.int64, types.int64, table, source, types.int64, out, size)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        columns = TablePointer(context, builder, kinds[0], values[0])
        words = TablePointer(context, builder, kinds[3], values[3], n)
        origin = TablePointer(context, builder, kinds[4], values[4], n)
        result = TablePointer(context, builder, kinds[6], values[6])

        def address(position: Any) -> Any:
            return builder.gep(result.base, [builder.sub(position, values[1])])

        if words.has_many_blocks:
            with for_each(builder, values[1], values[2]) as position:
                builder.store(ir.Constant(result.item, 0.0), address(position))

        def write_block(block: list[Piece]) -> None:
            vectors = [origin.load_new(values[5], piece) for piece in block]
            with for_each(builder, values[1], values[2]) as position:
                column = columns.index(position)
                factors = [
                    (piece.length, vector, words.load(column, piece))
                    for piece, vector in zip(block, vectors, strict=True)
                ]
                total = dot_product(builder, factors)
                if words.has_many_blocks:
                    total = builder.fadd(builder.load(address(position)), total)
                builder.store(total, address(position))

        words.for_each_block(write_block, REGISTER_BYTES)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def dot(typing, left, left_row, right, right_row, size):
    """``left[left_row] @ right[right_row]``."""
    n = size.literal_value
    signature = left.dtype(left, types.int64, right, types.int64, size)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        one = TablePointer(context, builder, kinds[0], values[0], n)
        other = TablePointer(context, builder, kinds[2], values[2], n)
        return one.dot(values[1], other, values[3])

    return signature, write


@intrinsic(prefer_literal=True)
def scaled_row(typing, number, source, source_row, out, out_row, size):
    """``out[out_row] = number * source[source_row]``."""
    n = size.literal_value
    signature = types.void(source.dtype, source, types.int64, out, types.int64, size)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        origin = TablePointer(context, builder, kinds[1], values[1], n)
        target = TablePointer(context, builder, kinds[3], values[3], n)

        def write_part(pieces: list[Piece]) -> None:
            for piece in pieces:
                weight = broadcast(builder, values[0], piece.length)
                product = builder.fmul(weight, origin.load(values[2], piece))
                target.store(product, values[4], piece)

        target.for_each_part(write_part)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def add_scaled(typing, number, source, source_row, out, out_row, size):
    """``out[out_row] += number * source[source_row]``."""
    n = size.literal_value
    signature = types.void(source.dtype, source, types.int64, out, types.int64, size)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        origin = TablePointer(context, builder, kinds[1], values[1], n)
        target = TablePointer(context, builder, kinds[3], values[3], n)

        def add_part(pieces: list[Piece]) -> None:
            for piece in pieces:
                weight = broadcast(builder, values[0], piece.length)
                before = target.load(values[4], piece)
                vector = origin.load(values[2], piece)
                added = multiply_add(builder, weight, vector, before)
                target.store(added, values[4], piece)

        target.for_each_part(add_part)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def row_times(typing, source, source_row, count, table, out, out_row, size):
    """``out[out_row] = source[source_row] @ table``; rows of ``source`` have ``count`` columns."""
    n = size.literal_value
    signature = types.void(source, types.int64, types.int64, table, out, types.int64, size)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        numbers = TablePointer(context, builder, kinds[0], values[0])
        factor = TablePointer(context, builder, kinds[3], values[3], n)
        target = TablePointer(context, builder, kinds[4], values[4], n)
        begin = builder.mul(values[1], values[2])

        def fetch(row: Any) -> tuple[Any, Any]:
            return row, numbers.number(builder.add(begin, row))

        bounds = (INT64(0), values[2])
        sum_weighted_rows(factor, target, values[5], bounds, fetch, factor.for_each_part)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def times_root(typing, table, row, numerator, denominator, floor, size):
    """``table[row] *= sqrt(numerator[0] / (denominator[0] + floor))``, elementwise."""
    n = size.literal_value
    signature = types.void(table, types.int64, numerator, denominator, table.dtype, size)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        target = TablePointer(context, builder, kinds[0], values[0], n)
        above = TablePointer(context, builder, kinds[2], values[2], n)
        below = TablePointer(context, builder, kinds[3], values[3], n)
        top = INT64(0)

        def move_part(pieces: list[Piece]) -> None:
            for piece in pieces:
                guard = broadcast(builder, values[4], piece.length)
                divisor = builder.fadd(below.load(top, piece), guard)
                ratio = builder.fdiv(above.load(top, piece), divisor)
                name = f"llvm.sqrt.v{piece.length}f{8 * target.item_bytes}"
                kind = ir.FunctionType(ratio.type, [ratio.type])
                root = cgutils.get_or_insert_function(builder.module, kind, name)
                before = target.load(values[1], piece)
                target.store(builder.fmul(before, builder.call(root, [ratio])), values[1], piece)

        target.for_each_part(move_part, REGISTER_BYTES)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def rescale(typing, table, row, scale, least, size):
    """``table[row] *= scale``; results that are not above ``least`` become zero."""
    n = size.literal_value
    signature = types.void(table, types.int64, table.dtype, table.dtype, size)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        target = TablePointer(context, builder, signature.args[0], values[0], n)

        def scale_part(pieces: list[Piece]) -> None:
            for piece in pieces:
                weight = broadcast(builder, values[2], piece.length)
                scaled = builder.fmul(target.load(values[1], piece), weight)
                least = broadcast(builder, values[3], piece.length)
                above = builder.fcmp_ordered(">", scaled, least)
                kept = builder.select(above, scaled, target.zeros(piece.length))
                target.store(kept, values[1], piece)

        target.for_each_part(scale_part, REGISTER_BYTES)
        return context.get_dummy_value()

    return signature, write
