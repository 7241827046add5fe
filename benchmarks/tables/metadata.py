"""Whether assemblies are read as the compiler reads them, and how long that takes.

    python -m benchmarks.tables.metadata SOURCE FILE.dll …

SOURCE is one of the external table's (`net472`, say), which the compiler made. What both have of a type is compared,
but for constructors without parameters, which the table writes down of structs too.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from services.index.external.assembly import Assembly
from services.index.external.table import MemberRow, TypeRow, load

_HEAD = ("kind", "flags", "base", "call")


def main() -> None:
    """Compare, and print the results."""
    source, *files = sys.argv[1:]
    totals: Counter[str] = Counter()
    for file in files:
        image = Path(file).read_bytes()
        began = time.perf_counter()
        rows = list(Assembly(image).types())
        took = time.perf_counter() - began
        members = sum(len(row.members) for row in rows)
        print(
            f"{Path(file).name}: {len(image):,} bytes, {len(rows):,} types, {members:,} members, {took:.2f} s"
        )
        for row in rows:
            for known in load().types(source, row.fqn)[:1]:
                totals["types"] += 1
                totals["members"] += len(row.members)
                for difference in _differences(row, known):
                    totals["differences"] += 1
                    print(f"  {row.fqn}: {difference}")
    print(
        f"{totals['types']:,} types, {totals['members']:,} members compared: {totals['differences']} differences"
    )


def _differences(row: TypeRow, known: TypeRow) -> Iterator[str]:
    for name in _HEAD:
        if getattr(row, name) != getattr(known, name):
            yield f"{name} {getattr(row, name)}, compiler {getattr(known, name)}"
    mine, its = (Counter(map(_comparable, filter(_counts, each.members))) for each in (row, known))
    if row.kind != "enum":
        yield from (f"only read: {each}" for each in mine - its)
        yield from (f"only the compiler: {each}" for each in its - mine)


def _counts(member: MemberRow) -> bool:
    return member.what != "c" or bool(member.parameters)


def _comparable(member: MemberRow) -> tuple[object, ...]:
    bounds = tuple((each.name, frozenset(each.bounds), each.kinds) for each in member.type_parameters)
    flags = frozenset(member.flags) - {"r"}
    return member.what, member.name, flags, member.type, member.parameters, bounds


if __name__ == "__main__":
    main()
