"""Parts of declarations read from nodes: names, types, modifiers, parameters, attributes."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from services.syntax.declaration import ParameterRecord

ACCESS_WORDS = frozenset({"public", "private", "protected", "internal", "file"})
_PARAMETER_WORDS = frozenset({"modifier", "this", "ref", "out", "in", "params", "scoped"})
_DEFAULT_SHOWN = 40


@dataclass(slots=True)
class Head:
    """What all declarations share: `access` as declared or empty, attribute names, and the children by node type."""

    access: str = ""
    modifiers: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    attribute_lists: list[Node] = field(default_factory=list)
    rest: dict[str, Node] = field(default_factory=dict)


def text_of(node: Node) -> str:
    """The node's text with blanks folded. The parser saw no comments and no string contents."""
    data = node.text or b""
    return (b" ".join(data.split()) if b" " in data or b"\n" in data else data).decode("utf-8", "replace")


def name_of(node: Node) -> str:
    """An identifier without the `@` of a verbatim one."""
    return text_of(node).lstrip("@")


def head_of(children: list[Node]) -> Head:
    """Sorts the children of a declaration."""
    head = Head()
    access: list[str] = []
    for child in children:
        kind = child.type
        if kind == "modifier":
            word = text_of(child)
            if word in ACCESS_WORDS:
                access.append(word)
            else:
                head.modifiers.append(word)
        elif kind == "attribute_list":
            head.attribute_lists.append(child)
            head.attributes += attribute_names(child)
        else:
            head.rest.setdefault(kind, child)
    head.access = _access(access)
    return head


def _access(words: list[str]) -> str:
    if len(words) < 2:
        return words[0] if words else ""
    return "private protected" if "private" in words else "protected internal"


def attribute_names(attributes: Node) -> list[str]:
    """The names in one attribute list, generic arguments left out."""
    return [
        text_of(name).split("<")[0]
        for child in attributes.named_children
        if child.type == "attribute" and (name := child.child_by_field_name("name")) is not None
    ]


def parameters_of(parameter_list: Node) -> tuple[ParameterRecord, ...]:
    """The parameters of a list. The grammar has no node for a `params` parameter: its fields hang on the list."""
    found: list[ParameterRecord] = []
    loose: list[Node] = []
    for child in parameter_list.children:
        if child.type == "parameter":
            found.append(_parameter(child.children))
        elif child.type in (",", ")", "]"):
            if loose:
                found.append(_parameter(loose))
                loose = []
        elif child.type not in ("(", "["):
            loose.append(child)
    return tuple(found)


def _parameter(children: list[Node]) -> ParameterRecord:
    words: list[str] = []
    names: list[Node] = []
    default = ""
    for at, child in enumerate(children):
        kind = child.type
        if kind in _PARAMETER_WORDS:
            words.append(text_of(child))
        elif kind == "=":
            default = " ".join(text_of(rest) for rest in children[at + 1 :])
            break
        elif kind != "attribute_list":
            names.append(child)
    name = name_of(names[-1]) if len(names) > 1 else ""
    type_text = text_of(names[0]) if names else ""
    return ParameterRecord(type_text, " ".join(words), name, _short(default))


def _short(expression: str) -> str:
    return expression if len(expression) <= _DEFAULT_SHOWN else "…"


def type_parameters_of(node: Node | None) -> tuple[str, ...]:
    """The names of a type parameter list, variance left out."""
    if node is None:
        return ()
    return tuple(
        name_of(name)
        for child in node.named_children
        if child.type == "type_parameter" and (name := child.child_by_field_name("name")) is not None
    )


def bases_of(node: Node | None) -> tuple[str, ...]:
    """A base list as written, without constructor arguments."""
    if node is None:
        return ()
    return tuple(_base(child) for child in node.named_children if child.type != "argument_list")


def _base(node: Node) -> str:
    return text_of(node.named_children[0] if node.type == "primary_constructor_base_type" else node)
