"""Execute the runs of suites and store their results."""

from isthmus.bench.extra import require_extra

require_extra()
