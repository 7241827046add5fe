"""Items that carry what they are in the window's own state: notes, search results, diff hunks.

A search result and a hunk are held against the files at each rendering: lines that moved are told where they are now,
lines that are no longer there are said to be gone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec.structs import replace

from services.bench.items.anchors import Anchors
from services.bench.items.identity import split_lines
from services.model import GrepAnswer, ItemState, Level
from services.prompt.items import Chosen, ItemKey, Rendered, Request
from services.prompt.render.content import grouped

_LABEL = 40
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Match(msgspec.Struct, frozen=True):
    """A line that was found, as it was."""

    file: str
    line: int
    text: str


class EmbeddedSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Embedded search result. `context`: lines to show around each match; `truncated`: there was more; `leads`: by
    file, the id of a type in it, which leads to it when it has another name."""

    pattern: str
    object: str | None = None
    context: int = 0
    truncated: bool = False
    matches: tuple[Match, ...] = ()
    leads: dict[str, str] = {}


class EmbeddedHunk(msgspec.Struct, frozen=True, kw_only=True):
    """Hunk of a file's diff, from its `@@` line on. `lead`: as in Search."""

    file: str
    diff: str
    lead: str = ""


class EmbeddedNote(msgspec.Struct, frozen=True, kw_only=True):
    """Embedded note for the model."""

    text: str


def chosen_note(text: str) -> Chosen:
    """A note as an item. The same words are the same note."""
    return Chosen(key=ItemKey("note", _short(text)), data=msgspec.to_builtins(EmbeddedNote(text=text)))


def chosen_search(answer: GrepAnswer, *, lead: Callable[[str], str], context: int = 0) -> Chosen:
    """Return a search result as an item. An equal search is an equal item, regardless of its results. `lead`: the
    id of a type in a file, empty where there is none."""
    matches = tuple(
        Match(match.file, match.line_number, match.content.rstrip("\r\n")) for match in answer.matches
    )
    search = EmbeddedSearch(
        pattern=answer.pattern,
        object=answer.object,
        context=context,
        truncated=answer.truncated,
        matches=matches,
        leads={file: id_ for file in dict.fromkeys(each.file for each in matches) if (id_ := lead(file))},
    )
    key = ItemKey("grep", _short(f"{answer.pattern}\n{answer.object or ''}"))
    return Chosen(key=key, data=msgspec.to_builtins(search))


def chosen_hunk(file: str, diff: str, *, lead: str = "") -> Chosen:
    """A hunk, from its `@@` line on, as an item. `lead`: as in Hunk. Raises ValueError for a text that is no hunk."""
    match = _HUNK.match(diff)
    if match is None:
        raise ValueError("a hunk begins with @@ -a,b +c,d @@")
    start, count = int(match[1]), int(match[2] or 1)
    key = ItemKey("hunk", f"{file}:{start}-{max(start, start + count - 1)}")
    return Chosen(key=key, data=msgspec.to_builtins(EmbeddedHunk(file=file, diff=diff, lead=lead)))


def hunks_of(diff: str) -> Iterator[tuple[int, int, str]]:
    """(first, last line of the new side, text) of each hunk of one file's diff."""
    starts = [match.start() for match in _HUNK.finditer(diff)]
    for at, end in pairwise([*starts, len(diff)]):
        match = _HUNK.match(diff[at:end])
        if match is not None:
            start, count = int(match[1]), int(match[2] or 1)
            yield start, max(start, start + count - 1), diff[at:end]


class EmbeddedItems:
    """Renders items that carry their own data; None for data of another form than this version writes."""

    def __init__(self, anchors: Anchors) -> None:
        self._anchors = anchors
        self._renderers: dict[str, Callable[[Request], Rendered | None]] = {
            "note": self._note,
            "grep": self._search,
            "hunk": self._hunk,
        }

    def files_of(self, request: Request) -> tuple[str, ...]:
        """The files that an item was found in."""
        return tuple(self._leads(request))

    def leads_of(self, request: Request) -> tuple[str, ...]:
        """The ids of the types that lead to those files when they have other names."""
        return tuple(filter(None, self._leads(request).values()))

    def _leads(self, request: Request) -> dict[str, str]:
        """Map each file to the id of a type in it; empty for none."""
        if request.key.kind == "grep":
            search = _data(request, EmbeddedSearch)
            if search is None:
                return {}
            return {match.file: search.leads.get(match.file, "") for match in search.matches}
        hunk = _data(request, EmbeddedHunk) if request.key.kind == "hunk" else None
        return {hunk.file: hunk.lead} if hunk is not None else {}

    def _name_now(self, file: str, lead: str) -> str:
        """The file itself or, where it is gone, the one that declares the type which was in it."""
        if not lead or self._anchors.text_lines(file) is not None:
            return file
        found = self._anchors.found(lead)
        return self._anchors.lines_of(found)[0] if found is not None else file

    def render(self, request: Request, version: str) -> Rendered | None:
        """The item as it is now."""
        rendered = self._renderers[request.key.kind](request)
        return None if rendered is None else replace(rendered, version=version)

    def _note(self, request: Request) -> Rendered | None:
        note = _data(request, EmbeddedNote)
        if note is None:
            return None
        first = next((line.strip() for line in note.text.splitlines() if line.strip()), "")
        return Rendered(
            label=first or "note", label_room=_LABEL, text=_ended(note.text), version="", language="text"
        )

    def _search(self, request: Request) -> Rendered | None:
        search = _data(request, EmbeddedSearch)
        if search is None:
            return None
        now = {file: self._name_now(file, lead) for file, lead in self._leads(request).items()}
        matches = [msgspec.structs.replace(match, file=now[match.file]) for match in search.matches]
        finds = [find for file, its in _by_file(matches) for find in self._finds(file, its)]
        there = [find for find in finds if find.line]
        moved = sum(find.line != find.match.line for find in there)
        gone = len(finds) - len(there)
        files = len(now)
        where = f" in {search.object}" if search.object else ""
        more = ", and there were more" if search.truncated else ""
        head = f"{_count(len(finds), 'match', 'matches')} in {_count(files, 'file', 'files')}{more}"
        text = {
            Level.SIGNATURE: f"{search.pattern}{where}: {head}\n",
            Level.OUTLINE: _by_file_text(finds),
            Level.WHOLE: self._matches_text(there, search.context),
        }[request.level]
        said = [f"{file} is {name} now." for file, name in now.items() if name != file]
        state = ItemState.MOVED if moved or said else ItemState.FRESH
        said += [f"{grouped(moved)} of the lines moved."] if moved else []
        said += [f"{grouped(gone)} of {grouped(len(finds))} lines found are no longer there."] if gone else []
        state = ItemState.BODY_CHANGED if gone else state
        return Rendered(
            label=f"/{search.pattern}/{where}",
            text=text or f"{head}\n",
            version="",
            detail=head,
            language="text",
            state=state,
            state_detail=" ".join(said),
            changed=bool(gone),
        )

    def _finds(self, file: str, matches: Sequence[Match]) -> Iterator[_Located]:
        lines = self._anchors.text_lines(file) or []
        for match in matches:
            if 0 < match.line <= len(lines) and lines[match.line - 1] == match.text:
                yield _Located(match, match.line)
            else:
                same = [n for n, line in enumerate(lines, 1) if line == match.text]
                yield _Located(match, min(same, key=lambda n: abs(n - match.line), default=0))

    def _matches_text(self, finds: Sequence[_Located], context: int) -> str:
        """Lines of each file under its name, those that match marked with `:`, those around them with `-`."""
        parts = []
        for file in dict.fromkeys(find.match.file for find in finds):
            hits = {find.line for find in finds if find.match.file == file}
            lines = self._anchors.text_lines(file) or []
            shown = sorted({n for hit in hits for n in range(hit - context, hit + context + 1)})
            rows = [f"{n}{':' if n in hits else '-'} {lines[n - 1]}\n" for n in shown if 0 < n <= len(lines)]
            parts.append(f"{file}\n{''.join(rows)}")
        return "\n".join(parts)

    def _hunk(self, request: Request) -> Rendered | None:
        hunk = _data(request, EmbeddedHunk)
        match = _HUNK.match(hunk.diff) if hunk is not None else None
        if hunk is None or match is None:
            return None
        body = split_lines(hunk.diff)[1:]
        there = [line[1:] for line in body if line[:1] in ("+", " ")]
        start = int(match[1])
        file = self._name_now(hunk.file, hunk.lead)
        lines = self._anchors.text_lines(file) or []
        at = _nearest(lines, there, start - 1)
        added, removed = (sum(line.startswith(sign) for line in body) for sign in "+-")
        counts = f"+{added} -{removed}"
        said = [f"{hunk.file} is {file} now."] if file != hunk.file else []
        if at is None:
            said = ["The file no longer holds the lines of this hunk."]
        elif at != start - 1 and there:
            said.append(f"These lines moved from line {start} to {at + 1}.")
        state = ItemState.BODY_CHANGED if at is None else ItemState.MOVED if said else ItemState.FRESH
        first = start if at is None else at + 1
        last = first + max(0, len(there) - 1)
        brief = f"{file}:{first}-{last} {counts}\n"
        return Rendered(
            label=f"{file}:{first}-{last}",
            text=brief if request.level is Level.SIGNATURE else f"--- {file}\n{_ended(hunk.diff)}",
            version="",
            detail=counts,
            language="diff",
            file=file,
            start_line=first,
            end_line=last,
            state=state,
            state_detail=" ".join(said),
            changed=at is None,
        )


class _Located(msgspec.Struct, frozen=True):
    """A match and the line it is at now; 0 for gone."""

    match: Match
    line: int


def _data(request: Request, form: Any) -> Any:
    try:
        return msgspec.convert(request.data, form)
    except msgspec.ValidationError:
        return None


def _by_file(matches: Sequence[Match]) -> list[tuple[str, list[Match]]]:
    files: dict[str, list[Match]] = {}
    for match in matches:
        files.setdefault(match.file, []).append(match)
    return list(files.items())


def _by_file_text(finds: Sequence[_Located]) -> str:
    counts: dict[str, list[int]] = {}
    for find in finds:
        counts.setdefault(find.match.file, []).append(find.line or find.match.line)
    return "".join(f"{file}: lines {', '.join(map(str, lines))}\n" for file, lines in counts.items())


def _nearest(lines: Sequence[str], block: Sequence[str], near: int) -> int | None:
    """Return the start of `block` in `lines`, 0-based; of several the closest to the given line."""
    if not block:
        return near
    starts = [
        at
        for at, line in enumerate(lines)
        if line == block[0] and list(lines[at : at + len(block)]) == list(block)
    ]
    return min(starts, key=lambda at: abs(at - near), default=None)


def _count(number: int, one: str, many: str) -> str:
    return f"{grouped(number)} {one if number == 1 else many}"


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8].upper()
