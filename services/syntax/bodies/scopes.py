"""Names declared in a body: which declaration a name means at an offset."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from services.syntax.bodies.expressions import Expression, Local, New, Unknown
from services.syntax.bodies.nodes import field, is_var, text
from services.syntax.bodies.reading import Reader

_UNKNOWN = Local("unknown")
_VARIABLE_SCOPES = frozenset(
    {
        "block",
        "switch_section",
        "switch_expression_arm",
        "lambda_expression",
        "anonymous_method_expression",
        "local_function_statement",
        "while_statement",
        "do_statement",
        "for_statement",
        "foreach_statement",
        "using_statement",
        "lock_statement",
        "fixed_statement",
        "catch_clause",
        "arrow_expression_clause",
        "query_expression",
        "declaration_list",
    }
)


class Scoped(NamedTuple):
    """A local with the range of offsets, in the tree, in which its name means it; `named`: where it is declared."""

    start: int
    end: int
    local: Local
    named: int


def scoped(reader: Reader, node: Node) -> Scoped | None:
    """What the identifier `node` declares in a body, or None where it declares nothing there."""
    parent = node.parent
    read = _DECLARERS.get(parent.type) if parent is not None else None
    if parent is None or read is None:
        return None
    found = read(reader, node, parent)
    if found is None:
        return None
    owner, local = found
    return Scoped(owner.start_byte, owner.end_byte, local, node.start_byte)


def _around(node: Node) -> Node:
    """The node in which a variable declared in an expression at `node` can be named."""
    current = node
    while current.parent is not None and current.type not in _VARIABLE_SCOPES:
        current = current.parent
    return current


Declared = tuple[Node, Local] | None


def _variable(reader: Reader, node: Node, parent: Node) -> Declared:
    declaration = parent.parent
    holder = declaration.parent if declaration is not None else None
    if declaration is None or holder is None or node != field(parent, "name"):
        return None
    if holder.type in ("field_declaration", "event_field_declaration"):
        return None
    owner = holder.parent if holder.type == "local_declaration_statement" else holder
    if owner is None:
        return None
    return owner, _of_type(reader, field(declaration, "type"), lambda: _initial(reader, parent))


def _initial(reader: Reader, declarator: Node) -> Local:
    values = declarator.named_children[1:]
    return Local("value", value=reader.expression(values[-1])) if values else _UNKNOWN


def _of_type(reader: Reader, written: Node | None, implied) -> Local:
    del reader
    if written is None or is_var(written):
        return implied()
    return Local("typed", text(written))


def _parameter(reader: Reader, node: Node, parent: Node) -> Declared:
    if node != field(parent, "name"):
        return None
    listed = parent.parent if parent.type == "parameter" else parent
    function = listed.parent if listed is not None else None
    if listed is None or function is None:
        return None
    written = field(parent, "type")
    if written is not None:
        return function, Local("typed", text(written))
    place = [c.id for c in listed.named_children if c.type == "parameter"].index(parent.id)
    return function, Local("lambda", places=(place,), expected=reader.expected(function))


def _rest(reader: Reader, node: Node, parent: Node) -> Declared:
    """A `params` parameter, whose fields hang on the list."""
    return _parameter(reader, node, parent) if field(parent, "type") is not None else None


def _lambda_parameter(reader: Reader, node: Node, parent: Node) -> Declared:
    if parent.type == "lambda_expression" and node == field(parent, "body"):
        return None
    function = parent if parent.type == "lambda_expression" else parent.parent
    if function is None:
        return None
    return function, Local("lambda", places=(0,), expected=reader.expected(function))


def _each(reader: Reader, node: Node, parent: Node) -> Declared:
    if node != field(parent, "left"):
        return None
    value = field(parent, "right")
    return parent, _of_type(
        reader, field(parent, "type"), lambda: Local("element", value=reader.expression(value))
    )


def _tuple_part(reader: Reader, node: Node, parent: Node) -> Declared:
    """A name in `var (a, (b, c)) = …` or `foreach (var (a, b) in …)`."""
    places: list[int] = []
    current, around = node, parent
    while around is not None and around.type == "tuple_pattern":
        places.insert(0, [c.id for c in around.named_children].index(current.id))
        current, around = around, around.parent
    if around is None:
        return None
    value: Expression = Unknown()
    if around.type == "variable_declarator":
        value = reader.expression(around.named_children[-1])
        holder = around.parent.parent if around.parent is not None else None
        owner = holder.parent if holder is not None else None
        return (owner, Local("part", value=value, places=tuple(places))) if owner is not None else None
    if around.type == "foreach_statement":
        value = reader.expression(field(around, "right"))
        return around, Local("element part", value=value, places=tuple(places))
    return _around(node), _UNKNOWN


def _expression_variable(reader: Reader, node: Node, parent: Node) -> Declared:
    """`out var x`, `(int a, var b) = …`."""
    if node != field(parent, "name"):
        return None
    argument = parent.parent

    def implied() -> Local:
        if argument is None or argument.type != "argument":
            return _UNKNOWN
        expected = reader.expected(parent)
        if expected is None or expected.call is None:
            return _UNKNOWN
        return Local("out", value=expected.call, places=(expected.argument,))

    return _around(node), _of_type(reader, field(parent, "type"), implied)


def _pattern(reader: Reader, node: Node, parent: Node) -> Declared:
    """`is T x`, `is { } x`, `case T x`, `is var x`."""
    if parent.type != "var_pattern" and node != field(parent, "name"):
        return None

    def implied() -> Local:
        tested = parent.parent
        if tested is not None and tested.type == "is_pattern_expression":
            return Local("unwrapped", value=reader.expression(field(tested, "expression")))
        return _UNKNOWN

    return _around(node), _of_type(reader, field(parent, "type"), implied)


def _caught(reader: Reader, node: Node, parent: Node) -> Declared:
    del reader
    if node != field(parent, "name") or parent.parent is None:
        return None
    return parent.parent, Local("typed", text(field(parent, "type")))


def _query(reader: Reader, node: Node, parent: Node) -> Declared:
    """`from x in …`, `let x = …`, `join x in …`; what follows `into` is not followed."""
    declared = field(parent, "name") or (parent.named_children[0] if parent.named_children else None)
    owner = parent.parent
    while owner is not None and owner.type != "query_expression":
        owner = owner.parent
    if owner is None or node != declared:
        return None
    value = reader.expression(parent.named_children[-1])
    if parent.type == "from_clause":
        written = field(parent, "type")
        return owner, Local("typed", text(written)) if written is not None else Local("element", value=value)
    return owner, Local("value", value=value) if parent.type == "let_clause" else _UNKNOWN


def _function(reader: Reader, node: Node, parent: Node) -> Declared:
    del reader
    if node != field(parent, "name") or parent.parent is None:
        return None
    return _around(parent.parent), Local("function", text(field(parent, "type") or field(parent, "returns")))


_DECLARERS = {
    "variable_declarator": _variable,
    "parameter": _parameter,
    "parameter_list": _rest,
    "implicit_parameter": _lambda_parameter,
    "lambda_expression": _lambda_parameter,
    "foreach_statement": _each,
    "tuple_pattern": _tuple_part,
    "parenthesized_variable_designation": _tuple_part,
    "declaration_expression": _expression_variable,
    "declaration_pattern": _pattern,
    "recursive_pattern": _pattern,
    "var_pattern": _pattern,
    "list_pattern": _pattern,
    "catch_declaration": _caught,
    "from_clause": _query,
    "let_clause": _query,
    "join_clause": _query,
    "local_function_statement": _function,
}
__all__ = ["New", "Scoped", "scoped"]
