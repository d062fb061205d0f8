"""Documents that have characters but no known word."""

from __future__ import annotations

import pytest

from isthmus import Transfer
from isthmus.datasets import make_corpus


@pytest.mark.parametrize("position", [0, 50, 100])
def test_document_of_stop_words_may_be_anywhere(position):
    corpus = make_corpus(n_source=100, n_target=100)
    texts = list(corpus.target_texts)
    texts.insert(position, "the of and to which")
    model = Transfer().fit(corpus.source_texts, corpus.source_labels, texts)
    labels = [label for i, label in enumerate(model.labels_) if i != position]
    right = [a == b for a, b in zip(labels, corpus.target_labels, strict=True)]
    assert sum(right) > 90
