"""The tables of ``isthmus-bench speed``."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from isthmus.datasets import DataNotFoundError, load_newsgroups
from isthmus.matrices.threads import one_thread
from isthmus_bench.report.blocks import table
from isthmus_bench.report.method_cost import COST_NOTE, seconds_table
from isthmus_bench.run.worker import versions
from isthmus_bench.speed.competitors import (
    Factors,
    Iteration,
    isthmus_mtrick,
    isthmus_pjnmf,
    isthmus_plsa,
    paper_mtrick,
    pjnmf_ranks,
    sklearn_nmf,
)
from isthmus_bench.speed.corpus import SpeedCorpus, make_documents, make_texts
from isthmus_bench.speed.measuring import in_turn, measure_fit
from isthmus_bench.speed.methods import MethodFits, counts_up_to, hardware, measure_methods
from isthmus_bench.speed.scale.cluster import measure_cluster
from isthmus_bench.speed.scale.disk import measure_disk
from isthmus_bench.speed.scale.tables import (
    CLUSTER_COLUMNS,
    CLUSTER_NOTE,
    DISK_NOTE,
    cluster_rows,
)
from isthmus_bench.speed.texts import (
    compare_counting,
    measure_command,
    measure_tfidf,
    write_domains,
)

__all__ = ["DEFAULT_PARTS", "PARTS", "Sizes", "SpeedTable", "machine", "measure", "to_markdown"]

_DTYPES = ("float32", "float64")
_EIGENVECTORS = (6, 30)
# Seconds; shorter stages of the command are not listed.
_SHORTEST_STAGE = 0.05
OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class Sizes:
    """What is measured; ``memory`` and ``largest`` are the documents of whole fits.

    ``method_fits`` chooses the fits of the part methods.
    """

    documents: int = 40_000
    terms: int = 50_000
    words: int = 100
    clusters: int = 50
    largest: int = 1_000_000
    memory: int = 200_000
    rounds: int = 5
    method_fits: MethodFits = field(default_factory=MethodFits)


@dataclass
class SpeedTable:
    """One table of the report."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    note: str = ""


def measure(sizes: Sizes, parts: Sequence[str], on_progress: OnProgress) -> Iterator[SpeedTable]:
    """Measure some of ``PARTS``, one after the other; ``on_progress`` gets a text per step."""
    for part in parts:
        yield PARTS[part](sizes, on_progress)


def machine() -> str:
    """The machine and the versions."""
    known = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"{hardware()}; Python {platform.python_version()}, {known}"


def _corpus(sizes: Sizes, on_progress: OnProgress) -> SpeedCorpus:
    on_progress(f"making {sizes.documents:,} documents")
    return make_documents(sizes.documents, sizes.terms, sizes.words, "float64")


def _iteration(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """An MTrick iteration against the paper's formulas, NumPy and scikit-learn."""
    corpus = _corpus(sizes, on_progress)
    iterations: dict[str, Iteration] = {}
    for dtype in _DTYPES:
        factors = Factors(corpus, sizes.clusters, dtype)
        nmf = sklearn_nmf([corpus], sizes.clusters, dtype, "frobenius")
        iterations |= {
            f"isthmus, {dtype}": isthmus_mtrick(factors),
            f"its NumPy and SciPy form, {dtype}": isthmus_mtrick(factors, "never"),
            f"the paper's formulas in NumPy and SciPy, {dtype}": paper_mtrick(factors),
            f"scikit-learn NMF (mu, Frobenius), {dtype}": nmf,
        }
    return _compare(
        f"An MTrick iteration, {_shape(corpus, sizes)}, 2 classes",
        iterations,
        sizes,
        on_progress,
        "scikit-learn's NMF has the same rank and the same documents, but it is another model.",
    )


def _plsa(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """A PLSA step against scikit-learn's Kullback-Leibler NMF."""
    corpus = _corpus(sizes, on_progress)
    iterations: dict[str, Iteration] = {}
    for dtype in _DTYPES:
        nmf = sklearn_nmf([corpus], sizes.clusters, dtype, "kullback-leibler")
        iterations[f"isthmus, {dtype}"] = isthmus_plsa(corpus, sizes.clusters, dtype)
        iterations[f"scikit-learn NMF (mu, Kullback-Leibler), {dtype}"] = nmf
    title = f"A PLSA step with its log-likelihood, {_shape(corpus, sizes)}"
    return _compare(title, iterations, sizes, on_progress, on_one_thread=False)


def _topics(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """A PJNMF iteration against scikit-learn's NMF of the same total rank."""
    corpus = _corpus(sizes, on_progress)
    shared, own = pjnmf_ranks(sizes.clusters)
    half = corpus.n_source
    domains = [corpus.first(half), SpeedCorpus(corpus.X[half:], corpus.labels[half:])]
    iterations: dict[str, Iteration] = {}
    for dtype in _DTYPES:
        name = f"scikit-learn NMF (mu) of {{}}, rank {{}}, {dtype}"
        all_rank, rank = sizes.clusters, shared + own
        iterations |= {
            f"isthmus, {dtype}": isthmus_pjnmf(corpus, sizes.clusters, dtype),
            name.format("all documents", all_rank): sklearn_nmf(
                [corpus], all_rank, dtype, "frobenius"
            ),
            name.format("each domain", rank): sklearn_nmf(domains, rank, dtype, "frobenius"),
        }
    return _compare(
        f"A PJNMF iteration with its objective, {_shape(corpus, sizes)}: {shared} shared topics, "
        f"{own} of each domain",
        iterations,
        sizes,
        on_progress,
        f"PJNMF multiplies the documents of a domain with {rank} columns, as scikit-learn does for "
        "each domain. It computes its objective at every step, scikit-learn at every tenth.",
    )


def _shape(corpus: SpeedCorpus, sizes: Sizes) -> str:
    return (
        f"{corpus.X.shape[0]:,} documents, {sizes.terms:,} terms, {corpus.X.nnz:,} non-zeros, "
        f"rank {sizes.clusters}"
    )


def _compare(
    title: str,
    iterations: Mapping[str, Iteration],
    sizes: Sizes,
    on_progress: OnProgress,
    note: str = "",
    on_one_thread: bool = True,
) -> SpeedTable:
    """All implementations relative to this package."""
    measured = {"": in_turn(iterations, sizes.rounds, on_progress)}
    if on_one_thread:
        with one_thread():
            measured[" on one thread"] = in_turn(iterations, sizes.rounds, on_progress)
    units = ("ms", *(f"x isthmus {dtype}" for dtype in _DTYPES))
    columns = [f"{unit}{threads}" for threads in measured for unit in units]
    result = SpeedTable(title, ("implementation", *columns), note=note)
    for name in iterations:
        row = [name]
        for seconds in measured.values():
            taken = median(seconds[name])
            ratios = [taken / median(seconds[f"isthmus, {dtype}"]) for dtype in _DTYPES]
            row += [f"{1e3 * taken:.1f}", *(f"{ratio:.1f}" for ratio in ratios)]
        result.rows.append(tuple(row))
    return result


def _memory(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """Whole fits, each in a new process: seconds, and growth of the resident memory."""
    settings = {"max_iter": 50, "tol": 0.0, "random_state": 0}
    most = min(sizes.largest, 100_000)
    runs: list[tuple[str, dict[str, Any], int]] = [
        *(("mtrick", {"init": init, **settings}, count)
          for count in sorted({sizes.memory, sizes.largest})
          for init in ("class_conditional", "plsa")),
        *(("cdsc", {"n_eigenvectors": k}, most) for k in _EIGENVECTORS),
        ("lssttc", {"random_state": 0}, most),
    ]  # fmt: skip
    result = SpeedTable(
        f"Whole fits, float32, {sizes.terms:,} terms, {sizes.words} words per document",
        ("method", "documents", "parameters", "non-zeros", "seconds", "before the first iteration",
         "CSR, MB", "growth, MB", "x CSR"),
        note="Growth is the peak of the resident memory during the fit minus the memory before it, "
        "with the matrix loaded, all imports done and all loops compiled. The topics of init=plsa "
        "are fitted to at most 50,000 documents. CDSC needs at most twice the matrix and 200 bytes "
        "per document and eigenvector.",
    )  # fmt: skip
    for method, parameters, count in runs:
        on_progress(f"fitting {method} on {count:,} documents")
        weights = method != "mtrick"
        cost = measure_fit(method, parameters, count, sizes.terms, sizes.words, weights)
        first = next(iter(parameters.items()))
        times = (f"{cost.seconds:.2f}", f"{cost.seconds_to_first_iteration:.2f}")
        growth = ("not known on this system", "-")
        if cost.growth is not None:
            growth = (f"{cost.growth / 1e6:.0f}", f"{cost.growth / cost.matrix_bytes:.2f}")
        memory = (f"{cost.matrix_bytes / 1e6:.1f}", *growth)
        named = (method, f"{count:,}", f"{first[0]}={first[1]}", f"{cost.nonzeros:,}")
        result.rows.append((*named, *times, *memory))
    return result


def _text(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """Words and pairs of words against scikit-learn's CountVectorizer."""
    texts, _ = make_texts(sizes.documents, sizes.terms, sizes.words)
    corpora = {"generated": texts}
    note = ""
    try:
        corpora = {"20 Newsgroups": load_newsgroups().texts, **corpora}
    except DataNotFoundError:
        note = " 20 Newsgroups is missing: set ISTHMUS_DATA to the data folder."
    result = SpeedTable(
        f"Counting words, in 20 Newsgroups and {sizes.documents:,} generated texts of "
        f"{sizes.words} words",
        ("texts", "terms", "implementation", "seconds", "MB/s", "ratio", "identical"),
        note="All terms, without stop words. The ratio is the time of CountVectorizer divided by "
        "this time; identical tells whether terms and matrix are the same." + note,
    )
    for name, corpus in corpora.items():
        size = sum(len(text.encode(errors="surrogateescape")) for text in corpus) / 1e6
        for ngram_range in ((1, 1), (1, 2)):
            what = f"{name}, {'words' if ngram_range == (1, 1) else 'and pairs'}"
            cost = compare_counting(corpus, ngram_range, sizes.rounds, on_progress)
            medians = {who: median(seconds) for who, seconds in cost.seconds.items()}
            reference = medians["scikit-learn CountVectorizer"]
            for who, seconds in medians.items():
                speed = (f"{seconds:.3f}", f"{size / seconds:.1f}", f"{reference / seconds:.1f}")
                identical = "yes" if cost.identical else "NO"
                result.rows.append((what, f"{cost.shape[1]:,}", who, *speed, identical))
    return result


def _command(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """The whole command against scikit-learn's TfidfVectorizer alone."""
    count = sizes.largest
    result = SpeedTable(
        f"isthmus classify, {count:,} generated documents of {sizes.words} words",
        ("what", "seconds", "x TfidfVectorizer", "peak memory, MB", "x CSR"),
        note="From the start of the command to labels in a file, half of the documents source; the "
        "vectorizer of scikit-learn has the same texts in memory.",
    )
    with tempfile.TemporaryDirectory() as folder:
        on_progress(f"writing {count:,} documents")
        files = write_domains(Path(folder), count, sizes.terms, sizes.words)
        on_progress("scikit-learn TfidfVectorizer")
        tfidf = measure_tfidf(count, sizes.terms, sizes.words)
        result.rows.append(
            ("scikit-learn TfidfVectorizer alone", f"{tfidf.seconds:.1f}", "1.00", "-", "-")
        )
        for options in (("--method", "mtrick"), ("--effort", "fast")):
            name = " ".join(("isthmus classify", *options))
            on_progress(name)
            cost = measure_command(*files, options)
            memory = ("not known on this system", "-")
            if cost.peak is not None:
                memory = (f"{cost.peak / 1e6:.0f}", f"{cost.peak / tfidf.matrix_bytes:.2f}")
            ratio = f"{cost.seconds / tfidf.seconds:.2f}"
            result.rows.append((name, f"{cost.seconds:.1f}", ratio, *memory))
            stages = {k: v for k, v in cost.timings.items() if v >= _SHORTEST_STAGE}
            rest = cost.seconds - sum(stages.values())
            stages["starting Python, and short stages"] = rest
            result.rows += [(f"- {k}", f"{v:.1f}", "", "", "") for k, v in stages.items()]
    return result


def _methods(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """Every method by number of documents."""
    fits, counts = sizes.method_fits, counts_up_to(sizes.largest)
    costs = measure_methods(fits, counts, sizes.terms, sizes.words, on_progress)
    columns, rows = ((), []) if costs is None else seconds_table(costs)
    return SpeedTable(
        f"Seconds of a fit by number of documents, float32, log-tfidf weights, {sizes.terms:,} "
        f"terms, {sizes.words} words per document",
        columns,
        rows,
        note=f"Every fit is in a new process, for at most {fits.time_limit:g} seconds. {COST_NOTE}",
    )


def _disk(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """The whole command with counts on the disk."""
    rows = measure_disk(sizes.largest, min(sizes.memory, sizes.largest), sizes.terms, on_progress)
    return SpeedTable(
        f"Counts on the disk, {sizes.largest:,} documents",
        ("what", "seconds", "memory, GiB"),
        list(rows),
        DISK_NOTE,
    )


def _cluster(sizes: Sizes, on_progress: OnProgress) -> SpeedTable:
    """Fits on a Dask cluster of this machine."""
    costs = measure_cluster(sizes.largest, sizes.terms, sizes.words, on_progress)
    return SpeedTable(
        f"MTrick on a Dask cluster, {sizes.largest:,} documents, {sizes.terms:,} terms",
        CLUSTER_COLUMNS,
        cluster_rows(costs),
        CLUSTER_NOTE,
    )


PARTS: dict[str, Callable[[Sizes, OnProgress], SpeedTable]] = {
    "iteration": _iteration,
    "plsa": _plsa,
    "topics": _topics,
    "memory": _memory,
    "text": _text,
    "command": _command,
    "methods": _methods,
    "disk": _disk,
    "cluster": _cluster,
}
DEFAULT_PARTS = ("iteration", "plsa", "topics", "memory", "text", "command")
"""All but the parts that take long, write gigabytes or need another package."""


def to_markdown(tables: Sequence[SpeedTable], command: str, on_machine: str) -> str:
    """The tables as a Markdown page."""
    parts = [
        "# Speed",
        f"Written by `{command}`; do not edit by hand. Ratios are ratios of medians; the "
        "implementations of a table take turns in one run. Seconds and the speed of a copy are "
        "only an order of magnitude on a shared machine.",
        f"Machine: {on_machine}.",
    ]
    for one in tables:
        parts += [
            f"## {one.title}",
            table(one.columns, one.rows),
            *([one.note] if one.note else []),
        ]
    return "\n\n".join(parts) + "\n"
