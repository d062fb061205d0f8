"""The figures of a fitted model, as ``model.plot``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isthmus._docstrings import share_entries
from isthmus.report.curves import draw_convergence, draw_coverage
from isthmus.report.map import draw_map
from isthmus.report.shares import draw_shares
from isthmus.report.words import draw_clusters, draw_words
from isthmus.transfer.target_report import TargetReport, find_target

if TYPE_CHECKING:
    from isthmus.inspection.word_sides import ClassWords
    from isthmus.report.figure import Figure
    from isthmus.transfer.model import Transfer

__all__ = ["Plots"]

# Columns of the figure of word clusters, besides that of the target.
_MAX_SOURCES = 3


@share_entries
class Plots:
    """The figures of a fitted model: ``model.plot.words()`` and so on.

    Every method returns a :class:`~isthmus.report.figure.Figure`, which a notebook shows and
    ``save("words.svg")`` writes to a file. The report has the same figures.

    Parameters
    ----------
    model : Transfer
        The fitted model.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer("mtrick", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> model.plot.word_clusters()
    Figure(description='Word clusters: 2 clusters with their words in 2 domains.')
    >>> figure = model.plot.words("positive")
    >>> "sturdy" in figure.svg
    True
    >>> figure.save("words.svg")  # doctest: +SKIP
    """

    def __init__(self, model: Transfer) -> None:
        self._model = model

    def label_shares(self, domain: str | None = None) -> Figure:
        """Draw how many documents every class has in the source and in the target.

        There are three bars per class: given labels of the source, labels found in the target, and
        labels of the target by the source-only classifier. The 16 classes with most labels are
        shown.

        Parameters
        ----------
        domain : str, default=None
            Name of the target. Required if several targets were fitted.

        Returns
        -------
        Figure
            The figure.
        """
        return draw_shares(self._facts(domain, "plot.label_shares()").shares()).figure()

    def confidence(self, domain: str | None = None) -> Figure:
        """Draw the confidence of the labels against the part of the documents that is kept.

        If only the most certain labels are kept, the solid line is their mean confidence, and the
        dashed line the least one, which is the ``min_confidence`` that keeps them. The mean
        confidence of the automatic method is an estimate of the accuracy; other methods are not
        calibrated. Texts without a known word and given labels do not count.

        Returns
        -------
        Figure
            The figure.
        """
        parts = self._facts(domain, "plot.confidence()")
        curve = parts.coverage()
        if curve is None:
            raise ValueError(f"No text of {parts.target.name!r} has a word that the model knows.")
        return draw_coverage(curve).figure()

    def words(self, label: Any = None, domain: str | None = None) -> Figure:
        """Draw the words of both domains by the side that they take.

        The weight of a word is a log odds ratio: positive if documents with the word have the
        class more often. The weight in the source (by given labels) is on the horizontal axis, the
        weight in the target (by the labels found) on the vertical one. Words near the rising
        diagonal mean the same in both domains. Words of one domain only are in the margins.

        Parameters
        ----------
        label : object, default=None
            The class. None means the second of two classes, and of several classes the one with
            most labels found.

        Returns
        -------
        Figure
            The figure.
        """
        parts = self._facts(domain, "plot.words()")
        words = _words_of(parts, label)
        return draw_words(words, parts.classes, (parts.source_name, parts.target.name)).figure()

    def word_clusters(self, domain: str | None = None) -> Figure:
        """Draw the words of the word clusters, one row per cluster and one column per domain.

        The bar behind the class says how strongly the cluster is associated with it. The 16
        clusters with the strongest association are shown, and at most three sources. Only some
        methods have word clusters, such as MTrick and DKT; see ``has_word_clusters``.

        Returns
        -------
        Figure
            The figure.
        """
        parts = self._facts(domain, "plot.word_clusters()")
        clusters = parts.clusters()
        if not clusters:
            name = type(self._model.estimator_).__name__
            raise ValueError(f"{name} has no word clusters: use plot.words().")
        domains = [part.name for part in (*parts.sources[:_MAX_SOURCES], parts.target)]
        return draw_clusters(clusters, parts.classes, domains).figure()

    def map(self, domain: str | None = None) -> Figure:
        """Draw documents of both domains in two dimensions (t-SNE of their words).

        Documents with many words in common are near each other. Colors are classes: given in the
        source, found in the target. Shapes are domains. At most 400 documents of each side are
        shown. Labels are not used for the places, and distances between far groups mean nothing.

        Returns
        -------
        Figure
            The figure.
        """
        from isthmus.transfer.reporting import document_map

        parts = self._facts(domain, "plot.map()")
        shown = document_map(parts, 0)
        if shown is None:
            raise ValueError("plot.map() needs at least three documents with words and a label.")
        return draw_map(shown, parts.classes, (parts.source_name, parts.target.name)).figure()

    def convergence(self, domain: str | None = None) -> Figure:
        """Draw the objective by iteration, for methods that have one.

        Parameters
        ----------
        domain : str, default=None
            Name of the target. Required if several targets were fitted, as for the other figures,
            although all domains have one objective.

        Returns
        -------
        Figure
            The figure.
        """
        objective = self._facts(domain, "plot.convergence()").objective()
        if objective is None:
            estimator = self._model.estimator_
            reason = (
                "it combines other methods, see estimator_.members_"
                if hasattr(estimator, "members_")
                else "there is nothing to plot"
            )
            name = type(estimator).__name__
            raise ValueError(f"{name} has no objective by iteration: {reason}.")
        return draw_convergence(objective).figure()

    def _facts(self, domain: str | None, purpose: str) -> TargetReport:
        return TargetReport(self._model, find_target(self._model, domain, purpose))


def _words_of(parts: TargetReport, label: Any) -> ClassWords:
    """The words of a class; ValueError if there are none."""
    if label is not None and label not in parts.classes:
        known = ", ".join(map(repr, parts.classes[:10]))
        more = ", ..." if len(parts.classes) > 10 else ""
        raise ValueError(f"There is no class {label!r}: the classes are {known}{more}.")
    words = parts.words()
    if not words:
        raise ValueError(
            "There are no words to plot: the vectorizer does not know its words, or the source "
            "has one class only."
        )
    if label is None:
        n_found = {share.label: share.n_found for share in parts.shares()}
        return max(words, key=lambda part: n_found[part.label])
    for part in words:
        if part.label == label:
            return part
    if len(parts.classes) == 2:
        return words[0].mirrored(label)
    raise ValueError(f"No text of the source has the label {label!r}, so it has no words.")
