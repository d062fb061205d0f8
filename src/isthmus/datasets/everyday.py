"""Loader for the everyday scenarios: the same classes in texts of different origin."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.datasets.corpus_files import CorpusFile, read_json_lines, verified_path
from isthmus.datasets.name_selection import select_names

__all__ = [
    "EVERYDAY_DOMAINS",
    "EVERYDAY_FILES",
    "EVERYDAY_SCENARIOS",
    "EverydayTexts",
    "load_everyday",
]

# A file has a few megabytes after decompression.
_MAX_LINE_BYTES = 4 * 1024**2
_MAX_FILE_BYTES = 64 * 1024**2

_SHA256 = {
    "assistant_intents": {
        "clinc150": "d82324e54bdf71b7ec43b090834f04650f26a2cef32e7e98bdbbae4aca350536",
        "hwu64": "7b4ac32dfbd379a44da59df346a63c9b2bc456a2dd74772dd25515c25c8db7a8",
    },
    "citation_function": {
        "acl_arc": "5479bc4cc5d3eb63504f1dc9ecca4fc170d91949acdbbca7e52a159a756c213e",
        "scicite": "4f779ddeaa835ebb218a51ed7c99826a1b13dbfff324d365bbf36e636b3235b0",
    },
    "crisis_relevance": {
        "alberta_floods": "e845e1acbadb4a52ad578d08799aa92c40049f3e4dc3d854d8513ca3adddbdf0",
        "boston_bombings": "5659e77b85da5d12b4442005a0d12ee495eddf7756e2bac28fd49ca6868322aa",
        "hurricane_sandy": "55c3ff2fcb2b5da43ef2fbf039a6f875a4aa962922c23e6aeb92bc7a327c7864",
        "oklahoma_tornado": "5ad607e346563c59758453b2b3e199c4d04442ea9979d0f683a55843cb121ef5",
    },
    "deceptive_reviews": {
        "hotels_negative": "afecdf8c7ce902707da10cda4cf68efc553338a938fe53cc508b88c852fd979e",
        "hotels_positive": "6f68b810c9482daa410e5a8932e79801344b5fd6bc5b18d086a79e33a1511659",
    },
    "dev_sentiment": {
        "api_reviews": "d1f7bc7f2fb19a6ebba9e0e47ad11c18198c0e52aadd5af67a4cc5f614d486f2",
        "github": "7a2e949b7e70b9d2723501936571171cf3e40cc5b95371f04daa2efad6f0a341",
        "stackoverflow": "80f9114c5ff2a4949c2e9821b7fc99576a5c7fbe0d0e6c4ef81aa9008ff81eff",
    },
    "drug_reactions": {
        "case_reports": "919bf84d284a462aa541c38da2c8fae9ddc10f16453dfa21880193be59fdacac",
        "patient_posts": "3f69dd9b31091444cbf82b6250ce2734c170a7b3d57989cfc23a6efdcf2b3a5e",
    },
    "emotions": {
        "reddit": "fd57978d67e0041380271e2faacd2e02892922575490f9865957647a27882fca",
        "self_reports": "693d7176ae6b48d15a275ab9aabef11971fe81a078ffa389bad338ef2f02add6",
        "tweets": "ca1ca7eb948a20be9d2c976922ed0f986feb5fb1b7824230f529462a68880dc8",
    },
    "issue_types": {
        "bitcoin": "427488059b6050e772ffc53a3c9614e8da7781690a17f81659a6f4fdf10f49fe",
        "react": "f3912fedf96655370017821e4bd9d5c2a04a3b075008ba242e114400a9342f2d",
        "tensorflow": "4e5fc7dab3fa8c383ad91d2efb88165a21ed69a32cf5fc4582c60c3683e31761",
        "vscode": "9581644f7875b4c2c96120cc9f80ab6b90b9a9cec64144c3f1f34f241f06afde",
    },
    "news_languages": {
        "agnews_en": "3ed2efd3095ff26d419c5b0b33ce3f927e2421d8052fef4db0534e8b7d1c6417",
        "bbc_en": "d634f335a73d41e2e2e0c8bef49c30dd2bc0b5ad94213e719b51313282b9b4de",
        "derstandard_de": "90aa12ae215ef8ce3f5fe2314e0ad7034d947caf2dfe54ba439db0c2ac53d782",
    },
    "news_publishers": {
        "agnews": "3ed2efd3095ff26d419c5b0b33ce3f927e2421d8052fef4db0534e8b7d1c6417",
        "bbc": "d634f335a73d41e2e2e0c8bef49c30dd2bc0b5ad94213e719b51313282b9b4de",
        "huffpost": "29b767f5cc72f382d7b54f622bbf777e0574538e0f1115a10215cec89789a9b8",
    },
    "sentiment_kinds": {
        "airline_tweets": "5d29182935d5e3ac8f64f0131b7bb5aaed53be26f3d67cf16cc93ec2d2be3819",
        "finance": "457096ddc5da2df621edbe75b1710ba29ecba2641ddf537e8c75488f229096a0",
        "movies": "5b9fb949397ae8a9b29f8ef2eda3a2d0f44b5e49bccc2036cad43f335b6a4cd5",
        "products": "93fcc894473aa6f44190ed1041318235bf66c770bdb42ad96ffc000f7ed708bf",
    },
    "spam_channels": {
        "email": "6089f2e87b434c1bc3ffa4722d7229985c05e1cc3c120cad551c1e2c5c967281",
        "sms": "43062f21c27b30b6ec2cbf66ae52ae4a816c3f546d1a2958bd239ecaefb5e48e",
        "youtube": "f15ad245fd93aedc8c2824b93f837273bf3a65854be505ecc34178912fc69f72",
    },
    "tweet_languages": {
        "english": "03ab7768dabea13d06085a11da77e7b078a765e5fb76faa4d61a7f4795a20cfe",
        "french": "797155bb9039190a84e200b6694be6a51a9aaf843584afbb21629b9005e7e479",
        "german": "74cac8fb63442921574d991b9e503c1f6a0fdced4ede79417f491ba2fdda4299",
        "spanish": "ac94e24053ab161ffcaf3a6952f4de3331b3457d6d4457f371587808ab5826db",
    },
}
EVERYDAY_FILES = {
    scenario: {
        domain: CorpusFile(f"everyday/{scenario}/{domain}.jsonl.gz", sha256)
        for domain, sha256 in domains.items()
    }
    for scenario, domains in _SHA256.items()
}
EVERYDAY_SCENARIOS = tuple(EVERYDAY_FILES)
"""Names of the everyday scenarios."""
EVERYDAY_DOMAINS = {scenario: tuple(files) for scenario, files in EVERYDAY_FILES.items()}
"""Domains of every everyday scenario."""


@dataclass(frozen=True)
class EverydayTexts:
    """Texts of a scenario with their classes; see :func:`isthmus.datasets.load_everyday`.

    Attributes
    ----------
    texts : list of str
        The texts; white space is collapsed.
    labels : list of str
        The class of each text; all domains of a scenario have the same classes.
    domains : list of str
        The domain of each text: a publisher, a channel, a project, an event or a language.
    """

    texts: list[str]
    labels: list[str]
    domains: list[str]


def load_everyday(
    scenario: str,
    data_home: str | os.PathLike[str] | None = None,
    domains: str | Collection[str] | None = None,
) -> EverydayTexts:
    """Load the texts of a scenario, domain after domain in alphabetical order.

    A domain has at most 4,000 texts. The class proportions of the domains differ.

    Parameters
    ----------
    scenario : str
        One of ``EVERYDAY_SCENARIOS``, such as "news_publishers" or "spam_channels".
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.
    domains : str or collection of str, default=None
        Some of ``EVERYDAY_DOMAINS[scenario]``; by default all.

    Returns
    -------
    EverydayTexts
        Texts, labels and domains.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_everyday
    >>> texts = load_everyday("spam_channels")  # doctest: +SKIP
    >>> sorted(set(texts.labels))  # doctest: +SKIP
    ['ham', 'spam']
    """
    if scenario not in EVERYDAY_FILES:
        raise ValueError(
            f"Unknown everyday scenario {scenario!r}: use one of {', '.join(EVERYDAY_SCENARIOS)}."
        )
    known = EVERYDAY_DOMAINS[scenario]
    selected = select_names(domains, known, "domain", f"the scenario '{scenario}'")
    texts = EverydayTexts([], [], [])
    for domain in sorted(selected):
        path = verified_path(EVERYDAY_FILES[scenario][domain], data_home)
        for number, record in enumerate(_records(path), start=1):
            texts.texts.append(_field(record, "text", path, number))
            texts.labels.append(_field(record, "label", path, number))
            texts.domains.append(domain)
    return texts


def _records(path: Path) -> Any:
    return read_json_lines(path, max_line_bytes=_MAX_LINE_BYTES, max_total_bytes=_MAX_FILE_BYTES)


def _field(record: dict[str, Any], name: str, path: Path, number: int) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(
            f"Record {number} of '{path}' has no text in the field '{name}': copy the file again."
        )
    return value
