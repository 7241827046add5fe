"""Member bodies left out, so that the parser reads declarations alone.

With comments, bodies are 75 to 87 % of a file's bytes, and nearly all syntax that the grammar refuses stands in
bodies: parsing the rest is both faster and more often right. What kind of brace opens is told from the text before
it. The parser is slow over blanks (a third of a full parse), so long runs of them are cut and offsets mapped back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_BRACES = re.compile(rb"[{}](?:(?<=\{)[^{}]*+\})?+")
_TYPE_HEADER = re.compile(
    rb"\b(?:(?:class|struct|interface|enum|namespace)\s+(?!where\b)[@\w\x80-\xff]"
    rb"|record\s+(?:class\s+|struct\s+)?@?[\w\x80-\xff]+\s*(?:<[^(){}]{0,999}>\s*)?(?:[(:]|where\b|$))"
    rb"|^\s*extension\s*(?:<[^(){}]{0,999}>\s*)?\("
)
_TYPE_WORDS = (b"class", b"struct", b"interface", b"enum", b"namespace", b"record", b"extension")
_ACCESSORS = re.compile(
    rb"\s*+(?:\[[^\]{};]*+\]\s*+)*+(?:(?:private|protected|internal|public|readonly|unsafe|async)\s++)*+"
    rb"(?:get|set|init|add|remove)\b"
)
_ROUND = re.compile(rb"[()]")
_FARTHEST = 4_000  # bytes that are looked back from an arrow
_ARROW = re.compile(rb"=>")
_SHORT_BODY = 3  # shorter ones parse as they are
_LONG_BLANK = re.compile(rb"[ \t\r\n]{24,}")
_BLANK = bytes(10 if c == 10 else 32 for c in range(256))


@dataclass(slots=True)
class Skeleton:
    """What the parser sees of a file. `balanced`: whether every brace found its partner; where not, no body is left
    out. `full`: the text before long blanks were cut, in the file's own offsets."""

    text: bytes
    full: bytes
    balanced: bool
    cuts: list[int]
    shifts: list[int]

    def origin(self, offset: int) -> int:
        """The offset in the file of an `offset` in `text`."""
        return offset + self.shifts[bisect_right(self.cuts, offset)]


def skeleton(clean: bytes) -> Skeleton:
    """The skeleton of `clean` (strings and comments already blank)."""
    bodies = _bodies(clean)
    if bodies is None:
        return compact(clean, balanced=False)
    return compact(_without_arrow_bodies(blanked(clean, bodies)))


def _without_arrow_bodies(text: bytes) -> bytes:
    """Expression bodies replaced by a number before their semicolon: the node of the body keeps its whole range. An
    arrow inside brackets is a lambda in an initializer and stays."""
    parts: list[bytes] = []
    done = 0
    for match in _ARROW.finditer(text):
        start, end = match.end(), text.find(b";", match.end())
        if match.start() < done or end - start < _SHORT_BODY:
            continue
        least = max(done, start - _FARTHEST)
        if _in_brackets(
            text[max(least, text.rfind(b";", least, start), text.rfind(b"}", least, start)) : start]
        ):
            continue
        parts += (text[done:start], text[start : end - 1].translate(_BLANK), b"0")
        done = end
    parts.append(text[done:])
    return b"".join(parts)


def compact(full: bytes, *, balanced: bool = True) -> Skeleton:
    """`full` with each long run of blanks cut to its first character."""
    parts: list[bytes] = []
    cuts: list[int] = []
    shifts = [0]
    done = size = 0
    for match in _LONG_BLANK.finditer(full):
        start, end = match.span()
        part = full[done : start + 1]
        parts.append(part)
        size += len(part)
        done = end
        cuts.append(size)
        shifts.append(end - size)
    parts.append(full[done:])
    return Skeleton(b"".join(parts), full, balanced, cuts, shifts)


def blanked(text: bytes, ranges: list[tuple[int, int]]) -> bytes:
    """`text` with the ranges replaced by spaces, newlines kept."""
    parts: list[bytes] = []
    done = 0
    for start, end in ranges:
        parts += (text[done:start], text[start:end].translate(_BLANK))
        done = end
    parts.append(text[done:])
    return b"".join(parts)


def _in_brackets(header: bytes) -> bool:
    """Whether a bracket of `header` is still open at its end; what it closes from before does not count."""
    depth = 0
    for bracket in reversed(_ROUND.findall(header)):
        depth += 1 if bracket == b")" else -1
        if depth < 0:
            return True
    return False


def _bodies(clean: bytes) -> list[tuple[int, int]] | None:
    """The ranges to blank, or None where the braces do not balance.

    `levels` counts the open braces whose content is kept; inside a body only `depth` moves. An accessor list is kept
    to its own depth, so that accessors and their accessibility survive."""
    bodies: list[tuple[int, int]] = []
    kept: list[bool] = []  # one per open kept brace: whether it is an accessor list
    depth = start = last = 0
    for match in _BRACES.finditer(clean):
        at, end = match.span()
        if end - at > 1:  # a pair without braces inside
            if not depth:
                if (kept and kept[-1]) or _kept_as(clean[last:at], clean, at + 1) is None:
                    bodies.append((at + 1, end - 1))
                last = end
        elif clean[at] == 0x7B:
            content = None if depth or (kept and kept[-1]) else _kept_as(clean[last:at], clean, at + 1)
            if content is not None:
                kept.append(content)
                last = at + 1
            else:
                depth += 1
                start = start if depth > 1 else at + 1
        elif depth:
            depth -= 1
            if depth == 0:
                bodies.append((start, at))
                last = at + 1
        elif kept:
            kept.pop()
            last = at + 1
        else:
            return None
    return None if depth or kept else bodies


def _kept_as(header: bytes, clean: bytes, at: int) -> bool | None:
    """What opens before `at`, behind `header`: an accessor list (True), a type (False), or a body."""
    if _opens_type(header):
        return False
    return True if _opens_accessors(header, clean, at) else None


def _opens_type(header: bytes) -> bool:
    header = header[header.rfind(b";") + 1 :].strip()  # mostly the blanks of a doc comment
    # Few headers have such a word at all, and looking for words costs a tenth of the expression.
    for word in _TYPE_WORDS:
        if word in header:
            return _TYPE_HEADER.search(header) is not None
    return False


def _opens_accessors(header: bytes, clean: bytes, at: int) -> bool:
    return not header.rstrip().endswith((b")", b">=")) and _ACCESSORS.match(clean, at) is not None
