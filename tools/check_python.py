"""Say clearly that the Python at hand is too old, before pip says it at length."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    found = ".".join(str(part) for part in sys.version_info[:3])
    sys.exit("isthmus needs Python 3.11 or newer, found " + found + ": make PYTHON=python3.12 ...")
