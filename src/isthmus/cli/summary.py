"""The summary of ``isthmus classify``: its predictions, how far to trust them, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isthmus.cli.input_checks import shown_counts
from isthmus.cli.output import count, report_abstentions, rounded
from isthmus.estimators.base.verdict import CHECK_FIRST, DO_NOT_USE, USE

if TYPE_CHECKING:
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.output import ClassifyOutput, Console
    from isthmus.estimators.base.verdict import Verdict
    from isthmus.text.translation import Coverage
    from isthmus.transfer.model import Transfer

__all__ = [
    "check_verdict",
    "coverage_record",
    "print_verdict",
    "report_predictions",
    "warn_of_verdicts",
]

# Below this agreement, the initial classifier and the result disagree on some pair of classes
# about as often as at random.
_LOW_INIT_AGREEMENT = 0.55
_CLASSES_SHOWN = 10
_FEW_DOCUMENTS = 30
_WORDS_SHOWN = 10
_COLORS = {USE: "green", CHECK_FIRST: "yellow", DO_NOT_USE: "red"}
_PRIOR_ORIGINS = {"source": "those of the source", "estimate": "estimated without labels"}


def report_predictions(
    model: Transfer,
    sources: list[InputFile],
    target: InputFile,
    output: ClassifyOutput,
    console: Console,
    stage_seconds: Mapping[str, float],
) -> None:
    """Print the predictions per class, warnings, where the files are, and last the verdict."""
    ((target_name, prediction),) = model.targets_.items()
    labels = prediction.labels_at(output.min_confidence)
    is_labeled = np.array([label is not None for label in labels])
    n_without_label = int((~is_labeled).sum())
    agrees = (prediction.labels == prediction.source_only)[is_labeled]
    agreement = float(agrees.mean()) if len(agrees) else None
    counts = Counter(labels[is_labeled].tolist())
    class_counts = {name: counts[name] for name in model.classes_.tolist()}
    n_without_words = int(prediction.without_words.sum())
    languages = _report_languages(model, console)
    members = _report_members(model, console)
    console.print(f"Predicted labels: {shown_counts(class_counts)}.")
    class_prior = _report_class_prior(model, console)
    if agreement is not None:
        console.print(
            f"{100 * agreement:.1f} % of them agree with a classifier trained on the source alone "
            "(column 'source_only'). To find out which is right, label a sample by hand and run: "
            "isthmus evaluate"
        )
    report_abstentions(n_without_label, len(labels), output.min_confidence, console)
    if n_without_words:
        console.warn(
            f"{count(n_without_words, 'document')} of the target contain no known word: their "
            "labels are meaningless."
        )
    _warn_about_low_agreement(model, console)
    saved = f" The model is in {output.save_model}." if output.save_model else ""
    reported = f" The report is in {output.report}." if output.report else ""
    console.print(f"Predictions are in {output.output}.{saved}{reported}")
    console.print_timings(stage_seconds, model.engine_)
    verdict = model.verdicts_.get(target_name)
    if verdict is not None:
        print_verdict(verdict, type(model.estimator_).__name__, console.print)
    console.print_json(
        {
            "sources": [
                {
                    "path": str(source.path),
                    "documents": source.n_documents,
                    "unlabeled": source.n_documents - source.n_labeled,
                    "text_col": source.file.text_col,
                    "label_col": source.file.label_col,
                    "classes": source.class_counts,
                }
                for source in sources
            ],
            "target": {
                "path": str(target.path),
                "documents": target.n_documents,
                "text_col": target.file.text_col,
                "labels": {str(name): size for name, size in class_counts.items()},
                "without_label": n_without_label,
                "without_known_words": n_without_words,
            },
            "method": type(model.estimator_).__name__,
            "iterations": getattr(model.estimator_, "n_iter_", None),
            **members,
            "terms": len(model.vectorizer_.terms_),
            "weighting": model.vectorizer_.weighting,
            **languages,
            **class_prior,
            "agreement_with_source_only": None if agreement is None else round(agreement, 4),
            "verdict": {name: verdict.to_dict() for name, verdict in model.verdicts_.items()},
            "output": str(output.output),
            "model": None if output.save_model is None else str(output.save_model),
            "report": None if output.report is None else str(output.report),
            "engine": model.engine_,
            "timings": rounded(stage_seconds),
        }
    )


def coverage_record(coverage: Coverage) -> dict[str, Any]:
    """Return how many words of the target have a counterpart in the source, as plain data."""
    return {
        "words": dict(coverage.words),
        "tokens": dict(coverage.tokens),
        "dictionary_pairs": coverage.n_pairs,
        "unused_translations": coverage.unused_translations,
        "frequent_unknown": [word for word, _ in coverage.frequent_unknown],
    }


def _report_languages(model: Transfer, console: Console) -> dict[str, Any]:
    """Print the languages of the texts and the coverage of the dictionary; return them as data."""
    from isthmus.text.language_detection import AUTO
    from isthmus.text.languages import find_language

    vectorizer = model.vectorizer_
    coverage = getattr(vectorizer, "coverage_", None)
    if coverage is not None:
        languages = [
            find_language(part.language_) for part in (vectorizer.source_, vectorizer.target_)
        ]
        source, target = (language or "an unnamed language" for language in languages)
        console.info(f"From {source} to {target}.")
        _report_coverage(coverage, console)
        return {"languages": languages, "coverage": coverage_record(coverage)}
    if vectorizer.language == AUTO:
        console.info(f"The language of the texts is {vectorizer.language_}.")
        return {"language": vectorizer.language_}
    return {}


def _report_coverage(coverage: Coverage, console: Console) -> None:
    console.info(f"Counted words of the target: {coverage}.")
    if coverage.frequent_unknown:
        words = ", ".join(word for word, _ in coverage.frequent_unknown[:_WORDS_SHOWN])
        missing = ", not in the dictionary" if coverage.n_pairs else ""
        console.info(f"Most frequent unknown words{missing}: {words}.")
    if coverage.unused_translations:
        console.info(
            f"{count(coverage.unused_translations, 'more unknown word')} in the dictionary, with "
            "translations that do not occur in the source."
        )
    if not coverage.n_pairs:
        console.warn(
            "Without a dictionary, only words that both languages spell alike are shared: name one "
            "with --dictionary."
        )


def _report_members(model: Transfer, console: Console) -> dict[str, Any]:
    """Print which members of the automatic method were left out; return all of them as data."""
    from isthmus.estimators.ensemble.judge import gives_verdicts

    if not gives_verdicts(model.estimator_):
        return {}
    members = model.estimator_.members_
    left_out: dict[str, list[str]] = {}
    for member in members:
        if member.left_out:
            left_out.setdefault(member.note.rstrip("."), []).append(member.name)
    for note, names in left_out.items():
        console.warn(f"{', '.join(names)}: {note}.")
    return {
        "members": [
            {
                "name": member.name,
                "seconds": round(member.seconds, 3),
                "left_out": member.left_out,
                "note": member.note,
            }
            for member in members
        ]
    }


def _report_class_prior(model: Transfer, console: Console) -> dict[str, Any]:
    """Print the class prior that was applied to the target, if any; return it as data."""
    from isthmus.estimators.ensemble.judge import gives_verdicts

    setting = model.estimator_.class_prior
    if setting is None:
        return {}
    if isinstance(setting, str) and setting == "estimate" and gives_verdicts(model.estimator_):
        # The verdict prints the estimate, with intervals.
        proportions = {
            label: part.value
            for verdict in model.verdicts_.values()
            for label, part in verdict.class_prior.items()
        }
        return {"class_prior": proportions} if proportions else {}
    (target,) = (number for number in model.domains_.values() if number < 0)
    prior = dict(
        zip(model.classes_.tolist(), model.estimator_.domain_prior_[target].tolist(), strict=True)
    )
    largest = sorted(prior.items(), key=lambda item: -item[1])
    shown = _first([f"{name} {100 * proportion:.1f} %" for name, proportion in largest])
    origin = _PRIOR_ORIGINS[setting] if isinstance(setting, str) else "as given"
    if model.class_prior is None:
        origin += ", the default of this method: see --class-prior"
    console.info(f"Class proportions applied to the target ({origin}): {shown}.")
    n_documents = sum(len(prediction.labels) for prediction in model.targets_.values())
    if n_documents < _FEW_DOCUMENTS:
        advice = (
            "omit --class-prior to use the estimate of auto"
            if gives_verdicts(model.estimator_)
            else "--class-prior none does not apply one"
        )
        console.warn(
            f"The class proportions of {count(n_documents, 'document')} may differ from the prior "
            f"by chance: {advice}."
        )
    elif setting == "estimate":
        console.info(
            "Estimated class proportions may be wrong by ten points or more if classes are "
            "opinions. isthmus.estimate_class_prior gives a confidence interval; a labeled sample "
            "gives a better estimate."
        )
    return {"class_prior": prior}


def _warn_about_low_agreement(model: Transfer, console: Console) -> None:
    agreement = getattr(model.estimator_, "init_agreement_", 1.0)
    # Methods that check for swapped classes give their own warning.
    checks_swap = getattr(model.estimator_, "check_class_swap", False)
    if agreement < _LOW_INIT_AGREEMENT and not checks_swap:
        console.warn(
            "For some pair of classes, the result agrees with the classifier that initialized it "
            f"on only {100 * agreement:.0f} % of the documents. Either the domains differ a lot or "
            "the classes were swapped: check some predictions."
        )


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
    """Print the verdict and raise RuntimeError if it is "do not use", or if there is none."""
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
    """Warn if the verdict on a target was "do not use" when the model was fitted."""
    for name, verdict in verdicts.items():
        if verdict.decision == DO_NOT_USE:
            console.warn(
                f"When this model was fitted, the verdict on the labels of '{name}' was "
                f'"{DO_NOT_USE}" (estimated accuracy {verdict.accuracy}).'
            )


def _shown_proportions(verdict: Verdict) -> str:
    largest = sorted(verdict.class_prior.items(), key=lambda item: -item[1].value)
    return _first(
        [
            f"{label} {100 * part.value:.0f} %" if part.low == part.high else f"{label} {part}"
            for label, part in largest
        ]
    )


def _first(shown: list[str]) -> str:
    n_hidden = len(shown) - _CLASSES_SHOWN
    more = f" and {n_hidden} more" if n_hidden > 0 else ""
    return ", ".join(shown[:_CLASSES_SHOWN]) + more
