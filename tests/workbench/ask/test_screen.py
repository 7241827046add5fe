"""Asking on the screen: the answer as it comes, tools folded, places, stopping, and by copy and paste."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Collapsible, Static

from services.bench import Bench
from services.bench.asking import Asking
from services.llm.client import ToolAnswered
from services.llm.profiles import ModelProfiles, Profile
from services.llm.values import End, FunctionCall, TextPiece, TokenUsage, ToolCall, ToolCalled, ToolResult
from services.settings import Settings
from tests.support.eventually import until
from tests.support.scripted_model import ScriptedModel
from widgets.lists.pick_list import PickList
from widgets.text.answer_view import AnswerView
from workbench.ask.screen import AskScreen, _Taken
from workbench.state.clipboard import Clipboard
from workbench.ui.modal import Confirm
from workbench.ui.picker import Picker

CODE = "namespace Demo;\n\npublic class Retry\n{\n    public int Count() => 3;\n}\n"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "Retry.cs").write_text(CODE)
    with Bench.open(folder, settings=Settings()) as opened:
        opened.index.load()
        opened.index.refresh()
        opened.window.pin("Retry.cs")
        yield opened


def scripted(bench: Bench, *answers: Any) -> ScriptedModel:
    model = ScriptedModel(*answers)
    profiles = ModelProfiles(models={"m": Profile(endpoint="http://127.0.0.1:1/v1", name="gpt-5")})
    ground = replace(bench.asking._services, profiles=lambda: profiles, model_of=lambda _: model)
    vars(bench)["asking"] = Asking(ground)
    return model


class Endless(list[TextPiece]):
    """Pieces of an answer that has no end, as slowly as a model gives them."""

    def __iter__(self) -> Iterator[TextPiece]:
        while True:
            time.sleep(0.01)
            yield TextPiece("word ")


class Host(App[None]):
    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.copied: list[str] = []
        self.ask = AskScreen(bench, Clipboard(self.copied.append, None, None))
        self.went: list[str | None] = []

    def on_mount(self) -> None:
        self.push_screen(self.ask, self.went.append)


@asynccontextmanager
async def asked(bench: Bench) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    host = Host(bench)
    async with host.run_test(size=(110, 34)) as pilot:
        await pilot.pause()
        yield host, pilot


def shown(host: Host) -> str:
    return "\n".join(each.source for each in host.ask.query(AnswerView))


async def test_the_answer_comes_with_what_it_took_and_its_places(bench: Bench) -> None:
    model = scripted(
        bench,
        (TextPiece("It retries, see "), TextPiece("Retry.cs:5.\x1b]52;c;x\x07"), TokenUsage(90, 8), End()),
    )
    async with asked(bench) as (host, pilot):
        host.ask.question.value = "What does it do?"
        await until(lambda: "gpt-5 (m)" in str(host.ask.about.content))
        await pilot.press("enter")
        await until(lambda: "(place:Retry.cs%3A5)" in shown(host))
        assert "90 tokens sent, 8 received" in str(host.ask.about.content)
        assert "\x1b" not in shown(host)
        assert "class Retry" in (model.asked[0][0][0].content or ""), "the window is sent"
        host.ask.query(AnswerView).last().action_link("place:Retry.cs%3A5")
        await until(lambda: host.went == ["Retry.cs:5"])


async def test_tool_calls_fold_open_and_commands_are_asked_about(bench: Bench) -> None:
    call = ToolCall(
        id="1", function=FunctionCall(name="execute_bash", arguments='{"command": "head -n 1 Retry.cs"}')
    )
    model = scripted(bench, (ToolCalled(call), End("tool_calls")), "Done.")
    async with asked(bench) as (host, pilot):
        await pilot.press("ctrl+t")
        host.ask.question.value = "Look."
        await pilot.press("enter")
        await until(lambda: isinstance(host.screen, Confirm) and host.screen.takes_letters)
        await pilot.press("y")
        await until(lambda: "Done." in shown(host))
        assert len(host.ask.query(Collapsible)) == 1
        assert model.asked[1][0][-1].content == "namespace Demo;"


async def test_a_failed_tool_is_marked_and_nothing_stands_between_two(bench: Bench) -> None:
    calls = [
        ToolCalled(ToolCall(id=str(at), function=FunctionCall(name=name, arguments=arguments)))
        for at, (name, arguments) in enumerate(
            [("read_file", '{"path": "../x"}'), ("nonsense", "{}"), ("read_file", "{not json")]
        )
    ]
    scripted(bench, (*calls, End("tool_calls")), "Done.")
    async with asked(bench) as (host, pilot):
        await pilot.press("ctrl+t")
        host.ask.question.value = "Look."
        await pilot.press("enter")
        await until(lambda: "Done." in shown(host))
        titles = [each.title for each in host.ask.query(Collapsible)]
        assert [title[:2] for title in titles] == ["✗ "] * 3
        assert [each.source for each in host.ask.query(AnswerView)] == ["**You**: Look.", "Done."]
        host.ask.query(Collapsible)[0].query_one("CollapsibleTitle").focus()
        await pilot.press("enter")
        opened = host.ask.query(Collapsible)[0]
        await until(lambda: not opened.collapsed)
        assert "path escapes base directory: ../x" in str(opened.query(Static).last().content)


async def test_a_place_is_gone_to_by_the_keyboard(bench: Bench) -> None:
    scripted(bench, "See Gone.cs/x.cs:3, Retry.cs:5 and Retry.cs:99.")
    async with asked(bench) as (host, pilot):
        await pilot.press("f6")
        assert "No answer names a place" in str(host.ask.about.content)
        host.ask.question.value = "Where?"
        await pilot.press("enter")
        await until(lambda: "place:" in shown(host))
        await pilot.press("f6")
        await until(lambda: isinstance(host.screen, Picker))
        rows = host.screen.query_one(PickList)
        await until(lambda: [row.label for row in rows.rows] == ["Retry.cs:5"])
        await pilot.press("enter")
        await until(lambda: host.went == ["Retry.cs:5"])


async def test_a_command_is_put_to_the_person_in_lines(bench: Bench) -> None:
    plan = bench.asking.commands.plan("head -n 1 Retry.cs")
    async with asked(bench) as (host, _):
        await host.push_screen(Confirm("Run", plan.lines, yes="Run it"))
        assert str(host.screen.query_one(Static).content).split("\n") == [*plan.lines]


async def test_esc_stops_the_answer_and_keeps_the_screen(bench: Bench) -> None:
    scripted(bench, Endless())
    async with asked(bench) as (host, pilot):
        host.ask.question.value = "Go on for ever."
        await pilot.press("enter")
        await until(lambda: "word" in shown(host))
        await pilot.press("escape")
        await until(lambda: host.ask._cancel is None)
        assert host.screen is host.ask
        assert "broke off" in bench.asking.chats.get("last").answer


async def test_without_a_model_the_prompt_is_copied_and_the_answer_pasted(bench: Bench) -> None:
    async with asked(bench) as (host, pilot):
        host.ask.question.value = "What does it do?"
        await until(lambda: "no model is set up" in str(host.ask.about.content))
        await pilot.press("ctrl+y")
        await until(lambda: bool(host.copied))
        assert "class Retry" in host.copied[0]
        await pilot.press("ctrl+o")
        host.ask.editor.load_text("See Retry.cs:5 and src/Gone.cs:2.")
        await pilot.press("ctrl+o")
        await until(lambda: "src/Gone.cs:2 ✗" in shown(host))
        assert "[Retry.cs:5](place:Retry.cs%3A5)" in shown(host)


async def test_without_a_model_enter_keeps_the_question_and_the_head_says_so(bench: Bench) -> None:
    async with asked(bench) as (host, pilot):
        await until(lambda: "No model is set up" in str(host.ask.about.content))
        host.ask.question.value = "What does it do?"
        await pilot.press("enter")
        await until(lambda: host.ask._cancel is None)
        await until(lambda: host.ask.question.value == "What does it do?")
        assert "What does it do?" not in shown(host)


async def test_a_question_is_edited_asked_again_gone_on_with_and_pinned(bench: Bench) -> None:
    scripted(bench, "One.", "Two.", "Three.")
    async with asked(bench) as (host, pilot):
        host.ask.question.value = "First?"
        await pilot.press("enter")
        await until(lambda: "One." in shown(host) and host.ask._cancel is None)
        await pilot.press("f2")
        assert host.ask.question.value == "First?"
        host.ask.question.value = "Better?"
        await pilot.press("enter")
        await until(lambda: "Two." in shown(host) and host.ask._cancel is None)
        await until(lambda: host.ask._chat is not None and host.ask._chat.questions == ("Better?",))
        await pilot.press("f5")
        await until(lambda: "Three." in shown(host) and host.ask._cancel is None)
        await pilot.press("f4")
        await until(lambda: "pinned" in str(host.ask.about.content))
        assert any("Three." in item.label for item in bench.window.render().items)
        await pilot.press("ctrl+n", "ctrl+l")
        await until(lambda: "Three." in shown(host))


def test_pieces_of_a_text_are_joined_between_calls_of_tools() -> None:
    taken = _Taken()
    call = ToolCall(id="1", function=FunctionCall(name="read_file", arguments="{}"))
    for step in (
        TextPiece("a"),
        TextPiece("b"),
        ToolAnswered(call, ToolResult(content="r")),
        ToolAnswered(call, ToolResult(content="s")),
        TextPiece("c"),
    ):
        taken.take(step)
    folded = [("call", f"read_file {{}}\n{result}") for result in "rs"]
    assert taken.given() == [("text", "ab"), *folded, ("text", "c")]
    assert taken.given() == []
