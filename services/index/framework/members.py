"""Members of framework types: what the index asks to say what type an expression has.

The data is some ten times that of the types and is unpacked when it is first asked for.
"""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path

from services.index.framework import record
from services.index.framework.facts import MemberFact, namespace_of


class MemberTable:
    """Members by the full name of the type that declares them: inherited ones are found at its bases."""

    def __init__(self, text: str) -> None:
        """`text` is in the format of `record.py`."""
        self._blocks = dict(record.blocks(text))
        self._types: dict[str, dict[str, list[str]]] = {}
        self._extensions: dict[str, dict[str, list[MemberFact]]] = {}

    def of(self, fqn: str) -> tuple[MemberFact, ...]:
        """Members that the type itself declares, one for each type that a group of overloads returns."""
        return tuple(map(record.parsed_member, self._lines(namespace_of(fqn)).get(fqn, ())))

    def find(self, fqn: str, name: str) -> tuple[MemberFact, ...]:
        """Those of them with that name."""
        return tuple(member for member in self.of(fqn) if member.name == name)

    def extensions(self, namespace: str, name: str) -> tuple[MemberFact, ...]:
        """Extension methods of that name that `using namespace;` brings."""
        known = self._extensions.get(namespace)
        if known is None:
            known = self._extensions[namespace] = self._all_extensions(namespace)
        return tuple(known.get(name, ()))

    def _all_extensions(self, namespace: str) -> dict[str, list[MemberFact]]:
        found: dict[str, list[MemberFact]] = {}
        for lines in self._lines(namespace).values():
            for member in map(record.parsed_member, lines):
                if member.receiver is not None:
                    found.setdefault(member.name, []).append(member)
        return found

    def _lines(self, namespace: str) -> dict[str, list[str]]:
        """Lines of members by the full name of the type."""
        known = self._types.get(namespace)
        if known is None:
            known = {}
            for group in f"\n{self._blocks.get(namespace, '')}".split(f"\n{record.OWNER}")[1:]:
                name, *lines = group.split("\n")
                known[f"{namespace}.{name}" if namespace else name] = lines
            self._types[namespace] = known
        return known


@cache
def load() -> MemberTable:
    """The table that ships with the program; unpacked at the first call."""
    packed = Path(__file__).with_name(record.MEMBERS_FILE).read_bytes()
    return MemberTable(lzma.decompress(packed).decode())
