"""The settings ``max_memory`` and ``scratch_folder``."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

import isthmus
from isthmus.text.parts import memory
from isthmus.text.parts.memory import max_memory, parse_bytes

DEFAULTS = {"max_memory": "auto", "scratch_folder": None}


@pytest.fixture(autouse=True)
def default_settings(monkeypatch):
    monkeypatch.setattr(memory, "_process_settings", memory.MemorySettings())


def settings() -> dict:
    return {name: isthmus.get_config()[name] for name in DEFAULTS}


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("auto", "auto"),
        (10**9, 10**9),
        ("2 GB", 2 * 10**9),
        ("2gb", 2 * 10**9),
        ("500MB", 500 * 10**6),
        (" 500 m ", 500 * 10**6),
        ("1 GiB", 2**30),
        ("64 MiB", 2**26),
        ("1.5 TB", 1_500 * 10**9),
        ("20000 kB", 20_000_000),
        ("10000000", 10**7),
        ("10000000 B", 10**7),
    ],
)
def test_sizes(size, expected) -> None:
    assert parse_bytes(size) == expected


@pytest.mark.parametrize(
    "size", ["", "much", "GB", "-1 GB", "1 PB", "1,5 GB", "nan", "1e9", "2 GB 3", True, 1e9, [], {}]
)
def test_what_is_no_size(size) -> None:
    with pytest.raises(ValueError, match=r"^max_memory=.* is not a size: use 'auto', a number of"):
        parse_bytes(size)


@pytest.mark.parametrize("size", [0, -5, 10**7 - 1, "9 MB", "0 GB"])
def test_sizes_that_are_too_small(size) -> None:
    with pytest.raises(ValueError, match=r"is too small: at least 10 MB are needed\.$"):
        isthmus.set_config(max_memory=size)
    assert settings() == DEFAULTS


def test_settings_of_the_process_and_of_a_context(tmp_path: Path) -> None:
    assert settings() == DEFAULTS
    isthmus.set_config(max_memory="2 GB")
    isthmus.set_config(scratch_folder=tmp_path)
    assert settings() == {"max_memory": 2 * 10**9, "scratch_folder": str(tmp_path)}
    with isthmus.config_context(max_memory="3 GB"):
        assert settings() == {"max_memory": 3 * 10**9, "scratch_folder": str(tmp_path)}
        assert max_memory() == 3 * 10**9
        (tmp_path / "other").mkdir()
        other = str(tmp_path / "other")
        with isthmus.config_context(scratch_folder=other, max_memory="auto"):
            assert settings() == {"max_memory": "auto", "scratch_folder": other}
        others: list[dict] = []
        thread = Thread(target=lambda: others.append(settings()))
        thread.start()
        thread.join()
        assert others[0]["max_memory"] == 2 * 10**9  # a context is for one thread
    assert settings()["max_memory"] == 2 * 10**9


def test_a_context_ends_with_an_error() -> None:
    with pytest.raises(KeyError), isthmus.config_context(max_memory="3 GB"):
        raise KeyError
    with pytest.raises(ValueError, match="is not a size"), isthmus.config_context(max_memory="x"):
        pass
    assert settings() == DEFAULTS


def machine(monkeypatch, tmp_path: Path, physical: int | None, *limits: str | None) -> int:
    """The memory of a machine with ``physical`` bytes and these limits of containers."""
    names = []
    for number, limit in enumerate(limits):
        names.append(str(tmp_path / f"limit{number}"))
        if limit is not None:
            Path(names[-1]).write_text(limit)
    values = {"SC_PHYS_PAGES": physical, "SC_PAGE_SIZE": 1}
    monkeypatch.setattr("os.sysconf_names", values if physical else {}, raising=False)
    monkeypatch.setattr("os.sysconf", values.__getitem__, raising=False)
    monkeypatch.setattr(memory, "_CONTAINER_LIMITS", tuple(names))
    return max_memory()


@pytest.mark.parametrize(
    ("physical", "limits", "expected"),
    [
        (16 * 10**9, (), 2 * 10**9),
        (16 * 10**9, ("max\n", None), 2 * 10**9),
        (16 * 10**9, ("8000000000\n", None), 10**9),
        (16 * 10**9, (None, "4000000000\n"), 5 * 10**8),
        (16 * 10**9, (None, str(2**63 - 4096)), 2 * 10**9),
        (16 * 10**6, (), 10**7),  # at least
        (None, (), 10**9),
    ],
)
def test_auto_is_an_eighth_of_the_memory(
    monkeypatch, tmp_path: Path, physical, limits, expected
) -> None:
    assert machine(monkeypatch, tmp_path, physical, *limits) == expected
