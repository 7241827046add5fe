"""SAP objects and the messages about them, as text."""

from __future__ import annotations

from services.adt.values import AdtMessage, AdtReference
from services.operations.systems import AdtCheckAnswer, AdtObjectsAnswer, AdtTransportsAnswer
from widgets.format.display import visible
from workbench.shell.text.render import Look, render


@render.register
def _(answer: AdtObjectsAnswer, look: Look) -> str:
    return "".join(_object(each, look) for each in answer.objects)


def _object(each: AdtReference, look: Look) -> str:
    package = f"  {visible(each.package)}" if each.package else ""
    state = f"  inactive, {visible(each.state)}" if each.state else ""
    about = look.dim(f"  {visible(each.type)}{package}{state}  {visible(each.description)}".rstrip())
    return f"{look.bold(visible(each.name))}{about}\n"


@render.register
def _(answer: AdtCheckAnswer, look: Look) -> str:
    rows = "".join(map(_message, answer.messages))
    left = "".join(f"{visible(each.name)} is still inactive.\n" for each in answer.inactive)
    return f"{rows}{left}" + look.bold("No errors." if answer.success else "There are errors.") + "\n"


@render.register
def _(answer: AdtTransportsAnswer, look: Look) -> str:
    rows = (f"{look.bold(visible(each.number))}  {visible(each.text)}\n" for each in answer.transports)
    return "".join(rows) or "No transport request is open.\n"


def _message(each: AdtMessage) -> str:
    place = f"{visible(each.uri)}:{each.line}: " if each.line else ""
    return f"{place}{visible(each.kind)} {visible(each.text)}\n"
