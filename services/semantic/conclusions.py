"""Conclusions of investigations, stored with their evidence, and checked for changed lines (SPEC section 15)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from services.errors import NoteInvalid, WorkspaceError
from services.model.base import Value
from services.model.window import EvidencePlace
from services.semantic.store import Current
from services.semantic.text import provider_of, provider_text, who_wrote
from services.semantic.values import Provider
from services.workspace.state import StateFolder

FOLDER = "semantic/conclusions"
_TITLE = "# Conclusion: "
_LONGEST_TITLE = 200
_SECTIONS = ("QUESTION", "CONCLUSION", "EVIDENCE", "LEFT OUT")
_LABEL = re.compile(rf"^(?P<label>{'|'.join(_SECTIONS)}):$")
_ESCAPED = re.compile(rf"^ +(?:{'|'.join(_SECTIONS)}):$")
_PLACE = re.compile(
    r"^- (?P<file>.+):(?P<start>\d+)-(?P<end>\d+) (?P<token>\S+) (?P<digest>[0-9a-f]+)(?: (?P<path>.+))?$"
)
_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")


class StoredConclusion(Value, kw_only=True, frozen=True):
    """Stored conclusion. `id`: of the operation that produced it; `types`: ids of those that the evidence is in;
    `left_out`: why other named locations are no evidence."""

    id: str
    question: str
    answer: str
    types: tuple[str, ...]
    places: tuple[EvidencePlace, ...]
    provider: Provider
    left_out: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The first line of the question."""
        return self.question.strip().partition("\n")[0][:_LONGEST_TITLE]


class FileNow(NamedTuple):
    """A file as it is: its version token and its lines."""

    token: str
    lines: Sequence[str]


Files = Callable[[str], FileNow | None]
"""A file as it is now; None where it is gone or may not be shown."""


def digest_of(lines: Sequence[str]) -> str:
    """Return the digest of lines, independent of line endings."""
    return sha256("\n".join(line.rstrip() for line in lines).encode()).hexdigest()[:16]


def doubts(kept: StoredConclusion, files: Files) -> tuple[str, ...]:
    """Return the reasons why a conclusion may be outdated: evidence whose lines changed. Lines that only moved
    within their file count as unchanged."""
    now = {file: files(file) for file in dict.fromkeys(each.file for each in kept.places)}
    return tuple(filter(None, (_doubt(each, now[each.file]) for each in kept.places)))


def _doubt(place: EvidencePlace, now: FileNow | None) -> str:
    if now is None:
        return f"{place.file} is gone."
    if now.token.rpartition("_")[2] == place.token.rpartition("_")[2]:
        return ""
    count = place.end_line - place.start_line + 1
    found = (digest_of(now.lines[at : at + count]) == place.digest for at in _starts(place, now.lines))
    return "" if any(found) else f"{_lines(place)} has changed."


def _lines(place: EvidencePlace) -> str:
    end = f"-{place.end_line}" if place.end_line > place.start_line else ""
    return f"{place.file}:{place.start_line}{end}"


def _starts(place: EvidencePlace, lines: Sequence[str]) -> Iterator[int]:
    """Yield the candidate start lines, from 0: the recorded one, then any."""
    yield place.start_line - 1
    yield from range(len(lines) - (place.end_line - place.start_line))


def shown(kept: StoredConclusion, reasons: Sequence[str]) -> str:
    """A conclusion as Markdown. `reasons`: why it may not hold any more."""
    rows = [f"# {kept.title}", "", f"Concluded by {who_wrote(kept.provider)}; each place was looked up."]
    if reasons:
        rows += ["", f"**It may not hold any more.** {' '.join(reasons)}"]
    rows += ["", kept.answer, "", "## Places", ""]
    for each in kept.places:
        inside = f" in `{each.path}`" if each.path else ""
        rows.append(f"- `{_lines(each)}`{inside}")
    if kept.left_out:
        rows += ["", "## Left out", "", *(f"- {each}" for each in kept.left_out)]
    return "\n".join(rows) + "\n"


def write(kept: StoredConclusion) -> str:
    """The text of a conclusion's file."""
    places = [
        f"- {each.file}:{each.start_line}-{each.end_line} {each.token} {each.digest} {each.path}".rstrip()
        for each in kept.places
    ]
    sections = (
        kept.question,
        kept.answer,
        "\n".join(places),
        "\n".join(f"- {each}" for each in kept.left_out),
    )
    lines = [f"{_TITLE}{kept.title} {kept.id}", f"Types: {','.join(kept.types)}"]
    lines += [f"Provider: {provider_text(kept.provider)}"]
    for label, text in zip(_SECTIONS, sections, strict=True):
        lines += ["", f"{label}:", *(_escaped(line) for line in text.strip().splitlines())]
    return "\n".join(lines) + "\n"


def read(text: str) -> StoredConclusion:
    """Parse the conclusion in a file. Raises NoteInvalid."""
    lines = text.splitlines()
    at = [number for number, line in enumerate(lines) if _LABEL.match(line)]
    if not lines or not lines[0].startswith(_TITLE) or [lines[each][:-1] for each in at] != [*_SECTIONS]:
        raise NoteInvalid(f"A conclusion begins with `{_TITLE.strip()}` and has {', '.join(_SECTIONS)}.")
    head = dict(line.split(": ", 1) for line in lines[1 : at[0]] if ": " in line)
    parts = [lines[start + 1 : end] for start, end in pairwise([*at, len(lines)])]
    question, answer, _, left_out = ("\n".join(map(_unescaped, part)).strip() for part in parts)
    return StoredConclusion(
        id=lines[0].rpartition(" ")[2],
        question=question,
        answer=answer,
        types=tuple(filter(None, head.get("Types", "").split(","))),
        places=tuple(_places(parts[2])),
        provider=provider_of(head.get("Provider", "")),
        left_out=tuple(each.removeprefix("- ") for each in left_out.splitlines() if each),
    )


def _places(lines: Sequence[str]) -> Iterator[EvidencePlace]:
    for match in filter(None, map(_PLACE.match, lines)):
        yield EvidencePlace(
            file=match["file"],
            start_line=int(match["start"]),
            end_line=int(match["end"]),
            token=match["token"],
            digest=match["digest"],
            path=match["path"] or "",
        )


def _escaped(line: str) -> str:
    return f" {line}" if _LABEL.match(line) or _ESCAPED.match(line) else line


def _unescaped(line: str) -> str:
    return line[1:] if _ESCAPED.match(line) else line


class ConclusionStore:
    """Store of a workspace's conclusions, a file each. Safe for several processes: files are replaced atomically."""

    def __init__(self, state: StateFolder, current: Current = lambda id_: id_) -> None:
        """`current`: the id that a type has now."""
        self._shared = state.shared
        self._current = current
        self._known: tuple[object, tuple[StoredConclusion, ...]] = (None, ())

    def put(self, kept: StoredConclusion) -> None:
        """Store a conclusion, replacing that of the same id. Raises ReadOnly."""
        self._shared.write(file_of(kept.id), write(kept).encode())

    def get(self, id_: str) -> StoredConclusion | None:
        """A conclusion; None where there is none, or its file is none."""
        if not _ID.fullmatch(id_):
            return None
        with suppress(WorkspaceError, UnicodeDecodeError, NoteInvalid):
            data = self._shared.read(file_of(id_))
            return None if data is None else read(data.decode("utf-8"))
        return None

    def all(self) -> tuple[StoredConclusion, ...]:
        """Every one, the latest last."""
        names = [name.removesuffix(".md") for name in self._shared.names(FOLDER)]
        moment = tuple((name, self.stamp(name)) for name in names)
        if moment != self._known[0]:
            self._known = (moment, tuple(filter(None, map(self.get, names))))
        return self._known[1]

    def about(self, type_id: str) -> tuple[StoredConclusion, ...]:
        """Return the conclusions with evidence in a type, also under its former names."""
        return tuple(
            each for each in self.all() if type_id in {self._current(id_) or id_ for id_ in each.types}
        )

    def remove(self, id_: str) -> bool:
        """Remove one for good; False where there is none. Raises ReadOnly."""
        return bool(_ID.fullmatch(id_)) and self._shared.remove(file_of(id_))

    def stamp(self, id_: str) -> str | None:
        """Something that differs where the file does; None where it is gone."""
        stamp = self._shared.stamp(file_of(id_))
        return None if stamp is None else f"{stamp[0]}-{stamp[1]}"


def file_of(id_: str) -> str:
    """The file of a conclusion in the state folder."""
    return f"{FOLDER}/{id_}.md"
