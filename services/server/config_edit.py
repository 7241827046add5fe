"""Entries put into other programs' configuration and taken out again: every other byte stays as it is.

JSON with comments and trailing commas is edited as text, by where its values stand; TOML and Markdown get a marked
block at their end. What this program wrote is known by its place and its form, so that taking it out leaves the bytes
that were there before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from services.decoding import SMALL, decode, decode_toml
from services.errors import UsageError

NAME = "codecortex"
_OPEN_LINE, _EMPTY = "after a line without an end", "in an empty file"
_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"/]+', re.DOTALL)


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class _Property(NamedTuple):
    """Property of an object, or item of a list: the offsets of its key and its value."""

    start: int
    value: int
    end: int


def with_entry(text: str, container: str, entry: dict[str, Any]) -> str:
    """The JSON text with an entry of this program's name in an object of the outermost one; as it is where it has that
    entry. Raises UsageError for what is no object, and for another entry of the name."""
    found = _Document(text)
    holder = found.properties(found.root).get(container)
    if holder is None:
        made = f"\n  {_string(container)}: {{{_string(NAME)}: {_compact(entry)}}}"
        return _inserted(text, found, found.root, made)
    if text[holder.value] != "{":
        raise UsageError(f"{container} is no object in it. Mend that first.")
    own = found.properties(holder.value).get(NAME)
    if own is None:
        return _inserted(text, found, holder.value, f"\n    {_string(NAME)}: {_compact(entry)}")
    if found.value(own) != entry:
        raise UsageError(f"It has another entry {NAME} in {container}. Take that out first.")
    return text


def without_entry(text: str, container: str) -> str:
    """The JSON text without the entry of this program's name. Raises UsageError for what is no object."""
    found = _Document(text)
    holder = found.properties(found.root).get(container)
    if holder is None or text[holder.value] != "{":
        return text
    inside = found.properties(holder.value)
    own = inside.get(NAME)
    if own is None:
        return text
    is_ours = _is_all(text, holder.value, holder.end, own)
    outer, target = (found.root, holder) if is_ours else (holder.value, own)
    return _removed(text, found, outer, target)


def with_item(text: str, place: tuple[str, str], item: dict[str, Any]) -> str:
    """The JSON text with an item at the start of a list, which is a property of an object of the outermost one; as it
    is where the list has it. Raises UsageError where that is no object or no list."""
    container, name = place
    found = _Document(text)
    made = f"{_string(name)}: [{_compact(item)}]"
    holder = found.properties(found.root).get(container)
    if holder is None:
        return _inserted(text, found, found.root, f"\n  {_string(container)}: {{{made}}}")
    if text[holder.value] != "{":
        raise UsageError(f"{container} is no object in it. Mend that first.")
    listed = found.properties(holder.value).get(name)
    if listed is None:
        return _inserted(text, found, holder.value, f"\n    {made}")
    if text[listed.value] != "[":
        raise UsageError(f"{container}.{name} is no list in it. Mend that first.")
    items = found.items(listed.value)
    if any(found.value(each) == item for each in items):
        return text
    at = listed.value + 1
    return f"{text[:at]}\n      {_compact(item)}{',' if items else ''}{text[at:]}"


def without_item(text: str, place: tuple[str, str], is_ours: Callable[[Any], bool]) -> str:
    """The JSON text without the items that are this program's. Raises UsageError for what is no object."""
    container, name = place
    found = _Document(text)
    holder = found.properties(found.root).get(container)
    if holder is None or text[holder.value] != "{":
        return text
    listed = found.properties(holder.value).get(name)
    if listed is None or text[listed.value] != "[":
        return text
    own = next((each for each in found.items(listed.value) if is_ours(found.value(each))), None)
    if own is None:
        return text
    if not _is_all(text, listed.value, listed.end, own):
        left = _removed(text, found, listed.value, own)
    elif not _is_all(text, holder.value, holder.end, listed):
        left = _removed(text, found, holder.value, listed)
    else:
        left = _removed(text, found, found.root, holder)
    return without_item(left, place, is_ours)


def _is_all(text: str, start: int, end: int, part: _Property) -> bool:
    """Whether a part is all text between the brackets at these offsets: then they were written with it."""
    return text[start + 1 : end - 1] == text[part.start : part.end]


def with_block(text: str | None, block: str, signs: tuple[str, str]) -> str:
    """The text with a marked block at its end, None where there is no file; as it is where it has one. `signs`: around
    the mark of a line."""
    is_empty, text = text == "", text or ""
    if _block(text, signs) is not None:
        return text
    joined = "" if not text or text.endswith("\n") else "\n"
    mark = f"begin, {_OPEN_LINE}" if joined else f"begin, {_EMPTY}" if is_empty else "begin"
    return f"{text}{joined}{_mark(signs, mark)}\n{block.rstrip()}\n{_mark(signs, 'end')}\n"


def without_block(text: str, signs: tuple[str, str]) -> str | None:
    """The text without the marked block; None where the file was made for it."""
    found = _block(text, signs)
    if found is None:
        return text
    mark = found[0].partition("\n")[0]
    is_last = found.end() == len(text)
    start = found.start() - (1 if _OPEN_LINE in mark and is_last else 0)
    rest = text[found.end() :]
    if said := mark.partition(f"{NAME}: begin")[2].removesuffix(signs[1]):
        # How the file was before is known to the next block from here on.
        rest = re.sub(rf"\A([^\n]*\b{NAME}: begin)(?={re.escape(signs[1])}\n)", rf"\g<1>{said}", rest)
    left = text[:start] + rest
    return left if left or _EMPTY in mark else None


def require_toml(text: str) -> None:
    """Raises UsageError for a text that is no TOML."""
    try:
        decode_toml(dict[str, Any], text, SMALL)
    except msgspec.DecodeError as error:
        raise UsageError(f"It is no TOML: {error}. Mend that first.") from error


def _mark(signs: tuple[str, str], word: str) -> str:
    return f"{signs[0]}{NAME}: {word}{signs[1]}"


def _block(text: str, signs: tuple[str, str]) -> re.Match[str] | None:
    head, tail = (re.escape(each) for each in signs)
    return re.search(rf"(?m)^{head}{NAME}: begin[^\n]*{tail}\n(?s:.*?)^{head}{NAME}: end{tail}\n", text)


def _inserted(text: str, found: _Document, at: int, made: str) -> str:
    comma = "," if found.properties(at) else ""
    return f"{text[: at + 1]}{made}{comma}{text[at + 1 :]}"


def _removed(text: str, found: _Document, outer: int, target: _Property) -> str:
    """Without a property and what was written with it: the line before its key, the comma behind it."""
    before = text[outer + 1 : target.start]
    if before.isspace() or not before:  # the first one
        after = found.after(target.end)
        end = after.end if after is not None and after.text == "," else target.end
        return text[: outer + 1] + text[end:]
    comma = text.rfind(",", outer, target.start)
    return text[:comma] + text[target.end :]


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Document:
    """A JSON text with comments and trailing commas, by its signs. Raises UsageError where it is none, or no object."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[_Token] = []
        plain: list[str] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _broken(text, at)
            is_kept = not match[0].isspace() and not match[0].startswith(("//", "/*"))
            plain.append(match[0] if is_kept else " ")
            if is_kept:
                self._tokens.append(_Token(match[0], at, match.end()))
            at = match.end()
        self._numbers = {token.start: number for number, token in enumerate(self._tokens)}
        try:
            self._value = decode(dict[str, Any], _without_trailing(self._tokens), SMALL)
        except msgspec.DecodeError as error:
            raise UsageError(f"It is no JSON object: {error}. Mend that first.") from error
        self.root = self._tokens[0].start

    def properties(self, at: int) -> dict[str, _Property]:
        """The properties of the object that begins at an offset, by their names."""
        found: dict[str, _Property] = {}
        number = self._numbers[at] + 1
        while self._tokens[number].text != "}":
            key = self._tokens[number]
            value = number + 2
            end = self._skipped(value)
            name = decode(str, key.text, SMALL)
            found[name] = _Property(key.start, self._tokens[value].start, self._tokens[end].end)
            number = end + 1
            if self._tokens[number].text == ",":
                number += 1
        return found

    def items(self, at: int) -> list[_Property]:
        """The items of the list that begins at an offset."""
        found: list[_Property] = []
        number = self._numbers[at] + 1
        while self._tokens[number].text != "]":
            start, end = self._tokens[number].start, self._skipped(number)
            found.append(_Property(start, start, self._tokens[end].end))
            number = end + 1
            if self._tokens[number].text == ",":
                number += 1
        return found

    def value(self, of: _Property) -> Any:
        """The value of a property."""
        first, last = self._numbers[of.value], self._skipped(self._numbers[of.value])
        return decode(Any, _without_trailing(self._tokens[first : last + 1]), SMALL)

    def after(self, at: int) -> _Token | None:
        """The next sign behind an offset."""
        return next((token for token in self._tokens if token.start >= at), None)

    def _skipped(self, number: int) -> int:
        """The number of the last sign of the value that begins with this one."""
        depth = 0
        while True:
            text = self._tokens[number].text
            depth += (text in "{[") - (text in "}]")
            if depth == 0:
                return number
            number += 1


def _without_trailing(tokens: list[_Token]) -> str:
    kept = [
        token.text
        for number, token in enumerate(tokens)
        if not (token.text == "," and number + 1 < len(tokens) and tokens[number + 1].text in "}]")
    ]
    return " ".join(kept)


def _broken(text: str, at: int) -> UsageError:
    line = text.count("\n", 0, at) + 1
    return UsageError(f"It cannot be read at its line {line}. Mend that first.", line=line)
