"""Detection of the language of texts."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isthmus.text.language_detection import detect_language
from isthmus.text.languages import known_codes

SENTENCES = {
    "english": "The book was a gift from my sister, and I have read it twice since then.",
    "german": "Das Buch war ein Geschenk meiner Schwester, ich habe es seither zweimal gelesen.",
    "french": "Ce livre était un cadeau de ma sœur, et je l'ai lu deux fois depuis.",
    "spanish": "El libro fue un regalo de mi hermana y desde entonces lo he leído dos veces.",
    "russian": "Эту книгу мне подарила сестра, потом её два раза прочитал мой отец.",
    "japanese": "この本は姉からの贈り物で、それから二回読みました。",
    "chinese": "这本书是我姐姐送给我的礼物。从那以后我读了两遍。",
    "thai": "หนังสือเล่มนี้เป็นของขวัญจากพี่สาวของฉัน",
    "korean": "이 책은 누나가 준 선물이고 그 뒤로 두 번 읽었다.",
    "hindi": "यह किताब मेरी बहन का उपहार थी और तब से मैंने इसे दो बार पढ़ा है।",
    "norwegian": "Boken var en gave fra søsteren min, og jeg har lest den to ganger siden.",
}


@pytest.fixture
def identifier() -> None:
    pytest.importorskip(
        "py3langid", reason="detection needs py3langid: pip install 'isthmus[detect]'"
    )


@pytest.mark.parametrize("language", SENTENCES)
def test_one_sentence(identifier: None, language: str) -> None:
    assert detect_language([SENTENCES[language]]) == language


def test_majority(identifier: None) -> None:
    texts = [SENTENCES["german"]] * 2 + [SENTENCES["english"], "", "12 %", " \n"]
    assert detect_language(texts) == "german"
    assert detect_language(texts[::-1]) == "german"


@pytest.mark.parametrize(
    ("languages", "votes"),
    [
        (["german", "english"], "votes of 2 texts: english 1, german 1"),
        (["german", "german", "english", "french", "russian"], "votes of 5 texts: german 2, eng"),
    ],
)
def test_no_majority(identifier: None, languages: list[str], votes: str) -> None:
    with pytest.raises(ValueError, match=rf"{votes}.*name the language"):
        detect_language([SENTENCES[language] for language in languages])


def test_half_of_the_votes_is_enough(identifier: None) -> None:
    languages = ["german", "german", "english", "french"]
    assert detect_language([SENTENCES[language] for language in languages]) == "german"


@pytest.mark.parametrize("texts", [[], ["", "  "], ["12 + 3 = 15", "!!"]])
def test_no_letter(identifier: None, texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r"no text contains a letter.*name the language"):
        detect_language(texts)


def test_only_the_sample_is_read(identifier: None) -> None:
    def stream() -> Iterator[str]:
        yield from ["", "5", SENTENCES["german"], SENTENCES["german"]]
        raise AssertionError("read too far")

    assert detect_language(stream(), sample=2) == "german"


def test_only_the_start_of_a_text_counts(identifier: None) -> None:
    start = (SENTENCES["german"] + " ") * 13  # more than 1,000 characters
    assert detect_language([start + SENTENCES["russian"] * 500]) == "german"


def test_nul_and_surrogates(identifier: None) -> None:
    assert detect_language([f"\0\ud800 {SENTENCES['french']} \ud800\0"]) == "french"


def test_only_languages_of_the_table(identifier: None) -> None:
    swahili = "Kitabu hiki kilikuwa zawadi kutoka kwa dada yangu."
    assert detect_language([swahili]) in known_codes().values()


@pytest.mark.parametrize(
    ("texts", "sample", "message"),
    [
        ("one text", 200, r"wrap it in \[ \]"),
        ([SENTENCES["german"], None], 200, r"Text 1 .* is None of type NoneType, not text"),
        ([SENTENCES["german"]], 0, "sample=0 must be a positive integer"),
    ],
)
def test_wrong_arguments(identifier: None, texts: Any, sample: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        detect_language(texts, sample)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    with pytest.raises(ImportError, match=r"pip install 'isthmus\[detect\]'"):
        detect_language(["text"])


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("code", "language"),
    [("en", "english"), ("de", "german"), ("fr", "french"), ("jp", "japanese")],
)
def test_reviews(identifier: None, corpora: Path, code: str, language: str) -> None:
    with gzip.open(corpora / "webis_cls10" / f"{code}.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    assert detect_language(texts) == language
    assert detect_language(reversed(texts), sample=20) == language
