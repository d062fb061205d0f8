"""The documents of a problem: which there are, and their counts."""

from isthmus.bench.extra import require_extra

require_extra()
