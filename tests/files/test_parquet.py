"""Parquet tables, in and out."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys

import pytest

from isthmus.files import (
    DocumentFileError,
    check_table_path,
    open_documents,
    open_table_writer,
)
from isthmus.files.parquet import ParquetTable


@pytest.fixture
def pa():
    pytest.importorskip("pyarrow.parquet")
    import pyarrow

    return pyarrow


@pytest.fixture
def save(pa, tmp_path):
    def write(table, name: str = "a.parquet", **options):
        pa.parquet.write_table(table, tmp_path / name, **options)
        return tmp_path / name

    return write


def refused(path, **options) -> str:
    with pytest.raises(DocumentFileError) as caught:
        list(open_documents(path, **options).rows())
    assert str(path) in str(caught.value)
    return str(caught.value)


def write_column(path, values):
    with open_table_writer(path, ["a"]) as writer:
        for value in values:
            writer.write({"a": value})


def test_rows_with_their_values(pa, save):
    path = save(
        pa.table({"text": ["a", None, "c"], "label": [1, None, 2], "more": [[1], [], None]})
    )
    file = open_documents(path)
    assert (file.format, file.columns) == ("parquet", ("text", "label", "more"))
    rows = list(file.rows())
    assert [(r.place, r.text, r.label) for r in rows] == [
        ("row 1", "a", "1"),
        ("row 2", "", None),
        ("row 3", "c", "2"),
    ]
    assert rows[0].values == {"text": "a", "label": 1, "more": [1]}
    assert len(list(file.rows())) == 3


def test_recognized_by_its_content(pa, save):
    path = save(pa.table({"text": ["a"]}), "noname")
    assert open_documents(path).format == "parquet"


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([True, False], ["true", "false"]),
        ([1.0, float("nan")], ["1.0", None]),
        ([" x ", ""], ["x", None]),
        ([b"x", b"y"], ["x", "y"]),
        ([datetime.date(2024, 1, 2), None], ["2024-01-02", None]),
    ],
)
def test_labels(pa, save, values, labels):
    assert open_documents(save(pa.table({"text": ["a", "b"], "label": values}))).labels() == labels


def test_dictionary_columns_and_many_row_groups(pa, save):
    names = pa.array(["x", "y"] * 1000).dictionary_encode()
    texts = [f"text {i}" for i in range(2000)]
    file = open_documents(save(pa.table({"text": texts, "label": names}), row_group_size=300))
    assert list(file.texts()) == texts
    assert file.labels() == ["x", "y"] * 1000


def test_texts_as_bytes(pa, save):
    path = save(pa.table({"text": ["é".encode(), "café".encode("latin-1")]}))
    message = refused(path)
    assert "Row 2" in message
    assert "not utf-8" in message
    assert list(open_documents(path, encoding="latin-1").texts())[1] == "café"


def test_a_list_as_text(pa, save):
    message = refused(save(pa.table({"text": [["a"], ["b"]]})))
    assert "Row 1" in message
    assert "a list" in message


def test_bad_tables(pa, save, tmp_path):
    assert "no rows" in refused(save(pa.table({"text": pa.array([], pa.string())})))
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    assert "Columns 1 and 2" in refused(save(twice))
    path = tmp_path / "b.parquet"
    path.write_bytes(b"text,label\na,b\n")
    assert "cannot be read as Parquet" in refused(path)
    whole = save(pa.table({"text": ["some words"] * 1000})).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "copy it again" in refused(path)
    path.write_bytes(b"")
    assert "cannot be read as Parquet" in refused(path)


def test_without_pyarrow(monkeypatch, tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    essential = r"needs pyarrow: pip install 'isthmus\[parquet\]'"
    with pytest.raises(DocumentFileError, match=essential):
        open_documents(path)
    with pytest.raises(DocumentFileError, match=essential):
        check_table_path(tmp_path / "new.parquet")
    with (
        pytest.raises(DocumentFileError, match=essential),
        open_table_writer(tmp_path / "new.parquet", ["a"]),
    ):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"]


def test_written_tables_are_read_back(pa, tmp_path):
    path = tmp_path / "out.parquet"
    rows = [
        {"text": f"é {i}", "score": i / 2, "n": i, "ok": i % 2 == 0, "shares": [0.5, i]}
        for i in range(9000)
    ]
    rows[17]["text"] = None
    with open_table_writer(path, ["text", "score", "n", "ok", "shares", "nothing"]) as writer:
        for row in rows:
            writer.write({**row, "left out": 1})
    table = pa.parquet.read_table(path)
    assert table.select(["text", "score", "n", "ok", "shares"]).to_pylist() == rows
    assert table.column("nothing").null_count == 9000
    assert [p.name for p in tmp_path.iterdir()] == ["out.parquet"]


def test_a_column_of_several_kinds_becomes_json_text(pa, tmp_path):
    path = tmp_path / "out.parquet"
    write_column(path, [1, "x", None, {"k": "\ud800"}, 2**80])
    column = pa.parquet.read_table(path).column("a").to_pylist()
    assert column == ["1", "x", None, '{"k": "\ufffd"}', str(2**80)]


def test_a_later_value_of_another_kind(pa, tmp_path):
    path = tmp_path / "out.parquet"
    path.write_bytes(b"old")
    essential = r"column 'a' in rows 4097 to 4097 .*\.jsonl or \.csv"
    with pytest.raises(DocumentFileError, match=essential):
        write_column(path, [1] * 4096 + ["x"])
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_table_without_rows(pa, tmp_path):
    path = tmp_path / "out.parquet"
    with open_table_writer(path, ["a", "b"]):
        pass
    assert pa.parquet.read_table(path).column_names == ["a", "b"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_while_writing(pa, tmp_path):
    link = tmp_path / "out.parquet"
    link.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        write_column(link, [str(i) * 100 for i in range(10_000)])
    assert caught.value.filename == str(link)


def test_large_groups_of_rows(pa, save, monkeypatch):
    """Texts that are not repeated are not read through a dictionary of the whole group."""
    modes = []
    original = ParquetTable._may_repeat_long_texts

    def recorded(*args):
        modes.append(original(*args))
        return modes[-1]

    monkeypatch.setattr(ParquetTable, "_may_repeat_long_texts", recorded)
    texts = [f"text {i}" for i in range(5000)]
    labels = ["x", None] * 2500
    table = pa.table({"text": texts, "label": labels, "n": range(5000)})
    file = open_documents(save(table))
    assert [(row.text, row.label, row.values["n"]) for row in file.rows()] == list(
        zip(texts, labels, range(5000), strict=True)
    )
    assert modes == [False]
    long = texts[:2500] + ["kettle " * 3000] * 2500
    for options, expected in (({}, [True]), ({"use_dictionary": False}, [False])):
        modes.clear()
        assert list(open_documents(save(pa.table({"text": long}), **options)).texts()) == long
        assert modes == expected


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary"])
def test_large_groups_of_every_type_of_text(pa, save, kind):
    texts = [f"text {i}" for i in range(5000)]
    path = save(pa.table({"text": pa.array(texts).cast(getattr(pa, kind)())}))
    assert list(open_documents(path).texts()) == texts


def test_a_value_beyond_the_limit(pa, save, monkeypatch):
    monkeypatch.setattr("isthmus.files.limits.MAX_CHARACTERS", 100)
    rows = open_documents(save(pa.table({"text": ["a", "b" * 101], "n": [1, 2]}))).rows()
    assert next(rows).text == "a"
    with pytest.raises(DocumentFileError, match=r"Row 2 of .* 100 characters in 'text'"):
        next(rows)


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_a_long_text_that_a_small_file_repeats(pa, save, tmp_path, kind):
    text = "kettle " * 300_000  # 2 MB
    values = [text] * 400
    path = save(pa.table({"text": pa.array(values, getattr(pa, kind)())}), compression="zstd")
    assert path.stat().st_size < 10_000
    code = (
        "import resource, sys; from isthmus.files import open_documents; "
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
        "assert sum(len(row.text) for row in open_documents(sys.argv[1]).rows()) == 840_000_000; "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 300_000  # kB, of 840 MB of text
