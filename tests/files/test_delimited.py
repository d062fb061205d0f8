"""CSV and TSV files: what is read, and what is refused with its place."""

from __future__ import annotations

import csv
import gzip

import pytest

from isthmus.files import DocumentFileError, open_documents


@pytest.fixture
def save(tmp_path):
    def write(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def read(path, **options):
    return [(row.text, row.label) for row in open_documents(path, **options).rows()]


def refused(path, **options) -> str:
    with pytest.raises(DocumentFileError) as caught:
        list(open_documents(path, **options).rows())
    message = str(caught.value)
    assert path.name in message
    assert "\n" not in message
    return message


def test_rows_carry_number_place_and_all_columns(save):
    path = save("a.csv", 'id,text,label\n1,"two\nlines",x\n\n2,plain, y \n')
    file = open_documents(path)
    assert (file.format, file.columns) == ("csv", ("id", "text", "label"))
    assert (file.text_col, file.label_col) == ("text", "label")
    first, second = file.rows()
    assert (first.number, first.place, first.text, first.label) == (1, "line 2", "two\nlines", "x")
    assert (second.number, second.place, second.label) == (2, "line 5", "y")
    assert second.values == {"id": "2", "text": "plain", "label": " y "}


def test_every_pass_starts_anew(save):
    file = open_documents(save("a.csv", "text,label\na,1\nb,\n"))
    assert list(file.texts()) == list(file.texts()) == ["a", "b"]
    assert file.labels() == ["1", None]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_guessed_from_the_header_line(save, delimiter):
    lines = [["text", "label", "note, or; so"], ["a b", "x", ""]]
    content = "".join(delimiter.join(f'"{c}"' for c in line) + "\r\n" for line in lines)
    assert read(save("a.csv", content)) == [("a b", "x")]


def test_a_file_named_tsv_is_parted_by_tabs_alone(save):
    path = save("a.TSV", "text\tlabel,fine\nsome, text\tx\n")
    assert read(path, label_col="label,fine") == [("some, text", "x")]
    assert open_documents(path).format == "tsv"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_read(save, end):
    path = save("a.csv", end.join(["text,label", "a,1", "", '"b,c",2']))
    assert [(r.text, r.place) for r in open_documents(path).rows()] == [
        ("a", "line 2"),
        ("b,c", "line 4"),
    ]


def test_other_separators_of_unicode_are_text(save):
    text = "a\u2028b\x85c\x0bd\x0ce\x1cf"
    assert read(save("a.csv", f"text,label\n{text},1\n")) == [(text, "1")]


def test_zero_characters_are_text(save):
    assert read(save("a.csv", "text,label\na\0b,1\n")) == [("a\0b", "1")]


def test_gzip_is_recognized_whatever_the_name(save):
    packed = gzip.compress(b"text,label\na,1\n")
    for name in ("a.csv.gz", "a.csv", "a"):
        assert read(save(name, packed)) == [("a", "1")]
    assert read(save("two.csv.gz", packed + gzip.compress(b"b,2\n"))) == [("a", "1"), ("b", "2")]
    tabs = save("a.tsv.gz", gzip.compress(b"text\tlabel\na\t1\n"))
    assert open_documents(tabs).format == "tsv"


def test_quotes_can_be_plain_text(save):
    path = save("a.tsv", 'text\tlabel\n"open\t1\n5" pipe\t2\n')
    assert read(path, quotes=False) == [('"open', "1"), ('5" pipe', "2")]


def test_a_line_of_blanks_is_passed_over_and_a_quoted_one_is_not(save):
    path = save("a.csv", 'text\n   \nx\n""\n"  "\n\t\n')
    assert [text for text, _ in read(path)] == ["x", "", "  "]


def test_a_line_of_tabs_is_a_row_of_empty_fields(save):
    assert read(save("a.tsv", "text\tlabel\n\t\na\tb\n")) == [("", None), ("a", "b")]


def test_names_of_columns_lose_blanks_and_empty_ones_get_a_number(save):
    file = open_documents(save("a.csv", ", text , label,\n0,a,b,\n"))
    assert file.columns == ("column 1", "text", "label", "column 4")
    assert next(file.rows()).values["column 1"] == "0"


def test_two_columns_of_one_name(save):
    message = refused(save("a.csv", "text,label,text\na,b,c\n"))
    assert "'text'" in message
    assert "1 and 3" in message


@pytest.mark.parametrize(("line", "n_fields"), [("a,1,2", "3 fields"), ("a", "1 field")])
def test_a_row_of_another_width(save, line, n_fields):
    message = refused(save("a.csv", f'text,label\n"x\ny",1\n{line}\n'))
    assert "Line 4" in message
    assert n_fields in message
    assert "header line has 2" in message


def test_a_row_with_too_many_fields(save):
    assert "commas in double quotes" in refused(save("a.csv", "text,label\na,b,c\n"))
    path = save("a.tsv", "text\tlabel\na\tb\tc\n")
    assert "remove the tabs" in refused(path, quotes=False)


def test_a_quote_that_is_never_closed(save):
    message = refused(save("a.csv", 'text,label\nfine,1\n"open,2\nnext,3\nlast,4\n'))
    assert "Line 3" in message
    assert "line 5" in message
    assert 'twice ("")' in message
    assert "--no-quotes" not in message


def test_text_after_a_closed_quote(save):
    message = refused(save("a.tsv", 'text\tlabel\nfine\t1\n"so"\tx\n"a\nb"c\t2\n'))
    assert "Line 4" in message
    assert "line 5" in message
    assert "quotes=False (--no-quotes)" in message


def test_only_a_header(save):
    message = refused(save("a.csv", "text,label\n\n"))
    assert "no documents" in message
    assert "header line" in message


def test_a_header_that_changes_between_two_passes(save):
    file = open_documents(save("a.csv", "text,label\na,1\n"))
    assert [row.text for row in file.rows()] == ["a"]
    save("a.csv", "label,text\n1,a\n")
    with pytest.raises(DocumentFileError, match=r"header line of .* changed"):
        list(file.rows())


def test_a_document_of_ten_megabytes(save):
    text = 'word "quoted", ' * 700_000
    quoted = text.replace('"', '""')
    usual = csv.field_size_limit()
    [(read_text, label)] = read(save("a.csv", f'text,label\n"{quoted}",1\n'))
    assert read_text == text
    assert label == "1"
    assert csv.field_size_limit() == usual


def test_a_record_beyond_the_limit(save, monkeypatch):
    monkeypatch.setattr("isthmus.files.limits.MAX_CHARACTERS", 1000)
    row = "word " * 20 + "\n"
    message = refused(save("a.csv", "text,label\na,1\n" + '"' + row * 20))
    assert "Line 3" in message
    assert "1000 characters" in message


def test_a_line_beyond_the_limit_is_not_read_to_its_end(save, monkeypatch):
    monkeypatch.setattr("isthmus.files.limits.MAX_CHARACTERS", 200_000)
    bomb = gzip.compress(b"text,label\na,1\n" + b"x" * 50_000_000)
    message = refused(save("a.csv.gz", bomb))
    assert "Line 3" in message
    assert "200000 characters" in message


def test_the_limit_of_the_csv_module_is_never_left_raised(save):
    path = save("a.csv", "text,label\n" + "some text,1\n" * 10)
    usual = csv.field_size_limit()
    one, other = (open_documents(path).rows() for _ in range(2))
    for _ in range(4):
        next(one)
        assert csv.field_size_limit() == usual
        next(other)
        assert csv.field_size_limit() == usual
    one.close()
    assert len(list(other)) == 6
    assert csv.field_size_limit() == usual
