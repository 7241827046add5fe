"""A parsed skeleton to the records of its file. The walk never enters bodies."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

import msgspec
from tree_sitter import Node

from services.model import TYPE_KINDS, Kind
from services.syntax.parse import members
from services.syntax.parse.headers import end_of_cases
from services.syntax.parse.lexer import Lexed
from services.syntax.parse.members import Member, doc_digest, impl_digest, structure_digest
from services.syntax.parse.pieces import (
    Front,
    Head,
    Script,
    bases_of,
    head_of,
    parameter_spans,
    parameters_of,
    shortened,
    type_parameters_of,
    variance_of,
)
from services.syntax.parse.plain import Plain
from services.syntax.parse.rewrites import EXTENSION_NAME
from services.syntax.parse.skeleton import Skeleton
from services.syntax.records.declaration import Declaration, ParameterRecord, Scope, Stretch, Using

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
_REF_STRUCT = re.compile(rb"\bref\s+(?:partial\s+)?struct\b")
PROGRAM = "Program"
"""The class that the top-level statements of a project are the entry point of."""

_BEFORE_STATEMENTS = frozenset({"extern_alias_directive", "using_directive", "global_attribute"})
_CLOSED_ARE_ABSTRACT = frozenset({Kind.CLASS, Kind.RECORD})
"""Closed types (C# 15) of these kinds are abstract, and must not say so."""

_DEEPEST = 100  # types and namespaces nested deeper than anyone writes are left out
_PUBLIC_BY_DEFAULT = frozenset({Kind.INTERFACE, Kind.ENUM})


class _Place(msgspec.Struct, frozen=True):
    """Context of a declaration: index of its type (-1 outside) and of its scope; the receiver, the type parameters
    and the constraints of its extension block."""

    parent: int
    scope: int
    receiver: ParameterRecord | None = None
    block: tuple[str, ...] = ()
    constraints: str = ""


class Walk:
    """A walk: `scopes`, `declarations` and `friends` hold what was found once `unit` has run."""

    def __init__(
        self,
        lexed: Lexed,
        skeleton: Skeleton,
        plain: Mapping[int, Sequence[Plain]],
        *,
        rewritten: bool,
        broken: bool = False,
        is_script: bool = False,
    ) -> None:
        """`plain`: the members that the parser did not see, by where the content of their type starts; `broken`: what
        stands outside types may be part of one; `is_script`: functions there are members."""
        self._broken = broken
        self._is_script = is_script
        self._lexed = lexed
        self._script = Script(lexed, skeleton, rewritten=rewritten)
        self._plain = plain
        self._doc_starts = [start for start, _ in lexed.docs]
        self._line_at = (0, 1)
        self._counted = (0, 0, 0)
        self._depth = 0
        self.scopes: list[Scope] = []
        self.declarations: list[Declaration] = []
        self.friends: list[str] = []

    def unit(self, root: Node) -> None:
        """Walks a compilation unit."""
        self._scope(root.children, "", -1)

    # Scopes

    def _deeper(self, walk: Callable[..., None], *arguments: object) -> None:
        """Descend one level, up to the maximum depth."""
        if self._depth < _DEEPEST:
            self._depth += 1
            walk(*arguments)
            self._depth -= 1

    def _scope(self, children: list[Node], namespace: str, parent: int) -> None:
        """A namespace's content. Members and usings of a file-scoped namespace are siblings after it."""
        at = len(self.scopes)
        usings: list[Using] = []
        self.scopes.append(Scope(namespace, parent, ()))
        for index, child in enumerate(children):
            kind = child.type
            if kind == "using_directive":
                usings.append(self._using(child))
            elif kind == "file_scoped_namespace_declaration":
                self._deeper(self._scope, children[index + 1 :], self._joined(namespace, child), at)
                break
            elif kind == "namespace_declaration":
                body = child.child_by_field_name("body")
                if body is not None:
                    self._deeper(self._scope, body.children, self._joined(namespace, child), at)
            elif kind == "global_attribute":
                self._friend(child)
            elif kind == "global_statement":
                self._statement(child, at)
            else:
                self._enter(child, at)
        self.scopes[at] = Scope(namespace, parent, tuple(usings))

    def _statement(self, node: Node, scope: int) -> None:
        """Record a top-level statement: the first represents all, which are one part of the class `Program`."""
        before = node.prev_sibling
        if before is not None and before.type == "global_statement" and self._script.parsed(before) != b";":
            return  # looked at again for each, many of them would take the square of their number
        siblings = node.parent.children if node.parent is not None else []
        statements = [
            each for each in siblings if each.type == "global_statement" and self._script.parsed(each) != b";"
        ]
        if scope != 0 or not statements or statements[0] != node:
            return
        first = next(each for each in siblings if each.type not in _BEFORE_STATEMENTS)
        if self._broken and first != node:
            return  # what is left of a type that is broken
        member = Member(Kind.CLASS, PROGRAM)
        member.body = self._script.span(node, statements[-1])
        index = self._add(member, member.body, Front(modifiers=("partial",)), _Place(-1, scope))
        for each in statements if self._is_script else ():
            function = each.named_children[0] if each.named_children else each
            if function.type == "local_function_statement":
                head = head_of(function.children, self._script)
                made = members.function(function, head)
                self._add(made, self._script.range(function), head.front, _Place(index, scope))

    def _enter(self, node: Node, scope: int) -> None:
        """A declaration outside any type, or what the parser made of a broken stretch: types in it still count."""
        if node.type in _TYPE_NODES:
            self._type(node, _Place(-1, scope))
        elif node.type in ("ERROR", "declaration_list"):
            for child in node.children:
                self._deeper(self._enter, child, scope)

    def _joined(self, namespace: str, node: Node) -> str:
        name = node.child_by_field_name("name")
        inner = self._script.text(name).replace(" ", "").replace("@", "") if name is not None else ""
        return f"{namespace}.{inner}" if namespace and inner else namespace or inner

    def _using(self, node: Node) -> Using:
        """A using directive: the target is the last named child; `global` and `static` are anonymous tokens."""
        words = {child.type for child in node.children if not child.is_named}
        alias = node.child_by_field_name("name")
        target = node.named_children[-1] if node.named_children else None
        return Using(
            self._script.text(target) if target is not None else "",
            self._script.name(alias) if alias is not None else "",
            "static" in words,
            "global" in words,
        )

    def _friend(self, node: Node) -> None:
        text = self._script.text(node)
        if "InternalsVisibleTo" in text and text.count('"') > 1:
            self.friends.append(text.split('"')[1].split(",")[0].strip())

    # Types

    def _type(self, node: Node, place: _Place) -> None:
        if self._is_extension(node):
            self._extension(node, place)
            return
        head = head_of(node.children, self._script)
        kind = _TYPE_NODES[node.type]
        if kind is Kind.RECORD and "struct" in head.rest:
            kind = Kind.RECORD_STRUCT
        if kind is Kind.RECORD and "readonly" in head.front.modifiers:
            kind = Kind.RECORD_STRUCT  # its keyword is lost: no class can be
        if kind is Kind.CLASS and self._script.is_union(head.rest.get("class")):
            kind = Kind.UNION
        if kind in _CLOSED_ARE_ABSTRACT and "closed" in head.front.modifiers:
            head.front = head.front._replace(modifiers=(*head.front.modifiers, "abstract"))
        if "struct" in head.rest and self._is_ref(node):
            head.front = head.front._replace(modifiers=(*head.front.modifiers, "ref"))
        member = self._type_member(kind, node, head)
        if not member.name:
            return
        index = self._add(member, self._script.range(node), head.front, place)
        body = node.child_by_field_name("body")
        if body is not None and kind is not Kind.DELEGATE:
            self._members(body, _Place(index, place.scope))

    def _type_member(self, kind: Kind, node: Node, head: Head) -> Member:
        name = node.child_by_field_name("name")
        member = Member(kind, self._script.name(name) if name is not None else "")
        member.type_parameters = type_parameters_of(head.rest.get("type_parameter_list"), self._script)
        member.variance = variance_of(head.rest.get("type_parameter_list"))
        member.constraints = members.constraints_of(head)
        base_list = head.rest.get("base_list")
        member.bases = bases_of(base_list, self._script)
        parameter_list = head.rest.get("parameter_list")
        if parameter_list is not None:
            member.parameters = parameters_of(parameter_list, self._script)
            member.body = self._script.span(parameter_list, base_list or parameter_list)
            if name is not None and kind is not Kind.DELEGATE:
                member.header = self._header(name, parameter_list)
        if kind is Kind.UNION and base_list is not None:
            self._take_cases(member, base_list)
        if kind is Kind.DELEGATE:
            returns = node.child_by_field_name("type")
            member.returns = self._script.text(returns) if returns is not None else "void"
        return member

    def _take_cases(self, union: Member, base_list: Node) -> None:
        """The case types of a union, as parameters without names; what was written behind them are its bases."""
        closes = end_of_cases(self._lexed.clean, self._script.range(base_list)[0])
        nodes = [child for child in base_list.named_children if child.type != "argument_list"]
        cases = sum(1 for each in nodes if self._script.range(each)[0] < closes)
        union.parameters = tuple(ParameterRecord(text, "", "", "") for text in union.bases[:cases])
        union.bases = union.bases[cases:]
        union.body = self._script.range(base_list)

    def _header(self, name: Node, parameter_list: Node) -> tuple[Stretch, ...]:
        """Return the spans of a primary constructor and its parameters."""
        spans = [self._script.span(name, parameter_list), *parameter_spans(parameter_list, self._script)]
        lines = [(self._line(start), self._lines(start, end)) for start, end in spans]
        return tuple(
            [Stretch(*span, first, first + more) for span, (first, more) in zip(spans, lines, strict=True)]
        )

    def _members(self, body: Node, place: _Place) -> None:
        """Record the members of a type: those in the tree and those missing from it, in the order of the file."""
        plain = self._plain.get(self._script.range(body)[0] + 1, ()) if self._plain else ()
        done = 0
        for child in body.named_children:
            if done < len(plain):
                start = self._script.range(child)[0]
                while done < len(plain) and plain[done].start < start:
                    self._take(plain[done], place)
                    done += 1
            self._member(child, place)
        for each in plain[done:]:
            self._take(each, place)

    def _take(self, plain: Plain, place: _Place) -> None:
        self._add(plain.member, (plain.start, plain.end), plain.front, place)

    def _member(self, node: Node, place: _Place) -> None:
        kind = node.type
        if kind in _TYPE_NODES:
            self._deeper(self._type, node, place)
        elif kind in _FIELD_NODES:
            head = head_of(node.children, self._script)
            found = members.fields(node, head)
            for member in found:
                if len(found) > 1:
                    member.shares = found[0].body[0]
                if member.name:
                    self._add(member, self._script.range(node), head.front, place)
        elif (read := _MEMBER_NODES.get(kind)) is not None:
            head = head_of(node.children, self._script)
            member = read(node, head)
            if member.name:
                self._add(member, self._script.range(node), head.front, place)
        elif kind == "ERROR":
            self._deeper(self._members, node, place)

    def _is_ref(self, node: Node) -> bool:
        """Whether a struct is a `ref struct`. The grammar has no modifier for it, and `ref partial` was rewritten."""
        name = node.child_by_field_name("name")
        end = self._script.range(name)[0] if name is not None else 0
        return _REF_STRUCT.search(self._lexed.clean, self._script.range(node)[0], end) is not None

    def _is_extension(self, node: Node) -> bool:
        """Whether this class was an extension block before it was rewritten."""
        name = node.child_by_field_name("name")
        script = self._script
        return (
            name is not None and script.parsed(name) == EXTENSION_NAME and script.code(name) != EXTENSION_NAME
        )

    def _extension(self, node: Node, place: _Place) -> None:
        """Record an extension block: its members belong to the enclosing static class and retain their receiver."""
        parameter_list = next((c for c in node.children if c.type == "parameter_list"), None)
        received = parameters_of(parameter_list, self._script) if parameter_list is not None else ()
        receiver = received[0] if received else ParameterRecord("", "", "", "")
        body = node.child_by_field_name("body")
        if body is not None:
            names = next((c for c in node.children if c.type == "type_parameter_list"), None)
            block = type_parameters_of(names, self._script)
            constraints = members.constraints_of(head_of(node.children, self._script))
            self._members(body, _Place(place.parent, place.scope, receiver, block, constraints))

    # Records

    def _add(self, member: Member, where: tuple[int, int], front: Front, place: _Place) -> int:
        """Appends the record of a declaration; its index."""
        start, end = where
        doc = self._doc(start)
        access = front.access or self._default_access(member, front, place.parent)
        visible = access != "private" or bool(member.explicit) or member.kind in TYPE_KINDS
        matters = [member.body] if visible else self._private(member, (start, end))
        first_line = self._line(start)
        self.declarations.append(
            Declaration(
                kind=member.kind if place.receiver is None else Kind.EXTENSION_MEMBER,
                name=member.name,
                parent=place.parent,
                scope=place.scope,
                access=access,
                modifiers=front.modifiers,
                type_parameters=member.type_parameters,
                constraints=member.constraints,
                parameters=shortened(member.parameters),
                returns=member.returns,
                accessors=member.accessors,
                explicit=member.explicit,
                bases=member.bases,
                attributes=front.attributes,
                value=member.value,
                start=start,
                end=end,
                start_line=first_line,
                end_line=first_line + self._lines(start, end),
                body=member.body,
                doc=doc,
                structure=structure_digest(member, front, access) if visible else b"",
                impl=impl_digest(member, self._lexed.code, matters),
                docs=doc_digest(self._lexed.source[doc[0] : doc[1]]),
                receiver=place.receiver,
                block=place.block,
                variance=member.variance,
                block_constraints=place.constraints,
                readonly=member.readonly,
                header=member.header,
            )
        )
        return len(self.declarations) - 1

    def _default_access(self, member: Member, front: Front, parent: int) -> str:
        if parent < 0:
            return "internal"
        if member.kind is Kind.DESTRUCTOR:
            return "protected"  # it overrides Object.Finalize
        if member.explicit or (member.kind is Kind.CONSTRUCTOR and "static" in front.modifiers):
            return "private"  # in interfaces too
        return "public" if self.declarations[parent].kind in _PUBLIC_BY_DEFAULT else "private"

    def _private(self, member: Member, whole: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the spans that matter of a private member: everything; where it shares its declaration with others,
        the shared parts and its own."""
        if member.shares == 0:
            return [whole]
        return [(whole[0], member.shares), member.body]

    def _line(self, offset: int) -> int:
        """Return the 1-based line. Declarations come nearly in order, so counting continues from the last answer."""
        last, line = self._line_at
        source = self._lexed.source
        line += source.count(b"\n", last, offset) if offset >= last else -source.count(b"\n", offset, last)
        self._line_at = (offset, line)
        return line

    def _lines(self, start: int, end: int) -> int:
        """Count the line ends in a stretch; declarators of one declaration request the same."""
        if self._counted[:2] != (start, end):
            self._counted = (start, end, self._lexed.source.count(b"\n", start, end))
        return self._counted[2]

    def _doc(self, start: int) -> tuple[int, int]:
        """The doc comment that ends where the declaration at `start` begins."""
        at = bisect_left(self._doc_starts, start) - 1
        if at < 0:
            return (0, 0)
        doc = self._lexed.docs[at]
        between = self._lexed.clean[doc[1] : start]
        return doc if not between or between.isspace() else (0, 0)
