"""Checker of the citations in an answer: each path with lines is looked up in the workspace, and missing ones are
flagged."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from services.model.copies import Citation
from services.workspace.source_kinds import is_source

_PLACE = re.compile(
    r"(?<![\w/.@:-])(?P<path>(?:[\w.+-]+/)*[\w+-][\w.+-]*\.[A-Za-z][A-Za-z0-9]{0,9})"
    r"(?:(?::|#L|, lines? |\s\(lines? )(?P<start>\d{1,7})(?:(?:-|–|-L| to )(?P<end>\d{1,7}))?)?(?![\w/])"
)
_SYMBOL = re.compile(
    r"`(?P<path>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:<[\w, ]+>)?(?:\([^`()]*\))?|T_[0-9A-Z]{8,}(?:_[0-9A-Z]{6,})?)`"
)
_BARE = re.compile(
    r"(?<![\w`./@<-])(?P<path>[A-Z]\w*(?:<[\w, ]+>)?(?:\.[A-Z]\w*)+"
    r"|[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|I[A-Z][a-z]\w+)"
    r"(?![\w`/@])(?!\.[a-z])"
)
"""A name in prose that can hardly be anything else: dotted, or of several humps."""
_QUOTED = re.compile(r"`[^`\n]+`")
_MOST = 400


Lines = Callable[[str], int | None]
"""How many lines a file of the workspace has; None where there is no such file that may be shown."""
Symbols = Callable[[str], str | None]
"""The id of the symbol that a path surely names; empty where it names several, or something outside of the workspace;
None where nothing is known by it."""


def citations(answer: str, lines: Lines, symbols: Symbols) -> list[Citation]:
    """The places that an answer names, in its order: files with or without lines, and symbols, between back-ticks or in
    prose. A name that nothing is known by is one that leads nowhere, where it can hardly be anything but a symbol."""
    files = [*_files(answer, lines)]
    taken = sorted([(each.start, each.end) for each in files] + [m.span() for m in _QUOTED.finditer(answer)])
    found = [*files, *_symbols(answer, symbols, _SYMBOL), *_symbols(answer, symbols, _BARE, beside=taken)]
    return sorted(found, key=lambda each: each.start)[:_MOST]


def _files(answer: str, lines: Lines) -> Iterator[Citation]:
    known: dict[str, int | None] = {}
    for match in _PLACE.finditer(answer):
        path, first, last = match["path"], match["start"], match["end"]
        if len(known) > _MOST:
            return
        if path not in known:
            known[path] = lines(path)
        count = known[path]
        if count is None and (first is None or not _is_written_as_place(path)):
            continue  # a name with a dot in it; only what is written as a place is held to be one
        start, end = int(first or 1), int(last or first or 1)
        target = path if first is None else f"{path}:{start}" + (f"-{end}" if last else "")
        problem = _problem(path, count, start, end)
        yield Citation(
            text=match[0],
            start=match.start(),
            end=match.end(),
            target="" if problem else target,
            problem=problem,
        )


def _is_written_as_place(path: str) -> bool:
    """Whether a path with a number behind it can only be of a file: `localhost.localdomain:8080` is none."""
    return "/" in path or is_source(path)


def _problem(path: str, count: int | None, start: int, end: int) -> str:
    if count is None:
        return f"There is no file {path}."
    if start < 1 or end < start:
        return f"Lines {start} to {end} are none."
    return f"{path} has {count} lines." if end > max(count, 1) else ""


def _symbols(
    answer: str, symbols: Symbols, names: re.Pattern[str], *, beside: Sequence[tuple[int, int]] = ()
) -> Iterator[Citation]:
    """Yield the symbols that `names` finds, each outside the ranges `beside`, which are sorted."""
    known: dict[str, str | None] = {}
    for match in names.finditer(answer):
        path = match["path"]
        before = bisect_right(beside, (match.start(), len(answer))) - 1
        if before >= 0 and match.start() < beside[before][1]:
            continue
        if len(known) > _MOST:
            return
        if path not in known:
            known[path] = symbols(path)
        target, problem = known[path], ""
        if target is None and (_is_surely_name(path) if names is _SYMBOL else _is_of_known(path, symbols)):
            problem = f"The index has no {path}."
        if target or problem:
            start, end = match.span("path")
            yield Citation(text=path, start=start, end=end, target=target or "", problem=problem)


def _is_surely_name(path: str) -> bool:
    """Whether a text between back-ticks is the name of a type or member, and not a word or a local variable."""
    bare = re.split(r"[<(]", path)[0]
    return path[0].isupper() and len(re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]+", bare)) > 1


def _is_of_known(path: str, symbols: Symbols) -> bool:
    """Whether a dotted name in prose is a member of something known."""
    owner = path.rpartition(".")[0]
    return bool(owner and symbols(owner))


class CitationLink(NamedTuple):
    """Range of an answer, in characters, and the Markdown that replaces it."""

    start: int
    end: int
    text: str


def links(answer: str, found: list[Citation], address: Callable[[str], str]) -> Iterator[CitationLink]:
    """Each place that is there as a Markdown link, and each that is not followed by a sign. Places in fenced code stay
    as they are: a link would be text there."""
    fences = _fences(answer)
    done = 0
    for each in found:
        if each.start < done or any(start <= each.start < end for start, end in fences):
            continue
        start, end = each.start, each.end
        if answer[start - 1 : start] == "`" == answer[end : end + 1]:
            start, end = start - 1, end + 1
        shown = answer[start:end]
        if _is_link(answer, start, end):
            continue
        yield CitationLink(start, end, f"[{shown}]({address(each.target)})" if each.target else f"{shown} ✗")
        done = end


def _is_link(answer: str, start: int, end: int) -> bool:
    return (
        answer[start - 1 : start] in ("[", "(")
        and answer[end : end + 1] in ("]", ")")
        and "](" in answer[max(0, start - 2) : end + 3]
    )


def _fences(answer: str) -> list[tuple[int, int]]:
    marks = [found.start() for found in re.finditer(r"^ {0,3}(?:```|~~~)", answer, re.MULTILINE)]
    pairs = zip(marks[::2], [*marks[1::2], len(answer)], strict=False)
    return list(pairs)
