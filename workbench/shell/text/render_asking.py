"""Answers of models, chats, tools and commands as text."""

from __future__ import annotations

from datetime import UTC, datetime

from services.model.copies import Citation
from services.operations.models.agent import AgentAnswer
from services.operations.models.ask import AskEvent, ChatsAnswer, ToolAnswer, ToolRow, ToolsAnswer
from services.operations.models.commands import RunAnswer
from services.operations.models.testing import TestFrameworks, TestRunAnswer
from services.testing.values import TestFailure
from widgets.format.display import visible, visible_lines
from workbench.shell.text.render import Look, number, render


@render.register
def _(event: AskEvent, look: Look) -> str:
    match event.kind:
        case "asking":
            return look.dim(visible(event.text)) + "\n"
        case "text":
            return visible_lines(event.text)
        case "call":
            return look.dim(f"\n▸ {visible(event.name)} {visible(event.text)}") + "\n"
        case "result":
            first, *rest = event.text.split("\n")
            more = f" … {len(rest)} more lines" if rest else ""
            sign = "✗" if event.is_error else " "
            return look.dim(f"{sign} {visible(event.name)}: {visible(first[:200])}{more}") + "\n"
        case "chat":
            return _ended(event, look)
        case _:
            return ""


def _ended(event: AskEvent, look: Look) -> str:
    cost = f", {event.cost:.4f} {visible(event.currency)}" if event.cost is not None else ""
    about = f"{number(event.sent or 0)} tokens sent, {number(event.received or 0)} received{cost}"
    lost = [f"✗ {visible(each.text)}: {visible(each.problem)}" for each in event.citations if each.problem]
    places = [_place(each) for each in event.citations if each.target]
    rows = [*dict.fromkeys(places), *dict.fromkeys(lost), f"chat {event.chat}: {about}"]
    return "\n" + "".join(f"{look.dim(row)}\n" for row in rows)


def _place(cited: Citation) -> str:
    """Return the location, and its name there where that adds something."""
    name = "" if cited.target in cited.text or "/" in cited.target else f"{visible(cited.text)} "
    return f"→ {name}{visible(cited.target)}"


@render.register
def _(answer: ChatsAnswer, look: Look) -> str:
    rows = [
        f"{look.dim(chat.id)}  {datetime.fromtimestamp(chat.started_at / 1000, UTC).astimezone():%Y-%m-%d %H:%M}  "
        f"{look.bold(visible(chat.title))}  {look.dim(visible(chat.profile or 'pasted'))}\n"
        for chat in answer.chats
    ]
    cost = f", {answer.cost_today:.4f}" if answer.cost_today else ""
    models = ", ".join(map(visible, answer.models)) or "none is set up (docs/MODELS.md)"
    today = f"today: {number(answer.sent_today)} tokens sent, {number(answer.received_today)} received{cost}"
    return "".join(rows or ["No chats yet.\n"]) + look.dim(f"{today}; models: {models}") + "\n"


@render.register
def _(answer: ToolsAnswer, look: Look) -> str:
    rows = (_tool(tool, look) for tool in answer.tools)
    return "".join(rows) + look.dim(visible(answer.isolation)) + "\n"


def _tool(tool: ToolRow, look: Look) -> str:
    """Return a tool with its parameters, and the first line of its description below."""
    taken = visible(", ".join(tool.parameters.get("properties", {})))
    first, _, _ = tool.description.partition("\n")
    return f"{look.bold(visible(tool.name))}({taken})\n  {visible(first)}\n"


@render.register
def _(answer: ToolAnswer, look: Look) -> str:  # noqa: ARG001 (the signature of all)
    return visible_lines(answer.content.rstrip("\n") + "\n")


@render.register
def _(answer: RunAnswer, look: Look) -> str:
    if answer.exit is None:
        return visible_lines(answer.diff)
    return visible_lines(answer.text.rstrip("\n") + "\n") + look.dim(f"[{visible(answer.isolation)}]") + "\n"


@render.register
def _(answer: TestRunAnswer, look: Look) -> str:
    if answer.exit is None:
        return visible_lines(answer.diff)
    failures = "".join(_test_failure(each, look) for each in answer.failures)
    printed = "" if answer.source else visible_lines(answer.text.rstrip("\n") + "\n")
    counts = (
        f"{answer.passed} passed, {answer.failed} failed, {answer.skipped} skipped in {answer.seconds:.1f} s"
    )
    state = "" if answer.complete else "; the run did not end as it should"
    notes = "".join(f"{visible(note)}\n" for note in answer.notes)
    return (
        f"{printed}{failures}{look.bold(counts + state)}\n{notes}"
        + look.dim(f"[{visible(answer.isolation)}]")
        + "\n"
    )


def _test_failure(failure: TestFailure, look: Look) -> str:
    """Failure with its places, then its message."""
    kind = "" if failure.kind == "failed" else f" ({failure.kind})"
    places = "".join(f"  {visible(each.file)}:{each.line}\n" for each in failure.places)
    message = "".join(f"  {line}\n" for line in visible_lines(failure.message.strip()).split("\n"))
    return f"{look.bold(visible(failure.name) + kind)}\n{places}{look.dim(message)}"


@render.register
def _(answer: TestFrameworks, look: Look) -> str:
    if not answer.projects:
        return "No tests were found.\n"
    return "".join(
        f"{look.bold(visible(each.project))}  {visible(', '.join(each.frameworks))}\n  {visible(each.command)}\n"
        for each in answer.projects
    )


@render.register
def _(answer: AgentAnswer, look: Look) -> str:
    why = f" ({visible(answer.error)})" if answer.error else ""
    data = visible_lines(f"{answer.data}\n") if answer.data else ""
    return look.bold(visible(answer.message) + why) + "\n" + data
