"""What ``isthmus classify`` tells of its files and of the labels it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.cli.opened import count

if TYPE_CHECKING:
    from isthmus.cli.opened import OpenedFile
    from isthmus.cli.talk import Talk
    from isthmus.text.bridge import Coverage
    from isthmus.transfer.model import Transfer

__all__ = ["bridge_record", "describe_inputs", "report_labels", "warn_of_inputs"]

# Below this the first classifier has said next to nothing about some pair of classes.
_UNCERTAIN_DIRECTION = 0.55
_CLASSES_SHOWN = 10
_FEW_DOCUMENTS = 30
_WORDS_SHOWN = 10
_MARKS_OF_NOTHING = {"nan", "na", "n/a", "none", "null", "?", "-", "unknown", "<na>"}


def describe_inputs(
    sources: list[OpenedFile], target: OpenedFile, labels_wanted: bool, talk: Talk
) -> None:
    """Say what was found in the files, and in which columns."""
    for source in sources:
        talk.say_aside(
            f"Source {source.file.path}: {count(len(source.labels), 'document')}, "
            f"{_columns_of(source)}; {_classes_of(source)}."
        )
    learnt = f"; {target.n_labelled:,} of them with a label to learn from" if labels_wanted else ""
    guess = " (guessed)" if target.file.text_guessed else ""
    talk.say_aside(
        f"Target {target.file.path}: {count(len(target.labels), 'document')}, text in "
        f"'{target.file.text_col}'{guess}{learnt}."
    )


def warn_of_inputs(
    sources: list[OpenedFile], target: OpenedFile, labels_wanted: bool, html: bool, talk: Talk
) -> None:
    """Say what is odd about the files; an error if the source teaches nothing."""
    classes: Counter[str] = Counter()
    for source in sources:
        classes.update(source.classes)
        missing = len(source.labels) - source.n_labelled
        if missing:
            talk.note(
                f"{missing:,} of the {len(source.labels):,} rows of '{source.file.path}' have no "
                "label; they take part unlabelled."
            )
    own = target.classes if labels_wanted else {}
    if len({*classes, *own}) < 2:
        raise ValueError(
            f"The source has one class only ({', '.join(map(repr, classes)) or 'none'}): at least "
            "two are needed. If this is the wrong column, name another with --label-col."
        )
    n_labelled = sum(classes.values())
    if len(classes) > max(20, n_labelled / 3):
        talk.note(
            f"There are {len(classes):,} classes for {count(n_labelled, 'labelled document')}: is "
            f"'{sources[0].file.label_col}' the column of the labels?"
        )
    odd = sorted(name for name in {*classes, *own} if name.lower() in _MARKS_OF_NOTHING)
    if odd:
        talk.note(
            f"{', '.join(map(repr, odd))} counts as a class: if it marks a missing label, leave "
            "the cell empty."
        )
    new = sorted(set(own) - set(classes))
    if new:
        talk.note(
            f"The labels of the target add {count(len(new), 'class', 'classes')} that no source "
            f"has: {_shown({name: own[name] for name in new})}."
        )
    pages = [file.file.path for file in [*sources, target] if file.looks_like_html]
    if pages and not html:
        talk.note(f"The texts of '{pages[0]}' look like HTML pages: --html strips the markup.")


def _classes_of(source: OpenedFile) -> str:
    if not source.classes:
        return "no label"
    return f"{count(len(source.classes), 'class', 'classes')}: {_shown(source.classes)}"


def _columns_of(source: OpenedFile) -> str:
    file = source.file
    if file.format == "folder":
        return "labels from the sub-folders"
    text, label = (" (guessed)" if g else "" for g in (file.text_guessed, file.label_guessed))
    return f"text in '{file.text_col}'{text}, labels in '{file.label_col}'{label}"


def _shown(classes: Mapping[Any, int]) -> str:
    """The largest classes with their sizes."""
    largest = sorted(classes.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name}: {size:,}" for name, size in largest[:_CLASSES_SHOWN])
    more = len(classes) - _CLASSES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _report_bridge(bridge: Coverage, talk: Talk) -> None:
    """Say how far the words of the target found their way to the source's language."""
    talk.say_aside(f"Words of the target that were counted: {bridge}.")
    if bridge.frequent_unknown:
        words = ", ".join(word for word, _ in bridge.frequent_unknown[:_WORDS_SHOWN])
        lacking = " that the dictionary lacks" if bridge.n_pairs else ""
        talk.say_aside(f"The most frequent unknown words{lacking}: {words}.")
    if bridge.unused_translations:
        talk.say_aside(
            f"{count(bridge.unused_translations, 'more unknown word')} in the dictionary with "
            "translations that are not among the words counted in the source."
        )
    if not bridge.n_pairs:
        talk.note(
            "Without a dictionary only words that both languages write alike join them: "
            "--dictionary names one."
        )


def bridge_record(bridge: Coverage) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "words": dict(bridge.words),
        "tokens": dict(bridge.tokens),
        "dictionary_pairs": bridge.n_pairs,
        "unused_translations": bridge.unused_translations,
        "frequent_unknown": [word for word, _ in bridge.frequent_unknown],
    }


def _report_shares(model: Transfer, talk: Talk) -> dict[str, Any]:
    """Say which class shares the target was taken to have, if it was."""
    if model.estimator_.class_prior is None:
        return {}
    (number,) = (n for n in model.domains_.values() if n < 0)
    shares = dict(
        zip(model.classes_.tolist(), model.estimator_.domain_prior_[number].tolist(), strict=True)
    )
    largest = sorted(shares.items(), key=lambda item: -item[1])[:_CLASSES_SHOWN]
    told = ", ".join(f"{name} {100 * share:.1f} %" for name, share in largest)
    more = len(shares) - len(largest)
    prior = model.estimator_.class_prior
    origin = "as given"
    if isinstance(prior, str):
        origin = {"source": "those of the source", "estimate": "estimated without labels"}[prior]
    if model.class_prior is None:
        origin += ", as this method does by default: see --class-prior"
    talk.say_aside(
        f"Class shares that the target was taken to have ({origin}): {told}"
        f"{f' and {more} more' if more else ''}."
    )
    n_documents = sum(len(answer.labels) for answer in model.targets_.values())
    if n_documents < _FEW_DOCUMENTS:
        talk.note(
            f"{count(n_documents, 'document')} need not have the class shares of many: "
            "--class-prior none leaves the labels as they come."
        )
    elif prior == "estimate":
        talk.say_aside(
            "Estimated shares may be off by ten points and more where classes are opinions; "
            "isthmus.estimate_class_prior gives an interval, a labelled sample a better one."
        )
    return {"class_shares": shares}


def report_labels(
    model: Transfer,
    sources: list[OpenedFile],
    target: OpenedFile,
    output: Path,
    save_model: Path | None,
    talk: Talk,
) -> None:
    """Say which labels were found, how far to trust them, and where they are."""
    from isthmus.text.detection import AUTO
    from isthmus.text.languages import find_language

    (answer,) = model.targets_.values()
    labels = Counter(answer.labels.tolist())
    found = {name: labels[name] for name in model.classes_.tolist()}
    without_words = int(answer.without_words.sum())
    record: dict[str, Any] = {}
    bridge = getattr(model.vectorizer_, "coverage_", None)
    if bridge is not None:
        sides = (model.vectorizer_.source_, model.vectorizer_.target_)
        languages = [find_language(side.language_) for side in sides]
        known = [language or "an unnamed language" for language in languages]
        talk.say_aside(f"From {known[0]} to {known[1]}.")
        _report_bridge(bridge, talk)
        record = {"languages": languages, "bridge": bridge_record(bridge)}
    elif model.vectorizer_.language == AUTO:
        talk.say_aside(f"The language of the texts is {model.vectorizer_.language_}.")
        record = {"language": model.vectorizer_.language_}
    talk.say(f"Labels found: {_shown(found)}.")
    record.update(_report_shares(model, talk))
    talk.say(
        f"{100 * model.agreement_:.1f} % of them agree with a classifier trained on the source "
        "alone (column 'source_only'). Which is right where they differ, a sample labelled by hand "
        "will tell: isthmus evaluate."
    )
    if without_words:
        talk.note(
            f"{count(without_words, 'document')} of the target with no word that was counted: "
            "labels there mean nothing."
        )
    first = getattr(model.estimator_, "init_agreement_", 1.0)
    # Methods that check the direction have said what there is to say of it.
    if first < _UNCERTAIN_DIRECTION and not getattr(model.estimator_, "check_class_swap", False):
        talk.note(
            f"For some pair of classes the result and the first guess from the source agree on "
            f"{100 * first:.0f} % only. A wide gap looks like this, and so do classes that came "
            "out swapped: look at a few labels."
        )
    talk.say(
        f"Predictions are in {output}." + (f" The model is {save_model}." if save_model else "")
    )
    talk.answer(
        {
            "sources": [
                {
                    "path": str(source.file.path),
                    "documents": len(source.labels),
                    "unlabelled": len(source.labels) - source.n_labelled,
                    "text_col": source.file.text_col,
                    "label_col": source.file.label_col,
                    "classes": source.classes,
                }
                for source in sources
            ],
            "target": {
                "path": str(target.file.path),
                "documents": len(target.labels),
                "text_col": target.file.text_col,
                "labels": {str(name): size for name, size in found.items()},
                "without_known_words": without_words,
            },
            "method": type(model.estimator_).__name__,
            "iterations": getattr(model.estimator_, "n_iter_", None),
            "terms": len(model.vectorizer_.terms_),
            **record,
            "agreement_with_source_only": round(model.agreement_, 4),
            "output": str(output),
            "model": None if save_model is None else str(save_model),
        }
    )
