"""Warnings that point at the user's line."""

from __future__ import annotations

import sys
import warnings


class VerdictWarning(UserWarning):
    """The verdict on the labels of a target is "do not use".

    Examples
    --------
    A script that stops instead of going on with bad labels:

    >>> import warnings
    >>> import isthmus
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=20, n_target=20)
    >>> wrong = corpus.source_labels[::-1]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", isthmus.VerdictWarning)
    ...     try:
    ...         model = isthmus.Transfer().fit(corpus.source_texts, wrong, corpus.target_texts)
    ...     except isthmus.VerdictWarning:
    ...         print("The labels should not be used.")
    The labels should not be used.
    """


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn from the first frame outside this package and scikit-learn.

    Pointing into the library would also make Python's filter, which counts by place, hide a second
    warning of another fit.
    """
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_library(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in ("isthmus", "sklearn")
