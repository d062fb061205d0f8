"""The example and the lists of docs/benchmarks/corpora.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from isthmus import datasets

PATH = Path(__file__).parents[2] / "docs" / "benchmarks" / "corpora.md"
PAGE = PATH.read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_page_shows_every_loader() -> None:
    for name in datasets.__all__:
        assert not name.startswith("load_") or f"{name}(" in EXAMPLE


@pytest.mark.corpus
def test_the_example_prints_what_it_says(
    corpora: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ISTHMUS_DATA", str(corpora))
    names: dict[str, Any] = {}
    exec(EXAMPLE, names)
    printed = capsys.readouterr().out.splitlines()
    for expected in re.findall(r"print\(.*\)  # (.*)", EXAMPLE):
        assert expected in printed
