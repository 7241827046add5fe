"""Complete content of a folder, for comparison with an earlier one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Self


class Entry(NamedTuple):
    """A file, folder or link: its mode, inode, time of change and content (of a link, where it leads)."""

    mode: int
    inode: int
    changed_at: int
    content: bytes


class Snapshot(NamedTuple):
    """Entries by path, `.git` among them; a link is not followed."""

    entries: dict[str, Entry]

    @classmethod
    def of(cls, folder: Path, *, most: int = 1 << 30) -> Self:
        """Return the present content of a folder. `most`: bytes that are compared of a file."""
        found = {"": _entry(folder, most)}
        for top, folders, files in os.walk(folder):
            for name in (*folders, *files):
                path = Path(top, name)
                found[str(path.relative_to(folder))] = _entry(path, most)
        return cls(found)

    def differences(self, before: Self) -> list[str]:
        """Paths that came, went or differ, sorted."""
        paths = self.entries.keys() | before.entries.keys()
        return sorted(path for path in paths if self.entries.get(path) != before.entries.get(path))


def _entry(path: Path, most: int) -> Entry:
    status = path.lstat()
    content = b""
    if path.is_symlink():
        content = os.fsencode(path.readlink())
    elif path.is_file():
        with path.open("rb") as file:
            content = file.read(most) + str(status.st_size).encode()
    return Entry(status.st_mode, status.st_ino, status.st_mtime_ns, content)
