"""Compare estimates of the class proportions of a target on the everyday scenarios.

Every ordered pair of domains of a scenario is a problem: the source has labels, the target has
none. An estimate is judged by its total variation error, and by the accuracy of two classifiers
that use it as their ``class_prior``.

Needs ISTHMUS_DATA. The rows of QuaPy need the package ``quapy``; without it they are skipped. All
values are appended to a file of JSON lines, and values that are in this file are not computed
again: delete the file, or name an estimator with ``--refresh``, after a change of the code.

    python benchmarks/studies/proportions.py --n-documents 2000 --accuracy

A new estimator is one more entry of ``ESTIMATORS``: a function of ``X``, ``y`` (None in rows of the
target) and ``sample_domain`` that returns one proportion per class, in the order of the sorted
classes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import joblib
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from isthmus import CoCC, SelfTraining, SourceSVM, TextVectorizer, estimate_class_prior
from isthmus.datasets.corpus_files import data_folder, read_json_lines

try:
    import quapy.method.aggregative as quapy_methods
except ImportError:
    quapy_methods = None

# Scenarios in one language. Two more scenarios need a dictionary: news_languages, tweet_languages.
DEVELOPMENT = {
    "news_publishers": ("agnews", "bbc", "huffpost"),
    "spam_channels": ("sms", "youtube", "email"),
    "assistant_intents": ("clinc150", "hwu64"),
    "crisis_relevance": (
        "alberta_floods",
        "boston_bombings",
        "hurricane_sandy",
        "oklahoma_tornado",
    ),
    "emotions": ("reddit", "self_reports", "tweets"),
    "dev_sentiment": ("stackoverflow", "github", "api_reviews"),
    "drug_reactions": ("patient_posts", "case_reports"),
}
EVIDENCE = {
    "sentiment_kinds": ("movies", "products", "airline_tweets", "finance"),
    "issue_types": ("react", "tensorflow", "vscode", "bitcoin"),
    "citation_function": ("scicite", "acl_arc"),
    "deceptive_reviews": ("hotels_positive", "hotels_negative"),
}
DEFAULT_FILE = Path(__file__).parents[2] / ".cache" / "proportions.jsonl"

Estimate = Callable[[Any, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Pair:
    """A source with labels and a target whose labels serve only for the evaluation."""

    scenario: str
    source: str
    target: str
    X: Any
    y: np.ndarray
    sample_domain: np.ndarray
    truth: np.ndarray

    @property
    def classes(self) -> np.ndarray:
        """Sorted classes of the source."""
        return np.unique(self.y[self.sample_domain >= 0].astype(str))

    @property
    def true_prior(self) -> np.ndarray:
        """Proportions of the source's classes in the target."""
        return proportions(self.truth, self.classes)


def proportions(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Proportion of every class among the labels."""
    return np.array([np.mean(labels == label) for label in classes])


# The estimates.


def source_proportions(X: Any, y: np.ndarray, sample_domain: np.ndarray) -> np.ndarray:
    labels = y[sample_domain >= 0].astype(str)
    return proportions(labels, np.unique(labels))


def label_proportions(
    make_classifier: Callable[[], Any], X: Any, y: np.ndarray, sample_domain: np.ndarray
) -> np.ndarray:
    """Proportions of the labels that a classifier gives to the target."""
    model = make_classifier().fit(X, y, sample_domain)
    return proportions(model.transduction_[sample_domain < 0], model.classes_)


def mean_memberships(
    make_classifier: Callable[[], Any], X: Any, y: np.ndarray, sample_domain: np.ndarray
) -> np.ndarray:
    """Mean class probabilities of the target's documents."""
    model = make_classifier().fit(X, y, sample_domain)
    prior = model.label_distributions_[sample_domain < 0].mean(axis=0)
    return np.asarray(prior / prior.sum(), np.float64)


def isthmus_estimate(method: str, X: Any, y: np.ndarray, sample_domain: np.ndarray) -> np.ndarray:
    # One resample: the interval is not evaluated here.
    estimate = estimate_class_prior(X, y, sample_domain, method=method, n_resamples=1)
    return np.array(estimate.prior)


class StoredLogistic(LogisticRegression):
    """A logistic regression that is fitted once to the same rows.

    All quantifiers of QuaPy fit the same classifiers to the same folds.
    """

    _fits: ClassVar[dict[str, dict[str, Any]]] = {}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StoredLogistic:
        key = joblib.hash((self.get_params(), X, y))
        if key not in self._fits:
            super().fit(X, y, sample_weight)
            self._fits[key] = {k: v for k, v in vars(self).items() if k.endswith("_")}
        vars(self).update(self._fits[key])
        return self


def quapy_estimate(
    name: str, class_weight: str | None, X: Any, y: np.ndarray, sample_domain: np.ndarray
) -> np.ndarray:
    """Estimate of a quantifier of QuaPy with its default settings."""
    is_source = sample_domain >= 0
    _, codes = np.unique(y[is_source].astype(str), return_inverse=True)
    classifier = StoredLogistic(C=10, class_weight=class_weight, max_iter=1000)
    make_quantifier = {
        "EMQ": quapy_methods.EMQ,
        "EMQ-BCTS": quapy_methods.EMQ.EMQ_BCTS,
        "PACC": quapy_methods.PACC,
        "ACC": quapy_methods.ACC,
        "KDEyML": partial(quapy_methods.KDEyML, random_state=0),
    }[name]
    quantifier = make_quantifier(classifier).fit(X[is_source], codes)
    return np.asarray(quantifier.predict(X[~is_source]), np.float64)


QUAPY = "QuaPy"
ESTIMATORS: dict[str, Estimate] = {
    "source": source_proportions,
    "CoCC, labels": partial(label_proportions, CoCC),
    "CoCC, memberships": partial(mean_memberships, CoCC),
    "SVM, labels": partial(label_proportions, SourceSVM),
    **{
        f"isthmus {method}": partial(isthmus_estimate, method)
        for method in ("auto", "likelihood", "black_box", "clusters")
    },
    **{
        f"{QUAPY} {name}{suffix}": partial(quapy_estimate, name, class_weight)
        for class_weight, suffix in ((None, ""), ("balanced", ", balanced"))
        for name in ("EMQ", "EMQ-BCTS", "PACC", "ACC", "KDEyML")
    },
}
# Two references for the accuracy, which are no estimates.
UNUSED = "no class_prior"
TRUE = "true proportions"
CLASSIFIERS = {"CoCC": CoCC, "self-training": SelfTraining}


# The problems.


def read_pairs(scenario: str, domains: Iterable[str], n_documents: int | None) -> Iterator[Pair]:
    """All ordered pairs of a scenario, with a random sample of the documents of every domain."""
    by_domain = {name: _sample(scenario, name, n_documents) for name in domains}
    for source, target in itertools.permutations(by_domain, 2):
        (texts, labels), (target_texts, truth) = by_domain[source], by_domain[target]
        X = TextVectorizer(stop_words=None).fit_transform([*texts, *target_texts])
        yield Pair(
            scenario,
            source,
            target,
            normalize(X).tocsr(),
            np.array([*labels, *[None] * len(truth)], dtype=object),
            np.repeat([0, -1], [len(labels), len(truth)]),
            np.array(truth),
        )


def _sample(scenario: str, domain: str, n_documents: int | None) -> tuple[list[str], list[str]]:
    path = data_folder() / "everyday" / scenario / f"{domain}.jsonl.gz"
    records = list(read_json_lines(path))
    rows = np.random.default_rng(0).permutation(len(records))[:n_documents]
    return [records[i]["text"] for i in rows], [records[i]["label"] for i in rows]


# The evaluation.


class ResultFile:
    """Results by key in a file of JSON lines; the last line of a key counts."""

    def __init__(self, path: Path, refresh: Iterable[str]) -> None:
        self.path = path
        self.refresh = set(refresh)
        self.results: dict[tuple[Any, ...], dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                result = json.loads(line)
                if result["estimator"] not in self.refresh:
                    self.results[self._key(result)] = result

    def get_or_compute(self, compute: Callable[[], dict[str, Any]], **key: Any) -> dict[str, Any]:
        if self._key(key) not in self.results:
            result = {**key, **compute()}
            self.results[self._key(key)] = result
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
        return self.results[self._key(key)]

    @staticmethod
    def _key(result: dict[str, Any]) -> tuple[Any, ...]:
        # An accuracy counts only for the proportions that the classifier used.
        names = ("scenario", "source", "target", "n_documents", "estimator", "classifier")
        used = result.get("class_prior")
        return (*(result.get(name) for name in names), None if used is None else tuple(used))


def evaluate_estimate(pair: Pair, estimate: Estimate) -> dict[str, Any]:
    prior = estimate(pair.X, pair.y, pair.sample_domain)
    if prior.shape != pair.classes.shape or not np.isfinite(prior).all():
        raise ValueError(f"The estimate {prior} does not have one proportion per class.")
    error = 0.5 * np.abs(prior - pair.true_prior).sum() + 0.5 * (1 - pair.true_prior.sum())
    return {
        "classes": pair.classes.tolist(),
        "prior": np.round(prior, 6).tolist(),
        "truth": np.round(pair.true_prior, 6).tolist(),
        "error": round(float(error), 6),
    }


def evaluate_use(pair: Pair, make_classifier: Callable[..., Any], prior: Any) -> dict[str, Any]:
    model = make_classifier(class_prior=prior).fit(pair.X, pair.y, pair.sample_domain)
    labels = model.transduction_[pair.sample_domain < 0].astype(str)
    return {
        "accuracy": round(float(np.mean(labels == pair.truth)), 6),
        "macro_f1": round(float(f1_score(pair.truth, labels, average="macro")), 6),
    }


def run(
    pairs: Iterable[Pair], names: list[str], n_documents: int | None, file: ResultFile, use: bool
) -> list[dict[str, Any]]:
    """All results of the pairs: errors of the estimates and, with ``use``, accuracies."""
    results = []
    for pair in pairs:
        StoredLogistic._fits.clear()
        key = {
            "scenario": pair.scenario,
            "source": pair.source,
            "target": pair.target,
            "n_documents": n_documents,
        }
        priors: dict[str, Any] = {UNUSED: None, TRUE: pair.true_prior / pair.true_prior.sum()}
        for name in names:
            compute = partial(evaluate_estimate, pair, ESTIMATORS[name])
            result = file.get_or_compute(compute, **key, estimator=name)
            results.append(result)
            priors[name] = np.array(result["prior"]) / sum(result["prior"])
        for name, prior in priors.items() if use else ():
            key["class_prior"] = None if prior is None else np.round(prior, 6).tolist()
            for classifier, make_classifier in CLASSIFIERS.items():
                compute = partial(evaluate_use, pair, make_classifier, prior)
                result = file.get_or_compute(compute, **key, estimator=name, classifier=classifier)
                results.append(result)
        print(pair.scenario, pair.source, pair.target, flush=True)
    return results


# The tables.


def mean(results: Iterable[dict[str, Any]], value: str, **conditions: Any) -> float:
    """Mean of a value over the results that meet the conditions, in per cent."""
    values = [
        result[value]
        for result in results
        if value in result and all(result.get(k) == v for k, v in conditions.items())
    ]
    return 100 * float(np.mean(values)) if values else float("nan")


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def error_table(results: list[dict[str, Any]], names: list[str], scenarios: list[str]) -> str:
    """Total variation error by estimator: mean of the pairs, and mean of every scenario."""
    rows = []
    source = {_pair(r): r["error"] for r in results if r["estimator"] == "source" and "error" in r}
    for name in names:
        own = [r for r in results if r["estimator"] == name and "error" in r]
        errors = [r["error"] for r in own]
        worse = sum(r["error"] > source[_pair(r)] for r in own if _pair(r) in source)
        rows.append(
            [
                name,
                f"{100 * np.mean(errors):.1f}",
                *[f"{mean(own, 'error', scenario=scenario):.1f}" for scenario in scenarios],
                f"{100 * max(errors):.1f}",
                f"{worse} of {len(own)}" if source and name != "source" else "",
            ]
        )
    header = ["estimate", "all pairs", *scenarios, "worst pair", "worse than source"]
    return table(header, rows)


def use_table(
    results: list[dict[str, Any]], names: list[str], scenarios: list[str], classifier: str
) -> str:
    """Accuracy and macro-F1 of a classifier by the estimate that it uses."""
    rows = []
    for name in [*names, UNUSED, TRUE]:
        own = [r for r in results if r["estimator"] == name and r.get("classifier") == classifier]
        cells = [f"{mean(own, 'accuracy', scenario=scenario):.1f}" for scenario in scenarios]
        overall = [f"{mean(own, value):.1f}" for value in ("accuracy", "macro_f1")]
        rows.append([name, *overall, *cells])
    return table([classifier, "all pairs", "macro-F1", *scenarios], rows)


def _pair(result: dict[str, Any]) -> tuple[str, str, str]:
    return result["scenario"], result["source"], result["target"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenarios", nargs="+", help="only these scenarios")
    parser.add_argument("--evidence", action="store_true", help="run the evidence scenarios")
    parser.add_argument("--estimators", nargs="+", choices=list(ESTIMATORS), metavar="NAME")
    parser.add_argument(
        "--refresh", nargs="+", default=[], metavar="NAME", help="compute these estimators again"
    )
    parser.add_argument(
        "--n-documents", type=int, help="size of the random sample of every domain (seed 0)"
    )
    parser.add_argument(
        "--accuracy", action="store_true", help="also fit classifiers that use the estimates"
    )
    parser.add_argument("--file", type=Path, default=DEFAULT_FILE, help="JSON lines of all values")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    available = EVIDENCE if options.evidence else DEVELOPMENT
    scenarios = options.scenarios or list(available)
    if unknown := set(scenarios) - set(available):
        parser.error(f"Unknown scenarios {sorted(unknown)}: choose from {sorted(available)}.")
    names = options.estimators or list(ESTIMATORS)
    if quapy_methods is None and any(name.startswith(QUAPY) for name in names):
        print("QuaPy is not installed, its estimates are skipped: pip install quapy")
        names = [name for name in names if not name.startswith(QUAPY)]
    pairs = itertools.chain.from_iterable(
        read_pairs(scenario, available[scenario], options.n_documents) for scenario in scenarios
    )
    file = ResultFile(options.file, options.refresh)
    with threadpool_limits(1):
        results = run(pairs, names, options.n_documents, file, options.accuracy)
    print("\n" + error_table(results, names, scenarios))
    for classifier in CLASSIFIERS if options.accuracy else ():
        print("\n" + use_table(results, names, scenarios, classifier))


if __name__ == "__main__":
    main()
