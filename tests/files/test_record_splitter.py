"""CSV files are split as the csv module splits them, whatever the shortcut that was taken."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from common import examples
from isthmus.files import DocumentFileError, open_documents
from isthmus.files.record_splitter import RecordSplitter, WrongWidth

LINES = st.text(st.sampled_from('ab,"\t \r\né\u2028\ufeff\0'), max_size=30)
# Fields as a program writes them: mostly whole ones in quotes.
FIELDS = st.one_of(
    st.sampled_from(
        ["", "a", '""', '"a"', '"a,b"', '"a\nb"', '"a\r\nb"', '"""a"""', " ", '"\n\n"']
    ),
    st.text(st.sampled_from('ab "'), max_size=3),
)
TABLES = st.lists(st.tuples(FIELDS, FIELDS), max_size=12).map(
    lambda rows: "".join(f"{first},{second}\n" for first, second in rows)
)

Result = tuple[list[tuple[int, list[str]]], tuple[Any, ...] | None]


def by_csv_module(text: str, delimiter: str, quotes: bool, width: int) -> Result:
    """Records with their lines, and the error that ends them, one record after the other."""
    blank = " \r\n" if delimiter == "\t" else " \t\r\n"
    lines = iter(io.StringIO(text, newline="").readlines())
    number = start = 0
    in_record = False

    def feed() -> Any:
        nonlocal number, start, in_record
        for line in lines:
            number += 1
            if not in_record:
                if not line.strip(blank):
                    continue
                start, in_record = number, True
            yield line

    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    reader = csv.reader(feed(), delimiter=delimiter, quoting=quoting, strict=True)
    records: list[tuple[int, list[str]]] = []
    while True:
        in_record = False
        try:
            fields = next(reader)
        except StopIteration:
            return records, None
        except csv.Error:
            return records, ("quotes", start, number)
        if len(fields) != width:
            return records, ("width", start, len(fields))
        records.append((start, fields))


def by_splitter(text: str, delimiter: str, quotes: bool, width: int, chunk: int) -> Result:
    data = text.encode()
    chunks = [data[i : i + chunk] for i in range(0, len(data), chunk)]
    splitter = RecordSplitter(chunks, "utf-8", delimiter, quotes, "file")
    records: list[tuple[int, list[str]]] = []
    try:
        for numbers, rows in splitter.blocks(width):
            records += [(n, list(row)) for n, row in zip(numbers, rows, strict=True)]
    except csv.Error:
        return records, ("quotes", splitter.start, splitter.number)
    except WrongWidth as error:
        return records, ("width", error.number, error.n_fields)
    return records, None


@pytest.mark.parametrize("quotes", [True, False])
@pytest.mark.parametrize("delimiter", [",", "\t"])
@examples(300)
@given(text=LINES | TABLES, width=st.integers(1, 3), chunk=st.integers(1, 60))
@example(text='a,b\n5" disk,x\n7" disk,y\n', width=2, chunk=60)
@example(text='a,b\n\n"a\n\nb",c\n \nd,e', width=2, chunk=60)
@example(text='a,b\r\n"a\r\nb","c ""d"""\r\n', width=2, chunk=60)
@example(text='"a\n\n"b\n', width=1, chunk=60)
@example(text="a\rb\r", width=1, chunk=3)
def test_same_records_lines_and_errors_as_the_csv_module(delimiter, quotes, text, width, chunk):
    expected = by_csv_module(text.removeprefix("\ufeff"), delimiter, quotes, width)
    assert by_splitter(text, delimiter, quotes, width, chunk) == expected


def test_most_records_are_split_in_blocks(tmp_path):
    """Otherwise the tests above would compare the csv module with itself."""
    path = tmp_path / "a.csv"
    rows = [["plain", "x"], ["a, b", "x"], ['a "b"', "x"], ["a\nb", "x"]] * 200
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([["text", "label"], *rows])
    blocks = list(open_documents(path).blocks())
    assert len(blocks) == 1
    assert [[row.text, row.label] for row in blocks[0].rows()] == rows
    assert [row.place for row in blocks[0].rows()][:5] == [f"line {n}" for n in (2, 3, 4, 5, 7)]


@pytest.mark.parametrize(
    ("name", "content", "n_before"),
    [
        ("a.csv", "text,label\na,1\nb,2\nc\n", 2),
        ("a.csv", 'text,label\na,1\n"b",2\n"c"d,3\n', 2),
        ("a.csv", 'text,label\na,1\n"b,2\n', 1),
        ("a.jsonl", '{"text": "a"}\n{"text": "b"}\n{"text": [1]}\n{"text": "c"}\n', 2),
        ("a.jsonl", '{"text": "a"}\n\n{"text": "b"}\n{"text": 1}\n{"body": 1}\n', 3),
        ("a.jsonl", '{"text": "a", "label": 1}\n{"text": "b", "label": [2]}\n', 1),
    ],
)
def test_documents_before_an_error_are_read(tmp_path, monkeypatch, name, content, n_before):
    monkeypatch.setattr("isthmus.files.limits.SAMPLE_ROWS", 1)
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    rows = open_documents(path).rows()
    assert [next(rows).number for _ in range(n_before)] == list(range(1, n_before + 1))
    with pytest.raises(DocumentFileError):
        next(rows)


def test_a_record_that_is_not_complete_delays_no_other():
    code = (
        "from isthmus.files import open_documents\n"
        "for row in open_documents('-').rows(): print(row.text.count('\\n'), flush=True)"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'text,label\nfirst,1\nsecond,2\n"third\n')
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"0"
        assert process.stdout.readline().strip() == b"0"
        process.stdin.write(b'\n",3\n')
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"2"
        process.stdin.close()
