"""Removed declarations and their remaining users, found in the index of the old side, where those uses are bound."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from services.index.index import Index
from services.index.symbols.implicit import implicit_members
from services.model import TYPE_KINDS, Kind, SymbolRef
from services.model.review import Finding, Severity
from services.review.analysis.symbols import MOST_PLACES, callers_of
from services.review.opened import ChangedFile
from services.syntax.markup.reading import read_source_file
from services.syntax.records.declaration import Declaration, FileRecord

_MOST = 40
"""Symbols whose uses are looked for."""

_MOST_USES = 50
"""Uses of one symbol that are looked at."""

_OF_TYPES = 2
Key = tuple[str, ...]
"""Namespace, the types around it, its name: overloads count as one."""


class Gone(msgspec.Struct, frozen=True):
    """A declaration that the new side has not got, nor another of its name. Lines are the old side's."""

    path: str
    name: str
    start_line: int
    end_line: int


def gone_of(files: Sequence[ChangedFile]) -> list[Gone]:
    """Return the declarations that only the old side has; for a removed type the type, not its members."""
    kept: set[Key] = set()
    old: dict[Key, Gone] = {}
    for file in files:
        if not file.is_code:
            continue
        kept |= {key for key, _ in declared_in(file.path, file.new)}
        path = file.change.old_path or file.path
        for key, each in declared_in(path, file.old):
            old.setdefault(key, Gone(path, each.name, each.start_line, each.end_line))
    return [
        gone
        for key, gone in old.items()
        if key not in kept and (key[:-1] in kept or key[:-1] not in old) and not constructs(key)
    ]


def constructs(key: Key) -> bool:
    """Whether it is that of the constructors of a type: where none is written, the compiler makes one."""
    return len(key) > _OF_TYPES and key[-1] == key[-2]


def declared_in(path: str, text: str | None) -> Iterator[tuple[Key, Declaration]]:
    """Yield the declarations of a text, and what records have by their parameters, each with its key."""
    data = text.encode("utf-8", "surrogatepass") if text is not None else None
    record = read_source_file(path, data, frozenset()) if data is not None else None
    for each in record.declarations if record is not None else ():
        yield _key(record, each), each
        for made in _of_parameters(each):
            yield (*_key(record, each), made.name), made


def symbol_at(index: Index, path: str, first: int, last: int, *, name: str) -> SymbolRef | None:
    """Return the symbol of that name around lines of a file, or the innermost one where none is declared so. A record's
    header declares what it has by its parameters."""
    ref = index.files.enclosing(path, first, last, name=name)
    if ref is None or ref.kind not in TYPE_KINDS or ref.path.rpartition(".")[2].partition("<")[0] == name:
        return ref
    at = index.identities.find(ref.id)
    whole = index.describer.whole(at) if at is not None else None
    for member in whole.members if whole is not None else ():
        if member.implicit and member.declaration.name == name:
            assert whole is not None
            return index.describer.refs.member_ref(whole, member)
    return ref


def _of_parameters(type_: Declaration) -> list[Declaration]:
    """The properties that a record has by its parameters."""
    if not type_.parameters:
        return []
    made = implicit_members(type_, frozenset(type_.modifiers), [])
    return [
        each
        for each in made
        if each.kind is Kind.PROPERTY and each.name in {p.name for p in type_.parameters}
    ]


def _key(record: FileRecord | None, declaration: Declaration) -> Key:
    name = f"{declaration.explicit}.{declaration.name}" if declaration.explicit else declaration.name
    if record is None or declaration.parent < 0:
        namespace = record.scopes[declaration.scope].namespace if record is not None else ""
        return namespace, name
    return *_key(record, record.declarations[declaration.parent]), name


def removed_findings(
    old: Index,
    new: Index,
    files: Sequence[ChangedFile],
    gone: Sequence[Gone],
    *,
    cancel: threading.Event | None = None,
) -> Iterator[Finding]:
    """Uses of what is gone that the change leaves as they are. `old`, `new`: the indexes of both sides."""
    by_old = {file.change.old_path or file.path: file for file in files}
    for each in gone[:_MOST]:
        ref = symbol_at(old, each.path, each.start_line, each.end_line, name=each.name)
        if ref is None or _is_in(new, ref, each.name):
            continue
        yield from _overriding(new, ref, each.name)
        uses = islice(callers_of(old, ref.id, by_line=True, nameless=True, cancel=cancel), _MOST_USES)
        callers = [use for use in uses if use.symbol.id != ref.id]
        places = []
        for use in callers:
            file = by_old.get(use.path)
            line = use.line if file is None else file.new_line_of(use.line)
            if line is not None:
                places.append(f"{file.path if file is not None else use.path}:{line}")
        if places:
            in_file = by_old[each.path]
            is_there = in_file.change.status != "deleted"
            text = f"{ref.path} is gone; {len(places)} of {len(callers)} uses of it are still there."
            yield Finding(
                kind="callers", severity=Severity.BLOCKER, file=in_file.path, symbol=ref.id, code="removed", text=text,
                line=in_file.line_after(each.start_line) if is_there else None,
                places=tuple(dict.fromkeys(places))[:MOST_PLACES],
            )  # fmt: skip
            yield from _broken(places[:_MOST_USES], ref.path)


def _broken(places: Sequence[str], name: str) -> Iterator[Finding]:
    """A finding for each place that still uses what is gone."""
    for place in dict.fromkeys(places):
        path, _, line = place.rpartition(":")
        yield Finding(
            kind="broken", severity=Severity.BLOCKER, file=path, line=int(line), code="removed",
            text=f"This uses {name}, which is gone: it does not compile any more.",
        )  # fmt: skip


def _overriding(new: Index, ref: SymbolRef, name: str) -> Iterator[Finding]:
    """A finding for each member that still overrides or implements what is gone."""
    at = new.identities.find("_".join(ref.id.split("_")[:2]))
    for path, line in new.overriding_nothing(at, name)[:_MOST_USES] if at is not None else ():
        yield Finding(
            kind="broken", severity=Severity.BLOCKER, file=path, line=line, code="removed",
            text=f"This overrides or implements {ref.path}, which is gone: it does not compile any more.",
        )  # fmt: skip


def _is_in(new: Index, ref: SymbolRef, name: str) -> bool:
    """Whether a symbol of the old side, or another of its name, is on the new one: another part may declare it."""
    at = new.identities.find("_".join(ref.id.split("_")[:2]))
    if at is None or ref.id.count("_") < 2:
        return at is not None
    whole = new.describer.whole(at)
    return whole is not None and any(member.declaration.name == name for member in whole.members)
