"""Loader for WebKB: pages of the computer science departments of four universities."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from isthmus.datasets.corpus_files import CORPUS_FILES, read_columns, select_names

__all__ = [
    "WEBKB_CLASSES",
    "WEBKB_FILE",
    "WEBKB_UNIVERSITIES",
    "WEBKB_USUAL_CLASSES",
    "WebKB",
    "load_webkb",
]

WEBKB_FILE = CORPUS_FILES["webkb/webkb_4univ.jsonl.gz"]
WEBKB_UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
"""Universities of WebKB."""
WEBKB_USUAL_CLASSES = ("student", "faculty", "course", "project")
"""Classes of WebKB that papers use."""
WEBKB_CLASSES = (*WEBKB_USUAL_CLASSES, "staff", "department")
"""All classes of WebKB."""


@dataclass(frozen=True)
class WebKB:
    """Web pages with their classes; see :func:`isthmus.datasets.load_webkb`.

    Attributes
    ----------
    texts : list of str
        The pages without tags, comments and scripts.
    labels : list of str
        The class of each page.
    universities : list of str
        The university of each page.
    html : list of str
        The original HTML pages.
    urls : list of str
        The address of each page, which often reveals the class.
    ids : list of str
        ``<class>/<university>/<file name>`` of each page.
    """

    texts: list[str]
    labels: list[str]
    universities: list[str]
    html: list[str]
    urls: list[str]
    ids: list[str]


def load_webkb(
    data_home: str | os.PathLike[str] | None = None,
    classes: str | Collection[str] = WEBKB_USUAL_CLASSES,
    universities: str | Collection[str] | None = None,
) -> WebKB:
    """Load the pages of some classes and universities, in the order of the file.

    The HTTP header of a page is left out because it may reveal the university or the person.

    Parameters
    ----------
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.
    classes : str or collection of str, default=WEBKB_USUAL_CLASSES
        Some of "student", "faculty", "course", "project" (these four by default), "staff" and
        "department" (one page per university). The class "other" is not in the file.
    universities : str or collection of str, default=None
        One or more of "cornell", "texas", "washington", "wisconsin"; by default all.

    Returns
    -------
    WebKB
        Texts, labels, universities, pages, addresses and ids.

    References
    ----------
    Craven, DiPasquo, Freitag, McCallum, Mitchell, Nigam, Slattery: Learning to Extract
    Symbolic Knowledge from the World Wide Web. AAAI 1998.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_webkb
    >>> pages = load_webkb(universities="cornell")  # doctest: +SKIP
    >>> len(pages.texts)  # doctest: +SKIP
    226
    """
    selected_classes = select_names(classes, WEBKB_CLASSES, "class", "WebKB")
    selected_universities = select_names(universities, WEBKB_UNIVERSITIES, "university", "WebKB")
    fields = {
        "texts": "text",
        "labels": "label",
        "universities": "domain",
        "html": "html",
        "urls": "url",
        "ids": "id",
    }
    columns = read_columns(
        WEBKB_FILE, data_home, fields, label=selected_classes, domain=selected_universities
    )
    return WebKB(**columns)
