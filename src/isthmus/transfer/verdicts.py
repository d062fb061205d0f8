"""The verdicts on the labels of the targets, and their form in model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isthmus._warnings import VerdictWarning, warn_user
from isthmus.estimators.base.verdict import DO_NOT_USE, Verdict
from isthmus.storage.container import ModelFileError
from isthmus.transfer.texts import DEFAULT_TARGET

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer

__all__ = [
    "pack_verdicts",
    "set_verdicts",
    "unpack_verdicts",
    "warn_of_verdicts",
]


def warn_of_verdicts(model: Transfer) -> None:
    """Warn about every target whose labels should not be used."""
    for name, verdict in model.verdicts_.items():
        if verdict.decision == DO_NOT_USE:
            reason = f" {verdict.reasons[0]}" if verdict.reasons else ""
            warn_user(
                f'The verdict on the labels of {name!r} is "{DO_NOT_USE}" (estimated accuracy '
                f"{verdict.accuracy}).{reason} See verdict_.",
                VerdictWarning,
            )


def set_verdicts(model: Transfer, by_number: Mapping[int, Verdict], as_mapping: bool) -> None:
    """Set the verdicts of a model by target name, and ``verdict_`` in the form of ``labels_``."""
    model.verdicts_ = {
        name: by_number[number] for name, number in model.domains_.items() if number in by_number
    }
    model.verdict_ = model.verdicts_ if as_mapping else model.verdicts_.get(DEFAULT_TARGET)


def pack_verdicts(model: Transfer) -> dict[str, Any]:
    """Return the verdicts of a model as plain data."""
    return {
        "as_mapping": isinstance(model.verdict_, dict),
        "targets": {name: verdict.to_dict() for name, verdict in model.verdicts_.items()},
    }


def unpack_verdicts(state: Any, model: Transfer) -> None:
    """Set the verdicts of a model that was read from a file; a file may have none."""
    if state is None:
        state = {"as_mapping": DEFAULT_TARGET not in model.domains_, "targets": {}}
    if not isinstance(state, dict) or set(state) != {"as_mapping", "targets"}:
        raise ModelFileError("the verdict has other fields than expected")
    as_mapping, targets = state["as_mapping"], state["targets"]
    names = {name for name, number in model.domains_.items() if number < 0}
    if not isinstance(as_mapping, bool) or not (as_mapping or names == {DEFAULT_TARGET}):
        raise ModelFileError("the verdict does not match the targets")
    if not isinstance(targets, dict) or not set(targets) <= names:
        raise ModelFileError("the verdict does not match the targets")
    try:
        by_number = {
            model.domains_[name]: Verdict.from_dict(record, model.classes_.tolist())
            for name, record in targets.items()
        }
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    set_verdicts(model, by_number, as_mapping)
