"""Every peer, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from isthmus.estimators.registry import Method

__all__ = ["PEERS", "Peer"]


@dataclass(frozen=True)
class Peer(Method):
    """A method of another library behind an estimator that the benchmark can run."""

    packages: tuple[str, ...] = ()
    """What has to be installed, by the names that are imported."""
    input: str | None = None
    """The only kind of vectors that it takes; None for those that an entry names."""

    @property
    def missing(self) -> str | None:
        """The first package that is not installed."""
        return next((name for name in self.packages if find_spec(name) is None), None)


PEERS: dict[str, Peer] = {}
