"""A case of a pasted answer, and the ways to write what a commit changed."""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence
from typing import NamedTuple

import msgspec


class Case(msgspec.Struct, kw_only=True):
    """Case of the corpus; `expect` is None where the answer must not be applied. `masks`: marks with their
    secrets."""

    id: str
    form: int
    variant: str
    repo: str
    commit: str
    why: str
    base: dict[str, str]
    disk: dict[str, str]
    answer: str
    expect: dict[str, str | None] | None
    outcome: str
    masks: dict[str, str] = {}


class HunkLines(NamedTuple):
    """Hunk of a diff. `old`, `new`: 1-based first lines; `lines`: with their signs."""

    old: int
    new: int
    lines: list[str]

    def counts(self) -> tuple[int, int]:
        """Lines of the old side and of the new one."""
        return sum(line[0] in " -" for line in self.lines), sum(line[0] in " +" for line in self.lines)

    def head(self) -> str:
        """With the numbers as they are."""
        old, new = self.counts()
        return f"@@ -{self.old},{old} +{self.new},{new} @@"

    def side(self, sign: str) -> list[str]:
        """Its lines of one side."""
        return [line[1:] for line in self.lines if line[0] in (" ", sign)]


def bare(text: str) -> list[str]:
    """Lines without endings and byte order mark."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def hunks(before: str, after: str, context: int = 3) -> list[HunkLines]:
    """The hunks between two texts."""
    made: list[HunkLines] = []
    for group in difflib.SequenceMatcher(None, bare(before), bare(after), autojunk=False).get_grouped_opcodes(
        context
    ):
        lines: list[str] = []
        for tag, a0, a1, b0, b1 in group:
            if tag == "equal":
                lines += [f" {line}" for line in bare(before)[a0:a1]]
                continue
            lines += [f"-{line}" for line in bare(before)[a0:a1]]
            lines += [f"+{line}" for line in bare(after)[b0:b1]]
        made.append(HunkLines(group[0][1] + 1, group[0][3] + 1, lines))
    return made


def body(made: Sequence[HunkLines], heads: Sequence[str] | None = None) -> str:
    """The hunks as text, under their own heads or others."""
    heads = heads or [hunk.head() for hunk in made]
    return "".join("\n".join([head, *hunk.lines]) + "\n" for head, hunk in zip(heads, made, strict=True))


def diff(path: str, before: str, after: str, context: int = 3) -> str:
    """The whole diff of a file as git has it."""
    names = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    return names + body(hunks(before, after, context))


def fence(text: str, info: str = "", mark: str = "```") -> str:
    """The text in a fence."""
    return f"{mark}{info}\n{text.rstrip(chr(10))}\n{mark}\n"


def is_unique(text: str, lines: Sequence[str]) -> bool:
    """Whether lines are in a text exactly once, apart from blanks."""
    there = ["".join(line.split()) for line in bare(text)]
    wanted = ["".join(line.split()) for line in lines]
    size = len(wanted)
    return sum(there[at : at + size] == wanted for at in range(len(there) - size + 1)) == 1


def are_unique(text: str, made: Sequence[HunkLines]) -> bool:
    """Whether every hunk has one place, by its lines alone."""
    return all(is_unique(text, hunk.side("-")) and hunk.side("-") for hunk in made)


def drifted(line: str, rng: random.Random, way: str) -> str:
    """A line with other blanks."""
    indent = line[: len(line) - len(line.lstrip())]
    if way == "ends":
        return line + " " * rng.randint(1, 3)
    if way == "tabs":
        return indent.replace("    ", "\t") + line.lstrip()
    if way == "random":
        return (
            " " * max(0, len(indent) + rng.choice((-4, -2, -1, 1, 2, 4))) + line.lstrip()
            if line.strip()
            else line
        )
    if way == "inner":
        return indent + line.lstrip().replace(" ", "  ", 1)
    return line
