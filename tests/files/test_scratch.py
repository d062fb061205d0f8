"""Scratch folders are removed at the end, whatever the end was, and never those of others."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import pytest

from isthmus.files.scratch import Scratch, ScratchSpaceError

needs_locks = pytest.mark.skipif(os.name != "posix", reason="this system has no flock")

# The process writes the path of its folder, and goes on when a line is sent to it.
# Tests in the background, as of a shell, would ignore interrupts, and so would their processes.
HOLD = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from isthmus.files.scratch import Scratch
scratch = Scratch(sys.argv[1])
(scratch.path / "counts").write_bytes(b"1")
print(scratch.path, flush=True)
sys.stdin.readline()
"""


def hold(parent: Path, code: str = "") -> tuple[subprocess.Popen[str], Path]:
    """Start a process that holds a scratch folder."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD + code, parent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    path = Path(child.stdout.readline().strip())
    assert (path / "counts").exists()
    return child, path


def test_close_removes_the_folder_with_its_files(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    path = scratch.path
    (path / "folder").mkdir()
    (path / "folder" / "file").write_text("x")
    assert path.parent == tmp_path
    scratch.close()
    assert list(path.parent.iterdir()) == []
    scratch.close()  # again


def test_the_default_is_the_folder_of_the_system(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert Scratch().path.parent == tmp_path


def test_garbage_collection_removes_the_folder(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    assert scratch.path.is_dir()
    del scratch
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_pickled_copies_use_the_folder_and_do_not_remove_it(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    copy = pickle.loads(pickle.dumps(scratch))
    assert (copy.path, copy.parent) == (scratch.path, scratch.parent)
    file = copy.new_file(10, "counts")
    copy.close()
    del copy
    gc.collect()
    assert file.stat().st_size == 10
    assert file.parent == scratch.path
    scratch.close()
    assert not file.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_process_does_not_remove_the_folder(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    child = os.fork()
    if child == 0:
        scratch.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert scratch.path.is_dir()


@pytest.mark.parametrize(
    ("code", "status"),
    [("", 0), ("raise ValueError('wrong')", 1), ("sys.exit(3)", 3)],
    ids=["end", "error", "exit"],
)
def test_the_end_of_a_process_removes_the_folder(tmp_path: Path, code: str, status: int) -> None:
    child, path = hold(tmp_path, code)
    child.communicate("\n", timeout=30)
    assert child.returncode == status
    assert not path.exists()


def test_an_interrupt_removes_the_folder(tmp_path: Path) -> None:
    child, path = hold(tmp_path)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    assert not path.exists()


@needs_locks
def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(tmp_path: Path) -> None:
    child, killed = hold(tmp_path)
    other, alive = hold(tmp_path)
    child.kill()
    child.communicate(timeout=30)
    assert killed.is_dir()
    scratch = Scratch(tmp_path)
    assert not killed.exists()
    assert (alive / "counts").exists()
    assert {scratch.path, alive} == set(tmp_path.iterdir())
    other.communicate("\n", timeout=30)
    assert not alive.exists()


@needs_locks
def test_other_folders_and_links_are_kept(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    parent = tmp_path / "parent"
    for folder in (elsewhere, parent / "results", parent / "isthmus-scratch-of-mine"):
        folder.mkdir(parents=True)
        (folder / "notes").write_text("x")
    (elsewhere / "lock").write_text("")  # as in an abandoned folder
    (parent / "isthmus-scratch-link").symlink_to(elsewhere)
    (parent / "isthmus-scratch-file").write_text("x")
    long_ago = time.time() - 10**6
    for path in (elsewhere, *parent.iterdir()):
        os.utime(path, (long_ago, long_ago), follow_symlinks=False)
    names = {path.name for path in parent.iterdir()}
    Scratch(parent).close()
    assert {path.name for path in parent.iterdir()} == names
    assert (parent / "isthmus-scratch-link" / "notes").exists()
    assert (parent / "isthmus-scratch-of-mine" / "notes").exists()


@needs_locks
def test_a_folder_without_a_lock_is_removed_after_some_time(tmp_path: Path) -> None:
    # Another process has just made it, or was killed before it had a lock.
    new, old = tmp_path / "isthmus-scratch-new", tmp_path / "isthmus-scratch-old"
    for folder in (new, old):
        folder.mkdir()
        (folder / "new").write_text("")
    long_ago = time.time() - 10**6
    os.utime(old, (long_ago, long_ago))
    Scratch(tmp_path).close()
    assert list(tmp_path.iterdir()) == [new]


def test_not_enough_space(tmp_path: Path, monkeypatch) -> None:
    usage = namedtuple("usage", ["total", "used", "free"])
    scratch = Scratch(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage(0, 0, 2 * 10**9))
    scratch.check_space(1_900_000_000, "the counts of words")
    for call in (scratch.check_space, scratch.new_file):
        with pytest.raises(ScratchSpaceError) as caught:
            call(3 * 10**9, "the counts of words")
        assert str(caught.value) == (
            f"The scratch folder '{tmp_path}' has 2.0 GB left, but the counts of words need about "
            "3.0 GB: free some space, or name a folder on another disk with scratch_folder "
            "(--scratch-folder)."
        )
    assert [path.name for path in scratch.path.iterdir() if path.name != "lock"] == []


def test_a_parent_that_cannot_be_used(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    for name, reason in (("file", "is a file"), ("missing", "does not exist")):
        with pytest.raises(ValueError, match=rf"^The scratch folder '.*{name}' {reason}: make it"):
            Scratch(tmp_path / name)
    assert not (tmp_path / "missing").exists()  # a typing error must not fill another disk

    def refuse(**options):
        raise PermissionError(13, "Permission denied", "x")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(OSError, match="The scratch folder") as caught:
        Scratch(tmp_path)
    assert str(caught.value) == (
        f"The scratch folder '{tmp_path}' cannot be used (Permission denied): name another with "
        "scratch_folder (--scratch-folder)."
    )


@needs_locks
def test_a_disk_without_locks_keeps_no_folder(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(OSError, match=r"cannot be used \(No locks available\)"):
        Scratch(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system has no fallocate")
def test_a_disk_that_others_have_filled(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_):
        raise OSError(28, "No space left on device")

    scratch = Scratch(tmp_path)
    monkeypatch.setattr("os.posix_fallocate", refuse)
    with pytest.raises(OSError, match=r"^The scratch folder .* \(No space left on device\): name"):
        scratch.new_file(100, "the counts of words")
