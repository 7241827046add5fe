"""The name that a statement assigns a literal to, or the member that returns it."""

from __future__ import annotations

import msgspec

from services.prompt.secrets.contexts.statements import end_of_statement, is_simple
from services.prompt.secrets.judging.names import Likelihood, cue_of
from services.prompt.secrets.judging.rows import LITERALS
from services.prompt.secrets.patterns import expression

BEFORE = 400
"""Characters before a text that are looked at."""
BEFORE_ARMS = 1600
NAME = r"[\w.:-]*\w"
_CASE = expression(r"\bcase\s+[\"']?(?P<name>[\w.:-]+)[\"']?\s*:\s*\{?\s*\Z")
"""The label of what returns a text."""
_ACCESSORS = expression(r"\{\s*(?:(?:private|protected|internal)?\s*(?:get|set|init)\s*;\s*)+\}")
_ASSIGNED = expression(
    rf"(?<![\w.:-])(?P<name>{NAME})(?:\s*[\"']?\])?\s*(?:\([^()]*\)\s*)?(?:\?\?=|=>|\+=|==|=)(?![=>])"
)
_LATER = expression(r"\s*(?:async\s*)?(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\Z")
"""Between a name and a text: what returns it."""
_GIVING = expression(r"(?:Provider|Factory|Func|Getter|Accessor|Callback|Resolver|Supplier)\Z")
"""How a name ends of what returns a text when it is called."""
_RETURNED = expression(r"(?<!\w)(?P<name>\w+)\s*(?:\([^{}]*\)\s*)?\{(?:[^{}]*\{)?[^{}]*\Z")


class UseContext(msgspec.Struct, frozen=True):
    """Context of a text. `direct`: by name, with nothing between that would make something else of it."""

    cue: Likelihood
    direct: bool = True


NOTHING = UseContext(Likelihood.NONE, direct=False)


def of_switch(text: str, opens: int) -> UseContext:
    """Return the context of the value of the switch that has the text as an arm."""
    before = text[max(0, opens - BEFORE_ARMS) : opens]
    at = max(before.rfind("switch {"), before.rfind("switch\n"), before.rfind("switch\r"))
    return assigned_to(before[max(0, at - BEFORE) : at]) if at >= 0 else NOTHING


def assigned_to(before: str) -> UseContext:
    """Return the context by the name that the statement assigns to, or by the member that returns."""
    told, before = before, LITERALS.sub('""', _ACCESSORS.sub("", before))
    at = before.rfind("return")
    if at >= 0 and not (set(before[at:]) & {";", "}"}):
        if (case := _CASE.search(told[: told.rfind("return")])) is not None and (
            cue := cue_of(case["name"])
        ) is not Likelihood.NONE:
            return UseContext(cue)
        returned = _RETURNED.search(before[:at])
        return UseContext(cue_of(returned["name"])) if returned is not None else NOTHING
    statement = before[end_of_statement(before) :]
    for assigned in reversed(list(_ASSIGNED.finditer(statement))):
        rest = statement[assigned.end() :]
        cue = cue_of(
            _GIVING.sub("", assigned["name"]) if _LATER.match(rest) is not None else assigned["name"]
        )
        compared = assigned[0].endswith("==")
        if cue > Likelihood.NONE or (cue is Likelihood.PUBLIC and not compared):
            return UseContext(cue, direct=is_simple(rest))
        if not compared:
            return NOTHING  # what was assigned before is another's
    return NOTHING
