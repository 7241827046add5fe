"""Edits as values: in JSON, as tools are called with, and between tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from services.decoding import decode
from services.edits.paste.forms.pieces import CodePiece, FilePiece, PathHint, Piece, WholeChange, replacing
from services.errors import UsageError

_PATHS = ("path", "file_path", "filePath", "file", "filename", "target_file")
_OLD = (
    "old_string",
    "old_str",
    "oldString",
    "old_text",
    "oldText",
    "search",
    "find",
    "old",
    "before",
    "original",
)
_NEW = (
    "new_string",
    "new_str",
    "newString",
    "new_text",
    "newText",
    "replace",
    "replacement",
    "new",
    "after",
    "updated",
)
_WHOLE = ("content", "contents", "file_text", "new_content")
_LISTS = ("edits", "changes", "replacements", "files", "diffs")
_DEEPEST = 4
"""Lists of edits within one another."""


def has_tags(lines: Sequence[str]) -> bool:
    """Whether edits between tags begin in it."""
    return any(_OPENING.match(line) for line in lines) and any(_PATH_TAG.search(line) for line in lines)


def tagged_pieces(lines: Sequence[str], first: int) -> list[Piece]:
    """The edits between tags: each is of the file that was named last. Raises UsageError for tags that do not pair."""
    found: list[Piece] = []
    path, old = "", None
    at = 0
    while at < len(lines):
        if named := _PATH_TAG.search(lines[at]):
            path = (named["attribute"] or named["element"]).strip()
        opening = _OPENING.match(lines[at])
        if opening is None:
            at += 1
            continue
        tag, end = opening["tag"], _end_of(lines, at, opening["tag"], first)
        content = _content("\n".join(lines[at : end + 1])[opening.end() :], tag)
        if tag in _WHOLE:
            found.append(CodePiece(PathHint((path,), certain=bool(path)), first + at, content))
        elif tag in _OLD:
            old = content
        elif old is not None:
            found.append(_edit(path, old, content, first + at))
            old = None
        at = end + 1
    if old is not None:
        raise UsageError(
            "An edit between tags has text to find and none to put there: it was cut off.", line=first
        )
    return found


def listed_pieces(lines: Sequence[str], first: int) -> list[Piece]:
    """The edits that JSON lists, as one value or as one on each line; none where it is no JSON, or lists none."""
    text = "\n".join(lines).strip()
    if not text.startswith(("{", "[")):
        return []
    values = _values(text)
    return [*(piece for value in values for piece in _of_value(value, "", first, _DEEPEST))]


def _values(text: str) -> list[Any]:
    for values in ([text], [line for line in text.split("\n") if line.strip()]):
        with suppress(msgspec.DecodeError):
            return [decode(object, value) for value in values]
    return []


def _of_value(value: object, path: str, line: int, depth: int) -> Iterator[Piece]:
    if isinstance(value, list):
        for each in value if depth else ():  # pyright: ignore[reportUnknownVariableType]
            yield from _of_value(each, path, line, depth - 1)  # pyright: ignore[reportUnknownArgumentType]
    if not isinstance(value, dict):
        return
    given: Mapping[str, object] = value  # pyright: ignore[reportUnknownVariableType]
    path = _text(given, _PATHS) or path
    old, new, whole = _text(given, _OLD), _text(given, _NEW), _text(given, _WHOLE)
    if path and old is not None and new is not None:
        yield _edit(path, _lines(old), _lines(new), line)
    elif path and whole is not None:
        yield CodePiece(PathHint((path,), certain=True), line, _lines(whole))
    for name in (*_LISTS, "input", "arguments"):
        yield from _of_value(given.get(name), path, line, depth)


def _text(value: Mapping[str, object], names: Sequence[str]) -> str | None:
    found = next((value[name] for name in names if isinstance(value.get(name), str)), None)
    return found if isinstance(found, str) else None


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))


def _edit(path: str, old: tuple[str, ...], new: tuple[str, ...], line: int) -> FilePiece:
    hint = PathHint((path,), certain=True) if path else PathHint()
    change = WholeChange.EDIT if any(text.strip() for text in old) else WholeChange.CREATE
    return FilePiece(hint, line, change, (replacing(old if change is WholeChange.EDIT else (), new, line),))


def _end_of(lines: Sequence[str], at: int, tag: str, first: int) -> int:
    """The line that closes a tag; no other may before the next edit begins."""
    closing = re.compile(rf"</{tag}>(?:\s*</[\w-]+>)*\s*\Z")
    for end in range(at, len(lines)):
        if closing.search(lines[end]):
            return end
        if end > at and (again := _OPENING.match(lines[end])) is not None and again["tag"] == tag:
            break
    raise UsageError(f"The <{tag}> at line {first + at} of the answer does not end.", line=first + at)


def _content(text: str, tag: str) -> tuple[str, ...]:
    text = text[: text.rindex(f"</{tag}>")]
    if text.strip().startswith("<![CDATA[") and text.strip().endswith("]]>"):
        text = text.strip().removeprefix("<![CDATA[").removesuffix("]]>")
    return _lines(text.removeprefix("\n"))


_TAGS = "|".join((*_OLD, *_NEW, *_WHOLE))
_OPENING = re.compile(
    rf"[ \t]*(?:<(?!(?:{_TAGS})>)[\w-]+(?:\s[^<>]*)?>(?:[^<>]*</[\w-]+>)?[ \t]*)*<(?P<tag>{_TAGS})>"
)
_PATH_TAG = re.compile(
    rf"<(?P<name>{'|'.join(_PATHS)})>(?P<element>[^<>]+)</(?P=name)>"
    r"|^\s*<\w+\b[^<>]*?\s(?:path|file|filename|name)=[\"'](?P<attribute>[^\"'<>]+)[\"']"
)
