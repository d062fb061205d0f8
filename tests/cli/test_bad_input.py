"""Wrong input: one sentence, the right exit code, and no file changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isthmus import Auto
from isthmus.cli.predictions import PredictionRows
from tables import write_columns

BOTH = ("--source", "books.csv", "--target", "kitchen.csv")
GOOD = b"text,label\ngood kettle,a\nbad kettle,b\n"


def refused(call: Any, *args: str, code: int = 2) -> str:
    """Run a command that must fail and change no file; return its message."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    result = call(*args)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    *_, last = result.stderr.strip().splitlines()
    assert "Traceback" not in result.stderr
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before
    return last


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "'books.csv' is empty"),
        (b"text,label\n", "'books.csv' has a header line but no documents"),
        (b"\n\n\n", "'books.csv'"),
        (b'text,label\na,b\n"broken,b\nc,d\n', "'books.csv'"),
        (b"text,label\na,b\nc,d,e\n", "ine 3 of 'books.csv'"),
        (b"text,text\na,b\n", "'text'"),
        (b"\x7fELF\x00\x00\x01" + bytes(100), "binary"),
        ("text,label\nschön,a\n".encode("latin-1"), "--encoding"),
        (b"PK\x03\x04" + bytes(50), "'books.csv'"),
        (b"alpha,beta,gamma\n1,2,3\n", "'alpha', 'beta', 'gamma'"),
        (b"text,other,third\nhello world,2,3\n", "label"),
        (b"text,label\na,\nb,\n", "only one class (none)"),
        (b"text,label\naa,x\nbb,x\n", "only one class ('x')"),
        (b"text,label\n,x\n,y\n", "no terms"),
    ],
)
def test_bad_sources(call: Any, content: bytes, message: str) -> None:
    Path("books.csv").write_bytes(content)
    Path("kitchen.csv").write_bytes(b"text,label\n,a\n" if b"\n,x" in content else GOOD)
    assert message in refused(call, "classify", *BOTH)


def test_broken_quotes_name_the_line(call: Any) -> None:
    Path("books.csv").write_bytes(GOOD)
    Path("kitchen.csv").write_bytes(b'text,n\nfine,1\n"never closed,2\nnext,3\n')
    printed = refused(call, "classify", *BOTH)
    assert "'kitchen.csv'" in printed
    assert "Line 3" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--text-col", "body"], "no column 'body'"),
        (["--label-col", "lable"], "'label'"),
        (["--target-text-col", "body"], "'kitchen.csv'"),
        (["--target-label-col", "trth"], "did you mean 'truth'? It has the columns 'id', 'text'"),
        (["--target-label-col", "trth"], "Choose with target_label_col (--target-label-col)"),
        (["--set", "beta"], "--set 'beta' must be a name and a value"),
        (["--set", "gamma=1"], "--set gamma: Auto has no such parameter, it has"),
        (["--set", "gamma=1"], f"it has {', '.join(Auto().get_params(deep=False))}."),
        (["--method", "mtrick", "--set", "beta=-1"], "beta must be at least 0"),
        (["--stop-words", "nothing.txt"], "nothing.txt"),
        (["--columns", "id,date"], "no column 'date' in 'kitchen.csv'"),
        (["--columns", "id,id"], "--columns names 'id' twice"),
        (["--stem", "--language", "none"], "stem=True needs a language"),
        (["--method", "knn"], "Unknown method 'knn'"),
        (["--method", "SFA"], "did you mean 'sfa'"),
        (["--method", "plsa"], "'plsa' is a transformer"),
        (["--preset", "best"], "Auto has no preset 'best'"),
        (["--effort", "quick"], "--effort must be one of 'fast', 'normal', 'thorough'"),
        (["--effort", "fast", "--method", "sfa"], "--effort='fast' is for the automatic method"),
        (["--time-limit", "0"], "--time-limit must be above 0"),
        (["--time-limit", "9", "--method", "sfa"], "--time-limit=9.0 is for the automatic"),
        (["--strict", "--no-verdict"], "--strict needs the verdict: leave out --no-verdict"),
        (["--language", "klingon"], "Unknown language 'klingon'"),
        (["--min-df", "many"], "--min-df 'many' must be a number of documents"),
        (["--min-df", "5000"], "min_df=5000 drops them all"),
        (["--max-df", "2.5"], "max_df is 2.5"),
        (["--encoding", "utf-99"], "utf-99"),
        (["--output", "p.xls"], "The format of the output 'p.xls' is unknown"),
        (["--output", "no/folder/p.csv"], "'no/folder'"),
        (["--output", "books.csv"], "The source and the output are the same file 'books.csv'"),
        (["--output", "kitchen.csv"], "The target and the output are the same file"),
        (["--save-model", "kitchen.csv"], "The target and the model file are the same file"),
        (["--save-model", "no/m"], "'no' of the output does not exist"),
        (["--save-model", "predictions.csv"], "The output and the model file are the same file"),
    ],
)
def test_wrong_options(call: Any, corpus: Any, options: list[str], message: str) -> None:
    assert message in refused(call, "classify", *BOTH, *options)


def test_source_and_target_the_same_file(call: Any, corpus: Any) -> None:
    printed = refused(call, "classify", "--source", "books.csv", "--target", "./books.csv")
    assert "The source and the target are the same file" in printed
    assert "leave --target out" in printed
    Path("link.csv").symlink_to("books.csv")
    assert "same file" in refused(call, "classify", "--source", "books.csv", "--target", "link.csv")


def test_a_column_that_the_output_adds(call: Any, corpus: Any) -> None:
    write_columns(Path("kitchen.csv"), ["text", "predicted"], corpus.target_texts, ["x"] * 100)
    printed = refused(call, "classify", *BOTH)
    assert "'kitchen.csv' already has a column 'predicted'" in printed
    assert call("classify", *BOTH, "--columns", "text").exit_code == 0


def test_no_word_in_common(call: Any, corpus: Any) -> None:
    write_columns(Path("kitchen.csv"), ["text"], ["qqq zzz", "zzz qqq"])
    assert "'kitchen' has no word in common with the sources" in refused(call, "classify", *BOTH)


def test_nothing_left_to_judge(call: Any, corpus: Any) -> None:
    known = [*corpus.target_labels[:50], *[""] * 50]
    write_columns(Path("kitchen.csv"), ["text", "mine"], corpus.target_texts, known)
    call("classify", *BOTH, "--target-label-col", "mine")
    printed = refused(call, "evaluate", "--predictions", "predictions.csv", "--label-col", "mine")
    assert "All 50 documents with a true label were used for training" in printed


@pytest.mark.parametrize("option", ["--target-text-col", "--target-label-col", "--target-encoding"])
def test_options_of_a_missing_target(call: Any, corpus: Any, option: str) -> None:
    printed = refused(call, "classify", "--source", "books.csv", option, "x")
    assert f"{option} needs a --target" in printed


def test_several_sources_need_a_target(call: Any, corpus: Any) -> None:
    write_columns(Path("more.csv"), ["text", "label"], corpus.source_texts, corpus.source_labels)
    printed = refused(call, "classify", "--source", "books.csv", "--source", "more.csv")
    assert "With several sources" in printed
    assert "--target" in printed


@pytest.mark.slow
def test_a_reader_that_goes_away(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "--save-model", "m")
    judge = ["evaluate", "--predictions", "predictions.csv", "--json"]
    for args in (["explain", "--model", "m"], judge):
        with command_line(*args) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            printed = process.stderr.read()
        assert process.returncode == 0
        assert "rror" not in printed


def test_an_interrupt_that_python_dropped_is_raised_again(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus.cli.command._interrupted", True)
    before = sorted(Path().iterdir())
    assert call("classify", *BOTH).exit_code == 130
    assert sorted(Path().iterdir()) == before


def test_ids_need_two_files(call: Any, corpus: Any) -> None:
    call("classify", *BOTH)
    printed = refused(call, "evaluate", "--predictions", "predictions.csv", "--id-col", "id")
    assert "name the second with --truth" in printed


def test_no_such_file(call: Any, corpus: Any) -> None:
    printed = refused(call, "classify", "--source", "nothing.csv", "--target", "kitchen.csv")
    assert "nothing.csv" in printed


def test_a_high_limit_for_five_documents(call: Any) -> None:
    Path("books.csv").write_bytes(GOOD)
    write_columns(Path("kitchen.csv"), ["text"], ["good pan", "bad pan", "pan"])
    printed = refused(call, "classify", *BOTH, "--min-df", "15")
    assert "4 different terms, but min_df=15 drops" in printed
    assert call("classify", *BOTH).exit_code == 0


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no model file 'm'"),
        (b"", "'m' is not a model file"),
        (b"PK\x05\x06" + bytes(18), "not a model file"),
    ],
)
def test_bad_models(
    call: Any, corpus: Any, command: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        Path("m").write_bytes(content)
    options = ["--input", "kitchen.csv"] if command == "predict" else []
    assert message in refused(call, command, "--model", "m", *options)


def test_predict_checks_its_options(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "--save-model", "m.tsv")
    model = ["predict", "--model", "m.tsv", "--input", "kitchen.csv"]
    assert "no domain 'x'" in refused(call, *model, "--domain", "x")
    assert "same file" in refused(call, *model, "--output", "kitchen.csv")
    assert "same file" in refused(call, *model, "--output", "m.tsv")
    assert "is unknown" in refused(call, *model, "--output", "p.doc")


def test_predict_that_fails_half_way_leaves_no_file(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "--save-model", "m")
    good = Path("kitchen.csv").read_text(encoding="utf-8")
    Path("bad.csv").write_text(good * 30 + 'k,"open\n', encoding="utf-8")
    Path("out.csv").write_text("precious", encoding="utf-8")
    printed = refused(call, "predict", "--model", "m", "--input", "bad.csv", "-o", "out.csv", "-f")
    assert "'bad.csv'" in printed
    assert Path("out.csv").read_text(encoding="utf-8") == "precious"


def test_a_document_of_ten_megabytes(call: Any, corpus: Any) -> None:
    long = "sturdy kettle " * 750_000
    write_columns(Path("kitchen.csv"), ["text"], [*corpus.target_texts, long])
    result = call("classify", *BOTH, "--columns", "none")
    assert result.exit_code == 0, result.output


def command_line(*args: str, **settings: Any) -> subprocess.Popen[str]:
    code = "from isthmus.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **settings,
    )


@pytest.mark.slow
def test_a_full_disk(call: Any, corpus: Any) -> None:
    """The limit on the size of files makes writing fail as a full disk does."""

    resource = pytest.importorskip("resource")

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))

    environment = {**os.environ, "NUMBA_CACHE_DIR": "", "PYTHONDONTWRITEBYTECODE": "1"}
    before = sorted(Path().iterdir())
    process = command_line(
        *("classify", *BOTH, "--method", "lg"), preexec_fn=no_room, env=environment
    )
    with process:
        _, printed = process.communicate()
    assert process.returncode == 1
    assert "'predictions.csv': File too large" in printed
    assert sorted(Path().iterdir()) == before


def test_ctrl_c_while_the_results_are_written(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus.cli.predictions._BLOCK_ROWS", 50)
    make = PredictionRows.make

    def interrupted(*args: Any) -> Any:
        yield next(make(*args))
        raise KeyboardInterrupt

    monkeypatch.setattr(PredictionRows, "make", interrupted)
    Path("predictions.csv").write_text("precious", encoding="utf-8")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    result = call("classify", *BOTH, "--save-model", "m", "--force")
    assert result.exit_code == 130
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
@pytest.mark.slow
def test_a_signal_leaves_nothing_behind(
    call: Any, corpus: Any, number: signal.Signals, code: int
) -> None:
    texts, labels = corpus.target_texts * 400, corpus.target_labels * 400
    write_columns(Path("kitchen.csv"), ["text", "truth"], texts, labels)
    before = sorted(Path().iterdir())
    with command_line("classify", *BOTH, "--save-model", "m") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("Target"):
                break
        process.send_signal(number)
        _, printed = process.communicate()
    assert process.returncode == code
    assert "Traceback" not in printed
    assert sorted(Path().iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.slow
def test_a_summary_that_cannot_be_printed(call: Any, corpus: Any) -> None:
    code = "from isthmus.cli import main; main()"
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "classify", *BOTH, "--method", "lg"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "summary cannot be printed" in done.stderr
    assert "predictions are in predictions.csv." in done.stderr
    assert "Traceback" not in done.stderr
    assert Path("predictions.csv").exists()


def test_a_target_with_a_label_in_every_row_leaves_nothing_to_predict(call: Any) -> None:
    Path("books.csv").write_bytes(GOOD)
    Path("kitchen.csv").write_bytes(GOOD)
    message = refused(call, "classify", *BOTH, "--target-label-col", "label")
    assert "Every row of 'kitchen.csv' has a label in column 'label'" in message
    assert "--target-label-col" in message


def test_a_guessed_label_column_with_a_value_per_row(call: Any) -> None:
    rows = [f"good kettle,T{row}" for row in range(30)]
    Path("books.csv").write_text("\n".join(["text,topic", *rows]), encoding="utf-8")
    Path("kitchen.csv").write_bytes(GOOD)
    message = refused(call, "classify", *BOTH)
    assert "Column 'topic' of 'books.csv'" in message
    assert "30 different values in 30 rows" in message
    assert "--label-col" in message
