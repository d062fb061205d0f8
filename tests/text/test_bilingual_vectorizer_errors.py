"""Wrong texts, parameters and calls of BilingualVectorizer."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from bilingual import SOURCE, TARGET, fitted, make
from isthmus import BilingualDictionary, BilingualVectorizer

TEXT_ERRORS: list[tuple[Any, Any, str]] = [
    (["aa", "bb"], None, "sample_domain is required"),
    (["aa", "bb"], [0], r"sample_domain has shape \(1,\) but X has 2 rows"),
    (["aa", "bb"], ["en", "de"], "sample_domain .* not integers"),
    ("aa", [0], "single text .* list of texts"),
    (pd.DataFrame({"a": ["aa"], "b": ["bb"]}), [0, -1], "table .* list of texts"),
    (["aa", "bb", None], [0, -1, -1], r"Text 2 \(counted from 0\) is None of type NoneType"),
    (["aa", b"bb"], [0, -1], "Text 1 .* of type bytes"),
    (["aa", "bb"], [-1, -1], "^The source texts: No documents"),
    (["aa", "bb"], [0, 0], "^The target texts: No documents"),
    ([], [], "^The source texts: No documents"),
    (["aa", "."], [0, -1], "^The target texts: .* no terms"),
]


@pytest.mark.parametrize(("texts", "domains", "message"), TEXT_ERRORS)
def test_wrong_texts(texts: Any, domains: Any, message: str) -> None:
    vectorizer = make()
    with pytest.raises(ValueError, match=message) as caught:
        vectorizer.fit(texts, sample_domain=domains)
    assert one_sentence(caught.value)
    with pytest.raises(NotFittedError):
        check_is_fitted(vectorizer)


PARAMETER_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"source_language": "klingon"}, "^source_language='klingon': Unknown language 'klingon'"),
    ({"target_language": "klingon"}, "^target_language='klingon': Unknown language 'klingon'"),
    ({"target_language": 3}, "^target_language=3: Unknown language 3"),
    ({"target_language": None, "stem": True}, "^target_language=None: stem=True needs a language"),
    ({"target_language": "zh", "stem": True}, "^target_language='zh': There is no stemmer for"),
    ({"stem": "yes"}, "^stem='yes' must be True or False"),
    ({"max_df": "most"}, "^max_df is 'most'"),
    ({"min_df": 0}, "^min_df .* is 0"),
    ({"max_terms": 0}, "^max_terms=0 must"),
    ({"ngram_range": (2, 1)}, "^ngram_range"),
    ({"stop_words": "german"}, "^stop_words='german' must"),
    ({"weighting": "bm25"}, "^Unknown weighting 'bm25'"),
    ({"dtype": "int8"}, "^dtype='int8' must"),
    ({"dictionary": "no/such/words.tsv"}, "no/such/words.tsv"),
    ({"dictionary": 7}, "^7 is not a dictionary"),
    ({"dictionary": {"Buch": 7}}, "^The translation of 'Buch' in the dictionary is 7"),
    (
        {"dictionary": BilingualDictionary((("livre", "book"),), ("fr", "en"), "mine")},
        "dictionary mine are fr and en, .* source is en and the target de",
    ),
]


@pytest.mark.parametrize(("parameters", "message"), PARAMETER_ERRORS)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    vectorizer = make().set_params(**parameters)
    with pytest.raises(ValueError, match=message) as caught:
        vectorizer.fit_transform_domains(SOURCE, TARGET)
    assert one_sentence(caught.value)
    with pytest.raises(NotFittedError):
        check_is_fitted(vectorizer)


def one_sentence(error: BaseException) -> bool:
    text = str(error)
    return (
        "\n" not in text and not re.search(r"[a-z]{2}\. [A-Z]", text) and text.endswith((".", "]."))
    )


@pytest.mark.parametrize(
    ("module", "language"),
    [("py3langid", "auto"), ("fugashi", "japanese")],
    ids=["auto", "japanese"],
)
@pytest.mark.parametrize("parameter", ["source_language", "target_language"])
def test_a_missing_extra_is_named_with_the_parameter(
    module: str, language: str, parameter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def fail(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == module:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", fail)
    vectorizer = make().set_params(**{parameter: language})
    with pytest.raises(ImportError, match=rf"^{parameter}='{language}': .*isthmus\[") as e:
        vectorizer.fit_transform_domains(SOURCE, TARGET)
    assert one_sentence(e.value)


def test_an_error_leaves_an_earlier_fit_unchanged() -> None:
    vectorizer = fitted()
    before = vectorizer.transform(TARGET).toarray()
    with pytest.raises(ValueError, match="target texts"):
        vectorizer.fit_transform_domains(["other words"], ["."])
    other = BilingualDictionary((("livre", "book"),), ("fr", "en"))
    with pytest.raises(ValueError, match="fr and en"):
        vectorizer.set_params(dictionary=other).fit_transform_domains(["other words"], ["Wort"])
    np.testing.assert_array_equal(vectorizer.transform(TARGET).toarray(), before)


@pytest.mark.parametrize(
    "use",
    [
        lambda vectorizer: vectorizer.transform(TARGET),
        lambda vectorizer: vectorizer.transform(TARGET, sample_domain=[0, 0, -1]),
        lambda vectorizer: vectorizer.spellings_of(target=True),
        lambda vectorizer: vectorizer.get_feature_names_out(),
        lambda vectorizer: vectorizer.weights_,
    ],
    ids=["transform", "transform both", "spellings", "names", "weights"],
)
def test_not_fitted(use: Callable[[BilingualVectorizer], Any]) -> None:
    with pytest.raises(NotFittedError):
        use(make())


@pytest.mark.parametrize(
    ("texts", "domains", "message"),
    [
        ("Buch", None, "single text"),
        ("Buch", [-1], "single text"),
        ([], None, "target texts: No documents"),
        ([], [], "No documents"),
        (["Buch", 3], None, r"target texts: Text 1 \(counted from 0\) is 3 of"),
        (["book", "Buch", 3], [0, -1, -1], r"^Text 2 \(counted from 0\) is 3 of"),
        (["Buch"], [0, 1], r"sample_domain has shape \(2,\) but X has 1 rows"),
    ],
)
def test_wrong_texts_after_a_fit(texts: Any, domains: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted().transform(texts, sample_domain=domains)
