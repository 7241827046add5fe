"""Headers of declarations that the grammar has no words for, made readable at equal length.

A union (C# 15) is read as a class that derives from its case types. A modifier that is not known, be it of a version of
the language to come, is read as one that is: what is declared, and its neighbours, stay what they are.
"""

from __future__ import annotations

import re

from services.syntax.records.words import KEYWORDS

_NAME = rb"[A-Za-z_@\x80-\xff][\w\x80-\xff]*"
_NESTED = rb"<[^<>(){};]*(?:<[^<>(){};]*(?:<[^<>(){};]*>[^<>(){};]*)*>[^<>(){};]*)*>"
_UNION = re.compile(rb"(?<![\w@.\x80-\xff])union(?=\s+" + _NAME + rb"\s*(?:" + _NESTED + rb"\s*)?[({])")
_UNION_HEAD = re.compile(rb"\s+" + _NAME + rb"\s*(?:" + _NESTED + rb"\s*)?")
# A type and no name: what a method of a type called `union` takes has both.
_CASE = re.compile(
    rb"\s*(?:" + _NAME + rb"(?:\s*(?:\.|::)\s*" + _NAME + rb")*(?:\s*" + _NESTED + rb")?|\([^()]*\))"
    rb"[\s?\[\],*]*\Z"
)
_NESTING = re.compile(rb"[()<>\[\]]|,")
_BASES = re.compile(rb"\s*:(?!:)")
_LONGEST = 10_000  # bytes of a list of cases

_MODIFIERS = frozenset(
    """
    public private protected internal static sealed abstract partial readonly unsafe new file ref override virtual async
    extern volatile required const fixed scoped global implicit explicit
    """.split()  # noqa: SIM905 - one word a line would take a page
)
_MODIFIER = rb"(?:" + "|".join(sorted(_MODIFIERS)).encode() + rb")"
_TYPE = (
    rb"(?:ref\s+(?:readonly\s+)?)?"
    + _NAME
    + rb"(?:(?:\.|::)"
    + _NAME
    + rb")*(?:"
    + _NESTED
    + rb")?[?\[\],*]*"
)
_DECLARED = re.compile(
    rb"(?<![\w@.\x80-\xff])([a-z]\w+)(?=\s+(?:" + _MODIFIER + rb"\s+){0,8}"
    rb"(?:(?:class|struct|interface|enum|record|delegate|event)\s+[\w@]"
    rb"|(" + _TYPE + rb")\s+(" + _NAME + rb")\s*(?:" + _NESTED + rb"\s*)?(?:[({;]|=(?!=))))"
)
_BEFORE = re.compile(rb"(?:\A|[;{}\]]|\b" + _MODIFIER + rb")\s*\Z")
_NO_MODIFIERS = KEYWORDS | _MODIFIERS | frozenset({"record", "union", "namespace", "extension", "await"})
_PREDEFINED = frozenset(
    b"bool byte char decimal double float int long object sbyte short string uint ulong ushort void".split()
)
_KNOWN = {
    len(word): word for word in (b"new", b"file", b"async", b"sealed", b"virtual", b"readonly", b"protected")
}
_FARTHEST = 200


def with_unions(text: bytes) -> bytes:
    """`text` with each union as a class that derives from its cases: `union A(B, C) : I` is `class A:B, C , I`."""
    if b"union" not in text:
        return text
    changed = bytearray(text)
    for match in _UNION.finditer(text):
        head = _UNION_HEAD.match(text, match.end())
        assert head is not None
        opens = head.end()
        if text[opens] == 0x7B:
            changed[match.start() : match.end()] = b"class"
            continue
        closes = end_of_cases(text, opens)
        if closes < 0:
            continue
        changed[match.start() : match.end()] = b"class"
        changed[opens], changed[closes] = b": "
        bases = _BASES.match(text, closes + 1)
        if bases is not None:
            changed[bases.end() - 1] = ord(",")
    return bytes(changed)


def end_of_cases(text: bytes, opens: int) -> int:
    """Return the end of the parenthesis at an offset that contains only types; -1 where it contains anything else."""
    depth, begin = 0, opens + 1
    for match in _NESTING.finditer(text, opens, opens + _LONGEST):
        sign = match[0]
        if sign in b"(<[":
            depth += 1
        elif sign != b",":
            depth -= 1
        if depth == 0 or (depth == 1 and sign == b","):
            if _CASE.match(text[begin : match.start()]) is None:
                return -1
            begin = match.end()
        if depth == 0:
            return match.start()
    return -1


def with_known_modifiers(text: bytes) -> bytes:
    """`text` with a modifier that the grammar knows for each word before a declaration that can be nothing else."""
    return _DECLARED.sub(_as_known, text)


def _as_known(match: re.Match[bytes]) -> bytes:
    word, type_, name = match[1], match[2], match[3]
    before = match.string[max(0, match.start() - _FARTHEST) : match.start()]
    if word.decode("utf-8", "replace") in _NO_MODIFIERS or _BEFORE.search(before) is None:
        return word
    if type_ is not None and (_is_reserved(type_.split()[-1]) or _is_reserved(name)):
        return word
    return _KNOWN.get(len(word), b" " * len(word))


def _is_reserved(word: bytes) -> bool:
    return word not in _PREDEFINED and word.decode("utf-8", "replace") in KEYWORDS
