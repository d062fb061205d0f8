"""What a suite contains: its problems, its entries, and what the paper reported."""

from isthmus.bench.extra import require_extra

require_extra()
