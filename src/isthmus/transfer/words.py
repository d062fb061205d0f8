"""Count words and character n-grams of texts by domain; find out which words domains share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus._stages import stage
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.threads import thread_limit
from isthmus.text.parts.counting import shard_bytes
from isthmus.text.text_blocks import TextBlocks
from isthmus.transfer.engine import is_collection
from isthmus.transfer.texts import FileTexts, Texts

if TYPE_CHECKING:
    from isthmus.text.character_vectorizer import CharacterVectorizer
    from isthmus.text.parts.counting import ShardCounting
    from isthmus.text.vectorizer import TextVectorizer
    from isthmus.transfer.shards import DomainShards

__all__ = [
    "check_shared_words",
    "count_new_texts",
    "count_texts",
    "joins_languages",
    "make_characters",
    "rows_without_words",
    "second_view",
    "spellings",
    "term_names",
]

# Smaller files are read by this process, before others have been started.
_MANY_BYTES = 500_000_000
# About the number of new texts whose words, or words and character n-grams, are in memory.
_BLOCK_TEXTS, _BLOCK_TEXTS_WITH_CHARACTERS = 100_000, 10_000


def joins_languages(vectorizer: Any) -> bool:
    """Return whether a vectorizer reads sources and targets in different languages."""
    return hasattr(vectorizer, "fit_transform_domains")


def make_characters(estimator: Any, vectorizer: Any) -> CharacterVectorizer | None:
    """Return an unfitted vectorizer of character n-grams; None if none are to be counted.

    They are counted for estimators that use them, on texts whose words are separated by spaces.
    """
    from isthmus.text.character_vectorizer import CharacterVectorizer
    from isthmus.text.vectorizer import TextVectorizer

    if not getattr(estimator, "uses_characters", False):
        return None
    if not isinstance(vectorizer, TextVectorizer) or not _has_spaced_words(vectorizer.language):
        return None
    return CharacterVectorizer(lowercase=bool(vectorizer.lowercase), html=bool(vectorizer.html))


def count_texts(
    vectorizer: Any,
    characters: CharacterVectorizer | None,
    domains: Sequence[Texts],
    client: Any = None,
    announce: Callable[[str], None] = lambda stage: None,
) -> tuple[Any, Any]:
    """Fit the vectorizers in one reading and return the rows of all domains, sources first.

    The second result has the rows of character n-grams. It is None without ``characters``, if the
    texts are too many, or if the detected language has no spaces between words. With a ``client``
    of Dask, words are counted on its workers and the rows stay there.
    """
    from isthmus.text.vectorizer import TextVectorizer

    if joins_languages(vectorizer):
        _refuse_collections(domains, vectorizer)
        sources = [domain for domain in domains if domain.number >= 0]
        targets = domains[len(sources) :]
        return vectorizer.fit_transform_domains(_blocks(sources), _blocks(targets)), None
    if isinstance(vectorizer, TextVectorizer):
        max_bytes = shard_bytes(vectorizer.n_lengths)
        if client is not None:
            announce("Counting words in parallel")
            return _count_on_cluster(vectorizer, characters, domains, client)
        if _can_use_processes(domains):
            from isthmus.transfer.shards import DomainShards

            shards = DomainShards(domains, max_bytes)
            if (opened := shards.open()) is not None:
                announce("Counting words in parallel")
                return _count_shards(vectorizer, characters, shards, opened)
    _refuse_collections(domains, vectorizer)
    blocks = _blocks(domains)
    if characters is not None:
        X = vectorizer.fit_transform(blocks.observed_by(characters.observe))
        with stage("counting character n-grams"):
            return X, characters.finish() if _has_spaced_words(vectorizer.language_) else None
    if isinstance(vectorizer, TextVectorizer):
        return vectorizer.fit_transform(blocks), None
    # Vectorizers of other libraries read single texts.
    return vectorizer.fit_transform(chain.from_iterable(blocks)), None


def _blocks(domains: Sequence[Texts]) -> TextBlocks:
    return TextBlocks(chain.from_iterable(domain.blocks() for domain in domains))


def _can_use_processes(domains: Sequence[Texts]) -> bool:
    """Return whether the texts of all domains are in files, and large enough for processes."""
    texts = [domain.texts for domain in domains]
    return (
        all(isinstance(part, FileTexts) for part in texts)
        and sum(part.n_bytes for part in texts) >= _MANY_BYTES
        and thread_limit() > 1
    )


def _count_on_cluster(
    vectorizer: TextVectorizer,
    characters: CharacterVectorizer | None,
    domains: Sequence[Texts],
    client: Any,
) -> tuple[Any, Any]:
    """Count words on the workers of a Dask cluster, where the rows stay."""
    from isthmus.text.character_vectorizer import MAX_DOCUMENTS
    from isthmus.text.parts.cluster import ClusterCounting, bytes_per_shard
    from isthmus.transfer.shards import ClusterShards

    n_bytes = sum(d.texts.n_bytes for d in domains if isinstance(d.texts, FileTexts))
    shards = ClusterShards(domains, bytes_per_shard(n_bytes), client, MAX_DOCUMENTS)
    counting = ClusterCounting(client, shards.n_shards)
    return _count_shards(vectorizer, characters, shards, shards.open(), counting)


def _count_shards(
    vectorizer: TextVectorizer,
    characters: CharacterVectorizer | None,
    shards: DomainShards,
    opened: Iterable[Any],
    counting: ShardCounting | None = None,
) -> tuple[Any, Any]:
    """Count words where ``counting`` says, by default in several processes."""
    from isthmus.text.character_vectorizer import MAX_DOCUMENTS

    X = vectorizer.fit_transform_shards(opened, counting, shards.add)
    shards.end()
    if characters is None or shards.n_documents > MAX_DOCUMENTS:
        return X, None
    # Few texts: their characters are counted by this process.
    with stage("counting character n-grams"):
        for block in shards.blocks_again():
            characters.observe(block)
        return X, characters.finish() if _has_spaced_words(vectorizer.language_) else None


def _refuse_collections(domains: Sequence[Texts], vectorizer: Any) -> None:
    for domain in domains:
        if is_collection(domain.texts):
            raise ValueError(
                f"The texts of {domain.name!r} are a collection of Dask: set engine='dask' or pass "
                "a client as engine, with a TextVectorizer; or call its compute() first."
            )


def count_new_texts(
    vectorizer: Any, characters: CharacterVectorizer | None, texts: Iterable[str], number: int
) -> Iterator[tuple[Any, Any]]:
    """Yield the rows of new texts of the domain ``number`` and their character n-grams, or None.

    The texts are read in blocks, so that they may be larger than the memory. N-grams need much more
    memory than words.
    """
    from isthmus.text.vectorizer import TextVectorizer

    size = _BLOCK_TEXTS if characters is None else _BLOCK_TEXTS_WITH_CHARACTERS
    blocks = TextBlocks(texts.blocks()) if isinstance(texts, FileTexts) else TextBlocks.of(texts)
    # Without any text, the vectorizer raises the error.
    for block in blocks.joined(n_texts=size) if not blocks.are_finished else [[]]:
        if joins_languages(vectorizer):
            yield vectorizer.transform_domain(TextBlocks([block]), target=number < 0), None
            continue
        second = None if characters is None else characters.transform(TextBlocks([block]))
        # Vectorizers of other libraries read single texts.
        counted = TextBlocks([block]) if isinstance(vectorizer, TextVectorizer) else block
        yield vectorizer.transform(counted), second


def second_view(Z: Any) -> dict[str, Any]:
    """Return the arguments that pass a second matrix to an estimator; none if it is None."""
    return {} if Z is None else {"second_view": Z}


def _has_spaced_words(language: str | None) -> bool:
    from isthmus.text.language_detection import AUTO
    from isthmus.text.tokenizers import has_spaced_words

    # The language of "auto" is known after the texts have been read.
    return language == AUTO or has_spaced_words(language)


def term_names(vectorizer: Any) -> Any:
    """Return the terms as they are counted; None if the vectorizer has no names."""
    try:
        return vectorizer.get_feature_names_out()
    except AttributeError:  # also of a pipeline whose last step has no names
        return None


def spellings(vectorizer: Any, number: int) -> Any:
    """Return the terms as a domain spells them; None if the vectorizer has no names."""
    if joins_languages(vectorizer):
        return vectorizer.spellings_of(target=number < 0)
    if hasattr(vectorizer, "spellings_"):
        return vectorizer.spellings_
    return term_names(vectorizer)


def check_shared_words(X: Any, domains: Sequence[Texts]) -> None:
    """Raise ValueError if a target has no term in common with the sources.

    ``X`` has the rows of the domains in their order.
    """
    in_sources = np.zeros(X.shape[1], np.bool_)
    start = 0
    for domain in domains:  # sources first
        used = _used_terms(X, start, start + domain.n_texts)
        start += domain.n_texts
        if domain.number >= 0:
            in_sources |= used
        if not used.any():
            raise ValueError(
                f"{domain.name!r} has no word that is counted: its {domain.n_texts:,} texts are "
                "empty, or their words are stop words or too rare. Is it the right column?"
            )
        if domain.number < 0 and not (used & in_sources).any():
            raise ValueError(
                f"{domain.name!r} has no word in common with the sources, so nothing can be "
                "transferred: name the language of the texts (TextVectorizer(language=...), "
                "--language), or for two languages that of the target and a dictionary "
                "(BilingualVectorizer, --target-lang and --dictionary), or relax min_df and max_df."
            )


def _used_terms(X: Any, start: int, stop: int) -> NDArray[np.bool_]:
    if is_distributed(X):
        return np.asarray(X.take_rows(slice(start, stop)).column_counts() > 0)
    if not sparse.issparse(X):
        return np.asarray((X[start:stop] != 0).any(axis=0))
    rows = X.tocsr()
    terms = rows.indices[rows.indptr[start] : rows.indptr[stop]]
    return np.asarray(np.bincount(terms, minlength=X.shape[1]) > 0)


def rows_without_words(X: Any) -> NDArray[np.bool_]:
    """Return which rows contain no term."""
    if is_distributed(X):
        return np.asarray(X.empty_rows())
    n_terms = X.getnnz(axis=1) if sparse.issparse(X) else np.count_nonzero(X, axis=1)
    return np.asarray(n_terms == 0)
