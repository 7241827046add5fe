"""Statements that a stretch of source covers, and what they may not hold to be moved into a method of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from services.edits.extract.flow import FUNCTIONS
from services.errors import UsageError
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
