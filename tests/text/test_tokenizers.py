"""Tokenizers of several languages."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.text.tokenizers import make_form_tokenizer, make_tokenizer
from isthmus.text.unicode_scripts import EMOJI, UNSPACED_SCRIPTS, vowel_signs

NEEDS_EXTRA = "Japanese needs fugashi and unidic-lite: pip install 'isthmus[japanese]'"
Tokenize = Callable[[str], list[str]]

MILLIONS = 2_000_000


@pytest.fixture
def japanese() -> Tokenize:
    pytest.importorskip("fugashi", reason=NEEDS_EXTRA)
    pytest.importorskip("unidic_lite", reason=NEEDS_EXTRA)
    return make_tokenizer("japanese")


DEFAULT_LANGUAGES = [None, "english", "german", "french", "russian", "greek", "arabic", "turkish"]


SEPARATE = re.compile(f"{EMOJI}|[{vowel_signs()}]")


@pytest.mark.parametrize("language", DEFAULT_LANGUAGES)
@given(text=st.text().filter(lambda text: not SEPARATE.search(unicodedata.normalize("NFC", text))))
def test_most_languages_are_tokenized_as_in_scikit_learn(language: str | None, text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert make_tokenizer(language)(text) == re.findall(r"\w\w+", composed)
    lower = make_tokenizer(language, lowercase=True)
    assert lower(text) == re.findall(r"\w\w+", composed.lower())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("so good 😀, thanks", ["so", "good", "😀", "thanks"]),
        ("nice😂😂day", ["nice", "😂", "😂", "day"]),
        ("👍 👍🏽 👍🏿", ["👍", "👍", "👍"]),
        ("❤ ❤\ufe0f ☺\ufe0f", ["❤", "❤", "☺"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("👩\u200d💻", ["👩", "💻"]),
        ("★ ♪ → 5\u20e3 x", []),
    ],
)
@pytest.mark.parametrize("language", ["english", None, "ru", "hi", "zh", "th"])
def test_every_emoji_is_a_word(language: str | None, text: str, words: list[str]) -> None:
    assert make_tokenizer(language)(text) == words
    assert make_tokenizer(language, lowercase=True)(text) == words


@given(text=st.text(st.sampled_from("ab1 .é😀🇩🇫\u200d🏽❤")))
def test_words_do_not_depend_on_emoji(text: str) -> None:
    words = [word for word in make_tokenizer("en")(text) if not re.fullmatch(EMOJI, word)]
    assert words == re.findall(r"\w\w+", re.sub(EMOJI, " ", text))


@pytest.mark.parametrize("language", ["english", None, "german"])
def test_words_of_indian_scripts_are_whole_in_any_language(language: str | None) -> None:
    text = "हिन्दी में किताब தமிழ் বাংলা"
    assert make_tokenizer(language)(text) == text.split()


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("hi", "हिन्दी में किताब, अच्छी है। ३ १२ a", ["हिन्दी", "में", "किताब", "अच्छी", "है", "१२"]),
        ("ne", "नेपाली भाषा॥ गर्\u200dयो", ["नेपाली", "भाषा", "गर्यो"]),
        ("ta", "தமிழ் மொழி, book", ["தமிழ்", "மொழி", "book"]),
        ("yi", "ייִדיש־שפּראַך", ["ייִדיש", "שפּראַך"]),
    ],
)
def test_vowel_signs_belong_to_words(language: str, text: str, words: list[str]) -> None:
    words = [unicodedata.normalize("NFC", word) for word in words]
    assert make_tokenizer(language)(text) == words
    assert make_tokenizer(language)(unicodedata.normalize("NFD", text)) == words


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "我喜欢看电影。好!", ["我喜", "喜欢", "欢看", "看电", "电影", "好"]),
        ("zh", "\uff23\uff24\uff13张和iPhone 12, x", ["CD3", "张和", "iPhone", "12"]),
        ("zh", "𠀀𠀁人々", ["𠀀𠀁", "𠀁人", "人々"]),
        ("zh", "カタ电影", ["カタ", "电影"]),
        ("ko", "책을 읽었다 ㅋㅋㅋ 나 TV", ["책을", "읽었", "었다", "ㅋㅋ", "ㅋㅋ", "나", "TV"]),
        ("th", "ที่ดีๆ", ["ที่", "ี่ด", "่ดี", "ดีๆ"]),
        ("th", "ดี CD ๒๕๖๐ ๆ 5", ["ดี", "CD", "๒๕๖๐"]),
        ("th", "ฉัน\u200bชอบ", ["ฉัน", "ชอบ"]),
        ("lo", "ພາສາ", ["ພາສ", "າສາ"]),
        ("km", "ខ្មែរ។", ["ខ្ម", "្មែ", "មែរ"]),
        ("my", "မြန်မာ၊ ၁၂", ["မြန", "ြန်", "န်မ", "်မာ", "၁၂"]),
    ],
)
def test_scripts_without_spaces(language: str, text: str, words: list[str]) -> None:
    assert make_tokenizer(language)(text) == words


BLOCKS = {
    "burmese": [(0x1000, 0x10A0), (0xA9E0, 0xAA00), (0xAA60, 0xAA80)],
    "khmer": [(0x1780, 0x1800)],
    "lao": [(0x0E80, 0x0F00)],
    "thai": [(0x0E00, 0x0E80)],
}


@pytest.mark.parametrize("language", BLOCKS)
def test_scripts_consist_of_letters_and_marks(language: str) -> None:
    script = re.compile(f"[{UNSPACED_SCRIPTS[language]}]")
    for start, stop in BLOCKS[language]:
        for code in range(start, stop):
            category = unicodedata.category(chr(code))
            if category != "Cn":  # unassigned
                assert bool(script.match(chr(code))) == (category[0] in "LM"), hex(code)
    inside = [chr(c) for c in range(sys.maxunicode + 1) if script.match(chr(c))]
    assert all(any(a <= ord(c) < b for a, b in BLOCKS[language]) for c in inside)


@pytest.mark.parametrize("language", ["zh", "ko", "th", "lo", "km", "my", "hi"])
@given(data=st.data())
def test_spaces_separate_words(language: str, data: st.DataObject) -> None:
    letters = {
        "zh": "电影看",
        "ko": "한국어",
        "th": "ทีด่",
        "lo": "ພາສ",
        "km": "ខ្ម",
        "my": "မြန",
        "hi": "कि",
    }
    text = data.draw(st.text(letters[language] + "ab1 .\u200d", max_size=30))
    words = make_tokenizer(language)(text)
    assert " " not in "".join(words)
    assert set("".join(words)) <= set(text)
    assert words == [w for line in text.split(" ") for w in make_tokenizer(language)(line)]


class TestJapanese:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("この映画はとても面白かった。", ["この", "映画", "とても", "面白かっ"]),
            ("ｉＰｈｏｎｅ１２を２０２３年に", ["iPhone", "12", "2023", "年"]),
            ("ｺﾝﾋﾟｭｰﾀｰ", ["コンピューター"]),
            ("ｶﾞﾗｽ、ガラス ガラス", ["ガラス", "ガラス", "ガラス"]),
            ("私、彼。猫!", ["私", "彼", "猫"]),
            ("♪ ★(^_^) … ーー ___ x の", []),
            ("", []),
            (" \n\t\u3000", []),
        ],
    )
    def test_words(self, japanese: Tokenize, text: str, words: list[str]) -> None:
        assert japanese(text) == words

    def test_dictionary_forms(self, japanese: Tokenize) -> None:
        text = "映画を見ました。おもしろくないiPhoneのコンピュータを東京で使ってください"
        forms = make_form_tokenizer()(text)
        assert [word for word, _ in forms] == japanese(text)
        assert dict(forms) == {
            "映画": "映画",
            "見": "見る",
            "まし": "ます",
            "おもしろく": "おもしろい",
            "ない": "ない",
            "iPhone": "iPhone",
            "コンピュータ": "コンピュータ",
            "東京": "東京",
            "使っ": "使う",
            "ください": "くださる",
        }

    def test_emoji(self, japanese: Tokenize) -> None:
        text = "映画😂😂面白い👍🏽"
        assert japanese(text) == ["映画", "😂", "😂", "面白い", "👍"]
        assert make_form_tokenizer()("見た😀")[-1] == ("😀", "😀")

    @pytest.mark.parametrize("separator", ["\0", "\x1b", "\ud800", "\x85", "\u2028", "\r\n"])
    def test_characters_that_mecab_cannot_read(self, japanese: Tokenize, separator: str) -> None:
        assert japanese(f"{separator}映画{separator}{separator}音楽{separator}") == ["映画", "音楽"]

    # Without unassigned characters, which differ between versions of Python.
    @given(text=st.text(st.characters(exclude_categories=["Cn"])))
    def test_any_text(self, text: str) -> None:
        pytest.importorskip("fugashi", reason=NEEDS_EXTRA)
        pytest.importorskip("unidic_lite", reason=NEEDS_EXTRA)
        words = make_tokenizer("ja")(text)
        assert not any(re.search(r"\s", word) for word in words)
        assert all(any(map(str.isalnum, word)) or re.fullmatch(EMOJI, word) for word in words)

    def test_a_long_text_is_tokenized_like_its_sentences(self, japanese: Tokenize) -> None:
        sentence = "この映画はとても面白かった。"
        n_repeats = MILLIONS // len(sentence) + 1
        assert japanese(sentence * n_repeats) == japanese(sentence) * n_repeats

    @pytest.mark.parametrize(
        ("piece", "min_words"),
        [
            pytest.param("映画を見て", 700_000, marks=pytest.mark.slow),
            *[("映画 ", 600_000), (" ", 0), ("ー", 0), ("a", 1)],
        ],
    )
    def test_a_long_text_without_a_sentence_end(
        self, japanese: Tokenize, piece: str, min_words: int
    ) -> None:
        words = japanese(piece * (MILLIONS // len(piece)))
        assert len(words) >= min_words


@pytest.mark.parametrize(
    ("language", "word", "count"),
    [
        ("zh", "电", MILLIONS - 1),
        ("ko", "한", MILLIONS - 1),
        ("th", "ที", MILLIONS - 2),
        ("hi", "कि", 1),
        ("de", "öl ", MILLIONS // 3),
    ],
)
def test_long_texts_of_other_languages(language: str, word: str, count: int) -> None:
    assert len(make_tokenizer(language)(word * (MILLIONS // len(word)))) == count
    assert make_tokenizer(language)(f"{word}\0{word}") == [word.strip()] * 2


@pytest.mark.parametrize("missing", ["fugashi", "unidic_lite"])
def test_japanese_without_the_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    for make in (lambda: make_tokenizer("ja"), make_form_tokenizer):
        with pytest.raises(ImportError, match=r"pip install 'isthmus\[japanese\]'"):
            make()
