"""What a person may give as texts and labels, read as named domains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

from isthmus.domains.labels import as_label_array, plain_label

__all__ = ["DEFAULT_SOURCE", "DEFAULT_TARGET", "Texts", "read_domains"]

DEFAULT_SOURCE, DEFAULT_TARGET = "source", "target"


def read_domains(source_texts: Any, labels: Any, target_texts: Any) -> list[Texts]:
    """Sources, numbered 0, 1, ..., then targets, numbered -1, -2, ...; see Transfer.fit."""
    domains = [*_read_sources(source_texts, labels), *_read_targets(target_texts)]
    names = [domain.name for domain in domains]
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"The name of a domain is {name!r}: names are text.")
        if names.count(name) > 1:
            raise ValueError(f"Two domains are called {name!r}: give each a name of its own.")
    for domain in domains:
        domain.check()
    return domains


@dataclass
class Texts:
    """The texts of one domain, read once."""

    name: str
    number: int
    texts: Iterable[str]
    labels: Any
    n_texts: int = field(default=0, init=False)

    def read(self) -> Iterator[str]:
        for text in self.texts:
            if not isinstance(text, str):
                raise ValueError(
                    f"Text {self.n_texts} of {self.name!r} (counted from 0) is {text!r}, a "
                    f"{type(text).__name__}: give every text as a string, '' where it is missing."
                )
            self.n_texts += 1
            yield text

    def check(self) -> None:
        """Find out before the work whether these can be texts with labels."""
        if isinstance(self.texts, str | bytes | set | frozenset) or not isinstance(
            self.texts, Iterable
        ):
            raise ValueError(
                f"The texts of {self.name!r} are {type(self.texts).__name__}: give a list of texts."
            )
        if getattr(self.texts, "ndim", 1) != 1:
            raise ValueError(
                f"The texts of {self.name!r} are a table: choose its column of texts, as in "
                "table['text']."
            )
        if isinstance(self.labels, Iterator):
            self.labels = list(self.labels)
        if isinstance(self.texts, Sized):
            self._check_sizes(len(self.texts))

    def labels_of_rows(self) -> Sequence[Any]:
        """A label for every text that was read, None where there is none."""
        self._check_sizes(self.n_texts)
        if self.labels is None:
            return [None] * self.n_texts
        return [plain_label(label) for label in as_label_array(self.labels)]

    def _check_sizes(self, n_texts: int) -> None:
        if n_texts == 0:
            raise ValueError(f"The domain {self.name!r} has no text: at least one is needed.")
        shape = (n_texts,) if self.labels is None else as_label_array(self.labels).shape
        if shape != (n_texts,):
            n_labels = shape[0] if len(shape) == 1 else f"an array of shape {shape} as"
            raise ValueError(
                f"The domain {self.name!r} has {n_texts} texts but {n_labels} labels: give one "
                "label a text, None where there is none."
            )


def _read_sources(texts: Any, labels: Any) -> list[Texts]:
    if not isinstance(texts, Mapping):
        if labels is None:
            raise ValueError("The source has no labels: pass them as the second argument.")
        return [Texts(DEFAULT_SOURCE, 0, texts, labels)]
    if labels is not None:
        raise ValueError(
            "With named sources the labels go into the pairs: {'books': (texts, labels)}."
        )
    if not texts:
        raise ValueError("No source was given: at least one with labels is needed.")
    domains = []
    for number, (name, value) in enumerate(texts.items()):
        if not isinstance(value, tuple) or len(value) != 2:
            raise ValueError(f"The source {name!r} must be a pair (texts, labels).")
        domains.append(Texts(name, number, *value))
    return domains


def _read_targets(texts: Any) -> list[Texts]:
    if texts is None:
        raise ValueError("There is no target: pass the texts to be labelled as target_texts.")
    if not isinstance(texts, Mapping):
        return [Texts(DEFAULT_TARGET, -1, texts, None)]
    if not texts:
        raise ValueError("No target was given: at least one with texts is needed.")
    domains = []
    for i, (name, value) in enumerate(texts.items()):
        pair = value if isinstance(value, tuple) else (value, None)
        if len(pair) != 2:
            raise ValueError(
                f"The target {name!r} must be a list of texts or a pair (texts, labels), got a "
                f"tuple of {len(pair)}."
            )
        domains.append(Texts(name, -1 - i, *pair))
    return domains
