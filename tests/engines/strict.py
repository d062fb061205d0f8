"""A strict engine: NumPy arrays behind a wrapper that behaves like the arrays of another device.

Every implicit conversion to NumPy raises, as does every operation that mixes such an array with a
NumPy array. A solver that runs on this engine runs on a GPU, and a machine without one can test it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from isthmus.matrices.array_engine import ArrayEngine
from isthmus.matrices.one_place import OnePlaceDocuments
from isthmus.matrices.protocols import PLAIN_STEP, MembershipStep, StepOptions, TopicStep
from isthmus.matrices.rows import as_documents

# Functions that make an array of the device from one of the host.
_CREATION = ("asarray", "array", "ascontiguousarray")
# Not in CuPy, or with another result there.
_UNSUPPORTED = ("ix_", "add_at", "lexsort", "testing", "random", "memmap", "vectorize", "errstate")


class StrictError(TypeError):
    """A solver mixed arrays of two devices, or converted one without being asked to."""


def unwrapped(value: Any) -> Any:
    """The NumPy values of strict arrays; raises for NumPy arrays."""
    if isinstance(value, StrictArray):
        return value._values
    if isinstance(value, np.ndarray) and value.ndim > 0:
        raise StrictError("A NumPy array was used where an array of the device is required.")
    if isinstance(value, tuple | list):
        return type(value)(unwrapped(item) for item in value)
    if isinstance(value, dict):
        return {key: unwrapped(item) for key, item in value.items()}
    return value


def wrapped(value: Any) -> Any:
    """NumPy arrays and numbers as strict arrays."""
    if isinstance(value, np.ndarray | np.generic):
        return StrictArray(np.asarray(value))
    if isinstance(value, tuple | list):
        items = [wrapped(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


class StrictArray(NDArrayOperatorsMixin):
    """An array that is never converted to NumPy without being asked to."""

    __slots__ = ("_values",)

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise StrictError("Implicit conversion to a NumPy array: use engine.to_host.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        result = getattr(ufunc, method)(*unwrapped(inputs), **unwrapped(options))
        return options["out"][0] if "out" in options else wrapped(result)

    def __array_function__(self, function: Any, *_: Any) -> Any:
        raise StrictError(f"numpy.{function.__name__} got an array of the device: use engine.xp.")

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._values, name)
        return _wrapped_function(value) if callable(value) else wrapped(value)

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def shape(self) -> Any:
        return self._values.shape

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Any:
        return (wrapped(part) for part in self._values)

    def __getitem__(self, key: Any) -> Any:
        return wrapped(self._values[unwrapped(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values[unwrapped(key)] = unwrapped(value)

    def __float__(self) -> float:
        return float(self._values)

    def __int__(self) -> int:
        return int(self._values)

    def __index__(self) -> int:
        return int(self._values)

    def __bool__(self) -> bool:
        return bool(self._values)

    def __repr__(self) -> str:
        return f"StrictArray({self._values!r})"


def _wrapped_function(function: Any) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        return wrapped(function(*unwrapped(arguments), **unwrapped(options)))

    return call


class StrictNamespace:
    """The functions of NumPy for strict arrays."""

    def __init__(self, module: Any = np) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name in _UNSUPPORTED:
            raise StrictError(f"xp.{name} is not available on every engine.")
        value = getattr(self._module, name)
        if name == "linalg":
            return StrictNamespace(value)
        if name in _CREATION:
            return _creation(value)
        if name == "bincount":
            return _bincount
        if isinstance(value, type) or not callable(value):
            return value
        return _wrapped_function(value)


def _creation(function: Any) -> Any:
    def create(array: Any, *arguments: Any, **options: Any) -> StrictArray:
        values = array._values if isinstance(array, StrictArray) else array
        return StrictArray(np.array(function(values, *arguments, **options)))

    return create


def _bincount(values: Any, weights: Any = None, minlength: int = 0) -> StrictArray:
    if weights is not None:
        raise StrictError("bincount with weights adds in any order on a GPU.")
    return wrapped(np.bincount(unwrapped(values), minlength=minlength))


class StrictEngine(ArrayEngine):
    """The engine of strict arrays."""

    name = "strict"

    def __init__(self) -> None:
        self.xp: Any = StrictNamespace()

    def documents(self, X: Any, rows: Any = None) -> StrictDocuments:
        return StrictDocuments(as_documents(X, rows), self)

    def asarray(self, array: Any, dtype: Any = None) -> StrictArray:
        values = array._values if isinstance(array, StrictArray) else np.asarray(array)
        return StrictArray(values.astype(dtype or values.dtype))

    def to_host(self, array: Any) -> np.ndarray:
        if not isinstance(array, StrictArray):
            raise StrictError(f"to_host got {type(array).__name__}, which is on the host already.")
        return array._values.copy()


class StrictDocuments(OnePlaceDocuments):
    """Documents that take and return strict arrays."""

    def __init__(self, inner: Any, engine: StrictEngine) -> None:
        self._inner, self.engine = inner, engine
        self.shape, self.dtype = inner.shape, inner.dtype
        self._row_scale = wrapped(inner._row_scale)

    def times(self, right: Any) -> StrictArray:
        return wrapped(self._inner.times(unwrapped(right)))

    def transposed_times(self, left: Any) -> StrictArray:
        return wrapped(self._inner.transposed_times(unwrapped(left)))

    def squares_transposed_times(self, left: Any) -> StrictArray:
        return wrapped(self._inner.squares_transposed_times(unwrapped(left)))

    def membership_step(
        self, memberships: Any, profiles: Any, gram: np.ndarray, options: StepOptions = PLAIN_STEP
    ) -> MembershipStep:
        assert isinstance(gram, np.ndarray), "small matrices are NumPy arrays"
        step = self._inner.membership_step(
            unwrapped(memberships),
            unwrapped(profiles),
            gram,
            StepOptions(**unwrapped(vars(options))),
        )
        return MembershipStep(wrapped(step.products), step.gram, step.changed)

    def topic_step(self, mixtures: Any, topics: Any, **options: Any) -> TopicStep:
        step = self._inner.topic_step(unwrapped(mixtures), unwrapped(topics), **options)
        return TopicStep(wrapped(step.word_side), step.log_likelihood)

    def row_sums(self) -> StrictArray:
        return wrapped(self._inner.row_sums())

    def row_norms(self) -> StrictArray:
        return wrapped(self._inner.row_norms())

    def column_sums(self) -> StrictArray:
        return wrapped(self._inner.column_sums())

    def squared_norm(self) -> float:
        return float(self._inner.squared_norm())

    def scaled(self, rows: Any = None, columns: Any = None) -> StrictDocuments:
        scaled = self._inner.scaled(rows=unwrapped(rows), columns=unwrapped(columns))
        return StrictDocuments(scaled, self.engine)

    def take_rows(self, rows: np.ndarray) -> StrictDocuments:
        return StrictDocuments(self._inner.take_rows(rows), self.engine)

    def row_blocks(self, size: int) -> Any:
        return (StrictDocuments(block, self.engine) for block in self._inner.row_blocks(size))
