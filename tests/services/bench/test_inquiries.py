"""Questions that a model looks into: reading tools alone, every place looked up, kept with what shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.errors import Busy, NoModel, SymbolNotFound, UsageError
from services.llm.values import End, FunctionCall, TextPiece, TokenUsage, ToolCall, ToolCalled
from services.model import Conclusion
from services.operations import by_name
from services.operations.models.tools import reading_tools
from services.ops import sql_jobs
from services.ops.jobs import Op, OpState
from services.semantic.conclusions import StoredConclusion, read, write
from services.semantic.investigator import InvestigationLimits, InvestigationQuestion
from services.semantic.values import Author, NoteFields
from services.settings import IndexSettings, Settings
from tests.services.bench.conftest import SECRET, asking
from tests.support.scripted_model import ScriptedModel
from tests.support.workspace import edit, project, write_workspace

TILL = """namespace Shop;
public class Till
{
    Basket basket;
    public int Close() { return basket.Total(); }
}
"""
FILES = {
    "Shop.csproj": project(),
    "Till.cs": TILL,
    "Basket.cs": "namespace Shop;\npublic class Basket\n{\n    public int Total() { return 3; }\n}\n",
    "Key.cs": f'namespace Shop;\npublic class Key\n{{\n    const string Value = "{SECRET}";\n}}\n',
}
ASKED = InvestigationQuestion("How is the total made?")
ANSWER = """CONCLUSION:
The till asks its basket (`Till.cs:5`), which always says 3 (`Basket.cs:4`).

EVIDENCE:
- Till.cs:5: `basket.Total()` the till asks
- Basket.cs:4: `return 3` a constant
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = write_workspace(tmp_path / "work", FILES)
    with Bench.open(folder, settings=Settings(index=IndexSettings(workers=1)), tools=reading_tools) as opened:
        opened.index.refresh()
        yield opened


def call(name: str, /, **arguments: object) -> tuple[ToolCalled, TokenUsage, End]:
    called = ToolCall(id="c1", function=FunctionCall(name=name, arguments=json.dumps(arguments)))
    return ToolCalled(called), TokenUsage(100, 10), End("tool_calls")


def answer(text: str) -> tuple[TextPiece, TokenUsage, End]:
    return TextPiece(text), TokenUsage(200, 50), End()


def scripted(bench: Bench, *answers: Any) -> ScriptedModel:
    """The model that is set up follows this script."""
    model = ScriptedModel(*answers)
    vars(bench)["asking"] = asking(bench, model)
    return model


def investigated(bench: Bench, question: InvestigationQuestion = ASKED) -> Op:
    return bench.ops.run(bench.investigator.start(question).op_id)


def concluded(bench: Bench, op: Op) -> Conclusion:
    assert op.state is OpState.DONE, op.error
    kept = bench.investigator.store.get(op.op_id)
    assert kept is not None
    return bench.inquiries.told(kept)


def test_a_conclusion_that_was_cut_says_so(bench: Bench) -> None:
    scripted(bench, (TextPiece(ANSWER), TokenUsage(200, 50), End("length")))
    told = concluded(bench, investigated(bench))
    assert len(told.places) == 2
    assert told.left_out == (
        "The rest of the answer. It was cut at the most tokens that an answer may have.",
    )


def test_a_model_reads_and_concludes(bench: Bench) -> None:
    model = scripted(
        bench,
        call("search_text", pattern="Total"),
        call("get_outline", path="Shop.Basket"),
        call("read_file", path="Basket.cs"),
        answer(ANSWER),
    )
    op = investigated(bench)
    told = concluded(bench, op)
    assert (told.kind, told.reasons, told.left_out) == ("model", (), ())
    assert [(each.file, each.start_line, each.path) for each in told.places] == [
        ("Till.cs", 5, "Shop.Till.Close"),
        ("Basket.cs", 4, "Shop.Basket.Total"),
    ]
    assert told.text.startswith("# How is the total made?\n\nConcluded by big, ")
    assert "which always says 3 (`Basket.cs:4`)." in told.text
    assert "EVIDENCE" not in told.text
    begun = model.asked[0][0][0].content or ""
    assert "How is the total made?" in begun
    assert "**Static.**" in begun, "it begins where the program's own search ended"
    assert "namespace Shop" in (model.asked[3][0][-1].content or "")
    events = list(bench.ops.events(op.op_id))
    assert [each.kind for each in events] == ["read", "read", "read", "concluded", "done"]
    assert events[3].refs == ("Till.cs:5", "Basket.cs:4")
    assert op.tokens_used == 3 * 110 + 250


def test_tools_only_read(bench: Bench) -> None:
    names = {each.name for each in reading_tools(bench, "big").tools}
    assert {"read_file", "search_text", "search_symbols", "find_usages", "find_context"} <= names
    effects = [op for name in names if (op := by_tool(name)) is not None]
    assert effects
    assert all(each.effect.read_only for each in effects)
    model = scripted(bench, call("execute_bash", command="touch x"), call("pin", path="Till"), answer(ANSWER))
    op = investigated(bench)
    assert [each.kind for each in bench.ops.events(op.op_id)][:2] == ["refused", "refused"]
    assert "Unknown tool: execute_bash" in (model.asked[1][0][-1].content or "")
    assert bench.window.is_empty


def by_tool(name: str) -> Any:
    from services.operations.table import OPERATIONS

    return next((each for each in OPERATIONS if each.faces.tool == name), None)


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("`Till.cs:900` says so", "Till.cs has 6 lines."),
        ("`src/None.cs:1` says so", "There is no file src/None.cs."),
        ("`None.cs:1` says so", "There is no file None.cs."),
        ("- Till.cs:2: `return basket.Totals()`", "Till.cs:2 does not say `return basket.Totals()`."),
    ],
    ids=[
        "lines that are not there",
        "a file that is not there",
        "a file in no folder",
        "words that are not there",
    ],
)
def test_a_place_that_is_not_there_is_no_evidence(bench: Bench, named: str, why: str) -> None:
    scripted(bench, answer(f"CONCLUSION:\nSo it is (`Basket.cs:4`).\n{named}\n"))
    told = concluded(bench, investigated(bench))
    assert told.left_out == (why,)
    assert [each.file for each in told.places] == ["Basket.cs"]
    assert "✗" in told.text
    assert why in told.text


def test_a_place_is_where_its_words_are(bench: Bench) -> None:
    scripted(bench, answer("CONCLUSION:\nSo.\n\nEVIDENCE:\n- Till.cs:2: `return basket.Total()` asks"))
    assert [each.start_line for each in concluded(bench, investigated(bench)).places] == [5]


def test_a_model_that_names_nothing_is_asked_once_more(bench: Bench) -> None:
    model = scripted(bench, answer("It is in `Nope.cs:3`, I think."), answer(ANSWER))
    assert len(concluded(bench, investigated(bench)).places) == 2
    assert "There is no file Nope.cs." in (model.asked[1][0][-1].content or "")
    assert "Answer again" in (model.asked[1][0][-1].content or "")


@pytest.mark.parametrize(
    "text", ["I do not know.", "", "x" * 1_000_000], ids=["nothing", "empty", "a megabyte"]
)
def test_what_stands_on_nothing_is_not_kept(bench: Bench, text: str) -> None:
    scripted(bench, answer(text), answer(text))
    op = investigated(bench)
    assert op.state is OpState.FAILED
    assert op.error is not None
    assert op.error["code"] == "NoEvidence"
    assert len(op.error["message"]) < 1_000
    assert bench.investigator.store.all() == ()


def test_past_its_rounds_a_model_is_offered_nothing_and_concludes(bench: Bench) -> None:
    bench.investigator._limits = InvestigationLimits(rounds=2)
    model = scripted(bench, *[call("search_text", pattern="Total")] * 2, answer(ANSWER))
    concluded(bench, investigated(bench))
    assert [bool(tools) for _, tools in model.asked] == [True, True, False]
    assert "no more tools" in (model.asked[2][0][-1].content or "")


def test_past_its_tokens_a_model_concludes(bench: Bench) -> None:
    bench.investigator._limits = InvestigationLimits(tokens=100)
    model = scripted(bench, call("search_text", pattern="Total"), answer(ANSWER))
    concluded(bench, investigated(bench))
    assert [bool(tools) for _, tools in model.asked] == [True, False]


def test_a_conclusion_holds_as_long_as_its_places_say_what_they_said(bench: Bench) -> None:
    scripted(bench, answer(ANSWER))
    op = investigated(bench)
    edit(bench.root, "Basket.cs", "// moved down\n" + FILES["Basket.cs"])
    assert concluded(bench, op).reasons == ()
    edit(bench.root, "Basket.cs", FILES["Basket.cs"].replace("return 3", "return 4"))
    assert concluded(bench, op).reasons == ("Basket.cs:4 has changed.",)
    assert "may not hold any more" in concluded(bench, op).text
    (bench.root / "Till.cs").unlink()
    assert concluded(bench, op).reasons == ("Till.cs is gone.", "Basket.cs:4 has changed.")
    edit(bench.root, "Basket.cs", FILES["Basket.cs"])
    edit(bench.root, "Till.cs", TILL)
    assert concluded(bench, op).reasons == ()


def test_the_notes_of_its_types_name_it_also_after_a_rename(bench: Bench) -> None:
    scripted(bench, answer(ANSWER))
    op = investigated(bench)
    for name in ("Till", "Basket"):
        (linked,) = bench.notes.get(bench.lookup.sure(name).whole.id).conclusions
        assert (linked.op_id, linked.title, linked.reasons) == (op.op_id, "How is the total made?", ())
    assert bench.notes.get(bench.lookup.sure("Key").whole.id).conclusions == ()
    edit(bench.root, "Basket.cs", FILES["Basket.cs"].replace("class Basket", "class Cart"))
    bench.index.refresh()
    (linked,) = bench.notes.get(bench.lookup.sure("Cart").whole.id).conclusions
    assert linked.reasons == ()


def test_a_conclusion_is_pinned_flagged_and_made_a_pack(bench: Bench) -> None:
    scripted(bench, answer(ANSWER))
    op = investigated(bench)
    operation = by_name("GetConclusion")
    assert operation is not None
    operation.run(bench, {"opId": op.op_id, "pin": True, "pack": "totals"})
    (item,) = bench.window.render().items
    assert item.label == "How is the total made?"
    assert "which always says 3" in bench.window.render().text
    assert {each.name for each in bench.packs.all()} == {"totals"}
    edit(bench.root, "Basket.cs", FILES["Basket.cs"].replace("return 3", "return 4"))
    (item,) = bench.window.render().items
    assert "Basket.cs:4 has changed." in item.state_detail
    bench.window.set_level(f"conclusion:{op.op_id}", "signature")
    assert "Shop.Till.Close, Shop.Basket.Total" in bench.window.render().text
    bench.investigator.store.remove(op.op_id)
    assert "vanished" in bench.window.render().items[0].flags


def test_nothing_secret_is_sent_or_kept(bench: Bench) -> None:
    model = scripted(
        bench,
        call("read_file", path="Key.cs"),
        call("get_object_source", object="Key.cs"),
        answer(f"CONCLUSION:\nThe key is {SECRET} (`Key.cs:4`)."),
    )
    op = bench.ops.run(bench.investigator.start(InvestigationQuestion(f"What is {SECRET}?")).op_id)
    assert "Key.cs:4" in concluded(bench, op).text
    assert all(SECRET not in (each.content or "") for messages, _ in model.asked for each in messages)
    kept = bench.investigator.store.get(op.op_id)
    assert kept is not None
    assert SECRET not in write(kept)


def test_without_a_model_or_with_a_scope_that_is_none_nothing_is_queued(bench: Bench) -> None:
    operation = by_name("Investigate")
    assert operation is not None
    with pytest.raises(NoModel):
        operation.run(bench, {"question": "Why?", "byModel": True})
    scripted(bench)
    with pytest.raises(SymbolNotFound):
        operation.run(bench, {"question": "Why?", "byModel": True, "scope": ["No.Such"]})
    assert bench.ops.jobs.listed() == ()
    conclusion = by_name("GetConclusion")
    assert conclusion is not None
    with pytest.raises(UsageError):
        conclusion.run(bench, {"opId": "../../etc"})


def test_whoever_asks_may_wait_or_follow(bench: Bench) -> None:
    scripted(bench, answer(ANSWER), answer(ANSWER))
    operation = by_name("Investigate")
    assert operation is not None
    asked = operation.run(bench, {"question": "One?", "byModel": True})
    again = operation.run(bench, {"question": "One?", "byModel": True})
    assert (asked.kind, asked.op_id) == ("asked", again.op_id), "one question is looked into once at a time"
    told = operation.run(bench, {"question": "Two?", "byModel": True, "wait": True, "pin": True})
    assert (told.kind, len(told.places)) == ("model", 2)
    assert [each.label for each in bench.window.render().items] == ["Two?"]


class Gone(BaseException):
    """The process ends here, as by kill -9."""


@pytest.mark.parametrize("behind", [False, True], ids=["before", "behind"])
def test_a_crash_at_any_step_asks_nothing_twice(bench: Bench, behind: bool) -> None:
    script = (call("search_text", pattern="Total"), call("read_file", path="Till.cs"), answer(ANSWER))
    calls, crashed = 0, True
    while crashed:
        calls += 1
        model = scripted(bench, *script, *script)
        op_id = bench.investigator.start(InvestigationQuestion(f"Question {calls}?")).op_id
        dying = Dying(calls, behind=behind)
        jobs = bench.ops.jobs
        with dying.over(jobs, "record", "tell", "spend", "end"):
            crashed = _ended(bench, op_id)
        jobs._process, jobs._alive = f"another {calls}", lambda _: False
        asked = len(model.asked)
        model._answers[:] = [*script][asked - dying.lost :]
        assert bench.ops.run(op_id).state is OpState.DONE, dying.at
        assert len(model.asked) == 3 + dying.lost, dying.at
        kept = bench.investigator.store.get(op_id)
        assert kept is not None
        assert len(kept.places) == 2
    assert calls > 8


class Dying:
    """Lets so many calls through; at the next one the process ends, and nothing that it calls does anything more.
    `lost`: answers that were paid for and not recorded."""

    def __init__(self, calls: int, *, behind: bool) -> None:
        self.left, self.behind, self.at, self.lost = calls, behind, "", 0

    def over(self, thing: object, *names: str) -> Any:
        from contextlib import ExitStack

        stack = ExitStack()
        for name in names:
            act = getattr(thing, name)
            setattr(thing, name, partial(self._call, name, act))
            stack.callback(setattr, thing, name, act)
        return stack

    def _call(self, name: str, act: Callable[..., Any], *args: Any, **given: Any) -> Any:
        self.left -= 1
        if self.left > 0:
            return act(*args, **given)
        if self.left == 0:
            self.at = f"{name} {args[1]}" if name == "record" else name
            self.lost = int(self.at == "spend" or (self.at.startswith("record answer") and not self.behind))
            if self.behind:
                act(*args, **given)
        raise Gone


def _ended(bench: Bench, op_id: str) -> bool:
    try:
        bench.ops.run(op_id)
    except Gone:
        return True
    return False


def test_a_busy_endpoint_is_asked_again_and_read_from_where_it_was(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_jobs, "FIRST_PAUSE", 0.0)
    model = scripted(bench, call("search_text", pattern="Total"), Busy("Too many requests."), answer(ANSWER))
    op = bench.investigator.start(ASKED)
    bench.ops.serve()
    assert list(bench.ops.events(op.op_id))[-1].kind == "done"
    assert len(model.asked) == 3


def test_a_conclusion_is_a_file_that_is_read_back(bench: Bench) -> None:
    scripted(bench, answer(ANSWER.replace("So.", "So.\nEVIDENCE:\n CONCLUSION:")))
    op = investigated(bench)
    kept = bench.investigator.store.get(op.op_id)
    assert isinstance(kept, StoredConclusion)
    assert read(write(kept)) == kept
    bench.state.shared.write(f"semantic/conclusions/{op.op_id}.md", b"<<<<<<< HEAD\nnonsense\n")
    assert bench.investigator.store.get(op.op_id) is None
    assert bench.notes.get(bench.lookup.sure("Till").whole.id).conclusions == ()


def test_a_semantic_note_is_an_item_of_its_own(bench: Bench) -> None:
    type_id = bench.lookup.sure("Till").whole.id
    bench.window.pin(f"semantic:{type_id}")
    assert "Read off the code; nobody wrote a note." in bench.window.render().text
    texts = {name: f"{name} said" for name in NoteFields.__struct_fields__}
    bench.notes.put(type_id, NoteFields(**texts), Author.PERSON, "ada")
    text = bench.window.render().text
    order = ["role said", "lifecycle said", "limitations said", "recommendations said", "edge_cases said"]
    assert [text.index(each) for each in order] == sorted(text.index(each) for each in order)
    assert "public class Till" not in text
    bench.window.set_level(f"semantic:{type_id}", "signature")
    assert "role said" in bench.window.render().text
    assert "lifecycle said" not in bench.window.render().text
    edit(bench.root, "Till.cs", TILL.replace("basket.Total()", "basket.Total() + 1"))
    (item,) = bench.window.render().items
    assert "The bodies of Shop.Till have changed." in item.state_detail
    edit(bench.root, "Till.cs", TILL.replace("class Till", "class Desk"))
    (item,) = bench.window.render().items
    assert item.label == "Shop.Desk"
    (bench.root / "Till.cs").unlink()
    (item,) = bench.window.render().items
    assert "vanished" in item.flags


@pytest.mark.parametrize("mark", ["\f", "\x85", "\u2028"])
def test_only_a_line_feed_ends_a_line_of_a_file(bench: Bench, mark: str) -> None:
    (bench.root / "Feed.cs").write_bytes(f"// one{mark}still one\r\nclass Feed {{}}\n".encode())
    now = bench.inquiries.file("Feed.cs")
    assert now is not None
    assert now.lines == [f"// one{mark}still one", "class Feed {}"]


def test_what_the_leader_has_no_model_for_is_done_by_who_has_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.bench.wiring.chats._LEFT_LYING", 0.05)
    with Bench.open(bench.root, settings=bench.settings, tools=reading_tools) as other:
        bench.watch()
        other.watch()
        assert (bench.sharing.is_leader, other.sharing.is_leader) == (True, False)
        scripted(other, answer(ANSWER))
        bench.ops.serve()
        op = other.investigator.start(ASKED)
        other.ops.serve()
        list(other.ops.events(op.op_id))
        concluded(other, other.ops.jobs.get(op.op_id))


def test_a_model_whose_key_is_not_set_here_is_none_to_ask(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not bench.asking.can_ask()
    with_key = asking(bench, ScriptedModel(), key="env:SOME_KEY")
    assert not with_key.can_ask()
    monkeypatch.setenv("SOME_KEY", "k")
    assert with_key.can_ask()
    assert not with_key.can_ask("another")
