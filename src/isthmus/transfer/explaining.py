"""Explain labels by the words of the documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from isthmus.domains.labels import plain_label
from isthmus.estimators.base.fitted_model import FittedModel
from isthmus.inspection.counted_words import CountedDocument, make_word_reader
from isthmus.inspection.explanation import Explanation, Span, WordWeight
from isthmus.inspection.word_positions import Position
from isthmus.inspection.word_removal import Variants, removal_weights
from isthmus.text.text_blocks import text_list
from isthmus.transfer.engine import engine_scope
from isthmus.transfer.words import second_view

if TYPE_CHECKING:
    from isthmus.text.character_vectorizer import CharacterVectorizer
    from isthmus.transfer.model import Transfer

__all__ = ["explain", "explain_many"]

# Documents whose rows without a word are in memory at a time.
_BLOCK_DOCUMENTS = 50
# An unknown word with a smaller weight has no known character n-gram either.
_NEGLIGIBLE = 1e-9


def explain(model: Transfer, text: str, domain: str | None = None) -> Explanation:
    """Explain the label of one text; see :meth:`isthmus.Transfer.explain`."""
    if not isinstance(text, str):
        raise ValueError(
            f"text is of type {type(text).__name__}, but one document is explained at a time: pass "
            "it as a string."
        )
    (explanation,) = explain_many(model, [text], domain)
    return explanation


def explain_many(
    model: Transfer, texts: Iterable[str], domain: str | None = None, labels: Any = None
) -> list[Explanation]:
    """Explain the labels of several texts, which is faster than one by one.

    Parameters
    ----------
    model : Transfer
        A fitted or loaded model.
    texts : iterable of str
        The documents.
    domain : str, default=None
        Name of the domain of the texts, by default the target.
    labels : sequence, default=None
        The label to explain of every text, such as the labels of the fit. By default the predicted
        ones.

    Returns
    -------
    list of Explanation
        One per text, in their order; see
        :class:`~isthmus.inspection.explanation.Explanation`.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> from isthmus.transfer.explaining import explain_many
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer("cocc", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> for explanation in explain_many(model, ["A sturdy kettle.", "A flimsy kettle."]):
    ...     (word, weight), *_ = explanation.top_words().supporting
    ...     print(explanation.label, word)
    positive sturdy
    negative flimsy
    """
    model.check_domain(domain)
    texts = text_list(texts)
    labels = None if labels is None else list(labels)
    if labels is not None and len(labels) != len(texts):
        raise ValueError(
            f"There are {len(texts)} texts but {len(labels)} labels: give one label per text."
        )
    explainer = _Explainer(model, domain)
    explanations: list[Explanation] = []
    for start in range(0, len(texts), _BLOCK_DOCUMENTS):
        block = slice(start, start + _BLOCK_DOCUMENTS)
        explanations += explainer.explain(texts[block], None if labels is None else labels[block])
    return explanations


class _Explainer:
    """Explains the labels that a fitted model gives to texts of one domain."""

    def __init__(self, model: Transfer, domain: str | None) -> None:
        self._model = model
        self._number = model._domain_number(domain)
        names = {number: name for name, number in model.domains_.items()}
        self._domain = names[self._number]
        self._classes = [plain_label(label) for label in model.classes_]
        self._characters = _without_html(model.characters_)
        self._read = make_word_reader(
            model.vectorizer_,
            target=self._number < 0,
            # Their character n-grams may be known.
            with_unknown=self._characters is not None,
        )

    def explain(self, texts: Sequence[str], labels: Sequence[Any] | None) -> list[Explanation]:
        prediction = self._model.label(texts, self._domain)
        documents = [self._read(text) for text in texts]
        weights = removal_weights(
            [len(document.words) for document in documents],
            [len(document.text) for document in documents],
            lambda variants: self._predict(documents, variants),
        )
        explained = prediction.labels if labels is None else labels
        return [
            self._explanation(
                text,
                self._class_number(explained[row]),
                prediction.probabilities[row],
                prediction.source_only[row],
                documents[row],
                weights[row],
            )
            for row, text in enumerate(texts)
        ]

    def _predict(self, documents: Sequence[CountedDocument], variants: list[Variants]) -> Any:
        """Return class probabilities in float64, whose logarithms are exact also near 0 and 1.

        They are those of predictions, unless the method has less extreme ones for explanations.
        """
        X = sparse.vstack([documents[i].rows[start:stop] for i, start, stop in variants])
        Z = None
        if self._characters is not None:
            texts = [text for i, *rows in variants for text in documents[i].variants(*rows)]
            Z = self._characters.transform(texts)
        numbers = np.full(X.shape[0], self._number)
        rows = sparse.csr_matrix(X)
        estimator = self._model.estimator_
        with engine_scope(estimator, self._model.engine, rows, refuses=False):
            if type(estimator.model_).explained_memberships is FittedModel.explained_memberships:
                return estimator.predict_proba(rows, numbers, **second_view(Z))
            memberships = estimator.model_.explained_memberships(rows, self._number)
        shift = estimator.log_prior_shift_[self._number]
        return estimator._with_prior(memberships, self._number, shift)

    def _class_number(self, label: Any) -> int:
        label = plain_label(label)
        if label not in self._classes:
            known = ", ".join(map(repr, self._classes))
            raise ValueError(f"labels has {label!r}, which is not a class: classes are {known}.")
        return self._classes.index(label)

    def _explanation(
        self,
        text: str,
        label: int,
        probabilities: NDArray[Any],
        source_only: Any,
        document: CountedDocument,
        weights: NDArray[np.float64],
    ) -> Explanation:
        names = [word.word for word in document.words]
        shown = [
            number
            for number, word in enumerate(document.words)
            if word.is_known or np.abs(weights[number]).max() > _NEGLIGIBLE
        ]
        order = sorted(shown, key=lambda i: (-abs(weights[i, label]), names[i]))
        counted = [document.words[i] for i in order]
        return Explanation(
            text=text,
            domain=self._domain,
            label=self._classes[label],
            probabilities=dict(zip(self._classes, probabilities.tolist(), strict=True)),
            source_only=plain_label(source_only),
            words=[
                WordWeight(word.word, tuple(weights[i].tolist()), word.n_occurrences)
                for i, word in zip(order, counted, strict=True)
            ],
            spans=_disjoint_spans([word.marks for word in counted], len(text)),
            n_left_out=document.n_left_out,
        )


def _disjoint_spans(marks: Sequence[Sequence[Position]], length: int) -> list[Span]:
    """Return the places of all words in order; of places that overlap, that of the first word.

    ``marks`` has the places of every word, the words with the largest weights first.
    """
    is_marked = bytearray(length)
    spans = []
    for number, places in enumerate(marks):
        for start, end, _ in places:
            if not any(is_marked[start:end]):
                is_marked[start:end] = b"\x01" * (end - start)
                spans.append(Span(start, end, number))
    return sorted(spans)


def _without_html(characters: CharacterVectorizer | None) -> CharacterVectorizer | None:
    """Return the same fitted vectorizer for texts without HTML."""
    if characters is None or not characters.html:
        return characters
    plain = clone(characters).set_params(html=False)
    return plain.restore(characters.terms_, characters.weights_)
