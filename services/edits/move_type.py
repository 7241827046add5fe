"""Plans of types in files of their own: a type that moves out of its file, and an interface of a type's public
members."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from services.edits.check import meanings
from services.edits.declared import Declared
from services.edits.places import Plan, Problem, Replacement
from services.errors import UsageError
from services.index.symbols.placed import FoundSymbol
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.index.usages.overlay import Overlay, OverlayText
from services.model import TYPE_KINDS, Kind
from services.syntax.bodies.node import Node
from services.syntax.records.declaration import Declaration
from services.syntax.records.words import bare, written

if TYPE_CHECKING:
    from services.edits.rename.planner import Rebuilt

OF_FILE = re.compile(
    rb"^[ \t]*(?:global\s+using\b[^;]*;|\[\s*(?:assembly|module)\s*:[^\n]*\])[ \t]*\r?\n", re.MULTILINE
)
_COMMENT = re.compile(rb"(?:^[ \t]*//[^\n]*\n)+\Z", re.MULTILINE)
Span = tuple[int, int]


class MovePlanner:
    """Plans moves of one version of the catalogue."""

    def __init__(self, texts: BoundTexts, rebuilt: Rebuilt) -> None:
        self._texts = texts
        self._rebuilt = rebuilt

    def plan(self, found: FoundSymbol) -> Plan:
        """Plan to move a type to a file of its name in the same folder. Raises UsageError."""
        entry = found.whole.entry
        text, at = self._part(found)
        folder = posixpath.dirname(text.path)
        path = posixpath.join(folder, f"{entry.name}.cs")
        outer = outermost(text)
        if "+" in entry.fqn:
            raise UsageError(
                f"{entry.name} stands inside a type: only outermost types have files of their own."
            )
        if path == text.path or len(outer) < 2:
            raise UsageError(f"{entry.name} stands in a file of its own already: {text.path}.")
        if any(each == path for _, each in self._texts.catalogue.units):
            raise UsageError(f"There is a file {path} already.")
        if text.record.declarations[at].access == "file":
            raise UsageError(f"{entry.name} is known in its file alone.")
        plan = Plan(f"Move {entry.name} to {path}", texts={text.path: text.text})
        own = whole_of(text, at)
        plan.replacements.append(Replacement(text.path, *own, "", named=False))
        others = [whole_of(text, each) for each in outer if each != at]
        made = OF_FILE.sub(b"", without(text.text, others))
        plan.made[path] = tidy(made)
        plan.problems += self._checked(plan, text, (at, path))
        return plan

    def _part(self, found: FoundSymbol) -> tuple[CompiledText, int]:
        parts = found.whole.parts
        if len(parts) > 1:
            raise UsageError(f"{found.whole.entry.name} has {len(parts)} parts. A partial type is not moved.")
        text = self._texts.text(parts[0].file)
        if text is None:
            raise UsageError("The file has changed. Refresh and ask again.")
        return text, parts[0].at

    def _checked(self, plan: Plan, text: CompiledText, place: tuple[int, str]) -> Iterator[Problem]:
        at, path = place
        overlay = self._rebuilt(
            {
                text.path: OverlayText(plan.changed_texts()[text.path], text.path),
                path: OverlayText(plan.made[path], path, like=text.path),
            }
        )
        if overlay is None:
            return
        moved = text.record.declarations[at]
        before = _all(self._texts, text, lambda start: moved.start <= start < moved.end)
        rest = _all(self._texts, text, lambda start: not moved.start <= start < moved.end)
        new = self._new(overlay, path)
        old = overlay.texts.text(overlay.files[text.file])
        for had, now in ((before, new), (rest, old)):
            has = _all(overlay.texts, now, lambda _: True) if now is not None else []
            if now is None or now.record.quality != text.record.quality or _told(had) != _told(has):
                yield Problem(text.path, moved.start, "A name would mean something else after the move.")

    def _new(self, overlay: Overlay, path: str) -> CompiledText | None:
        units = overlay.texts.catalogue.units
        file = next((file for (_, each), file in units.items() if each == path), None)
        return overlay.texts.text(file) if file is not None else None


def _told(found: Sequence[tuple[int, str, str]]) -> list[tuple[str, str]]:
    return [(word, meant) for _, word, meant in found]


def _all(texts: BoundTexts, text: CompiledText, inside: Callable[[int], bool]) -> list[tuple[int, str, str]]:
    """Return the meaning of every name in the selected parts of a file, in order. `inside`: selects offsets."""
    found: list[tuple[int, str, str]] = []
    for at in range(len(text.record.declarations)):
        whole = (0, len(text.text))
        found += [each for each in meanings(texts.facts_of(text, at), text, whole) if inside(each[0])]
    return sorted(set(found))


def outermost(text: CompiledText) -> list[int]:
    """Return the types of a file that are not nested."""
    return [
        at
        for at, each in enumerate(text.record.declarations)
        if each.parent < 0 and each.kind in TYPE_KINDS and not each.is_program
    ]


def whole_of(text: CompiledText, at: int) -> Span:
    """A declaration with its documentation, the comments right before it, and the ends of its lines."""
    declaration, source = text.record.declarations[at], text.text
    start = min(declaration.start, declaration.doc[0] or declaration.start)
    start = source.rfind(b"\n", 0, start) + 1
    comment = _COMMENT.search(source, 0, start)
    start = comment.start() if comment is not None and comment.start() > 0 else start
    end = source.find(b"\n", declaration.end)
    end = len(source) if end < 0 else end + 1
    blank = re.compile(rb"[ \t]*\r?\n").match(source, end)
    return start, blank.end() if blank is not None else end


def without(source: bytes, spans: Sequence[Span]) -> bytes:
    """A text without some stretches."""
    parts: list[bytes] = []
    at = 0
    for start, end in sorted(spans):
        parts.append(source[at:start])
        at = max(at, end)
    return b"".join([*parts, source[at:]])


def tidy(source: bytes) -> bytes:
    """A text without blank lines before what closes, and more than one in a row."""
    source = re.sub(rb"(\r?\n)(?:[ \t]*\r?\n)+([ \t]*\})", rb"\1\2", source)
    source = re.sub(rb"(\r?\n[ \t]*\r?\n)(?:[ \t]*\r?\n)+", rb"\1", source)
    return source.rstrip() + (b"\r\n" if b"\r\n" in source else b"\n")


_KINDS = frozenset({Kind.METHOD, Kind.PROPERTY, Kind.INDEXER, Kind.EVENT})
_TYPES = frozenset({Kind.CLASS, Kind.STRUCT, Kind.RECORD, Kind.RECORD_STRUCT, Kind.INTERFACE})


class InterfacePlanner:
    """Plans interfaces in one version of the catalogue."""

    def __init__(self, texts: BoundTexts, rebuilt: Rebuilt) -> None:
        self._texts = texts
        self._rebuilt = rebuilt
        self._declared = Declared(texts)

    def plan(self, found: FoundSymbol, name: str, members: Sequence[str] = ()) -> Plan:
        """The plan for an interface of a type's public members, or of those that are named. Raises UsageError."""
        name, entry = bare(name), found.whole.entry
        if found.member is not None or entry.kind not in _TYPES:
            raise UsageError("An interface is made of a class, a structure, a record or an interface.")
        if "+" in entry.fqn:
            raise UsageError(
                f"{entry.name} stands inside a type: only outermost types have interfaces made of them."
            )
        primary = found.whole.primary
        text = self._texts.text(primary.file)
        if text is None:
            raise UsageError("The file has changed. Refresh and ask again.")
        path = posixpath.join(posixpath.dirname(text.path), f"{name}.cs")
        if any(each == path for _, each in self._texts.catalogue.units):
            raise UsageError(f"There is a file {path} already.")
        listed = list(self._members(found, members))
        if not listed:
            raise UsageError(f"{entry.name} has no public members that an interface could have.")
        plan = Plan(f"Extract interface {name} of {entry.name}", texts={text.path: text.text})
        plan.made[path], plan.created = self._file(text, primary.at, (name, listed))
        plan.replacements.append(self._base(text, primary.at, self._named(text, primary.at, name)))
        plan.problems += self._taken(text, primary.at, name)
        if not plan.problems:
            plan.problems += self._checked(plan, text, path)
        return plan

    def _members(self, found: FoundSymbol, names: Sequence[str]) -> Iterator[str]:
        """The members as an interface declares them."""
        left = set(names)
        for placed in found.whole.members:
            declaration = placed.declaration
            chosen = not names or declaration.name in names
            if placed.implicit or not _is_public(declaration) or not chosen:
                continue
            left.discard(declaration.name)
            text = self._texts.text(placed.file)
            node = self._declared.node(text, placed.at) if text is not None else None
            if text is not None and node is not None and (shown := _shown(text, node, declaration)):
                yield shown
        for name in sorted(left):
            raise UsageError(f"There is no public member {name} that an interface could have.")

    def _named(self, text: CompiledText, at: int, name: str) -> str:
        own = text.record.declarations[at].type_parameters
        return written(name) + (f"<{', '.join(own)}>" if own else "")

    def _file(self, text: CompiledText, at: int, made: tuple[str, list[str]]) -> tuple[bytes, str]:
        """The file of the interface: that of the type with the interface in its place, and no other type."""
        name, members = made
        declaration = text.record.declarations[at]
        start, end = whole_of(text, at)
        newline = "\r\n" if b"\r\n" in text.text else "\n"
        line = text.text[start : declaration.start].decode("utf-8", "replace").rpartition("\n")[2]
        indent = line[: len(line) - len(line.lstrip())]
        access = declaration.access if declaration.access in ("public", "internal") else "internal"
        constraints = f" {declaration.constraints}" if declaration.constraints else ""
        head = f"{access} interface {self._named(text, at, name)}{constraints}"
        body = newline.join(f"{indent}    {each}" for each in members)
        shown = newline.join([f"{indent}{head}", f"{indent}{{", body, f"{indent}}}", ""])
        parts: list[bytes] = []
        done = 0
        for each in outermost(text):
            span = whole_of(text, each)
            parts += [text.text[done : span[0]], shown.encode() if each == at else b""]
            done = span[1]
        del start, end
        return tidy(OF_FILE.sub(b"", b"".join([*parts, text.text[done:]]))), head

    def _base(self, text: CompiledText, at: int, name: str) -> Replacement:
        node = self._declared.node(text, at)
        assert node is not None
        bases = node.get("bases") or node.child("base_list")
        if bases is not None:
            return Replacement(text.path, bases.end, bases.end, f", {name}", named=False)
        heads = [node.get("name"), node.child("type_parameter_list"), node.child("parameter_list")]
        end = max(each.end for each in heads if each is not None)
        return Replacement(text.path, end, end, f" : {name}", named=False)

    def _taken(self, text: CompiledText, at: int, name: str) -> Iterator[Problem]:
        declaration = text.record.declarations[at]
        context = self._texts.world_of(text.entry.project).workspace.names.context(text.file, at)
        space = self._texts.world_of(text.entry.project).workspace.names.space
        level = context.levels[0].namespace if context.levels else ""
        arity = len(declaration.type_parameters)
        if space.find(level, name, arity, project=text.entry.project, file=text.path) is not None:
            yield Problem(text.path, declaration.start, f"There is a type {name} already.")

    def _checked(self, plan: Plan, text: CompiledText, path: str) -> Iterator[Problem]:
        """Whether names of the interface mean what they mean in the type."""
        overlay = self._rebuilt(
            {
                text.path: OverlayText(plan.changed_texts()[text.path], text.path),
                path: OverlayText(plan.made[path], path, like=text.path),
            }
        )
        file = None
        if overlay is not None:
            units = overlay.texts.catalogue.units
            file = next((file for (_, each), file in units.items() if each == path), None)
        after = overlay.texts.text(file) if overlay is not None and file is not None else None
        if overlay is None or after is None or after.record.quality != text.record.quality:
            yield Problem(text.path, 0, "The file of the interface could not be parsed.")
            return
        known = {each[1:] for each in _all_names(self._texts, text)}
        for _, word, meant in _all_names(overlay.texts, after):
            if (word, meant) not in known:
                yield Problem(text.path, 0, f"{word} would mean something else in the interface.")
                return


def _all_names(texts: BoundTexts, text: CompiledText) -> list[tuple[int, str, str]]:
    """Return the meaning of every name in the declarations of a file."""
    whole = (0, len(text.text))
    every = range(len(text.record.declarations))
    return [each for at in every for each in meanings(texts.facts_of(text, at), text, whole)]


def _is_public(declaration: Declaration) -> bool:
    return (
        declaration.kind in _KINDS
        and declaration.access == "public"
        and not declaration.explicit
        and "static" not in declaration.modifiers
        and "override" not in declaration.modifiers
    )


def _shown(text: CompiledText, node: Node, declaration: Declaration) -> str:
    """A member as an interface declares it; empty for what it cannot."""

    def source(each: Node | None) -> str:
        return text.word(each.start, each.end) if each is not None else ""

    if declaration.kind is Kind.METHOD:
        listed = source(node.get("parameters") or node.child("parameter_list"))
        generic = source(node.get("type_parameters") or node.child("type_parameter_list"))
        clauses = "".join(
            f" {source(c)}" for c in node.named if c.type == "type_parameter_constraints_clause"
        )
        return f"{declaration.returns} {declaration.name}{generic}{listed}{clauses};"
    if declaration.kind is Kind.EVENT:
        return f"event {declaration.returns} {declaration.name};"
    accessors = "".join(f"{name}; " for name, access in declaration.accessors if not access)
    if declaration.kind is Kind.INDEXER:
        listed = source(node.get("parameters") or node.child("bracketed_parameter_list"))
        return f"{declaration.returns} this{listed} {{ {accessors}}}"
    return f"{declaration.returns} {declaration.name} {{ {accessors}}}" if accessors else ""
