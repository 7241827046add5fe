"""Binding of `cref`s: the symbols that its names lead to from the declaration it documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.index.binding.code.expressions import Expressions
from services.index.binding.session import Session
from services.index.binding.typenames import open_path
from services.index.binding.types.symbol import CONSTRUCTOR, Candidate, Symbol
from services.index.binding.types.types import Type
from services.index.binding.values import NOTHING, Value
from services.index.names.type_text import identifiers
from services.syntax.bodies.crefs import Cref, Part, Reference
from services.syntax.bodies.node import Node
from services.syntax.records.declaration import ParameterRecord

_QUALIFIER = re.compile(r"(?:global::)?(?:\w+\s*(?:\.|::)\s*)+(?=\w)")
_PREDEFINED = {
    "Boolean": "bool", "Byte": "byte", "SByte": "sbyte", "Char": "char", "Decimal": "decimal", "Double": "double",
    "Single": "float", "Int32": "int", "UInt32": "uint", "Int64": "long", "UInt64": "ulong", "Int16": "short",
    "UInt16": "ushort", "Object": "object", "String": "string", "IntPtr": "nint", "UIntPtr": "nuint",
}  # fmt: skip
_WORD = re.compile(r"@?\b[^\W\d]\w*")


class Crefs:
    """Binds the crefs of one doc comment. `session`: of the declaration that it documents."""

    def __init__(self, session: Session) -> None:
        session.sees_all = True
        self._session = session
        self._expressions = Expressions(session)

    def bind(self, cref: Cref) -> None:
        """Notes what the names of a cref mean."""
        for start, end in cref.words():
            reference = cref.reference(start)
            if reference is not None:
                node = Node("identifier", start, end, is_named=True, parent=None)
                self._note(node, reference)

    def _note(self, node: Node, reference: Reference) -> None:
        session = self._session
        if reference.type:
            found = session.target(reference.type)
            session.note_type(node, found[0] if found is not None else None, "cref")
            return
        value = self._owner(reference) or self._value(reference.parts)
        if value.symbol is not None and (reference.followed or reference.parts[-1].arity):
            value = self._type(reference.parts) or value
        if value.what == "type" and reference.listed is not None and isinstance(value.type, Type):
            constructors = session.world.find(value.type, CONSTRUCTOR).candidates
            self._among(node, constructors, reference)
        elif value.what == "type":
            session.note_type(node, value.type, "cref")
        elif value.what == "methods":
            self._among(node, value.members, reference)
        elif value.symbol is not None:
            session.note(node, value.symbol.symbol, "cref")

    def _owner(self, reference: Reference) -> Value | None:
        """The type of `A.A(int)`, which names a constructor as `A(int)` does."""
        *before, last = reference.parts
        if not before or reference.listed is None or last.arity or last.name != before[-1].name:
            return None
        value = self._value(before)
        return value if value.what == "type" else None

    def _value(self, parts: Sequence[Part]) -> Value:
        value = NOTHING
        for at, part in enumerate(parts):
            node = _node(part)
            value = (
                self._expressions.names.name(node)
                if not at
                else self._expressions.accesses.member(value, node, ())
            )
            if value.what == "value" and value.symbol is not None and at + 1 < len(parts):
                value = self._type(parts[: at + 1]) or value  # what has members here is a type
        return value

    def _type(self, parts: Sequence[Part]) -> Value | None:
        """The type of a dotted name, if it is that of one."""
        path = ".".join(open_path(_node(part)) for part in parts)
        found = self._session.target(path)
        return Value("type", found[0], path=path) if found is not None and found[0] is not None else None

    def _among(self, node: Node, candidates: Sequence[Candidate], reference: Reference) -> None:
        own = [each.symbol for each in candidates if each.symbol.member is not None]
        if own:
            nearest = min(each.level for each in candidates)
            own = [each.symbol for each in candidates if each.level == nearest and each.symbol in own] or own
        arity = reference.parts[-1].arity
        if arity:
            own = [each for each in own if _own_arity(each) == arity]
        if reference.listed is None:
            # Of several methods the compiler takes one, and says that it was not told which.
            plain = [each for each in own if not _own_arity(each)] if not arity else own
            sure = len(own) == 1 and len(plain) == 1
        else:
            own = [each for each in own if self._has(each, reference.listed)]
            sure = len(own) == 1
        for each in own:
            self._session.note(node, each, "cref", sure=sure)

    def _has(self, symbol: Symbol, listed: Sequence[str]) -> bool:
        """Whether a member has the parameters that are listed, type parameters by any name."""
        member = symbol.member
        assert member is not None
        parameters = member.parameters
        if len(parameters) != len(listed):
            return False
        workspace = self._session.world.workspace
        anything = {*member.declaration.own_parameters, *workspace.parameters_of(member.index)}
        return all(
            _plain(text) == _plain(parameter.type) or _is_alike(text, parameter, anything)
            for text, parameter in zip(listed, parameters, strict=True)
        )


def _own_arity(symbol: Symbol) -> int:
    return len(symbol.member.declaration.type_parameters) if symbol.member is not None else 0


def _node(part: Part) -> Node:
    """A name of a cref as one of code."""
    node = Node("identifier", part.at, part.at + len(part.name.encode()), is_named=True, parent=None)
    node.text = part.name
    if not part.arity:
        return node
    whole = Node("generic_name", node.start, node.end, is_named=True, parent=None)
    listed = Node("type_argument_list", node.end, node.end, is_named=True, parent=whole)
    listed.children = [
        Node(",", node.end, node.end, is_named=False, parent=listed) for _ in range(part.arity - 1)
    ]
    whole.children = whole.named = [node, listed]
    return whole


def _is_alike(text: str, parameter: ParameterRecord, anything: set[str]) -> bool:
    """Whether two type texts are equal except for type parameters."""
    wanted = _plain(parameter.type)
    pattern = _WORD.sub(lambda word: r"\w+" if word[0] in anything else word[0], re.escape(wanted))
    is_generic = any(name in anything for name in identifiers(parameter.type))
    return is_generic and re.fullmatch(pattern, _plain(text)) is not None


def _plain(text: str) -> str:
    """Return a type text without parts that do not distinguish types: namespaces, nullability, blanks, passing
    mode."""
    text = re.sub(r"^(?:(?:ref|out|in|params|this|scoped|readonly)\s+)+", "", text.strip())
    text = _QUALIFIER.sub("", text)
    text = re.sub(r"[\s?]", "", text)
    return _WORD.sub(lambda word: _PREDEFINED.get(word[0], word[0].lstrip("@")), text)
