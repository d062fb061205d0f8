"""Linear classifiers of this package and of scikit-learn, side by side.

    OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 python benchmarks/studies/linear_classifiers.py

20 Newsgroups (training part, tf-idf, 20 classes, or the first ten groups against the others) and
generated documents, of which half are labeled; float32. The fits take turns, and the seconds are
the least of all rounds. "gap" is the relative distance of the objective, computed in float64, from
the lowest of the table. "labels" is the percentage of labels of the other documents that are equal
to those of the converged fit of scikit-learn.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from isthmus import TextVectorizer
from isthmus.datasets.newsgroups import load_newsgroups
from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import thread_limit
from isthmus.solvers.linear.logistic import logistic_regression
from isthmus.solvers.linear.squared_hinge import squared_hinge_svm
from isthmus_bench.report.blocks import table
from isthmus_bench.speed.corpus import make_documents, weighted

N_TERMS, N_WORDS = 50_000, 100
CONVERGED = "scikit-learn, tol=1e-8"

Rule = tuple[NDArray[Any], NDArray[Any]]
_SOLVERS = {"logistic": logistic_regression, "svm": squared_hinge_svm}


class Corpus(NamedTuple):
    """Labeled documents, and others that are predicted."""

    X: sparse.csr_matrix
    labels: NDArray[np.intp]
    others: sparse.csr_matrix

    @property
    def n_classes(self) -> int:
        return int(self.labels.max()) + 1


def main() -> None:
    """Measure all corpora and print one table per classifier."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data-home", default=None)
    options = parser.parse_args()
    corpora: dict[str, Callable[[], Corpus]] = {
        "20 Newsgroups, 2 classes": lambda: newsgroups(options.data_home, 2),
        "20 Newsgroups, 20 classes": lambda: newsgroups(options.data_home, 20),
        f"{options.documents:,} generated": lambda: generated(options.documents),
    }
    rows: dict[str, list[list[str]]] = {kind: [] for kind in _SOLVERS}
    for name, load in corpora.items():
        corpus = load()
        for kind, lines in rows.items():
            lines += [[name, *line] for line in measure(corpus, kind, options.rounds)]
    for kind, lines in rows.items():
        print(f"\n## {kind}, threads: {thread_limit()}\n")
        print(table(["corpus", "fit", "seconds", "iterations", "gap", "labels, %"], lines))


def newsgroups(data_home: str | None, n_classes: int) -> Corpus:
    """The training articles of 20 Newsgroups with labels, and the test articles."""
    articles = load_newsgroups(data_home)
    X = sparse.csr_matrix(TextVectorizer(dtype="float32").fit_transform(articles.texts))
    codes = np.unique(articles.groups, return_inverse=True)[1]
    labels = codes if n_classes == 20 else (codes >= 10).astype(codes.dtype)
    n_train = sum(number.startswith("train") for number in articles.ids)
    return Corpus(X[:n_train], labels[:n_train], X[n_train:])


def generated(n_documents: int) -> Corpus:
    """Generated documents of two classes, the first half labeled."""
    corpus = weighted(make_documents(n_documents, N_TERMS, N_WORDS, "float32"))
    X, half = sparse.csr_matrix(corpus.X), n_documents // 2
    return Corpus(X[:half], corpus.labels[:half], X[half:])


def measure(corpus: Corpus, kind: str, n_rounds: int) -> list[list[str]]:
    """One line per fit: seconds, iterations, relative gap, and equal labels."""
    fits = {
        "scikit-learn": lambda: _fit_sklearn(corpus, kind, {}),
        CONVERGED: lambda: _fit_sklearn(corpus, kind, {"tol": 1e-8, "max_iter": 10_000}),
        "isthmus": lambda: _fit_own(corpus, kind),
    }
    seconds: dict[str, list[float]] = {name: [] for name in fits}
    rules: dict[str, tuple[Rule, int]] = {}
    for _ in range(n_rounds):
        for name, fit in fits.items():
            start = time.perf_counter()
            rules[name] = fit()
            seconds[name].append(time.perf_counter() - start)
    objectives = {name: objective(corpus, kind, rule) for name, (rule, _) in rules.items()}
    least = min(objectives.values())
    labels = {name: _predicted(corpus, rule) for name, (rule, _) in rules.items()}
    return [
        [
            name,
            f"{min(seconds[name]):.3f}",
            str(rules[name][1]),
            f"{objectives[name] / least - 1:.1e}",
            f"{100 * np.mean(labels[name] == labels[CONVERGED]):.2f}",
        ]
        for name in fits
    ]


def _fit_sklearn(corpus: Corpus, kind: str, options: dict[str, Any]) -> tuple[Rule, int]:
    if kind == "logistic":
        model: Any = LogisticRegression(C=1.0, **{"max_iter": 300, **options})
    else:
        model = LinearSVC(C=1.0, dual=False, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(corpus.X, corpus.labels)
    return (model.coef_, model.intercept_), int(np.max(model.n_iter_))


def _fit_own(corpus: Corpus, kind: str) -> tuple[Rule, int]:
    documents = [as_documents(corpus.X)]
    fit = _SOLVERS[kind](documents, [corpus.labels], corpus.n_classes)
    return (fit.coef, fit.intercept), fit.n_iter


def objective(corpus: Corpus, kind: str, rule: Rule) -> float:
    """The objective with C=1 in float64; the intercept of the SVM has a penalty."""
    coef, intercept = (np.asarray(part, np.float64) for part in rule)
    scores = corpus.X.astype(np.float64) @ coef.T + intercept
    classes = [1] if len(coef) == 1 else np.arange(len(coef))
    signs = np.where(corpus.labels[:, None] == classes, 1.0, -1.0)
    if kind == "svm":
        loss = float((np.maximum(0, 1 - signs * scores) ** 2).sum())
        return 0.5 * float((coef**2).sum() + (intercept**2).sum()) + loss
    if len(coef) == 1:
        loss = float(np.logaddexp(0, -signs * scores).sum())
    else:
        loss = float((logsumexp(scores, axis=1) - scores[signs > 0]).sum())
    return 0.5 * float((coef**2).sum()) + loss


def _predicted(corpus: Corpus, rule: Rule) -> NDArray[Any]:
    scores = corpus.others @ rule[0].T + rule[1]
    return np.asarray(scores > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)).ravel()


if __name__ == "__main__":
    main()
