"""``isthmus demo``: what transfer does, on a corpus made on the spot."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli.errors import command

if TYPE_CHECKING:
    from rich.console import Console

    from isthmus.datasets.synthetic import SyntheticCorpus

__all__ = ["demo"]

SOURCE, TARGET = 0, -1
WORDS_SHOWN = 7


@command
def demo(
    output: Annotated[Path, typer.Option(help="CSV file for the predictions.")] = Path(
        "predictions.csv"
    ),
    gap: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Share of opinion words that only one of the domains uses."
        ),
    ] = 0.8,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the corpus and of the method.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Write the file, print nothing.")] = False,
) -> None:
    """Learn from book reviews, label reviews of kitchen appliances.

    Makes a small corpus, trains a logistic regression on the books alone, then carries the
    labels over with MTrick, and shows how well both do and which words built the bridge.

    Example: isthmus demo --gap 0.7 --output predictions.csv
    """
    from rich.console import Console

    from isthmus.cli.output import check_writable
    from isthmus.datasets.synthetic import make_corpus

    check_writable(output)
    console = Console(quiet=quiet)
    corpus = make_corpus(gap=gap, random_state=seed)
    console.print(
        f"Source: {len(corpus.source_texts)} labelled book reviews. "
        f"Target: {len(corpus.target_texts)} reviews of kitchen appliances, labels hidden."
    )
    console.print(f"  book:    “{corpus.source_texts[0]}”", style="dim")
    console.print(f"  kitchen: “{corpus.target_texts[0]}”", style="dim")
    _compare(corpus, seed, output, console)
    console.print(f"Predictions are in {output}.")


def _compare(corpus: SyntheticCorpus, seed: int, output: Path, console: Console) -> None:
    import numpy as np
    from rich.table import Table
    from sklearn.feature_extraction.text import CountVectorizer

    from isthmus.estimators.registry import find_method
    from isthmus.text.weighting import make_weighting

    n_source = len(corpus.source_texts)
    vectorizer = CountVectorizer(stop_words="english", min_df=2)
    counts = vectorizer.fit_transform(corpus.source_texts + corpus.target_texts)
    X = make_weighting("log-tfidf").fit_transform(counts.astype(np.float64))
    y = np.array(corpus.source_labels + [None] * len(corpus.target_texts), dtype=object)
    sample_domain = np.repeat([SOURCE, TARGET], [n_source, len(corpus.target_texts)])

    source_only = find_method("lg").build().fit(X, y, sample_domain=sample_domain)
    transferred = find_method("mtrick").build(random_state=seed)
    _fit_with_progress(transferred, X, y, sample_domain, console)
    predicted = {
        "source only (logistic regression)": source_only.transduction_[n_source:],
        "transferred (MTrick)": transferred.transduction_[n_source:],
    }
    truth = np.array(corpus.target_labels)
    table = Table("method", "accuracy on the target")
    for title, labels in predicted.items():
        table.add_row(title, f"{100 * np.mean(labels.astype(str) == truth):.1f} %")
    console.print(table)
    _show_bridge(transferred, vectorizer.get_feature_names_out(), console)
    _write(output, corpus, *predicted.values())


def _fit_with_progress(
    estimator: Any, X: Any, y: Any, sample_domain: Any, console: Console
) -> None:
    with console.status("MTrick ...") as status:

        def show(progress: Any) -> bool:
            status.update(
                f"MTrick: iteration {progress.iteration}, objective {progress.objective:.4g}, "
                f"{100 * progress.changed:.1f} % of the labels changed"
            )
            return False

        estimator.fit(X, y, sample_domain=sample_domain, callback=show)
    console.print(f"MTrick: {estimator.n_iter_} iterations.")


def _show_bridge(estimator: Any, terms: Any, console: Console) -> None:
    """Print, for every class, the words that speak for it in both domains."""
    from rich.table import Table

    table = Table("speaks for", "words in books", "words in kitchen", title="The bridge")
    for label, words in estimator.top_words(terms, WORDS_SHOWN).items():
        table.add_row(str(label), ", ".join(words[SOURCE]), ", ".join(words[TARGET]))
    console.print(table)


def _write(output: Path, corpus: SyntheticCorpus, source_only: Any, transferred: Any) -> None:
    from isthmus.cli.output import whole_file

    with whole_file(output) as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "label", "source_only", "transferred"])
        rows = zip(corpus.target_texts, corpus.target_labels, source_only, transferred, strict=True)
        writer.writerows(rows)
