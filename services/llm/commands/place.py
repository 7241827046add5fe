"""Paths of a workspace that commands may name, and those they may come across."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from services.errors import CommandRefused, FileMissing, PathRefused
from services.llm.commands.words import OptionKind, refused
from services.llm.tool_files import ToolFiles

_MOST_HIDDEN = 2_000


class _Entry(NamedTuple):
    name: str
    is_folder: bool
    is_link: bool


class CommandWorkspace:
    """The root as one command sees it: what is hidden is looked up once. Raises CommandRefused for paths."""

    def __init__(self, files: ToolFiles) -> None:
        self._files = files
        self.root = files.root

    def path(self, kind: OptionKind, given: str) -> str:
        """A path below the root as it is passed on: relative, never like an option."""
        if any(sign in given for sign in "*?[") and not self.root.has(given):
            raise refused(given, "names are not expanded", "Use find -name, or name the files.")
        if _comes_back(given):
            raise CommandRefused(f"path escapes base directory: {given}", piece=given, instead="")
        try:
            path = self._files.path(given)
        except PathRefused as error:
            raise CommandRefused(
                error.message, piece=given, instead="Name what is below the root."
            ) from error
        is_folder = self._files.is_folder(path)
        if is_folder and kind is OptionKind.FILE:
            raise refused(given, "it is a folder", "Name a file.")
        if not is_folder:
            self._require_file(kind, given, path)
        return f"./{path}" if path.startswith("-") else path

    def _require_file(self, kind: OptionKind, given: str, path: str) -> None:
        if kind is OptionKind.FOLDER:
            raise refused(given, "it is no folder", "Name a folder.")
        try:
            self.root.stat(path)
        except PathRefused as error:
            raise CommandRefused(error.message, piece=given, instead="Name a regular file.") from error
        except FileMissing as error:
            raise refused(given, "there is no such file", error.message) from error

    @cached_property
    def visible(self) -> tuple[str, ...]:
        """Every file that models may see, sorted."""
        return tuple(self._files.listed())

    def below(self, path: str) -> Iterator[str]:
        """Yield the hidden files below a folder, or the file itself."""
        bare = path.removeprefix("./")
        prefix = "" if path == "." else f"{bare}/"
        return (each for each in self.visible if each == bare or each.startswith(prefix))

    def hidden_below(self, path: str) -> list[str]:
        """The folders, files and links below a folder that models may not see; none of what is in such a folder.
        Raises CommandRefused where they are too many to be named."""
        folders = {
            "/".join(each.split("/")[:count]) for each in self.visible for count in range(each.count("/") + 1)
        }
        seen, found = {*self.visible}, list[str]()
        waiting = ["" if path == "." else path.removeprefix("./")]
        while waiting:
            folder = waiting.pop()
            for entry in self._entries(folder):
                inner = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_folder and inner in folders:
                    waiting.append(inner)
                elif inner not in seen and not (entry.is_link and self._leads_to(inner, seen, folders)):
                    found.append(inner)
            if len(found) > _MOST_HIDDEN:
                raise refused(
                    path, "it holds too many ignored files to leave out", "Name a folder further down."
                )
        return found

    def _leads_to(self, link: str, files: set[str], folders: set[str]) -> bool:
        """Whether a link may be seen, and leads to what may."""
        try:
            self._files.path(link)
            target = self.root.followed(link)
        except (OSError, PathRefused):
            return False
        return target in files or target in folders

    def _entries(self, folder: str) -> list[_Entry]:
        try:
            descriptor = self.root.open_folder(folder or ".")
        except OSError:
            return []
        try:
            with os.scandir(descriptor) as entries:
                return [
                    _Entry(each.name, each.is_dir(follow_symlinks=False), each.is_symlink())
                    for each in entries
                ]
        finally:
            os.close(descriptor)


def _comes_back(given: str) -> bool:
    """Whether a relative path leaves the root by name, though it may re-enter it."""
    depth = 0
    if given.startswith("/"):
        return False
    for part in given.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return True
    return False
