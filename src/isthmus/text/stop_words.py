"""The default stop words of English."""

from __future__ import annotations

__all__ = ["ENGLISH_FUNCTION_WORDS"]

# Left out on purpose, because they change what a sentence says about its subject:
# - negation: not, no, nor, never, none, nothing, nobody, neither, cannot, without, and what the
#   tokenizer leaves of contractions (don, isn, doesn, won, ...)
# - contrast: but, however, though, although, yet, against, except, instead
# - amount and degree: few, less, least, more, most, much, many, very, too, so, only, even, enough,
#   well, almost, any, again, still, just
# - modality: can, could, would, should, must, may, might, please
# - questions: why, how, what, when, who
# - particles of phrasal verbs: up, down, out, off, over, back
_WORDS = """
    a an the
    and or as if than because whether while
    about above across after along among amongst around at before behind below beneath beside
    besides between beyond by during for from in inside into near of on onto per since through
    throughout to toward towards under underneath until upon via with within
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    this that these those some such same other others another each every either both all
    which whose whom whoever whichever where whereas whereby wherein whereupon wherever
    am is are was were be been being have has had having do does did doing will shall re ve ll
    here there then thus hence therefore thereby therein also etc eg ie
"""

#: Articles, pronouns, prepositions, auxiliary verbs and the like, without words that carry
#: negation, contrast, degree, modality or a question.
ENGLISH_FUNCTION_WORDS = frozenset(_WORDS.split())
