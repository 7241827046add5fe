"""Edits in notations of their own: JSON as tools are called with, tags, SEARCH/REPLACE blocks, and patches between
`*** Begin Patch` and `*** End Patch`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from services.decoding import decode
from services.edits.paste.forms.pieces import (
    CodePiece,
    FilePiece,
    PastedHunk,
    PathHint,
    Piece,
    SignedLine,
    WholeChange,
    replacing,
    unnumbered,
)
from services.errors import UsageError

_SEARCH = re.compile(r"(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL|BEFORE)>?\s*")
_PLACE = re.compile(r":(?:start|end)_line: ?\d+")
_DASHES = re.compile(r"-{5,9}")
_MIDDLE = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r"(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED|AFTER)>?\s*")
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_FILE = re.compile(r"\*\*\* (Update|Add|Delete) File: *(.+)")
_MOVE = re.compile(r"\*\*\* Move (?:to|file to): *(.+)")
_END_OF_FILE = "*** End of File"
_CHANGES = {"Update": WholeChange.EDIT, "Add": WholeChange.CREATE, "Delete": WholeChange.DELETE}


def has_blocks(lines: Sequence[str]) -> bool:
    """Whether a SEARCH block begins in it."""
    return any(_SEARCH.fullmatch(line.strip()) for line in lines)


def has_patch(lines: Sequence[str]) -> bool:
    """Whether files of such a patch are named in it."""
    return any(line.strip() == _BEGIN or _FILE.fullmatch(line.rstrip()) for line in lines)


def block_pieces(lines: Sequence[str], first: int) -> list[tuple[int, PastedHunk]]:
    """The SEARCH/REPLACE blocks, each with the index of its first line. Raises UsageError for one that does not end, or
    that has several lines that may part it."""
    found: list[tuple[int, PastedHunk]] = []
    begun: int | None = None
    middles: list[int] = []
    for at, line in enumerate(lines):
        bare = line.strip()
        if _SEARCH.fullmatch(bare):
            if begun is not None:
                raise _unended(first + begun)
            begun, middles = at, []
        elif begun is not None and _MIDDLE.fullmatch(bare):
            middles.append(at)
        elif begun is not None and _REPLACE.fullmatch(bare):
            if len(middles) != 1:
                raise UsageError(
                    f"The SEARCH/REPLACE block at line {first + begun} of the answer has {len(middles)} lines of equal "
                    "signs: where its two parts meet is not certain.",
                    line=first + begun,
                )
            search = unnumbered(_without_place(lines[begun + 1 : middles[0]]))
            replace = unnumbered(lines[middles[0] + 1 : at])
            found.append((begun, replacing(search, replace, first + begun)))
            begun = None
    if begun is not None:
        raise _unended(first + begun)
    return found


def _without_place(lines: Sequence[str]) -> Sequence[str]:
    """The lines without `:start_line:12` and the dashes below it: only their text decides where they belong."""
    start = next((at for at, line in enumerate(lines) if not _PLACE.fullmatch(line.strip())), len(lines))
    if start and start < len(lines) and _DASHES.fullmatch(lines[start].strip()):
        start += 1
    return lines[start:]


def _unended(line: int) -> UsageError:
    return UsageError(f"The SEARCH/REPLACE block at line {line} of the answer does not end.", line=line)


def patch_pieces(lines: Sequence[str], first: int) -> list[FilePiece]:
    """The files of a patch. Raises UsageError where it is cut off."""
    if any(line.strip() == _BEGIN for line in lines) and not any(line.strip() == _END for line in lines):
        raise UsageError(
            f"The patch at line {first} of the answer does not end with `{_END}`: it was cut off."
        )
    starts = [at for at, line in enumerate(lines) if _FILE.fullmatch(line.rstrip())]
    pieces = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        body = lines[start + 1 : end]
        stop = next((at for at, line in enumerate(body) if line.strip() == _END), len(body))
        pieces.append(_file(lines[start].rstrip(), body[:stop], first + start))
    return [piece for piece in pieces if piece.hunks or piece.change is not WholeChange.EDIT]


def _file(head: str, body: Sequence[str], line: int) -> FilePiece:
    match = _FILE.fullmatch(head)
    assert match is not None
    change, hint = _CHANGES[match[1]], PathHint((match[2].strip(),), certain=True)
    if change is WholeChange.CREATE:
        ops = tuple(SignedLine("+", text.removeprefix("+")) for text in _without_end(body))
        return FilePiece(hint, line, change, (PastedHunk(ops, line + 1),))
    move = _MOVE.fullmatch(body[0].rstrip()) if body else None
    hunks = tuple(_hunks(body[1:] if move else body, line + (2 if move else 1)))
    if move is not None:
        return FilePiece(hint, line, WholeChange.RENAME, hunks, move[1].strip())
    return FilePiece(hint, line, change, hunks)


def _hunks(body: Sequence[str], line: int) -> list[PastedHunk]:
    """Parted by `@@` lines, of which several in a row lead from the outside to the inside."""
    hunks: list[PastedHunk] = []
    ops: list[SignedLine] = []
    headings: list[str] = []
    begun, at_end = line, False

    def close() -> None:
        nonlocal ops, headings, at_end
        while ops and ops[-1] == SignedLine(" ", "") and not at_end:
            ops.pop()
        if ops:
            hunks.append(PastedHunk(tuple(ops), begun, None, tuple(headings), at_end))
            headings = []
        ops, at_end = [], False

    for number, text in enumerate(body, line):
        if text.startswith("@@"):
            close()
            begun = number
            if heading := text.strip("@ ").strip():
                headings.append(heading)
        elif text.rstrip() == _END_OF_FILE:
            at_end = True
        elif text[:1] in ("+", "-", " "):
            ops.append(SignedLine(text[0], text[1:]))
        else:
            ops.append(SignedLine(" ", text))
    close()
    return hunks


def _without_end(body: Sequence[str]) -> list[str]:
    lines = [line for line in body if line.rstrip() != _END_OF_FILE]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


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
