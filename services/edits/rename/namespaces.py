"""Namespaces as targets of a rename: the last part of a full name, wherever a dotted name leads to it.

A dotted name is looked up as C# does: in the namespaces around it, from the innermost outwards (C# specification,
7.8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from services.edits.declared import Declared, Span
from services.edits.places import Problem
from services.edits.rename.targets import Hit
from services.index.binding.facts import Facts
from services.index.usages.bound_texts import BoundTexts, CompiledText

_NAMESPACE = re.compile(rb"\bnamespace\s+(@?[\w\x80-\xff]+(?:\s*\.\s*@?[\w\x80-\xff]+)*)\s*([;{])")
_BEFORE = re.compile(rb"((?:@?[\w\x80-\xff]+\s*\.\s*)*)@?\Z")
_ALIAS = re.compile(rb"(@?[\w\x80-\xff]+)\s*::\s*\Z")
_USING = re.compile(rb"\busing\s+(?:static\s+|unsafe\s+)*(?:@?[\w\x80-\xff]+\s*=\s*)?(?:global\s*::\s*)?\Z")
_AFTER = re.compile(rb"\s*(?:\.(?!\.)|;|\{|::|\"|\))")
_REACH = 400
"""Bytes before a name in which the names before its dots stand."""


class _Block(NamedTuple):
    """Namespace declaration: the place of its name, the body, and its full name."""

    name: Span
    body: Span
    full: str


class NamespaceTarget:
    """A namespace by its full name."""

    def __init__(self, full: str, texts: BoundTexts, declared: Declared) -> None:
        self.full = full
        self.name = full.rpartition(".")[2]
        self.words = frozenset({self.name})
        self.scope: frozenset[str] | None = None
        self._texts = texts
        self._places = declared
        self._blocks: tuple[int, list[_Block]] = (-1, [])

    def may_be_at(self, text: CompiledText, offset: int) -> bool:
        """Whether a dot, or the end of a using or declaration, follows."""
        return _AFTER.match(text.text, offset + len(self.name.encode())) is not None

    def used(self, text: CompiledText, at: int, facts: Facts) -> Iterator[Hit]:
        """Its uses are among its declarations: both are found by dotted names."""
        del text, at, facts
        return iter(())

    def declared(self, text: CompiledText) -> Iterator[Span]:
        """Yield the dotted names of the namespace in declarations, using directives, code and documentation."""
        offsets = [each for each in self._texts.occurrences(text, self.words) if self.may_be_at(text, each)]
        offsets = [each for each in offsets if self.meant(text, each) == self.full]
        taken: set[int] = set()
        for found in self._texts.facts(text, offsets).values():
            taken |= {fact.start for fact in found.facts if not fact.silent}
            taken |= {use.start for use in found.locals}
        for offset in offsets:
            if offset not in taken:
                yield offset, offset + len(self.name.encode())

    def rewritten(self, written: str, new: str) -> str:
        """The new name."""
        del written
        return new

    def meant(self, text: CompiledText, offset: int) -> str:
        """The full name of the namespace that a dotted name means up to the name at an offset; empty for none."""
        end = offset + len(WORD_AT.match(text.text, offset)[0])  # pyright: ignore[reportOptionalSubscript]
        before = text.text[max(0, offset - _REACH) : offset]
        found = _BEFORE.search(before)
        parts = [*_parts(found[1] if found is not None else b""), *_parts(text.text[offset:end])]
        first = offset - len(found[1]) if found is not None else offset
        blocks = self._of(text)
        own = next((each for each in blocks if each.name[0] <= offset < each.name[1]), None)
        around = [each.full for each in blocks if each.body[0] <= offset < each.body[1]]
        innermost = max(around, key=len, default="")
        if own is not None:
            return ".".join(filter(None, [innermost, *parts]))
        alias = _ALIAS.search(text.text, max(0, first - _REACH), first)
        if alias is not None:
            return self._known(text, ".".join(parts)) if alias[1] == b"global" else ""
        if len(parts) == 1 and not self._may_stand_alone(text, offset, end):
            return ""
        for scope in text.record.scopes:
            for using in scope.usings:
                if using.alias and using.alias == parts[0] and len(parts) > 1:
                    return self._known(text, ".".join([using.name, *parts[1:]]))
        return self._looked_up(text, innermost, ".".join(parts))

    def _may_stand_alone(self, text: CompiledText, offset: int, end: int) -> bool:
        """Whether a name without a dot before it can be a namespace: one follows, or it is what a using names."""
        dotted = re.compile(rb"\s*(?:\.(?!\.)|::)").match(text.text, end) is not None
        return dotted or _USING.search(text.lexed.clean, max(0, offset - _REACH), offset) is not None

    def _looked_up(self, text: CompiledText, around: str, written: str) -> str:
        while True:
            full = f"{around}.{written}" if around else written
            if self._known(text, full):
                return full
            if not around:
                return ""
            around = around.rpartition(".")[0]

    def _known(self, text: CompiledText, full: str) -> str:
        space = self._texts.world_of(text.entry.project).workspace.names.space
        return full if space.is_namespace(text.entry.project, full) else ""

    def _of(self, text: CompiledText) -> list[_Block]:
        if self._blocks[0] != text.file:
            self._blocks = text.file, list(_blocks(text.lexed.clean))
        return self._blocks[1]

    def collisions(self, new: str) -> Iterator[Problem]:
        """Yield the names that collide with the new one: sibling namespaces and types."""
        outer = self.full.rpartition(".")[0]
        full = f"{outer}.{new}" if outer else new
        catalogue = self._texts.catalogue
        for other in catalogue.by_fqn.get(full, ()):
            file, at = catalogue.type(other).parts[0]
            declaration = self._texts.records.declaration(file, at)
            start = declaration.start if declaration is not None else 0
            yield Problem(catalogue.file(file).path, start, f"There is a type {full} already.")
        for text in self._texts.holding(self.words):
            if self._known(text, full):
                yield Problem(text.path, 0, f"There is a namespace {full} already: two would become one.")
                return


WORD_AT = re.compile(rb"@?[\w\x80-\xff]+")


def namespace_at(
    text: CompiledText, offset: int, texts: BoundTexts, declared: Declared
) -> NamespaceTarget | None:
    """Return the namespace named at an offset; None where there is none."""
    found = WORD_AT.match(text.text, offset)
    if found is None:
        return None
    probe = NamespaceTarget(found[0].decode("utf-8", "replace").lstrip("@"), texts, declared)
    full = probe.meant(text, offset) if probe.may_be_at(text, offset) else ""
    return NamespaceTarget(full, texts, declared) if full and is_declared(texts, full) else None


def is_declared(texts: BoundTexts, full: str) -> bool:
    """Whether the workspace declares types in a namespace, or in one inside of it."""
    return any(name == full or name.startswith((f"{full}.", f"{full}+")) for name in texts.catalogue.by_fqn)


def _parts(written: bytes) -> list[str]:
    return [each[0].decode("utf-8", "replace").lstrip("@") for each in WORD_AT.finditer(written)]


def _blocks(clean: bytes) -> Iterator[_Block]:
    """The namespace declarations of a file, each with the full name that those around it make."""
    outer: list[_Block] = []
    for found in _NAMESPACE.finditer(clean):
        outer = [each for each in outer if each.body[0] <= found.start() < each.body[1]]
        full = ".".join([*([outer[-1].full] if outer else []), *_parts(found[1])])
        end = len(clean) if found[2] == b";" else _closing(clean, found.end())
        outer.append(_Block(found.span(1), (found.end(), end), full))
        yield outer[-1]


def _closing(clean: bytes, start: int) -> int:
    """Return the end of the block that is open at an offset."""
    depth = 1
    for brace in re.compile(rb"[{}]").finditer(clean, start):
        depth += 1 if brace[0] == b"{" else -1
        if depth == 0:
            return brace.start()
    return len(clean)
