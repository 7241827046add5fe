"""Declarations of a workspace: their enclosing types, and the places of their names and parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from services.concurrency.latest import LRUCache
from services.index.binding.code.functions import parameters_of
from services.index.binding.session import simple, span
from services.index.compiled import compilations, home_of
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.model import TYPE_KINDS, Kind
from services.syntax.bodies.node import Node
from services.syntax.bodies.tree import Tree, header_end

Span = tuple[int, int]
_KEPT = 2_000
_BODIES = ("declaration_list", "enum_member_declaration_list")


def node_of(text: CompiledText, at: int) -> Node | None:
    """The syntax of declaration `at`; of a type its header alone. None for statements outside all types."""
    declaration = text.record.declarations[at]
    if declaration.is_program:
        return None
    if declaration.kind in TYPE_KINDS and declaration.kind is not Kind.DELEGATE:
        end = header_end(text.lexed, declaration.start, declaration.end)
        tree = Tree(text.lexed, declaration.start, end, wrapped="type")
        return next((each for each in tree.root.named if each.get("name") is not None), None)
    wrapped = "enum" if declaration.kind is Kind.ENUM_MEMBER else "member"
    tree = Tree(text.lexed, declaration.start, declaration.end, wrapped=wrapped)
    for around in tree.root.named:
        body = around.get("body") or around.child(*_BODIES)
        if body is not None:
            return next((each for each in body.named if each.type != "ERROR"), None)
    return None


class Declared:
    """Declarations of one version of the catalogue, with a cache of parsed files."""

    def __init__(self, texts: BoundTexts) -> None:
        self._catalogue = texts.catalogue
        self._records = texts.records
        self._nodes: LRUCache[tuple[int, int], list[Node | None]] = LRUCache(_KEPT)
        self._starts: dict[int, list[int]] = {}
        self._paths: dict[int, frozenset[str]] = {}
        self._headers: dict[tuple[int, str], frozenset[int]] = {}

    # Types

    def home(self, text: CompiledText, at: int) -> int:
        """The type that a declaration is, or that declares it, by its index; -1 for none."""
        owner = self._catalogue.columns.owner[text.entry.rows[0] + at]
        return home_of(self._catalogue, owner) if owner >= 0 else -1

    def parts_in(self, text: CompiledText, index: int) -> Iterator[int]:
        """The declarations of a file that are parts of a type."""
        if text.path not in self.paths(index):
            return
        for at, each in enumerate(text.record.declarations):
            if each.kind in TYPE_KINDS and self.home(text, at) == index:
                yield at

    def compiled(self, index: int) -> Collection[int]:
        """All types that are one symbol with a type."""
        return compilations(self._catalogue, index)

    def paths(self, index: int) -> frozenset[str]:
        """The files of a type's parts."""
        if index not in self._paths:
            catalogue = self._catalogue
            compiled = (catalogue.type(each) for each in self.compiled(index))
            files = {file for entry in compiled for file, _ in entry.parts}
            self._paths[index] = frozenset(catalogue.file(file).path for file in files)
        return self._paths[index]

    def header_places(self, index: int, name: str) -> frozenset[int]:
        """Return the start offsets of a primary constructor's parameter of a name, according to the type's
        members."""
        key = index, name
        if key not in self._headers:
            self._headers[key] = frozenset(self._in_headers(index, name))
        return self._headers[key]

    def _in_headers(self, index: int, name: str) -> Iterator[int]:
        for compiled in self.compiled(index):
            for file, at in self._catalogue.type(compiled).parts:
                declaration = self._records.declaration(file, at)
                if declaration is None or declaration.parameters is None:
                    continue
                for place, parameter in enumerate(declaration.parameters, 1):
                    if parameter.name.lstrip("@") == name:
                        yield from (each.start for each in declaration.header[place : place + 1])

    # Names

    def starts(self, text: CompiledText) -> list[int]:
        """Return the start offsets of a file's declarations, in order."""
        if text.file not in self._starts:
            self._starts[text.file] = sorted(each.start for each in text.record.declarations)
        return self._starts[text.file]

    def node(self, text: CompiledText, at: int) -> Node | None:
        """The syntax of a declaration."""
        return self._nodes.get((text.file, at), lambda: [node_of(text, at)])[0]

    def name(self, text: CompiledText, at: int) -> Span | None:
        """The identifier of a declaration, without `@`; None for what has none of its own."""
        node, wanted = self.node(text, at), text.record.declarations[at].name.lstrip("@")
        if node is None:
            return None
        own = node.get("name")
        if own is not None and own.type in ("identifier", "generic_name"):
            return span(own)
        for each in node.walk():
            if each.type == "variable_declarator":
                name = each.get("name") or (each.named[0] if each.named else None)
                if name is not None and simple(name) == wanted:
                    return span(name)
        return None

    def parameters(self, text: CompiledText, at: int) -> dict[str, Span]:
        """The parameters of a member, a delegate or a primary constructor, by name."""
        node = self.node(text, at)
        names = (each.get("name") for each in parameters_of(node)) if node is not None else ()
        return {simple(name): span(name) for name in names if name is not None}

    def type_parameters(self, text: CompiledText, at: int) -> dict[str, Span]:
        """The type parameters that a declaration lists itself, by name."""
        node = self.node(text, at)
        return type_parameters_of(node) if node is not None else {}

    def constrained(self, text: CompiledText, at: int, name: str) -> Iterator[Span]:
        """Yield the places of a type parameter in the `where` clauses of its declaration."""
        node = self.node(text, at)
        for clause in node.named if node is not None else ():
            if clause.type == "type_parameter_constraints_clause":
                about = next((each for each in clause.named if each.type == "identifier"), None)
                if about is not None and simple(about) == name:
                    yield span(about)


def type_parameters_of(node: Node) -> dict[str, Span]:
    """The type parameters of a type, a method or a local function, by name."""
    listed = node.get("type_parameters") or node.child("type_parameter_list")
    names = [
        each.get("name") or each.named[-1]
        for each in (listed.named if listed is not None else ())
        if each.type == "type_parameter"
    ]
    return {simple(name): span(name) for name in names}
