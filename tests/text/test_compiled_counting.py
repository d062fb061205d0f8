"""Compiled loops give the same terms and counts as plain Python."""

from __future__ import annotations

import os
import signal
import unicodedata
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from common import examples
from isthmus import CharacterVectorizer, TextVectorizer
from isthmus.kernels import dispatch, loops
from isthmus.matrices.threads import one_thread
from isthmus.text.counting import block_counts, text_block
from isthmus.text.counting.character_table import CharacterTable, special_capitals
from isthmus.text.tokenizers import make_tokenizer, make_word_rules

pytestmark = pytest.mark.filterwarnings("ignore:.*does not split into words")

# All planes, with halves of surrogate pairs; combining marks and case pairs are rare among them.
CHARACTERS = st.one_of(
    st.characters(),
    st.characters(max_codepoint=0x17F),
    st.sampled_from(
        "aAzZ09_ .,'-\n\t\x00\x1c\x85\xa0\u2028ÄäßẞİΣςÅ\u0131\u03c3\u0301\u0308\u0130\u0345ǅⱥȺ"
        "\u200c\u200d\ufe0fकिखाשָ\u05b8한글あ我\U0001f600\U0001f44d\U0001f3fd\U0001f1e9\U0001f1ea"
        "\U00010400\U0001e900\udc80\ud83d"
    ),
)
TEXTS = st.lists(
    st.one_of(
        st.text(CHARACTERS, max_size=40),
        st.lists(st.sampled_from(["The", "not", "kettle", "ΟΔΟΣ", "İstanbul", "x" * 9, "y" * 300]))
        .map(" ".join),
    ),
    min_size=1,
    max_size=12,
)  # fmt: skip
OPTIONS = [
    {},
    {"lowercase": False},
    {"stem": True},
    {"language": "hi"},
    {"language": None, "ngram_range": (1, 3)},
    {"stem": True, "lowercase": False, "ngram_range": (2, 2)},
    {"stop_words": ["THE", "ist", ""], "lowercase": False, "ngram_range": (1, 2)},
    {"stop_words": ["kettle"], "ngram_range": (1, 2), "max_terms": 5, "dtype": "float64"},
    {"max_terms": 3},
]


def assert_same_matrix(one, other) -> None:
    assert one.shape == other.shape
    assert one.dtype == other.dtype
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def fit(monkeypatch, setting, make, texts, new_texts):
    """Return a fitted vectorizer and both matrices; the error message if there are no terms."""
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    vectorizer = make()
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError as error:
        return str(error)
    return vectorizer, X, vectorizer.transform(new_texts)


def assert_same(monkeypatch, make, texts, new_texts) -> None:
    plain, compiled = (
        fit(monkeypatch, setting, make, texts, new_texts) for setting in ("never", "always")
    )
    if isinstance(plain, str):
        assert compiled == plain
        return
    assert compiled[0].terms_ == plain[0].terms_
    assert getattr(compiled[0], "spellings_", 0) == getattr(plain[0], "spellings_", 0)
    assert_same_matrix(compiled[1], plain[1])
    assert_same_matrix(compiled[2], plain[2])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, new_texts=TEXTS)
def test_random_texts(monkeypatch, options, texts, new_texts) -> None:
    options = {"weighting": "counts", "min_df": 1, **options}
    assert_same(monkeypatch, lambda: TextVectorizer(**options), texts, new_texts)


@pytest.mark.parametrize("lowercase", [True, False])
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, new_texts=TEXTS)
def test_random_texts_as_characters(monkeypatch, lowercase, texts, new_texts) -> None:
    assert_same(
        monkeypatch, lambda: CharacterVectorizer(lowercase=lowercase, min_df=1), texts, new_texts
    )


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_character(monkeypatch, lowercase) -> None:
    # Alone, inside a word, and twice, for all code points.
    texts = [
        " ".join(f"{c} a{c}b {c}{c} {c}x" for c in map(chr, range(start, start + 0x400)))
        for start in range(0, 0x110000, 0x400)
    ]
    rules = make_word_rules(None, lowercase=lowercase)
    assert rules is not None
    expected = {word for text in texts for word in make_tokenizer(None, lowercase=lowercase)(text)}
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    vectorizer = TextVectorizer(language=None, min_df=1, lowercase=lowercase, weighting="counts")
    vectorizer.fit(texts)
    assert set(vectorizer.terms_) == expected


def test_lower_case_needs_the_text_for_two_characters_only() -> None:
    # Another version of Unicode may have more; the tables are made from Python's own data.
    assert set(special_capitals()) == {"\u03a3", "\u0130"}
    lower = CharacterTable(r"\w", r"\w", None, None, lowercase=True).values(ascii_only=False)
    words = lower[lower >= 0]
    np.testing.assert_array_equal(lower[words], words)  # lower case of lower case


def test_ascii_table_is_part_of_the_whole_table() -> None:
    for lowercase in (True, False):
        table = make_word_rules("en", lowercase=lowercase).characters
        np.testing.assert_array_equal(
            table.values(ascii_only=True), table.values(ascii_only=False)[:128]
        )
        assert table.values(ascii_only=True).max() < 128  # no flags


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_any_number_of_threads_gives_the_same_matrix(monkeypatch, options) -> None:
    generator = np.random.default_rng(0)
    words = np.array([f"{word}{unicodedata.lookup('GREEK SMALL LETTER PI') * (i % 3)}{i}"
                      for i in range(3000) for word in ("Kettle", "kettles")])  # fmt: skip
    texts = [" ".join(generator.choice(words, 60)) for _ in range(900)]
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    monkeypatch.setattr(text_block, "MAX_CHARACTERS", 4000)  # many blocks

    def count():
        vectorizer = TextVectorizer(weighting="counts", **options)
        return vectorizer.fit_transform(texts), vectorizer

    monkeypatch.setattr("isthmus.text.counting.term_counter.thread_limit", lambda: 4)
    in_threads, vectorizer = count()
    with_new = vectorizer.transform(texts)
    monkeypatch.setattr("isthmus.text.counting.term_counter.thread_limit", lambda: 1)
    alone, other = count()
    assert vectorizer.terms_ == other.terms_
    assert vectorizer.spellings_ == other.spellings_
    assert_same_matrix(in_threads, alone)
    assert_same_matrix(with_new, in_threads)
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    plain, other = count()
    assert vectorizer.terms_ == other.terms_
    assert_same_matrix(in_threads, plain)


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_tables_grow(monkeypatch, ngram_range) -> None:
    # More words, longer words and more n-grams than there is room for at first.
    texts = [" ".join(f"word{i}number{j}" for j in range(300)) for i in range(200)]
    texts.append("w" * 700_000)
    options = {"min_df": 1, "weighting": "counts", "ngram_range": ngram_range, "language": None}
    assert_same(monkeypatch, lambda: TextVectorizer(**options), texts, texts)


def test_words_that_share_a_prefix_or_a_hash_are_told_apart(monkeypatch) -> None:
    # Words of up to eight bytes are compared as numbers, longer ones by their hash and letters.
    words = ["ab" + "c" * n for n in range(40)] + ["ä" * n for n in range(1, 20)]
    words += ["\u0e01" * 3, "abcdefgh", "abcdefghi", "abcdefg\u00e9", "abcdef\u00e9"]
    texts = [" ".join(words[: i + 1]) for i in range(len(words))]
    options = {"min_df": 1, "weighting": "counts", "language": None}
    assert_same(monkeypatch, lambda: TextVectorizer(**options), texts, texts)


def test_an_error_in_the_middle_of_the_texts_is_raised(monkeypatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    monkeypatch.setattr(text_block, "MAX_CHARACTERS", 100)

    def texts():
        yield from ["kettle boils"] * 500
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        TextVectorizer().fit(texts())
    with pytest.raises(ValueError, match=r"Text 321 .* is 3 of type int"):
        TextVectorizer().fit([*["kettle boils"] * 321, 3, "kettle"])


def test_stop_words_between_words_do_not_separate_an_ngram(monkeypatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    vectorizer = TextVectorizer(
        min_df=1, ngram_range=(2, 2), stop_words=["of"], weighting="counts", language=None
    ).fit(["cup of tea"])
    assert vectorizer.terms_ == ["cup tea"]
    # An unknown word does separate it.
    assert vectorizer.transform(["cup of tea", "cup hot tea"]).toarray().tolist() == [[1], [0]]


def test_html_is_removed(monkeypatch) -> None:
    texts = ["<p>Kettle <b>boils</b></p>", "<!-- kettle -->tea"]
    options = {"min_df": 1, "html": True, "weighting": "counts"}
    assert_same(monkeypatch, lambda: TextVectorizer(**options), texts, texts)


def counting_used(monkeypatch) -> list[str]:
    """Record which of the compiled functions are called."""
    called: list[str] = []
    for name in ("count_all", "count_known"):
        function = getattr(block_counts, name)

        def record(*args, name=name, function=function):
            called.append(name)
            return function(*args)

        monkeypatch.setattr(block_counts, name, record)
    return called


def test_few_texts_are_counted_without_the_compiler(monkeypatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "auto")
    monkeypatch.setattr("isthmus.kernels.dispatch.CompiledLoop.find", lambda *_, **__: None)
    called = counting_used(monkeypatch)
    TextVectorizer().fit(["kettle boils"] * 30).transform(["kettle"])
    assert called == []


def test_many_texts_switch_to_compiled_loops_without_a_loss(monkeypatch) -> None:
    monkeypatch.setattr("isthmus.text.term_counts._FIRST_CHARACTERS", 5_000)
    texts = [f"kettle number{i} boils" for i in range(1_000)]
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    expected = TextVectorizer(weighting="counts", min_df=1).fit_transform(texts)
    monkeypatch.setenv("ISTHMUS_COMPILE", "auto")
    called = counting_used(monkeypatch)
    vectorizer = TextVectorizer(weighting="counts", min_df=1)
    assert_same_matrix(vectorizer.fit_transform(iter(texts)), expected)
    assert_same_matrix(vectorizer.transform(iter(texts)), expected)
    assert called == ["count_all", "count_known"]
    # Reading a large vocabulary is not worth it for a short text.
    vectorizer.transform(["kettle"])
    assert called == ["count_all", "count_known"]


@pytest.mark.parametrize("loop", ["text_words", "word_counts", "sorted_rows"])
def test_a_failing_compiler_is_no_failure(monkeypatch, loop) -> None:
    def fail(self, key):
        raise RuntimeError("no compiler")

    broken = dispatch.CompiledLoop(loop, "isthmus.kernels.compiled.tokens")
    monkeypatch.setattr(broken, "_compiled", fail.__get__(broken))
    monkeypatch.setattr(loops, loop, broken)
    monkeypatch.setattr(
        "isthmus.text.term_counts._WORDS",
        (loops.text_words, loops.add_words, loops.move_slots),
    )
    monkeypatch.setattr(dispatch, "_state", dispatch._ProcessState())
    monkeypatch.setattr(broken, "_is_worth_compiling", lambda *_: True)
    monkeypatch.setattr("isthmus.text.term_counts._FIRST_CHARACTERS", 5_000)
    monkeypatch.setenv("ISTHMUS_COMPILE", "auto")
    with pytest.warns(UserWarning, match="no compiler"):
        X = TextVectorizer(weighting="counts").fit_transform(["kettle boils"] * 1_000)
    assert X.sum() == 2_000


def test_an_error_in_a_thread_is_raised(monkeypatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    monkeypatch.setattr(text_block, "MAX_CHARACTERS", 100)
    monkeypatch.setattr("isthmus.text.counting.term_counter.thread_limit", lambda: 3)

    def fail(self, block):
        raise MemoryError("too large")

    monkeypatch.setattr("isthmus.text.counting.term_counter.TermCounter.count", fail)
    with pytest.raises(MemoryError, match="too large"):
        TextVectorizer().fit(["kettle boils"] * 500)


def test_words_with_stems_are_forgotten_to_bound_the_memory(monkeypatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    vectorizer = TextVectorizer(stem=True, weighting="counts").fit(["kettles boiling"] * 30)
    monkeypatch.setattr("isthmus.text.counting.term_numbers._MAX_WORDS", 10)
    monkeypatch.setattr(text_block, "MAX_CHARACTERS", 100)
    texts = [f"kettle boiled other{i} word{i}" for i in range(200)]
    assert vectorizer.transform(texts).toarray().tolist() == [[1, 1]] * 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_stems_while_its_parent_does(monkeypatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    texts = [f"kettles{i} boiling{i}" for i in range(300)]
    analyzer = TextVectorizer(stem=True, min_df=1).fit(texts).make_analyzer()
    with analyzer._stems._lock, warnings.catch_warnings():  # as if another thread was stemming
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork of a process with threads
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(20)
                with one_thread():
                    TextVectorizer(stem=True, min_df=1).fit(texts)
                status = 0
            finally:
                os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
