"""Names in a prompt of the simple agent, where its request has no field for it."""

from __future__ import annotations

import re
from typing import NamedTuple

from services.errors import UsageError


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
