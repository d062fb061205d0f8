"""Check the names by which a caller chooses parts of a corpus."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["choose"]


def choose(
    names: str | Collection[str] | None, known: tuple[str, ...], kind: str, corpus: str
) -> set[str]:
    """Return the names wanted.

    Parameters
    ----------
    names : str or collection of str, optional
        One name or several; None for all.
    known : tuple of str
        The names that there are.
    kind, corpus : str
        What the error calls such a name and its corpus.

    Returns
    -------
    set of str
        One or more of ``known``.

    Raises
    ------
    ValueError
        If a name is unknown, or none is given.
    """
    if names is None:
        return set(known)
    wanted = {names} if isinstance(names, str) else set(names)
    unknown = sorted(map(repr, wanted.difference(known)))
    if unknown or not wanted:
        raise ValueError(
            f"There is no {kind} {', '.join(unknown) or 'chosen'} in {corpus}: "
            f"choose among {', '.join(known)}."
        )
    return wanted
