"""The worked example of docs/contribute/adding_a_method.md is a complete method."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contribute" / "adding_a_method.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"\n`([\w/]+\.py)`:\n\n```python\n(.*?)```", PAGE, flags=re.DOTALL))
(ROW,) = re.findall(r"```python\n(Method\(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with the method of the page."""
    copy = tmp_path_factory.mktemp("project")
    for folder in ("src", "tests", "tools", "docs"):
        # The documentation may be built at the same time.
        built = ("_build", "_pictures", "gallery", "api", "project") if folder == "docs" else ()
        left_out = shutil.ignore_patterns("__pycache__", *built)
        shutil.copytree(ROOT / folder, copy / folder, ignore=left_out)
    for name in ("pyproject.toml", "ARCHITECTURE.md"):
        shutil.copy(ROOT / name, copy / name)
    for path, text in FILES.items():
        (copy / path).write_text(text, encoding="utf-8")
    registry = copy / "src" / "isthmus" / "estimators" / "registry.py"
    source = registry.read_text(encoding="utf-8")
    assert source.count("\n    )\n}\n") == 1
    row = "".join(f"        {line}\n" for line in ROW.splitlines())
    registry.write_text(source.replace("\n    )\n}\n", f"\n{row}    )\n}}\n"), encoding="utf-8")
    return copy


def run(project, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(project / "src"),
            "HOME": str(project),
            "ISTHMUS_COMPILE": "auto",  # the copy has no machine code yet
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_has_a_solver_an_estimator_and_a_test():
    assert [path.split("/")[0:3] for path in FILES][:2] == [
        ["src", "isthmus", "solvers"],
        ["src", "isthmus", "estimators"],
    ]
    assert len(FILES) == 3


def test_its_tests_and_the_contract_tests_pass(project):
    done = run(
        project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "constrained",
        "tests/contract", "tests/estimators/subspace/test_constrained_kmeans.py",
        "src/isthmus/estimators/subspace/constrained_kmeans.py",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 20


def test_its_docstring_describes_everything(project):
    done = run(
        project, "-m", "pytest", "-q", "-p", "no:cacheprovider",
        "tests/project/test_public_names.py", "-k", "describe",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_style_and_imports(project):
    tools = Path(sys.executable).parent
    for command in (["ruff", "check", *FILES], ["ruff", "format", "--check", *FILES]):
        done = subprocess.run(
            [tools / command[0], *command[1:]],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_generated_parts_follow_the_registry(project):
    assert run(project, "tools/update_generated.py", "--check").returncode == 1
    assert run(project, "tools/update_generated.py").returncode == 0
    init = (project / "src" / "isthmus" / "__init__.py").read_text(encoding="utf-8")
    assert "ConstrainedKMeans as ConstrainedKMeans" in init
    architecture = (project / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert "`constrained-kmeans`" in architecture
