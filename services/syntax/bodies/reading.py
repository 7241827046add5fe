"""Nodes of a body to expression records."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from services.syntax.bodies.expressions import (
    Access,
    Argument,
    ArrayOf,
    Await,
    Call,
    Either,
    Expected,
    Expression,
    Index,
    Keyword,
    Lambda,
    Name,
    New,
    Null,
    OfType,
    Operation,
    TupleOf,
    Unknown,
)
from services.syntax.bodies.nodes import (
    FUNCTIONS,
    field,
    gives,
    is_var,
    last_operand,
    simple_name,
    text,
    type_arguments,
)

_DEEPEST = 60
_LITERALS = {
    "string_literal": "string",
    "verbatim_string_literal": "string",
    "raw_string_literal": "string",
    "interpolated_string_expression": "string",
    "character_literal": "char",
    "boolean_literal": "bool",
    "is_expression": "bool",
    "is_pattern_expression": "bool",
    "typeof_expression": "System.Type",
    "sizeof_expression": "int",
}
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_STATEMENT_PARENTS = frozenset({"return_statement", "arrow_expression_clause"})


class Reader:
    """Reads the nodes of one tree. `shift`: what to add to an offset in the tree to have one in the file."""

    def __init__(self, shift: int) -> None:
        self._shift = shift
        self._depth = 0
        self._expecting = False
        self._known: dict[tuple[int, bool], Expression] = {}

    def at(self, node: Node) -> int:
        """The offset of a node in the file."""
        return node.start_byte + self._shift

    def expression(self, node: Node | None) -> Expression:
        """The record of an expression node: the same one whenever it is asked for, so that what it is of can be kept
        by its identity."""
        if node is None or self._depth > _DEEPEST:
            return Unknown()
        kind = node.type
        if (literal := _LITERALS.get(kind)) is not None:
            return OfType(literal)
        read = _READERS.get(kind)
        if read is None:
            return Unknown()
        key = (node.id, self._expecting)
        known = self._known.get(key)
        if known is None:
            self._depth += 1
            try:
                known = self._known[key] = read(self, node)
            finally:
                self._depth -= 1
        return known

    def arguments(self, node: Node | None) -> tuple[Argument, ...]:
        """The arguments of a list."""
        if node is None:
            return ()
        return tuple(self._argument(child) for child in node.named_children if child.type == "argument")

    def expected(self, node: Node) -> Expected | None:
        """What type is expected of the expression at `node`, or None where that is not plain.

        In what is read to tell that, `new()` is of no type: which overload a call means is chosen without it."""
        if self._expecting:
            return None
        self._expecting = True
        try:
            return self._expected(node)
        finally:
            self._expecting = False

    def _expected(self, node: Node) -> Expected | None:
        parent = node.parent
        while parent is not None and parent.type in ("parenthesized_expression", "conditional_expression"):
            node, parent = parent, parent.parent
        if parent is None:
            return None
        kind = parent.type
        if kind == "argument":
            return self._of_argument(parent)
        if kind == "variable_declarator":
            declared = field(parent.parent, "type") if parent.parent is not None else None
            return Expected(type=text(declared)) if declared is not None and not is_var(declared) else None
        if kind == "assignment_expression" and node == field(parent, "right"):
            around, name = parent.parent, field(parent, "left")
            if around is not None and around.type == "initializer_expression":
                if name is None or name.type != "identifier":
                    return None
                return Expected(value=Access(self.initialised(around), text(name), (), False, self.at(name)))
            return Expected(value=self.expression(field(parent, "left")))
        if kind == "initializer_expression" and (array := parent.parent) is not None:
            element = (
                field(field(array, "type"), "type") if array.type == "array_creation_expression" else None
            )
            return Expected(type=text(element)) if element is not None else None
        if kind in _STATEMENT_PARENTS:
            return None if self._function_of(parent) is not None else Expected()
        if kind == "property_declaration":
            return Expected()
        return None

    def initialised(self, initializer: Node) -> Expression:
        """What an object initialiser initialises."""
        holder = initializer.parent
        if holder is None:
            return Unknown()
        if holder.type in ("object_creation_expression", "implicit_object_creation_expression"):
            # A creation around what is expected is none of the arguments that are chosen by.
            expecting, self._expecting = self._expecting, False
            try:
                return self.expression(holder)
            finally:
                self._expecting = expecting
        if holder.type == "assignment_expression" and holder.parent is not None:
            name = field(holder, "left")
            if name is not None and name.type == "identifier":
                return Access(self.initialised(holder.parent), text(name), (), False, self.at(name))
        return Unknown()

    def _of_argument(self, argument: Node) -> Expected | None:
        listed = argument.parent
        call = self.expression(listed.parent) if listed is not None else None
        if listed is None or not isinstance(call, Call | New) or field(argument, "name") is not None:
            return None
        place = [c.id for c in listed.named_children if c.type == "argument"].index(argument.id)
        return Expected(call=call, argument=place)

    def _function_of(self, node: Node) -> Node | None:
        """The function inside the member that a statement belongs to."""
        current = node.parent
        while current is not None and current.type not in FUNCTIONS:
            current = current.parent
        return current

    # Kinds of expression

    def _argument(self, node: Node) -> Argument:
        name = field(node, "name")
        modifier = next((c.type for c in node.children if c.type in ("ref", "out", "in")), "")
        value = last_operand(node)
        return Argument(self.expression(value if value != name else None), text(name), modifier)

    def name(self, node: Node) -> Expression:
        """A simple name, generic or not."""
        return Name(simple_name(node), type_arguments(node), self.at(node))

    def access(self, node: Node) -> Expression:
        """`a.b`."""
        receiver, name = field(node, "expression"), field(node, "name")
        if name is None:
            return Unknown()
        if receiver is not None and receiver.type == "is_pattern_expression":
            return OfType("bool")  # `a is B.C` is read as `(a is B).C` by the grammar
        return Access(
            self.expression(receiver), simple_name(name), type_arguments(name), False, self.at(name)
        )

    def qualified(self, node: Node) -> Expression:
        """`global::A`, `A.B` where the grammar sees a type."""
        if node.type == "alias_qualified_name":
            name = field(node, "name")
            alias = text(field(node, "alias")) or text(node).partition("::")[0].strip()
            if name is None:
                return Unknown()
            return Name(f"{alias}::{simple_name(name)}", type_arguments(name), self.at(name))
        left, name = field(node, "qualifier"), field(node, "name")
        if name is None:
            return Unknown()
        return Access(self.expression(left), simple_name(name), type_arguments(name), False, self.at(name))

    def conditional_access(self, node: Node) -> Expression:
        """`a?.b`, `a?[0]`."""
        receiver = self.expression(field(node, "condition"))
        bound = node.named_children[-1]
        if bound.type == "member_binding_expression":
            name = field(bound, "name")
            if name is not None:
                return Access(receiver, simple_name(name), type_arguments(name), True, self.at(name))
        if bound.type == "element_binding_expression":
            return Index(receiver, self.arguments(bound))
        return Unknown()

    def call(self, node: Node) -> Expression:
        """`a(b)`; `nameof` gives a string."""
        function = field(node, "function")
        if function is not None and function.type == "identifier" and text(function) == "nameof":
            return OfType("string")
        return Call(self.expression(function), self.arguments(field(node, "arguments")))

    def creation(self, node: Node) -> Expression:
        """`new T(a)`."""
        return New(text(field(node, "type")), self.arguments(field(node, "arguments")))

    def implicit_creation(self, node: Node) -> Expression:
        """`new(a)`."""
        listed = next((c for c in node.children if c.type == "argument_list"), None)
        return New("", self.arguments(listed), self.expected(node))

    def cast(self, node: Node) -> Expression:
        """`(T)a`, `default(T)`."""
        written = field(node, "type")
        return OfType(text(written)) if written is not None else Null()

    def conversion(self, node: Node) -> Expression:
        """`a as T`."""
        return OfType(text(field(node, "right")))

    def array(self, node: Node) -> Expression:
        """`new T[2]`: sizes left out."""
        written = field(node, "type")
        if written is None:
            return Unknown()
        element = field(written, "type")
        ranks = [c for c in written.children if c.type == "array_rank_specifier"]
        commas = [sum(1 for c in rank.children if c.type == ",") for rank in ranks]
        return OfType(text(element) + "".join(f"[{',' * count}]" for count in commas))

    def implicit_array(self, node: Node) -> Expression:
        """`new[] { a }`."""
        listed = next((c for c in node.named_children if c.type == "initializer_expression"), None)
        return ArrayOf(tuple(map(self.expression, listed.named_children)) if listed is not None else ())

    def awaited(self, node: Node) -> Expression:
        """`await a`."""
        return Await(self.expression(last_operand(node)))

    def index(self, node: Node) -> Expression:
        """`a[b]`."""
        receiver = field(node, "expression") or node.children[0]
        return Index(self.expression(receiver), self.arguments(field(node, "subscript")))

    def inner(self, node: Node) -> Expression:
        """What parentheses, `checked`, `ref`, or `!` after it leave as it is."""
        return self.expression(last_operand(node))

    def either(self, node: Node) -> Expression:
        """`a ? b : c`."""
        sides = (field(node, "consequence"), field(node, "alternative"))
        return Either(tuple(map(self.expression, sides)))

    def switch(self, node: Node) -> Expression:
        """A switch expression: the values of its arms."""
        arms = [c for c in node.named_children if c.type == "switch_expression_arm"]
        values = [last_operand(arm) for arm in arms]
        return Either(tuple(self.expression(v) for v in values if v is None or v.type != "throw_expression"))

    def binary(self, node: Node) -> Expression:
        """Operators of two operands."""
        left, right = field(node, "left"), field(node, "right")
        sign = text(field(node, "operator"))
        if sign in _COMPARISONS:
            return OfType("bool")
        if sign == "??":
            if right is not None and right.type == "throw_expression":
                return Either((self.expression(left),), first_unwrapped=True)
            return Either((self.expression(left), self.expression(right)), first_unwrapped=True)
        return Operation(sign, (self.expression(left), self.expression(right)))

    def unary(self, node: Node) -> Expression:
        """Operators before or after one operand."""
        sign = next((c.type for c in node.children if not c.is_named), "")
        if node.type == "prefix_unary_expression" and sign == "!":
            return OfType("bool")
        if sign in ("!", "++", "--", "+", "-", "~"):
            inner = self.inner(node)
            return inner if sign in ("!", "++", "--") else Operation(sign, (inner,))
        return Unknown()

    def assignment(self, node: Node) -> Expression:
        """An assignment has the type of its left side."""
        return self.expression(field(node, "left"))

    def function(self, node: Node) -> Expression:
        """A lambda or an anonymous method."""
        listed = field(node, "parameters")
        body = field(node, "body")
        result = None
        if body is not None and body.type != "block":
            result = self.expression(body)
        elif body is not None:
            returned = [c for c in body.named_children if c.type == "return_statement"]
            if len(returned) == 1 and (value := last_operand(returned[0])) is not None:
                result = self.expression(value)
        count = None if listed is None else 1 if listed.type != "parameter_list" else _count(listed)
        is_async = any(
            child.type in ("async", "modifier") and text(child) == "async" for child in node.children
        )
        return Lambda(count, result, self.at(node), gives(body), is_async)

    def tuple(self, node: Node) -> Expression:
        """`(a, b)`."""
        listed = self.arguments(node)
        return TupleOf(tuple(a.value for a in listed), tuple(a.name for a in listed))

    def anonymous(self, node: Node) -> Expression:
        """`new { a.B, Name = c }`: its members are looked up as those of a tuple are."""
        values: list[Expression] = []
        names: list[str] = []
        children = [child for child in node.named_children if child.type != "comment"]
        for child in children:
            following = child.next_sibling
            if following is not None and following.type == "=":
                names.append(text(child))
                continue
            value = self.expression(child)
            values.append(value)
            if len(names) < len(values):
                names.append(
                    value.text if isinstance(value, Name) else value.name if isinstance(value, Access) else ""
                )
        return TupleOf(tuple(values), tuple(names))

    def query(self, node: Node) -> Expression:
        """`from a in b … select c` gives what `b.Select(a => c)` does; grouped and continued ones are not told."""
        clauses = [child for child in node.named_children if child.type != "comment"]
        if clauses[0].type != "from_clause" or clauses[-1].type != "select_clause":
            return Unknown()
        if any(clause.type in ("identifier", "group_clause") for clause in clauses):
            return Unknown()
        source = self.expression(last_operand(clauses[0]))
        selected = Lambda(1, self.expression(last_operand(clauses[-1])), self.at(node))
        return Call(Access(source, "Select", (), False, self.at(node)), (Argument(selected),))

    def number(self, node: Node) -> Expression:
        """A number: its suffix says of which type."""
        written = text(node).lower().replace("_", "")
        if node.type == "real_literal":
            return OfType({"f": "float", "m": "decimal"}.get(written[-1:], "double"))
        if written.endswith(("ul", "lu")):
            return OfType("ulong")
        return OfType({"l": "long", "u": "uint"}.get(written[-1:], "int"))


def _count(listed: Node) -> int:
    return sum(1 for c in listed.named_children if c.type == "parameter")


_READERS: dict[str, Callable[[Reader, Node], Expression]] = {
    "identifier": Reader.name,
    "generic_name": Reader.name,
    "qualified_name": Reader.qualified,
    "alias_qualified_name": Reader.qualified,
    "this": lambda _reader, _node: Keyword("this"),
    "base": lambda _reader, _node: Keyword("base"),
    "predefined_type": lambda _reader, node: Keyword(text(node)),
    "member_access_expression": Reader.access,
    "conditional_access_expression": Reader.conditional_access,
    "invocation_expression": Reader.call,
    "object_creation_expression": Reader.creation,
    "implicit_object_creation_expression": Reader.implicit_creation,
    "cast_expression": Reader.cast,
    "default_expression": Reader.cast,
    "null_literal": lambda _reader, _node: Null(),
    "as_expression": Reader.conversion,
    "array_creation_expression": Reader.array,
    "implicit_array_creation_expression": Reader.implicit_array,
    "await_expression": Reader.awaited,
    "element_access_expression": Reader.index,
    "parenthesized_expression": Reader.inner,
    "checked_expression": Reader.inner,
    "ref_expression": Reader.inner,
    "with_expression": lambda reader, node: reader.expression(node.named_children[0]),
    "conditional_expression": Reader.either,
    "switch_expression": Reader.switch,
    "binary_expression": Reader.binary,
    "prefix_unary_expression": Reader.unary,
    "postfix_unary_expression": Reader.unary,
    "assignment_expression": Reader.assignment,
    "lambda_expression": Reader.function,
    "anonymous_method_expression": Reader.function,
    "tuple_expression": Reader.tuple,
    "query_expression": Reader.query,
    "anonymous_object_creation_expression": Reader.anonymous,
    "integer_literal": Reader.number,
    "real_literal": Reader.number,
}
