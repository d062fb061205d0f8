"""From the vocabularies of two languages to one."""

from isthmus.text.bridge.building import build_bridge
from isthmus.text.bridge.coverage import Coverage
from isthmus.text.bridge.model import Bridge
from isthmus.text.bridge.vocabulary import Vocabulary

__all__ = ["Bridge", "Coverage", "Vocabulary", "build_bridge"]
