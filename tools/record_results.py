"""Record what methods, text settings and commands return, and compare two recordings bit by bit.

A refactoring must not change results. Record before the first change, record again afterwards, and
compare. A result that only one of the recordings has is a difference, too::

    python tools/record_results.py record before.json --problems problems
    python tools/record_results.py record after.json --problems problems
    python tools/record_results.py compare before.json after.json

The numbers are stored beside the hashes, in ``before.npz``. A new order of sums may change the last
digits of memberships, but no label: ``compare --tolerance 1e-6`` accepts that.

The first run builds the problems (generated ones, and real ones if ISTHMUS_DATA is set) and stores
them in the problems folder. Later runs read them from there, so that a change in the text code does
not hide or cause a difference. Recordings are comparable on one machine with the same package
versions only: other versions of NumPy or another processor may change the last bits.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["ISTHMUS_COMPILE"] = "always"

import numpy as np
import pandas
from recorded_problems import problems, store_problems
from threadpoolctl import threadpool_limits

#: What was hashed, by its hash. A file is an array of bytes.
_hashed: dict[str, Any] = {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="fit every method and write hashes")
    record.add_argument("output", type=Path)
    record.add_argument("--problems", type=Path, required=True, help="folder of stored problems")
    record.add_argument("--methods", nargs="*", help="only these methods ('none' for none)")
    compare = commands.add_parser("compare", help="compare two recordings")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    compare.add_argument("--tolerance", type=float, default=0.0, help="of floating-point numbers")
    arguments = parser.parse_args()
    if arguments.command == "record":
        return _record(arguments.output, arguments.problems, arguments.methods)
    return _compare(arguments.before, arguments.after, arguments.tolerance)


def _compare(before_path: Path, after_path: Path, tolerance: float) -> int:
    before, after = (json.loads(path.read_text()) for path in (before_path, after_path))
    common = sorted(set(before) & set(after))
    identical = [key for key in common if before[key] == after[key]]
    close: list[float] = []
    with np.load(_values_path(before_path)) as old, np.load(_values_path(after_path)) as new:
        for key in sorted({*common}.difference(identical)):
            fields = {
                field: _distance(old, new, before[key].get(field), after[key].get(field))
                for field in sorted({*before[key], *after[key]})
                if before[key].get(field) != after[key].get(field)
            }
            if tolerance > 0 and max(fields.values()) <= tolerance:
                close.append(max(fields.values()))
            else:
                shown = [f"{field} ({distance:.1g})" for field, distance in fields.items()]
                print(f"different: {key}: {', '.join(shown)}")
    for name, missing in (
        ("before", set(after) - set(before)),
        ("after", set(before) - set(after)),
    ):
        if missing:
            methods = sorted({key.partition(" | ")[0] for key in missing})
            print(f"{len(missing)} results are not in '{name}': {', '.join(methods)}")
    failed = sum("error" in before[key] for key in identical)
    print(f"{len(identical)} of {len(common)} results are identical, {failed} of them are errors")
    if close:
        print(f"{len(close)} differ by at most {max(close):.1g}")
    return 0 if set(before) == set(after) and len(identical) + len(close) == len(common) else 1


def _distance(old: Any, new: Any, before: str | None, after: str | None) -> float:
    """Return the largest difference of two hashed values; infinity if not only numbers differ."""
    if before not in old or after not in new:  # an error, or a missing field
        return np.inf
    a, b = old[before], new[after]
    if a.dtype == np.uint8 and b.dtype == np.uint8:
        a, b = _numbers_of_file(a), _numbers_of_file(b)
        return np.inf if a[0] != b[0] else _largest_difference(a[1], b[1])
    if a.dtype != b.dtype or a.dtype.kind != "f":
        return np.inf
    return _largest_difference(a, b)


def _largest_difference(a: Any, b: Any) -> float:
    finite = np.isfinite(a)
    same = a.shape == b.shape and np.array_equal(finite, np.isfinite(b))
    if not same or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return np.inf
    return float(np.max(np.abs(a[finite] - b[finite]), initial=0.0))


def _numbers_of_file(data: Any) -> tuple[str, Any]:
    """Split a file into its decimal fractions and the rest, with the length of each fraction."""
    text, fraction = data.tobytes().decode(), r"\b\d+\.\d+(?:e-?\d+)?\b"
    rest = re.sub(fraction, lambda match: f"<{len(match[0])}>", text)
    return rest, np.array(re.findall(fraction, text), dtype=float)


def _values_path(recording: Path) -> Path:
    return recording.with_suffix(".npz")


def _record(output: Path, folder: Path, only: list[str] | None) -> int:
    from isthmus import METHODS

    store_problems(folder)
    results: dict[str, dict[str, str]] = {}
    for method in METHODS.values():
        if only and method.name not in only:
            continue
        start = time.perf_counter()
        for preset in (None, *method.presets):
            for name, problem in problems(folder):
                for key, fields in _results_on(method, preset, name, problem):
                    results[f"{method.name} | {preset or 'defaults'} | {key}"] = fields
        if method.kind == "classifier":
            results[f"{method.name} | defaults | texts"] = _text_results(method.name, folder)
        print(f"{method.name}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    results |= _vectorizer_results(folder)
    results |= _command_results(folder)
    output.write_text(json.dumps(results, indent=1, sort_keys=True))
    np.savez_compressed(_values_path(output), **_hashed)
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


#: Ten ways to count texts.
_TEXT_SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "stem": {"stem": True},
    "pairs": {"ngram_range": (1, 2)},
    "triples only": {"ngram_range": (3, 3), "min_df": 1},
    "case": {"lowercase": False, "stop_words": None},
    "few terms": {"max_terms": 100, "max_df": 0.5},
    "html": {"html": True},
    "german": {"language": "german", "stem": True},
    "tf-idf": {"weighting": "tfidf", "dtype": "float64"},
    "counts": {"weighting": "counts", "stop_words": "english"},
}


def _vectorizer_results(folder: Path) -> dict[str, dict[str, str]]:
    """Matrices and terms of ten text settings, of two languages and of character n-grams."""
    from isthmus import BilingualVectorizer, CharacterVectorizer, TextVectorizer
    from isthmus.datasets import make_bilingual_corpus

    corpus = json.loads((folder / "texts.json").read_text())
    texts, new = corpus["source_texts"] + corpus["target_texts"], corpus["new_texts"]
    results = {}
    for name, setting in _TEXT_SETTINGS.items():
        vectorizer = TextVectorizer(**setting)
        results[f"text | {name}"] = _matrices(
            vectorizer.fit_transform(texts), vectorizer.transform(new), vectorizer.terms_
        )
    characters = CharacterVectorizer()
    results["text | characters"] = _matrices(
        characters.fit_transform(texts), characters.transform(new), []
    )
    pair = make_bilingual_corpus()
    both = [*pair.source_texts, *pair.target_texts]
    sample_domain = np.array([0] * len(pair.source_texts) + [-1] * len(pair.target_texts))
    bilingual = BilingualVectorizer(dictionary=pair.dictionary, target_language="german")
    results["text | two languages"] = _matrices(
        bilingual.fit_transform(both, sample_domain=sample_domain),
        bilingual.transform(pair.target_texts[:50]),
        [],
    )
    _check_that_they_differ(results)
    return results


def _matrices(fitted: Any, new: Any, terms: list[str]) -> dict[str, str]:
    parts = {
        f"{name} {part}": _hash(getattr(X, part))
        for name, X in (("fitted", fitted), ("new", new))
        for part in ("data", "indices", "indptr")
    }
    return parts | {"terms": _hash(np.array(terms, dtype=str))}


#: Ten ways to count texts, as options of a command.
_TEXT_OPTIONS: dict[str, list[str]] = {
    "defaults": [],
    "stem": ["--stem"],
    "pairs": ["--ngrams", "2"],
    "triples": ["--ngrams", "3", "--min-df", "1"],
    "own stop words": ["--stop-words", "stop_words.txt"],
    "few terms": ["--min-df", "0.02", "--max-df", "0.5"],
    "html": ["--html"],
    "german": ["--language", "german", "--stem"],
    "no language": ["--language", "none"],
    "detected": ["--language", "auto"],
}


def _command_results(folder: Path) -> dict[str, dict[str, str]]:
    """Output files of commands: text settings, kinds of files, several processes, two languages."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        _write_inputs(place, json.loads((folder / "texts.json").read_text()))
        results = {
            f"command | {name}": _run_commands(place, "csv", options)
            for name, options in _TEXT_OPTIONS.items()
        }
        # The texts are English, so the language that is detected is the default.
        _check_that_they_differ({n: r for n, r in results.items() if "detected" not in n})
        for kind in ("tsv", "jsonl", "csv.gz", "parquet"):
            results[f"command | {kind}"] = _run_commands(place, kind)
        for kind in ("csv", "jsonl"):
            fields = _run_commands(place, kind, processes=True)
            results[f"command | {kind}, several processes"] = fields
        return results | {"command | two languages": _run_two_languages(place)}


def _write_inputs(place: Path, corpus: dict[str, list[str]]) -> None:
    (place / "stop_words.txt").write_text("the\nand\nwas\n")
    for name, columns in (
        ("source", {"text": corpus["source_texts"], "label": corpus["source_labels"]}),
        ("target", {"text": corpus["target_texts"]}),
        ("new", {"text": corpus["new_texts"]}),
    ):
        frame = pandas.DataFrame(columns)
        frame.to_csv(place / f"{name}.csv", index=False)
        frame.to_csv(place / f"{name}.csv.gz", index=False)
        frame.to_csv(place / f"{name}.tsv", index=False, sep="\t")
        frame.to_json(place / f"{name}.jsonl", orient="records", lines=True)
        frame.to_parquet(place / f"{name}.parquet")


def _run_commands(
    place: Path, kind: str, options: list[str] | None = None, *, processes: bool = False
) -> dict[str, str]:
    """Label a file, save the model, and predict new texts with it; outputs have the same kind."""
    outputs = [f"labels.{kind}", f"new-labels.{kind}"]
    # Confidences of other methods are often 1.00, whatever the text setting.
    classify = ["classify", "--method", "lg", "--source", f"source.{kind}"]
    classify += ["--target", f"target.{kind}", "--output", outputs[0], "--force"]
    classify += ["--save-model", "model", *(options or [])]
    predict = ["predict", "--model", "model", "--input", f"new.{kind}", "--output", outputs[1]]
    for command in (classify, [*predict, "--probabilities", "--force"]):
        _isthmus(command, place, processes=processes)
    return {name: _hash_file(place / name) for name in outputs}


def _run_two_languages(place: Path) -> dict[str, str]:
    _isthmus(["demo", "--languages", "--output", "bilingual.csv"], place)
    return {"labels": _hash_file(place / "bilingual.csv")}


#: Read files of any size in pieces of 4,000 bytes by two processes, and fail if one does all.
_FORCE_PROCESSES = """
import atexit, joblib.externals.loky as loky, os
class Pool(loky.ProcessPoolExecutor):
    number = 0
    def __init__(self, n_processes, **settings):
        Pool.number += n_processes > 1
        super().__init__(n_processes, **settings)
loky.ProcessPoolExecutor = Pool
atexit.register(lambda: Pool.number or os._exit(9))
import isthmus.cli.parallel_labels as labels, isthmus.matrices.processes as processes
import isthmus.transfer.words as words
for module in (labels, words):
    assert module._MANY_BYTES and module.thread_limit
    module._MANY_BYTES, module.thread_limit = 1, lambda: 2
assert processes.thread_limit and words.shard_bytes and labels._SHARD_BYTES
processes.thread_limit = lambda: 2
words.shard_bytes, labels._SHARD_BYTES = (lambda n_lengths: 4000), 4000
"""


def _isthmus(arguments: list[str], place: Path, *, processes: bool = False) -> None:
    """Run a command in a process of its own; a command that fails ends the recording."""
    code = "import sys; from isthmus.cli import main; sys.exit(main())"
    if processes:
        # The processes import this file, and must not run the command again.
        body = f"{_FORCE_PROCESSES.strip()}\n{code}".replace("\n", "\n    ")
        code = f"if __name__ == '__main__':\n    {body}\n"
    script = place / "command.py"
    script.write_text(code)
    command = [sys.executable, script.name, *arguments, "--quiet"]
    subprocess.run(command, check=True, cwd=place)


def _check_that_they_differ(results: dict[str, dict[str, str]]) -> None:
    """A setting that changes nothing tests nothing."""
    names: dict[str, str] = {}
    for name, fields in results.items():
        if (other := names.setdefault(json.dumps(fields, sort_keys=True), name)) != name:
            raise RuntimeError(f"'{name}' has the results of '{other}': change the texts.")


def _hash_file(path: Path) -> str:
    """Hash what a file contains; compressed bytes may depend on the time."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".parquet":
        table = pandas.read_parquet(path)
        data = f"{table.dtypes}\n{table.to_csv()}".encode()
    return _hash(np.frombuffer(data, dtype=np.uint8))


def _hash(values: Any) -> str:
    array = np.ascontiguousarray(values)
    data = json.dumps(array.tolist()).encode() if array.dtype.kind in "OU" else array.tobytes()
    name = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode() + data).hexdigest()[:16]
    _hashed[name] = array.astype(str) if array.dtype.kind == "O" else array
    return name


if __name__ == "__main__":
    sys.exit(main())
