"""What people look at: the report, plots, tables and the display in notebooks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isthmus.transfer.plotting import PlottingMixin

if TYPE_CHECKING:
    from isthmus.estimators.base.verdict import Verdict
    from isthmus.inspection.sample import DomainSample
    from isthmus.transfer.prediction import Prediction

__all__ = ["DEFAULT_MAX_TEXTS", "ReportingMixin"]

DEFAULT_MAX_TEXTS = 1_500


class ReportingMixin(PlottingMixin):
    """The methods of :class:`isthmus.Transfer` that show a result."""

    classes_: Any
    domains_: Mapping[str, int]
    targets_: Mapping[str, Prediction]
    report_sample_: Mapping[str, DomainSample]
    verdicts_: Mapping[str, Verdict]

    if TYPE_CHECKING:  # of the class that this one is mixed into

        def __sklearn_is_fitted__(self) -> bool: ...

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        domain: str | None = None,
        max_texts: int = DEFAULT_MAX_TEXTS,
        title: str | None = None,
    ) -> None:
        """Write a report of the fitted texts: one HTML page that needs no network.

        It shows the verdict, what was read, the labels found, the words behind them, the documents
        to look at and to label first, a map of the documents, and the settings. It contains words
        and some texts of your documents.

        Parameters
        ----------
        path : path
            The HTML file. An existing one is replaced.
        domain : str, default=None
            Name of the target. Required if several targets were fitted.
        max_texts : int, default=1500
            At most this many texts are shown, cut to 2,000 characters; 0 leaves out all texts.
            Single words are shown nevertheless.
        title : str, default=None
            Title of the page. By default it names source and target.
        """
        from isthmus.transfer.report_facts import write_report

        target = self._reported_target(domain, "report()")
        write_report(self, path, target, max_texts=max_texts, title=title)  # type: ignore[arg-type]

    def to_frame(self, domain: str | None = None) -> Any:
        """Return the labels of the fitted target texts as a pandas data frame.

        Parameters
        ----------
        domain : str, default=None
            Name of the target. Required if several targets were fitted.

        Returns
        -------
        pandas.DataFrame
            One row per text, with the index of the pandas Series of texts if it was one. Columns:

            - ``label`` and ``confidence``, the probability of the label;
            - ``source_only``, the label by a classifier of the source alone, and ``agrees``,
              whether both are the same;
            - ``disputed``, whether that classifier or a member of the automatic method gives
              another label;
            - ``given``, whether the label of the text was given;
            - ``without_words``, whether the text has no word that the model knows, so that its
              label is meaningless.
        """
        from isthmus.transfer.frame import target_frame

        return target_frame(self, self._reported_target(domain, "to_frame()"))  # type: ignore[arg-type]

    @property
    def _repr_html_(self) -> Any:
        """What a notebook shows: a summary of the fit; scikit-learn's diagram before it.

        A property as in scikit-learn, because there is no HTML if its option ``display`` is "text".
        """
        diagram = super()._repr_html_  # type: ignore[misc]
        return self._summary_html if self.__sklearn_is_fitted__() else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """The same for Jupyter, which prefers this to ``_repr_html_``."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if self.__sklearn_is_fitted__() and "text/html" in bundle:
            bundle["text/html"] = self._summary_html()
        return bundle

    def _summary_html(self) -> str:
        from isthmus.report.notebook import render_summary
        from isthmus.transfer.summary_facts import summarize_targets

        return render_summary(summarize_targets(self))  # type: ignore[arg-type]

    def _reported_target(self, domain: str | None, purpose: str) -> str:
        """The name of the target to show; ValueError if it is not known or was not fitted here."""
        number = self._domain_number(domain)  # type: ignore[attr-defined]
        (name,) = (name for name, other in self.domains_.items() if other == number)
        if number >= 0:
            raise ValueError(f"{name!r} is a source: {purpose} is about a target.")
        if "report_sample_" not in vars(self):
            raise ValueError(
                f"{purpose} is about the fitted texts, which a model file does not hold: call it "
                "before the model is saved, or fit again."
            )
        return str(name)
