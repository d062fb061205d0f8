"""The container of model files, also of damaged and hostile ones."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from isthmus.storage.container import ModelFileError, read_container, write_container
from isthmus.storage.trees import Packer, Unpacker

ARRAYS = {"a0": np.arange(6, dtype=np.float32).reshape(2, 3), "a1": np.array([True, False])}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.isthmus"


def npy(header: str, content: bytes) -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def write_zip(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_round_trip_and_the_same_bytes_every_time(path: Path) -> None:
    write_container(path, {"x": [1, "ü"]}, ARRAYS)
    first = path.read_bytes()
    write_container(path, {"x": [1, "ü"]}, ARRAYS)
    assert path.read_bytes() == first
    manifest, arrays = read_container(path)
    assert manifest == {"x": [1, "ü"]}
    for name, values in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], values)
        assert arrays[name].dtype == values.dtype
        assert arrays[name].flags.writeable


def test_numpy_opens_the_file_too(path: Path) -> None:
    write_container(path, {}, ARRAYS)
    with np.load(path, allow_pickle=False) as found:
        np.testing.assert_array_equal(found["arrays/a0"], ARRAYS["a0"])


@given(npst.arrays(st.sampled_from(["f4", ">f8", "i8", "u1", "?"]), npst.array_shapes(max_dims=3)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arrays_come_back_equal(path: Path, values: Any) -> None:
    for array in (values, np.asfortranarray(values)):
        write_container(path, {}, {"a": array})
        np.testing.assert_array_equal(read_container(path)[1]["a"], values)


BIG = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }"
OBJECTS = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
SHORT = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
NEGATIVE = "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -2), }"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "not a model file"),
        ({"other.txt": b""}, "'other.txt'"),
        ({"manifest.json": b"{}", "../evil": b""}, r"'\.\./evil'"),
        ({"manifest.json": b"{}", "/etc/passwd": b""}, "'/etc/passwd'"),
        ({"manifest.json": b"{}", "arrays/../x.npy": b""}, r"'arrays/\.\./x\.npy'"),
        ({"manifest.json": b"{"}, "not valid JSON"),
        ({"manifest.json": b"[]"}, "not a JSON object"),
        ({"manifest.json": b"\xff"}, "not valid JSON|damaged"),
        ({"manifest.json": b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}"}, "damaged"),
        ({"manifest.json": b"{}", "arrays/a.npy": b"hello"}, "not a NumPy array"),
        ({"manifest.json": b"{}", "arrays/a.npy": npy("{", b"")}, "not a NumPy array"),
        ({"manifest.json": b"{}", "arrays/a.npy": npy("(" * 3000, b"")}, "not a NumPy array"),
        ({"manifest.json": b"{}", "arrays/a.npy": npy(BIG, b"1234")}, "header"),
        ({"manifest.json": b"{}", "arrays/a.npy": npy(SHORT, b"1234")}, "header"),
        ({"manifest.json": b"{}", "arrays/a.npy": npy(OBJECTS, b"\x80\x04N.")}, "header"),
        ({"manifest.json": b"{}", "arrays/a.npy": npy(NEGATIVE, b"12345678")}, "'arrays/a.npy'"),
    ],
)
def test_hostile_members(path: Path, members: dict[str, bytes], message: str) -> None:
    write_zip(path, members)
    with pytest.raises(ModelFileError, match=message) as caught:
        read_container(path)
    assert str(path) in str(caught.value)


def test_a_zip_bomb_is_not_unpacked(path: Path) -> None:
    write_zip(path, {"manifest.json": b" " * 50_000_000}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    with pytest.raises(ModelFileError, match="compressed or encrypted"):
        read_container(path)


def test_members_that_share_their_bytes(path: Path) -> None:
    write_zip(path, {"manifest.json": b"{}", "arrays/a.npy": b"x" * 1000})
    raw = path.read_bytes()
    # The directory entry of the array again and again: many names for the same thousand bytes.
    start = raw.index(b"PK\x01\x02", raw.index(b"PK\x01\x02") + 1)
    end = raw.index(b"PK\x05\x06")
    entry = raw[start:end]
    copies = b"".join(entry.replace(b"arrays/a", b"arrays/" + bytes([98 + i])) for i in range(20))
    tail = bytearray(raw[end:])
    struct.pack_into("<HH", tail, 8, 22, 22)
    struct.pack_into("<I", tail, 12, struct.unpack_from("<I", tail, 12)[0] + len(copies))
    path.write_bytes(raw[:end] + copies + bytes(tail))
    with pytest.raises(ModelFileError, match=r"more|damaged"):
        read_container(path)


def test_repeated_names(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("manifest.json", "{}")
    with pytest.raises(ModelFileError, match="repeated members"):
        read_container(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"no model file '.*nothing'"):
        read_container(tmp_path / "nothing")
    with pytest.raises(ModelFileError, match="is a folder"):
        read_container(tmp_path)


@pytest.mark.parametrize("content", [b"", b"id,text\n1,hello\n", b"PK\x03\x04", b"\x80\x04N."])
def test_files_of_other_formats(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="not a model file"):
        read_container(path)


def test_damage_anywhere_is_noticed_or_harmless(path: Path) -> None:
    manifest = {"words": ["kettle"] * 20}
    write_container(path, manifest, ARRAYS)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place])
        with pytest.raises(ModelFileError):
            read_container(path)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            found, arrays = read_container(path)
        except ModelFileError:
            continue
        # Dates may change without harm; a missing array is noticed by its reader.
        assert found == manifest
        assert set(arrays) <= set(ARRAYS)
        assert all((values == ARRAYS[name]).all() for name, values in arrays.items())


def test_an_object_array_is_not_written(path: Path) -> None:
    with pytest.raises(ValueError, match="Object arrays"):
        write_container(path, {}, {"a": np.array([{}], object)})
    assert list(path.parent.iterdir()) == []


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.dictionaries(st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(TREES)
def test_plain_values_come_back_equal(value: Any) -> None:
    packer = Packer()
    packed = json.loads(json.dumps(packer.pack(value, "it"), allow_nan=False))
    assert Unpacker(packer.arrays).unpack(packed) == value


def test_arrays_and_special_numbers_come_back() -> None:
    value = {-1: np.eye(2), "names": np.array(["a", "b"]), "o": np.array(["a"], object)}
    packer = Packer()
    back = Unpacker(packer.arrays).unpack(json.loads(json.dumps(packer.pack(value, "it"))))
    np.testing.assert_array_equal(back[-1], np.eye(2))
    assert back["names"].dtype.kind == "U"
    assert back["o"].dtype == object
    assert np.isnan(Unpacker({}).unpack(packer.pack(float("nan"), "it")))


@pytest.mark.parametrize("value", [len, object(), {"a": print}, [lambda: 0], 1j, b"x"])
def test_objects_that_are_not_plain_data_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"Something.* is .*model file"):
        Packer().pack(value, "Something")


@pytest.mark.parametrize(
    "value",
    [{"@array": "a9"}, {"@array": ["a"]}, {"@code": "x"}, {"@pairs": [[1]]}, {"@float": "1"}],
)
def test_unknown_values_in_a_file(value: Any) -> None:
    with pytest.raises(ModelFileError, match="unknown value"):
        Unpacker({}).unpack(value)


def test_pickle_is_never_called(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pickle

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("pickle was used")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, forbidden)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.array([{}], object), allow_pickle=True)
    write_zip(path, {"manifest.json": b"{}", "arrays/a.npy": stream.getvalue()})
    with pytest.raises(ModelFileError, match="header"):
        read_container(path)
