"""Rows that another process encodes give the same file."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import examples
from isthmus.files import DocumentFileError, open_table_writer

COLUMNS = ["text", "label", "score"]
TEXTS = st.text(st.sampled_from('a=é,"\t\r\n \ufeff\ud800\x1b'), max_size=8)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"text": TEXTS},
        optional={"label": TEXTS | st.none(), "score": st.floats() | st.lists(st.integers())},
    ),
    max_size=8,
)


def row_by_row(path, rows, **options):
    with open_table_writer(path, COLUMNS, **options) as writer:
        for row in rows:
            writer.write(row)
    return path.read_bytes()


def encoded(path, rows, size, **options):
    with open_table_writer(path, COLUMNS, **options) as writer:
        encoder = pickle.loads(pickle.dumps(writer.encoder))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            writer.write_encoded(encoder.encode(part, start), len(part))
    return path.read_bytes()


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.jsonl.gz"])
@examples(60)
@given(rows=ROWS, size=st.integers(1, 5), safe=st.booleans())
def test_the_same_bytes(name, rows, size, safe):
    options = {"spreadsheet_safe": safe}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        assert encoded(path, rows, size, **options) == row_by_row(path, rows, **options)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl.gz"])
def test_the_same_bytes_of_a_large_file(tmp_path, name):
    rows = [{"text": f"kettle {i % 977} {i * 7919 % 10007}", "label": "p"} for i in range(30_000)]
    path = tmp_path / name
    assert encoded(path, rows, 1000) == row_by_row(path, rows)


def test_encoded_and_single_rows_may_be_mixed(tmp_path):
    path = tmp_path / "a.csv"
    rows = [{"text": str(i)} for i in range(4)]
    with open_table_writer(path, COLUMNS) as writer:
        writer.write(rows[0])
        writer.write_encoded(writer.encoder.encode(rows[1:3], 1), 2)
        writer.write(rows[3])
    assert path.read_bytes() == row_by_row(path, rows)


def test_errors_name_the_row(tmp_path):
    with (
        pytest.raises(DocumentFileError, match=r"Row 12 .*\(U\+20AC"),
        open_table_writer(tmp_path / "a.csv", COLUMNS, encoding="latin-1") as writer,
    ):
        writer.encoder.encode([{"text": "é"}, {"text": "€"}], 10)
    with open_table_writer(tmp_path / "a.csv", COLUMNS, encoding="latin-1") as writer:
        writer.write_encoded(writer.encoder.encode([{"text": "a"}, {"text": "b"}]), 2)
        with pytest.raises(DocumentFileError, match="Row 3 "):
            writer.write({"text": "€"})


def test_encodings_with_a_state_have_no_encoder(tmp_path):
    with open_table_writer(tmp_path / "a.csv", COLUMNS, encoding="utf-16") as writer:
        assert writer.encoder is None


def test_parquet_has_no_encoder(tmp_path):
    pytest.importorskip("pyarrow")
    with open_table_writer(tmp_path / "a.parquet", COLUMNS) as writer:
        assert writer.encoder is None
        with pytest.raises(TypeError, match="no encoded rows"):
            writer.write_encoded(b"", 0)


def test_standard_output(capfdbinary):
    rows = [{"text": str(i), "label": "é"} for i in range(4)]
    with open_table_writer("-", COLUMNS) as writer:
        writer.write(rows[0])
        writer.write_encoded(writer.encoder.encode(rows[1:], 1), 3)
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines == ["text,label,score", "0,é,", "1,é,", "2,é,", "3,é,"]
