"""Container of model files: a JSON document and arrays in one file.

The file is a ZIP archive without compression, so its contents cannot be larger than the file.
``manifest.json`` holds the document, ``arrays/<name>.npy`` the arrays in NumPy's own format without
pickled objects.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from isthmus.files import whole_file

__all__ = ["ModelFileError", "read_container", "write_container"]

MANIFEST = "manifest.json"
_ARRAY_NAME = re.compile(r"arrays/[a-z0-9_-]{1,80}\.npy")
_MAX_MEMBERS = 10_000
_MAX_MANIFEST_BYTES = 512 * 1024**2
_MAX_HEADER_BYTES = 4_096
_NUMBERS = "fiub"
# A fixed date: saving the same model twice gives the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)


class ModelFileError(ValueError):
    """The file is not a model file, is damaged, or needs another version of isthmus.

    Examples
    --------
    >>> import isthmus
    >>> try:
    ...     model = isthmus.load("no-such-file.isthmus")
    ... except isthmus.ModelFileError as error:
    ...     print(error)
    There is no model file 'no-such-file.isthmus'.
    """


def write_container(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write the complete file, or nothing."""
    document = json.dumps(manifest, ensure_ascii=False, allow_nan=False).encode()
    if len(arrays) >= _MAX_MEMBERS or len(document) > _MAX_MANIFEST_BYTES:
        raise ValueError(
            f"The model has {len(arrays)} arrays and {len(document)} bytes of settings and words, "
            "more than a model file may hold: use fewer domains, or a higher min_df."
        )
    with (
        whole_file(Path(path), binary=True) as stream,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive,
    ):
        archive.writestr(zipfile.ZipInfo(MANIFEST, _DATE), document)
        for name, values in arrays.items():
            member = zipfile.ZipInfo(f"arrays/{name}.npy", _DATE)
            with archive.open(member, "w", force_zip64=values.nbytes > 2**30) as target:
                npy.write_array(target, np.ascontiguousarray(values), allow_pickle=False)


def read_container(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the document and the arrays; any problem raises ModelFileError."""
    path = Path(path)
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe or a device"
        raise ModelFileError(f"'{path}' is {what}, not a model file.")
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise ModelFileError(f"There is no model file '{path}'.") from None
    with stream:
        try:
            return _read(stream, path)
        except ModelFileError:
            raise
        except zipfile.BadZipFile as error:
            raise ModelFileError(
                f"'{path}' is not a model file, or is damaged ({error})."
            ) from None
        except Exception as error:  # zipfile fails in many ways on a malicious archive
            raise ModelFileError(f"The model file '{path}' is damaged ({error}).") from None


def _read(stream: BinaryIO, path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        _check_members(members, size, path)
        if MANIFEST not in {member.filename for member in members}:
            raise ModelFileError(f"'{path}' is a ZIP archive but not a model file of isthmus.")
        manifest = _parse(archive.read(MANIFEST), path)
        arrays = {
            member.filename.removeprefix("arrays/").removesuffix(".npy"): _read_array(
                archive.read(member), member.filename, path
            )
            for member in members
            if member.filename != MANIFEST
        }
    return manifest, arrays


def _check_members(members: list[zipfile.ZipInfo], size: int, path: Path) -> None:
    names = [member.filename for member in members]
    if len(members) > _MAX_MEMBERS or len(set(names)) < len(names):
        raise ModelFileError(f"The model file '{path}' has too many or repeated members.")
    for member in members:
        if member.filename != MANIFEST and not _ARRAY_NAME.fullmatch(member.filename):
            raise ModelFileError(
                f"'{path}' is not a model file of isthmus: it contains {member.filename[:80]!r}."
            )
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 0x1:
            raise ModelFileError(
                f"The model file '{path}' was changed after isthmus wrote it: its members are "
                "compressed or encrypted."
            )
        if member.filename == MANIFEST and member.file_size > _MAX_MANIFEST_BYTES:
            raise ModelFileError(f"The model file '{path}' has a manifest that is too large.")
    # Overlapping members would add up to more than the file.
    if sum(member.file_size for member in members) > size:
        raise ModelFileError(f"The model file '{path}' declares more data than it contains.")


def _parse(document: bytes, path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(document, parse_constant=_refuse)
    except ValueError as error:
        raise ModelFileError(f"The manifest of '{path}' is not valid JSON ({error}).") from None
    if not isinstance(manifest, dict):
        raise ModelFileError(f"The manifest of '{path}' is not a JSON object.")
    return manifest


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not valid JSON")


def _read_array(content: bytes, name: str, path: Path) -> NDArray[Any]:
    stream = io.BytesIO(content)
    try:
        version = npy.read_magic(stream)
        if version != (1, 0):
            raise ValueError(f"version {version}")
        shape, fortran, dtype = npy.read_array_header_1_0(stream, max_header_size=_MAX_HEADER_BYTES)
    except Exception as error:  # NumPy's parser fails in many ways on a malicious header
        raise ModelFileError(f"'{name}' in '{path}' is not a NumPy array ({error}).") from None
    expected = math.prod(shape) * dtype.itemsize
    is_valid_shape = all(length >= 0 for length in shape)
    available = len(content) - stream.tell()
    if dtype.kind not in _NUMBERS or not is_valid_shape or expected != available:
        raise ModelFileError(f"'{name}' in '{path}' does not match its header.")
    flat = np.frombuffer(content, dtype, offset=stream.tell())
    # Copy, so that the array is aligned, writable and in native byte order.
    values = flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)
    return np.array(values, dtype.newbyteorder("="), order="C")
