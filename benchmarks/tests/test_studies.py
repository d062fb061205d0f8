"""The scripts in studies/ can be imported, and their settings are valid parameters."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from isthmus import (
    ASI,
    CDSC,
    DKT,
    LSSMTC,
    LSSTTC,
    BilingualVectorizer,
    MTrick,
    PCAKMeansClusterer,
    TextVectorizer,
    find_method,
)

STUDIES = Path(__file__).parents[1] / "studies"
SCRIPTS = sorted(STUDIES.glob("*.py"))

#: Dictionaries of settings, by script, and the class that takes these settings.
VARIANTS: dict[str, dict[str, Any]] = {
    "cdsc_defaults": {"VARIANTS": CDSC},
    "dkt_defaults": {"TEXT": BilingualVectorizer, "METHOD": DKT},
    "initializations": {"VARIANTS": MTrick, "WITH_BALANCED_COLUMNS": MTrick},
    "lss_defaults": {"CLASSIFIER": LSSTTC, "CLUSTERER": LSSMTC},
    "lss_paper": {
        "CLASSIFIER": LSSTTC,
        "CLUSTERER": LSSMTC,
        "BASELINE": ASI,
        "PCA": PCAKMeansClusterer,
    },
    "text_defaults": {"SETTINGS": TextVectorizer},
}
#: Scripts with dictionaries of settings by name of the method.
BY_METHOD = ("comparison_defaults", "pivot_defaults")
#: Settings that are read by a script and not passed to the estimator.
OF_SCRIPTS = {"preset", "weighting"}


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    def load_script(path: Path) -> ModuleType:
        name = f"study_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)  # dataclasses look it up
        spec.loader.exec_module(module)
        return module

    return load_script


def settings(script: str, module: ModuleType) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Name, estimator class and settings of every variant of a script."""
    for attribute, cls in VARIANTS.get(script, {}).items():
        for name, parameters in getattr(module, attribute).items():
            yield name, cls, parameters
    if script in BY_METHOD:
        for method, variants in module.VARIANTS.items():
            for name, parameters in variants.items():
                yield f"{method}, {name}", find_method(method).estimator_class, parameters


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_can_be_imported_and_have_a_main_function(path: Path, load: Any) -> None:
    assert callable(load(path).main)


@pytest.mark.parametrize("script", [*VARIANTS, *BY_METHOD])
def test_settings_are_parameters_of_the_estimator(script: str, load: Any) -> None:
    variants = list(settings(script, load(STUDIES / f"{script}.py")))
    assert variants
    for name, cls, parameters in variants:
        known = set(cls._get_param_names())
        unknown = set(parameters) - known - OF_SCRIPTS
        assert not unknown, f"{name}: {cls.__name__} has no parameter {sorted(unknown)}"
        if "preset" in parameters:
            cls.from_preset(parameters["preset"])


def test_the_script_on_class_swaps_counts_the_warning(load: Any) -> None:
    from isthmus.estimators.base import result_checks

    text = Path(result_checks.__file__).read_text(encoding="utf-8")
    assert load(STUDIES / "class_swaps.py").SWAP_WARNING in text
