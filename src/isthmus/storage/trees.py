"""Python values as JSON and arrays, and back.

Values that JSON lacks are written as an object with one key that starts with ``@``. Numeric arrays
are stored separately by name, string arrays become lists, and dicts with other keys become pairs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.storage.container import ModelFileError

__all__ = ["Packer", "Unpacker"]

_SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Packer:
    """Converts values to JSON and collects the arrays."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}

    def pack(self, value: Any, what: str) -> Any:
        """``value`` as JSON; ``what`` names it in the error message."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, str):
            return _valid_text(value, what)
        if isinstance(value, float):
            return value if math.isfinite(value) else {"@float": repr(value)}
        if isinstance(value, list):
            return [self.pack(item, what) for item in value]
        if isinstance(value, tuple):
            return {"@tuple": [self.pack(item, what) for item in value]}
        if isinstance(value, frozenset | set):
            return [self.pack(item, what) for item in sorted(value)]
        if isinstance(value, dict):
            return self._pack_dict(value, what)
        if isinstance(value, np.ndarray):
            return self._pack_array(value, what)
        raise ValueError(
            f"{what} is {value!r}, which a model file cannot hold: use a number or a string "
            "instead, or keep the model in Python."
        )

    def _pack_dict(self, value: dict[Any, Any], what: str) -> Any:
        if all(isinstance(key, str) and not key.startswith("@") for key in value):
            return {
                _valid_text(key, what): self.pack(item, f"{what}.{key}")
                for key, item in value.items()
            }
        pairs = [
            [self.pack(key, what), self.pack(item, f"{what}[{key}]")] for key, item in value.items()
        ]
        return {"@pairs": pairs}

    def _pack_array(self, value: NDArray[Any], what: str) -> Any:
        if value.dtype.kind in "fiub":
            name = f"a{len(self.arrays)}"
            self.arrays[name] = value
            return {"@array": name}
        if value.ndim == 1 and all(isinstance(item, str) for item in value.tolist()):
            kind = "@objects" if value.dtype.kind == "O" else "@texts"
            return {kind: [_valid_text(item, what) for item in value.tolist()]}
        raise ValueError(f"{what} is an array of {value.dtype}, which a model file cannot hold.")


def _valid_text(value: str, what: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} contains {value!r}, half of a surrogate pair, which a file cannot hold: "
            "replace it."
        ) from None
    return value


class Unpacker:
    """Converts JSON and arrays back to values."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._arrays = arrays

    def unpack(self, value: Any) -> Any:
        """The value that :meth:`Packer.pack` was given."""
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((key, content),) = value.items()
            if key.startswith("@"):
                return self._special(key, content)
        return {key: self.unpack(item) for key, item in value.items()}

    def _special(self, key: str, content: Any) -> Any:
        if isinstance(content, str):
            if key == "@float" and content in _SPECIAL_FLOATS:
                return _SPECIAL_FLOATS[content]
            if key == "@array" and content in self._arrays:
                return self._arrays[content]
        if isinstance(content, list):
            if key == "@tuple":
                return tuple(self.unpack(item) for item in content)
            if key == "@pairs" and all(isinstance(i, list) and len(i) == 2 for i in content):
                return self._dict(content)
            if key in ("@objects", "@texts") and all(isinstance(i, str) for i in content):
                return np.array(content, dtype=object if key == "@objects" else str)
        raise ModelFileError(f"there is an unknown value ({key[:40]!r})")

    def _dict(self, pairs: list[Any]) -> dict[Any, Any]:
        unpacked = [(self.unpack(key), self.unpack(item)) for key, item in pairs]
        if not all(isinstance(key, str | int | float | bool | None) for key, _ in unpacked):
            raise ModelFileError("there is a mapping with an invalid key")
        return dict(unpacked)
