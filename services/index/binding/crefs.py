"""Names in `cref` attributes of doc comments, a small language of its own: parsed, and bound from the declaration
that the comment documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from services.index.binding.code.expressions import Expressions
from services.index.binding.session import Session
from services.index.binding.typenames import open_path
from services.index.binding.types.symbol import CONSTRUCTOR, Candidate, Symbol
from services.index.binding.types.types import Type
from services.index.binding.values import NOTHING, Value
from services.index.names.type_text import identifiers
from services.syntax.bodies.node import Node
from services.syntax.records.declaration import ParameterRecord

_CREF = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rb"|\bcref\s*=\s*(?:\"(?P<double>[^\"<>]*)\"|'(?P<single>[^'<>]*)')",
    re.DOTALL,
)
"""A `cref`, or a comment or CDATA section of XML, in which there is none."""
_IDENTIFIER = re.compile(r"@?[^\W\d]\w*")
_ID = re.compile(r"[A-Z!]:")
_BEFORE = re.compile(r"(?:[\w@]+\s*(?:\.|::)\s*)*$")


class Part(msgspec.Struct, frozen=True):
    """A name of a dotted path. `arity`: how many type arguments follow; `at`: its offset in the file."""

    name: str
    arity: int
    at: int


class Reference(msgspec.Struct, frozen=True):
    """Name in a `cref`. `parts`: the dotted name up to it; `listed`: the types in the parentheses after it,
    None where there are none; `type`: of a name in those, the path up to it, and then `parts` is empty; `followed`:
    whether a further name is asked of it."""

    parts: tuple[Part, ...] = ()
    listed: tuple[str, ...] | None = None
    type: str = ""
    followed: bool = False


class Cref(msgspec.Struct, frozen=True):
    """Text of a `cref`. `start`: its offset in the file."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text.encode())

    def words(self) -> Iterator[tuple[int, int]]:
        """The offsets of its names, without `@`."""
        for word in _IDENTIFIER.finditer(self.text):
            begin = word.start() + word[0].startswith("@")
            start = self.start + len(self.text[:begin].encode())
            yield start, start + len(self.text[begin : word.end()].encode())

    def reference(self, at: int) -> Reference | None:
        """Return the symbol reference at an offset of the file; None for an id, and for the name of a type
        parameter."""
        if _ID.match(self.text):
            return None
        place = len(self.text.encode()[: at - self.start].decode("utf-8", "replace"))
        place -= self.text.startswith("@", place - 1) if place else 0
        opening = self.text.find("(")
        if 0 <= opening < place:
            return self._of_parameter(place)
        head = self.text[: opening if opening >= 0 else None]
        if head[:place].count("{") > head[:place].count("}"):
            return None
        parts, end = self._path(head, place)
        if not parts:
            return None
        is_last = end >= len(head.rstrip())
        listed = _listed(self.text[opening + 1 :]) if opening >= 0 and is_last else None
        return Reference(tuple(parts), listed, followed=head.startswith(".", end))

    def _path(self, head: str, place: int) -> tuple[list[Part], int]:
        """The dotted name up to the word at `place`, and where it ends."""
        found: list[Part] = []
        position = 0
        while position < len(head):
            word = _IDENTIFIER.match(head, position)
            if word is None:
                return [], position
            end, arity = word.end(), 0
            if head[end : end + 1] == "{":
                closing = _closing(head, end)
                arity = len(_listed(head[end + 1 : closing]))
                end = closing + 1
            found.append(Part(word[0].lstrip("@"), arity, self.start + len(head[: word.start()].encode())))
            if word.start() <= place < word.end():
                return found, end
            if head.startswith("::", end):
                found = [] if word[0] == "global" else found
                position = end + 2
            elif head.startswith(".", end):
                position = end + 1
            else:
                return [], end
        return [], position

    def _of_parameter(self, place: int) -> Reference | None:
        word = _IDENTIFIER.match(self.text, place)
        before = _BEFORE.search(self.text[:place])
        if word is None or before is None:
            return None
        arity = 0
        if self.text[word.end() : word.end() + 1] == "{":
            arity = len(_listed(self.text[word.end() + 1 : _closing(self.text, word.end())]))
        arguments = f"<{', '.join(['int'] * arity)}>" if arity else ""
        return Reference(type=f"{before[0].replace(' ', '')}{word[0].lstrip('@')}{arguments}")


def crefs_in(source: bytes, docs: Iterable[tuple[int, int]]) -> Iterator[Cref]:
    """Yield every `cref` of these doc comments of a file; type arguments in braces, also those written in
    `&lt;&gt;`."""
    for start, end in docs:
        for match in _CREF.finditer(source, start, end):
            if match.lastgroup is not None:
                text = match[match.lastgroup].replace(b"&lt;", b"{   ").replace(b"&gt;", b"   }")
                yield Cref(match.start(match.lastgroup), text.decode("utf-8", "replace"))


def _closing(text: str, opening: int) -> int:
    """Return the offset of the brace that closes the one at `opening`, or the end of the text."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def _listed(text: str) -> tuple[str, ...]:
    """Split at commas up to the closing parenthesis, in the spelling of code."""
    parts, depth = [""], 0
    for sign in text:
        if sign == ")" and depth == 0:
            break
        depth += {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    shown = [part.strip().translate(str.maketrans("{}", "<>")) for part in parts]
    return tuple(part for part in shown if part)


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
