"""Asking a model about the prompt window, and the tools that it may call, as operations for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from services.errors import ModelError, ModelLimit, NoModel, ToolRounds
from services.model import Value
from services.model.copies import Citation
from services.operations.needs import Need
from services.operations.operation import DECIDES, Faces, Operation, Param, Work, always, declare

if TYPE_CHECKING:
    from services.bench import Bench
    from services.llm.chat import Chat
    from services.llm.tool_registry import Registry

_ALONE = Work()
_CHAT = Param("Id of a chat to go on with; `last` is the latest.", flag="--chat")


class AskEvent(Value, kw_only=True, frozen=True):
    """Event on the way to an answer. `kind`: asking (what is sent, and what it costs), text, call, result,
    usage, chat (its id, the places that the answer names, and how it was cut, where it was)."""

    kind: str
    text: str = ""
    name: str = ""
    is_error: bool = False
    sent: int | None = None
    received: int | None = None
    cost: float | None = None
    currency: str = ""
    chat: str | None = None
    citations: tuple[Citation, ...] = ()
    cut: str = ""


class ChatRow(Value, kw_only=True, frozen=True):
    """A chat in a list. `started_at`: ms since 1970."""

    id: str
    title: str
    profile: str
    started_at: int
    sent: int
    received: int
    cost: float
    currency: str
    questions: int


class ChatsAnswer(Value, kw_only=True, frozen=True):
    """Chats, latest first; today's usage in all workspaces; and the configured models."""

    chats: tuple[ChatRow, ...]
    sent_today: int
    received_today: int
    cost_today: float
    models: tuple[str, ...] = ()
    default: str = ""


class ToolRow(Value, kw_only=True, frozen=True):
    """A tool as a model is offered it. `parameters`: JSON Schema."""

    name: str
    description: str
    parameters: Any


class ToolsAnswer(Value, kw_only=True, frozen=True):
    """Tools as a model is offered them, and how the commands among them are isolated."""

    tools: tuple[ToolRow, ...]
    isolation: str


class ToolAnswer(Value, kw_only=True, frozen=True):
    """Answer of a tool to a model."""

    content: str
    is_error: bool


def operations() -> tuple[Operation, ...]:
    """The table, which names this module."""
    from services.operations.operation import declared_operations

    return declared_operations()


def registry_of(
    bench: Bench, profile: str = "", chat: str = "", *, table: bool = False, work: Work = _ALONE
) -> Registry:
    """The tools that a model is offered; with `table` every operation that agents may call besides. `work`: its
    progress is told while a person is asked."""
    from services.operations.models.tools import model_owner, table_tools, usual_tools

    by = model_owner(profile, chat)
    made = usual_tools(bench, operations(), by, progress=work.progress)
    if table:
        known = {tool.name for tool in made.tools}
        named = (each for each in operations() if each.faces.tool)
        rest = [each for each in named if (each.faces.tool or each.name) not in known]
        made.extend(table_tools(bench, rest, by))
    return made


@declare(
    "Ask",
    Faces(None, "ask"),
    effect=DECIDES,
    index=Need.WHOLE,
    errors=(NoModel, ModelError, ModelLimit, ToolRounds),
)
def ask(
    bench: Bench,
    question: Annotated[str, Param("What to ask about the window.", words=True, is_text=always)],
    model: Annotated[str | None, Param("Name of a model in models.toml.", flag="--model")] = None,
    chat: Annotated[str | None, _CHAT] = None,
    tools: Annotated[bool, Param("Let the model read and search with tools.", flag="--tools")] = False,
    answer: Annotated[
        str | None,
        Param("Keep this answer, got elsewhere, and send nothing.", flag="--answer", is_text=always),
    ] = None,
    *,
    work: Work,
) -> Iterator[AskEvent]:
    """Send a question to a model, with the window as it would be copied.

    The answer streams; places that it names are checked; the chat is kept in your state folder. Without a model in
    models.toml: `copy --task` and paste, and `ask --answer` keeps what was answered.
    """
    from services.llm.chat import Chat
    from services.llm.tool_registry import Registry

    begun = bench.asking.chats.get(chat) if chat else None
    registry = registry_of(bench, model or "", chat or "", work=work) if tools else Registry()
    prepared = bench.asking.prepare(question, chat=begun, profile=model, tools=registry.tools)
    yield AskEvent(kind="asking", text=prepared.about, sent=prepared.tokens)
    if answer is not None:
        yield _ended(bench, bench.asking.paste(prepared, answer))
        return
    for step in bench.asking.ask(prepared, registry, cancel=work.cancel):
        if isinstance(step, Chat):
            yield _ended(bench, step)
        elif (event := _event(step)) is not None:
            yield event


def _event(step: object) -> AskEvent | None:
    from services.llm.client import ToolAnswered
    from services.llm.values import TextPiece, TokenUsage, ToolCalled

    match step:
        case TextPiece(text):
            return AskEvent(kind="text", text=text)
        case ToolCalled(call):
            return AskEvent(kind="call", name=call.function.name, text=call.function.arguments)
        case ToolAnswered(call, result):
            return AskEvent(
                kind="result", name=call.function.name, text=result.content, is_error=result.is_error
            )
        case TokenUsage(sent, received):
            return AskEvent(kind="usage", sent=sent, received=received)
        case _:
            return None


def _ended(bench: Bench, chat: Chat) -> AskEvent:
    found = tuple(bench.asking.cited(chat.answer))
    return AskEvent(
        kind="chat",
        chat=chat.id,
        sent=chat.sent,
        received=chat.received,
        cost=chat.cost if chat.currency else None,
        currency=chat.currency,
        citations=found,
        cut=chat.cut,
    )


@declare("ListChats", Faces(None, "chats", "chats"), effect=DECIDES, index=Need.NOTHING)
def list_chats(
    bench: Bench,
    limit: Annotated[int, Param("Most chats to list.", flag="--limit", least=1, most=1_000)] = 50,
) -> ChatsAnswer:
    """List chats, latest first, and what was sent and received today."""
    asking, profiles = bench.asking, bench.asking.profiles()
    today = asking.spending.today()
    return ChatsAnswer(
        chats=tuple(map(_row, asking.chats.listed(limit))),
        sent_today=today.sent,
        received_today=today.received,
        cost_today=round(today.cost, 6),
        models=tuple(profiles.models),
        default=profiles.default,
    )


def _row(chat: Chat) -> ChatRow:
    return ChatRow(
        id=chat.id,
        title=chat.title,
        profile=chat.profile,
        started_at=chat.started_at,
        sent=chat.sent,
        received=chat.received,
        cost=chat.cost,
        currency=chat.currency,
        questions=sum(message.role == "user" for message in chat.messages),
    )


@declare("ListTools", Faces(None, "tools", "tools"), effect=DECIDES, index=Need.NOTHING)
def list_tools(
    bench: Bench,
    every: Annotated[
        bool, Param("Every operation that agents may call besides.", name="all", flag="--all")
    ] = False,
) -> ToolsAnswer:
    """List the tools that a model is offered, with the schema of each, and how commands are isolated."""
    functions = (tool.function for tool in registry_of(bench, table=every).tools)
    rows = (
        ToolRow(name=each.name, description=each.description, parameters=msgspec.to_builtins(each.parameters))
        for each in functions
    )
    return ToolsAnswer(tools=tuple(rows), isolation=bench.asking.commands.isolation.sentence)


@declare("RunTool", Faces(None, "tool"), effect=DECIDES, index=Need.WHOLE)
def run_tool(
    bench: Bench,
    name: Annotated[str, Param("Name of the tool, as `tools` lists it.")],
    arguments: Annotated[
        str, Param("Its arguments, as a JSON object.", flag="--arguments", short="-a", is_text=always)
    ] = "{}",
    *,
    work: Work,
) -> ToolAnswer:
    """Call a tool as a model would, and show what the model would read."""
    from services.llm.values import FunctionCall, ToolCall
    from services.operations.models.tools import by_tool_name

    registry = registry_of(bench, table=True)
    by_tool_name(registry, name)
    call = ToolCall(id="1", function=FunctionCall(name=name, arguments=arguments))
    result = registry.execute(call, work.cancel)
    return ToolAnswer(content=result.content, is_error=result.is_error)
