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
    ROW_BYTES,
    Pieces,
    TablePointer,
    broadcast,
    dot_product,
    for_each,
    for_each_unrolled,
    multiply_add,
    split_columns,
    split_into_blocks,
    sum_weighted_rows,
    unroll_factor,
)

__all__ = ["add_scaled", "dot", "gather", "rescale", "row_times", "sample", "scatter", "times_root"]


@intrinsic(prefer_literal=True)
def gather(typing, data, indices, begin, end, table, out, row, width):
    """``out[row] = sum_p data[p] * table[indices[p]]`` for p in ``[begin, end)``."""
    size = width.literal_value
    signature = types.void(data, indices, types.int64, types.int64, table, out, types.int64, width)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        numbers = TablePointer(context, builder, kinds[0], values[0])
        columns = TablePointer(context, builder, kinds[1], values[1])
        source = TablePointer(context, builder, kinds[4], values[4], size)
        target = TablePointer(context, builder, kinds[5], values[5], size)

        def fetch(position: Any) -> tuple[Any, Any]:
            return columns.index(position), numbers.number(position)

        sum_weighted_rows(
            builder, source, target, values[6], (values[2], values[3]), fetch, unroll=True
        )
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def scatter(typing, data, indices, begin, end, source, row, table, width):
    """``table[indices[p]] += data[p] * source[row]`` for p in ``[begin, end)``."""
    size = width.literal_value
    signature = types.void(
        data, indices, types.int64, types.int64, source, types.int64, table, width
    )

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        numbers = TablePointer(context, builder, kinds[0], values[0])
        columns = TablePointer(context, builder, kinds[1], values[1])
        origin = TablePointer(context, builder, kinds[4], values[4], size)
        target = TablePointer(context, builder, kinds[6], values[6], size)
        for block in split_into_blocks(size, origin.item_bytes):
            vectors = [origin.load(values[5], first, length) for first, length in block]

            def add(position: Any, _: int, block: Pieces = block, vectors: Any = vectors) -> None:
                column, number = columns.index(position), numbers.number(position)
                for vector, (first, length) in zip(vectors, block, strict=True):
                    weight = broadcast(builder, number, length)
                    before = target.load(column, first, length)
                    added = multiply_add(builder, weight, vector, before)
                    target.store(added, column, first, length)

            for_each_unrolled(
                builder, values[2], values[3], unroll_factor(block, target.item_bytes), add
            )
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def sample(typing, indices, begin, end, table, source, row, out, width):
    """``out[p - begin] = source[row] @ table[indices[p]]`` for p in ``[begin, end)``."""
    size = width.literal_value
    signature = types.void(
        indices, types.int64, types.int64, table, source, types.int64, out, width
    )

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        columns = TablePointer(context, builder, kinds[0], values[0])
        words = TablePointer(context, builder, kinds[3], values[3], size)
        origin = TablePointer(context, builder, kinds[4], values[4], size)
        result = TablePointer(context, builder, kinds[6], values[6])
        pieces = split_columns(size, REGISTER_BYTES // words.item_bytes)
        vectors = [origin.load(values[5], first, length) for first, length in pieces]
        with for_each(builder, values[1], values[2]) as position:
            column = columns.index(position)
            factors = [
                (length, vector, words.load(column, first, length))
                for vector, (first, length) in zip(vectors, pieces, strict=True)
            ]
            address = builder.gep(result.base, [builder.sub(position, values[1])])
            builder.store(dot_product(builder, factors), address)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def dot(typing, left, left_row, right, right_row, width):
    """``left[left_row] @ right[right_row]``."""
    size = width.literal_value
    signature = left.dtype(left, types.int64, right, types.int64, width)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        one = TablePointer(context, builder, kinds[0], values[0], size)
        other = TablePointer(context, builder, kinds[2], values[2], size)
        factors = [
            (length, one.load(values[1], first, length), other.load(values[3], first, length))
            for first, length in split_columns(size, REGISTER_BYTES // one.item_bytes)
        ]
        return dot_product(builder, factors)

    return signature, write


@intrinsic(prefer_literal=True)
def add_scaled(typing, number, source, source_row, out, out_row, width):
    """``out[out_row] += number * source[source_row]``."""
    size = width.literal_value
    signature = types.void(source.dtype, source, types.int64, out, types.int64, width)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        origin = TablePointer(context, builder, kinds[1], values[1], size)
        target = TablePointer(context, builder, kinds[3], values[3], size)
        for first, length in split_columns(size, ROW_BYTES // origin.item_bytes):
            weight = broadcast(builder, values[0], length)
            before = target.load(values[4], first, length)
            vector = origin.load(values[2], first, length)
            added = multiply_add(builder, weight, vector, before)
            target.store(added, values[4], first, length)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def row_times(typing, source, source_row, count, table, out, out_row, width):
    """``out[out_row] = source[source_row] @ table``; rows of ``source`` have ``count`` columns."""
    size = width.literal_value
    signature = types.void(source, types.int64, types.int64, table, out, types.int64, width)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        numbers = TablePointer(context, builder, kinds[0], values[0])
        factor = TablePointer(context, builder, kinds[3], values[3], size)
        target = TablePointer(context, builder, kinds[4], values[4], size)
        begin = builder.mul(values[1], values[2])

        def fetch(row: Any) -> tuple[Any, Any]:
            return row, numbers.number(builder.add(begin, row))

        bounds = (INT64(0), values[2])
        sum_weighted_rows(builder, factor, target, values[5], bounds, fetch, unroll=False)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def times_root(typing, table, row, numerator, denominator, floor, width):
    """``table[row] *= sqrt(numerator[0] / (denominator[0] + floor))``, elementwise."""
    size = width.literal_value
    signature = types.void(table, types.int64, numerator, denominator, table.dtype, width)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        target = TablePointer(context, builder, kinds[0], values[0], size)
        above = TablePointer(context, builder, kinds[2], values[2], size)
        below = TablePointer(context, builder, kinds[3], values[3], size)
        top = INT64(0)
        for first, length in split_columns(size, REGISTER_BYTES // target.item_bytes):
            guard = broadcast(builder, values[4], length)
            divisor = builder.fadd(below.load(top, first, length), guard)
            ratio = builder.fdiv(above.load(top, first, length), divisor)
            name = f"llvm.sqrt.v{length}f{8 * target.item_bytes}"
            kind = ir.FunctionType(ratio.type, [ratio.type])
            root = cgutils.get_or_insert_function(builder.module, kind, name)
            moved = builder.fmul(target.load(values[1], first, length), builder.call(root, [ratio]))
            target.store(moved, values[1], first, length)
        return context.get_dummy_value()

    return signature, write


@intrinsic(prefer_literal=True)
def rescale(typing, table, row, scale, least, width):
    """``table[row] *= scale``; results that are not above ``least`` become zero."""
    size = width.literal_value
    signature = types.void(table, types.int64, table.dtype, table.dtype, width)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        target = TablePointer(context, builder, signature.args[0], values[0], size)
        for first, length in split_columns(size, REGISTER_BYTES // target.item_bytes):
            weight = broadcast(builder, values[2], length)
            scaled = builder.fmul(target.load(values[1], first, length), weight)
            above = builder.fcmp_ordered(">", scaled, broadcast(builder, values[3], length))
            kept = builder.select(above, scaled, target.zeros(length))
            target.store(kept, values[1], first, length)
        return context.get_dummy_value()

    return signature, write
