"""The members of an assembly's types as a C# program sees them (ECMA-335 II.22.15, II.22.26, II.22.34)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from services.errors import NotAnAssembly
from services.index.external import metadata as md
from services.index.external.signature import Hints, SignatureReader
from services.index.external.table import MemberRow, ParameterRow, TypeParameterRow
from services.index.names.framework import is_writable

EXTENSION = "ExtensionAttribute"
PARAMS = ("ParamArrayAttribute", "ParamCollectionAttribute")
READ_ONLY = "IsReadOnlyAttribute"
_DYNAMIC, _TUPLE_NAMES = "DynamicAttribute", "TupleElementNamesAttribute"
_READ = frozenset({EXTENSION, *PARAMS, READ_ONLY, _DYNAMIC, _TUPLE_NAMES})
_PROLOG = 2  # bytes
_NULL = b"\xff"
_NO_HINTS = Hints()


class Attributes:
    """The relevant attributes, by their target. They are recognised by simple names: compilers define some of them in
    the assembly itself."""

    def __init__(self, tables: md.Tables) -> None:
        self._tables = tables

    def has(self, table: int, row: int, *names: str) -> bool:
        """Whether a 0-based row of a table has one of the attributes."""
        return any(name in names for name, _ in self._found.get((table, row), ()))

    def hints(self, table: int, row: int) -> Hints:
        """Return the hints for the type of a parameter, field or property, or of the target at a row."""
        found = dict(self._found.get((table, row), ()))
        if _DYNAMIC not in found and _TUPLE_NAMES not in found:
            return _NO_HINTS
        dynamic = _flags(found[_DYNAMIC]) if _DYNAMIC in found else ()
        return Hints(dynamic, _texts(found.get(_TUPLE_NAMES, b"")))

    @cached_property
    def _found(self) -> dict[tuple[int, int], list[tuple[str, bytes]]]:
        found: dict[tuple[int, int], list[tuple[str, bytes]]] = {}
        constructors = self._constructors
        for parent, constructor, value in self._tables.rows(md.CUSTOM_ATTRIBUTE):
            name = constructors.get(constructor)
            if name is not None:
                table, row = md.coded(parent, "HasCustomAttribute")
                found.setdefault((table, row - 1), []).append((name, self._tables.blob(value)))
        return found

    @cached_property
    def _constructors(self) -> dict[int, str]:
        """Map the CustomAttributeType index of each constructor to its attribute: defined here, or referred to."""
        tables = self._tables
        found: dict[int, str] = {}
        for row, (_, name, *_) in enumerate(tables.rows(md.TYPE_DEF)):
            text = tables.string(name)
            if text in _READ:
                for method in tables.list_of(md.TYPE_DEF, row, column=5, items=md.METHOD_DEF):
                    found[md.uncoded(md.METHOD_DEF, method + 1, "CustomAttributeType")] = text
        for row, (parent, _, _) in enumerate(tables.rows(md.MEMBER_REF), 1):
            table, target = md.coded(parent, "MemberRefParent")
            if table == md.TYPE_REF and target:
                text = tables.string(tables.rows(md.TYPE_REF)[target - 1][1])
                if text in _READ:
                    found[md.uncoded(md.MEMBER_REF, row, "CustomAttributeType")] = text
        return found


def _flags(value: bytes) -> tuple[bool, ...] | None:
    """The argument of a DynamicAttribute; None where it has none, and means all of the type."""
    body = value[_PROLOG:-2]
    if not body:
        return None
    count = int.from_bytes(body[:4], "little")
    return tuple(map(bool, body[4 : 4 + count]))


def _texts(value: bytes) -> tuple[str, ...]:
    """The argument of a TupleElementNamesAttribute."""
    body = value[_PROLOG:]
    count, at = int.from_bytes(body[:4], "little"), 4
    found: list[str] = []
    try:
        for _ in range(min(count, len(body))):
            if body[at : at + 1] == _NULL:
                found.append("")
                at += 1
                continue
            size, start = md.compressed(body, at)
            found.append(body[start : start + size].decode("utf-8"))
            at = start + size
    except (IndexError, ValueError) as error:
        raise NotAnAssembly("The assembly's metadata is damaged.", reason=repr(error)) from error
    return tuple(found)


_ACCESS, _STATIC, _FINAL, _VIRTUAL, _NEW_SLOT, _ABSTRACT, _SPECIAL = (
    0x7,
    0x10,
    0x20,
    0x40,
    0x100,
    0x400,
    0x800,
)
_SPECIAL_FIELD = 0x200
_PROTECTED, _VISIBLE = (4, 5), (4, 5, 6)
"""Protected and protected internal; these and public (II.23.1.5, II.23.1.10)."""
_GENERIC = 0x10
_SETTER, _GETTER, _ADDER = 0x1, 0x2, 0x8
_OUT, _OPTIONAL = 0x2, 0x10
_CONSTRUCTOR = ".ctor"
TypeParameters = Callable[[int, int], Sequence[TypeParameterRow]]
"""Type parameters of a 0-based row of a table, without inherited ones."""


class MemberRows:
    """Reads the members of one assembly. `name_of`: as for Signature; `type_of`: of any TypeDefOrRef index."""

    def __init__(
        self,
        tables: md.Tables,
        *,
        name_of: Callable[[int], str],
        type_of: Callable[[int], str],
        parameters_of: TypeParameters,
    ) -> None:
        self._tables = tables
        self._attributes = Attributes(tables)
        self._name_of = name_of
        self._type_of = type_of
        self._parameters_of = parameters_of

    def of(self, row: int) -> Iterator[MemberRow]:
        """Iterate over the visible members of the 0-based row of TypeDef; accessors are not methods."""
        for field in self._tables.list_of(md.TYPE_DEF, row, column=4, items=md.FIELD):
            yield from self._field(field)
        for method in self._methods_of(row):
            yield from self._method(method)
        for each in self._properties.get(row, ()):
            yield from self._property(each)
        for each in self._events.get(row, ()):
            yield from self._event(each)

    def call(self, row: int) -> tuple[str, tuple[ParameterRow, ...]] | None:
        """Return the return type and parameters of a delegate."""
        for method in self._methods_of(row):
            if self._tables.string(self._tables.rows(md.METHOD_DEF)[method][3]) == "Invoke":
                return self._signature(method)
        return None

    def _methods_of(self, row: int) -> range:
        return self._tables.list_of(md.TYPE_DEF, row, column=5, items=md.METHOD_DEF)

    def _field(self, row: int) -> Iterator[MemberRow]:
        flags, name, blob = self._tables.rows(md.FIELD)[row]
        text = self._tables.string(name)
        if flags & _ACCESS in _VISIBLE and not flags & _SPECIAL_FIELD and is_writable(text):
            signature = SignatureReader(self._tables.blob(blob), self._name_of)
            signature.number()
            type_ = signature.hinted(self._attributes.hints(md.FIELD, row))
            yield MemberRow("f", text, _letters(flags & ~(_VIRTUAL | _ABSTRACT)), type_)

    def _method(self, row: int) -> Iterator[MemberRow]:
        _, _, flags, name, _, _ = self._tables.rows(md.METHOD_DEF)[row]
        text = self._tables.string(name)
        what = _what(text, flags)
        if flags & _ACCESS in _VISIBLE and what:
            letters = _letters(flags) + ("x" if self._attributes.has(md.METHOD_DEF, row, EXTENSION) else "")
            returned, parameters = self._signature(row)
            own = tuple(self._parameters_of(md.METHOD_DEF, row))
            yield MemberRow(what, text, letters, returned, parameters, own)

    def _signature(self, row: int) -> tuple[str, tuple[ParameterRow, ...]]:
        """Return the return type and parameters of a method."""
        blob = self._tables.rows(md.METHOD_DEF)[row][4]
        rows = {self._tables.rows(md.PARAM)[at][1]: at for at in self._parameters(row)}
        signature = SignatureReader(self._tables.blob(blob), self._name_of)
        if signature.number() & _GENERIC:
            signature.number()
        count = signature.count()
        returned = signature.hinted(self._attributes.hints(md.PARAM, rows.get(0, -1)))
        return returned, tuple(self._parameter(signature, rows.get(at + 1, -1)) for at in range(count))

    def _parameters(self, method: int) -> range:
        return self._tables.list_of(md.METHOD_DEF, method, column=5, items=md.PARAM)

    def _parameter(self, signature: SignatureReader, row: int) -> ParameterRow:
        before = signature.position
        type_ = signature.hinted(self._attributes.hints(md.PARAM, row))
        flags, name = 0, ""
        if row >= 0:
            flags, _, at = self._tables.rows(md.PARAM)[row]
            name = self._tables.string(at)
        way = ""
        if signature.is_reference(before):
            is_in = self._attributes.has(md.PARAM, row, READ_ONLY)
            way = "in" if is_in else "out" if flags & _OUT else "ref"
        elif self._attributes.has(md.PARAM, row, *PARAMS):
            way = "params"
        return ParameterRow(name, type_, f"{way} ?".strip() if flags & _OPTIONAL else way)

    def _property(self, row: int) -> Iterator[MemberRow]:
        _, name, blob = self._tables.rows(md.PROPERTY)[row]
        text = self._tables.string(name)
        accessors = self._accessors.get((md.PROPERTY, row), {})
        seen = {
            what: method for what, method in accessors.items() if self._flags(method) & _ACCESS in _VISIBLE
        }
        if not seen or not is_writable(text):
            return
        widest = max(seen.values(), key=lambda method: self._flags(method) & _ACCESS)
        letters = _letters(self._flags(widest)) + ("" if _SETTER in accessors else "r")
        signature = SignatureReader(self._tables.blob(blob), self._name_of)
        signature.number()
        if not signature.number():
            type_ = signature.hinted(self._attributes.hints(md.PROPERTY, row))
            yield MemberRow("p", text, letters, type_)
            return
        returned, parameters = self._signature(widest)
        if _GETTER not in seen:
            *listed, last = parameters
            parameters, returned = tuple(listed), last.type
        yield MemberRow("i", "this[]", letters.replace("r", ""), returned, parameters)

    def _event(self, row: int) -> Iterator[MemberRow]:
        _, name, type_ = self._tables.rows(md.EVENT)[row]
        text = self._tables.string(name)
        method = self._accessors.get((md.EVENT, row), {}).get(_ADDER)
        if method is not None and self._flags(method) & _ACCESS in _VISIBLE and is_writable(text):
            yield MemberRow("e", text, _letters(self._flags(method)), self._type_of(type_))

    def _flags(self, method: int) -> int:
        return self._tables.rows(md.METHOD_DEF)[method][2]

    @cached_property
    def _properties(self) -> dict[int, range]:
        return self._mapped(md.PROPERTY_MAP, md.PROPERTY)

    @cached_property
    def _events(self) -> dict[int, range]:
        return self._mapped(md.EVENT_MAP, md.EVENT)

    def _mapped(self, maps: int, items: int) -> dict[int, range]:
        rows = enumerate(self._tables.rows(maps))
        return {
            owner - 1: self._tables.list_of(maps, number, column=1, items=items)
            for number, (owner, _) in rows
        }

    @cached_property
    def _accessors(self) -> dict[tuple[int, int], dict[int, int]]:
        """Methods by what they do, by the table and 0-based row of their property or event."""
        found: dict[tuple[int, int], dict[int, int]] = {}
        for semantics, method, association in self._tables.rows(md.METHOD_SEMANTICS):
            table, row = md.coded(association, "HasSemantics")
            found.setdefault((table, row - 1), {})[semantics] = method - 1
        return found


def _what(name: str, flags: int) -> str:
    """Return the kind of a method, as in MemberRow; empty for one that no program calls by name."""
    if name == _CONSTRUCTOR:
        return "c"
    if flags & _SPECIAL:
        return "o" if flags & _STATIC and name.startswith("op_") else ""
    is_finalizer = name == "Finalize" and flags & _ACCESS == _PROTECTED[0] and flags & _VIRTUAL
    return "m" if is_writable(name) and not is_finalizer else ""


def _letters(flags: int) -> str:
    letters = "s" if flags & _STATIC else ""
    if flags & _ABSTRACT:
        letters += "a"
    if flags & _VIRTUAL and not flags & _NEW_SLOT:
        letters += "o"
    elif flags & _VIRTUAL and not flags & (_FINAL | _ABSTRACT):
        letters += "v"
    return letters + ("p" if flags & _ACCESS in _PROTECTED else "")
