"""Which of the scored documents got their class, as text short enough for a result."""

from __future__ import annotations

import base64
import binascii

import numpy as np

__all__ = ["pack_right", "unpack_right"]


def pack_right(right: np.ndarray) -> str:
    """Eight documents a byte, the first of them the highest bit, in base64."""
    return base64.b64encode(np.packbits(np.asarray(right, bool)).tobytes()).decode("ascii")


def unpack_right(text: str, n_documents: int) -> np.ndarray:
    """Return for every scored document whether it got its class, in the order of the problem."""
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("The field 'right' of a result is not base64.") from error
    if len(packed) != -(-n_documents // 8):
        raise ValueError(
            f"The field 'right' of a result holds {len(packed)} bytes, which is not what "
            f"{n_documents} documents take."
        )
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=n_documents)
    return np.asarray(bits.astype(bool))
