"""Read texts and labels, in any form that ``Transfer.fit`` takes, as named domains."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from isthmus.domains.labels import as_label_array, plain_label
from isthmus.inspection.sample import TextSample
from isthmus.text.text_blocks import blocks_of
from isthmus.transfer.engine import collected, is_collection
from isthmus.transfer.text_files import TextFiles

if TYPE_CHECKING:
    from isthmus.files import DocumentShard
    from isthmus.transfer.shards import ShardFacts

__all__ = [
    "DEFAULT_SOURCE",
    "DEFAULT_TARGET",
    "FileTexts",
    "Texts",
    "read_domains",
    "warn_about_labels",
]

DEFAULT_SOURCE, DEFAULT_TARGET = "source", "target"

_MISSING_VALUES = {"na", "n/a", "nan", "none", "null", "<na>", "?", "-", "unknown"}
_GROUPS_SHOWN = 5


@runtime_checkable
class FileTexts(Protocol):
    """Texts of files, which this process or several others can read."""

    @property
    def n_bytes(self) -> int:
        """The size of the files."""

    def blocks(self) -> Iterator[list[str]]:
        """Read the texts in this process."""

    def blocks_again(self) -> Iterator[list[str]]:
        """Read the texts in this process after others have read them."""

    def shards(self, max_bytes: int) -> Iterator[DocumentShard] | None:
        """Cut the files into shards; None if only this process can read them."""

    def add_shard(self, facts: ShardFacts) -> None:
        """Take note of the next shard, which has been read."""

    def end(self) -> None:
        """Take note that all texts have been read."""


def read_domains(source_texts: Any, labels: Any, target_texts: Any) -> list[Texts]:
    """Return the sources, numbered 0, 1, ..., then the targets, numbered -1, -2, ...

    The arguments are those of :meth:`isthmus.Transfer.fit`.
    """
    domains = [*_read_sources(source_texts, labels), *_read_targets(target_texts)]
    names = [domain.name for domain in domains]
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"The name of a domain is {name!r}: use a string.")
        if names.count(name) > 1:
            raise ValueError(f"Two domains have the name {name!r}: use different names.")
    for domain in domains:
        domain.check()
    return domains


@dataclass
class Texts:
    """The texts of one domain, which are read once.

    ``labels`` may be a list that is filled while the texts are read.
    """

    name: str
    number: int
    texts: Any
    """An iterable of strings, a :class:`FileTexts`, or a collection of Dask."""
    labels: Any
    n_texts: int = field(default=0, init=False)
    sample: TextSample = field(default_factory=TextSample, init=False)

    def blocks(self) -> Iterator[list[str]]:
        """Read the texts, count them and keep a sample."""
        is_file = isinstance(self.texts, FileTexts)
        for block in self.texts.blocks() if is_file else self.checked():
            self.n_texts += len(block)
            self.sample.observe(block)
            yield block
        if is_file:
            self.texts.end()

    def checked(self) -> Iterator[list[str]]:
        """Return texts that are not in files; ValueError if one of them is not a text."""
        return blocks_of(self.texts, f"of {self.name!r}")

    def add_sample(self, sample: TextSample, n_texts: int) -> None:
        """Take note of the next texts, which another process has read."""
        self.sample.add(sample, self.n_texts)
        self.n_texts += n_texts

    def check(self) -> None:
        """Raise ValueError if these cannot be texts with their labels; no text is read."""
        if is_collection(self.labels):
            self.labels = collected(self.labels)
        if is_collection(self.texts) or isinstance(self.texts, FileTexts):
            return
        if isinstance(self.texts, str | bytes | set | frozenset) or not isinstance(
            self.texts, Iterable
        ):
            raise ValueError(
                f"The texts of {self.name!r} are a {type(self.texts).__name__}: pass a list of "
                "strings."
            )
        if getattr(self.texts, "ndim", 1) != 1:
            raise ValueError(
                f"The texts of {self.name!r} are a table: pass its column of texts, as in "
                "table['text']."
            )
        self._check_indexes()
        if isinstance(self.labels, Iterator):
            self.labels = list(self.labels)
        if isinstance(self.texts, Sized):
            self._check_sizes(len(self.texts))

    @property
    def index(self) -> Any:
        """The index of a pandas Series of texts; None for other texts."""
        if is_collection(self.texts):
            return None
        return _pandas_index(self.texts)

    def labels_of_rows(self) -> Sequence[Any]:
        """Return one label per text that was read, None if it has no label."""
        self._check_sizes(self.n_texts)
        if self.labels is None:
            return [None] * self.n_texts
        if _are_texts(self.labels):
            return list(self.labels)
        return [plain_label(label) for label in as_label_array(self.labels)]

    def _check_indexes(self) -> None:
        """Raise ValueError if texts and labels are pandas Series with different indexes."""
        index, other = (_pandas_index(values) for values in (self.texts, self.labels))
        if index is not None and other is not None and not index.equals(other):
            raise ValueError(
                f"The texts and the labels of {self.name!r} are pandas Series with different "
                "indexes: align them, as in labels.loc[texts.index], or pass list(texts) and "
                "list(labels) to match them by position."
            )

    def _check_sizes(self, n_texts: int) -> None:
        if n_texts == 0:
            raise ValueError(f"The domain {self.name!r} has no texts: at least one is needed.")
        shape = _shape(self.labels, n_texts)
        if shape != (n_texts,):
            n_labels = shape[0] if len(shape) == 1 else f"an array of shape {shape} as"
            raise ValueError(
                f"The domain {self.name!r} has {n_texts} texts but {n_labels} labels: pass one "
                "label per text, None if it has no label."
            )


def _are_texts(labels: Any) -> bool:
    """Return whether labels are a list of strings and None, as those of a file."""
    return type(labels) is list and set(map(type, labels)) <= {str, NoneType}


def _shape(labels: Any, n_texts: int) -> tuple[int, ...]:
    if labels is None:
        return (n_texts,)
    # NumPy would copy all strings.
    return (len(labels),) if _are_texts(labels) else as_label_array(labels).shape


def _pandas_index(values: Any) -> Any:
    """Return the index of a pandas Series; None for anything else."""
    index = getattr(values, "index", None)
    return index if hasattr(index, "equals") else None


def _read_sources(texts: Any, labels: Any) -> list[Texts]:
    if not isinstance(texts, Mapping):
        if labels is None and isinstance(texts, TextFiles):
            return [_labeled_files(DEFAULT_SOURCE, 0, texts)]
        if labels is None:
            raise ValueError("The source has no labels: pass them as the second argument.")
        return [Texts(DEFAULT_SOURCE, 0, texts, labels)]
    if labels is not None:
        raise ValueError(
            "With named sources, pass the labels in the pairs: {'books': (texts, labels)}."
        )
    if not texts:
        raise ValueError("There is no source: pass at least one with labels.")
    domains = []
    for number, (name, value) in enumerate(texts.items()):
        if isinstance(value, TextFiles):
            domains.append(_labeled_files(name, number, value))
            continue
        if not isinstance(value, tuple) or len(value) != 2:
            raise ValueError(f"The source {name!r} must be a pair (texts, labels).")
        domains.append(Texts(name, number, *value))
    return domains


def _read_targets(texts: Any) -> list[Texts]:
    if texts is None:
        raise ValueError(
            "There is no target: pass the texts to label as target_texts. To search parameters "
            "with scikit-learn, use an estimator such as isthmus.MTrick with isthmus.SourceFolds "
            "instead of Transfer."
        )
    if not isinstance(texts, Mapping):
        return [Texts(DEFAULT_TARGET, -1, *_target_pair(texts))]
    if not texts:
        raise ValueError("There is no target: pass at least one with texts.")
    domains = []
    for i, (name, value) in enumerate(texts.items()):
        pair = value if isinstance(value, tuple) else _target_pair(value)
        if len(pair) != 2:
            raise ValueError(
                f"The target {name!r} must be a list of texts or a pair (texts, labels), got a "
                f"tuple of length {len(pair)}."
            )
        domains.append(Texts(name, -1 - i, *pair))
    return domains


# The files of the caller may be a source of one fit and a target of another, or both of one.
def _labeled_files(name: str, number: int, files: TextFiles) -> Texts:
    unread = files.unread(need_labels=True)
    return Texts(name, number, unread, unread.labels)


def _target_pair(texts: Any) -> tuple[Any, Any]:
    """Return texts, and the labels of files whose column of labels was named, otherwise None."""
    if not isinstance(texts, TextFiles):
        return texts, None
    unread = texts.unread()
    return unread, unread.labels if unread.has_labels else None


def warn_about_labels(labels: Iterable[Any]) -> None:
    """Warn if labels differ only in case or spaces, or if a label looks like a missing value.

    Labels are never changed: 'Sports' and 'sports ' remain two classes.
    """
    counts = Counter(label for label in labels if isinstance(label, str))
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for label in counts:
        spellings[" ".join(label.split()).casefold()].append(label)
    similar = [sorted(group) for group in spellings.values() if len(group) > 1]
    if similar:
        shown = "; ".join(_with_counts(group, counts) for group in sorted(similar)[:_GROUPS_SHOWN])
        n_hidden = len(similar) - _GROUPS_SHOWN
        more = f"; and {n_hidden} more" if n_hidden > 0 else ""
        warnings.warn(
            f"Labels that differ only in case or spaces are separate classes: {shown}{more}. If "
            "they mean the same class, spell them alike.",
            stacklevel=3,
        )
    missing = sorted(label for label in counts if label.strip().casefold() in _MISSING_VALUES)
    if missing:
        warnings.warn(
            f"{_with_counts(missing, counts)}: this is used as a class. If it means that the label "
            "is missing, use None instead (in a file, an empty cell).",
            stacklevel=3,
        )


def _with_counts(labels: Iterable[str], counts: Counter[str]) -> str:
    return ", ".join(f"{label!r} ({counts[label]:,})" for label in labels)
