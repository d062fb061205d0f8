"""What the writer writes, the reader reads back equal."""

from __future__ import annotations

import datetime
import json
import math
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from common import examples
from isthmus.files import DocumentFileError, open_documents, open_table_writer
from isthmus.files.text_writers import json_text

# Everything that UTF-8 can hold, and often what means something to a reader.
PLAIN = st.characters(exclude_categories=["Cs"])
SPECIAL = st.sampled_from(list(",;|\t\"'\r\n \\\ufeff\0\u2028\x0b\x0c\x1c\x85#{["))
TEXTS = st.text(SPECIAL | PLAIN, max_size=20)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def there_and_back(name, columns, rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        with open_table_writer(path, columns) as writer:
            for row in rows:
                writer.write(row)
        return [row.values for row in open_documents(path, text_col=columns[0]).rows()]


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.tsv.gz", "a.jsonl.gz"]
)
@examples(60)
@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
@example(rows=[("", "")])
@example(rows=[("\ufefftext", "\r"), (" ", "\t"), ("\r\n", '"')])
def test_texts(name, rows):
    table = [{"text": text, "note": note} for text, note in rows]
    assert there_and_back(name, ["text", "note"], table) == table


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
@examples(60)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6))
@example(texts=["", " ", "\t", "\n", "\ufeff"])
def test_a_single_column(name, texts):
    table = [{"\ufeffonly, one": text} for text in texts]
    assert there_and_back(name, ["\ufeffonly, one"], table) == table


def test_json_has_no_infinity():
    nan, inf = float("nan"), float("inf")
    table = [{"text": "a", "value": value} for value in (nan, [inf, 1.5], {"x": -inf})]
    rows = there_and_back("a.jsonl", ["text", "value"], table)
    assert [row["value"] for row in rows] == [None, [None, 1.5], {"x": None}]


@examples(100)
@given(rows=st.lists(st.tuples(TEXTS, JSON_VALUES), min_size=1, max_size=5))
def test_values_of_json_lines(rows):
    table = [{"text": text, "value": value} for text, value in rows]
    assert there_and_back("a.jsonl", ["text", "value"], table) == table


@examples(60)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=6), chunk=st.integers(1, 9), limit=st.integers(1, 9)
)
def test_the_size_of_the_pieces_read_changes_nothing(texts, chunk, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isthmus.files.limits.CHUNK_BYTES", chunk)
        patch.setattr("isthmus.files.limits.HEAD_BYTES", max(64, limit))
        table = [{"text": text, "n": str(i)} for i, text in enumerate(texts)]
        for name in ("a.csv", "a.jsonl.gz"):
            assert there_and_back(name, ["text", "n"], table) == table


@examples(60)
@given(lines=st.lists(st.text(st.sampled_from('ab,"\t é'), max_size=8), min_size=1, max_size=6))
def test_any_text_ends_in_rows_or_in_our_error(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_text("text,label\n" + "\n".join(lines), encoding="utf-8")
        message, rows = str(path), []
        try:
            rows = list(open_documents(path).rows())
        except DocumentFileError as error:
            message = str(error)
        assert str(path) in message
        assert all(set(row.values) == {"text", "label"} for row in rows)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([np.float64(0.1), np.str_("a,b"), datetime.date(2024, 1, 2), b"x", "\ud800"])
    | TEXTS
    | TEXTS.map(lambda text: 30 * text)
)


def lines_written(name, columns, rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        with open_table_writer(path, columns) as writer:
            for row in rows:
                writer.write(row)
        return path.read_bytes().decode()


@examples(100)
@given(value=SCALARS)
def test_json_is_written_as_by_the_json_module(value):
    def plain(value):
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, str | int | None):
            return value
        return value.decode() if isinstance(value, bytes) else str(value)

    expected = json.dumps({"é": plain(value)}, ensure_ascii=False) + "\n"
    expected = expected.replace("\ud800", "\ufffd")
    assert lines_written("a.jsonl", ["é"], [{"é": value}, {}]) == expected + "{}\n"


@examples(200)
@given(values=st.tuples(SCALARS, SCALARS))
def test_fields_are_quoted_if_they_need_it(values):
    special = re.compile('[,"\r\n\ufeff]|^[ \t]|[ \t]$')

    def field(value):
        if value is None:
            return ""
        text = value if isinstance(value, str) else json_text(value, "", 0)
        text = json.loads(text) if not isinstance(value, str) and text[0] == '"' else text
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    line = (",".join(map(field, values))).replace("\ud800", "\ufffd")
    written = lines_written("a.csv", ["a", "b"], [dict(zip("ab", values, strict=True))])
    assert written == f"a,b\n{line}\n"
