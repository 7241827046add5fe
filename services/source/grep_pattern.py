"""Pattern from outside, compiled by RE2, which takes time linear in the text for every pattern (SAFETY).

Every pattern is applied line by line. A search of the whole file first and then of the lines it hits gives the same
result many times faster, as long as a match cannot cross the end of its line (`never_nl`) and cannot distinguish the
end of a line from that of the text; where a pattern can, `by_line` is set.

The analysis is careful rather than complete: anything not plainly literal ends a run of characters, and a pattern
with unusual syntax has no required text. A wrong text here would lose matches; a missing one costs time.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import re2

from services.errors import PatternInvalid, quoted

_REPEAT = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_META = frozenset("\\.+*?()|[]{}^$")
_OPTIONAL = frozenset("*?")
_SHORTEST = 2


def required_texts(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return alternatives: every match contains all texts of one of them, in their own case; empty where nothing is
    known. The longest text comes first. The pattern must be one that RE2 accepts."""
    if "(?" in pattern.replace("(?:", "(") or "\\Q" in pattern:
        return ()
    found = dict.fromkeys(_texts(branch) for branch in _branches(pattern))
    return tuple(found) if all(found) else ()


def _texts(branch: str) -> tuple[str, ...]:
    runs = {run for run in _runs(branch) if len(run) >= _SHORTEST and "\ufffd" not in run}
    return tuple(sorted(runs, key=lambda run: (-len(run), run)))


def _branches(pattern: str) -> list[str]:
    """The alternatives at the top of a pattern."""
    found: list[str] = []
    start = depth = at = 0
    while at < len(pattern):
        step = _step(pattern, at)
        if step == 1:
            depth += {"(": 1, ")": -1}.get(pattern[at], 0)
            if pattern[at] == "|" and depth == 0:
                found.append(pattern[start:at])
                start = at + 1
        at += step
    return [*found, pattern[start:]]


def _runs(branch: str) -> Iterator[str]:
    """Runs of characters that are outside groups and classes and neither optional nor repeated."""
    run = ""
    at = 0
    while at < len(branch):
        if (behind := _unread(branch, at)) > at:
            yield run
            run, at = "", behind
            continue
        step = _step(branch, at)
        character = _character(branch, at, step)
        follower = branch[at + step : at + step + 1]
        if character is None or follower in _OPTIONAL or follower == "{":
            yield run
            run = ""
        else:
            run += character
        at += step
    yield run


def _unread(branch: str, at: int) -> int:
    """Behind the group or the count of repetitions that begins at `at`; `at` itself where there is neither."""
    if branch[at] == "(":
        return _after_group(branch, at)
    repeat = _REPEAT.match(branch, at)
    return at if repeat is None else repeat.end()


def _step(pattern: str, at: int) -> int:
    """How many characters the escape, class or character at `at` takes."""
    if pattern[at] == "\\":
        return _escape_length(pattern, at)
    if pattern[at] == "[":
        return _class_length(pattern, at)
    return 1


def _escape_length(pattern: str, at: int) -> int:
    """Return the length of an escape: `\\d` has two characters; `\\x{10FFFF}`, `\\p{Greek}` end at their brace; other
    `\\x41`, `\\012` end a run anyway, and `_character` separates their remaining characters."""
    if pattern[at + 1 : at + 2] in ("x", "p", "P") and pattern[at + 2 : at + 3] == "{":
        return pattern.find("}", at) + 1 - at
    return {"x": 4, "p": 3, "P": 3}.get(pattern[at + 1 : at + 2], _octal_length(pattern, at))


def _octal_length(pattern: str, at: int) -> int:
    end = at + 2
    while pattern[at + 1 : end].isdigit() and end < len(pattern) and end < at + 4 and pattern[end].isdigit():
        end += 1
    return end - at


def _class_length(pattern: str, at: int) -> int:
    """Return the length of a bracket expression: a leading `]` is one of its members, and `[:alpha:]` may occur."""
    end = at + 1
    if pattern[end : end + 1] == "^":
        end += 1
    if pattern[end : end + 1] == "]":
        end += 1
    while end < len(pattern) and pattern[end] != "]":
        if pattern[end] == "\\":
            end += 2
        elif pattern.startswith("[:", end) and (close := pattern.find(":]", end)) >= 0:
            end = close + 2
        else:
            end += 1
    return end + 1 - at


def _character(pattern: str, at: int, step: int) -> str | None:
    """Return the literal character of a token of the pattern, or None."""
    if step == 1:
        return None if pattern[at] in _META else pattern[at]
    escaped = pattern[at + 1 : at + step]
    return escaped if step == 2 and escaped.isascii() and not escaped.isalnum() else None


def _after_group(branch: str, at: int) -> int:
    """Behind the parenthesis that closes the group which begins at `at`."""
    depth = 0
    while at < len(branch):
        step = _step(branch, at)
        if step == 1:
            depth += {"(": 1, ")": -1}.get(branch[at], 0)
        at += step
        if depth == 0:
            break
    return at


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


class SearchPattern(msgspec.Struct, frozen=True):
    """Compiled pattern. `literals`: a match contains all texts of one alternative (none: unknown), as bytes of UTF-8;
    `plain`: the text of a pattern without operators, empty for others; `window`: how many bytes may be searched between
    two checks for cancellation."""

    text: str
    case_insensitive: bool
    literals: tuple[tuple[bytes, ...], ...]
    plain: bytes
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

    @property
    def is_common(self) -> bool:
        """Whether most files of C# have a text that may match, so that looking for those which do saves nothing."""
        return any(map(_is_word_of_language, self.needles))

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

    def find(self, data: bytes, start: int, end: int) -> tuple[int, int] | None:
        """The first match between `start`, where a line begins, and `end`, where one ends; None for none. Only for
        patterns that are not `by_line`."""
        if self.plain:
            found = data.find(self.plain, start, end)
            return None if found < 0 else (found, found + len(self.plain))
        found = self._whole.search(data, start, end)
        return None if found is None else found.span()

    def matches(self, line: bytes) -> bool:
        """Whether a line without its ending matches."""
        return self._line.search(line) is not None

    def spans(self, line: bytes, text: str) -> tuple[tuple[int, int], ...]:
        """Character columns (end exclusive) of the matches that are not empty. `text` is `line` decoded."""
        if self.plain and len(line) == len(text):
            at = line.find(self.plain)
            end = at + len(self.plain)
            if line.find(self.plain, end) < 0:
                return ((at, end),)
        matches = _plain_spans(line, self.plain) if self.plain else self._spans(line)
        found = list(itertools.islice(matches, _MOST_SPANS))
        return tuple(found) if len(line) == len(text) else _in_characters(line, found)

    def _spans(self, line: bytes) -> Iterator[tuple[int, int]]:
        for match in self._line.finditer(line):
            start, end = match.span()
            if end > start:
                yield start, end


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
        plain=b"" if case_insensitive else _plain(text),
        window=max(_SMALLEST_WINDOW, min(_WINDOW, _STEPS // max(1, line.programsize))),
        by_line=_TELLS_ENDS.search(text) is not None,
        sees_ends=anchored,
        _line=line,
        _whole=_compile(f"(?m:{text})", text, case_insensitive) if anchored else line,
        _probes=_probes(literals, text) if case_insensitive else (),
    )


def _plain(text: str) -> bytes:
    """Return the text of a pattern without operators; empty for other patterns."""
    first, *others = _runs(text)
    return b"" if others or "\ufffd" in first else first.encode()


def _plain_spans(line: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    at = line.find(text)
    while at >= 0:
        end = at + len(text)
        yield at, end
        at = line.find(text, end)


def _rank(text: bytes) -> tuple[bool, int]:
    """The rarer a text may be, the smaller: words of the language are everywhere, and long texts are rare."""
    return _is_word_of_language(text), -len(text)


def _is_word_of_language(text: bytes) -> bool:
    return _EVERYWHERE.fullmatch(text.strip()) is not None


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
