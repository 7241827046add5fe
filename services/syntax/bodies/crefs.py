"""Names in `cref` attributes of doc comments: a small language of its own, which is no part of the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

_CREF = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rb"|\bcref\s*=\s*(?:\"(?P<double>[^\"<>]*)\"|'(?P<single>[^'<>]*)')",
    re.DOTALL,
)
"""A `cref`, or a comment or CDATA section of XML, in which there is none."""
_WORD = re.compile(r"@?[^\W\d]\w*")
_ID = re.compile(r"[A-Z!]:")
_BEFORE = re.compile(r"(?:[\w@]+\s*(?:\.|::)\s*)*$")


class Part(msgspec.Struct, frozen=True):
    """A name of a dotted path. `arity`: how many type arguments follow; `at`: its offset in the file."""

    name: str
    arity: int
    at: int


class Reference(msgspec.Struct, frozen=True):
    """Name in a `cref`. `parts`: the dotted name up to it; `listed`: the types in the parentheses after it,
    None where there are none; `type`: of a name in those, the path up to it, and then `parts` is empty; `followed`:
    whether a further name is asked of it."""

    parts: tuple[Part, ...] = ()
    listed: tuple[str, ...] | None = None
    type: str = ""
    followed: bool = False


class Cref(msgspec.Struct, frozen=True):
    """Text of a `cref`. `start`: its offset in the file."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text.encode())

    def words(self) -> Iterator[tuple[int, int]]:
        """The offsets of its names, without `@`."""
        for word in _WORD.finditer(self.text):
            begin = word.start() + word[0].startswith("@")
            start = self.start + len(self.text[:begin].encode())
            yield start, start + len(self.text[begin : word.end()].encode())

    def reference(self, at: int) -> Reference | None:
        """Return the symbol reference at an offset of the file; None for an id, and for the name of a type
        parameter."""
        if _ID.match(self.text):
            return None
        place = len(self.text.encode()[: at - self.start].decode("utf-8", "replace"))
        place -= self.text.startswith("@", place - 1) if place else 0
        opening = self.text.find("(")
        if 0 <= opening < place:
            return self._of_parameter(place)
        head = self.text[: opening if opening >= 0 else None]
        if head[:place].count("{") > head[:place].count("}"):
            return None
        parts, end = self._path(head, place)
        if not parts:
            return None
        is_last = end >= len(head.rstrip())
        listed = _listed(self.text[opening + 1 :]) if opening >= 0 and is_last else None
        return Reference(tuple(parts), listed, followed=head.startswith(".", end))

    def _path(self, head: str, place: int) -> tuple[list[Part], int]:
        """The dotted name up to the word at `place`, and where it ends."""
        found: list[Part] = []
        position = 0
        while position < len(head):
            word = _WORD.match(head, position)
            if word is None:
                return [], position
            end, arity = word.end(), 0
            if head[end : end + 1] == "{":
                closing = _closing(head, end)
                arity = len(_listed(head[end + 1 : closing]))
                end = closing + 1
            found.append(Part(word[0].lstrip("@"), arity, self.start + len(head[: word.start()].encode())))
            if word.start() <= place < word.end():
                return found, end
            if head.startswith("::", end):
                found = [] if word[0] == "global" else found
                position = end + 2
            elif head.startswith(".", end):
                position = end + 1
            else:
                return [], end
        return [], position

    def _of_parameter(self, place: int) -> Reference | None:
        word = _WORD.match(self.text, place)
        before = _BEFORE.search(self.text[:place])
        if word is None or before is None:
            return None
        arity = 0
        if self.text[word.end() : word.end() + 1] == "{":
            arity = len(_listed(self.text[word.end() + 1 : _closing(self.text, word.end())]))
        arguments = f"<{', '.join(['int'] * arity)}>" if arity else ""
        return Reference(type=f"{before[0].replace(' ', '')}{word[0].lstrip('@')}{arguments}")


def crefs_in(source: bytes, docs: Iterable[tuple[int, int]]) -> Iterator[Cref]:
    """Yield every `cref` of these doc comments of a file; type arguments in braces, also those written in
    `&lt;&gt;`."""
    for start, end in docs:
        for match in _CREF.finditer(source, start, end):
            if match.lastgroup is not None:
                text = match[match.lastgroup].replace(b"&lt;", b"{   ").replace(b"&gt;", b"   }")
                yield Cref(match.start(match.lastgroup), text.decode("utf-8", "replace"))


def _closing(text: str, opening: int) -> int:
    """Return the offset of the brace that closes the one at `opening`, or the end of the text."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def _listed(text: str) -> tuple[str, ...]:
    """Split at commas up to the closing parenthesis, in the spelling of code."""
    parts, depth = [""], 0
    for sign in text:
        if sign == ")" and depth == 0:
            break
        depth += {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    shown = [part.strip().translate(str.maketrans("{}", "<>")) for part in parts]
    return tuple(part for part in shown if part)
