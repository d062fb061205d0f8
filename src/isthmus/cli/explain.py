"""``isthmus explain``: the words behind a model's labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli.errors import command
from isthmus.cli.options import JsonOutput
from isthmus.evaluation.visible import visible

if TYPE_CHECKING:
    from rich.table import Table

    from isthmus.transfer.model import Transfer

__all__ = ["explain", "word_table"]


@command
def explain(
    model: Annotated[
        Path, typer.Option(metavar="FILE", help="Model that 'isthmus classify --save-model' wrote.")
    ],
    words: Annotated[
        int, typer.Option("--words", "-n", min=1, metavar="NUMBER", help="Words to show.")
    ] = 10,
    as_json: JsonOutput = False,
) -> None:
    """Show the words of every class and word cluster, source and target side by side.

    A word stands high if it is frequent in its domain and the class's own. Clusters are what the
    method ties to classes; the share says how strongly a cluster speaks for a class.

    Example: isthmus explain --model kitchen.isthmus --words 8
    """
    from isthmus.cli.accounts import bridge_record
    from isthmus.cli.talk import Talk
    from isthmus.transfer.saving import load

    talk = Talk(as_json=as_json)
    with talk.working("Loading the model"):
        loaded = load(model)
        classes = loaded.top_words(words)
        clusters = loaded.top_cluster_words(words) if loaded.has_word_clusters else {}
        shares = _association_shares(loaded) if clusters else []
    talk.show(word_table("Classes", "speaks for", classes))
    bridge = getattr(loaded.vectorizer_, "coverage_", None)
    if bridge is not None:
        talk.say(f"Words of the target: {bridge}.")
    if clusters:
        titles = {i: _cluster_title(i, shares[i], loaded) for i in clusters}
        talk.show(
            word_table("Word clusters", "cluster", {titles[i]: clusters[i] for i in clusters})
        )
    talk.answer(
        {
            "method": type(loaded.estimator_).__name__,
            "domains": loaded.domains_,
            **({} if bridge is None else {"bridge": bridge_record(bridge)}),
            "classes": {str(label): found for label, found in classes.items()},
            "clusters": [
                {
                    "number": i,
                    "words": found,
                    "shares": dict(zip(map(str, loaded.classes_.tolist()), shares[i], strict=True)),
                }
                for i, found in clusters.items()
            ],
        }
    )


def word_table(title: str, first: str, words: dict[Any, dict[str, list[str]]]) -> Table:
    """One row a class or cluster, one column a domain."""
    from rich.table import Table
    from rich.text import Text

    domains = list(next(iter(words.values())))
    table = Table(first, title=title)
    for name in domains:
        # Cells of wide characters would lose some where they are cut.
        table.add_column(Text(f"words in {visible(name)}"), overflow="fold")
    for label, by_domain in words.items():
        cells = (", ".join(by_domain[name]) or "-" for name in domains)
        table.add_row(Text(visible(label)), *(Text(visible(cell)) for cell in cells))
    return table


def _association_shares(model: Transfer) -> list[list[float]]:
    associations = model.estimator_.associations_.astype(float)
    totals = associations.sum(axis=1, keepdims=True)
    shares = associations / totals.clip(min=1e-300)
    return [[round(value, 4) for value in row] for row in shares.tolist()]


def _cluster_title(number: int, shares: list[float], model: Transfer) -> str:
    best = max(range(len(shares)), key=shares.__getitem__)
    return f"{number} ({100 * shares[best]:.0f} % {model.classes_.tolist()[best]})"
