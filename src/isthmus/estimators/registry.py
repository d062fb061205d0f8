"""Every method, one row each: the contract suite, the benchmark and the command line start here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

Kind = Literal["classifier", "clusterer", "transformer"]


@dataclass(frozen=True)
class Method:
    """A method and where its estimator lives; nothing is imported until it is asked for."""

    name: str
    kind: Kind
    title: str
    reference: str
    estimator: str
    """``module:class``."""
    revision: int = 1
    """Raised whenever a change may move results, so that no stale figure is shown."""
    monotone: bool = False
    """Whether the mathematics promises an objective that never rises."""

    @property
    def estimator_class(self) -> Any:
        module, _, name = self.estimator.partition(":")
        return getattr(import_module(module), name)

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(self.estimator_class._presets)

    def build(self, preset: str | None = None, **parameters: Any) -> Any:
        """An estimator with the parameters of a preset (or the defaults) and your own."""
        cls = self.estimator_class
        estimator = cls() if preset is None else cls.from_preset(preset)
        return estimator.set_params(**parameters)


_MTRICK = "Zhuang et al., SDM 2010"
_DKT = "Wang et al., SIGIR 2011"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "mtrick",
            "classifier",
            "MTrick: joint tri-factorization with shared associations",
            _MTRICK,
            "isthmus.estimators.mtrick:MTrick",
            revision=2,
        ),
        Method(
            "mtrick0",
            "classifier",
            "MTrick0: source first, then target with its associations",
            _MTRICK,
            "isthmus.estimators.mtrick0:MTrick0",
            revision=2,
        ),
        Method(
            "dkt",
            "classifier",
            "DKT: the one to take between languages; labels on either side",
            _DKT,
            "isthmus.estimators.dkt:DKT",
            revision=2,
            monotone=True,
        ),
        Method(
            "ktw",
            "classifier",
            "KTW: word clusters carried from source to target",
            "Li et al., SIGIR 2009",
            "isthmus.estimators.ktw:KTW",
            revision=2,
            monotone=True,
        ),
        Method(
            "lg",
            "classifier",
            "Logistic regression on the source alone",
            "baseline",
            "isthmus.estimators.source_only:SourceLogistic",
        ),
        Method(
            "svm",
            "classifier",
            "Linear support vector machine on the source alone",
            "baseline",
            "isthmus.estimators.source_only:SourceSVM",
        ),
        Method(
            "plsa",
            "transformer",
            "Probabilistic latent semantic analysis",
            "Hofmann, Machine Learning 2001",
            "isthmus.estimators.plsa:PLSA",
            revision=2,
            monotone=True,
        ),
    )
}


def find_method(name: str) -> Method:
    """The method of that name."""
    try:
        return METHODS[name]
    except KeyError:
        known = ", ".join(METHODS)
        raise ValueError(f"Unknown method {name!r}; methods are: {known}.") from None
