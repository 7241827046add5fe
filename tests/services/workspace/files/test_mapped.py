"""Mapped files, and their pages in memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.workspace.files.mapped import mapped, release_pages

_SIZE = 8_000_000


def _resident(path: Path) -> int:
    """Bytes of a file that this process has in memory."""
    found, at = 0, False
    for line in Path("/proc/self/smaps").read_text("utf-8").splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            at = rest[-1:] == [str(path)]
        elif at and name == "Rss:":
            found += int(rest[0]) * 1024
    return found


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not tell")
def test_pages_go_back_and_are_read_again_when_they_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(bytes([7]) * _SIZE)
    with path.open("rb") as file:
        held = mapped(file.fileno())
    assert sum(held[::4096]) == 7 * -(-_SIZE // 4096)
    assert _resident(path) >= _SIZE
    release_pages()
    assert _resident(path) < _SIZE // 10
    path.unlink()
    assert held[-1] == 7


def test_a_mapping_that_was_closed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "some"
    path.write_bytes(b"some")
    with path.open("rb") as file:
        held = mapped(file.fileno())
        other = mapped(file.fileno())
    held.close()
    release_pages()
    assert held.closed
    assert bytes(other) == b"some"


def test_an_empty_file_cannot_be_mapped(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    descriptor = os.open(tmp_path / "empty", os.O_RDONLY)
    try:
        with pytest.raises(ValueError, match="empty"):
            mapped(descriptor)
    finally:
        os.close(descriptor)
