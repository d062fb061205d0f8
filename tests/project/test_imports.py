"""Importing the package is quick: nothing heavy is imported before it is used."""

from __future__ import annotations

import json
import subprocess
import sys


def packages_after(code: str) -> set[str]:
    """Top-level packages that a fresh interpreter has imported after some code."""
    report = "import json, sys; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout)) - set(sys.stdlib_module_names)


def test_the_package_alone_imports_nothing_else():
    assert packages_after("import isthmus") - packages_after("pass") == {"isthmus"}


def test_public_names_import_scikit_learn_and_no_more():
    allowed = packages_after("import sklearn.linear_model, sklearn.feature_extraction.text")
    names = "Transfer, MTrick, TextVectorizer, load"
    assert packages_after(f"from isthmus import {names}") - allowed == {"isthmus"}
