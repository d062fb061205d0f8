"""Plots of a fitted model, for notebooks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isthmus.inspection.word_sides import ClassWords
    from isthmus.transfer.target_report import TargetReport

__all__ = ["PlottingMixin"]

# Columns of the plot of word clusters, besides that of the target.
_MAX_SOURCES = 3


class PlottingMixin:
    """The methods of :class:`isthmus.Transfer` that plot a result.

    Every method checks its arguments and collects the facts before a figure is made, so that an
    error leaves no empty figure.
    """

    estimator_: Any

    if TYPE_CHECKING:  # of the class that this one is mixed into

        def _reported_target(self, domain: str | None, purpose: str) -> str: ...

    def plot_label_shares(self, ax: Axes | None = None, domain: str | None = None) -> Axes:
        """Plot how many documents every class has in the source and in the target.

        There are three bars per class: given labels of the source, labels found in the target, and
        labels of the target by the source-only classifier. The 16 classes with most labels are
        shown. All plots need matplotlib (the extra ``report``).

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        domain : str, default=None
            Name of the target. Required if several targets were fitted.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from isthmus.report.plots import draw_label_shares

        return draw_label_shares(ax, self._plotted(domain, "plot_label_shares()").shares())

    def plot_confidence(self, ax: Axes | None = None, domain: str | None = None) -> Axes:
        """Plot the confidence of the labels against the part of the documents that is kept.

        If only the most certain labels are kept, the solid line is their mean confidence, and the
        dashed line the least one, which is the ``min_confidence`` that keeps them. The mean
        confidence of the automatic method is an estimate of the accuracy; other methods are not
        calibrated. Texts without a known word and given labels do not count.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        domain : str, default=None
            Name of the target. Required if several targets were fitted.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from isthmus.report.plots import draw_confidence

        parts = self._plotted(domain, "plot_confidence()")
        curve = parts.coverage()
        if curve is None:
            raise ValueError(f"No text of {parts.target.name!r} has a word that the model knows.")
        return draw_confidence(ax, curve)

    def plot_words(
        self, label: Any = None, ax: Axes | None = None, domain: str | None = None
    ) -> Axes:
        """Plot the words of both domains by the side that they take.

        The weight of a word is a log odds ratio: positive if documents with the word have the
        class more often. The weight in the source (by given labels) is on the horizontal axis, the
        weight in the target (by the labels found) on the vertical one. Words near the rising
        diagonal mean the same in both domains. Words of one domain only are in the margins.

        Parameters
        ----------
        label : object, default=None
            The class. None means the second of two classes, and of several classes the one with
            most labels found.
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        domain : str, default=None
            Name of the target. Required if several targets were fitted.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from isthmus.report.plots import draw_words

        parts = self._plotted(domain, "plot_words()")
        words = _words_of(parts, label)
        others = [other for other in parts.classes if other != words.label]
        other = others[0] if len(others) == 1 else None
        return draw_words(ax, words, (parts.source_name, parts.target.name), other)

    def plot_word_clusters(self, ax: Axes | None = None, domain: str | None = None) -> Axes:
        """Plot the words of the word clusters, one row per cluster and one column per domain.

        The bar behind the class says how strongly the cluster is associated with it. The 16
        clusters with the strongest association are shown, and at most three sources. Only some
        methods have word clusters, such as MTrick and DKT; see ``has_word_clusters``.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        domain : str, default=None
            Name of the target. Required if several targets were fitted.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from isthmus.report.plots import draw_word_clusters

        parts = self._plotted(domain, "plot_word_clusters()")
        clusters = parts.clusters()
        if not clusters:
            raise ValueError(
                f"{type(self.estimator_).__name__} has no word clusters: use plot_words()."
            )
        domains = [part.name for part in (*parts.sources[:_MAX_SOURCES], parts.target)]
        return draw_word_clusters(ax, clusters, parts.classes, domains)

    def plot_map(self, ax: Axes | None = None, domain: str | None = None) -> Axes:
        """Plot documents of both domains in two dimensions (t-SNE of their words).

        Documents with many words in common are near each other. Colors are classes: given in the
        source, found in the target. Markers are domains. At most 400 documents of each side are
        shown. Labels are not used for the places, and distances between far groups mean nothing.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        domain : str, default=None
            Name of the target. Required if several targets were fitted.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from isthmus.report.plots import draw_map
        from isthmus.transfer.report_documents import document_map

        parts = self._plotted(domain, "plot_map()")
        shown = document_map(parts, 0)
        if shown is None:
            raise ValueError("plot_map() needs at least three documents with words and a label.")
        return draw_map(ax, shown, parts.classes, (parts.source_name, parts.target.name))

    def plot_convergence(self, ax: Axes | None = None, domain: str | None = None) -> Axes:
        """Plot the objective by iteration, for methods that have one.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        domain : str, default=None
            Name of the target. Required if several targets were fitted, as for the other plots,
            although all domains have one objective.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from isthmus.report.plots import draw_convergence

        objective = self._plotted(domain, "plot_convergence()").objective()
        if objective is None:
            name = type(self.estimator_).__name__
            reason = (
                "it combines other methods, see estimator_.members_"
                if hasattr(self.estimator_, "members_")
                else "there is nothing to plot"
            )
            raise ValueError(f"{name} has no objective by iteration: {reason}.")
        return draw_convergence(ax, objective)

    def _plotted(self, domain: str | None, purpose: str) -> TargetReport:
        """The facts about the target to plot; an error if there is nothing to plot it with."""
        from isthmus.report.plots import check_matplotlib
        from isthmus.transfer.target_report import TargetReport

        target = self._reported_target(domain, purpose)
        check_matplotlib(purpose)
        return TargetReport(self, target)  # type: ignore[arg-type]


def _words_of(parts: TargetReport, label: Any) -> ClassWords:
    """The words of a class; ValueError if there are none."""
    if label is not None and label not in parts.classes:
        known = ", ".join(map(repr, parts.classes[:10]))
        more = ", ..." if len(parts.classes) > 10 else ""
        raise ValueError(f"There is no class {label!r}: the classes are {known}{more}.")
    words = parts.words()
    if not words:
        raise ValueError(
            "There are not words to plot: the vectorizer does not know its words, or the source "
            "has one class only."
        )
    if label is None:
        n_found = {share.label: share.n_found for share in parts.shares()}
        return max(words, key=lambda part: n_found[part.label])
    for part in words:
        if part.label == label:
            return part
    if len(parts.classes) == 2:  # the other class mirrors this one
        return _mirrored(words[0], label)
    raise ValueError(f"No text of the source has the label {label!r}, so it has no words.")


def _mirrored(words: ClassWords, label: Any) -> ClassWords:
    def negative(weight: float | None) -> float | None:
        return None if weight is None else -weight

    points = [
        replace(
            point,
            source_weight=negative(point.source_weight),
            target_weight=negative(point.target_weight),
        )
        for point in words.points
    ]
    return replace(words, label=label, points=points)
