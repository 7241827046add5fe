"""Nodes of members to the values and digests that their records are made of (004 section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec
from tree_sitter import Node

from services.model import TYPE_KINDS, Kind
from services.syntax.parse.pieces import ACCESS_WORDS, Front, Head, parameters_of, type_parameters_of
from services.syntax.records.declaration import CUT, ParameterRecord, Stretch
from services.syntax.records.hashing import normalised, part

NO_BODY = (0, 0)
_MOST_SHOWN = 60


class Member(msgspec.Struct):
    """A member as read. `body`: the stretch of the file that counts for implHash, (0, 0) without one; `shares`: where
    it shares a declaration with others (`int a, b;`), the offset up to which it does, else 0."""

    kind: Kind
    name: str
    returns: str | None = None
    type_parameters: tuple[str, ...] = ()
    parameters: tuple[ParameterRecord, ...] | None = None
    accessors: tuple[tuple[str, str], ...] = ()
    readonly: tuple[str, ...] = ()
    explicit: str = ""
    constraints: str = ""
    variance: tuple[str, ...] = ()
    value: str = ""
    bases: tuple[str, ...] = ()
    body: tuple[int, int] = NO_BODY
    shares: int = 0
    header: tuple[Stretch, ...] = ()


def method(node: Node, head: Head) -> Member:
    """A method."""
    returns = node.child_by_field_name("returns")
    member = _callable(Kind.METHOD, _name(node, head), node, head)
    member.returns = head.script.text(returns) if returns is not None else "void"
    member.explicit = _explicit(head)
    member.constraints = constraints_of(head)
    return member


def function(node: Node, head: Head) -> Member:
    """A function outside of types, as a method."""
    member = method(node, head)
    returns = node.child_by_field_name("type")
    member.returns = head.script.text(returns) if returns is not None else "void"
    return member


def constructor(node: Node, head: Head) -> Member:
    """Read a constructor; static ones retain the modifier."""
    member = _callable(Kind.CONSTRUCTOR, _name(node, head), node, head)
    initializer = head.rest.get("constructor_initializer")
    if initializer is not None:
        start, end = head.script.range(initializer)
        member.body = (start, member.body[1] or end)
    return member


def destructor(node: Node, head: Head) -> Member:
    """A finalizer: its name is `~Type`."""
    return _callable(Kind.DESTRUCTOR, "~" + _name(node, head), node, head)


def operator(node: Node, head: Head) -> Member:
    """An operator: its name is `operator +`."""
    sign = node.child_by_field_name("operator")
    checked = " checked" if "checked" in head.rest else ""
    name = f"operator{checked} {head.script.sign(sign) if sign is not None else ''}".rstrip()
    member = _callable(Kind.OPERATOR, name, node, head)
    member.returns = _type(node, head)
    member.explicit = _explicit(head)
    return member


def conversion(node: Node, head: Head) -> Member:
    """A conversion operator: its name is `implicit operator` or `explicit operator`; the target is what it returns."""
    way = "implicit" if "implicit" in head.rest else "explicit"
    checked = " checked" if "checked" in head.rest else ""
    member = _callable(Kind.CONVERSION, f"{way} operator{checked}", node, head)
    member.returns = _type(node, head)
    member.explicit = _explicit(head)
    return member


def property_(node: Node, head: Head) -> Member:
    """A property. An expression body makes it get-only."""
    member = Member(Kind.PROPERTY, _name(node, head), _type(node, head), explicit=_explicit(head))
    _take_accessors(member, node, head)
    return member


def indexer(node: Node, head: Head) -> Member:
    """An indexer: its name is `this[]`."""
    member = Member(Kind.INDEXER, "this[]", _type(node, head), explicit=_explicit(head))
    parameter_list = node.child_by_field_name("parameters")
    member.parameters = parameters_of(parameter_list, head.script) if parameter_list is not None else ()
    _take_accessors(member, node, head)
    return member


def event(node: Node, head: Head) -> Member:
    """An event with accessors of its own."""
    member = Member(Kind.EVENT, _name(node, head), _type(node, head), explicit=_explicit(head))
    _take_accessors(member, node, head)
    return member


def fields(node: Node, head: Head) -> list[Member]:
    """Each declarator of a field, constant or field-like event."""
    declaration = head.rest.get("variable_declaration")
    if declaration is None:
        return []
    returns = _type(declaration, head)
    kind = Kind.CONSTANT if "const" in head.front.modifiers else Kind.FIELD
    if node.type == "event_field_declaration":
        kind = Kind.EVENT
    found = []
    for child in declaration.named_children:
        if child.type != "variable_declarator":
            continue
        member = Member(kind, _name(child, head), returns)
        member.body = head.script.range(child)
        if kind is Kind.CONSTANT:
            member.value = _initializer(child.children, head)
        elif "fixed" in head.front.modifiers:
            member.value = _size(child, head)
        if kind is Kind.EVENT:
            member.accessors = (("add", ""), ("remove", ""))
            member.body = NO_BODY if "partial" in head.front.modifiers else member.body
        found.append(member)
    return found


def enum_member(node: Node, head: Head) -> Member:
    """A member of an enum. `value` is empty where the language counts on."""
    value = node.child_by_field_name("value")
    body = head.script.range(value) if value is not None else NO_BODY
    return Member(Kind.ENUM_MEMBER, _name(node, head), value=_shown(value, head), body=body)


def constraints_of(head: Head) -> str:
    """All `where` clauses as written."""
    return " ".join([head.script.text(clause) for clause in head.clauses])


def _callable(kind: Kind, name: str, node: Node, head: Head) -> Member:
    parameter_list = node.child_by_field_name("parameters")
    member = Member(kind, name)
    member.type_parameters = type_parameters_of(head.rest.get("type_parameter_list"), head.script)
    member.parameters = parameters_of(parameter_list, head.script) if parameter_list is not None else ()
    body = node.child_by_field_name("body")
    member.body = head.script.range(body) if body is not None else NO_BODY
    return member


def _name(node: Node, head: Head) -> str:
    found = node.child_by_field_name("name")
    return head.script.name(found) if found is not None else ""


def _type(node: Node, head: Head) -> str | None:
    found = node.child_by_field_name("type")
    return head.script.text(found) if found is not None else None


def _explicit(head: Head) -> str:
    specifier = head.rest.get("explicit_interface_specifier")
    return head.script.text(specifier).rstrip(".").rstrip() if specifier is not None else ""


def _take_accessors(member: Member, node: Node, head: Head) -> None:
    accessors = head.rest.get("accessor_list")
    value = node.child_by_field_name("value")
    if accessors is not None:
        read = [_accessor(c, head) for c in accessors.named_children if c.type == "accessor_declaration"]
        member.accessors = tuple([(name, access) for name, access, _ in read])
        member.readonly = tuple([name for name, _, is_readonly in read if is_readonly])
    elif "arrow_expression_clause" in head.rest:
        member.accessors = (("get", ""),)
    if accessors is not None and "partial" in head.front.modifiers and not _has_code(accessors):
        return  # the contract of a partial member has no body
    first, last = accessors or value, value or accessors
    if first is not None and last is not None:
        member.body = head.script.span(first, last)


def _has_code(accessors: Node) -> bool:
    return any(child.child_by_field_name("body") is not None for child in accessors.named_children)


def _accessor(node: Node, head: Head) -> tuple[str, str, bool]:
    """Its name, its own access, and whether it is `readonly` for itself."""
    words = [head.script.text(c) for c in node.named_children if c.type == "modifier"]
    access = " ".join(w for w in words if w in ACCESS_WORDS)
    return _name(node, head), access, "readonly" in words


def _initializer(children: list[Node], head: Head) -> str:
    for at, child in enumerate(children):
        if child.type == "=":
            return " ".join(_shown(each, head) for each in children[at + 1 :])
    return ""


def _size(declarator: Node, head: Head) -> str:
    """Return the text between the brackets of a fixed buffer."""
    brackets = next((c for c in declarator.children if c.type == "bracketed_argument_list"), None)
    return (
        _shown(brackets.named_children[0], head) if brackets is not None and brackets.named_children else ""
    )


def _shown(node: Node | None, head: Head) -> str:
    if node is None:
        return ""
    return shown(head.script.text(node))


def shown(value: str) -> str:
    """Return a constant's value as stored: a long one is omitted."""
    return value if len(value) <= _MOST_SHOWN else CUT


_MARGIN = bytes.maketrans(b"/*", b"  ")

# They change nothing that a caller sees.
_UNSEEN = frozenset({"partial", "async"})


# The same few stand at most declarations.
_attributes = lru_cache(4_096)(normalised)


@lru_cache(1_024)
def _visible(modifiers: tuple[str, ...]) -> str:
    return " ".join(sorted(word for word in modifiers if word not in _UNSEEN))


@lru_cache(256)
def _accessors(accessors: tuple[tuple[str, str], ...]) -> str:
    return ",".join(" ".join(pair) for pair in accessors)


def structure_digest(member: Member, front: Front, access: str) -> bytes:
    """Digest of the API of a member: kind, access, modifiers, types, accessors, constraints, attributes. Of a type
    only its attributes: the rest is shared by its parts (services/index/symbols/placed.py)."""
    attributes = sorted([_attributes(code) for code in front.attribute_codes])
    if member.kind in TYPE_KINDS:
        return part(b"|".join(attributes)) if attributes else b""
    parameters = ",".join([f"{p.modifier} {p.type}" for p in member.parameters]) if member.parameters else ""
    line = "|".join(
        (
            member.kind,
            access,
            _visible(front.modifiers),
            member.returns or "",
            f"{member.explicit}.{member.name}<{','.join(member.type_parameters)}>({parameters})",
            _accessors(member.accessors),
            member.constraints,
        )
    )
    return part(b"|".join((line.replace(" ", "").encode(), *attributes)))


def impl_digest(member: Member, code: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """Digest of the code in `spans` of the code view (the body, and for private members the whole declaration) and of
    parameter defaults. Empty where there is none."""
    defaults = ",".join([p.default for p in member.parameters]) if member.parameters else ""
    text = b" ".join([code[start:end] for start, end in spans])
    if not text and not defaults.strip(","):
        return b""
    return part(b"|".join((member.name.encode(), normalised(text), defaults.encode())))


def doc_digest(comment: bytes) -> bytes:
    """Digest of the words of a doc comment. Empty without one."""
    if not comment:
        return b""
    return part(b" ".join(comment.translate(_MARGIN).split()))
