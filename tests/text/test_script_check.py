"""The warning about scripts that the tokenizer does not split into words."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from isthmus import BilingualVectorizer, TextVectorizer

CHINESE = "这本书是我姐姐送给我的礼物"
JAPANESE = "この本は姉からの贈り物で、二回読みました"
UNSPACED = {
    "Thai": ("th", "หนังสือเล่มนี้เป็นของขวัญ"),
    "Chinese": ("zh", CHINESE),
    "Japanese": ("ja", JAPANESE),
    "Lao": ("lo", "ພາສາລາວ"),
    "Khmer": ("km", "ភាសាខ្មែរ"),
    "Burmese": ("my", "မြန်မာဘာသာ"),
}


@pytest.mark.parametrize("language", ["english", None, "de"])
@pytest.mark.parametrize("script", UNSPACED)
def test_the_warning_names_script_and_language(script: str, language: str | None) -> None:
    code, text = UNSPACED[script]
    with pytest.warns(UserWarning, match=rf"{script}.*--language {code}\b") as caught:
        TextVectorizer(language=language).fit([text, "some English words"])
    assert len(caught) == 1
    assert str(caught[0].message).endswith(".")
    assert caught[0].filename == __file__


@pytest.mark.parametrize("script", [script for script in UNSPACED if script != "Japanese"])
def test_no_warning_with_the_language_of_the_script(script: str) -> None:
    code, text = UNSPACED[script]
    assert_no_warning([text], code)


def test_no_warning_with_japanese() -> None:
    pytest.importorskip("fugashi", reason="Japanese needs the extra 'japanese'")
    pytest.importorskip("unidic_lite", reason="Japanese needs the extra 'japanese'")
    assert_no_warning([JAPANESE], "ja")
    assert_no_warning(["東京大学"], "ja")  # Chinese characters only


@pytest.mark.parametrize(
    "text",
    [
        "plain English words",
        "des mots français à côté",
        "यह किताब मेरी बहन का उपहार थी",
        "이 책은 누나가 준 선물이고",
        "слова русского языка",
        "كلمات عربية",
        f"{'many English words ' * 10} {CHINESE[:9]}",
        "12 % ... 😀",
        "",
    ],
)
def test_no_warning_with_other_texts(text: str) -> None:
    assert_no_warning([text, "word"], "english")


def test_only_the_first_texts_count() -> None:
    assert_no_warning(["word"] * 1000 + [CHINESE] * 3000, "english")
    with pytest.warns(UserWarning, match="Chinese"):
        TextVectorizer().fit([CHINESE] * 1000 + ["word"] * 3000)


def test_streams_and_results_do_not_change() -> None:
    texts = [CHINESE, "some words"] * 600

    def stream() -> Iterator[str]:
        yield from texts

    with pytest.warns(UserWarning, match="Chinese"):
        from_stream = TextVectorizer().fit_transform(stream())
    with pytest.warns(UserWarning, match="Chinese"):
        from_list = TextVectorizer().fit_transform(texts)
    np.testing.assert_array_equal(from_stream.toarray(), from_list.toarray())
    assert from_list.shape == (1200, 2)


def test_two_languages() -> None:
    with pytest.warns(UserWarning, match="Chinese") as caught:
        BilingualVectorizer("en", "de").fit_transform_domains(["good book"], [CHINESE])
    assert len(caught) == 1


def assert_no_warning(texts: list[str], language: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TextVectorizer(language=language, min_df=1).fit(texts)
