from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import pytest

from pincite.records.files import open_regular, read_regular, read_regular_text


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x00one\r\ntwo")
    assert read_regular(tmp_path / "a.bin") == b"\x00one\r\ntwo"
    assert read_regular_text(tmp_path / "a.bin") == "\x00one\ntwo"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    with pytest.raises(OSError, match="named pipe"):
        read_regular(tmp_path / "a.toml")


def test_a_pipe_with_a_writer_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    writer = os.open(tmp_path / "a.toml", os.O_RDWR | os.O_NONBLOCK)
    try:
        with pytest.raises(OSError, match="named pipe"):
            read_regular(tmp_path / "a.toml")
    finally:
        os.close(writer)


def test_a_device_is_not_read() -> None:
    with pytest.raises(OSError, match="a device"):
        read_regular("/dev/zero")


def test_a_socket_and_a_folder_are_no_files(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "s"))
        with pytest.raises(OSError, match=r"No such device|a socket"):
            read_regular(tmp_path / "s")
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path)


def test_a_file_larger_than_the_limit_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(OSError, match="larger than") as refused:
        read_regular(tmp_path / "large")
    assert refused.value.errno == errno.EFBIG


def test_a_link_is_followed_where_there_is_no_root(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("there")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert read_regular(tmp_path / "b") == b"there"


def test_below_a_root_links_are_followed_only_inside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "a").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    (root / "in").symlink_to(root / "inner" / "a")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to(tmp_path)
    assert read_regular(root / "inner" / "a", root=root) == b"inside"
    assert read_regular(root / "in", root=root) == b"inside"
    for outside in (root / "out", root / "up" / "secret", root / ".." / "secret"):
        with pytest.raises(FileNotFoundError):
            read_regular(outside, root=root)


def test_what_lies_outside_a_root_is_told_like_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "secret").write_text("outside")
    told = []
    for name in ("secret", "nothing"):
        with pytest.raises(FileNotFoundError) as refused:
            open_regular(tmp_path / name, root=tmp_path / "root")
        told.append((type(refused.value), refused.value.errno, refused.value.strerror))
    assert told[0] == told[1]
