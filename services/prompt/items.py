"""What the prompt window holds: kinds of item, their keys, and where their content comes from.

A kind is a row of KINDS; the window, its store and its formats know nothing else about it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from services.errors import UsageError


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A kind of item. `title`: what people call it. `follows`: its content is found again by symbol or path
    after an edit; what is bound to line numbers instead is flagged stale when its file changes. `placed`:
    its content does not say where it is from, so its heading must."""

    name: str
    title: str
    follows: bool
    placed: bool


KINDS = {
    kind.name: kind
    for kind in (
        ItemKind("type", "type outline", follows=True, placed=False),
        ItemKind("member", "member outline", follows=True, placed=False),
        ItemKind("range", "source range", follows=False, placed=True),
        ItemKind("file", "whole file", follows=True, placed=True),
    )
}
_RANGE = re.compile(r"(?P<file>.+):(?P<start>[1-9][0-9]*)-(?P<end>[1-9][0-9]*)", re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class ItemKey:
    """What an item is of, as one string: `type:T_7K2M9QXA`, `member:T_7K2M9QXA_AB12CD`, `file:src/A.cs`,
    `range:src/A.cs:120-150`."""

    kind: str
    target: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.target}"

    @classmethod
    def parse(cls, text: str) -> ItemKey:
        """The key of a string. Raises UsageError for a kind that does not exist or a range that is none."""
        kind, _, target = text.partition(":")
        key = cls(kind, target)
        if kind not in KINDS or not target:
            raise UsageError(
                f"{text} is no item of the prompt window. Kinds are {', '.join(KINDS)}.", key=text
            )
        if kind == "range":
            key.lines()
        return key

    @classmethod
    def of_range(cls, file: str, start: int, end: int) -> ItemKey:
        """Lines of a file, 1-based and inclusive. Raises UsageError if they are none."""
        key = cls("range", f"{file}:{start}-{end}")
        key.lines()
        return key

    def lines(self) -> tuple[str, int, int]:
        """(file, first line, last line) of a range. Raises UsageError if this is no range."""
        match = _RANGE.fullmatch(self.target) if self.kind == "range" else None
        if match is None or int(match["start"]) > int(match["end"]):
            raise UsageError(
                f"{self} does not name lines of a file, as in range:src/A.cs:120-150.", key=str(self)
            )
        return match["file"], int(match["start"]), int(match["end"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The content of an item now. `version` changes whenever anything here does: the token of the source, or
    a hash.

    `label`: what a row shows; `detail`: where it is, for people; `language`: of the text, as fences name
    it."""

    label: str
    text: str
    version: str
    detail: str = ""
    language: str = ""
    symbol_id: str | None = None
    file: str | None = None
    start_line: int | None = None
    end_line: int | None = None


class Catalogue(Protocol):
    """Where the window gets its content. Both calls answer None for what is not there any more."""

    def item_version(self, key: ItemKey) -> str | None:
        """The version that `render_item` would give, cheaply: it is asked of every item at every
        rendering."""
        ...

    def render_item(self, key: ItemKey) -> Rendered | None:
        """The content, asked for only when the version is not the one already rendered."""
        ...
