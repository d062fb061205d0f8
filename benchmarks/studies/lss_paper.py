"""The settings that the paper of LSSTTC and LSSMTC leaves open: ties of its W step, and the start.

Writes ``lss_paper.md``. Needs ISTHMUS_DATA; about twenty minutes on one core.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from isthmus import clustering_accuracy, find_method
from isthmus_bench.plan.reading import find_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.inputs import problem_of, vectors_of
from isthmus_bench.run.planning import Choice, plan_runs

IN_SPAN = {"w_step": "smallest_in_span"}
KMEANS = {"init_classifier": "kmeans"}
CLASSIFIER: dict[str, dict[str, Any]] = {
    "preset paper": {},
    "the classifier alone, max_iter 0": {"max_iter": 0},
    "w_step smallest_in_span": IN_SPAN,
    "the same, n_subspace clusters": {**IN_SPAN, "n_subspace": "clusters"},
    "init_classifier kmeans": KMEANS,
    "the same, max_iter 0": {**KMEANS, "max_iter": 0},
    "init_classifier kmeans, w_step smallest_in_span": {**KMEANS, **IN_SPAN},
}
CLUSTERER: dict[str, dict[str, Any]] = {
    "LSSMTC, preset paper": {},
    "LSSMTC, the start alone, max_iter 0": {"max_iter": 0},
    "LSSMTC, w_step smallest_in_span": IN_SPAN,
}
BASELINE: dict[str, dict[str, Any]] = {
    "ASI, each task, smallest": {},
    "ASI, each task, smallest_in_span": IN_SPAN,
    "ASI, all tasks, smallest": {"scope": "all"},
    "ASI, all tasks, smallest_in_span": {"scope": "all", **IN_SPAN},
}
PCA: dict[str, dict[str, Any]] = {
    "PCA K-means, each task, at most 100 components": {"max_components": 100},
    "PCA K-means, each task": {},
    "PCA K-means, all tasks": {"scope": "all"},
}
SEEDS = (0, 1, 2)


def scores(suite: Suite, entry: str, method: str, options: dict[str, Any]) -> dict[str, float]:
    """Accuracy of every problem of a suite, the mean over the seeds; documents as of an entry."""
    values: dict[str, list[float]] = {}
    labels: dict[tuple[str, int | None], np.ndarray] = {}
    for run in plan_runs(suite, Choice(methods=(entry,), seeds=SEEDS)):
        problem, task = problem_of(run), run.task
        # The problems of a set of the clusterers have the same documents.
        clusters = bool(task.scored)
        key = (task.set_name if clusters else task.name, run.seed)
        if key not in labels:
            model = find_method(method).build("paper", **options, random_state=run.seed)
            if clusters:
                model.set_params(n_clusters=len(problem.classes))
            y = np.where(problem.sample_domain < 0, -1, problem.labels)
            model.fit(vectors_of(run), y, sample_domain=problem.sample_domain)
            labels[key] = model.labels_ if clusters else model.transduction_
        found, truth = labels[key], problem.labels
        rows = problem.sample_domain == (-task.scored if clusters else -1)
        accuracy = clustering_accuracy if clusters else lambda a, b: float(np.mean(a == b))
        values.setdefault(task.name, []).append(accuracy(truth[rows], found[rows]))
    return {name: float(np.mean(part)) for name, part in values.items()}


def table(suite: Suite, entry: str, variants: list[tuple[str, str, dict[str, Any]]]) -> list[str]:
    development = [task.name for task in suite.tasks if task.split == "development"]
    sets = [(group.name, [task.name for task in group.tasks]) for group in suite.sets]
    head = ["setting", *development, "mean of these", *(f"all {name}" for name, _ in sets)]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for name, method, options in variants:
        found = scores(suite, entry, method, options)
        groups = [development, *(names for _, names in sets)]
        means = [float(np.mean([found[problem] for problem in group])) for group in groups]
        cells = [*(found[problem] for problem in development), *means]
        lines.append(f"| {name} | " + " | ".join(f"{100 * value:.1f}" for value in cells) + " |")
        print(lines[-1], flush=True)
    return [*lines, ""]


def main() -> None:
    warnings.simplefilter("ignore")
    lines = [
        "# What the paper of LSSTTC and LSSMTC leaves open",
        "",
        "Written by `python benchmarks/studies/lss_paper.py`. Accuracy in per cent on the problems",
        "of the suites, first those of the development split; tf-idf, presets `paper`.",
        "",
        "## LSSTTC",
        "",
    ]
    variants = [(name, "lssttc", options) for name, options in CLASSIFIER.items()]
    lines += table(find_suite("lssttc-tables6-8"), "lssttc-paper", variants)
    lines += [f"## Clusterers, means of {len(SEEDS)} seeds", ""]
    methods = {"lssmtc": CLUSTERER, "asi": BASELINE, "pca-kmeans": PCA}
    variants = [(name, m, options) for m, part in methods.items() for name, options in part.items()]
    lines += table(find_suite("lssmtc-tables3-5"), "lssmtc-paper", variants)
    page = "\n".join(lines[:-1]) + "\n"
    (Path(__file__).parent / "lss_paper.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
