"""Symbols by the places of their names, which the compiler's answers use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from services.index.build.worker import as_utf8
from services.model import TYPE_KINDS, Kind
from services.syntax.parse.branches import lex_file

if TYPE_CHECKING:
    from services.index.index import Index
    from services.index.resolve.resolve import FoundSymbol
    from services.model import SymbolRef
    from services.syntax.records.declaration import Declaration

_KINDS = {
    "ctor": frozenset({Kind.CONSTRUCTOR}),
    "dtor": frozenset({Kind.DESTRUCTOR}),
    "enumvalue": frozenset({Kind.ENUM_MEMBER}),
    "const": frozenset({Kind.CONSTANT}),
    "operator": frozenset({Kind.OPERATOR, Kind.CONVERSION}),
    "method": frozenset({Kind.METHOD, Kind.OPERATOR, Kind.CONVERSION, Kind.EXTENSION_MEMBER}),
    "property": frozenset({Kind.PROPERTY, Kind.EXTENSION_MEMBER}),
}
"""What the compiler's kinds are called here, where names differ."""
_NAMELESS = frozenset({"ctor", "dtor", "indexer", "operator"})
_ATTRIBUTES = re.compile(rb"\A(?:\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\])+")
_AFTER_NAME = rb"(?=\s*(?:[<({=;,:\[]|where\b|\Z))"
_NOT_LINES = re.compile(rb"[^\n]")
_TYPE_WORDS = rb"\b(?:class|struct|interface|enum|record)\s+"
_DELEGATE_WORDS = rb"\bdelegate\b[^;{]*?[\s>\])?*]"


def utf16(line: str, column: int) -> int:
    """UTF-16 units before a character of a line."""
    return len(line[:column].encode("utf-16-le")) // 2


class Places:
    """The places of one index."""

    def __init__(self, index: Index, root: Path) -> None:
        self._index = index
        self._root = root
        self._files: dict[str, int] = {}
        for (_, path), at in index.catalogue.units.items():
            if path not in self._files or index.catalogue.file(self._files[path]).shadow:
                self._files[path] = at
        self._text = lru_cache(64)(self._read)

    def line(self, path: str, line: int) -> str:
        """A line (from 1) of a file, empty where there is none."""
        lines = self._lines(path)
        return lines[line - 1].decode("utf-8", "replace") if line <= len(lines) else ""

    def name_line(self, ref: SymbolRef) -> int:
        """Return the line of a symbol's name: attributes and its type before it may take lines of their own, and
        contain the same name."""
        clean = lex_file(self._text(ref.file), self._defines(ref.file)).clean
        lines = clean.split(b"\n")[ref.start_line - 1 : ref.end_line]
        text = _ATTRIBUTES.sub(lambda match: _NOT_LINES.sub(b" ", match[0]), b"\n".join(lines))
        name = re.match(r"@?\w+", ref.label)
        word = re.escape(name[0].lstrip("@").encode()) if name is not None else b"this"
        name_at = rb"(?<![\w\x80-\xff])" + word + rb"(?![\w\x80-\xff])"
        found = re.search(name_at + _AFTER_NAME, text) or re.search(name_at, text)
        return ref.start_line + (text.count(b"\n", 0, found.start()) if found is not None else 0)

    def _defines(self, path: str) -> frozenset[str]:
        """The symbols that a file is compiled with."""
        file = self._files.get(path)
        return (
            self._index.defines(self._index.catalogue.file(file).project, path)
            if file is not None
            else frozenset()
        )

    def symbol(self, question: Mapping[str, Any]) -> FoundSymbol | None:
        """The symbol whose name the compiler saw at a place: `file`, `line`, `column` (from 1), `kind`, `name`."""
        path = question["file"]
        file = self._files.get(path)
        if file is None:
            return None
        before = sum(len(line) + 1 for line in self._lines(path)[: question["line"] - 1])
        shown = self.line(path, question["line"]).encode("utf-16-le")[: 2 * (question["column"] - 1)]
        offset = before + len(shown.decode("utf-16-le", "replace").encode())
        return self._at(file, offset, question["kind"], question["name"])

    def named(self, index: int, project: int | None = None) -> Mapping[str, Any] | None:
        """Return the place of a type's name, in the first part that `project` sees: `file`, `line`, `name`,
        `arity`."""
        seen = index if project is None else self._index.compiled_for(project, index)
        entry = self._index.catalogue.types[seen]
        for file, at in entry.parts:
            declaration = self._index.records.declaration(file, at)
            compiled = self._index.catalogue.file(file)
            path = compiled.path
            defines = self._index.defines(compiled.project, path)
            if declaration is not None and (at := self._name_of(path, declaration, defines)) is not None:
                line = self._text(path).count(b"\n", 0, at) + 1
                return {"file": path, "line": line, "name": entry.name, "arity": entry.arity}
        return None

    def _at(self, file: int, offset: int, kind: str, name: str) -> FoundSymbol | None:
        record = self._index.records.record(file)
        kinds = _KINDS.get(kind) or frozenset(each for each in Kind if each.value == kind)
        around = [
            (at, each)
            for at, each in enumerate(record.declarations if record is not None else ())
            if each.start <= offset < each.end
        ]
        for at, declaration in reversed(around):
            if declaration.kind in kinds and (kind in _NAMELESS or _is_named(declaration, name)):
                return self._found(file, at)
        # What a header declares stands nowhere else: primary constructors, positional properties.
        owner = next((at for at, each in reversed(around) if each.kind in TYPE_KINDS), None)
        return None if owner is None else self._of_header(file, owner, kinds, name)

    def _found(self, file: int, at: int) -> FoundSymbol | None:
        ref = self._index.files.declared(file, at)
        found = self._index.resolve(ref.id).found if ref is not None else ()
        return found[0] if found else None

    def _of_header(self, file: int, owner: int, kinds: frozenset[Kind], name: str) -> FoundSymbol | None:
        from services.index.resolve.resolve import FoundSymbol

        found = self._found(file, owner)
        if found is None:
            return None
        primary, parameters = found.whole.primary, found.declaration.parameters
        for member in found.whole.members:
            own = member.declaration
            is_primary = own.kind is Kind.CONSTRUCTOR and own.parameters == parameters
            is_of_header = (member.file, member.at) == (primary.file, primary.at) and own.kind in kinds
            if is_of_header and (is_primary or own.name == name):
                return FoundSymbol(found.whole, member)
        return None

    def _name_of(self, path: str, declaration: Declaration, defines: frozenset[str]) -> int | None:
        words = _DELEGATE_WORDS if declaration.kind is Kind.DELEGATE else _TYPE_WORDS
        name = rb"@?(" + re.escape(declaration.name.encode()) + rb")(?![\w\x80-\xff])"
        clean = lex_file(self._text(path), defines).clean
        found = re.compile(words + rb"(?:struct\s+|class\s+)?" + name, re.DOTALL).search(
            clean, declaration.start, declaration.end
        )
        return found.start(1) if found is not None else None

    def _lines(self, path: str) -> list[bytes]:
        return self._text(path).split(b"\n")

    def _read(self, path: str) -> bytes:
        return as_utf8((self._root / path).read_bytes(), path)


def _is_named(declaration: Declaration, name: str) -> bool:
    return declaration.name.lstrip("@") == name.rpartition(".")[2]
