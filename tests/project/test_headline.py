"""The README's headline figures are those of BENCHMARKS.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


SUITES = {
    "sci vs talk": "MTrick Table 1",
    "rec vs sci": "MTrick Table 1",
    "reviews": "Amazon reviews",
    "six newsgroup tasks": "CDSC Table 2",
    "WebKB4": "LSSTTC Tables",
    "product category, dictionary": "DKT Table 3",
    "product category, identical strings only": "DKT Table 3",
    "sentiment, dictionary": "Webis-CLS-10",
    "reviews of the fit": "PJNMF Table 1: Amazon reviews, 12 pairs, 2,000",
    "new reviews": "PJNMF Table 1: Amazon reviews, 12 pairs, 1,600",
    "balanced": "Class shares",
    "80/20": "Class shares: Amazon reviews, 12 pairs, targets",
    "20/80": "Class shares: Amazon reviews, 12 pairs, targets",
}


def part_of(set_name: str) -> str:
    """What BENCHMARKS.md says of a set in the section of its suite."""
    page = (ROOT / "BENCHMARKS.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {SUITES[set_name]}", 1)[1].split("\n## ")[0]
    return section.split(f"\n### {set_name}\n", 1)[1].split("\n### ")[0]


def read_table(lines: list[str]) -> list[list[str]]:
    """The first table among some lines, without its rule."""
    first = next(i for i, line in enumerate(lines) if line.startswith("| "))
    table = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        plain = line.replace("**", "").strip("|")
        table.append([cell.strip() for cell in plain.split("|")])
    return [table[0], *table[2:]]


def cells(set_name: str, method: str, split: str = "Evidence") -> dict[str, str]:
    """Cells of a method's row among the problems of a set, by the titles of the columns."""
    part = part_of(set_name).split(f"\n{split}, ", 1)[1]
    titles, *rows = read_table(part.splitlines())
    (row,) = [row for row in rows if row[0] == method]
    return dict(zip(titles, row, strict=True))


def test_headline():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    collapsed = []
    for set_name in ("sci vs talk", "rec vs sci"):
        ours, plain = cells(set_name, "MTrick (default)"), cells(set_name, "LG")
        assert f"{float(ours['mean']):.1f} % ({set_name})" in readme
        assert f"{float(plain['mean']):.1f} %" in readme
        assert f"{float(ours['paper']):.1f} %" in readme
        collapsed.append(ours["problems below 50 %"])
    assert f"In {collapsed[0]} and in {collapsed[1]} of the 128 problems" in readme
    for name, saying in (("CoCC", "CoCC has {} % and {} % there"), ("TSVM", "TSVM {} % and {} %")):
        found = [float(cells(part, name)["mean"]) for part in ("sci vs talk", "rec vs sci")]
        assert saying.format(*(f"{value:.1f}" for value in found)) in readme


def test_where_it_does_not_help():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for split in ("Evidence", "Development"):
        ours, plain = (
            float(cells("reviews", method, split)["mean"]) for method in ("MTrick (default)", "LG")
        )
        assert f"{ours:.1f} % against {plain:.1f} %" in readme


def speed_cells(first: str) -> list[str]:
    """Cells of the first row of the speed page that begins so."""
    page = (ROOT / "benchmarks" / "speed.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip().replace("**", "") for cell in row.strip("|").split("|")]


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


def problem_cells(set_name: str, row: str) -> dict[str, float]:
    """Figures of a problem or of a mean by the name of the entry."""
    found = row_with_paper(set_name, row)
    figures = {name: cell.split()[0] for name, cell in found.items() if cell}
    return {name: float(cell) for name, cell in figures.items() if re.fullmatch(r"[\d.]+", cell)}


OURS = "DKT (default: S only)"


def test_across_languages():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    french, japanese = (
        problem_cells("product category, dictionary", name) for name in ("D3 fr", "D5 jp")
    )
    assert f"DKT sorts {french[OURS]:.1f} % and {japanese[OURS]:.1f} % of the reviews" in readme
    assert f"the same dictionary {french['LG']:.1f} % and {japanese['LG']:.1f} %" in readme
    opinions = problem_cells("sentiment, dictionary", "mean of evidence (6)")
    assert f"{opinions[OURS]:.1f} % against {opinions['LG']:.1f} %" in readme


def test_the_tables_on_languages():
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")

    def row(title: str, set_name: str, problems: list[str], method: str) -> str:
        cells = [f"{problem_cells(set_name, name)[method]:.1f}" for name in problems]
        return f"| {title} | {' | '.join(cells)} |"

    first, later = (
        [f"D{n} {language}" for n, language in zip(numbers, ("de", "fr", "jp"), strict=True)]
        for numbers in ((1, 3, 5), (2, 4, 6))
    )
    joined, alone = "product category, dictionary", "product category, identical strings only"
    assert row("logistic regression through the dictionary", joined, first, "LG") in page
    assert row("DKT", joined, first, OURS) in page
    without = [f"{name}, no dictionary" for name in first]
    assert row("DKT, no dictionary", alone, without, OURS) in page
    assert row("DKT, 20 % of the target labelled too", joined, later, OURS) in page
    means = {
        method: [
            sum(
                problem_cells("sentiment, dictionary", f"{language} {category}")[method]
                for category in ("books", "dvd", "music")
            )
            / 3
            for language in ("de", "fr", "jp")
        ]
        for method in ("LG", OURS)
    }
    for title, method in (("logistic regression through the dictionary", "LG"), ("DKT", OURS)):
        cells = " | ".join(f"{mean:.1f}" for mean in means[method])
        assert f"| {title} | {cells} |" in page


def row_with_paper(set_name: str, row: str) -> dict[str, str]:
    """Cells of a problem or of a mean by the name of the entry, whichever way the table lies."""
    titles, *rows = read_table(part_of(set_name).splitlines())
    if titles[0] == "method":
        # The head of a problem names its split as well.
        (column,) = [i for i, t in enumerate(titles) if t.removesuffix(")").split(" (")[0] == row
                     or t == row]  # fmt: skip
        return {line[0]: line[column] for line in rows}
    (found,) = [line for line in rows if line[0] == row]
    return dict(zip(titles, found, strict=True))


def test_small_samples():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    found = row_with_paper("six newsgroup tasks", "mean of evidence (4)")
    ours, paper = (100 * float(part) for part in found["CDSC (default)"][:-1].split("(paper"))
    svm, mtrick = (100 * float(found[name].split()[0]) for name in ("SVM", "MTrick (default)"))
    assert f"CDSC errs on {ours:.1f} % of the target" in readme
    assert f"(the paper {paper:.1f} %; a linear SVM {svm:.1f} %; MTrick {mtrick:.1f} %)" in readme
    found = row_with_paper("WebKB4", "mean of evidence (9)")
    ours, paper = (float(part) for part in found["LSSTTC (default)"][:-1].split("(paper"))
    svm = float(found["SVM"].split()[0])
    assert f"by those of another {ours:.1f} % rightly in nine evidence pairs" in readme
    assert f"(the paper, by its best settings, {paper:.1f} %; the SVM {svm:.1f} %)" in readme


def test_opinions():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    fitted, new = (
        problem_cells(name, "mean of evidence (8)")
        for name in ("reviews of the fit", "new reviews")
    )
    sfa, pjnmf, svm = ((fitted[name], new[name]) for name in ("SFA", "PJNMF (default)", "SVM"))
    assert f"SFA labels {sfa[0]:.1f} % of the target's reviews" in readme
    assert f"and {sfa[1]:.1f} % of reviews that were in no fit" in readme
    assert f"PJNMF {pjnmf[0]:.1f} % and {pjnmf[1]:.1f} %" in readme
    assert f"alone {svm[0]:.1f} % and {svm[1]:.1f} %" in readme


def means(set_name: str, entry: str) -> list[str]:
    """The means of an entry over development, evidence and all problems, and before them the
    paper's where there is one."""
    _, *rows = read_table(part_of(set_name).splitlines())
    (row,) = [row for row in rows if row[0] == entry]
    return row[1:]


def test_class_shares():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    page = (ROOT / "docs" / "class_prior.md").read_text(encoding="utf-8")
    sayings = {
        "MCT, source shares": "MCT has {} % there",
        "SFA, self-trained, source shares": "self-trained SFA {} %",
        "SVM, self-trained, source shares": "a self-trained SVM {} %",
    }
    for entry, saying in sayings.items():
        assert saying.format(f"{float(means('balanced', entry)[2]):.1f}") in readme
    for method in ("SVM", "SFA", "PJNMF"):
        ways = ("", ", source shares", ", estimated shares")
        figures = [f"{float(means('balanced', f'{method}{way}')[2]):.1f}" for way in ways]
        assert f"| {method} | {' | '.join(figures)} |" in page
    for method in ("SVM", "SFA"):
        ways = ("", ", source shares", ", estimated shares", ", true shares (oracle)")
        sides = [[float(means(s, f"{method}{way}")[1]) for s in ("80/20", "20/80")] for way in ways]
        told = " | ".join(f"{first:.1f} / {second:.1f}" for first, second in sides)
        assert f"| {method} | {told} |" in page
