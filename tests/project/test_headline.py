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


def speed_cells(first: str) -> list[str]:
    """Cells of the first row of the speed page that begins so."""
    page = (ROOT / "benchmarks" / "speed.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_speed():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    printed = speed_cells("the paper's formulas in NumPy and SciPy, float64")
    assert f"is {float(printed[5]):.0f} times as fast as the paper's formulas" in readme
    assert f"(float32 against float64; {float(printed[6]):.0f} times in float64)" in readme
    topics = speed_cells("scikit-learn NMF (mu, Kullback-Leibler), float32")
    assert f"step is {float(topics[2]):.0f} times as fast as scikit-learn's" in readme
    million = speed_cells("1,000,000 | class_conditional")
    assert f"a fit of a million documents {float(million[5]):.1f} seconds" in readme
    for documents, most in (("200,000", 1.5), ("1,000,000", 1.5)):
        for start in ("class_conditional", "plsa"):
            assert float(speed_cells(f"{documents} | {start}")[4]) < most
