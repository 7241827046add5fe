"""The place of an identifier: a type, the end of an expression, a member in an initialiser, or a name of its own."""

from __future__ import annotations

from tree_sitter import Node

from services.syntax.bodies.expressions import Access, Expression, Hit, Keyword, Name, New, OfType, Unknown
from services.syntax.bodies.nodes import field, simple_name, text, type_arguments
from services.syntax.bodies.reading import Reader

_PATHS = frozenset({"qualified_name", "alias_qualified_name"})
_TYPE_PARENTS = frozenset(
    {
        "type_argument_list",
        "base_list",
        "nullable_type",
        "array_type",
        "pointer_type",
        "ref_type",
        "scoped_type",
        "typeof_expression",
        "sizeof_expression",
        "default_expression",
        "catch_declaration",
        "tuple_element",
        "type_parameter_constraint",
        "primary_constructor_base_type",
        "explicit_interface_specifier",
        "function_pointer_type",
        "function_pointer_parameter",
        "type_pattern",
        "refvalue_expression",
        "stackalloc_expression",
        "constructor_constraint",
        "array_creation_expression",
    }
)
_KINDS = {
    "base_list": "base",
    "primary_constructor_base_type": "base",
    "cast_expression": "cast",
    "as_expression": "cast",
    "typeof_expression": "typeof",
    "object_creation_expression": "new",
    "array_creation_expression": "new",
    "catch_declaration": "catch",
    "declaration_pattern": "pattern",
    "recursive_pattern": "pattern",
    "type_pattern": "pattern",
    "type_argument_list": "argument",
    "type_parameter_constraint": "constraint",
    "attribute": "attribute",
}
_DECLARING_FIELD = frozenset({"name"})
_NOT_DECLARING = frozenset(
    {
        "member_access_expression",
        "member_binding_expression",
        "generic_name",
        "qualified_name",
        "alias_qualified_name",
        "attribute",
    }
)
_LABELS = frozenset({"labeled_statement", "goto_statement", "implicit_parameter", "join_into_clause"})
_ENDS = frozenset({"member_access_expression", "member_binding_expression", "conditional_access_expression"})


def hit_of(reader: Reader, node: Node, at: int) -> Hit:
    """The record of the place of an identifier."""
    parent = node.parent
    if parent is not None and node.type == "[":
        return _index(reader, parent, at)
    if parent is None or node.type not in ("identifier", "this", "base", "new"):
        return Hit(at, "declared" if node.type in _LABELS else "unknown")
    if node.type != "identifier":
        return _constructor(reader, node, at)
    top = parent if parent.type == "generic_name" else node
    parent = top.parent
    if parent is None:
        return Hit(at, "unknown")
    if (special := _special(reader, top, parent, at)) is not None:
        return special
    path, outer = _path(top)
    holder = outer.parent
    if holder is not None and _is_type(outer, holder):
        return _type(reader, path, outer, at)
    return _value(reader, top, at)


def _special(reader: Reader, node: Node, parent: Node, at: int) -> Hit | None:
    """A name of a declaration, a label, or a member that is initialised; None for any other."""
    kind = parent.type
    if kind in _LABELS or (kind == "type_parameter_constraints_clause"):
        return Hit(at, "declared")
    if kind == "attribute_argument" and node == field(parent, "name"):
        return _of_attribute(parent, at)
    if kind == "subpattern" and node == parent.named_children[0] and len(parent.named_children) > 1:
        return _of_pattern(reader, parent, at)
    if kind == "with_initializer" and node == parent.named_children[0] and parent.parent is not None:
        owner = reader.expression(parent.parent.named_children[0])
        return Hit(at, "initialised", "write", owner=owner)
    if kind == "assignment_expression" and node == field(parent, "left"):
        around = parent.parent
        if around is not None and around.type == "initializer_expression":
            return Hit(at, "initialised", "write", owner=reader.initialised(around))
    if kind == "let_clause" and node == parent.named_children[0]:
        return Hit(at, "declared")
    if kind == "join_clause" and node == parent.named_children[0]:
        return Hit(at, "declared")
    if kind == "anonymous_object_creation_expression":
        following = node.next_sibling
        if following is not None and following.type == "=":
            return Hit(at, "declared")
    if kind not in _NOT_DECLARING and node == field(parent, "name"):
        return Hit(at, "declared")
    return None


def _of_attribute(argument: Node, at: int) -> Hit:
    attribute = argument.parent.parent if argument.parent is not None else None
    return Hit(at, "initialised", "write", path=text(field(attribute, "name")), owner=OfType(""))


def _of_pattern(reader: Reader, subpattern: Node, at: int) -> Hit:
    """`{ Name: … }` of a pattern with a type, or of what `is` tests."""
    clause = subpattern.parent
    pattern = clause.parent if clause is not None else None
    written = field(pattern, "type")
    owner: Expression = Unknown()
    if written is not None:
        owner = OfType(text(written))
    elif pattern is not None and pattern.parent is not None:
        tested = pattern.parent
        if tested.type == "is_pattern_expression":
            owner = reader.expression(field(tested, "expression"))
        elif tested.type == "switch_expression_arm" and tested.parent is not None:
            owner = reader.expression(tested.parent.named_children[0])
        elif tested.type == "subpattern":
            inner = _of_pattern(reader, tested, at).owner or Unknown()
            name = tested.named_children[0]
            owner = (
                Access(inner, text(name), (), True, reader.at(name)) if name.type == "identifier" else owner
            )
    return Hit(at, "initialised", "read", owner=owner)


def _constructor(reader: Reader, node: Node, at: int) -> Hit:
    """`: base(…)`, `: this(…)`, `new(…)`."""
    parent = node.parent
    if parent is not None and parent.type == "constructor_initializer":
        listed = next((c for c in parent.named_children if c.type == "argument_list"), None)
        return Hit(at, "constructor", "call", path=node.type, arguments=reader.arguments(listed))
    if parent is not None and parent.type == "implicit_object_creation_expression":
        created = reader.expression(parent)
        arguments = created.arguments if isinstance(created, New) else ()
        return Hit(at, "creation", "new", owner=created, arguments=arguments)
    return Hit(at, "declared")


def _index(reader: Reader, node: Node, at: int) -> Hit:
    """`a[b]`, `a?[b]`, `[b] = c` in an initialiser; any other bracket is none that is asked for."""
    parent = node.parent
    if parent is None:
        return Hit(at, "declared")
    if node.type == "bracketed_argument_list" and parent.type == "element_access_expression":
        owner = reader.expression(field(parent, "expression") or parent.children[0])
        return Hit(at, "indexed", "index", owner=owner, arguments=reader.arguments(node))
    if node.type == "element_binding_expression":
        arguments = reader.arguments(node)
        if parent.type == "conditional_access_expression":
            owner = reader.expression(field(parent, "condition"))
            return Hit(at, "indexed", "index", owner=owner, arguments=arguments, following="?")
        around = parent.parent
        if around is not None and around.type == "initializer_expression":
            return Hit(at, "indexed", "write", owner=reader.initialised(around), arguments=arguments)
    return Hit(at, "declared")


def _path(node: Node) -> tuple[str, Node]:
    """The dotted name up to `node`, each type argument replaced by `int`; and the whole dotted name it is in."""
    name = _plain(node)
    parent = node.parent
    outer = node
    if parent is not None and parent.type == "qualified_name" and node == field(parent, "name"):
        name = f"{_plain_path(field(parent, 'qualifier'))}.{name}"
        outer = parent
    elif parent is not None and parent.type == "alias_qualified_name" and node == field(parent, "name"):
        name = f"{text(parent).partition('::')[0].strip()}::{name}"
        outer = parent
    while outer.parent is not None and outer.parent.type in _PATHS:
        outer = outer.parent
    return name, outer


def _plain(node: Node) -> str:
    count = len(type_arguments(node))
    return simple_name(node) + (f"<{', '.join(['int'] * count)}>" if count else "")


def _plain_path(node: Node | None) -> str:
    if node is None:
        return ""
    if node.type == "qualified_name":
        return f"{_plain_path(field(node, 'qualifier'))}.{_plain_path(field(node, 'name'))}"
    if node.type == "alias_qualified_name":
        return f"{text(node).partition('::')[0].strip()}::{_plain_path(field(node, 'name'))}"
    return _plain(node)


def _is_type(node: Node, parent: Node) -> bool:
    kind = parent.type
    if kind == "attribute":
        return node == field(parent, "name")
    if kind == "as_expression":
        return node == field(parent, "right")
    if kind in ("type_parameter_constraint", "base_list"):
        return True
    if kind == "using_directive":
        return True
    return kind in _TYPE_PARENTS or node in (field(parent, "type"), field(parent, "returns"))


def _type(reader: Reader, path: str, outer: Node, at: int) -> Hit:
    """A name where a type stands; `creation` where it is the whole type that is created or called as a base."""
    holder = outer.parent
    kind = _KINDS.get(holder.type, "type") if holder is not None else "type"
    last = reader.at(outer) + len((outer.text or b"").partition(b"<")[0].rstrip())
    ends = at + len(outer.text or b"") >= last and text(outer).count(".") == path.count(".")
    if holder is None or not ends:
        return Hit(at, "type", kind if ends else "type", path=path)
    if holder.type == "object_creation_expression":
        created = reader.expression(holder)
        arguments = created.arguments if isinstance(created, New) else ()
        return Hit(at, "creation", "new", path=path, owner=created, arguments=arguments)
    if holder.type in ("attribute", "primary_constructor_base_type"):
        listed = next((c for c in holder.named_children if c.type.endswith("argument_list")), None)
        arguments = (
            reader.arguments(listed) if holder.type != "attribute" else _attribute_arguments(reader, listed)
        )
        return Hit(at, "creation", kind, path=path, owner=OfType(text(outer)), arguments=arguments)
    listed = outer.next_named_sibling if holder.type == "base_list" else None
    if listed is not None and listed.type == "argument_list":
        arguments = reader.arguments(listed)
        return Hit(at, "creation", kind, path=path, owner=OfType(text(outer)), arguments=arguments)
    return Hit(at, "type", kind, path=path)


def _attribute_arguments(reader: Reader, listed: Node | None):
    from services.syntax.bodies.expressions import Argument

    if listed is None:
        return ()
    positional = [c for c in listed.named_children if c.type == "attribute_argument" and "=" not in _signs(c)]
    return tuple(
        Argument(reader.expression(c.named_children[-1]), text(field(c, "name"))) for c in positional
    )


def _signs(node: Node) -> set[str]:
    return {c.type for c in node.children}


def _value(reader: Reader, node: Node, at: int) -> Hit:
    """A name in an expression."""
    whole = _whole(node)
    expression = reader.expression(whole)
    if not _ends_with(expression, at):
        return Hit(at, "unknown")
    parent = whole.parent
    arguments = None
    kind = "read"
    if parent is not None and parent.type == "invocation_expression" and whole == field(parent, "function"):
        arguments, kind = reader.arguments(field(parent, "arguments")), "call"
    elif parent is not None and parent.type == "assignment_expression" and whole == field(parent, "left"):
        kind = "write"
    elif parent is not None and parent.type in ("prefix_unary_expression", "postfix_unary_expression"):
        kind = "write" if _signs(parent) & {"++", "--"} else "read"
    elif _in_nameof(whole):
        kind = "nameof"
    following = ""
    followed = None
    if parent is not None and parent.type == "member_access_expression":
        following = text(field(parent, "name")).partition("<")[0]
        call = parent.parent
        if call is not None and call.type == "invocation_expression" and parent == field(call, "function"):
            following, followed = f"{following}()", reader.arguments(field(call, "arguments"))
    elif parent is not None and parent.type in ("element_access_expression", "conditional_access_expression"):
        following = "["
    return Hit(
        at,
        "value",
        kind,
        expression=expression,
        arguments=arguments,
        following=following,
        followed=followed,
        generic=type_arguments(node),
    )


def _whole(node: Node) -> Node:
    """The expression that ends with the name at `node`."""
    parent = node.parent
    while parent is not None and parent.type in _ENDS | _PATHS:
        if parent.type == "conditional_access_expression":
            if node == field(parent, "condition"):
                return node
        elif node != field(parent, "name"):
            return node
        node, parent = parent, parent.parent
    return node


def _ends_with(expression: Expression, at: int) -> bool:
    if isinstance(expression, Access | Name):
        return expression.at <= at <= expression.at + 1 + len(getattr(expression, "text", "")) * 4
    return isinstance(expression, Keyword)


def _in_nameof(node: Node) -> bool:
    argument = node.parent
    while argument is not None and argument.type == "member_access_expression":
        argument = argument.parent
    if argument is None or argument.type != "argument" or argument.parent is None:
        return False
    call = argument.parent.parent
    return call is not None and text(field(call, "function")) == "nameof"
