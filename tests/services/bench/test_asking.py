"""A question, what is sent of it, the answer, and the chat that is kept."""

from __future__ import annotations

import json
import threading

import pytest

from services.bench import Bench
from services.errors import Cancelled, ModelError, ModelLimit, NoModel, ToolRounds, UsageError
from services.llm.chat import Chat
from services.llm.profiles import SpendingLimits
from services.llm.tool_registry import Registry
from services.llm.values import (
    TOO_LONG,
    ChatMessage,
    End,
    FunctionCall,
    TextPiece,
    TokenUsage,
    ToolCall,
    ToolCalled,
)
from services.operations import by_name
from services.operations.models.ask import _ended
from services.operations.models.tools import model_owner, usual_tools
from services.operations.table import OPERATIONS
from services.prompt.items import CopyRequest
from tests.services.bench.conftest import SECRET, asking
from tests.services.prompt.secrets_samples import PEM
from tests.support.scripted_model import ScriptedModel

NONE = Registry()


def call(name: str, /, **arguments: object) -> ToolCalled:
    return ToolCalled(ToolCall(id="c1", function=FunctionCall(name=name, arguments=json.dumps(arguments))))


def chat_of(steps: list[object]) -> Chat:
    assert isinstance(steps[-1], Chat)
    return steps[-1]


def test_what_is_sent_is_what_would_be_copied(bench: Bench) -> None:
    bench.window.pin("Retry.cs")
    model = ScriptedModel("It retries.")
    asker = asking(bench, model)
    prepared = asker.prepare("What does it do?")
    copied = bench.copying.prepare(CopyRequest(form="md", template="default", task="What does it do?")).text
    assert prepared.prompt == copied
    list(asker.ask(prepared, NONE))
    ((sent, _),) = model.asked
    assert sent == (ChatMessage(role="user", content=copied),)
    assert "class Retry" in copied
    assert SECRET not in copied


def test_what_it_costs_is_said_before(bench: Bench) -> None:
    prepared = asking(bench, ScriptedModel(), answer=1000).prepare("word " * 1000)
    assert prepared.cost is not None
    low, high = prepared.cost
    assert low == pytest.approx(prepared.tokens / 1_000_000)
    assert high == pytest.approx(low + 0.01)
    assert prepared.about.startswith(f"{prepared.tokens} tokens to gpt-5 (big), 0.00")


def test_a_chat_is_kept_as_a_readable_file_and_gone_on_with(bench: Bench) -> None:
    model = ScriptedModel((TextPiece("It retries."), TokenUsage(100, 5), End()), "Twice.")
    asker = asking(bench, model)
    chat = chat_of(list(asker.ask(asker.prepare("What?\n"), NONE)))
    text = bench.state.path(f"chats/{chat.id}.md").read_text("utf-8")
    assert text.startswith("# Chat: What?\n")
    assert "## Model\n\nIt retries." in text
    assert (chat.sent, chat.received, chat.currency) == (100, 5, "USD")
    again = chat_of(list(asker.ask(asker.prepare("How often?", chat=asker.chats.get("last")), NONE)))
    assert again.id == chat.id
    assert [each.content for each in model.asked[1][0]] == ["What?\n", "It retries.", "How often?"]
    assert asker.chats.get(chat.id) == again
    assert again.answer == "Twice."


def test_a_question_is_edited_and_asked_again(bench: Bench) -> None:
    model = ScriptedModel("One.", "Two.")
    asker = asking(bench, model)
    chat = chat_of(list(asker.ask(asker.prepare("First?"), NONE)))
    before, question = chat.up_to_question()
    assert question == "First?"
    again = chat_of(list(asker.ask(asker.prepare("Better?", chat=before), NONE)))
    assert [each.content for each in again.messages] == ["Better?", "Two."]
    assert again.id == chat.id


def test_secrets_are_masked_wherever_they_come_from(bench: Bench) -> None:
    model = ScriptedModel((call("read_file", path="Retry.cs"), End("tool_calls")), "Done.")
    asker = asking(bench, model)
    registry = usual_tools(bench, OPERATIONS, model_owner("big"))
    prepared = asker.prepare(f"Is {SECRET} a key?", tools=registry.tools)
    chat = chat_of(list(asker.ask(prepared, registry)))
    sent = "".join(each.content or "" for messages, _ in model.asked for each in messages)
    assert SECRET not in sent
    assert "class Retry" in sent
    assert SECRET not in bench.state.path(f"chats/{chat.id}.md").read_text("utf-8")


def test_a_tool_masks_what_its_answer_gives_to_a_name_though_json_escapes_the_quotes(bench: Bench) -> None:
    (bench.root / "Keys.cs").write_text('class Keys { void Go() { Login("admin", "C0rrect!Horse"); } }\n')
    bench.index.refresh()
    registry = usual_tools(bench, OPERATIONS, model_owner("big"))
    result = registry.execute(call("getObjectSourceV2", object="Keys.cs").call)
    assert "class Keys" in result.content
    assert "C0rrect!Horse" not in result.content


@pytest.mark.parametrize(
    "line",
    [
        "tail -n 3 key.pem",
        "sort key.pem",
        "grep -rn [A-Z] .",
        "grep -o [a-z0-9][a-z0-9]* key.pem",
        "head -c 60 key.pem",
    ],
)
def test_a_command_shows_no_piece_of_a_key_of_a_file(bench: Bench, line: str) -> None:
    (bench.root / "key.pem").write_text(PEM + "\n")
    bench.index.refresh()
    text = bench.asking.commands.run(line).text
    pieces = [PEM[at : at + 6] for at in range(40, len(PEM) - 40)]
    assert "[[secret:private-key:" in text
    assert not [each for each in pieces if each in text and "PRIVATE" not in each and "-" not in each]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_symbols", {"query": "Retry"}, "Demo.Retry"),
        ("get_outline", {"path": "Retry"}, "Retries what failed"),
        ("getObjectSourceV2", {"object": "Retry", "startLine": 8, "endLine": 8}, "int Count(int most)"),
        ("find_usages", {"path": "Retry.Count"}, "usages"),
        ("search_text", {"pattern": "most"}, "Retry.cs:8"),
    ],
)
def test_operations_are_tools_under_the_callers_rights(
    bench: Bench, name: str, arguments: dict[str, object], told: str
) -> None:
    registry = usual_tools(bench, OPERATIONS, model_owner("big"))
    result = registry.execute(call(name, **arguments).call)
    assert not result.is_error, result.content
    assert told in result.content


def test_arguments_that_miss_the_tables_schema_say_what_would_do(bench: Bench) -> None:
    registry = usual_tools(bench, OPERATIONS, model_owner("big"))
    assert "lacks path" in registry.execute(call("get_outline").call).content
    assert "../x" in registry.execute(call("getObjectSourceV2", object="../x.cs").call).content


def test_a_stop_keeps_what_had_come(bench: Bench) -> None:
    cancel = threading.Event()
    asker = asking(bench, ScriptedModel((TextPiece("Half an "), TextPiece("answer"), End())))
    steps = asker.ask(asker.prepare("What?"), NONE, cancel=cancel)
    assert next(steps) == TextPiece("Half an ")
    cancel.set()
    with pytest.raises(Cancelled):
        list(steps)
    kept = asker.chats.get("last")
    assert [each.content for each in kept.messages] == ["What?", "Half an \n\n[The answer broke off here.]"]
    assert kept.received > 0, "what broke off was paid for too"


@pytest.mark.parametrize(
    ("reason", "cut"),
    [
        ("length", "It was cut at the most tokens"),
        ("MAX_TOKENS", "It was cut at the most tokens"),
        ("content_filter", "It was cut by the endpoint's filter"),
        (TOO_LONG, "It was cut here"),
        ("stop", ""),
        ("end_turn", ""),
    ],
)
def test_an_answer_that_was_cut_says_so_wherever_it_is_read(bench: Bench, reason: str, cut: str) -> None:
    asker = asking(bench, ScriptedModel((TextPiece("It retr"), TokenUsage(10, 5), End(reason)), "Whole."))
    *steps, kept = asker.ask(asker.prepare("What?"), NONE)
    chat = chat_of([kept])
    streamed = "".join(step.text for step in steps if isinstance(step, TextPiece))
    assert streamed == chat.answer == asker.chats.get(chat.id).answer
    assert chat.answer == (f"It retr\n\n[{chat.cut}]" if cut else "It retr")
    assert chat.cut.startswith(cut)
    assert asker.chats.get(chat.id).cut == chat.cut
    assert _ended(bench, chat).cut == chat.cut
    again = chat_of(list(asker.ask(asker.prepare("Go on.", chat=chat), NONE)))
    assert (again.answer, again.cut) == ("Whole.", "")


def test_an_error_keeps_the_question(bench: Bench) -> None:
    asker = asking(bench, ScriptedModel(ModelError("gone")))
    with pytest.raises(ModelError):
        list(asker.ask(asker.prepare("What?"), NONE))
    assert [each.content for each in asker.chats.get("last").messages] == ["What?"]


def test_what_was_refused_or_reached_nobody_is_not_counted_and_what_was_stopped_is(bench: Bench) -> None:
    asks = asking(bench, ScriptedModel(ModelError("unreachable"), Cancelled("stopped")))
    with pytest.raises(ModelError):
        list(asks.ask(asks.prepare("What?"), NONE))
    assert (asks.spending.today().tokens, asks.chats.get("last").tokens) == (0, 0)
    with pytest.raises(Cancelled):
        list(asks.ask(asks.prepare("What?"), NONE))
    assert asks.spending.today().sent > 0
    assert [each.sent for each in asks.chats.listed() if each.sent] == [asks.spending.today().sent]


def test_eleven_rounds_end_and_the_chat_goes_on_from_there(bench: Bench) -> None:
    endless = [(call("count_lines", path="Retry.cs"), End("tool_calls"))] * 11
    model = ScriptedModel(*endless, "Now I know.")
    asker = asking(bench, model)
    registry = usual_tools(bench, OPERATIONS, model_owner("big"))
    with pytest.raises(ToolRounds):
        list(asker.ask(asker.prepare("What?"), registry))
    chat = asker.chats.get("last")
    assert [each.role for each in chat.messages] == ["user", *["assistant", "tool"] * 10]
    again = chat_of(list(asker.ask(asker.prepare("And?", chat=chat), registry)))
    assert again.answer == "Now I know."


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (SpendingLimits(tokens_per_request=10), "tokens_per_request"),
        (SpendingLimits(tokens_per_day=10), "tokens_per_day"),
        (SpendingLimits(tokens_per_chat=10), "tokens_per_chat"),
        (SpendingLimits(cost_per_day=0.000001), "cost_per_day"),
    ],
)
def test_a_limit_stops_before_anything_is_sent(bench: Bench, limits: SpendingLimits, name: str) -> None:
    model = ScriptedModel("never")
    asker = asking(bench, model, limits)
    with pytest.raises(ModelLimit) as caught:
        list(asker.ask(asker.prepare("word " * 100), NONE))
    assert caught.value.details["limit"] == name
    assert model.asked == []


def test_a_day_has_its_sum_and_its_limit(bench: Bench) -> None:
    model = ScriptedModel((TextPiece("a"), TokenUsage(500, 400), End()), "never")
    asker = asking(bench, model, SpendingLimits(tokens_per_day=950))
    list(asker.ask(asker.prepare("word " * 30), NONE))
    today = asker.spending.today()
    assert (today.sent, today.received, today.cost) == (500, 400, pytest.approx(0.0045))
    with pytest.raises(ModelLimit, match="tokens_per_day"):
        list(asker.ask(asker.prepare("word " * 60), NONE))


def test_more_than_the_context_is_not_sent(bench: Bench) -> None:
    asker = asking(bench, ScriptedModel("never"), context=1000, answer=500)
    with pytest.raises(ModelLimit, match="no room for an answer"):
        list(asker.ask(asker.prepare("word " * 900), NONE))


# Without a model


def test_without_a_model_the_prompt_is_copied_and_the_answer_pasted(bench: Bench) -> None:
    bench.window.pin("Retry.cs")
    prepared = bench.asking.prepare("What does it do?")
    assert prepared.profile == ""
    assert "copy the prompt and paste the answer" in prepared.about
    assert "class Retry" in prepared.prompt
    chat = bench.asking.paste(
        prepared, "See Retry.cs:8 and `Retry.Count`, not Gone.cs:3 in src/Gone.cs:3.\r\n"
    )
    assert bench.asking.chats.get("last") == chat
    found = bench.asking.cited(chat.answer)
    assert [(each.text, bool(each.target)) for each in found] == [
        ("Retry.cs:8", True),
        ("Retry.Count", True),
        ("Gone.cs:3", False),
        ("src/Gone.cs:3", False),
    ]
    with pytest.raises(NoModel):
        list(bench.asking.ask(prepared, NONE))
    with pytest.raises(UsageError):
        bench.asking.paste(prepared, "  \n")


def test_an_empty_question_is_none(bench: Bench) -> None:
    with pytest.raises(UsageError):
        bench.asking.prepare("  ")


def test_the_operation_tells_step_by_step(bench: Bench) -> None:
    operation = by_name("Ask")
    assert operation is not None
    events = list(operation.run(bench, {"question": "What?", "answer": "See Retry.cs:4."}))
    assert [event.kind for event in events] == ["asking", "chat"]
    assert events[-1].citations[0].target == "Retry.cs:4"
    rows = by_name("ListChats").run(bench, {}).chats  # pyright: ignore[reportOptionalMemberAccess]
    assert [row.title for row in rows] == ["What?"]
