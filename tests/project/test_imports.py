"""Imports are quick: nothing heavy comes in before it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def packages_after(code: str) -> set[str]:
    """Top-level packages that a fresh interpreter holds after running some code."""
    report = "import json, sys; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def test_the_package_alone_imports_nothing_else():
    added = packages_after("import isthmus") - packages_after("pass") - set(sys.stdlib_module_names)
    assert added == {"isthmus"}


@pytest.mark.parametrize("name", ["Transfer", "MTrick", "TextVectorizer", "load"])
def test_public_names_import_scikit_learn_and_no_more(name):
    allowed = packages_after("import sklearn.linear_model, sklearn.feature_extraction.text")
    added = packages_after(f"from isthmus import {name}") - allowed - set(sys.stdlib_module_names)
    assert added == {"isthmus"}
