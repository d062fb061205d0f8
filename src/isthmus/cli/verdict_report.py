"""The verdict on the predicted labels, in lines of text and in one error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isthmus.estimators.base.verdict import CHECK_FIRST, DO_NOT_USE, USE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from isthmus.cli.output import Console
    from isthmus.estimators.base.verdict import Verdict
    from isthmus.transfer.model import Transfer

__all__ = ["check_verdict", "print_verdict", "warn_of_verdicts"]

_COLORS = {USE: "green", CHECK_FIRST: "yellow", DO_NOT_USE: "red"}
_CLASSES_SHOWN = 10


def print_verdict(verdict: Verdict, method: str, print_line: Callable[..., None]) -> None:
    """Print the decision, the estimates and the reasons, with a method of the console."""
    print_line(f"Verdict: {verdict.decision}.", style=_COLORS[verdict.decision])
    print_line(
        f"Estimated accuracy of {method}: {verdict.accuracy}; of the source-only classifier: "
        f"{verdict.source_only_accuracy}."
    )
    if verdict.class_prior:
        intervals = verdict.class_prior.values()
        kind = "Given" if all(part.low == part.high for part in intervals) else "Estimated"
        print_line(f"{kind} class proportions: {_shown_proportions(verdict)}.")
    for reason in verdict.reasons:
        print_line(f"- {reason}")


def check_verdict(model: Transfer, console: Console) -> None:
    """Raise RuntimeError if the labels of a target should not be used, after the verdict."""
    for name in model.targets_:
        verdict = model.verdicts_.get(name)
        method = type(model.estimator_).__name__
        if verdict is None:
            raise RuntimeError(f"{method} gives no verdict on '{name}': leave out --strict.")
        if verdict.decision == DO_NOT_USE:
            print_verdict(verdict, method, console.info)
            raise RuntimeError(
                f"The verdict on the labels of '{name}' is \"{DO_NOT_USE}\", with an estimated "
                f"accuracy of {verdict.accuracy}, and --strict is set, so nothing was written: "
                "leave out --strict to write them."
            )


def warn_of_verdicts(verdicts: Mapping[str, Verdict], console: Console) -> None:
    """Warn if the labels of a target were not to be used when the model was fitted."""
    for name, verdict in verdicts.items():
        if verdict.decision == DO_NOT_USE:
            console.warn(
                f"When this model was fitted, the verdict on the labels of '{name}' was "
                f'"{DO_NOT_USE}" (estimated accuracy {verdict.accuracy}).'
            )


def _shown_proportions(verdict: Verdict) -> str:
    largest = sorted(verdict.class_prior.items(), key=lambda item: -item[1].value)
    shown = [
        f"{label} {100 * part.value:.0f} %" if part.low == part.high else f"{label} {part}"
        for label, part in largest[:_CLASSES_SHOWN]
    ]
    n_hidden = len(largest) - len(shown)
    return ", ".join(shown) + (f" and {n_hidden} more" if n_hidden else "")
