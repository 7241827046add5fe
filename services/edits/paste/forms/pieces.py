"""Pieces of an answer: the requested changes as written, before any look-up in the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from services.source.text.differ import matching_blocks


class SignedLine(NamedTuple):
    """A line of a hunk. `sign`: a blank for context, `-` or `+`."""

    sign: str
    text: str


class HunkNumbers(NamedTuple):
    """Line numbers of a hunk's head: first line and count, of the old side and of the new one."""

    old: int
    old_count: int
    new: int
    new_count: int


class PastedHunk(msgspec.Struct, frozen=True):
    """Lines to find and their replacement. `line`: of the answer, from 1; `numbers`: the stated position, None where
    there is none; `headings`: the lines of the file that the hunk names before it; `at_end`: whether it claims to end
    the file; `open_old`, `open_new`: whether the last line is stated to have no ending, None where nothing is stated;
    `counted`: the counts of its head fit its lines; `block`: the new lines were written separately from the old ones,
    so that only a comparison finds the common ones."""

    ops: tuple[SignedLine, ...]
    line: int
    numbers: HunkNumbers | None = None
    headings: tuple[str, ...] = ()
    at_end: bool = False
    open_old: bool | None = None
    open_new: bool | None = None
    counted: bool = False
    block: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be there."""
        return tuple(op.text for op in self.ops if op.sign != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that are there afterwards."""
        return tuple(op.text for op in self.ops if op.sign != "-")


class WholeChange(StrEnum):
    """Change of a file as a whole."""

    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"


class PathHint(msgspec.Struct, frozen=True):
    """Paths that may be meant, the best first. `certain`: the piece names its file in a place made for that; else the
    words around it mention files."""

    paths: tuple[str, ...] = ()
    certain: bool = False


class FilePiece(msgspec.Struct, frozen=True):
    """Hunks of one file. `to`: the path that a renamed file gets; `refusal`: why it is nothing to be pasted."""

    hint: PathHint
    line: int
    change: WholeChange = WholeChange.EDIT
    hunks: tuple[PastedHunk, ...] = ()
    to: str = ""
    refusal: str = ""


class CodePiece(msgspec.Struct, frozen=True):
    """Source in a fence: a whole file, a type, members, or parts of them. `language`: of the fence, lower case;
    `about`: the words around all fences; `named`: the lines at its start that only name the file, left out of `lines`.
    """

    hint: PathHint
    line: int
    lines: tuple[str, ...]
    language: str = ""
    about: str = ""
    named: tuple[str, ...] = ()


Piece = FilePiece | CodePiece


def replacing(search: Sequence[str], replace: Sequence[str], line: int) -> PastedHunk:
    """The hunk that puts lines in the place of others; what both have in common is context."""
    ops: list[SignedLine] = []
    a = b = 0
    for block in matching_blocks(search, replace):
        ops += [SignedLine("-", text) for text in search[a : block.a]]
        ops += [SignedLine("+", text) for text in replace[b : block.b]]
        ops += [SignedLine(" ", text) for text in search[block.a : block.a + block.size]]
        a, b = block.a + block.size, block.b + block.size
    return PastedHunk(tuple(ops), line, block=True)
