"""Something that can be opened, as one string: a symbol's id, a file, or lines of one."""

from __future__ import annotations

import re
from typing import Self

from msgspec import Struct

from services.model import SymbolRef, WindowItem, is_symbol_id

_RANGE = re.compile(r"(?P<file>.+?)(?::(?P<start>\d+)(?:-(?P<end>\d+))?)?", re.DOTALL)

_NAMES = re.compile(r"(?:[^.<>]|<(?:[^<>]|<[^<>]*>)*>)+")
"""The parts of a dotted name; type arguments belong to theirs."""


class Place(Struct, frozen=True):
    """`target`: how it is named to the services; `file` is empty until a symbol's is known; lines are 0 likewise, and
    `end` is where one line is meant to be gone to, none to be selected."""

    target: str
    file: str = ""
    start: int = 0
    end: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """The place of a string."""
        match = _RANGE.fullmatch(text)
        if match is None or is_symbol_id(text):
            return cls(text)
        return cls(text, match["file"], int(match["start"] or 0), int(match["end"] or 0))

    @property
    def is_range(self) -> bool:
        """Whether it is a file, or lines of one, rather than a symbol."""
        return bool(self.file) and not is_symbol_id(self.target)


def target_of(item: WindowItem) -> str:
    """How an item of the prompt window is opened."""
    return item.symbol_id or item.key.partition(":")[2]


def lines_of(content: str) -> list[str]:
    """The lines of a text, without their endings: a line ends at LF, and a CR before it belongs to the ending."""
    lines = content.split("\n")
    if "\r" in content:
        lines = [line.removesuffix("\r") for line in lines]
    if not lines[-1]:
        lines.pop()
    return lines


def steps_of(symbol: SymbolRef | None) -> list[tuple[str, str]]:
    """A trail to a symbol: (what each step leads to, what it is called), the namespace first, as one step for each
    name in it."""
    if symbol is None:
        return []
    names, steps = _NAMES.findall(symbol.container), []
    for at, name in enumerate(names, 1):
        steps.append((".".join(names[:at]), name))
    return [*steps, (symbol.id, symbol.label)]
