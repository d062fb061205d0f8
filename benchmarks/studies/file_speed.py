"""Processor time of reading documents and of writing their predictions, by file format.

    python benchmarks/studies/file_speed.py --documents 200000

The documents are generated: 100 words each, with frequencies after Zipf's law. The columns are

- blocks: ``DocumentFile.blocks``, as ``isthmus predict`` reads;
- texts: the first reading of ``isthmus classify``, up to the vectorizer;
- again: the second reading, of the rows that are copied to the output (large files only);
- output: the second reading, and one row of predictions per document in the same format.

Times are processor seconds of this process, the least of some rounds, in microseconds per document.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.cli.input_file import InputFile
from isthmus.cli.predictions import PredictionRows, added_columns
from isthmus.cli.progress import Progress
from isthmus.files import open_documents, open_table_writer
from isthmus.transfer.prediction import Prediction
from isthmus.transfer.texts import Texts
from isthmus_bench.report.blocks import table

N_TERMS, N_WORDS = 50_000, 100
COLUMNS = ("text", "label")
CLASSES = ("negative", "positive")
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Document = tuple[str, str]


def main() -> None:
    """Generate the files, read and write them, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="some of the formats", choices=WRITERS)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        documents = make_documents(options.documents)
        for name in options.only or WRITERS:
            path = Path(folder) / name
            WRITERS[name](path, documents)
            rows.append([name, *measure(path, options.documents, options.rounds)])
    print(table(["file", "MB", "blocks", "texts", "again", "output", "texts, MB/s"], rows))


def measure(path: Path, n_documents: int, rounds: int) -> list[str]:
    """Return the size of a file in MB, microseconds per document of each stage, and the speed."""
    size = path.stat().st_size / 1e6
    output = path.with_name("output" + path.name[path.name.index(".") :])
    file = InputFile(open_documents(path), "all")
    consume(file.blocks())
    stages: list[Callable[[], None]] = [
        lambda: consume(open_documents(path).blocks()),
        lambda: consume(read_texts(InputFile(open_documents(path)))),
        lambda: consume(file.records()),
        lambda: write(output, file.records(), n_documents),
    ]
    seconds = [min(timed(stage) for _ in range(rounds)) for stage in stages]
    return [
        f"{size:.0f}",
        *(f"{1e6 * stage / n_documents:.2f}" for stage in seconds),
        f"{size / seconds[1]:.0f}",
    ]


def timed(work: Callable[[], None]) -> float:
    """Processor seconds of some work."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def consume(items: Iterable[Any]) -> None:
    """Read everything and keep nothing."""
    deque(items, maxlen=0)


def read_texts(file: InputFile) -> Iterator[list[str]]:
    """Read the texts as ``isthmus classify`` does, with its progress and its sample."""
    file.observe(Progress("Reading").counter("document"), lambda file: None)
    return Texts("source", 0, file, file.labels).blocks()


def write(path: Path, records: Iterable[dict[str, Any]], n: int) -> None:
    """Write the ``n`` records with made-up predictions."""
    positive = np.random.default_rng(0).random(n)
    labels = np.array(CLASSES)[(positive > 0.5).astype(int)]
    probabilities = np.column_stack([1 - positive, positive])
    prediction = Prediction(labels, probabilities, labels, np.zeros(n, np.bool_))
    added = added_columns(COLUMNS, path)
    maker = PredictionRows(COLUMNS, added, CLASSES)
    with open_table_writer(path, maker.columns) as writer:
        for row in chain.from_iterable(maker.make(records, prediction)):
            writer.write(row)


def make_documents(n: int) -> list[Document]:
    """Draw the texts and labels."""
    generator = np.random.default_rng(0)
    frequency = np.cumsum(1 / np.arange(1, N_TERMS + 1))
    words = np.array([_word(26 + i) for i in range(N_TERMS)])
    documents = []
    for label in generator.integers(0, 2, n).tolist():
        ranks = np.searchsorted(frequency, generator.random(N_WORDS) * frequency[-1])
        documents.append((" ".join(words[ranks].tolist()), CLASSES[label]))
    return documents


def _word(number: int) -> str:
    word = ""
    while number >= 0:
        word = LETTERS[number % 26] + word
        number = number // 26 - 1
    return word


def write_delimited(
    path: Path, documents: list[Document], delimiter: str = ",", quoting: Any = csv.QUOTE_MINIMAL
) -> None:
    """Write CSV or TSV with the csv module."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\n")
        writer.writerows([COLUMNS, *documents])


def write_quoted(path: Path, documents: list[Document]) -> None:
    """Write CSV as of people: commas in all texts, and quotes in every fifth text."""
    write_delimited(path, [_punctuated(i, *document) for i, document in enumerate(documents)])


def _punctuated(number: int, text: str, label: str) -> Document:
    start, end = text[:100], text[100:]
    return f'{start}, "{end}" he' if number % 5 == 0 else f"{start}, {end}", label


def write_lines(path: Path, documents: list[Document]) -> None:
    """Write CSV whose texts have three lines."""
    broken = [(f"{text[:60]}\n\n{text[60:]}", label) for text, label in documents]
    write_delimited(path, broken)


def write_json_lines(path: Path, documents: list[Document]) -> None:
    """Write JSON Lines."""
    with path.open("w", encoding="utf-8") as stream:
        for document in documents:
            stream.write(json.dumps(dict(zip(COLUMNS, document, strict=True))) + "\n")


def write_parquet(path: Path, documents: list[Document]) -> None:
    """Write Parquet with the default settings of pyarrow."""
    import pyarrow
    import pyarrow.parquet

    columns = dict(zip(COLUMNS, map(list, zip(*documents, strict=True)), strict=True))
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def write_packed(path: Path, documents: list[Document]) -> None:
    """Write CSV packed with gzip."""
    plain = path.with_suffix("")
    write_delimited(plain, documents)
    path.write_bytes(gzip.compress(plain.read_bytes(), compresslevel=6))
    plain.unlink()


#: Writer by the name of the file.
WRITERS: dict[str, Callable[[Path, list[Document]], None]] = {
    "plain.csv": write_delimited,
    "all_quoted.csv": lambda path, documents: write_delimited(
        path, documents, quoting=csv.QUOTE_ALL
    ),
    "punctuated.csv": write_quoted,
    "three_lines.csv": write_lines,
    "plain.tsv": lambda path, documents: write_delimited(path, documents, "\t"),
    "plain.jsonl": write_json_lines,
    "plain.parquet": write_parquet,
    "packed.csv.gz": write_packed,
}


if __name__ == "__main__":
    main()
