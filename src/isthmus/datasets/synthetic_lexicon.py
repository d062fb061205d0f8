"""Words and sentence patterns of the corpus in :mod:`isthmus.datasets.synthetic`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CLASSES", "DOMAINS", "ClassWords", "DomainWords"]


@dataclass(frozen=True)
class ClassWords:
    """Sentence patterns of a class with slots for two cues, and its cues by domain."""

    sentences: tuple[str, ...]
    shared: tuple[str, ...]
    books: tuple[str, ...]
    kitchen: tuple[str, ...]


@dataclass(frozen=True)
class DomainWords:
    """Class-independent words and sentence patterns of a domain.

    ``misleading`` lists things with a word that is a cue in the other domain only: moving parts do
    not praise a mixer, and a leaky boat does not criticize a novel.
    """

    nouns: tuple[str, ...]
    things: tuple[str, ...]
    remarks: tuple[str, ...]
    misleading: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_OPINIONS = (
    "I found the {noun} {first} and {second}.",
    "The {noun} is {first}, even {second}.",
    "For me the {noun} was {first}, the {other} {second}.",
    "The {first} {noun} and the {second} {other} say it all.",
    "How {first} the {noun} is, and how {second}!",
    "My whole family called the {noun} {first} and {second}.",
)
_ASIDES = (
    "About the {noun}: {first}, {second}.",
    "This is on the {noun}: {first}; {second}.",
    "{first}, for the {noun} and the {other}. And {second}.",
    "The {noun} here: {first}, also {second}.",
    "As to the {noun} and the {other}, {first}; {second}.",
)

CLASSES = {
    "positive": ClassWords(
        sentences=_OPINIONS,
        shared=_words(
            "great excellent wonderful superb lovely perfect fantastic delightful brilliant "
            "impressive outstanding terrific"
        ),
        books=_words(
            "gripping moving witty lyrical suspenseful absorbing thoughtful poignant vivid "
            "insightful evocative heartfelt imaginative enchanting hilarious profound tender "
            "unforgettable masterful riveting eloquent touching haunting fascinating"
        ),
        kitchen=_words(
            "sturdy durable quiet powerful efficient compact rustproof ergonomic versatile "
            "spotless reliable solid lightweight precise nonstick foolproof washable stackable "
            "handy quick adjustable spacious energetic seamless"
        ),
    ),
    "negative": ClassWords(
        sentences=_OPINIONS,
        shared=_words(
            "terrible awful horrible disappointing poor dreadful useless annoying mediocre "
            "pathetic worthless lousy"
        ),
        books=_words(
            "dull predictable wordy shallow contrived plodding confusing overwritten preachy "
            "tedious implausible rambling pretentious repetitive unreadable sentimental "
            "humourless incoherent derivative melodramatic unfinished forgettable pompous "
            "stilted"
        ),
        kitchen=_words(
            "leaky noisy flimsy rusty wobbly overheated dented clogged scratched smelly faulty "
            "sluggish brittle cracked greasy warped jammed underpowered bulky dangerous sticky "
            "loose chipped unsafe"
        ),
    ),
    "question": ClassWords(
        sentences=_ASIDES,
        shared=(
            "wondering a bit",
            "does anyone know",
            "curious to hear",
            "not sure yet",
            "please advise",
            "hoping for an answer",
            "any recommendation",
            "can somebody explain",
            "asking for a friend",
            "what would you suggest",
            "puzzled so far",
            "a beginner here",
        ),
        books=(
            "which translation",
            "what edition",
            "is it unabridged",
            "in which order",
            "how many volumes",
            "is there a sequel",
            "does it need the prequel",
            "for which age",
            "is it illustrated",
            "does it have an index",
            "with footnotes",
            "is the ebook out",
            "an audiobook maybe",
            "any glossary",
            "fit for classrooms",
            "in large print",
        ),
        kitchen=(
            "which voltage",
            "does it need an adapter",
            "is the lid compatible",
            "how many watts",
            "is it dishwasher proof",
            "for induction",
            "with which filter",
            "what capacity",
            "does it fit a cupboard",
            "how to descale it",
            "where is the fuse",
            "which setting for dough",
            "any spare gasket",
            "does it reset",
            "can it be recycled",
            "how to calibrate it",
        ),
    ),
    "offer": ClassWords(
        sentences=_ASIDES,
        shared=(
            "selling it",
            "a real bargain",
            "shipping included",
            "cash only",
            "open to a trade",
            "first come gets it",
            "pickup preferred",
            "discount for two",
            "price negotiable",
            "best bid wins",
            "payment on delivery",
            "reduced again",
        ),
        books=(
            "a signed copy",
            "hardcover",
            "with dust jacket",
            "unmarked pages",
            "slightly foxed",
            "a boxed set",
            "collectible",
            "no dogears",
            "an advance proof",
            "tight binding",
            "first printing",
            "from a library",
            "gilt edges",
            "small inscription",
            "no underlining",
            "sewn spine",
        ),
        kitchen=(
            "still sealed",
            "refurbished",
            "extra attachments",
            "original carton",
            "with receipt",
            "a wedding gift",
            "tested yesterday",
            "new cord",
            "chrome finish",
            "showroom model",
            "two years guarantee",
            "demo unit",
            "replacement jug",
            "unused since moving",
            "manual and whisk",
            "enamel intact",
        ),
    ),
}

DOMAINS = {
    "books": DomainWords(
        nouns=_words(
            "plot story ending dialogue prose narrator hero chapter novel villain setting "
            "opening author cover biography mystery romance style"
        ),
        things=_words(
            "train village shelf letter harbour king brother garden castle journey winter "
            "library soldier teacher island evening church diary sister ship"
        ),
        remarks=(
            "It tells of the {thing} and the {other}.",
            "There is the {thing} in it.",
            "Somewhere the {other} meets the {thing}.",
            "I was reading by the {thing}.",
            "The {other} comes after the {thing}.",
        ),
        misleading=(
            "quiet village",
            "solid wall",
            "powerful king",
            "compact car",
            "lightweight coat",
            "handy knife",
            "cracked mirror",
            "loose horse",
            "rusty gate",
            "noisy market",
            "leaky boat",
            "dented helmet",
        ),
    ),
    "kitchen": DomainWords(
        nouns=_words(
            "blender toaster kettle motor blade lid handle oven pan mixer timer cable grill "
            "basket thermostat grinder knob tray"
        ),
        things=_words(
            "soup bread counter sink chicken coffee cake rice onion shelf cupboard plug box "
            "dough tea potato carrot table drawer window"
        ),
        remarks=(
            "I use it with the {thing} and the {other}.",
            "It stands near the {thing}.",
            "We tried it with the {other}, then with the {thing}.",
            "It came along with the {thing}.",
            "After the {other} it was time for the {thing}.",
        ),
        misleading=(
            "moving parts",
            "absorbing cloth",
            "vivid red",
            "tender meat",
            "gripping tongs",
            "touching edges",
            "predictable routine",
            "repetitive chopping",
            "unfinished wood",
            "shallow dish",
            "dull steel",
            "confusing drawer",
        ),
    ),
}
