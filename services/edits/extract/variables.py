"""Variables of statements that become a method: which are handed in, which come back, and how."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from services.edits.extract.flow import ENTER, EXIT, FUNCTIONS, LEAVE, READ, WRITE, Event, Graph
from services.edits.extract.region import Region
from services.syntax.bodies.node import Node


@dataclass(frozen=True, slots=True)
class Variable:
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
    """Those that come back as the result: all of an async method, else the one that is `out`, or the one that is
    `ref`, where it is the only one."""
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
