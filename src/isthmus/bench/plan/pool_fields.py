"""The fields of a problem that name its pools of documents without a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isthmus.bench.plan.fields import names, require

__all__ = ["POOL_FIELDS", "read_pools"]

POOL_FIELDS = ("source_pool", "source_pools", "target_pool", "target_pools")


def read_pools(entry: Mapping[str, Any], side: str, where: str) -> tuple[tuple[str, ...], ...]:
    """Return the groups of the pool of every domain of a side; nothing if it has no pool.

    The pool of the one ``source`` is a list of groups, ``source_pool``; for several ``sources``
    there is a list of such lists, ``source_pools``, in which a domain without a pool has ``[]``.
    """
    one, several = f"{side}_pool", f"{side}_pools"
    if f"{side}s" not in entry:
        if several in entry:
            raise ValueError(
                f"The field '{several}' in {where} is for several '{side}s': beside one '{side}' "
                f"write '{one}', a list of groups."
            )
        return (tuple(names(entry, one, where)),) if one in entry else ()
    if one in entry:
        raise ValueError(
            f"The field '{one}' in {where} is for one '{side}': beside '{side}s' write "
            f"'{several}', a list of groups for each of them."
        )
    return _several(entry, side, where) if several in entry else ()


def _several(entry: Mapping[str, Any], side: str, where: str) -> tuple[tuple[str, ...], ...]:
    field = f"{side}_pools"
    found = require(entry, field, list, where)
    domains = require(entry, f"{side}s", list, where)
    if len(found) != len(domains):
        raise ValueError(
            f"The field '{field}' in {where} must have a list of groups for each of the "
            f"{len(domains)} '{side}s', [] for one without a pool, and has {len(found)}."
        )
    pools = tuple(
        tuple(names({"pool": groups}, "pool", f"list {index} of '{field}' of {where}"))
        if groups != []
        else ()
        for index, groups in enumerate(found)
    )
    return pools if any(pools) else ()
