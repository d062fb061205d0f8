"""Figures in the README and in the documentation are those of the stored results."""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from isthmus import METHODS

ROOT = Path(__file__).parents[2]


def load_script(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


readme_figure = load_script(ROOT / "benchmarks" / "studies" / "readme_figure.py")


@cache
def accuracies(suite, split):
    return readme_figure.read_accuracies(suite, split)


def mean(suite, problem_set, entry, split="evidence", task=None):
    """Mean accuracy of an entry over the problems of a set."""
    values = [
        value
        for (name, problem), value in accuracies(suite, split)[entry].items()
        if name == problem_set and (task is None or task(problem))
    ]
    assert values
    return fmean(values)


def cells(page, row, after=""):
    """The numbers in the first row with this title, after some text of the page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    rest = text[text.index(after) :]
    line = re.search(rf"^\| {re.escape(row)} \|(.*)\|$", rest, flags=re.MULTILINE)[1]
    return [
        figure
        for cell in line.replace("*", "").split("|")
        for figure in re.findall(r"\d+\.\d|^-$", cell.strip())
    ]


def shown(*values):
    return [f"{value:.1f}" for value in values]


def test_the_table_and_the_picture_of_the_readme():
    rows = readme_figure.read_rows()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme_figure.with_table(readme, rows) == readme, (
        "run benchmarks/studies/readme_figure.py"
    )
    by_title = {row.problems.title: row for row in rows}
    for title in ("topics: newsgroups, small samples", "topics: Reuters"):
        other, own = shown(by_title[title].other, by_title[title].isthmus)
        assert f"({other} against {own} %)" in readme
        assert by_title[title].other_name == "skada JDOT"
    for theme in ("light", "dark"):
        picture = (ROOT / "docs" / "images" / f"results-{theme}.svg").read_text(encoding="utf-8")
        assert re.findall(r">(\d+\.\d)<", picture) == shown(*(row.isthmus for row in rows))


def test_the_page_on_methods_admits_what_mtrick_reaches_on_opinions():
    page = (ROOT / "docs" / "which_method.md").read_text(encoding="utf-8")
    (figure,) = re.findall(r"MTrick alone does not help \((\d+\.\d) %, less than logistic", page)
    reached, source_only = (mean("amazon", "reviews", entry) for entry in ("mtrick", "lg"))
    assert [figure] == shown(reached)
    assert reached < source_only


NEWSGROUPS = {
    "logistic regression on the source": "lg",
    "linear SVM on the source": "svm",
    "MTrick": "mtrick",
    "CoCC": "cocc",
    "TSVM": "tsvm",
}


@pytest.mark.parametrize("row", NEWSGROUPS)
def test_topics(row):
    sets = ("sci vs talk", "rec vs sci")
    expected = shown(*(mean("mtrick-table1", name, NEWSGROUPS[row]) for name in sets))
    assert cells("docs/benchmarks/results.md", row) == expected


def test_swapped_topics():
    below = [
        sum(
            value < 50
            for (name, _), value in accuracies("mtrick-table1", "evidence")["mtrick"].items()
            if name == problem_set
        )
        for problem_set in ("sci vs talk", "rec vs sci")
    ]
    page = (ROOT / "docs" / "benchmarks" / "results.md").read_text(encoding="utf-8")
    assert f"In {below[0]} and in {below[1]} of the 128 problems" in page
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"in {sum(below)} of 256 newsgroup problems" in " ".join(readme.split())


SMALL_SAMPLES = {
    "linear SVM on the source": "svm",
    "MTrick": "mtrick",
    "CDSC": "cdsc",
    "LSSTTC": "lssttc",
    "SFA": "sfa",
}


@pytest.mark.parametrize("row", SMALL_SAMPLES)
def test_small_samples(row):
    expected = shown(
        mean("cdsc-table2", "six newsgroup tasks", SMALL_SAMPLES[row]),
        mean("lssttc-tables6-8", "WebKB4", SMALL_SAMPLES[row]),
    )
    assert cells("docs/benchmarks/results.md", row, after="## Small samples") == expected


@pytest.mark.parametrize(
    ("row", "entry"), [("linear SVM on the source", "svm"), ("SFA", "sfa"), ("PJNMF", "pjnmf")]
)
def test_opinions(row, entry):
    expected = shown(
        mean("pjnmf-table1", "reviews of the fit", entry),
        mean("pjnmf-table1-splits", "new reviews", entry),
    )
    assert cells("docs/benchmarks/results.md", row, after="## Opinions") == expected


@pytest.mark.parametrize(
    ("row", "entry"),
    [
        ("logistic regression on the source", "lg"),
        ("MTrick", "mtrick"),
        ("SFA", "sfa"),
        ("MCT", "mct"),
    ],
)
def test_opinions_without_pools(row, entry):
    expected = shown(*(mean("amazon", "reviews", entry, s) for s in ("evidence", "development")))
    assert (
        cells("docs/benchmarks/results.md", row, after="With single words and no pools") == expected
    )


LANGUAGES = (("de", "development"), ("fr", "evidence"), ("jp", "evidence"))
JOINED, ALONE = "product category, dictionary", "product category, identical strings only"


@pytest.mark.parametrize(
    ("row", "problem_set", "entry", "numbers"),
    [
        ("logistic regression through the dictionary", JOINED, "lg", (1, 3, 5)),
        ("DKT", JOINED, "dkt", (1, 3, 5)),
        ("DKT, no dictionary", ALONE, "dkt", (1, 3, 5)),
        ("DKT, 20 % of the target labeled too", JOINED, "dkt", (2, 4, 6)),
    ],
)
def test_topics_across_languages(row, problem_set, entry, numbers):
    expected = shown(
        *(
            mean(
                "dkt-table3", problem_set, entry, split, lambda task, n=n: task.startswith(f"D{n}")
            )
            for (_, split), n in zip(LANGUAGES, numbers, strict=True)
        )
    )
    assert cells("docs/guides/languages.md", row) == expected


@pytest.mark.parametrize(
    ("row", "entry"),
    [
        ("opinions: logistic regression through the dictionary", "lg"),
        ("opinions: DKT", "dkt"),
    ],
)
def test_opinions_across_languages(row, entry):
    expected = shown(
        *(
            mean(
                "webis-sentiment",
                "sentiment, dictionary",
                entry,
                split,
                lambda task, language=language: task.startswith(language),
            )
            for language, split in LANGUAGES
        )
    )
    assert cells("docs/guides/languages.md", row) == expected


def test_the_text_on_languages():
    page = " ".join(
        (ROOT / "docs" / "benchmarks" / "results.md").read_text(encoding="utf-8").split()
    )
    for entry, pattern in (
        ("dkt", r"DKT assigns (\S+) % of the French and (\S+) % .* For opinions it is (\S+) %"),
        ("lg", r"\(logistic regression: (\S+) % and (\S+) %\).*\(logistic regression: (\S+) %\)"),
    ):
        expected = shown(
            mean("dkt-table3", JOINED, entry, task=lambda task: task.startswith("D3")),
            mean("dkt-table3", JOINED, entry, task=lambda task: task.startswith("D5")),
            mean("webis-sentiment", "sentiment, dictionary", entry),
        )
        assert list(re.search(pattern, page).groups()) == expected


@pytest.mark.parametrize(
    ("row", "entries"),
    [
        ("SVM", ("svm", "svm-source", "svm-estimate")),
        ("SFA", ("sfa", "sfa-source", "sfa-estimate")),
        ("PJNMF", ("pjnmf", "pjnmf-source", "pjnmf-estimate")),
        ("SVM, self-trained", (None, "svm-self-source", "svm-self-estimate")),
        ("SFA, self-trained", (None, "sfa-self-source", "sfa-self-estimate")),
        ("PJNMF, self-trained", (None, "pjnmf-self-source", "pjnmf-self-estimate")),
        ("MCT", (None, "mct-source", "mct-estimate")),
        ("CODA", (None, "coda-source", "coda-estimate")),
    ],
)
def test_class_priors(row, entries):
    means = [mean("amazon-priors", "balanced", entry) if entry else None for entry in entries]
    expected = ["-" if value is None else f"{value:.1f}" for value in means]
    assert cells("docs/guides/class_proportions.md", row, after="## What a class prior") == expected


@pytest.mark.parametrize(
    ("row", "prefix"),
    [
        ("SVM", "svm"),
        ("SFA", "sfa"),
        ("SVM, self-trained", "svm-self"),
        ("SFA, self-trained", "sfa-self"),
    ],
)
def test_skewed_class_priors(row, prefix):
    entries = [f"{prefix}-{prior}" for prior in ("source", "estimate", "known")]
    if "self" not in prefix:
        entries.insert(0, prefix)
    pairs = [
        [mean("amazon-priors-skewed", name, entry) for name in ("80/20", "20/80")]
        for entry in entries
    ]
    expected = [figure for pair in pairs for figure in shown(*pair)]
    shown_cells = cells("docs/guides/class_proportions.md", row, after="Targets of 1,250 reviews")
    assert [cell for cell in shown_cells if cell != "-"] == expected


def speed_cells(first):
    """Cells of the first row of the speed page that begins so."""
    page = (ROOT / "benchmarks" / "speed" / "speed.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip().replace("**", "") for cell in row.strip("|").split("|")]


def test_speed():
    page = (
        (ROOT / "docs" / "benchmarks" / "results.md")
        .read_text(encoding="utf-8")
        .partition("## Speed")[2]
    )
    figures = re.findall(r"^\| .* \| ([\d.]+) \|$", page, flags=re.MULTILINE)
    formulas = speed_cells("the paper's formulas in NumPy and SciPy, float64")
    topics = speed_cells("scikit-learn NMF (mu, Kullback-Leibler), float32")
    million = speed_cells("1,000,000 | class_conditional")
    assert figures == [
        *(f"{float(value):.0f}" for value in (formulas[5], formulas[6], topics[2])),
        f"{float(million[5]):.1f}",
    ]


@pytest.mark.parametrize("documents", ["200,000", "1,000,000"])
@pytest.mark.parametrize("init", ["class_conditional", "plsa"])
def test_memory_of_large_fits(documents, init):
    assert float(speed_cells(f"{documents} | {init}")[4]) < 1.5


def everyday():
    """Accuracies of the everyday evidence problems by entry, in the order of the problems."""
    by_entry = accuracies("everyday", "evidence")
    problems = sorted(by_entry["auto"])
    return {
        entry: [values[problem] for problem in problems]
        for entry, values in by_entry.items()
        if len(values) == len(problems)
    }


def text_of(page):
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_everyday_texts():
    scores = everyday()
    means = {entry: fmean(values) for entry, values in scores.items()}
    pairs = zip(scores["auto"], scores["lg-balanced"], strict=True)
    below = sum(auto < source for auto, source in pairs)
    auto, source, mct, cocc = shown(
        *(means[name] for name in ("auto", "lg-balanced", "mct", "cocc"))
    )
    readme = text_of("README.md")
    assert f"it has {auto} % (logistic regression on the source {source}, MCT {mct}" in readme
    assert f"CoCC {cocc}), and it is below the logistic regression on {below} of them" in readme
    page = text_of("docs/index.md")
    assert f"the default has {auto} %, a logistic regression on the source {source} %" in page
    page = text_of("docs/methods/auto.md")
    assert f"On 40 evidence problems of everyday texts it has {auto} % accuracy" in page
    assert f"`auto` is below the latter on {below} of the 40" in page


def test_the_text_on_ranks(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    from benchmark_results import ranking

    ranked = [standing for standing in ranking().standings if standing.rank is not None]
    first = ranked[0]
    critical = ranking().test.critical_difference
    near = [standing for standing in ranked[1:] if standing.rank - first.rank <= critical]
    assert first.label == "Auto"
    page = text_of("docs/which_method.md")
    assert f"Nemenyi's test, {critical:.1f} ranks" in page
    assert len(near) == 10
    assert near[9].label == "skada JDOT"
    assert "than the ten methods after it, of which the tenth, JDOT of skada, is from" in page
    assert f"Auto is first with {first.rank:.1f}, then MTrick0, CoCC and MCT" in page
    assert [standing.label for standing in ranked[1:4]] == ["MTrick0", "CoCC", "MCT"]
    assert ranked.index(next(standing for standing in ranked if standing.is_peer)) == 10


def test_the_seconds_of_the_gpu_example():
    """They are typed into the example, which runs without the repository."""
    example = (ROOT / "examples" / "plot_gpu.py").read_text(encoding="utf-8")
    typed = re.findall(r'"([\w-]+)": \(([\d.]+), ([\d.]+)\)', example)
    page = (ROOT / "benchmarks" / "speed" / "gpu.md").read_text(encoding="utf-8")
    table = page.partition("### 100,000 documents, float32")[2].partition("###")[0]
    assert len(typed) == 12
    for name, cpu, gpu in typed:
        assert f"| {METHODS[name].short} | {cpu} | {gpu} |" in table
