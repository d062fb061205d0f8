"""All that may take part in a benchmark: the methods of the package, and peers."""

from __future__ import annotations

from isthmus.bench.peers.registry import PEERS
from isthmus.estimators.registry import METHODS, Method

__all__ = ["CONTESTANTS", "find_contestant", "is_peer", "missing_package"]

CONTESTANTS: dict[str, Method] = {**METHODS, **PEERS}
"""By name; suites name them in the field ``method`` of an entry."""


def find_contestant(name: str) -> Method:
    """A method or a peer by its name, which a suite has checked."""
    return CONTESTANTS[name]


def is_peer(name: str) -> bool:
    """Whether a contestant comes from another library."""
    return name in PEERS


def missing_package(name: str) -> str | None:
    """The first package that a contestant needs and that is not installed."""
    return PEERS[name].missing if name in PEERS else None
