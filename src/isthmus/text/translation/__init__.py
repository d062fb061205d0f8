"""The joint vocabulary of two languages: target terms mapped to source terms by dictionaries."""

from isthmus.text.translation.coverage import Coverage
from isthmus.text.translation.joint_vocabulary import JointVocabulary, build_joint_vocabulary
from isthmus.text.translation.language_vocabulary import LanguageVocabulary

__all__ = ["Coverage", "JointVocabulary", "LanguageVocabulary", "build_joint_vocabulary"]
