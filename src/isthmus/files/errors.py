"""The error of this package, and parts of messages that several modules use."""

from __future__ import annotations

__all__ = ["NAME_ENCODING", "DocumentFileError", "NoDocumentsError", "subject", "unreadable"]

#: What to do about a file in another encoding; callers without these options replace it.
NAME_ENCODING = (
    "name its encoding with encoding= (on the command line --encoding, or --target-encoding for "
    "the target)"
)


class DocumentFileError(ValueError):
    """A file of documents or results that cannot be read or written.

    The message is one sentence: what is wrong, in which file and line, and what to do.

    Examples
    --------
    >>> from isthmus.files import DocumentFileError, open_documents
    >>> try:
    ...     file = open_documents("no-such-file.csv")
    ... except DocumentFileError as error:
    ...     print(error)
    There is no file or folder 'no-such-file.csv': check the name.
    """


class NoDocumentsError(DocumentFileError):
    """A file that could be read but contains no documents."""


def subject(name: str) -> str:
    """Return a file's name as the subject of a sentence: "The file 'a.csv'"."""
    return f"The file {name}" if name.startswith("'") else name[0].upper() + name[1:]


def unreadable(name: str, error: OSError) -> DocumentFileError:
    """Return an error of the operating system as one sentence about a file."""
    if isinstance(error, FileNotFoundError):
        return DocumentFileError(f"There is no file or folder {name}: check the name.")
    if isinstance(error, PermissionError):
        remedy = "change its permissions or make a copy"
    else:
        remedy = "check the disk and the name, or make a copy"
    return DocumentFileError(f"Cannot read {name} ({error.strerror or error}): {remedy}.")
