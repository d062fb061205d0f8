"""Label and write the documents of large files in several processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from isthmus.matrices.processes import map_in_processes
from isthmus.matrices.threads import thread_limit
from isthmus.transfer.prediction import Prediction

if TYPE_CHECKING:
    from isthmus.cli.predictions import PredictionRows
    from isthmus.files import DocumentFile, DocumentShard, TableWriter
    from isthmus.files.document_blocks import DocumentBlock
    from isthmus.files.text_writers import RowEncoder
    from isthmus.transfer.model import Transfer

__all__ = [
    "Batch",
    "LabeledShard",
    "ModelUse",
    "batches",
    "encode_in_processes",
    "label_in_processes",
    "shards_for_processes",
    "summary_of",
]

# A process reads this much of the input at a time, and returns about as much of the output.
_SHARD_BYTES = 4 * 2**20
# Smaller files are labeled before other processes have been started.
_MANY_BYTES = 100_000_000
# Documents are labeled in batches of this size, or smaller ones if documents are long.
_BATCH_DOCUMENTS = 20_000
_BATCH_CHARACTERS = 10_000_000


@dataclass(frozen=True)
class LabeledShard:
    """The rows of some documents for the output, and what the summary says of them."""

    rows: bytes
    n_documents: int
    n_bytes: int
    label_counts: Counter[str]
    n_without_words: int


@dataclass(frozen=True)
class ModelUse:
    """A saved model and how it labels documents; can be pickled for another process."""

    path: Path
    domain: str | None
    engine: str
    rows: PredictionRows

    def load(self) -> Transfer:
        """Read the model; a process reads it once."""
        return _load(self.path, self.engine)


def shards_for_processes(file: DocumentFile, writer: TableWriter) -> Iterator[DocumentShard] | None:
    """Return shards of a file for several processes; None if one process is as good."""
    if writer.encoder is None or thread_limit() == 1 or file.n_bytes < _MANY_BYTES:
        return None
    return file.shards(_SHARD_BYTES)


def summary_of(
    prediction: Prediction, min_confidence: float | None, n_bytes: int = 0, rows: bytes = b""
) -> LabeledShard:
    """Return what the summary says of some documents."""
    labels = prediction.labels_at(min_confidence).tolist()
    counts = Counter(str(label) for label in labels if label is not None)
    return LabeledShard(rows, len(prediction), n_bytes, counts, int(prediction.without_words.sum()))


def label_in_processes(
    shards: Iterable[DocumentShard], use: ModelUse, encoder: RowEncoder
) -> Iterator[LabeledShard]:
    """Label the documents of a file in several processes; yields their results in order."""
    return map_in_processes(_Labeler(use, encoder), shards)


@dataclass(frozen=True)
class _Labeler:
    use: ModelUse
    encoder: RowEncoder

    def __call__(self, shard: DocumentShard) -> LabeledShard:
        model, maker = self.use.load(), self.use.rows
        predictions: list[Prediction] = []
        encoded: list[bytes] = []
        for batch in batches(shard.blocks()):
            prediction = model.label(batch.texts, self.use.domain)
            predictions.append(prediction)
            rows = maker.make(batch.records(), prediction)
            encoded += map(self.encoder.encode, rows)
        if not predictions:  # blank lines only
            return LabeledShard(b"", 0, shard.n_bytes, Counter(), 0)
        return summary_of(
            *(Prediction.join(predictions), maker.min_confidence),
            *(shard.n_bytes, b"".join(encoded)),
        )


def encode_in_processes(
    shards: Iterable[tuple[DocumentShard, Prediction, list[Any] | None]],
    maker: PredictionRows,
    encoder: RowEncoder,
) -> Iterator[tuple[bytes, int]]:
    """Make the rows of the output of labeled documents; yields bytes and number of rows."""
    return map_in_processes(_Encoder(maker, encoder), shards)


@dataclass(frozen=True)
class _Encoder:
    maker: PredictionRows
    encoder: RowEncoder

    def __call__(
        self, item: tuple[DocumentShard, Prediction, list[Any] | None]
    ) -> tuple[bytes, int]:
        shard, prediction, labels = item
        records = (values for block in shard.blocks() for values in block.records.rows())
        rows = self.maker.make(records, prediction, labels)
        return b"".join(map(self.encoder.encode, rows)), len(prediction)


class Batch(NamedTuple):
    """Documents that are labeled together."""

    texts: list[str]
    blocks: list[DocumentBlock]

    def records(self) -> Iterator[dict[str, Any]]:
        """Return the values of every document by column."""
        return chain.from_iterable(block.records.rows() for block in self.blocks)


def batches(blocks: Iterable[DocumentBlock]) -> Iterator[Batch]:
    """Yield the documents in batches."""
    batch = Batch([], [])
    n_characters = 0
    for block in blocks:
        batch.texts.extend(block.texts)
        batch.blocks.append(block)
        n_characters += sum(map(len, block.texts))
        if len(batch.texts) >= _BATCH_DOCUMENTS or n_characters >= _BATCH_CHARACTERS:
            yield batch
            batch, n_characters = Batch([], []), 0
    if batch.texts:
        yield batch


@lru_cache(maxsize=1)
def _load(path: Path, engine: str) -> Transfer:
    from isthmus.transfer.saving import load

    return load(path).set_params(engine=engine)
