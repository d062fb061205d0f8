"""Which columns are taken for the texts and the labels."""

from __future__ import annotations

import json

import pytest

from isthmus.files import DocumentFileError, open_documents

SENTENCES = [
    "I liked this book a great deal and would read it again",
    "The kettle broke after a week and nobody answered my letters",
    "A fine film with a slow beginning and a splendid end",
]


def table(tmp_path, columns, rows):
    path = tmp_path / "a.csv"
    lines = [columns, *rows]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n", encoding="utf-8")
    return path


def chosen(path, **options):
    file = open_documents(path, **options)
    return file.text_col, file.label_col, file.text_guessed, file.label_guessed


def refused(path, **options) -> str:
    with pytest.raises(DocumentFileError) as caught:
        open_documents(path, **options)
    message = str(caught.value)
    assert path.name in message
    return message


@pytest.mark.parametrize(
    ("columns", "text", "label"),
    [
        (["id", "Text", "LABEL"], "Text", "LABEL"),
        (["title", "body", "topic"], "body", "topic"),
        (["Review Text", "Category", "y"], "Review Text", "Category"),
        (["content", "message", "document"], "document", None),
        (["target", "tweet", "id"], "tweet", "target"),
        (["headline", "category", "id"], "headline", "category"),
    ],
)
def test_usual_names(tmp_path, columns, text, label):
    path = table(tmp_path, columns, [["x"] * len(columns)])
    assert chosen(path) == (text, label, True, label is not None)


def test_names_given_are_taken(tmp_path):
    path = table(tmp_path, ["text", "label", "stars"], [["a", "b", "c"]])
    assert chosen(path, text_col="label", label_col="stars") == ("label", "stars", False, False)


def test_a_label_column_is_not_taken_for_the_text(tmp_path):
    path = table(tmp_path, ["text", "body"], [["a", "b"]])
    assert chosen(path, label_col="text")[:2] == ("body", "text")


def test_the_longest_texts_where_no_name_helps(tmp_path):
    rows = [[f"{i:036d}", "short words", s, "pos"] for i, s in enumerate(SENTENCES)]
    path = table(tmp_path, ["key", "note", "opinion", "label"], rows)
    assert chosen(path) == ("opinion", "label", True, True)


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param([f"https://example.org/a/very/long/address/{i}" for i in range(6)], id="url"),
        pytest.param([f"2024-01-0{i} 10:00:00.000 +0000" for i in range(6)], id="dates"),
        pytest.param(["Home and Kitchen Appliances for All"] * 6, id="one class"),
        pytest.param([str(i) * 40 for i in range(6)], id="numbers"),
        pytest.param([""] * 6, id="empty"),
    ],
)
def test_what_is_clearly_no_text_is_not_guessed(tmp_path, cells):
    path = table(tmp_path, ["first", "second"], [[i, cell] for i, cell in enumerate(cells)])
    message = refused(path)
    assert "text_col (--text-col)" in message
    assert "'first', 'second'" in message


def test_text_without_blanks_between_words_is_recognized(tmp_path):
    rows = [
        ["a", "这是一个非常好的产品我会再次购买并推荐给所有的朋友们" + str(i)] for i in range(4)
    ]
    assert chosen(table(tmp_path, ["first", "second"], rows))[0] == "second"


def test_of_two_columns_the_other_one_is_the_label_if_one_is_needed(tmp_path):
    path = table(tmp_path, ["text", "opinion"], [["a", "b"]])
    assert chosen(path, need_label=True) == ("text", "opinion", True, True)
    assert chosen(path) == ("text", None, True, False)


@pytest.mark.parametrize("other", ["id", "Index", ""])
def test_a_number_is_not_taken_for_the_label(tmp_path, other):
    path = table(tmp_path, [other, "text"], [["1", "a"]])
    assert "label_col (--label-col)" in refused(path, need_label=True)


def test_no_label_where_one_is_needed(tmp_path):
    path = table(tmp_path, ["text", "one", "two"], [["a", "b", "c"]])
    message = refused(path, need_label=True)
    assert "labels" in message
    assert "'text', 'one', 'two'" in message
    assert chosen(path)[1] is None


def test_a_single_column_is_no_label(tmp_path):
    assert "the column 'text'" in refused(table(tmp_path, ["text"], [["a"]]), need_label=True)


@pytest.mark.parametrize(
    ("options", "essentials"),
    [
        ({"text_col": "txet"}, ["'txet'", "did you mean 'text'", "--text-col"]),
        ({"text_col": "TEXT"}, ["'TEXT'", "did you mean 'text'"]),
        ({"label_col": "qqq"}, ["'qqq'", "'text', 'label', 'stars'", "--label-col"]),
        ({"text_col": "text", "label_col": "text"}, ["both the text and the label"]),
        ({"text_col": ""}, ["no column ''"]),
    ],
)
def test_a_column_that_is_not_there(tmp_path, options, essentials):
    message = refused(table(tmp_path, ["text", "label", "stars"], [["a", "b", "c"]]), **options)
    for essential in essentials:
        assert essential in message


def test_no_close_match_no_suggestion(tmp_path):
    path = table(tmp_path, ["text", "label"], [["a", "b"]])
    assert "did you mean" not in refused(path, label_col="qqq")


@pytest.mark.parametrize("options", [{}, {"text_col": "text"}, {"need_label": True}])
def test_a_file_without_a_header_line(tmp_path, options):
    path = table(tmp_path, [SENTENCES[0], "pos"], [[SENTENCES[1], "neg"], [SENTENCES[2], "pos"]])
    message = refused(path, **options)
    assert "first line looks like a document" in message
    assert "header line such as text,label" in message


def test_a_class_in_the_header_line_gives_a_missing_one_away(tmp_path):
    path = table(tmp_path, ["Fine book", "pos"], [[s, "pos"] for s in SENTENCES])
    assert "first line looks like a document" in refused(path, need_label=True)


def test_a_very_long_first_cell_is_not_shown_whole(tmp_path):
    path = table(tmp_path, ["word " * 10_000, "pos"], [["a", "neg"]])
    assert len(refused(path)) < 600


def test_many_columns_are_not_shown_all(tmp_path):
    path = table(tmp_path, [f"c{i}" for i in range(500)], [["1"] * 500])
    message = refused(path)
    assert "and 480 more" in message
    assert len(message) < 600


def test_json_lines_named_csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text((json.dumps({"text": "a b", "label": "x"}) + "\n") * 2, encoding="utf-8")
    assert ".jsonl" in refused(path)
