"""A result is there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import subprocess
import sys
import threading

import pytest

from isthmus.files import check_writable, whole_file

needs_full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_text_and_bytes(tmp_path):
    with whole_file(tmp_path / "a.txt") as stream:
        stream.write("é\r\n\n")
    with whole_file(str(tmp_path / "b.bin"), binary=True) as stream:
        stream.write(b"\0\r\n")
    assert (tmp_path / "a.txt").read_bytes() == "é\r\n\n".encode()
    assert (tmp_path / "b.bin").read_bytes() == b"\0\r\n"
    assert names(tmp_path) == ["a.txt", "b.bin"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_and_the_old_file_kept_if_the_work_fails(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")

    def fail(stream):
        stream.write("new")
        raise error

    with pytest.raises(error), whole_file(path) as stream:
        fail(stream)
    assert path.read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["a.txt"]


def test_the_old_file_is_there_until_the_end(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    with whole_file(path) as stream:
        stream.write("new")
        stream.flush()
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8") == "new"


def test_modes_are_those_of_any_new_file_or_of_the_old_one(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("old", encoding="utf-8")
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        for path in (new, old):
            with whole_file(path) as stream:
                stream.write("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_link_is_kept_and_its_target_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.txt", tmp_path / "link"
    for old in (False, True):
        if not old:
            link.symlink_to(target)
        check_writable(link)
        with whole_file(link) as stream:
            stream.write(f"new {old}")
        assert link.is_symlink()
        assert target.read_text(encoding="utf-8") == f"new {old}"
    assert names(tmp_path / "there") == ["a.txt"]


def test_a_link_into_a_folder_that_is_not_there(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "a.txt")
    with pytest.raises(ValueError, match=r"folder '.*nowhere' of the output does not exist"):
        check_writable(tmp_path / "link")


def test_a_link_to_itself(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "link")
    with contextlib.suppress(OSError), whole_file(tmp_path / "link") as stream:
        stream.write("x")
    assert not [name for name in names(tmp_path) if name.endswith(".part")]


def test_a_long_name(tmp_path):
    path = tmp_path / ("ö" * 127)
    with whole_file(path) as stream:
        stream.write("x")
    assert path.read_text(encoding="utf-8") == "x"


def test_check_writable_leaves_nothing(tmp_path):
    check_writable(tmp_path / "a.txt")
    assert names(tmp_path) == []
    (tmp_path / "b.txt").write_text("old", encoding="utf-8")
    check_writable(tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "old"


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match=r"is a folder: name a file"):
        check_writable(tmp_path)
    with pytest.raises(ValueError, match=r"folder '.*missing' of the output does not exist"):
        check_writable(tmp_path / "missing" / "a.txt")
    with pytest.raises(IsADirectoryError) as caught, whole_file(tmp_path):
        pass
    assert caught.value.filename == str(tmp_path)


def test_a_write_protected_file(tmp_path, as_nobody):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o444)
    tmp_path.chmod(0o777)
    with as_nobody(tmp_path):
        with pytest.raises(ValueError, match=r"a\.txt.*Permission denied.*another place"):
            check_writable(path)
        with pytest.raises(PermissionError) as caught, whole_file(path):
            pass
    assert caught.value.filename == str(path)
    assert path.read_text(encoding="utf-8") == "old"


def test_a_write_protected_folder(tmp_path, as_nobody):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    with as_nobody(tmp_path):
        with pytest.raises(ValueError, match="Permission denied"):
            check_writable(folder / "a.txt")
        with pytest.raises(PermissionError) as caught, whole_file(folder / "a.txt"):
            pass
    assert caught.value.filename == str(folder / "a.txt")


def test_an_error_of_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "a.txt"):
        (tmp_path / "other").read_bytes()
    assert caught.value.filename == str(tmp_path / "other")


def test_devices_and_pipes_are_written_directly(tmp_path):
    check_writable("/dev/null")
    with whole_file("/dev/null") as stream:
        stream.write("x")
    assert not os.path.isfile("/dev/null")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    check_writable(pipe)
    with whole_file(pipe) as stream:
        stream.write("through")
    reader.join()
    assert received == [b"through"]
    assert names(tmp_path) == ["pipe"]


@pytest.mark.parametrize("device", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_by_name(tmp_path, device):
    code = (
        "import sys; from isthmus.files import check_writable, whole_file\n"
        "print('before', flush=True); check_writable(sys.argv[1])\n"
        "with whole_file(sys.argv[1]) as stream: stream.write('result\\n')\n"
        "print('after')"
    )
    command = [sys.executable, "-c", code, device]
    piped = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"before\nresult\nafter\n"
    with (tmp_path / "out.txt").open("ab") as out:
        subprocess.run(command, stdout=out, check=True)
    assert (tmp_path / "out.txt").read_bytes() == b"before\nresult\nafter\n"
    assert names(tmp_path) == ["out.txt"]


@needs_full_device
def test_a_full_device():
    with pytest.raises(OSError, match="No space left") as caught, whole_file("/dev/full") as stream:
        stream.write("x")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("size", [50_000, 500_000])
def test_a_full_disk(tmp_path, binary, size):
    """The limit of the process on file sizes stands in for a disk that is full."""
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    code = (
        "import resource, signal, sys\n"
        "from isthmus.files import whole_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
        f"piece = {b'x' if binary else 'x'!r} * 1000\n"
        "try:\n"
        f"    with whole_file(sys.argv[1], binary={binary}) as stream:\n"
        f"        for _ in range({size} // 1000): stream.write(piece)\n"
        "except OSError as error: print(error.errno, error.filename)\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split(maxsplit=1) == [str(errno.EFBIG), f"{path}\n"]
    assert run.stderr == ""
    assert path.read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["a.txt"]
