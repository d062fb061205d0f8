"""Corpora of several files: folders of tables and patterns."""

from __future__ import annotations

import contextlib
import gzip
import os
import pickle
from pathlib import Path

import pytest

from isthmus.files import DocumentFileError, files_of, open_documents
from isthmus.files.table_reader import open_table


@pytest.fixture
def folder(tmp_path):
    def make(files: dict[str, str | bytes]):
        for name, content in files.items():
            path = tmp_path / "data" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "data"

    return make


def refused(path, **options) -> str:
    with pytest.raises(DocumentFileError) as caught:
        list(open_documents(path, **options).rows())
    return str(caught.value)


PARTS = {"b.csv": "text,label\nc,p\n", "a.csv": "text,label\na,p\n\nb,n\n"}


def test_a_folder_of_tables(folder):
    path = folder({**PARTS, "_SUCCESS": b"", ".b.csv.crc": b"\0", "_notes.txt": "x"})
    file = open_documents(path)
    assert (file.path, file.format, file.columns) == (path, "csv", ("text", "label"))
    assert (file.text_col, file.label_col) == ("text", "label")
    assert file.text_guessed
    assert file.label_guessed
    assert file.can_be_read_again
    rows = [(row.number, row.place, row.text, row.label) for row in file.rows()]
    assert rows == [
        (1, "line 2 of 'a.csv'", "a", "p"),
        (2, "line 4 of 'a.csv'", "b", "n"),
        (3, "line 2 of 'b.csv'", "c", "p"),
    ]
    assert list(file.texts()) == ["a", "b", "c"]
    assert file.labels() == ["p", "n", "p"]


@pytest.mark.parametrize("pattern", ["*.csv", "?.csv", "[ab].csv", "**/*.csv", "*"])
def test_patterns(folder, pattern):
    path = folder(PARTS) / pattern
    file = open_documents(path)
    assert file.path == path
    assert list(file.texts()) == ["a", "b", "c"]


def test_a_pattern_of_sub_folders(folder):
    path = folder({"x/b.csv": PARTS["b.csv"], "a.csv": PARTS["a.csv"], "x/c.txt": "no"})
    file = open_documents(path / "**" / "*.csv")
    places = [row.place for row in file.rows()]
    assert places == ["line 2 of 'a.csv'", "line 4 of 'a.csv'", "line 2 of 'x/b.csv'"]


def test_a_file_whose_name_looks_like_a_pattern(folder):
    path = folder({**PARTS, "[ab].csv": "text\nonly this\n"})
    assert list(open_documents(path / "[ab].csv").texts()) == ["only this"]


def test_a_pattern_without_files(folder):
    message = refused(folder(PARTS) / "*.tsv")
    assert message.startswith("No file matches the pattern")
    assert refused(folder({"sub/x.csv": "text\na\n"}) / "s*").startswith("No file matches")
    assert refused("\0*").startswith("No file matches")


def test_folders_of_text_files_are_what_they_were(folder):
    assert open_documents(folder(PARTS | {"notes.txt": "x"})).format == "folder"


def test_folders_with_sub_folders_are_what_they_were(folder):
    file = open_documents(folder({**PARTS, "label=x/c.csv": "text\nc\n"}))
    assert (file.format, file.labels()) == ("folder", [None, None, "label=x"])


def test_packed_parts_delimiters_and_marks(folder):
    path = folder(
        {
            "a.csv": "text,label\na,p\n",
            "b.csv.gz": gzip.compress(b"text;label\nb;n\n"),
            "c.CSV": "\ufeff" + "text|label\nc|p\n",
            "d.csv": "text,label\nd,n\n".encode("utf-16"),
        }
    )
    assert list(open_documents(path).texts()) == ["a", "b", "c", "d"]


def test_columns_in_another_order(folder):
    file = open_documents(folder({"a.csv": "text,label\na,p\n", "b.csv": "label,text\nn,b\n"}))
    assert [(row.text, row.label, row.values["text"]) for row in file.rows()] == [
        ("a", "p", "a"),
        ("b", "n", "b"),
    ]


def test_other_columns(folder):
    path = folder({"a.csv": "text,label\na,p\n", "b.csv": "text,class\nb,n\n"})
    message = refused(path)
    assert f"'{path}/b.csv' has the columns 'text', 'class'" in message
    assert f"'{path}/a.csv' has the columns 'text', 'label'" in message


def test_other_keys_of_json_lines(folder):
    path = folder({"a.jsonl": '{"text": "a", "m": 1}\n', "b.ndjson": '{"n": 2, "text": "b"}\n'})
    file = open_documents(path)
    assert (file.format, file.columns) == ("jsonl", ("text", "m", "n"))
    assert list(file.texts()) == ["a", "b"]


@pytest.mark.parametrize("column", ["text", "label"])
def test_a_part_without_a_column(folder, column):
    other = {"text": '"label": "n"', "label": '"text": "b"'}[column]
    path = folder({"a.jsonl": '{"text": "a", "label": "p"}\n', "b.jsonl": f'{{{other}, "z": 1}}\n'})
    message = refused(path)
    assert f"no column '{column}' in '{path}/b.jsonl', a part of '{path}'" in message
    if column == "label":
        assert list(open_documents(path, with_labels=False).texts()) == ["a", "b"]


def test_different_formats(folder):
    path = folder({"a.csv": "text\na\n", "b.jsonl": '{"text": "b"}\n'})
    message = refused(path)
    assert f"'{path}/a.csv' (csv) and '{path}/b.jsonl' (jsonl) have different formats" in message


@pytest.mark.parametrize("empty", ["", "\n", "text,label\n"])
def test_parts_without_documents_are_left_out(folder, empty):
    path = folder({"0.csv": empty, **PARTS, "z.csv": empty})
    assert list(open_documents(path).texts()) == ["a", "b", "c"]
    for name in PARTS:
        (path / name).write_text(empty, encoding="utf-8")
    assert f"'{path}/0.csv'" in refused(path)


@pytest.mark.parametrize(
    ("suffix", "good", "bad"),
    [
        ("csv", "text,label\na,p\n", "text,label\nb,p\nc\n"),
        ("csv", "text,label\na,p\n", 'text,label\nb,p\n"c"d,p\n'),
        ("jsonl", '{"text": "a"}\n', '{"text": "b"}\n{\n'),
        ("jsonl", '{"text": "a"}\n', '{"text": "b"}\n{"x": 1}\n'),
        ("jsonl", '{"text": "a"}\n', '{"text": "b"}\n{"text": [1]}\n'),
    ],
)
def test_errors_name_the_part_and_the_line(folder, monkeypatch, suffix, good, bad):
    monkeypatch.setattr("isthmus.files.limits.SAMPLE_ROWS", 1)
    monkeypatch.setattr("isthmus.files.limits.CHUNK_BYTES", 10)
    path = folder({f"A.{suffix}": good, f"B.{suffix}": bad})
    message = refused(path)
    line = 3 if suffix == "csv" else 2
    assert message.startswith(f"Line {line} of '{path}/B.{suffix}'")
    file = open_documents(path)
    rows = file.rows()
    assert [next(rows).text for _ in range(2)] == ["a", "b"]
    *_, shard = file.shards(1)
    with pytest.raises(DocumentFileError) as caught:
        list(shard.blocks())
    assert str(caught.value) == message


def test_shards_of_all_parts(folder):
    packed = gzip.compress(b"text,label\n" + b"packed,p\n" * 9)
    path = folder({**PARTS, "c.csv": "text,label\n" + "x,p\n" * 100, "d.csv.gz": packed})
    file = open_documents(path)
    shards = [pickle.loads(pickle.dumps(shard)) for shard in file.shards(50)]
    assert [shard.path.name for shard in shards] == ["a.csv", "b.csv", *["c.csv"] * 8, "d.csv.gz"]
    rows = [row[1:] for shard in shards for block in shard.blocks() for row in block.rows()]
    assert rows == [row[1:] for row in file.rows()]
    assert rows[-1][0] == "line 10 of 'd.csv.gz'"


def test_parquet_parts(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for name, texts in {"a": ["a", "b"], "b": [], "c": ["c"]}.items():
        table = pyarrow.table({"text": pyarrow.array(texts, pyarrow.string())})
        parquet.write_table(table, tmp_path / f"{name}.snappy.parquet")
    file = open_documents(tmp_path)
    assert [row.place for row in file.rows()] == [
        "row 1 of 'a.snappy.parquet'",
        "row 2 of 'a.snappy.parquet'",
        "row 1 of 'c.snappy.parquet'",
    ]
    fractions = [file.fraction_read() for _ in file.blocks()]
    assert fractions[0] == 0.0
    assert 0.3 < fractions[1] < 0.7


def test_the_fraction_counts_the_bytes_of_all_parts(folder):
    file = open_documents(
        folder({"a.csv": "text\n" + "x\n" * 100, "b.csv": "text\n" + "y\n" * 300})
    )
    assert file.fraction_read() is None
    fractions = [file.fraction_read() for _ in file.blocks()]
    assert fractions == sorted(fractions)
    assert fractions[0] < 0.3
    assert fractions[-1] == 1.0
    assert file.fraction_read() is None


def open_files(folder: Path) -> list[str]:
    """The open files of a folder; other tests may have left others to the garbage collector."""
    names = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            names.append(os.readlink(descriptor))
    return [name for name in names if name.startswith(f"{folder.resolve()}/")]


def test_many_parts_are_not_kept_open(folder):
    path = Path(folder({f"{i:03}.csv": "text\na\n" for i in range(50)}))
    file = open_documents(path)
    assert open_files(path) == []
    rows = file.rows()
    next(rows)
    assert len(open_files(path)) <= 1
    file.close()
    assert open_files(path) == []


def test_a_link_out_of_the_folder_is_refused(folder, tmp_path):
    path = folder(PARTS)
    (path / "c.csv").symlink_to(path / "a.csv")
    assert list(open_documents(path).texts()) == ["a", "b", "c", "a", "b"]
    (tmp_path / "secret.csv").write_text("text\nsecret\n", encoding="utf-8")
    (path / "d.csv").symlink_to(tmp_path / "secret.csv")
    assert "link 'd.csv'" in refused(path)


def test_files_of_a_path(folder, tmp_path):
    path = folder(PARTS)
    assert files_of(path) == [path / "a.csv", path / "b.csv"]
    assert files_of(path / "b*") == [path / "b.csv"]
    for single in (path / "a.csv", tmp_path, tmp_path / "nothing"):
        assert files_of(single) == [single]


def test_tables_of_labels_may_have_parts(folder):
    with open_table(folder(PARTS)) as table:
        column = table.read(["label"])["label"]
    assert column.values == ["p", "n", "p"]
    assert column.places[2] == "line 2 of 'b.csv'"
