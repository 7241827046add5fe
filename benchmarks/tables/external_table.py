"""Makes the table of external members, from lists of public members as JSON lines.

    python -m benchmarks.tables.external_table FOLDER

FOLDER has `net10`, `aspnet`, `netstandard20`, `net472` and `packages` as `NAME.jsonl.xz`: one type a line with `id`,
`asm`, `kind`, `flags`, `tp`, `base`, `ifaces`, `call` and `m`.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from services.index.external import table
from services.index.external.restored import packed
from services.index.external.table import FILE, MemberRow, ParameterRow, TypeParameterRow, TypeRow
from services.index.names.type_text import KEYWORDS, Named, Node, Predefined, Tuple, Wrapped, parse

SOURCES = ("net10", "aspnet", "netstandard20", "net472", "packages")
Row = Mapping[str, Any]


class Notation:
    """Writer of C# types in the notation of the table."""

    def __init__(self, ids: set[str]) -> None:
        self._ids = ids
        self._names: dict[str, str] = {}

    def full(self, id_: str) -> str:
        """``A.B.C`` → ``A.B+C`` where `A.B` is a type."""
        known = self._names.get(id_)
        if known is None:
            outer, _, name = id_.rpartition(".")
            known = id_
            if outer in self._ids:
                known = f"{self.full(outer)}+{name}"
            self._names[id_] = known
        return known

    def type(self, text: str, own: Sequence[str], method: Sequence[str]) -> str:
        """A type text; what cannot be read is `?`."""
        node = parse(text)
        return self._node(node, own, method) if node is not None else "?"

    def _node(self, node: Node, own: Sequence[str], method: Sequence[str]) -> str:
        if isinstance(node, Predefined):
            return KEYWORDS.get(node.name, node.name)
        if isinstance(node, Wrapped):
            inner = self._node(node.inner, own, method)
            return f"System.Nullable`1[{inner}]" if node.suffix == "?" else f"{inner}{node.suffix}"
        if isinstance(node, Tuple):
            parts = (f"{self._node(each, own, method)} {name}".rstrip() for each, name in node.elements)
            return f"({','.join(parts)})"
        return self._named(node, own, method) if isinstance(node, Named) else "?"

    def _named(self, node: Named, own: Sequence[str], method: Sequence[str]) -> str:
        first = node.segments[0]
        if len(node.segments) == 1 and not first.arguments:
            if first.name in method:
                return f"!!{len(method) - 1 - list(reversed(method)).index(first.name)}"
            if first.name in own:
                return f"!{len(own) - 1 - list(reversed(own)).index(first.name)}"
        name, arguments = "", list[str]()
        for segment in node.segments:
            count = len(segment.arguments)
            name = f"{name}.{segment.name}" if name else segment.name
            name += f"`{count}" if count else ""
            arguments += [self._node(each, own, method) for each in segment.arguments]
        return self.full(name) + (f"[{','.join(arguments)}]" if arguments else "")


class Maker:
    """Makes the rows of one source. `outer`: type parameters of types by id."""

    def __init__(self, rows: Sequence[Row], ids: set[str]) -> None:
        self._rows = rows
        self._notation = Notation(ids)
        self._own = {row["id"]: [each[0] for each in row.get("tp", ())] for row in rows}

    def rows(self) -> Iterator[TypeRow]:
        """Every type."""
        for row in self._rows:
            if row["kind"] != "extension" and "<" not in row["id"]:
                yield self._row(row)

    def _around(self, id_: str) -> list[str]:
        outer = id_.rpartition(".")[0]
        return [*self._around(outer), *self._own.get(outer, ())] if outer in self._own else []

    def _row(self, row: Row) -> TypeRow:
        own = [*self._around(row["id"]), *self._own[row["id"]]]
        call = row.get("call")
        return TypeRow(
            self._notation.full(row["id"]),
            row["asm"],
            row["kind"],
            row["flags"],
            self._parameters(row.get("tp", ()), own, []),
            self._type(row["base"], own, []) if row.get("base") else "",
            tuple(self._type(each, own, []) for each in row.get("ifaces", ())),
            (self._type(call[0], own, []), self._listed(call[1], own, [])) if call else None,
            tuple(self._member(each, own) for each in row.get("m", ())),
        )

    def _member(self, row: Sequence[Any], own: Sequence[str]) -> MemberRow:
        parameters = row[5] if len(row) > 5 else ()
        method = [each[0] for each in parameters]
        listed = self._listed(row[4] if len(row) > 4 else (), own, method)
        made = self._parameters(parameters, own, method)
        return MemberRow(row[0], row[1], row[2], self._type(row[3], own, method), listed, made)

    def _listed(
        self, rows: Sequence[Any], own: Sequence[str], method: Sequence[str]
    ) -> tuple[ParameterRow, ...]:
        return tuple(ParameterRow(p[0], self._type(p[1], own, method), _way(p[2])) for p in rows)

    def _parameters(
        self, rows: Sequence[Any], own: Sequence[str], method: Sequence[str]
    ) -> tuple[TypeParameterRow, ...]:
        return tuple(
            TypeParameterRow(name, tuple(self._type(each, own, method) for each in bounds), kinds.strip())
            for name, bounds, kinds in rows
        )

    def _type(self, text: str, own: Sequence[str], method: Sequence[str]) -> str:
        return self._notation.type(text, own, method)


def _way(text: str) -> str:
    return text.replace("refreadonlyparameter", "in").strip()


def main() -> None:
    """Make it."""
    folder = Path(sys.argv[1])
    listed = {name: _read(folder / f"{name}.jsonl.xz") for name in SOURCES}
    frameworks = {row["id"] for name in SOURCES[:2] for row in listed[name]}
    types = [
        (name, row)
        for name, rows in listed.items()
        for row in Maker(rows, {each["id"] for each in rows} | frameworks).rows()
    ]
    out = Path(table.__file__).with_name(FILE)
    out.write_bytes(packed(types))
    print(f"{len(types)} types, {out.stat().st_size} bytes")


def _read(path: Path) -> list[Row]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
