"""The one error of this room, and advice that several of its sentences give."""

from __future__ import annotations

__all__ = ["NAME_ENCODING", "DocumentFileError", "subject"]

#: What to do about a file of another encoding; a caller without such options says it otherwise.
NAME_ENCODING = (
    "name its encoding with encoding= (on the command line --encoding, of the target "
    "--target-encoding)"
)


class DocumentFileError(ValueError):
    """A file of documents, or of results, that cannot be used as it is.

    The message is one sentence: what is wrong, in which file and line, and what to do.
    """


def subject(name: str) -> str:
    """Return a file's name as a sentence begins with it: "The file 'a.csv'", "Standard input"."""
    return f"The file {name}" if name.startswith("'") else name[0].upper() + name[1:]
