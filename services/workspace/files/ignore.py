"""Ignore files with git's own semantics (gitignore(5), wildmatch.c), for folders that are no repository.

Names are bytes, as git matches them: `?` is one byte. `pathspec` is not used here: called per folder it took five
times as long over a large tree, and it lets `a/**` ignore `a` itself."""

from __future__ import annotations

import functools
import os
import re
import stat
import string
from collections.abc import Callable, Collection
from typing import NamedTuple

import msgspec

from services.workspace.files.openers import held

Matcher = Callable[[bytes], object]

LARGEST = 1 << 17
"""Bytes of an ignore file that are read: RE2 complains on the standard error output of larger alternatives."""
_LONGEST_PATH = 4_096
_ALL = frozenset(range(256))
_NOTHING = rb"[^\x00-\xff]"
_ANYTHING = rb".*"
_WILDCARD = re.compile(rb"[*?\[\\]")
_CLASSES: dict[bytes, frozenset[int]] = {
    name: frozenset(map(ord, members))
    for name, members in {
        b"alnum": string.ascii_letters + string.digits,
        b"alpha": string.ascii_letters,
        b"blank": " \t",
        b"cntrl": "".join(map(chr, (*range(32), 127))),
        b"digit": string.digits,
        b"graph": string.ascii_letters + string.digits + string.punctuation,
        b"lower": string.ascii_lowercase,
        b"print": string.ascii_letters + string.digits + string.punctuation + " ",
        b"punct": string.punctuation,
        b"space": string.whitespace,
        b"upper": string.ascii_uppercase,
        b"xdigit": string.hexdigits,
    }.items()
}


class IgnorePattern(NamedTuple):
    """Pattern of an ignore file. `by_path`: it matches the path from the ignore file's folder on, else the name."""

    expression: bytes
    by_path: bool
    folders_only: bool
    ignores: bool


class IgnoreRules(msgspec.Struct, frozen=True, dict=True):
    """The lines of one ignore file, last first. `base`: its folder relative to the root, with a `/` behind,
    or empty.
    """

    base: bytes
    patterns: tuple[IgnorePattern, ...]

    def verdict(self, path: bytes, name: bytes, is_folder: bool) -> bool | None:
        """Whether this file ignores `path` (relative to the root, `name` its last part); None if no pattern matches."""
        below = path[len(self.base) :]
        if not (self._any_name(name) or self._any_path(below)):
            return None
        for pattern in self.patterns:
            if pattern.folders_only and not is_folder:
                continue
            if _compiled(pattern.expression)(below if pattern.by_path else name):
                return pattern.ignores
        return None

    @functools.cached_property
    def _any_name(self) -> Matcher:
        """Whether any pattern matches a name: most names match none, and asking all at once costs as much as
        one.
        """
        return _compiled(self._alternatives(by_path=False), _ANYTHING)

    @functools.cached_property
    def _any_path(self) -> Matcher:
        return _compiled(self._alternatives(by_path=True), _ANYTHING)

    def _alternatives(self, *, by_path: bool) -> bytes:
        expressions = [each.expression for each in self.patterns if each.by_path == by_path]
        return b"|".join(expressions) or _NOTHING


def read_rules(folder: int, name: str, base: bytes) -> IgnoreRules | None:
    """The rules in the file `name` of an open folder; None where there is none. A symlink is not read, as git
    does not.
    """
    try:
        with held(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, folder=folder) as descriptor:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return parse_rules(os.read(descriptor, LARGEST), base)
    except OSError:
        pass
    return None


def parse_rules(data: bytes, base: bytes = b"") -> IgnoreRules:
    """The rules of an ignore file's bytes. Lines that can match nothing are left out."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    patterns = filter(None, map(_pattern, lines))
    return IgnoreRules(base, tuple(reversed(tuple(patterns))))


def is_ignored(levels: list[IgnoreRules], path: bytes, *, is_folder: bool) -> bool:
    """Whether `path` is ignored by the ignore files of its folders (`levels`, outermost first), its parents
    apart.
    """
    name = path[path.rfind(b"/") + 1 :]
    for rules in reversed(levels):
        verdict = rules.verdict(path, name, is_folder)
        if verdict is not None:
            return verdict
    return False


@functools.lru_cache(maxsize=8_192)
def _pattern(line: bytes) -> IgnorePattern | None:
    """Parse a line as a pattern; None for a comment, a blank line, or one that is longer than any path."""
    if len(line) > _LONGEST_PATH:
        return None
    line = _without_blanks(line.removesuffix(b"\r"))
    if not line or line.startswith(b"#"):
        return None
    ignores = not line.startswith(b"!")
    line = line if ignores else line[1:]
    folders_only = line.endswith(b"/")
    line = line[:-1] if folders_only else line
    if not line:
        return None
    by_path = b"/" in line
    expression = _translated(line.removeprefix(b"/"), by_path=by_path)
    return IgnorePattern(expression, by_path, folders_only, ignores)


def _without_blanks(line: bytes) -> bytes:
    """The line without the blanks at its end, less those behind a backslash."""
    bare = line.rstrip(b" ")
    slashes = len(bare) - len(bare.rstrip(b"\\"))
    return line[: len(bare) + 1] if slashes % 2 and len(line) > len(bare) else bare


@functools.lru_cache(maxsize=4_096)
def _compiled(expression: bytes, instead: bytes = _NOTHING) -> Matcher:
    """Compile a matcher of whole names: RE2, which runs in linear time on any pattern; bytes as they are, line feeds
    included."""
    import re2  # 11 ms that only folders with such files and without git need

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.dot_nl = True
    options.log_errors = False
    try:
        return re2.compile(expression, options).fullmatch
    except re2.error:  # larger than RE2 allows
        return re2.compile(instead, options).fullmatch


def _translated(pattern: bytes, *, by_path: bool) -> bytes:
    """Wildcards as a regular expression; one that can never match where the pattern is malformed."""
    expression: list[bytes] = []
    index = 0
    while index < len(pattern):
        found, index = _token(pattern, index, by_path)
        expression.append(found)
    return b"".join(expression)


def _token(pattern: bytes, index: int, by_path: bool) -> tuple[bytes, int]:
    """The expression of the wildcard or byte at `index`, and where the next one begins."""
    match pattern[index : index + 1]:
        case b"*":
            return _stars(pattern, index) if by_path else (b".*", index + 1)
        case b"?":
            return (b"[^/]" if by_path else b"."), index + 1
        case b"[":
            return _bracket(pattern, index + 1)
        case b"\\":
            escaped = pattern[index + 1 : index + 2]
            return (_literal(escaped[0]) if escaped else _NOTHING), index + 2
        case byte:
            return _literal(byte[0]), index + 1


def _stars(pattern: bytes, index: int) -> tuple[bytes, int]:
    """Parse a run of stars in a path: two or more, alone between slashes, cross folders. git removes the literal
    prefix of a pattern first, so there a run counts as alone after any prefix.

    git takes off what precedes the first wildcard before it looks, so there a run
    counts as alone whatever that was.
    """
    end = index
    while pattern[end : end + 1] == b"*":
        end += 1
    alone = pattern[:index].endswith(b"/") or not _WILDCARD.search(pattern, 0, index)
    if end - index < 2 or not alone or pattern[end : end + 1] not in (b"", b"/"):
        return b"[^/]*", end
    return (b".*", end) if end == len(pattern) else (b"(?:.*/)?", end + 1)


def _bracket(pattern: bytes, index: int) -> tuple[bytes, int]:
    """The set that begins behind `[`, and where it ends; a `/` is in no set."""
    negated = pattern[index : index + 1] in (b"!", b"^")
    index += negated
    members: set[int] = set()
    first = True
    while first or pattern[index : index + 1] != b"]":
        first = False
        found, index = _members(pattern, index)
        if found is None:
            return _NOTHING, len(pattern)
        members.update(found)
    chosen = (_ALL - members if negated else members) - {ord("/")}
    return (b"[" + b"".join(map(_literal, sorted(chosen))) + b"]" if chosen else _NOTHING), index + 1


def _members(pattern: bytes, index: int) -> tuple[Collection[int] | None, int]:
    """The bytes of one class, range or byte of a set; None where the pattern is malformed."""
    if pattern[index : index + 2] == b"[:":
        end = pattern.find(b":]", index + 2)
        return (_CLASSES.get(pattern[index + 2 : end]) if end > 0 else None), end + 2
    low, index = _byte(pattern, index)
    if low is None:
        return None, index
    if pattern[index : index + 1] != b"-" or pattern[index + 1 : index + 2] in (b"]", b""):
        return {low}, index
    high, index = _byte(pattern, index + 1)
    # As in wildmatch.c, the low end counts even where the range is empty.
    return (None if high is None else {low, *range(low, high + 1)}), index


def _byte(pattern: bytes, index: int) -> tuple[int | None, int]:
    """The byte at `index`, or the one a backslash there protects; None at the end."""
    index += pattern[index : index + 1] == b"\\"
    return (pattern[index] if index < len(pattern) else None), index + 1


def _literal(byte: int) -> bytes:
    """Escape a byte, so that it has no special meaning in or outside a set."""
    return b"\\x%02x" % byte
