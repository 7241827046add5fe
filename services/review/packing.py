"""A change with what it needs, as one text for a model: the diff, members around it, who calls them, tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from services.model import FileChange, Hunk
from services.model.review import DiffPack, Finding
from services.review.numbered import numbered
from services.review.pasted import INSTRUCTIONS
from services.review.records.markdown import fence

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class PackPiece:
    """Something that a change needs. `title`: what it is and where; `text`: code, or words about it."""

    title: str
    text: str
    code: str = ""


def packed(
    title: str,
    files: Sequence[tuple[FileChange, Sequence[Hunk]]],
    around: Iterable[PackPiece],
    *,
    budget: int,
    count: Count,
    approximate: bool = False,
    instructions: str = INSTRUCTIONS,
) -> DiffPack:
    """Return the pack within a budget of tokens: the files first, in their order, then related pieces while tokens
    remain. What did not fit is named at the end of the text; after many pieces that did not fit, the search
    ends."""
    head = f"# Change: {title}\n\n{instructions}\n## Diff\n\n"
    parts, included, left_out = [head], list[str](), list[str]()
    room = budget - count(head) - _FOR_THE_END
    for change, hunks in files:
        text = _fenced(numbered([(change, hunks)]), "diff")
        room = _taken(text, change.path, room, count, parts, included, left_out)
    opened = False
    for piece in around:
        text = f"### {piece.title}\n\n{_fenced(piece.text, piece.code) if piece.code else piece.text}\n"
        text = text if opened else f"## What is around it\n\n{text}"
        before = len(included)
        room = _taken(text, piece.title, room, count, parts, included, left_out)
        opened = opened or len(included) > before
        if len(left_out) > _MOST_LEFT_OUT:
            left_out.append("what else is around the change")
            break
    if left_out:
        parts += _end(left_out, room + _FOR_THE_END, count)
    text = "\n".join(part.rstrip("\n") + "\n" for part in parts)
    return DiffPack(
        text=text, tokens=count(text), budget=budget, approximate=approximate, included=tuple(included),
        left_out=tuple(left_out),
    )  # fmt: skip


_FOR_THE_END = 120
_MOST_LEFT_OUT = 50


def _taken(
    text: str,
    name: str,
    room: int,
    count: Count,
    parts: list[str],
    included: list[str],
    left_out: list[str],
) -> int:
    """Append a part where the tokens suffice; return how many remain."""
    size = count(text) + 1
    if size > room:
        left_out.append(f"{name} ({size} tokens)")
        return room
    parts.append(text)
    included.append(name)
    return room - size


def _end(left_out: Sequence[str], room: int, count: Count) -> list[str]:
    lines = ["", "## Left out, for want of room", ""]
    for at, name in enumerate(left_out):
        more = f"- and {len(left_out) - at} more"
        if count("\n".join([*lines, f"- {name}", more, ""])) > room:
            return ["\n".join([*lines[1:], more])] if at else []
        lines.append(f"- {name}")
    return ["\n".join(lines[1:])]


def _fenced(text: str, code: str) -> str:
    mark = fence(text)
    return f"{mark}{code}\n{text.rstrip(chr(10))}\n{mark}\n"


def finding_piece(findings: Iterable[Finding]) -> Iterator[PackPiece]:
    """Yield the findings made without a model, as prose."""
    lines = [f"- {each.file}:{each.line or '?'} [{each.kind}] {each.text}" for each in findings]
    if lines:
        yield PackPiece("Found without a model", "\n".join(lines))
