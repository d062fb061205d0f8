"""All measurements, one after the other, and what they say."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence

from isthmus.bench.run.worker import versions
from isthmus.bench.speed.contestants import (
    Factors,
    Iteration,
    mtrick_as_printed,
    mtrick_here,
    plsa_here,
    sklearn_nmf,
)
from isthmus.bench.speed.corpus import Corpus, first_documents, make_documents
from isthmus.bench.speed.joint_topics import ranks, sides_of
from isthmus.bench.speed.memory import FitCost, measure_fit
from isthmus.bench.speed.spectra import eigensolvers, spectral_fits, subspace_fits
from isthmus.bench.speed.tables import Sizes, Table
from isthmus.bench.speed.timing import Seconds, copy_bandwidth, in_turn
from isthmus.matrices.threads import one_thread, thread_limit

PARTS = ("iteration", "plsa", "topics", "growth", "memory", "spectra", "subspace")
_DTYPES = ("float32", "float64")
_GROWTH = (10_000, 100_000, 1_000_000)
_STARTS = ("class_conditional", "plsa")
_ITERATIONS = 50


def measure(sizes: Sizes, parts: Sequence[str], tell: Callable[[str], None]) -> Iterator[Table]:
    """Measure the parts asked for, one after the other.

    Parameters
    ----------
    sizes : Sizes
    parts : sequence of str
        Some of ``PARTS``.
    tell : function
        Told what is going on.
    """
    if {"iteration", "plsa", "topics"} & set(parts):
        tell(f"making {sizes.documents:,} documents")
        corpus = make_documents(sizes.documents, sizes.terms, sizes.words, "float64")
        if "iteration" in parts:
            yield _iteration(corpus, sizes, tell)
        if "plsa" in parts:
            yield _plsa(corpus, sizes, tell)
        if "topics" in parts:
            yield _topics(corpus, sizes, tell)
        del corpus
    if "growth" in parts:
        yield _growth(sizes, tell)
    if "memory" in parts:
        yield _memory(sizes, tell)
    if "spectra" in parts:
        yield spectral_fits(sizes, tell)
        yield from eigensolvers(sizes, tell)
    if "subspace" in parts:
        yield subspace_fits(sizes, tell)


def machine() -> str:
    """The machine and the versions, for the head of a report."""
    cores = f"{os.cpu_count()} cores, {thread_limit()} threads used"
    known = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"{platform.machine()}, {cores}; Python {platform.python_version()}, {known}"


def _iteration(corpus: Corpus, sizes: Sizes, tell: Callable[[str], None]) -> Table:
    """An MTrick iteration against the paper's formulas, plain loops and scikit-learn."""
    sides: dict[str, Iteration] = {}
    for dtype in _DTYPES:
        factors = Factors(corpus, sizes.clusters, dtype)
        sides |= {
            f"isthmus, {dtype}": mtrick_here(factors),
            f"its plain NumPy and SciPy form, {dtype}": mtrick_here(factors, "never"),
            f"the paper's formulas in NumPy and SciPy, {dtype}": mtrick_as_printed(factors),
            f"scikit-learn NMF (mu, Frobenius), {dtype}": sklearn_nmf(
                corpus, sizes.clusters, dtype, "frobenius"
            ),
        }
    found = in_turn(sides, sizes.rounds, tell)
    alone = {name: side for name, side in sides.items() if "scikit-learn" not in name}
    with one_thread():
        on_one = in_turn(alone, sizes.rounds, tell)
    table = _against(f"An MTrick iteration, {_shape(corpus, sizes)}, 2 classes", found, on_one)
    table.notes.append(
        "scikit-learn's NMF has the same rank and reads the same documents; it is another model."
    )
    return table


def _plsa(corpus: Corpus, sizes: Sizes, tell: Callable[[str], None]) -> Table:
    """A PLSA step against scikit-learn's Kullback-Leibler NMF."""
    sides: dict[str, Iteration] = {}
    for dtype in _DTYPES:
        sides |= {
            f"isthmus, {dtype}": plsa_here(corpus, sizes.clusters, dtype),
            f"scikit-learn NMF (mu, Kullback-Leibler), {dtype}": sklearn_nmf(
                corpus, sizes.clusters, dtype, "kullback-leibler"
            ),
        }
    found = in_turn(sides, (sizes.rounds + 1) // 2, tell)
    return _against(f"A PLSA step with its log-likelihood, {_shape(corpus, sizes)}", found)


def _topics(corpus: Corpus, sizes: Sizes, tell: Callable[[str], None]) -> Table:
    """A PJNMF iteration against scikit-learn's NMF of the same total rank."""
    sides: dict[str, Iteration] = {}
    for dtype in _DTYPES:
        sides |= sides_of(corpus, sizes.clusters, dtype)
    found = in_turn(sides, sizes.rounds, tell)
    with one_thread():
        on_one = in_turn(sides, sizes.rounds, tell)
    shared, own = ranks(sizes.clusters)
    title = f"A PJNMF iteration with its objective, {_shape(corpus, sizes)}"
    table = _against(f"{title}: {shared} shared topics, {own} of each domain", found, on_one)
    table.notes.append(
        "On one thread, BLAS has one too. PJNMF multiplies the documents of a domain with "
        f"{shared + own} columns, as scikit-learn does in the last row of a precision; it computes "
        "its objective at every step, scikit-learn at every tenth."
    )
    return table


def _against(
    title: str, found: Mapping[str, Seconds], on_one: Mapping[str, Seconds] | None = None
) -> Table:
    """Every side against ours in both precisions; on all threads, and perhaps on one."""
    columns = ["side", "ms", *(f"x isthmus {dtype}" for dtype in _DTYPES)]
    if on_one is not None:
        columns += ["ms on one thread", *(f"x isthmus {dtype} on one" for dtype in _DTYPES)]
    table = Table(title, tuple(columns))
    for name in found:
        row = [name, *_held_against_ours(name, found)]
        if on_one is not None:
            row += _held_against_ours(name, on_one) if name in on_one else ["-"] * 3
        table.rows.append(tuple(row))
    return table


def _held_against_ours(name: str, found: Mapping[str, Seconds]) -> list[str]:
    seconds = found[name].median
    ratios = (seconds / found[f"isthmus, {dtype}"].median for dtype in _DTYPES)
    return [f"{1e3 * seconds:.1f}", *(f"{ratio:.1f}" for ratio in ratios)]


def _growth(sizes: Sizes, tell: Callable[[str], None]) -> Table:
    """Iterations of growing problems, per non-zero and against the floor."""
    table = Table(
        f"Growth of an MTrick iteration, {sizes.terms:,} terms, {sizes.words} words a document, "
        f"{sizes.clusters} word clusters, 2 classes",
        (
            *("documents", "non-zeros", "dtype", "ms", "ns a non-zero", "least ms"),
            *("x floor, one copy", f"x floor, {thread_limit()} at once"),
        ),
    )
    counts = sorted({n for n in _GROWTH if n < sizes.largest} | {sizes.largest})
    tell(f"making {counts[-1]:,} documents")
    whole = make_documents(counts[-1], sizes.terms, sizes.words, "float32")
    for count in counts:
        corpus = first_documents(whole, count)
        for dtype in _DTYPES:
            factors = Factors(corpus, sizes.clusters, dtype)
            name = f"{count:,} documents, {dtype}"
            took = in_turn({name: mtrick_here(factors)}, sizes.rounds, tell)[name]
            tell("copying, for the floor")
            moved = _bytes_to_move(factors)
            floors = [moved / copy_bandwidth(threads) for threads in (1, thread_limit())]
            table.rows.append(
                (
                    f"{count:,}",
                    f"{corpus.X.nnz:,}",
                    dtype,
                    f"{1e3 * took.median:.1f}",
                    f"{1e9 * took.median / corpus.X.nnz:.2f}",
                    f"{1e3 * took.least:.1f}",
                    *(f"{took.least / floor:.1f}" for floor in floors),
                )
            )
    table.notes.append(
        "The floor is what must be moved (the target's matrix once, each F read and written) at "
        "the speed of a copy, measured beside, on one thread or on all; the best iteration is held "
        "against the best copy. Half of the documents are source: their labels are hard, so they "
        "are not read again."
    )
    return table


def _bytes_to_move(factors: Factors) -> int:
    X = factors.target
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + 2 * 2 * factors.F.nbytes)


def _memory(sizes: Sizes, tell: Callable[[str], None]) -> Table:
    """Whole fits, each in a process of its own: growth of resident memory, and seconds."""
    table = Table(
        f"Whole fits of MTrick, float32, {_ITERATIONS} iterations, {sizes.terms:,} terms, "
        f"{sizes.words} words a document",
        ("documents", "start", "CSR, MB", "growth, MB", "x CSR", "seconds", "of these to start"),
    )
    for count in sorted({sizes.memory, sizes.largest}):
        for start in _STARTS:
            tell(f"fitting {count:,} documents, start {start}")
            settings = {"start": start, "max_iter": _ITERATIONS, "tol": 0.0, "random_state": 0}
            cost = measure_fit("mtrick", settings, count, sizes.terms, sizes.words)
            table.rows.append(_fit_row(cost, start))
    table.notes.append(
        "Growth is the peak of the resident memory during fit over what it was before, the matrix "
        "loaded, all imports done and loops compiled. The topic start is made from "
        "50,000 documents at most."
    )
    return table


def _fit_row(cost: FitCost, start: str) -> tuple[str, ...]:
    growth = ("not told by this system", "-")
    if cost.growth is not None:
        growth = (f"{cost.growth / 1e6:.0f}", f"{cost.growth / cost.matrix_bytes:.2f}")
    return (
        f"{cost.n_documents:,}",
        start,
        f"{cost.matrix_bytes / 1e6:.0f}",
        *growth,
        f"{cost.seconds:.1f}",
        f"{cost.seconds_to_first_iteration:.1f}",
    )


def _shape(corpus: Corpus, sizes: Sizes) -> str:
    return (
        f"{corpus.X.shape[0]:,} documents, {sizes.terms:,} terms, {corpus.X.nnz:,} non-zeros, "
        f"rank {sizes.clusters}"
    )


def to_markdown(tables: Sequence[Table], command: str) -> str:
    """The tables as a page."""
    parts = [
        "# Speed",
        f"Written by `{command}`; do not edit by hand. Ratios are of medians; all sides of a table "
        "but those of growth take turns in one run. Seconds, and the speed of a copy, are only an "
        "order of magnitude on a shared machine.",
        f"Machine: {machine()}.",
    ]
    for table in tables:
        head = "| " + " | ".join(table.columns) + " |"
        rule = "|" + " --- |" * len(table.columns)
        rows = ["| " + " | ".join(row) + " |" for row in table.rows]
        parts += [f"## {table.title}", "\n".join([head, rule, *rows]), *table.notes]
    return "\n\n".join(parts) + "\n"
