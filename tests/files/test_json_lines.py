"""JSON Lines: values become texts and labels, and bad lines are named."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import examples
from isthmus.files import DocumentFileError, open_documents


@pytest.fixture
def save(tmp_path):
    def write(content: str | bytes, name: str = "a.jsonl"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refused(path, **options) -> str:
    with pytest.raises(DocumentFileError) as caught:
        list(open_documents(path, **options).rows())
    message = str(caught.value)
    assert path.name in message
    return message


def test_columns_are_the_keys_of_the_first_objects(save):
    path = save('{"text": "a", "id": 1}\n\n{"label": "x", "text": "b", "more": [1, {"k": null}]}\n')
    file = open_documents(path)
    assert file.format == "jsonl"
    assert file.columns == ("text", "id", "label", "more")
    first, second = file.rows()
    assert (first.place, first.label, first.values) == ("line 1", None, {"text": "a", "id": 1})
    assert (second.number, second.place, second.label) == (2, "line 3", "x")
    assert second.values["more"] == [1, {"k": None}]


@pytest.mark.parametrize("name", ["a.ndjson", "a.json", "a.txt", "a", "a.jsonl.gz"])
def test_recognized_by_the_name_or_the_brace(save, name):
    content = b' {"text": "a", "label": "x"}\n'
    path = save(gzip.compress(content) if name.endswith("gz") else content, name)
    assert [(r.text, r.label) for r in open_documents(path).rows()] == [("a", "x")]


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ('" x "', "x"),
        ('""', None),
        ('"  "', None),
        ("null", None),
        ("1", "1"),
        ("1.0", "1.0"),
        ("true", "true"),
        ("false", "false"),
        ("NaN", None),
        ("-Infinity", "-inf"),
    ],
)
def test_labels(save, value, label):
    path = save(f'{{"text": "a", "label": {value}}}\n{{"text": "no label"}}\n')
    assert open_documents(path).labels() == [label, None]


@pytest.mark.parametrize(
    ("value", "text"), [("null", ""), ("12", "12"), ("1.5", "1.5"), ('" a\\u0000"', " a\0")]
)
def test_texts(save, value, text):
    assert list(open_documents(save(f'{{"text": {value}}}\n')).texts()) == [text]


@pytest.mark.parametrize("column", ["text", "label"])
@pytest.mark.parametrize(("value", "kind"), [("[1]", "a list"), ('{"a": 1}', "an object")])
def test_a_list_or_object_is_neither_text_nor_label(save, column, value, kind):
    good = '{"text": "a", "label": "x"}'
    bad = good.replace('"a"' if column == "text" else '"x"', value)
    message = refused(save(f"{good}\n{bad}\n"))
    assert "Line 2" in message
    assert kind in message
    assert f"'{column}'" in message
    assert f"--{column}-col" in message


def test_a_line_without_the_text(save):
    message = refused(save('{"text": "a"}\n{"body": "b"}\n'))
    assert "Line 2" in message
    assert "'text'" in message
    assert "'body'" in message


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not valid JSON"),
        ('{"text": "a"', "not valid JSON"),
        ('{"text": "a"} {}', "column 15"),
        ('"text"', "a JSON string"),
        ("[1]", "a JSON list"),
        ("null", "a JSON null"),
        ("true", "a JSON boolean"),
        ("12", "a JSON number"),
        ("[" * 200_000, "too deeply"),
        ('{"text": ' + "[" * 200_000 + "]" * 200_000 + "}", "too deeply"),
        ('{"text": ' + "1" * 5000 + "}", "too many digits"),
    ],
)
def test_a_line_that_is_no_object(save, line, problem):
    message = refused(save('{"text": "a"}\n' + line + "\n"))
    assert "Line 2" in message
    assert problem in message
    assert message.count(": ") >= 1


def test_lone_surrogates_are_replaced_everywhere(save):
    line = r'{"text": "a\ud800b", "label": "\uDFFF", "k\udc00": ["\ud83d\ude00", {"x": "\ud83d"}]}'
    [row] = open_documents(save(line)).rows()
    assert (row.text, row.label) == ("a\ufffdb", "\ufffd")
    assert row.values["k\ufffd"] == ["\U0001f600", {"x": "\ufffd"}]
    json.dumps(row.values, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt"])
def test_one_array(save, name):
    message = refused(save('[\n  {"text": "a"}\n]', name))
    assert "array" in message
    assert "one object per line" in message


def test_one_object_over_many_lines(save):
    message = refused(save('{\n "text": "a"\n}\n', "a.json"))
    assert "Line 1" in message
    assert "one whole object per line" in message


def test_only_blank_lines(save):
    assert "only blank lines" in refused(save("\n  \n"))


def test_a_line_beyond_the_limit(save, monkeypatch):
    monkeypatch.setattr("isthmus.files.limits.MAX_CHARACTERS", 100_000)
    message = refused(save('{"text": "a"}\n{"text": "' + "x" * 300_000 + '"}\n'))
    assert "Line 2" in message
    assert "100000 characters" in message


JSON_LINES = st.one_of(
    st.sampled_from(["", " ", "{}", '{"text": 1e400}', '{"text": "a"} ', ' {"text": "a"}']),
    st.sampled_from(['{"text": "a", "text": "b"}', '{"text": NaN}', '{"text": "\\ud800"}', "[1]"]),
    st.sampled_from(['{"text": "a"}, {"text": "b"}', '{"text": "a\u2028"}', '{"text": "a"', "1"]),
    st.dictionaries(st.text(max_size=3), st.text(max_size=5), max_size=2).map(json.dumps),
)


@examples(200)
@given(
    lines=st.lists(JSON_LINES, max_size=8),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    chunk=st.integers(1, 200),
)
def test_lines_together_are_read_as_one_by_one(lines, end, chunk):
    """A block of lines is parsed at once, which must not change any value or message."""
    text = "".join(line + end for line in ['{"text": "first"}', *lines])
    together, alone = [], []
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(text.encode())
        patch.setattr("isthmus.files.limits.SAMPLE_ROWS", 1)
        patch.setattr("isthmus.files.limits.CHUNK_BYTES", chunk)
        for results in (together, alone):
            try:
                for row in open_documents(path, text_col="text").rows():
                    results.append((row.place, row.text, repr(row.values)))
            except DocumentFileError as error:
                results.append(str(error))
            patch.setattr("isthmus.files.json_lines._parse_all", lambda text: None)
    assert together == alone
