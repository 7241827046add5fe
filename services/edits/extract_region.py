"""Statements to extract: what they may not hold to be moved into a method, and how each variable is passed to it and
returned."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec

from services.edits.extract_flow import ENTER, EXIT, FUNCTIONS, LEAVE, READ, WRITE, Event, Graph
from services.errors import UsageError
from services.index.binding.types.types import AnyType, TupleType, Type, TypeParameter
from services.syntax.bodies.node import Node

_STATEMENTS = ("_statement", "block")
_LOOPS = frozenset({"for_statement", "foreach_statement", "while_statement", "do_statement"})


class Region(msgspec.Struct, frozen=True):
    """Consecutive statements. `returns`: whether every path through them ends with a `return`."""

    statements: Sequence[Node]

    @property
    def start(self) -> int:
        """Start of the first statement."""
        return self.statements[0].start

    @property
    def end(self) -> int:
        """End of the last statement."""
        return self.statements[-1].end

    def holds(self, offset: int) -> bool:
        """Whether an offset is in one of them."""
        return self.start <= offset < self.end

    def walk(self) -> Iterator[Node]:
        """All nodes."""
        for each in self.statements:
            yield from each.walk()

    def own(self) -> Iterator[Node]:
        """All nodes but those in functions that it holds."""
        waiting = list(self.statements)
        while waiting:
            node = waiting.pop()
            yield node
            if node.type not in FUNCTIONS:
                waiting.extend(node.children)


def region_of(body: Node, start: int, end: int) -> Region:
    """The statements between two offsets. Raises UsageError where these are not whole statements of one list."""
    found: list[Node] = []
    for node in body.walk():
        if node.parent is not None and node.start >= start and node.end <= end and _is_statement(node):
            if found and node.parent is not found[0].parent:
                if node.start < found[-1].end:
                    continue
                break
            found.append(node)
    if not found:
        raise UsageError(
            "No whole statement stands there. Choose from the beginning of one to the end of one."
        )
    cut = next((n for n in body.walk() if _is_cut(n, start, end)), None)
    if cut is not None:
        raise UsageError("The stretch cuts through a statement. Choose whole statements of one block.")
    return Region(found)


def _is_statement(node: Node) -> bool:
    return node.is_named and node.type.endswith(_STATEMENTS)


def _is_cut(node: Node, start: int, end: int) -> bool:
    """Whether a statement or a block is partly in the stretch: one end of it is."""
    if not node.type.endswith(("_statement", "block")):
        return False
    inside = (start <= node.start < end, start < node.end <= end)
    return inside[0] != inside[1]


def refusal(region: Region) -> str:
    """Why statements cannot be a method of their own by themselves; empty where they can."""
    own = list(region.own())
    kinds = {each.type for each in own}
    if "yield_statement" in kinds:
        return "It holds a yield: what the iterator gives would be another sequence."
    if kinds & {"goto_statement", "labeled_statement"}:
        return "It holds a goto or a label."
    if _jumps_out(region):
        return "It holds a break or a continue of a loop around it."
    if any(each.type.startswith("checked_") for each in around(region)):
        return "It stands in a checked or an unchecked block, which does not count in another method."
    if any(each.type == "ref_type" for each in own):
        return "It holds a ref local, which means a place outside."
    return ""


def around(region: Region) -> Iterator[Node]:
    """The nodes around statements, innermost first."""
    node = region.statements[0].parent
    while node is not None:
        yield node
        node = node.parent


def _jumps_out(region: Region) -> bool:
    for each in region.own():
        if each.type not in ("break_statement", "continue_statement"):
            continue
        around = each.parent
        while around is not None and region.start <= around.start and around.end <= region.end:
            if around.type in _LOOPS or (
                each.type == "break_statement" and around.type == "switch_statement"
            ):
                break
            around = around.parent
        else:
            return True
    return False


class Variable(msgspec.Struct, frozen=True):
    """A local or a parameter, by where it is declared.

    `flows_in`: its value from before is read; `flows_out`: the statements assign it, and it is named outside of them;
    `assigned`: whether they always assign it; `inside`: whether they declare it; `outside`: whether it is named outside
    of them; `written`: whether they assign it; `given`: whether it has a value before them."""

    at: int
    name: str
    flows_in: bool
    flows_out: bool
    assigned: bool
    inside: bool
    outside: bool
    written: bool
    given: bool

    @property
    def way(self) -> str | None:
        """How it would be passed if nothing were returned; None for what is not passed."""
        if self.flows_out:
            needs = not self.inside and (self.flows_in or not self.assigned)
            return "ref" if needs else "out"
        return "" if self.flows_in and not self.inside else None


def variables_of(
    graph: Graph, region: Region, names: Mapping[int, str], parameters: Collection[int]
) -> list[Variable]:
    """The variables that the statements name, in the order of their declarations. `names`: of all variables;
    `parameters`: those that callers give."""
    inside = {each.variable for each in graph.events if each.variable >= 0 and region.holds(each.offset)}
    return [_variable(graph, region, (at, names[at]), parameters) for at in sorted(inside) if at in names]


def _variable(
    graph: Graph, region: Region, variable: tuple[int, str], parameters: Collection[int]
) -> Variable:
    at, name = variable
    enter, leave = graph.find(ENTER), graph.find(EXIT)
    events = graph.events

    def stops(event: Event) -> bool:
        return event.what == EXIT or (event.what == WRITE and event.variable == at)

    within = list(graph.reaches([enter], past=stops)) if enter is not None else []
    reads = any(_is(events[each], READ, at) and region.holds(events[each].offset) for each in within)
    ends = [leave] if leave is not None else [graph.find(LEAVE)]
    assigned = not any(each in within for each in ends)
    start = list(graph.reaches([0], past=lambda event: event.what == WRITE and event.variable == at))
    given = at in parameters or enter not in start
    written = any(_is(each, WRITE, at) and region.holds(each.offset) for each in events)
    outside = at in parameters or any(
        each.variable == at and not region.holds(each.offset) for each in events
    )
    flows_out = outside and (written or region.holds(at))
    return Variable(at, name, reads, flows_out, assigned, region.holds(at), outside, written, given)


def _is(event: Event, what: str, variable: int) -> bool:
    return event.what == what and event.variable == variable


def returned(variables: Sequence[Variable], *, is_async: bool) -> list[Variable]:
    """Return the variables that the method returns: all of an async method, else the only `out`, or the only
    `ref`."""
    outs = [each for each in variables if each.way == "out"]
    refs = [each for each in variables if each.way == "ref"]
    if is_async:
        return [each for each in variables if each.flows_out]
    if len(outs) == 1:
        return outs
    return refs if (len(refs) == 1 and not outs) or (len(refs) == 1 and len(outs) != 1) else []


def captured(
    body: Node,
    region: Region,
    variables: Sequence[Variable],
    uses: Mapping[int, int],
    results: Sequence[Variable],
) -> str:
    """Why a variable that a nested function uses cannot be passed, as a sentence; empty where all can."""
    functions = [
        each
        for each in body.walk()
        if each.type in FUNCTIONS and not (each.start <= region.start and region.end <= each.end)
    ]
    for each in variables:
        for function in functions:
            used = [
                start
                for start, at in uses.items()
                if at == each.at and function.start <= start < function.end
            ]
            if not used or function.start <= each.at < function.end:
                continue
            why = _captured(each, function, region, used, is_result=each in results)
            if why:
                return why
    return ""


def _captured(
    variable: Variable, function: Node, region: Region, used: Sequence[int], *, is_result: bool
) -> str:
    writes = _writes(function, used)
    if not region.holds(function.start):
        if variable.inside:
            return ""
        if writes or variable.written:
            return f"{variable.name} is shared with a function outside that may change or read it meanwhile."
        return ""
    if variable.way in ("ref", "out") and not is_result:
        return f"{variable.name} would be passed by reference, and a function inside uses it."
    if writes and variable.outside and (variable.flows_out or not variable.inside):
        return f"A function inside assigns {variable.name}, which is used outside too."
    return ""


def _writes(function: Node, used: Sequence[int]) -> bool:
    places = set(used)
    for node in function.walk():
        if node.type != "identifier" or node.start + node.text.startswith("@") not in places:
            continue
        around = node.parent
        if around is None:
            continue
        if around.type == "assignment_expression" and around.get("left") is node:
            return True
        unary = around.type in ("prefix_unary_expression", "postfix_unary_expression")
        if unary and (around.has("++") or around.has("--")):
            return True
        if around.type == "argument" and (around.has("ref") or around.has("out")):
            return True
    return False


_KEYWORDS = {
    "System.Boolean": "bool", "System.Byte": "byte", "System.SByte": "sbyte", "System.Char": "char",
    "System.Decimal": "decimal", "System.Double": "double", "System.Single": "float", "System.Int32": "int",
    "System.UInt32": "uint", "System.Int64": "long", "System.UInt64": "ulong", "System.Int16": "short",
    "System.UInt16": "ushort", "System.Object": "object", "System.String": "string", "System.Void": "void",
    "System.IntPtr": "nint", "System.UIntPtr": "nuint",
}  # fmt: skip
_ARITY = re.compile(r"`(\d+)")


def text_of(type_: AnyType | None, shown: Callable[[str, str], bool]) -> str | None:
    """The text of a type; None where it is not wholly known. `shown`: whether a text means the type of a full name
    where it will stand."""
    if isinstance(type_, TypeParameter):
        return type_.name if type_.owner != -2 and not type_.name.startswith("!") else None
    if isinstance(type_, TupleType):
        parts = [text_of(each, shown) for each in type_.elements]
        if None in parts:
            return None
        names = type_.names or ("",) * len(parts)
        joined = (f"{part} {name}".rstrip() for part, name in zip(parts, names, strict=False))
        return f"({', '.join(joined)})"
    return _of_named(type_, shown) if isinstance(type_, Type) else None


def _of_named(type_: Type, shown: Callable[[str, str], bool]) -> str | None:
    arguments = [text_of(each, shown) for each in type_.arguments]
    if None in arguments:
        return None
    texts = [each for each in arguments if each is not None]
    fqn = type_.fqn
    if fqn in _KEYWORDS:
        return _KEYWORDS[fqn]
    if fqn == "System.Nullable`1" and texts:
        return f"{texts[0]}?"
    if fqn.startswith("[") and texts:
        return f"{texts[0]}{fqn}"
    if fqn == "*" and texts:
        return f"{texts[0]}*"
    if fqn == "dynamic":
        return fqn
    if not (fqn[0].isalpha() or fqn[0] == "_"):
        return None
    return _qualified(fqn, texts, shown)


def _qualified(fqn: str, arguments: list[str], shown: Callable[[str, str], bool]) -> str:
    """The shortest name that means the type."""
    namespace, _, nested = fqn.rpartition(".")
    levels = nested.split("+")
    written: list[str] = []
    left = list(arguments)
    for level in levels:
        found = _ARITY.search(level)
        count = int(found[1]) if found is not None else 0
        own, left = left[:count], left[count:]
        written.append(_ARITY.sub("", level) + (f"<{', '.join(own)}>" if own else ""))
    for at in range(len(levels) - 1, -1, -1):
        text = ".".join(written[at:])
        if shown(text, fqn):
            return text
    return ".".join(filter(None, [namespace, *written]))
