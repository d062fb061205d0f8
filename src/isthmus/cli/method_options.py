"""Options of the method and of the machines and memory that it uses."""

from __future__ import annotations

import json
import math
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from isthmus.cli.command import option

if TYPE_CHECKING:
    from isthmus.cli.input_options import WordOptions
    from isthmus.cli.output import Console
    from isthmus.transfer.model import Transfer

__all__ = [
    "ClusterOptions",
    "ClusteringOptions",
    "EngineOption",
    "MemoryOptions",
    "MethodOptions",
    "chosen_weighting",
]

_PYTHON_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_CONNECT_SECONDS = 20
_MAX_WORKERS = 4

EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where to compute: 'cpu', 'gpu', or 'auto' (the GPU if there is one, the method runs "
        "on it and the matrix is large). Default: auto.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ParameterOptions:
    """The parameters of a method."""

    PANEL: ClassVar[str] = "Method"

    preset: str | None = option("NAME", "Preset of the method's parameters, such as 'paper'.")
    parameters: list[str] | None = option(
        "NAME=VALUE",
        "A parameter of the method, as in beta=2 or unit_rows=false. Can be repeated.",
        "--set",
    )
    seed: int = option("NUMBER", "Random seed.", default=0, min=0)


@dataclass(frozen=True, kw_only=True)
class MethodOptions(ParameterOptions):
    """The method and its parameters."""

    method: str | None = option(
        "NAME",
        "Name of the method; 'isthmus methods' lists them. Default: auto, which fits several "
        "methods, combines them and judges the result.",
    )
    effort: str | None = option(
        "NAME", "How many methods auto fits: 'fast', 'normal' or 'thorough'. Default: normal."
    )
    time_limit: float | None = option(
        "SECONDS",
        "Time for all methods that auto fits. It is checked before and after every one: a method "
        "that ends after it is left out, but the first one always counts.",
    )
    class_prior: list[str] | None = option(
        "PRIOR",
        "Class proportions of the target: 'source' (same as the source), 'estimate' (estimated "
        "without labels), 'none' (not for auto), or your own, one option per class, as in "
        "--class-prior positive=0.8. Default: that of the method; auto uses its own estimate, also "
        "for 'estimate'.",
    )
    verdict: bool = option(
        "",
        "Judge the labels of a method other than auto, which takes about as long as --effort fast. "
        "Auto always judges its labels.",
        "--verdict/--no-verdict",
        default=True,
    )
    engine: str | None = option(
        "NAME",
        "Where to compute: 'cpu', 'gpu', 'dask' (a cluster, see --scheduler and --workers), or "
        "'auto' (the GPU if there is one, the method runs on it and the matrix is large). Default: "
        "auto.",
    )

    def make_model(self, vectorizer: Any, weighting: str | None, engine: Any) -> Transfer:
        """Return a model of the method; its ``prepare`` validates the parameters.

        ``engine`` is that of the option, or a client of Dask.
        """
        from isthmus.transfer.model import Transfer

        parameters = _parse_parameters(self.parameters)
        model = Transfer(
            self.method,
            preset=self.preset,
            effort=self.effort,
            time_limit=self.time_limit,
            vectorizer=vectorizer,
            weighting=weighting,
            class_prior=_parse_class_prior(self.class_prior),
            verdict=self.verdict,
            random_state=None if "random_state" in parameters else self.seed,
            engine=engine,
        )
        if not parameters:
            return model
        estimator = _with_parameters(model.make_estimator(), parameters)
        return model.set_params(method=estimator, preset=None, effort=None, time_limit=None)


@dataclass(frozen=True, kw_only=True)
class ClusteringOptions(ParameterOptions):
    """The clusterer and its parameters."""

    clusters: int = option("NUMBER", "Number of clusters, at least 2.", default=..., min=2)
    method: str = option(
        "NAME", "Name of a clusterer; 'isthmus methods' lists them.", default="lssmtc"
    )
    scope: str | None = option(
        "NAME",
        "For methods other than lssmtc: 'domain' clusters every file alone, with unrelated "
        "numbers, and 'all' all files as one. Default: domain.",
    )

    def make_estimator(self) -> Any:
        """Return the unfitted clusterer."""
        from isthmus.estimators.registry import find_clusterer

        parameters = _parse_parameters(self.parameters)
        if "n_clusters" in parameters:
            raise ValueError("--set n_clusters: use --clusters.")
        estimator = find_clusterer(self.method).build(
            self.preset, n_clusters=self.clusters, random_state=self.seed
        )
        if self.scope is not None:
            if not hasattr(estimator, "scope"):
                raise ValueError(
                    f"--scope is not for {self.method}, which gives all files the same clusters: "
                    "leave it out."
                )
            estimator.set_params(scope=self.scope)
        _with_parameters(estimator, parameters)._check_settings()
        return estimator


@dataclass(frozen=True)
class MemoryOptions:
    """How much memory counts may need, and where larger ones are kept."""

    PANEL: ClassVar[str] = "Memory"

    max_memory: str | None = option(
        "SIZE",
        "Memory for the counts of words, such as '2 GB'. Larger counts are kept in files while the "
        "command runs. Default: an eighth of the machine's memory.",
    )
    scratch_folder: Path | None = option(
        "FOLDER",
        "Folder for these files, which are removed at the end. Default: the system's folder for "
        "temporary files.",
    )

    def apply(self) -> AbstractContextManager[None]:
        """Use these settings inside a ``with`` statement."""
        from isthmus.text.parts.memory import use_memory

        return use_memory(self.max_memory, self.scratch_folder)


@dataclass(frozen=True)
class ClusterOptions:
    """Which cluster ``--engine dask`` uses."""

    PANEL: ClassVar[str] = "Dask cluster"

    scheduler: str | None = option(
        "ADDRESS",
        "Compute on the cluster of this Dask scheduler, such as tcp://10.0.0.5:8786. Its workers "
        "need isthmus in the same version, and must find the files under the same names.",
    )
    workers: int | None = option(
        "NUMBER",
        "Start this many worker processes on this machine, which share its cores. Default: at most "
        "four.",
        min=1,
    )

    @contextmanager
    def open(self, engine: str | None) -> Iterator[Any]:
        """Yield the engine of a command: a client of Dask, or another engine unchanged."""
        if engine != "dask":
            for name in ("scheduler", "workers"):
                if getattr(self, name) is not None:
                    raise ValueError(f"--{name} is for a Dask cluster: add --engine dask.")
            yield engine
            return
        if self.scheduler is not None and self.workers is not None:
            raise ValueError(
                "--workers starts a cluster on this machine and --scheduler uses another one: "
                "leave one of them out."
            )
        from isthmus.matrices.dask.cluster import check_installed

        check_installed()
        with ExitStack() as stack:
            yield self._connect(stack)

    def _connect(self, stack: ExitStack) -> Any:
        import logging

        import distributed

        from isthmus.matrices.engines import EngineError
        from isthmus.matrices.threads import thread_limit

        # Dask logs tracebacks: the command itself says what matters.
        for name in ("asyncio", *logging.root.manager.loggerDict):
            if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        dask: Any = distributed
        address: Any = self.scheduler
        if address is None:
            n_cores = thread_limit()
            # Every worker gets the factors of the words in every iteration: few are better.
            n_workers = self.workers or min(_MAX_WORKERS, n_cores)
            # A terminal sends Ctrl-C to all processes; only this one handles it.
            handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                cluster = dask.LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=max(1, n_cores // n_workers),
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            finally:
                signal.signal(signal.SIGINT, handler)
            address = stack.enter_context(cluster)
        try:
            return stack.enter_context(dask.Client(address, timeout=_CONNECT_SECONDS))
        except (OSError, TimeoutError, ValueError) as error:
            raise EngineError(
                f"There is no Dask scheduler at {self.scheduler} "
                f"({' '.join(str(error).split()) or type(error).__name__}): check the address, and "
                "that the scheduler is running."
            ) from error


def _parse_class_prior(values: list[str] | None) -> Any:
    """Return the name of a class prior, or a dict of label to proportion from LABEL=NUMBER."""
    if not values:
        return None
    names = [text.strip() for text in values if "=" not in text]
    if len(values) == 1 and names:
        return names[0]
    if names:
        raise ValueError(
            f"--class-prior {names[0]!r} cannot be combined with other values: give it alone, or "
            "one proportion per class, as in positive=0.8."
        )
    prior: dict[str, float] = {}
    for text in values:
        label, _, number = (part.strip() for part in text.rpartition("="))
        try:
            proportion = float(number)
        except ValueError:
            proportion = math.nan
        if re.search(r"=\s*[\d.]+%?\s*[,;]", text):
            raise ValueError(
                f"--class-prior {text!r} names several classes: give one --class-prior per class, "
                "as in --class-prior positive=0.8 --class-prior negative=0.2."
            )
        if 1 < proportion <= 100:
            raise ValueError(
                f"--class-prior {text!r} is more than 1: give the proportions as fractions, as in "
                f"{label}={proportion / 100:g}."
            )
        if not math.isfinite(proportion):
            raise ValueError(
                f"--class-prior {text!r} must be none, source, estimate, or a label and its "
                "proportion from 0 to 1, as in positive=0.8, once for every class."
            )
        if label in prior:
            raise ValueError(f"--class-prior names the class {label!r} twice: name it once.")
        prior[label] = proportion
    return prior


def chosen_weighting(
    texts: WordOptions, method: str | None, preset: str | None, console: Console
) -> str | None:
    """Return the weighting of the option, or else that of the preset, which is printed."""
    from isthmus.transfer.fitting import preset_weighting

    weighting = texts.weighting or preset_weighting(method, preset)
    if weighting is not None and texts.weighting is None:
        console.info(
            f"Weighting: {weighting}, as in the preset '{preset}'; --weighting overrides it."
        )
    return weighting


def _with_parameters(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the estimator with these parameters; ValueError if it does not have one of them."""
    known = estimator.get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise ValueError(
                f"--set {name}: {type(estimator).__name__} has no such parameter, it has "
                f"{', '.join(known)}."
            )
    return estimator.set_params(**parameters)


def _parse_parameters(settings: Sequence[str] | None) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE; a value is JSON, or otherwise text.

    True, False and None may also be spelled as in Python.
    """
    parameters: dict[str, Any] = {}
    for setting in settings or ():
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not equals or not name:
            raise ValueError(f"--set {setting!r} must be a name and a value, as in beta=2.")
        try:
            parameters[name] = json.loads(_PYTHON_CONSTANTS.get(text, text))
        except ValueError:
            parameters[name] = text
    return parameters
