"""The README's headline figures are those of BENCHMARKS.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def cells(set_name: str, method: str, split: str = "Evidence") -> list[str]:
    """Cells of a method's row among the problems of a set."""
    page = (ROOT / "BENCHMARKS.md").read_text(encoding="utf-8")
    part = page.split(f"### {set_name}\n")[1].split(f"{split},")[1].split(" problems:")[1]
    part = part.split("Development,")[0].split("\n#")[0]
    (row,) = re.findall(rf"^\| {re.escape(method)} \|(.*)\|$", part, flags=re.MULTILINE)
    return [cell.strip() for cell in row.split("|")]


def test_headline():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    collapsed = []
    for set_name in ("sci vs talk", "rec vs sci"):
        ours, plain = cells(set_name, "MTrick (default)"), cells(set_name, "LG")
        assert f"{float(ours[1]):.1f} % ({set_name})" in readme
        assert f"{float(plain[1]):.1f} %" in readme
        assert f"{float(ours[0]):.1f} %" in readme
        collapsed.append(ours[3])
    assert f"In {collapsed[0]} and in {collapsed[1]} of the 128 problems" in readme


def test_where_it_does_not_help():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for split in ("Evidence", "Development"):
        ours, plain = (
            float(cells("reviews", method, split)[1]) for method in ("MTrick (default)", "LG")
        )
        assert f"{ours:.1f} % against {plain:.1f} %" in readme
