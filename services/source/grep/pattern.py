"""Pattern from outside, compiled by RE2, which takes time linear in the text for every pattern (SAFETY).

Every pattern is applied line by line. A search of the whole file first and then of the lines it hits gives the same
result many times faster, as long as a match cannot cross the end of its line (`never_nl`) and cannot distinguish the
end of a line from that of the text; where a pattern can, `by_line` is set."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import re2

from services.errors import PatternInvalid, quoted
from services.source.grep.literals import required_texts

LONGEST_PATTERN = 1_000
"""Characters. Longer ones are lists that somebody generated; search for their parts."""

MEMORY = 8 << 20
"""Bytes that one compiled pattern may take, its automata included."""

_PROGRAM = 10_000
_STEPS = 1 << 24
_WINDOW = 1 << 20
_SMALLEST_WINDOW = 4_096
_MOST_SPANS = 1_000
_TELLS_ENDS = re.compile(r"\\[AzQC]|\(\?[a-zA-Z]*-")
_EVERYWHERE = re.compile(
    rb"abstract|async|await|bool|case|catch|class|const|else|false|foreach|get|if|in|int|internal|is|namespace|new|null"
    rb"|object|out|override|partial|private|protected|public|readonly|ref|return|sealed|set|static|string|struct|this"
    rb"|throw|true|using|var|virtual|void|where|while"
)
_FRAGMENT = re.compile(r": (.+)\Z", re.DOTALL)
_REASONS = (
    (("(?=", "(?!"), "RE2 has no look-ahead, because it cannot be matched in linear time"),
    (("(?<=", "(?<!"), "RE2 has no look-behind, because it cannot be matched in linear time"),
    (("(?>", "(?("), "RE2 has no atomic or conditional groups"),
    (("(?P=", "\\k"), "RE2 has no back-references, because they cannot be matched in linear time"),
)
_NUMBERED = re.compile(r"\\[1-9]")


@dataclass(frozen=True, slots=True)
class SearchPattern:
    """Compiled pattern. `literals`: a match contains all texts of one alternative (none: unknown), as bytes of UTF-8;
    `window`: how many bytes may be searched between two checks for cancellation."""

    text: str
    case_insensitive: bool
    literals: tuple[tuple[bytes, ...], ...]
    window: int
    by_line: bool
    sees_ends: bool
    _line: Any
    _whole: Any
    _probes: tuple[tuple[Any, ...], ...]

    @property
    def needles(self) -> tuple[bytes, ...]:
        """Return one text of each alternative: a text without any of them has no match. None where that is unknown."""
        return tuple(min(texts, key=_rank) for texts in self.literals)

    def may_match(self, data: bytes) -> bool:
        """Whether some line of the bytes may match; False is certain."""
        for probes in self._probes:
            if all(probe.search(data) is not None for probe in probes):
                return True
        if self.case_insensitive:
            return not self._probes
        for texts in self.literals:
            if all(text in data for text in texts):
                return True
        return not self.literals

    def find(self, data: bytes, start: int, end: int) -> int:
        """The offset of the first match between `start`, where a line begins, and `end`, where one ends; -1 for none.
        Only for patterns that are not `by_line`."""
        found = self._whole.search(data, start, end)
        return -1 if found is None else found.start()

    def matches(self, line: bytes) -> bool:
        """Whether a line without its ending matches."""
        return self._line.search(line) is not None

    def spans(self, line: bytes, text: str) -> tuple[tuple[int, int], ...]:
        """Character columns (end exclusive) of the matches that are not empty. `text` is `line` decoded."""
        found: list[tuple[int, int]] = []
        for match in self._line.finditer(line):
            start, end = match.span()
            if end > start:
                found.append((start, end))
                if len(found) == _MOST_SPANS:
                    break
        return tuple(found) if len(line) == len(text) else _in_characters(line, found)


@functools.lru_cache(maxsize=16)
def compiled(text: str, *, case_insensitive: bool = False) -> SearchPattern:
    """The pattern, ready. Raises PatternInvalid with the reason, and the position where it is known."""
    _refuse_unfit(text)
    line = _compile(text, text, case_insensitive)
    if line.programsize > _PROGRAM:
        raise _invalid(text, "it is too large once its repetitions are written out", None)
    anchored = "^" in text or "$" in text
    literals = tuple(tuple(each.encode() for each in texts) for texts in required_texts(text))
    return SearchPattern(
        text=text,
        case_insensitive=case_insensitive,
        literals=literals,
        window=max(_SMALLEST_WINDOW, min(_WINDOW, _STEPS // max(1, line.programsize))),
        by_line=_TELLS_ENDS.search(text) is not None,
        sees_ends=anchored,
        _line=line,
        _whole=_compile(f"(?m:{text})", text, case_insensitive) if anchored else line,
        _probes=_probes(literals, text) if case_insensitive else (),
    )


def _rank(text: bytes) -> tuple[bool, int]:
    """The rarer a text may be, the smaller: words of the language are everywhere, and long texts are rare."""
    return _EVERYWHERE.fullmatch(text.strip()) is not None, -len(text)


def _probes(literals: Sequence[Sequence[bytes]], text: str) -> tuple[tuple[Any, ...], ...]:
    """RE2 finds text in any case faster than `lower` and `find`, and folds as the pattern does."""
    return tuple(
        tuple(_compile(re2.escape(each.decode()), text, True) for each in texts) for texts in literals
    )


def _compile(text: str, shown: str, case_insensitive: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    options.never_capture = True
    options.max_mem = MEMORY
    options.case_sensitive = not case_insensitive
    try:
        return re2.compile(text.encode(), options)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        raise _explained(
            shown, said.decode("utf-8", "replace") if isinstance(said, bytes) else said
        ) from None


def _refuse_unfit(text: str) -> None:
    if not text:
        raise _invalid(text, "it is empty", None)
    if len(text) > LONGEST_PATTERN:
        raise _invalid(text[:80] + "…", f"it is longer than {LONGEST_PATTERN} characters", LONGEST_PATTERN)
    for character, why in (("\n", "patterns are matched line by line"), ("\0", "no text has a NUL in it")):
        if character in text:
            raise _invalid(text, why, text.index(character))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _invalid(text, "it is not Unicode text", error.start) from None


def _explained(text: str, said: str) -> PatternInvalid:
    """Convert RE2's error: the fragment it quotes gives the position in the pattern."""
    match = _FRAGMENT.search(said)
    fragment = match[1] if match else ""
    if fragment == "(?P" and "(?P=" in text:
        fragment = "(?P="
    position = text.find(fragment) if fragment else -1
    for openings, reason in _REASONS:
        if fragment.startswith(openings):
            return _invalid(text, reason, position)
    if _NUMBERED.fullmatch(fragment):
        return _invalid(
            text, "RE2 has no back-references, because they cannot be matched in linear time", position
        )
    return _invalid(text, said or "RE2 refuses it", position if position >= 0 else None)


def _invalid(text: str, reason: str, position: int | None) -> PatternInvalid:
    where = "" if position is None else f" (at character {position + 1})"
    message = f"The pattern {quoted(text)} cannot be searched for: {reason}{where}."
    return PatternInvalid(message, pattern=text, reason=reason, position=position)


def _in_characters(line: bytes, spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Byte spans as character spans, in one pass."""
    found: list[tuple[int, int]] = []
    at = characters = 0
    for start, end in spans:
        characters += len(line[at:start].decode("utf-8", "ignore"))
        width = len(line[start:end].decode("utf-8", "ignore"))
        found.append((characters, characters + width))
        at, characters = end, characters + width
    return tuple(found)
