"""Record what every method returns, and compare two recordings bit by bit.

A refactoring must not change results. Record before the first change, record again afterwards, and
compare::

    python tools/record_results.py record before.json --problems problems
    python tools/record_results.py record after.json --problems problems
    python tools/record_results.py compare before.json after.json

The first run builds the problems (generated ones, and real ones if ISTHMUS_DATA is set) and stores
them in the problems folder. Later runs read them from there, so that a change in the text code does
not hide or cause a difference. Recordings are comparable on one machine with the same package
versions only: other versions of NumPy or another processor may change the last bits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["ISTHMUS_COMPILE"] = "always"

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

#: Methods whose cost grows with the square of the documents still finish in seconds on these.
_DOCUMENTS_PER_DOMAIN = 240


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="fit every method and write hashes")
    record.add_argument("output", type=Path)
    record.add_argument("--problems", type=Path, required=True, help="folder of stored problems")
    record.add_argument("--methods", nargs="*", help="only these methods")
    compare = commands.add_parser("compare", help="compare two recordings")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "record":
        return _record(arguments.output, arguments.problems, arguments.methods)
    return _compare(arguments.before, arguments.after)


def _compare(before_path: Path, after_path: Path) -> int:
    before, after = (json.loads(path.read_text()) for path in (before_path, after_path))
    common = sorted(set(before) & set(after))
    different = [key for key in common if before[key] != after[key]]
    for key in different:
        fields = [f for f in before[key] if before[key][f] != after[key].get(f)]
        print(f"different: {key}: {', '.join(fields)}")
    for name, missing in (
        ("before", set(after) - set(before)),
        ("after", set(before) - set(after)),
    ):
        if missing:
            methods = sorted({key.partition(" | ")[0] for key in missing})
            print(f"{len(missing)} results are not in '{name}': {', '.join(methods)}")
    print(f"{len(common) - len(different)} of {len(common)} results are identical")
    return 1 if different else 0


def _record(output: Path, folder: Path, only: list[str] | None) -> int:
    from isthmus import METHODS

    _store_problems(folder)
    results: dict[str, dict[str, str]] = {}
    for method in METHODS.values():
        if only and method.name not in only:
            continue
        start = time.perf_counter()
        for preset in (None, *method.presets):
            for name, problem in _problems(folder):
                for key, fields in _results_on(method, preset, name, problem):
                    results[f"{method.name} | {preset or 'defaults'} | {key}"] = fields
        if method.kind == "classifier":
            results[f"{method.name} | defaults | texts"] = _text_results(method.name, folder)
        print(f"{method.name}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    output.write_text(json.dumps(results, indent=1, sort_keys=True))
    print(f"{len(results)} results in {output}")
    return 0


def _results_on(
    method: Any, preset: str | None, name: str, problem: dict[str, Any]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Results in both number types, on one and on two threads, with and without a class prior."""
    for dtype in ("float32", "float64"):
        for threads in (1, 2):
            if preset is not None and threads == 2:
                continue  # presets change parameters, not the code of the threads
            yield f"{name} | {dtype} | {threads}", _fit(method, preset, problem, dtype, threads)
    if preset is not None or name not in ("generated", "topics"):
        return
    if "class_prior" in method.build().get_params(deep=False):
        for prior in ("source", "estimate"):
            fields = _fit(method, preset, problem, "float64", 1, class_prior=prior)
            yield f"{name} | class_prior={prior}", fields


def _fit(
    method: Any,
    preset: str | None,
    problem: dict[str, Any],
    dtype: str,
    threads: int,
    **parameters: Any,
) -> dict[str, str]:
    X = problem["X"].astype(dtype)
    rows, new = problem["fitted"], ~problem["fitted"]
    y, sample_domain = problem["y"], problem["sample_domain"]
    estimator = method.build(preset, **parameters)
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=0)
    if "n_clusters" in estimator.get_params(deep=False):
        estimator.set_params(n_clusters=len(set(y.tolist()) - {-1}))
    with warnings.catch_warnings(), threadpool_limits(threads):
        warnings.simplefilter("ignore")
        try:
            estimator.fit(X[rows], y[rows], sample_domain=sample_domain[rows])
            if method.kind == "classifier":
                return {
                    "labels": _hash(estimator.transduction_),
                    "memberships": _hash(estimator.label_distributions_),
                    "new": _hash(estimator.predict_proba(X[new], sample_domain[new])),
                }
            if method.kind == "clusterer":
                fitted = {"labels": _hash(estimator.labels_)}
                return fitted | {"new": _hash(estimator.predict(X[new], sample_domain[new]))}
            return {"new": _hash(estimator.transform(X[new], sample_domain[new]))}
        except Exception as error:
            # The wording of an error may change in a refactoring; that it is raised may not.
            return {"error": type(error).__name__}


def _text_results(method: str, folder: Path) -> dict[str, str]:
    """The whole way: texts, model file, new texts."""
    from isthmus import Transfer, load

    corpus = json.loads((folder / "texts.json").read_text())
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as scratch:
        warnings.simplefilter("ignore")
        model = Transfer(method, random_state=0)
        model.fit(corpus["source_texts"], corpus["source_labels"], corpus["target_texts"])
        path = Path(scratch) / "model.isthmus"
        model.save(path)
        return {
            "memberships": _hash(model.probabilities_),
            "source_only": _hash(model.source_only_labels_),
            "new": _hash(model.predict_proba(corpus["new_texts"])),
            "loaded": _hash(load(path).predict_proba(corpus["new_texts"])),
            "top_words": _hash(np.array([str(model.top_words(5))])),
        }


def _hash(values: Any) -> str:
    array = np.ascontiguousarray(values)
    data = json.dumps(array.tolist()).encode() if array.dtype.kind in "OU" else array.tobytes()
    return hashlib.sha256(f"{array.dtype.str}{array.shape}".encode() + data).hexdigest()[:16]


def _problems(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            X = sparse.csr_array(
                (arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"]
            )
            names = ("y", "sample_domain", "fitted")
            yield path.stem, {"X": X} | {name: arrays[name] for name in names}


def _store_problems(folder: Path) -> None:
    if folder.is_dir():
        return
    folder.mkdir(parents=True)
    _store(folder / "generated.npz", *_generated(4, (0, 1, -1)))
    _store(folder / "partly_labelled.npz", *_generated(3, (0, -1, -2), labelled_targets=5))
    _store_texts(folder)
    data = os.environ.get("ISTHMUS_DATA")
    if not data:
        print("ISTHMUS_DATA is not set: generated problems only.", file=sys.stderr)
        return
    everyday = Path(data) / "everyday"
    _store(folder / "topics.npz", *_real(everyday / "news_publishers", "bbc", "huffpost"))
    _store(folder / "opinions.npz", *_real(everyday / "dev_sentiment", "github", "stackoverflow"))


def _store(path: Path, X: Any, y: Any, sample_domain: Any) -> None:
    """Every fifth document of each domain is kept as a new one."""
    fitted = np.arange(len(y)) % 5 != 0
    np.savez_compressed(
        path,
        data=X.data,
        indices=X.indices,
        indptr=X.indptr,
        shape=X.shape,
        y=y,
        sample_domain=sample_domain,
        fitted=fitted,
    )


def _generated(
    n_classes: int, domains: tuple[int, ...], labelled_targets: int = 0
) -> tuple[Any, Any, Any]:
    """Classes with words of their own in all domains and others in each, uneven in the target."""
    generator = np.random.default_rng(len(domains) * 10 + n_classes)
    shared, own, noise = 8, 12, 60
    n_terms = n_classes * (shared + own * len(domains)) + noise
    blocks, labels, numbers = [], [], []
    for d, number in enumerate(domains):
        for c in range(n_classes):
            rates = np.full(n_terms, 0.05)
            rates[-noise:] = generator.random(noise)
            rates[c * shared : (c + 1) * shared] = 0.4
            first = n_classes * shared + (d * n_classes + c) * own
            rates[first : first + own] = 0.6
            size = 25 + (15 * c if number < 0 else 0)
            blocks.append(generator.poisson(rates, (size, n_terms)))
            known = labelled_targets if number < 0 else size
            labels += [c if i < known else -1 for i in range(size)]
            numbers += [number] * size
    X = sparse.csr_array(np.vstack(blocks).astype(np.float64))
    return X, np.array(labels), np.array(numbers)


def _real(folder: Path, source: str, target: str) -> tuple[Any, Any, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, labels, numbers = [], [], []
    for name, number in ((source, 0), (target, -1)):
        documents = _read(folder / f"{name}.jsonl.gz")
        texts += [document["text"] for document in documents]
        labels += [document["label"] if number == 0 else "" for document in documents]
        numbers += [number] * len(documents)
    names = sorted(set(labels) - {""})
    y = np.array([names.index(label) if label else -1 for label in labels])
    X = TfidfVectorizer(min_df=2, stop_words="english", sublinear_tf=True).fit_transform(texts)
    return sparse.csr_array(X), y, np.array(numbers)


def _read(path: Path) -> list[dict[str, str]]:
    import gzip

    with gzip.open(path, "rt", encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    order = np.random.default_rng(0).permutation(len(documents))[:_DOCUMENTS_PER_DOMAIN]
    return [documents[i] for i in order]


def _store_texts(folder: Path) -> None:
    from isthmus.datasets import make_corpus

    corpus = make_corpus()
    stored = {
        "source_texts": list(corpus.source_texts)[:200],
        "source_labels": list(corpus.source_labels)[:200],
        "target_texts": list(corpus.target_texts)[:150],
        "new_texts": list(corpus.target_texts)[150:200],
    }
    (folder / "texts.json").write_text(json.dumps(stored))


if __name__ == "__main__":
    sys.exit(main())
