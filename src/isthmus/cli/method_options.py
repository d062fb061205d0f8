"""Options of the method, and the model that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from isthmus.cli.parsing import parse_class_prior, parse_parameters

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer

__all__ = ["EngineOption", "MethodOptions"]

EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where to compute: 'cpu', 'gpu', or 'auto' (the GPU if there is one, the method runs "
        "on it and the matrix is large). Default: auto.",
    ),
]
_FitEngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where to compute: 'cpu', 'gpu', 'dask' (a cluster, see --scheduler and --workers), "
        "or 'auto' (the GPU if there is one, the method runs on it and the matrix is large). "
        "Default: auto.",
    ),
]


@dataclass(frozen=True)
class MethodOptions:
    """The method and its parameters."""

    PANEL: ClassVar[str] = "Method"

    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the method; 'isthmus methods' lists them. Default: auto, which fits "
            "several methods, combines them and judges the result.",
        ),
    ] = None
    effort: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How many methods auto fits: 'fast', 'normal' or 'thorough'. Default: normal.",
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Time for all methods that auto fits. It is checked before and after every one: a "
            "method that ends after it is left out, but the first one always counts.",
        ),
    ] = None
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Preset of the method's parameters, such as 'paper'."),
    ] = None
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the method, as in beta=2 or unit_rows=false. Can be repeated.",
        ),
    ] = None
    class_prior: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRIOR",
            help="Class proportions of the target: 'source' (same as the source), 'estimate' "
            "(estimated without labels), 'none' (not for auto), or your own, one option per class, "
            "as in --class-prior positive=0.8. Default: that of the method; auto uses its own "
            "estimate, also for 'estimate'.",
        ),
    ] = None
    verdict: Annotated[
        bool,
        typer.Option(
            "--verdict/--no-verdict",
            metavar="",
            help="Judge the labels of a method other than auto, which takes about as long as "
            "--effort fast. Auto always judges its labels.",
        ),
    ] = True
    seed: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Random seed.")] = 0
    engine: _FitEngineOption = None

    def make_model(self, vectorizer: Any, engine: Any) -> Transfer:
        """Return a model of the method; its ``prepare`` validates the parameters.

        ``engine`` is that of the option, or a client of Dask.
        """
        from isthmus.transfer.model import Transfer

        parameters = parse_parameters(self.parameters or [])
        model = Transfer(
            self.method,
            preset=self.preset,
            effort=self.effort,
            time_limit=self.time_limit,
            vectorizer=vectorizer,
            class_prior=parse_class_prior(self.class_prior),
            verdict=self.verdict,
            random_state=None if "random_state" in parameters else self.seed,
            engine=engine,
        )
        if not parameters:
            return model
        estimator = model.make_estimator()
        known = estimator.get_params(deep=False)
        for name in parameters:
            if name not in known:
                raise ValueError(
                    f"--set {name}: {type(estimator).__name__} has no such parameter, it has "
                    f"{', '.join(known)}."
                )
        estimator.set_params(**parameters)
        return model.set_params(method=estimator, preset=None, effort=None, time_limit=None)
