"""The explanation of a label: the words that speak for and against every class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Explanation", "Span", "TopWords", "WordWeight"]

# Smaller weights are rounding errors.
_NEGLIGIBLE = 1e-6
_WORDS_SHOWN = 10


class WordWeight(NamedTuple):
    """A word of a document and its weight for every class; see :class:`Explanation`.

    Attributes
    ----------
    word : str
        The word.
    weights : tuple of float
        Its weight for every class, in the order of ``Explanation.classes``.
    n_occurrences : int
        How often it occurs in the document.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer("cocc", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> word = model.explain("A sturdy, sturdy kettle.").words[0]
    >>> word.word, word.n_occurrences, word.weights[1] > 0
    ('sturdy', 2, True)
    """

    word: str
    weights: tuple[float, ...]
    n_occurrences: int


class Span(NamedTuple):
    """A place of a word in the original text: ``text[start:end]``.

    Attributes
    ----------
    start : int
        Position of the first character.
    end : int
        Position after the last character.
    word : int
        Index into ``Explanation.words``.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer("cocc", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> explanation = model.explain("A sturdy kettle.")
    >>> [explanation.text[span.start : span.end] for span in explanation.spans]
    ['sturdy', 'kettle']
    """

    start: int
    end: int
    word: int


class TopWords(NamedTuple):
    """Words and their weights, the strongest first; the result of ``Explanation.top_words``.

    Attributes
    ----------
    supporting : list of (str, float)
        Words with positive weights, which speak for the class.
    opposing : list of (str, float)
        Words with negative weights, which speak against the class.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer("cocc", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> supporting, opposing = model.explain("A sturdy kettle, but flimsy.").top_words("positive")
    >>> supporting[0][0], opposing[0][0]
    ('sturdy', 'flimsy')
    """

    supporting: list[tuple[str, float]]
    opposing: list[tuple[str, float]]


@dataclass(frozen=True)
class Explanation:
    """Why a document has its label, in words.

    The weight of a word for a class says how much the score of the class falls if all occurrences
    of the word are removed from the document. The score is the log-odds of the class,
    ``log(p / (1 - p))``. The rule for new documents is explained, also for documents of the fit.

    Attributes
    ----------
    text : str
        The document as it was given.
    domain : str
        The name of its domain.
    label : object
        The label that is explained: the predicted one, unless another was asked for.
    probabilities : dict of label to float
        Class probabilities of the document, as the model predicts them for new documents.
    source_only : object
        The label by a classifier of the source alone.
    words : list of WordWeight
        The words of the document that the model knows, those with the largest absolute weights for
        ``label`` first.
    spans : list of Span
        Where these words are in ``text``, in order and without overlaps.
    n_left_out : int
        Number of further words of a long document, for which no weights were computed.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus()
    >>> model = Transfer().fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> explanation = model.explain("The kettle is sturdy and quick, but a bit loud.")
    >>> explanation.label
    'positive'
    >>> [word for word, weight in explanation.top_words("positive", 2).supporting]
    ['sturdy', 'quick']
    """

    text: str
    domain: str
    label: Any
    probabilities: dict[Any, float]
    source_only: Any
    words: list[WordWeight]
    spans: list[Span]
    n_left_out: int = 0

    @property
    def classes(self) -> list[Any]:
        """The labels of the classes, in the order of all weights."""
        return list(self.probabilities)

    def top_words(self, label: Any = None, n_words: int = _WORDS_SHOWN) -> TopWords:
        """Return the strongest words for and against a class.

        Parameters
        ----------
        label : object, default=None
            A label of the model; None means ``self.label``.
        n_words : int, default=10
            Largest number of words for, and of words against the class.

        Returns
        -------
        TopWords
            The words for and against the class, with their weights.
        """
        label = self.label if label is None else label
        if label not in self.probabilities:
            known = ", ".join(map(repr, self.probabilities))
            raise ValueError(f"There is no class {label!r}: the classes are {known}.")
        if n_words < 0:
            raise ValueError(f"n_words={n_words!r} must be 0 or more.")
        place = self.classes.index(label)
        weights = [(word.word, word.weights[place]) for word in self.words]
        falling = sorted(weights, key=lambda pair: -pair[1])
        return TopWords(
            [pair for pair in falling if pair[1] > _NEGLIGIBLE][:n_words],
            [pair for pair in reversed(falling) if pair[1] < -_NEGLIGIBLE][:n_words],
        )

    @property
    def note(self) -> str:
        """What to know about the words, in a sentence; empty if there is nothing."""
        if not self.words:
            return "The text has no word that the model knows: its label is meaningless."
        if all(abs(weight) <= _NEGLIGIBLE for word in self.words for weight in word.weights):
            return "No single word changes the probabilities if it is removed."
        if self.n_left_out:
            return (
                f"The text is long: weights were computed for {len(self.words):,} of its words, "
                f"and {self.n_left_out:,} were left out."
            )
        return ""

    def __str__(self) -> str:
        label = f"{self.label} ({self.probabilities[self.label]:.2f})"
        lines = [f"{label}, by the source alone {self.source_only}"]
        # With two classes, the weights for one are those against the other.
        shown = [self.label] if len(self.probabilities) == 2 else self.classes
        for name in shown if self.words else []:
            top = self.top_words(name)
            lines.append(f"for {name}: {_listed(top.supporting)}")
            lines.append(f"against {name}: {_listed(top.opposing)}")
        return "\n".join([*lines, self.note] if self.note else lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: the text with its words marked."""
        from isthmus.inspection.marked_text import explanation_html

        return explanation_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, strings, lists and dicts, for JSON.

        Returns
        -------
        dict
            The attributes by name; labels are text.
        """
        names = [str(label) for label in self.probabilities]
        return {
            "text": self.text,
            "domain": self.domain,
            "label": str(self.label),
            "source_only": str(self.source_only),
            "probabilities": dict(zip(names, self.probabilities.values(), strict=True)),
            "words": [
                {
                    "word": word.word,
                    "n_occurrences": word.n_occurrences,
                    "weights": dict(zip(names, word.weights, strict=True)),
                }
                for word in self.words
            ],
            "spans": [span._asdict() for span in self.spans],
            "n_left_out": self.n_left_out,
        }

    def to_frame(self) -> Any:
        """Return the words as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per word, with its occurrences and a weight per class.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas, which is not installed: pip install pandas, or use "
                "to_dict()."
            ) from None
        rows = [(word.n_occurrences, *word.weights) for word in self.words]
        names = pd.Index([word.word for word in self.words], name="word", dtype=object)
        return pd.DataFrame(rows, index=names, columns=["n_occurrences", *self.classes])


def _listed(words: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {weight:+.2f}" for word, weight in words) or "no word"
