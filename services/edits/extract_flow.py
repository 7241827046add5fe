"""Flow of values through the body of a member: reads and writes of its variables in the order they may happen.

Bodies of lambdas and local functions stand where they are written, as code that runs any number of times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from services.syntax.bodies.node import Node

READ, WRITE, ENTER, EXIT, LEAVE, JOIN = "read", "write", "enter", "exit", "leave", "join"
FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression", "local_function_statement"})
_LOOPS = frozenset({"for_statement", "foreach_statement", "while_statement", "do_statement"})
_PATTERNS = frozenset({"tuple_expression", "declaration_expression", "tuple_pattern"})
_DECLARING = (
    "declaration_expression",
    "declaration_pattern",
    "var_pattern",
    "recursive_pattern",
    "list_pattern",
)
_JUMPS = ("return_statement", "throw_statement", "break_statement", "continue_statement")
_CHOICES = frozenset({"&&", "||", "??"})


class Event(msgspec.Struct, frozen=True):
    """Step of the flow graph. `variable`: the place of its declaration; `offset`: the place of the step."""

    what: str
    variable: int = -1
    offset: int = -1


class Graph(msgspec.Struct):
    """`after`: by event, those that may come next; `functions`: nested ones, with the variables that they use."""

    events: list[Event] = msgspec.field(default_factory=list[Event])
    after: list[set[int]] = msgspec.field(default_factory=list[set[int]])

    def find(self, what: str) -> int | None:
        """The first event of a kind."""
        return next((at for at, each in enumerate(self.events) if each.what == what), None)

    def reaches(self, starts: Iterable[int], *, past: Callable[[Event], bool]) -> Iterator[int]:
        """The events that may come after some, each once; nothing is followed past those that `past` stops at."""
        seen: set[int] = set()
        waiting = [following for start in starts for following in self.after[start]]
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            yield at
            if not past(self.events[at]):
                waiting.extend(self.after[at])


class _Targets(msgspec.Struct):
    """Jump targets: the edges that wait for each."""

    breaks: list[int] = msgspec.field(default_factory=list[int])
    continues: list[int] = msgspec.field(default_factory=list[int])


class FlowBuilder:
    """Builds the graph of one body. `variables`: by the offset of a name, the variable that it means; `region`: the
    statements that are marked; `leaving`: variables that callers read at the end."""

    def __init__(self, variables: dict[int, int], region: Sequence[Node], leaving: Sequence[int]) -> None:
        self._variables = variables
        self._region = region
        self._leaving = leaving
        self.graph = Graph()
        self._here: list[int] = []
        self._targets: list[_Targets] = []
        self._returns: list[list[int]] = [[]]
        self._labels: dict[str, int] = {}
        self._gotos: list[tuple[str, list[int]]] = []

        self._kinds: dict[str, Callable[[Node], None]] = {
            "identifier": self._name,
            "if_statement": self._branches,
            "conditional_expression": self._branches,
            "assignment_expression": self._assignment,
            "prefix_unary_expression": self._unary,
            "postfix_unary_expression": self._unary,
            "variable_declaration": self._declaration,
            "switch_statement": self._switch,
            "switch_expression": self._arms,
            "try_statement": self._try,
            "argument": self._argument,
            "tuple_pattern": self._designations,
            "conditional_access_expression": self._optional,
        }
        self._kinds |= dict.fromkeys(_DECLARING, self._pattern)
        self._kinds |= dict.fromkeys(_JUMPS, self._jump)
        self._kinds |= dict.fromkeys(("goto_statement", "labeled_statement"), self._label)

    def build(self, body: Node) -> Graph:
        """The graph of a body."""
        self._emit(Event(JOIN))
        self._visit(body)
        self._here += self._returns.pop()
        self._emit(Event(LEAVE))
        for each in self._leaving:
            self._emit(Event(READ, each))
        for name, where in self._gotos:
            if name in self._labels:
                self._connect(where, self._labels[name])
        return self.graph

    def _emit(self, event: Event) -> int:
        at = len(self.graph.events)
        self.graph.events.append(event)
        self.graph.after.append(set())
        self._connect(self._here, at)
        self._here = [at]
        return at

    def _connect(self, before: Iterable[int], at: int) -> None:
        for each in before:
            self.graph.after[each].add(at)

    def _join(self) -> int:
        return self._emit(Event(JOIN))

    # Statements and expressions

    def _visit(self, node: Node | None) -> None:
        if node is None:
            return
        first = bool(self._region) and node is self._region[0]
        if first:
            self._emit(Event(ENTER, offset=node.start))
        self._of_kind(node)
        if self._region and node is self._region[-1]:
            self._emit(Event(EXIT, offset=node.end)) if self._here else None

    def _of_kind(self, node: Node) -> None:
        kind = node.type
        if kind in FUNCTIONS:
            self._function(node)
        elif kind in _LOOPS:
            self._loop(node)
        elif kind == "binary_expression" and self._is_choice(node):
            self._optional(node)
        else:
            self._kinds.get(kind, lambda each: self._children(each.named))(node)

    def _children(self, nodes: Iterable[Node]) -> None:
        for each in nodes:
            self._visit(each)

    def _name(self, node: Node) -> None:
        variable = self._variable(node)
        if variable is not None:
            self._emit(Event(READ, variable, node.start))

    def _variable(self, node: Node | None) -> int | None:
        if node is None or node.type not in ("identifier", "implicit_parameter"):
            return None
        return self._variables.get(node.start + node.text.startswith("@"))

    def _write(self, node: Node | None) -> None:
        """Add an assignment: a variable is written, any other target is evaluated."""
        if node is None:
            return
        variable = self._variable(node)
        if variable is not None:
            self._emit(Event(WRITE, variable, node.start))
        elif node.type == "tuple_expression":
            for each in node.named:
                self._write(each.named[-1] if each.named else None)
        elif node.type == "declaration_expression":
            self._pattern(node)
        elif node.type == "parenthesized_expression" and node.named:
            self._write(node.named[-1])
        elif node.type in ("tuple_pattern", "parenthesized_variable_designation"):
            self._designations(node)
        else:
            self._visit(node)

    def _designations(self, node: Node) -> None:
        for each in node.walk():
            variable = self._variable(each)
            if variable is not None:
                self._emit(Event(WRITE, variable, each.start))

    def _pattern(self, node: Node) -> None:
        name = node.get("name")
        for each in node.named:
            if each is not name:
                self._visit(each)
        if name is not None:
            self._write(name)

    def _assignment(self, node: Node) -> None:
        left, right = node.get("left"), node.get("right")
        operator = next(
            (c.type for c in node.children if c is not left and c is not right and "=" in c.type), "="
        )
        if operator == "=":
            is_variable = self._variable(left) is not None
            if left is not None and not is_variable and left.type not in _PATTERNS:
                self._visit(left)
            self._visit(right)
            if is_variable or (left is not None and left.type in _PATTERNS):
                self._write(left)
            return
        self._visit(left)
        if operator == "??=":
            before = list(self._here)
            self._visit(right)
            if self._variable(left) is not None:
                self._write(left)
            self._here = [*before, *self._here]
            self._join()
            return
        self._visit(right)
        if self._variable(left) is not None:
            self._write(left)

    def _unary(self, node: Node) -> None:
        self._children(node.named)
        changes = node.has("++") or node.has("--")
        if node.named and (changes or node.has("&")) and self._variable(node.named[-1]) is not None:
            self._write(node.named[-1])

    def _is_choice(self, node: Node) -> bool:
        return any(child.type in _CHOICES for child in node.children)

    def _optional(self, node: Node) -> None:
        self._visit(node.named[0] if node.named else None)
        before = list(self._here)
        self._children(node.named[1:])
        self._here = [*before, *self._here]
        self._join()

    def _declaration(self, node: Node) -> None:
        for each in node.named:
            if each.type != "variable_declarator":
                continue
            name = each.get("name") or (each.named[0] if each.named else None)
            values = [value for value in each.named if value is not name]
            self._children(values)
            if values and name is not None:
                self._write(name)

    def _argument(self, node: Node) -> None:
        name = node.get("name")
        given = [each for each in node.named if each is not name]
        if node.has("out") and given:
            self._write(given[-1])
            return
        self._children(given)
        if node.has("ref") and given and self._variable(given[-1]) is not None:
            self._write(given[-1])

    # Branches

    def _branches(self, node: Node) -> None:
        self._visit(node.get("condition"))
        before, ends = list(self._here), list[int]()
        for each in ("consequence", "alternative"):
            self._here = list(before)
            self._visit(node.get(each))
            ends += self._here
        self._here = ends

    def _loop(self, node: Node) -> None:
        parts = {
            name: node.get(name) for name in ("initializer", "condition", "update", "right", "left", "body")
        }
        self._visit(parts["initializer"])
        self._visit(parts["right"])
        top = self._join()
        with self._jumps() as targets:
            if node.type == "do_statement":
                self._visit(parts["body"])
                self._here += targets.continues
                self._visit(parts["condition"])
                ends = list(self._here)
                self._connect(ends, top)
            else:
                self._visit(parts["condition"])
                ends = list(self._here)
                endless = node.type == "for_statement" and parts["condition"] is None
                if node.type == "while_statement" and parts["condition"] is not None:
                    endless = parts["condition"].text == "true"
                self._write(parts["left"])
                self._visit(parts["body"])
                self._here += targets.continues
                self._join()
                updates = [
                    each
                    for each in node.named
                    if each is parts["update"] or self._is_update(node, each, parts)
                ]
                self._children(updates)
                self._connect(self._here, top)
                ends = [] if endless else ends
        self._here = [*ends, *targets.breaks]

    def _is_update(self, node: Node, each: Node, parts: dict[str, Node | None]) -> bool:
        """Whether a child of a `for` is one more of its updates."""
        if node.type != "for_statement" or any(each is part for part in parts.values()):
            return False
        body, condition = parts["body"], parts["condition"]
        after = condition.end if condition is not None else node.start
        return body is not None and after < each.start < body.start

    @contextmanager
    def _jumps(self) -> Iterator[_Targets]:
        self._targets.append(_Targets())
        try:
            yield self._targets[-1]
        finally:
            self._targets.pop()

    def _switch(self, node: Node) -> None:
        self._visit(node.get("value"))
        top, ends, has_default = self._join(), list[int](), False
        body = node.get("body")
        with self._jumps() as targets:
            targets.continues = self._targets[-2].continues if len(self._targets) > 1 else []
            for section in body.named if body is not None else ():
                self._here = [top]
                has_default = has_default or any(child.type == "default" for child in section.children)
                self._children(section.named)
                ends += self._here
        self._here = [*ends, *targets.breaks, *([] if has_default else [top])]

    def _arms(self, node: Node) -> None:
        first, *arms = node.named or [None]
        self._visit(first)
        top, ends = self._join(), list[int]()
        for each in arms:
            self._here = [top]
            self._visit(each)
            ends += self._here
        self._here = ends or [top]

    def _try(self, node: Node) -> None:
        first = len(self.graph.events)
        start = self._join()
        self._visit(node.get("body"))
        ends = list(self._here)
        thrown = range(first, len(self.graph.events))
        for each in node.named:
            if each.type == "catch_clause":
                self._here = [start, *thrown]
                self._join()
                for part in each.named:
                    self._catch(part)
                ends += self._here
        self._here = ends
        for each in node.named:
            if each.type == "finally_clause":
                self._here = [*ends, start, *range(first, len(self.graph.events))]
                self._join()
                self._children(each.named)
                self._here = self._here if ends else []

    def _catch(self, part: Node) -> None:
        if part.type == "catch_declaration" and part.get("name") is not None:
            self._write(part.get("name"))
        elif part.type != "catch_declaration":
            self._visit(part)

    # Jumps

    def _jump(self, node: Node) -> None:
        self._children(node.named)
        if node.type == "return_statement":
            self._returns[-1] += self._here
        elif node.type == "break_statement" and self._targets:
            self._targets[-1].breaks += self._here
        elif node.type == "continue_statement" and self._targets:
            self._targets[-1].continues += self._here
        self._here = []

    def _label(self, node: Node) -> None:
        name = next((each.text for each in node.named if each.type == "identifier"), "")
        if node.type == "goto_statement":
            self._gotos.append((name, list(self._here)))
            self._here = []
            return
        self._labels[name] = self._join()
        self._children(node.named[1:])

    def _function(self, node: Node) -> None:
        before = list(self._here)
        top = self._join()
        self._returns.append([])
        targets, self._targets = self._targets, []
        for each in node.named:
            if each.type == "implicit_parameter":
                self._write(each)
            elif each.type in ("parameter_list", "implicit_parameter_list"):
                self._designations(each)
            elif each is node.get("body") or each.type in ("block", "arrow_expression_clause"):
                self._visit(each)
        self._targets = targets
        ends = [*self._here, *self._returns.pop()]
        self._connect(ends, top)
        self._here = [*before, top, *ends]
        self._join()
