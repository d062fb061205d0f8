"""Validate the names by which a caller selects parts of a corpus."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["select_names"]


def select_names(
    names: str | Collection[str] | None, known: tuple[str, ...], kind: str, corpus: str
) -> set[str]:
    """Return the selected names as a set.

    Parameters
    ----------
    names : str or collection of str, optional
        One name or several; None for all.
    known : tuple of str
        The existing names.
    kind, corpus : str
        What a name stands for, and the name of the corpus, for error messages.

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
    selected = {names} if isinstance(names, str) else set(names)
    if not selected:
        raise ValueError(f"No {kind} of {corpus} was selected: use one of {', '.join(known)}.")
    unknown = sorted(map(repr, selected.difference(known)))
    if unknown:
        raise ValueError(
            f"Unknown {kind} {', '.join(unknown)} in {corpus}: use one of {', '.join(known)}."
        )
    return selected
