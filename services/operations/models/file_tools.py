"""Tools of the simple agent (003), over the files of the workspace, and the names in its prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from services.errors import PatternInvalid, UsageError, quoted
from services.llm.tool_files import FileSearch
from services.operations.edits.consent import call
from services.operations.operation import Work, by_name

if TYPE_CHECKING:
    from services.bench import Bench


class Request(NamedTuple):
    """Request to a tool of the simple agent; lines are 1-based and inclusive."""

    prompt: str
    path: str = ""
    start: int | None = None
    end: int | None = None
    pattern: str = ""
    old: str = ""
    new: str | None = None


_LINES = re.compile(
    r"\blines?\s+(\d+)(?:\s*(?:-|–|to|through)\s*(\d+))?|:(\d+)(?:-(\d+))?(?=\s|$)", re.IGNORECASE
)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`", re.DOTALL)
_IN = re.compile(r"\b(?:in|of|under|below|from|inside|within)\s+[\"'`]?(?P<path>[^\s\"'`,;]+)", re.IGNORECASE)
_FOR = re.compile(
    r"\b(?:for|search|find|grep)\s+(?P<words>.+?)(?:\s+(?:in|under|below|inside|within)\s|$)", re.IGNORECASE
)
_REPLACE = re.compile(r"\breplace\b(?P<old>.*?)\b(?:with|by)\b(?P<new>.*)", re.IGNORECASE | re.DOTALL)
_FILLING = {
    "the",
    "file",
    "files",
    "folder",
    "directory",
    "text",
    "string",
    "regex",
    "pattern",
    "all",
    "for",
    "please",
}


def completed(tool: str, request: Request) -> Request:
    """Complete a request with the arguments found in its prompt. Raises UsageError where a required one is in
    neither."""
    match tool:
        case "read":
            return _to_read(request)
        case "list":
            return request._replace(
                path=request.path or _place(request.prompt, verbs=("list", "ls", "show")) or "."
            )
        case "search":
            return _to_search(request)
        case _:
            return _to_replace(request)


def _to_read(request: Request) -> Request:
    start, end = request.start, request.end
    if start is None and end is None and (found := _LINES.search(request.prompt)):
        first, last = found[1] or found[3], found[2] or found[4]
        start, end = int(first), int(last or first)
    path = request.path or _file(request.prompt)
    if not path:
        raise UsageError("The prompt names no file to read. Name one, or give path.")
    return request._replace(path=path, start=start, end=end)


def _to_search(request: Request) -> Request:
    pattern = request.pattern or _first_quoted(request.prompt)
    if not pattern and (found := _FOR.search(request.prompt)):
        words = [word for word in found["words"].split() if word.lower() not in _FILLING]
        pattern = " ".join(words).strip(".?!")
    if not pattern:
        raise UsageError("The prompt does not say what to search for. Put it in quotes, or give pattern.")
    rest = _QUOTED.sub(" ", request.prompt) if not request.pattern else request.prompt
    inside = _IN.findall(rest)
    path = request.path or next((each for each in reversed(inside) if each.lower() not in _FILLING), "")
    return request._replace(pattern=pattern, path=path.rstrip(".?!") if path not in (".", "./") else path)


def _to_replace(request: Request) -> Request:
    old, new, path = request.old, request.new, request.path
    if not old and (found := _REPLACE.search(request.prompt)):
        old = _first_quoted(found["old"])
        new = _first_quoted(found["new"]) if new is None else new
    if not path:
        rest = _QUOTED.sub(" ", request.prompt)
        path = next((each for each in _IN.findall(rest)), "") or _file(rest)
    if not path:
        raise UsageError("The prompt names no file to change. Name one, or give path.")
    if not old:
        raise UsageError("The prompt does not say what to replace. Put it in quotes, or give oldString.")
    if new is None:
        raise UsageError(
            "The prompt does not say what comes in its place. Put it in quotes, or give newString."
        )
    return request._replace(path=path.rstrip(".,;?!"), old=old, new=new)


def _first_quoted(text: str) -> str:
    found = _QUOTED.search(text)
    if found is None:
        return ""
    inner = next(group for group in found.groups() if group is not None)
    return re.sub(r"\\([\"'\\])", r"\1", inner)


def _file(prompt: str) -> str:
    """The first word that looks like a file's name: with a dot in it, or a slash."""
    quoted = next((text for text in map(_inner, _QUOTED.finditer(prompt)) if _is_path(text)), "")
    if quoted:
        return quoted
    words = (word.partition(":")[0].rstrip(".,;?!") for word in prompt.split())
    return next(filter(_is_path, words), "")


def _inner(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group is not None), "")


def _is_path(word: str) -> bool:
    return (
        bool(word)
        and not any(sign.isspace() for sign in word)
        and ("/" in word or re.fullmatch(r"[\w+@-]*\.?[\w.+@-]+\.[A-Za-z]\w{0,9}", word) is not None)
    )


def _place(prompt: str, verbs: tuple[str, ...]) -> str:
    """A folder or glob: behind `in` and its kin, in quotes, or the word that is none of the language."""
    if quoted := _first_quoted(prompt):
        return quoted
    if found := _IN.findall(prompt):
        chosen = [each for each in found if each.lower() not in _FILLING]
        if chosen:
            return chosen[-1].rstrip(",;?!") if chosen[-1] != "." else "."
    words = [
        word for word in prompt.split() if any(sign in word for sign in "/*.") and word.lower() not in verbs
    ]
    return words[0].rstrip(",;?!") if words else ""


MOST_LINES, MOST_ITEMS, MOST_MATCHES = 500, 200, 100


class ToolOutcome(NamedTuple):
    """Outcome of a tool: a message, and its data."""

    message: str
    data: str = ""


def read(bench: Bench, request: Request, _: Work) -> ToolOutcome:
    """A file, or lines of it. Raises UsageError, FileMissing, NotText, PathRefused."""
    text = bench.asking.files().text(request.path)
    count = len(text.lines)
    if not count:
        return ToolOutcome(f"Read {request.path} (empty file: 0 lines)", "empty file: 0 lines")
    start, end = request.start or 1, min(request.end or count, count)
    if start > count or (request.end is not None and request.end < start):
        raise UsageError(
            f"{request.path} has {count} lines; {start} to {request.end or count} are none of them."
        )
    last = min(end, start + MOST_LINES - 1)
    data = "\n".join(text.lines[start - 1 : last])
    message = f"Read {request.path} (lines {start}-{last} of {count} total)"
    if last < end:
        cut = f"[TRUNCATED: showing first {last - start + 1} lines, {end - last} more available]"
        return ToolOutcome(f"{message} {cut}", f"{data}\n{cut}")
    return ToolOutcome(message, data)


def list_(bench: Bench, request: Request, work: Work) -> ToolOutcome:
    """A folder, or what a glob chooses. Raises PathRefused, FileMissing."""
    files = bench.asking.files()
    if any(sign in request.path for sign in "*?[{"):
        if request.path.startswith("/") or ".." in request.path.split("/"):
            files.path(request.path.split("*")[0].rstrip("/") or "..")
        found = files.listed(request.path, work.cancel)
    else:
        path = files.path(request.path)
        if not files.is_folder(path):
            files.root.stat(path)
            return ToolOutcome("Listed 1 items", path)
        prefix = "" if path == "." else f"{path}/"
        below = (
            each.removeprefix(prefix) for each in files.listed("", work.cancel) if each.startswith(prefix)
        )
        found = iter(dict.fromkeys(f"{each.partition('/')[0]}{'/' if '/' in each else ''}" for each in below))
    items = [*islice(found, MOST_ITEMS + 1)]
    cut = f"[TRUNCATED: first {MOST_ITEMS} items]" if len(items) > MOST_ITEMS else ""
    items = items[:MOST_ITEMS]
    return _told(f"Listed {len(items)} items", items, cut)


def search(bench: Bench, request: Request, work: Work) -> ToolOutcome:
    """Lines that match an expression, or hold the text where it is none. Raises PathRefused, FileMissing."""
    files = bench.asking.files()
    globs = ""
    if request.path and request.path not in (".", "./"):
        if any(sign in request.path for sign in "*?["):
            globs = request.path
        else:
            path = files.path(request.path)
            if not files.is_folder(path):
                files.root.stat(path)
            globs = "" if path == "." else f"/{path}"
    wanted = FileSearch(request.pattern, globs=globs, most=MOST_MATCHES)
    try:
        found, more = files.search(wanted, work.cancel)
    except PatternInvalid:
        found, more = files.search(
            FileSearch(request.pattern, globs=globs, most=MOST_MATCHES, literal=True), work.cancel
        )
    rows = [f"{each.file}:{match.line_number}: {match.content}" for each in found for match in each.matches]
    cut = f"[TRUNCATED: reached limit {MOST_MATCHES} before completing search]" if more else ""
    return _told(f"Found {len(rows)} matches for {quoted(request.pattern)}", rows, cut)


def replace(bench: Bench, request: Request, work: Work) -> ToolOutcome:
    """Replace the one occurrence of a text, with the token, lock and consent of any write. Raises UsageError where
    it occurs never, or more than once (counted without overlap), and as a write does."""
    path = bench.asking.files().path(request.path)
    whole = bench.sources.read(path)
    content = whole.content
    count = content.count(request.old)
    if count != 1:
        there = "is not there" if not count else f"is there {count} times"
        raise UsageError(
            f"{request.path} was not changed: oldString {there}; it has to be there exactly once."
        )
    at = content.index(request.old)
    first = content.count("\n", 0, at) + 1
    last = content.count("\n", 0, at + len(request.old)) + 1 - (request.old.endswith("\n"))
    lines = _lines(content)
    before, after = "".join(lines[: first - 1]), "".join(lines[last:])
    changed = (
        content[len(before) : at]
        + (request.new or "")
        + content[at + len(request.old) : len(content) - len(after)]
    )
    edit = {"startLine": first, "endLine": last, "content": changed}
    _write(bench, "setObjectSourceV2", {"object": path, "token": whole.token, **edit}, work)
    return ToolOutcome(f"Replaced 1 occurrence in {request.path} (line {first})", "")


def _write(bench: Bench, name: str, arguments: Mapping[str, Any], work: Work) -> None:
    """Write as any agent does, under a temporary lock."""
    operation = by_name(name)
    assert operation is not None
    path = str(arguments["object"])
    lock = bench.writing.lock(path, purpose="replace text")
    try:
        call(bench, operation, {**arguments, "lockHandle": lock.lock_handle or ""}, work)
    finally:
        bench.writing.unlock(path, lock.lock_handle or "")


def _lines(content: str) -> list[str]:
    """The lines with their endings: LF alone ends one."""
    *whole, rest = content.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def _told(message: str, rows: list[str], cut: str) -> ToolOutcome:
    return ToolOutcome(f"{message} {cut}".rstrip(), "\n".join([*rows, *([cut] if cut else [])]))


RUN: Mapping[str, Callable[..., ToolOutcome]] = {
    "read": read,
    "list": list_,
    "search": search,
    "replace": replace,
}
"""By the names of the protocol."""
