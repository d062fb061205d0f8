"""Transfer on real texts."""

from __future__ import annotations

import pytest

from isthmus import Transfer
from isthmus.datasets import load_newsgroups, load_webkb

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.ends_early,
    pytest.mark.doubtful,
    pytest.mark.xdist_group("corpora"),
]


def labeled(groups, corpora):
    found = load_newsgroups(corpora, groups)
    return found.texts, [group.partition(".")[0] for group in found.groups]


def test_newsgroups(corpora):
    texts, labels = labeled(["sci.crypt", "talk.politics.guns"], corpora)
    target, truth = labeled(["sci.med", "talk.politics.mideast"], corpora)
    model = Transfer().fit(texts, labels, target)
    assert (model.labels_ == truth).mean() > 0.96
    assert (model.source_only_labels_ == truth).mean() < 0.7
    assert model.score(target, truth) > 0.95  # as new documents
    assert {"israel", "israeli"} <= set(model.top_words(20)["talk"]["target"])


def test_pages_with_four_classes(corpora):
    pytest.importorskip("selectolax")
    from isthmus import TextVectorizer

    found = load_webkb(corpora)
    pages = {
        name: [i for i, place in enumerate(found.universities) if place == name]
        for name in ("cornell", "texas")
    }
    source, target = pages["cornell"], pages["texas"]
    model = Transfer(vectorizer=TextVectorizer(html=True)).fit(
        [found.html[i] for i in source],
        [found.labels[i] for i in source],
        [found.html[i] for i in target],
    )
    truth = [found.labels[i] for i in target]
    assert (model.labels_ == truth).mean() > 0.7
    assert len(model.classes_) == 4


def test_skewed_target(corpora):
    """A limit that the documentation names: if this improves, the documentation must follow."""
    texts, labels = labeled(["rec.autos", "sci.med"], corpora)
    hockey, space = (labeled([name], corpora) for name in ("rec.sport.hockey", "sci.space"))
    found = []
    for n_space, class_prior in (
        (len(space[0]), None),
        (50, None),
        (50, {"rec": 0.95, "sci": 0.05}),
    ):
        target, truth = (hockey[i] + space[i][:n_space] for i in (0, 1))
        model = Transfer("mtrick", class_prior=class_prior, verdict=False).fit(
            texts, labels, target
        )
        found.append(round(100 * (model.labels_ == truth).mean()))
    assert found == [99, 46, 94]
    assert (model.labels_[-50:] == "sci").sum() == 22
