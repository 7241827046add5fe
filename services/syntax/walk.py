"""A parsed skeleton to the records of its file. The walk never enters bodies."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from tree_sitter import Node

from services.model import Kind
from services.syntax import members
from services.syntax.declaration import Declaration, ParameterRecord, Scope, Using
from services.syntax.hashing import digest, normalised
from services.syntax.lexer import Lexed
from services.syntax.members import Member
from services.syntax.pieces import (
    Head,
    bases_of,
    head_of,
    name_of,
    parameters_of,
    text_of,
    type_parameters_of,
)
from services.syntax.rewrites import EXTENSION_NAME
from services.syntax.skeleton import Skeleton

_TYPE_NODES = {
    "class_declaration": Kind.CLASS,
    "struct_declaration": Kind.STRUCT,
    "interface_declaration": Kind.INTERFACE,
    "enum_declaration": Kind.ENUM,
    "record_declaration": Kind.RECORD,
    "record_struct_declaration": Kind.RECORD_STRUCT,
    "delegate_declaration": Kind.DELEGATE,
}
_MEMBER_NODES: dict[str, Callable[[Node, Head], Member]] = {
    "method_declaration": members.method,
    "constructor_declaration": members.constructor,
    "destructor_declaration": members.destructor,
    "operator_declaration": members.operator,
    "conversion_operator_declaration": members.conversion,
    "property_declaration": members.property_,
    "indexer_declaration": members.indexer,
    "event_declaration": members.event,
    "enum_member_declaration": members.enum_member,
}
_FIELD_NODES = frozenset({"field_declaration", "event_field_declaration"})
_PUBLIC_BY_DEFAULT = frozenset({Kind.INTERFACE, Kind.ENUM})


class Walk:
    """One walk: `scopes`, `declarations` and `friends` hold what was found once `unit` has run."""

    def __init__(self, lexed: Lexed, skeleton: Skeleton) -> None:
        self._lexed = lexed
        self._skeleton = skeleton
        self._doc_starts = [start for start, _ in lexed.docs]
        self._line_at = (0, 1)
        self.scopes: list[Scope] = []
        self.declarations: list[Declaration] = []
        self.friends: list[str] = []

    def unit(self, root: Node) -> None:
        """Walks a compilation unit."""
        self._scope(root.children, "", -1)

    # Scopes

    def _scope(self, children: list[Node], namespace: str, parent: int) -> None:
        """A namespace's content. Members and usings of a file-scoped namespace are siblings after it."""
        at = len(self.scopes)
        usings: list[Using] = []
        self.scopes.append(Scope(namespace, parent, ()))
        for index, child in enumerate(children):
            kind = child.type
            if kind == "using_directive":
                usings.append(_using(child))
            elif kind == "file_scoped_namespace_declaration":
                self.scopes[at] = Scope(namespace, parent, tuple(usings))
                self._scope(children[index + 1 :], _joined(namespace, child), at)
                return
            elif kind == "namespace_declaration":
                body = child.child_by_field_name("body")
                self._scope(body.children if body is not None else [], _joined(namespace, child), at)
            elif kind == "global_attribute":
                self._friend(child)
            else:
                self._enter(child, at)
        self.scopes[at] = Scope(namespace, parent, tuple(usings))

    def _enter(self, node: Node, scope: int) -> None:
        """A declaration outside any type, or what the parser made of a broken stretch: types in it still count."""
        if node.type in _TYPE_NODES:
            self._type(node, -1, scope)
        elif node.type == "ERROR" or node.type == "declaration_list":
            for child in node.children:
                self._enter(child, scope)

    def _friend(self, node: Node) -> None:
        start, end = self._range(node)
        text = self._lexed.source[start:end]
        if b"InternalsVisibleTo" in text and text.count(b'"') >= 2:
            name = text.split(b'"')[1].split(b",")[0].strip()
            self.friends.append(name.decode("utf-8", "replace"))

    # Types

    def _type(self, node: Node, parent: int, scope: int) -> None:
        children = node.children
        head = head_of(children)
        kind = _TYPE_NODES[node.type]
        if kind is Kind.RECORD and "struct" in head.rest:
            kind = Kind.RECORD_STRUCT
        if head.rest.get("class") is not None and self._is_extension(node):
            self._extension(node, parent, scope)
            return
        member = self._type_member(kind, node, head)
        index = self._add(member, node, head, parent, scope, bases_of(head.rest.get("base_list")))
        body = node.child_by_field_name("body")
        if body is not None and kind is not Kind.DELEGATE:
            self._members(body, index, scope, None)

    def _type_member(self, kind: Kind, node: Node, head: Head) -> Member:
        name = node.child_by_field_name("name")
        member = Member(kind, name_of(name) if name is not None else "")
        member.type_parameters = type_parameters_of(head.rest.get("type_parameter_list"))
        member.constraints = members.constraints_of(node)
        parameter_list = head.rest.get("parameter_list")
        if parameter_list is not None:
            member.parameters = parameters_of(parameter_list)
            member.body = [parameter_list]
        if kind is Kind.DELEGATE:
            returns = node.child_by_field_name("type")
            member.returns = text_of(returns) if returns is not None else "void"
        base_list = head.rest.get("base_list")
        if base_list is not None and parameter_list is not None:
            member.body.append(base_list)
        return member

    def _members(self, body: Node, parent: int, scope: int, receiver: ParameterRecord | None) -> None:
        for child in body.named_children:
            kind = child.type
            if kind in _TYPE_NODES:
                self._type(child, parent, scope)
            elif kind in _FIELD_NODES:
                self._fields(child, parent, scope)
            elif (read := _MEMBER_NODES.get(kind)) is not None:
                head = head_of(child.children)
                member = read(child, head)
                if receiver is not None:
                    member.kind = Kind.EXTENSION_MEMBER
                self._add(member, child, head, parent, scope, (), receiver=receiver)
            elif kind == "ERROR":
                self._members(child, parent, scope, receiver)

    def _fields(self, node: Node, parent: int, scope: int) -> None:
        head = head_of(node.children)
        for member, _ in members.fields(node, head):
            self._add(member, node, head, parent, scope, ())

    def _is_extension(self, node: Node) -> bool:
        name = node.child_by_field_name("name")
        return (
            name is not None and name.text == EXTENSION_NAME and self._original(node, EXTENSION_NAME) is False
        )

    def _original(self, node: Node, word: bytes) -> bool:
        name = node.child_by_field_name("name")
        if name is None:
            return False
        start = self._skeleton.origin(name.start_byte)
        return self._lexed.source[start : start + len(word)] == word

    def _extension(self, node: Node, parent: int, scope: int) -> None:
        """An extension block: its members belong to the enclosing static class and keep their receiver."""
        parameter_list = next((c for c in node.children if c.type == "parameter_list"), None)
        received = parameters_of(parameter_list) if parameter_list is not None else ()
        receiver = received[0] if received else ParameterRecord("", "", "", "")
        body = node.child_by_field_name("body")
        if body is not None:
            self._members(body, parent, scope, receiver)

    # Records

    def _add(
        self,
        member: Member,
        node: Node,
        head: Head,
        parent: int,
        scope: int,
        bases: tuple[str, ...],
        *,
        receiver: ParameterRecord | None = None,
    ) -> int:
        start, end = self._range(node)
        doc = self._doc(start)
        access = head.access or self._default_access(parent)
        visible = access != "private" or bool(member.explicit)
        first_line = self._line(start)
        self.declarations.append(
            Declaration(
                member.kind,
                member.name,
                parent,
                scope,
                access,
                tuple(head.modifiers),
                member.type_parameters,
                member.constraints,
                member.parameters,
                member.returns,
                member.accessors,
                member.explicit,
                bases,
                tuple(head.attributes),
                member.value,
                start,
                end,
                first_line,
                first_line + self._lexed.source.count(b"\n", start, end),
                self._body(member),
                doc,
                self._structure(member, head, access, bases) if visible else b"",
                self._impl(member, node if not visible else None),
                self._doc_digest(doc),
                receiver,
            )
        )
        return len(self.declarations) - 1

    def _default_access(self, parent: int) -> str:
        if parent < 0:
            return "internal"
        if self.declarations[parent].kind in _PUBLIC_BY_DEFAULT:
            return "public"
        return "private"

    def _structure(self, member: Member, head: Head, access: str, bases: tuple[str, ...]) -> bytes:
        """What a caller can see of the declaration, as one line (004 section 3.3)."""
        parameters = ",".join(f"{p.modifier} {p.type}" for p in member.parameters or ())
        line = "|".join(
            (
                member.kind,
                access,
                " ".join(sorted(word for word in head.modifiers if word not in ("partial", "async"))),
                member.returns or "",
                f"{member.explicit}.{member.name}<{','.join(member.type_parameters)}>({parameters})",
                ",".join(" ".join(pair) for pair in member.accessors),
                member.constraints,
                ",".join(sorted(bases)),
            )
        )
        attributes = sorted(normalised(self._code(node)) for node in head.attribute_lists)
        return digest(normalised(line.encode()) + b"|" + b"".join(attributes))

    def _impl(self, member: Member, whole: Node | None) -> bytes:
        """Digest of the body; of the whole declaration where it is private (`whole`)."""
        nodes = member.body if whole is None else [whole]
        defaults = any(p.default for p in member.parameters or ())
        if not nodes and not defaults:
            return b""
        code = b"\n".join(self._code(node) for node in nodes)
        if defaults:
            code += ",".join(p.default for p in member.parameters or ()).encode()
        return digest(member.name.encode() + b"|" + normalised(code))

    def _body(self, member: Member) -> tuple[int, int]:
        if not member.body:
            return (0, 0)
        return self._range(member.body[0])[0], self._range(member.body[-1])[1]

    def _code(self, node: Node) -> bytes:
        start, end = self._range(node)
        return self._lexed.code[start:end]

    def _range(self, node: Node) -> tuple[int, int]:
        # The end is mapped from the last character: a blank that was cut may follow it.
        origin = self._skeleton.origin
        start, end = node.start_byte, node.end_byte
        return origin(start), origin(end - 1) + 1 if end > start else origin(start)

    def _line(self, offset: int) -> int:
        """1-based line. Declarations come nearly in order, so counting goes on from the last answer."""
        last, line = self._line_at
        source = self._lexed.source
        line += source.count(b"\n", last, offset) if offset >= last else -source.count(b"\n", offset, last)
        self._line_at = (offset, line)
        return line

    def _doc(self, start: int) -> tuple[int, int]:
        """The doc comment that ends where the declaration at `start` begins."""
        at = bisect_left(self._doc_starts, start) - 1
        if at < 0:
            return (0, 0)
        doc = self._lexed.docs[at]
        between = self._lexed.clean[doc[1] : start]
        return doc if not between or between.isspace() else (0, 0)

    def _doc_digest(self, doc: tuple[int, int]) -> bytes:
        if doc == (0, 0):
            return b""
        text = self._lexed.source[doc[0] : doc[1]].replace(b"///", b" ").replace(b"*", b" ")
        return digest(b" ".join(text.split()))


def _joined(namespace: str, node: Node) -> str:
    name = node.child_by_field_name("name")
    inner = text_of(name).replace(" ", "").replace("@", "") if name is not None else ""
    return f"{namespace}.{inner}" if namespace and inner else namespace or inner


def _using(node: Node) -> Using:
    """A using directive: the target is the last named child; `global` and `static` are anonymous tokens."""
    words = {child.type for child in node.children if not child.is_named}
    alias = node.child_by_field_name("name")
    target = node.named_children[-1] if node.named_children else None
    return Using(
        text_of(target) if target is not None else "",
        name_of(alias) if alias is not None else "",
        "static" in words,
        "global" in words,
    )
