"""The directive ``citation``: BibTeX of Isthmus, or of the papers of its methods.

``{citation} isthmus`` reads ``CITATION.cff``, and ``{citation} methods`` the section References of
the docstrings of all methods, so that neither is written twice.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from isthmus import METHODS

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"References\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]+\n---|\Z)", re.DOTALL)
# "A. Author, B. Author. Title. Venue 2010." An initial is one letter before a dot.
REFERENCE = re.compile(
    r"(?P<authors>.+?[^\W\d_]{2})\. (?P<title>.+?)[.?] (?P<venue>[^.?]*?)\b(?P<year>(19|20)\d\d)\b"
)
JOURNALS = {"JMLR"}


@dataclass(frozen=True)
class Paper:
    """A paper as a docstring cites it."""

    authors: tuple[str, ...]
    title: str
    venue: str
    year: str

    @classmethod
    def parse(cls, text: str) -> Paper:
        """The paper of a reference; ValueError if it is written in another way."""
        match = REFERENCE.match(text)
        if match is None:
            raise ValueError(f"This reference is not 'Authors. Title. Venue year.': {text}")
        authors = tuple(match["authors"].split(", "))
        title = match["title"] + ("?" if text[match.end("title")] == "?" else "")
        return cls(authors, title, match["venue"].strip(" ,"), match["year"])

    @property
    def key(self) -> str:
        """The key in BibTeX: surname, year and the first word of the title."""
        surname = self.authors[0].split()[-1]
        word = re.split(r"\W", self.title)[0]
        return f"{surname}{self.year}{word}".lower()

    def bibtex(self) -> str:
        fields = {"author": " and ".join(self.authors), "title": f"{{{self.title}}}"}
        # Journals have a volume, as in "Machine Learning 42" or "Applied Statistics 28 (1)".
        volume = re.fullmatch(r"(.+?) (\d+)(?: \((\d+)\))?", self.venue)
        if volume is not None:
            names = ("journal", "volume", "number")
            pairs = zip(names, volume.groups(), strict=True)
            fields |= {name: part for name, part in pairs if part}
        else:
            fields["journal" if self.venue in JOURNALS else "booktitle"] = self.venue
        kind = "article" if "journal" in fields else "inproceedings"
        return _entry(kind, self.key, {**fields, "year": self.year})

    def __str__(self) -> str:
        comma = "," if self.venue[-1] in "0123456789)" else ""
        end = "" if self.title.endswith("?") else "."
        return f"{', '.join(self.authors)}. {self.title}{end} {self.venue}{comma} {self.year}."


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def papers_of_methods() -> dict[Paper, list[str]]:
    """All papers with the names of the methods that cite them, in the order of the methods."""
    papers: dict[Paper, list[str]] = {}
    for method in METHODS.values():
        section = SECTION.search(inspect.getdoc(method.estimator_class) or "")
        for text in section[1].split("\n\n") if section else []:
            papers.setdefault(Paper.parse(" ".join(text.split())), []).append(method.name)
    return papers


def isthmus_lines() -> list[str]:
    """BibTeX of this version, from ``CITATION.cff``."""
    record = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    fields = {
        "title": f"{{{record['title']}}}",
        "author": " and ".join(f"{{{author['name']}}}" for author in record["authors"]),
        "version": str(record["version"]),
        "license": record["license"],
    }
    return ["```bibtex", *_entry("software", "isthmus", fields).splitlines(), "```"]


def method_lines() -> list[str]:
    """A list of the papers with their methods, and their BibTeX."""
    papers = papers_of_methods()
    items = [
        f"- {', '.join(f'`{name}`' for name in dict.fromkeys(methods))}: {paper}"
        for paper, methods in papers.items()
    ]
    entries = "\n\n".join(paper.bibtex() for paper in papers)
    return [*items, "", "BibTeX of all of them:", "", "```bibtex", *entries.splitlines(), "```"]


class Citation(SphinxDirective):
    """Insert the BibTeX of Isthmus or of the papers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        (subject,) = self.arguments
        if subject not in ("isthmus", "methods"):
            raise self.error(f"There is no citation of {subject!r}: use 'isthmus' or 'methods'.")
        lines = isthmus_lines() if subject == "isthmus" else method_lines()
        self.env.note_dependency(ROOT / "CITATION.cff")
        for method in METHODS.values():
            self.env.note_dependency(inspect.getfile(method.estimator_class))
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("citation", Citation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
