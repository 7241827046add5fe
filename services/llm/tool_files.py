"""The files of a workspace as a model's tools see them: below the root alone, what is ignored left out, likely
secrets masked; and the default tools over them, with their schemas (001 section 5).
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from services.errors import FileMissing, PathRefused, WorkspaceError
from services.llm.tool_registry import (
    MAX_FILE_SIZE,
    MAX_RESULTS,
    Cancel,
    Registry,
    ToolHandler,
    function_tool,
)
from services.llm.values import Tool
from services.model import GrepFile
from services.prompt.secrets.masking import Masker
from services.source.grep_pattern import compiled
from services.source.grep_search import GrepRequest, GrepTotals, grep_files
from services.workspace.files.root import Root
from services.workspace.scan.hidden import is_hidden
from services.workspace.scan.scan import scan
from services.workspace.scan.sweep import glob_filter
from services.workspace.text import decode

_ESCAPES = ("leaves", "outside", "out of", "absolute")


class FileText(msgspec.Struct, frozen=True):
    """The lines of a file without their endings. `left_out`: bytes past MAX_FILE_SIZE."""

    path: str
    lines: tuple[str, ...]
    left_out: int = 0


class FileSearch(msgspec.Struct, frozen=True):
    """Search request of a tool. `literal`: the pattern is the text itself; `globs`: in which files, with the syntax of
    .gitignore, separated by commas."""

    pattern: str
    globs: str = ""
    case_insensitive: bool = False
    literal: bool = False
    most: int = MAX_RESULTS


class ToolFiles:
    """Reads for models. `ignored`: whether files that git ignores may be opened. Thread-safe."""

    def __init__(self, root: Root, masker: Masker, *, ignored: bool = False) -> None:
        self.root = root
        self._masker = masker
        self._ignored = ignored

    def path(self, given: str) -> str:
        """`given` relative to the root, of a file or a folder (`.`: the root; links to it followed). Raises
        PathRefused."""
        try:
            path = self.root.normalise(given.rstrip("/") or given) if given not in ("", ".", "./") else "."
            self._follow(path)
        except PathRefused as error:
            raise _escaping(given, error) from error
        if path != "." and not self._ignored and is_hidden(self.root, path):
            raise PathRefused(f"{path!r} is an ignored file, which is not shown to models.", path=path)
        return self._folder(path) or path

    def _folder(self, path: str) -> str | None:
        """The folder that a path leads to by links."""
        try:
            target = self.root.followed(path)
        except (OSError, PathRefused):
            return None
        return target if target != path and self.is_folder(target) else None

    def _follow(self, path: str) -> None:
        """Raise PathRefused where links lead outside, before any other error about the path."""
        try:
            self.root.stat(path)
        except PathRefused as error:
            if _is_escape(error):
                raise
        except WorkspaceError:
            return  # what is not there is said by whoever reads it

    def is_folder(self, path: str) -> bool:
        """Whether a normalised path is a folder, not counting links."""
        try:
            os.close(self.root.open_folder(path))
        except OSError:
            return False
        return True

    def text(self, given: str) -> FileText:
        """The lines of a file. Raises PathRefused, FileMissing, NotText, WorkspaceError."""
        path = self.path(given)
        if self.is_folder(path):
            raise WorkspaceError(f"{given!r} is a folder. List it, or name a file in it.", path=path)
        try:
            descriptor = self.root.open_read(path)
        except PathRefused as error:
            raise _escaping(given, error) from error
        with os.fdopen(descriptor, "rb") as file:
            data, size = file.read(MAX_FILE_SIZE), os.fstat(descriptor).st_size
        if size > len(data):
            data = data[: data.rfind(b"\n") + 1] or data
        content = self._masker.text(decode(data, path, encoding=self.root.encoding).content)
        lines = tuple(line.removesuffix("\r") for line in content.removesuffix("\n").split("\n"))
        return FileText(path, lines if content else (), max(0, size - len(data)))

    def listed(self, globs: str = "", cancel: threading.Event | None = None) -> Iterator[str]:
        """The files that are not ignored and that globs choose, sorted. Raises Cancelled."""
        chosen = glob_filter(globs)
        for file in scan(self.root, suffixes=("",), cancel=cancel).files:
            if chosen is None or chosen(os.fsencode(file.path)):
                yield file.path

    def search(
        self, search: FileSearch, cancel: threading.Event | None = None
    ) -> tuple[list[GrepFile], bool]:
        """Matches by file, and whether there may be more. Raises PatternInvalid, Cancelled."""
        written = re.escape(search.pattern) if search.literal else search.pattern
        pattern = compiled(written, case_insensitive=search.case_insensitive)
        wanted = GrepRequest(
            pattern,
            most=search.most,
            encoding=self.root.encoding,
            hide=self._masker.pieces,
        )
        tally = GrepTotals()
        return [
            *grep_files(self.root, wanted, globs=search.globs, tally=tally, cancel=cancel)
        ], tally.truncated


def _is_escape(error: PathRefused) -> bool:
    return any(word in str(error.details.get("reason", "")) for word in _ESCAPES)


def _escaping(given: str, error: PathRefused) -> PathRefused:
    if _is_escape(error):
        return PathRefused(
            f"path escapes base directory: {given}", path=given, reason=error.details["reason"]
        )
    return error


Shell = Callable[[str, Cancel], str]
"""Runs a command line and answers what it printed. Raises CommandRefused, Cancelled."""

_GLOB = {
    "type": "string",
    "description": "Which files: .gitignore syntax, several separated by commas (*.cs, src/**/*.cs, !*.Designer.cs).",
}
_PATH = {"type": "string", "description": "Path below the workspace."}

SEARCH_FILES = function_tool(
    "search_files",
    f"List the files that a glob chooses, at most {MAX_RESULTS}.",
    {"pattern": _GLOB},
    ["pattern"],
)
READ_FILE = function_tool(
    "read_file",
    f"Read a file, or lines of it, each behind its number. At most {MAX_FILE_SIZE // 1_000_000} MB of a file is read.",
    {
        "path": _PATH,
        "offset": {"type": "integer", "minimum": 1, "description": "First line, from 1."},
        "limit": {"type": "integer", "minimum": 1, "description": "Most lines."},
    },
    ["path"],
)
SEARCH_TEXT = function_tool(
    "search_text",
    f"Find lines by a regular expression (RE2, line by line), at most {MAX_RESULTS}: file:line: text.",
    {
        "pattern": {"type": "string", "minLength": 1, "description": "The expression."},
        "glob": _GLOB,
        "ignore_case": {"type": "boolean", "description": "Whether capitals do not count."},
        "literal": {"type": "boolean", "description": "Whether the pattern is the text itself."},
    },
    ["pattern"],
)
COUNT_LINES = function_tool(
    "count_lines",
    "Count the lines of a file, or of the files of a folder that a glob chooses.",
    {"path": _PATH, "glob": _GLOB},
    ["path"],
)
EXECUTE_BASH = function_tool(
    "execute_bash",
    "Run one reading program without a shell: grep, wc, find, cat, echo, ls, head, tail, sort, git log/show/diff/blame "
    "and their kin. No pipes, no redirection, no variables.",
    {"command": {"type": "string", "minLength": 1, "description": "The program and its arguments."}},
    ["command"],
)


def default_tools(files: ToolFiles, shell: Shell | None = None) -> Registry:
    """The default tools over the files of a workspace; `execute_bash` where there is a `shell`."""
    registry = Registry()
    for tool, run in _handlers(files):
        registry.register_tool(tool.name, run, tool)
    if shell is not None:
        registry.register_tool(
            EXECUTE_BASH.name, lambda given, cancel: shell(given["command"], cancel), EXECUTE_BASH
        )
    return registry


def _handlers(files: ToolFiles) -> tuple[tuple[Tool, ToolHandler], ...]:
    def search_files(given: Mapping[str, Any], cancel: Cancel) -> str:
        return _rows(files.listed(_contained(files, given["pattern"]), cancel), "files")

    def read_file(given: Mapping[str, Any], _: Cancel) -> str:
        return _numbered(files.text(given["path"]), given.get("offset", 1), given.get("limit"))

    def search_text(given: Mapping[str, Any], cancel: Cancel) -> str:
        found, more = files.search(
            FileSearch(
                given["pattern"],
                globs=_contained(files, given.get("glob", "")),
                case_insensitive=given.get("ignore_case", False),
                literal=given.get("literal", False),
            ),
            cancel,
        )
        rows = [
            f"{file.file}:{match.line_number}: {match.content}" for file in found for match in file.matches
        ]
        return "\n".join(rows + ([_first(len(rows), "matches")] if more else [])) or "No line matches."

    def count_lines(given: Mapping[str, Any], cancel: Cancel) -> str:
        return _counted(files, given["path"], _contained(files, given.get("glob", "")), cancel)

    return (
        (SEARCH_FILES, search_files),
        (READ_FILE, read_file),
        (SEARCH_TEXT, search_text),
        (COUNT_LINES, count_lines),
    )


def _contained(files: ToolFiles, globs: str) -> str:
    """The globs without `./` before them, and relative where they begin with the root. Raises PathRefused for one that
    would lead out: it would choose nothing, which reads as if there were nothing."""
    made: list[str] = []
    for each in filter(None, (glob.strip() for glob in globs.split(","))):
        sign, glob = ("!", each[1:]) if each.startswith("!") else ("", each)
        prefix = f"{files.root.path}/"
        glob = glob.removeprefix(prefix).removeprefix("./")
        if ".." in glob.split("/"):
            files.path(glob.split("*")[0].rstrip("/") or ".")
        made.append(sign + glob)
    return ",".join(made)


def _rows(found: Iterator[str], noun: str) -> str:
    rows = [*islice(found, MAX_RESULTS + 1)]
    if len(rows) > MAX_RESULTS:
        rows[MAX_RESULTS:] = [_first(MAX_RESULTS, noun)]
    return "\n".join(rows) or f"No {noun}."


def _first(count: int, noun: str) -> str:
    return f"[TRUNCATED: first {count} {noun}; narrow the pattern]"


def _numbered(text: FileText, offset: int, limit: int | None) -> str:
    lines = text.lines[offset - 1 : None if limit is None else offset - 1 + limit]
    rows = [f"{number}\t{line}" for number, line in enumerate(lines, offset)]
    last = offset - 1 + len(lines)
    if last < len(text.lines):
        rows.append(f"[lines {offset}-{last} of {len(text.lines)}]")
    if text.left_out:
        rows.append(f"[TRUNCATED: {text.left_out} more bytes]")
    if not rows:
        return f"[no line {offset}: the file has {len(text.lines)}]" if text.lines else "[the file is empty]"
    return "\n".join(rows)


def _counted(files: ToolFiles, given: str, globs: str, cancel: Cancel) -> str:
    path = files.path(given)
    if not files.is_folder(path):
        text = files.text(given)
        return f"{len(text.lines)} lines" + (f" in the first {MAX_FILE_SIZE} bytes" if text.left_out else "")
    prefix = "" if path == "." else f"{path}/"
    inside = [name for name in files.listed(globs, cancel) if name.startswith(prefix)]
    if not inside:
        raise FileMissing(f"No file of {given!r} is chosen.", path=path, suggestions=[])
    total = sum(_lines_of(files, name) for name in inside)
    return f"{total} lines in {len(inside)} files"


def _lines_of(files: ToolFiles, name: str) -> int:
    """Lines of one file, counted in its bytes: what is no text has none of interest, and is counted all the same."""
    with os.fdopen(files.root.open_read(name), "rb") as file:
        last, lines = b"\n", 0
        while piece := file.read(1 << 20):
            lines += piece.count(b"\n")
            last = piece[-1:]
        return lines + (last != b"\n")
