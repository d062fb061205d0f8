"""Python values as JSON and arrays, and back.

What JSON cannot say is written as an object with one key that starts with ``@``: arrays of numbers
are named and stored apart, texts in an array become a list, keys that are not text become pairs.
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
    """Collects arrays on the way."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}

    def pack(self, value: Any, what: str) -> Any:
        """``value`` as JSON; ``what`` names it in the error if it is no plain data."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, str):
            return _whole_text(value, what)
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
            f"{what} is {value!r}, which is not plain data, so it cannot go into a model file: "
            "use a value that can be written down (a number, a name), or keep the object in Python."
        )

    def _pack_dict(self, value: dict[Any, Any], what: str) -> Any:
        if all(isinstance(key, str) and not key.startswith("@") for key in value):
            return {
                _whole_text(key, what): self.pack(item, f"{what}.{key}")
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
            return {kind: [_whole_text(item, what) for item in value.tolist()]}
        raise ValueError(f"{what} is an array of {value.dtype}, which no model file can hold.")


def _whole_text(value: str, what: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} holds {value!r}, half of a pair of characters, which no file can hold: write "
            "it otherwise."
        ) from None
    return value


class Unpacker:
    """Puts arrays back in their places."""

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
            raise ModelFileError("there is a mapping with a key that is no label")
        return dict(unpacked)
