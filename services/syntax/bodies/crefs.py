"""Names in `cref` attributes of doc comments: a small language of its own, which is no part of the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from services.syntax.bodies.expressions import Access, Expression, Hit, Name

_CREF = re.compile(rb"\bcref\s*=\s*(?:\"(?P<double>[^\"<>]*)\"|'(?P<single>[^'<>]*)')")
_WORD = re.compile(r"@?[^\W\d]\w*")
_ID = re.compile(r"[A-Z!]:")
_BEFORE = re.compile(r"(?:[\w@]+\s*(?:\.|::)\s*)*$")


@dataclass(frozen=True, slots=True)
class Cref:
    """What stands between the quotes. `start`: its offset in the file."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text.encode())

    def hit(self, at: int) -> Hit:
        """The record of a name at an offset of the file. Role `cref`: `expression` ends with the name; `arguments` are
        none, and `listed` the types in the parentheses after it. Role `type` for a name in those."""
        if _ID.match(self.text):
            return Hit(at, "declared", "cref")
        place = len(self.text.encode()[: at - self.start].decode("utf-8", "replace"))
        opening = self.text.find("(")
        if 0 <= opening < place:
            return self._of_parameter(at, place)
        head = self.text[: opening if opening >= 0 else None]
        if _depth(head[:place]):
            return Hit(at, "declared", "cref")  # the name of a type parameter
        expression, end = self._path(head, place)
        is_last = end >= len(head.rstrip())
        listed = _listed(self.text[opening + 1 :]) if opening >= 0 and is_last else None
        return Hit(at, "cref", "cref", expression=expression, listed=listed)

    def _path(self, head: str, place: int) -> tuple[Expression | None, int]:
        """The dotted name up to the word at `place`, and where it ends."""
        found: Expression | None = None
        position = 0
        while position < len(head):
            word = _WORD.match(head, position)
            if word is None:
                return None, position
            end = word.end()
            arguments = ()
            if head[end : end + 1] == "{":
                closing = _closing(head, end)
                arguments = ("int",) * len(_listed(head[end + 1 : closing]))
                end = closing + 1
            name, at = word[0].lstrip("@"), self.start + len(head[: word.start()].encode())
            if found is None:
                found = Name(name, arguments, at)
            else:
                found = Access(found, name, arguments, False, at)
            if word.start() <= place < word.end() or end >= len(head):
                return (found if word.start() <= place < word.end() else None), end
            separator = head[end : end + 2]
            if separator == "::":
                following = _WORD.match(head, end + 2)
                if following is None:
                    return None, end
                found = None if word[0] == "global" else found
                position = end + 2
                continue
            if not separator.startswith("."):
                return None, end
            position = end + 1
        return None, position

    def _of_parameter(self, at: int, place: int) -> Hit:
        word = _WORD.match(self.text, place)
        before = _BEFORE.search(self.text[:place])
        if word is None or before is None:
            return Hit(at, "declared", "cref")
        arity = 0
        if self.text[word.end() : word.end() + 1] == "{":
            arity = len(_listed(self.text[word.end() + 1 : _closing(self.text, word.end())]))
        arguments = f"<{', '.join(['int'] * arity)}>" if arity else ""
        path = f"{before[0].replace(' ', '')}{word[0].lstrip('@')}{arguments}"
        return Hit(at, "type", "cref", path=path)


def crefs_in(source: bytes, docs: Iterable[tuple[int, int]]) -> Iterator[Cref]:
    """Every `cref` of these doc comments of a file."""
    for start, end in docs:
        for match in _CREF.finditer(source, start, end):
            group = "double" if match["double"] is not None else "single"
            yield Cref(match.start(group), match[group].decode("utf-8", "replace"))


def _depth(text: str) -> int:
    return text.count("{") - text.count("}")


def _closing(text: str, opening: int) -> int:
    """Where the brace at `opening` closes, the end of the text where it does not."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def _listed(text: str) -> tuple[str, ...]:
    """What stands between commas, up to the closing parenthesis, in the spelling of code."""
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
