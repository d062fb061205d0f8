"""20 Newsgroups through the loader of scikit-learn."""

from __future__ import annotations

import pickle
import subprocess
import sys
import zlib
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from isthmus.datasets import DataNotFoundError, load_newsgroups

ARTICLES = {
    "train/sci.space/9": "From: a\n\nThe moon.\n",
    "train/sci.space/10": "From: b\n\nThe sun.\n",
    "train/alt.atheism/49960": "From: c\n\nA book.\n",
    "test/alt.atheism/53068": "From: d\n\nAn answer, caf\xe9.\n",
    "test/rec.autos/7": "From: e\n\n> A car?\nA car.\n",
}
IN_ORDER = [
    "train/alt.atheism/49960",
    "train/sci.space/9",
    "train/sci.space/10",
    "test/alt.atheism/53068",
    "test/rec.autos/7",
]


def write_cache(folder: Path, articles: dict[str, str]) -> None:
    """Write the file in which scikit-learn keeps the corpus after its download."""
    splits = {split: make_split(split, articles) for split in ("train", "test")}
    content = zlib.compress(pickle.dumps(splits), level=1)
    (folder / "20news-bydate_py3.pkz").write_bytes(content)


def make_split(split: str, articles: dict[str, str]) -> Bunch:
    ids = [name for name in articles if name.startswith(f"{split}/")]
    groups = [name.split("/")[1] for name in ids]
    known = sorted(set(groups))
    home = f"/home/x/20news_home/20news-bydate-{split}"
    return Bunch(
        data=[articles[name] for name in ids],
        filenames=np.array([f"{home}/{name.split('/', 1)[1]}" for name in ids]),
        target_names=known,
        target=np.array([known.index(group) for group in groups]),
    )


def test_articles_are_in_the_order_of_the_corpus_file(tmp_path: Path) -> None:
    write_cache(tmp_path, ARTICLES)
    corpus = load_newsgroups(tmp_path, fetch=True)
    assert corpus.ids == IN_ORDER
    assert corpus.texts == [ARTICLES[name] for name in IN_ORDER]
    assert corpus.groups == [name.split("/")[1] for name in IN_ORDER]


def test_some_groups(tmp_path: Path) -> None:
    write_cache(tmp_path, ARTICLES)
    corpus = load_newsgroups(tmp_path, ["sci.space", "rec.autos"], fetch=True)
    assert corpus.ids == ["train/sci.space/9", "train/sci.space/10", "test/rec.autos/7"]


def test_default_folder_of_scikit_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_cache(tmp_path, ARTICLES)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    assert load_newsgroups(fetch=True).ids == IN_ORDER


def test_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**options: object) -> Bunch:
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", fail)
    with pytest.raises(DataNotFoundError, match=r"no route to host.*connect to the internet"):
        load_newsgroups(tmp_path, fetch=True)


def test_missing_data_mentions_the_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataNotFoundError, match=r"is missing.*load_newsgroups\(fetch=True\)\.$"):
        load_newsgroups(tmp_path)
    monkeypatch.delenv("ISTHMUS_DATA", raising=False)
    with pytest.raises(DataNotFoundError, match=r"ISTHMUS_DATA.*load_newsgroups\(fetch=True\)\.$"):
        load_newsgroups()


def test_importing_the_loaders_leaves_scikit_learn_alone() -> None:
    code = "import sys, isthmus.datasets; print('sklearn' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.corpus
def test_the_whole_corpus_is_the_same_either_way(corpora: Path, tmp_path: Path) -> None:
    ours = load_newsgroups(corpora)
    # Backwards, for scikit-learn's cache keeps no order.
    pairs = zip(reversed(ours.ids), reversed(ours.texts), strict=True)
    write_cache(tmp_path, dict(pairs))
    assert load_newsgroups(tmp_path, fetch=True) == ours
