"""Text for people: what a terminal gets, and what a pipe gets."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.adt.values import AdtMessage, AdtReference, AdtTransport
from services.model import Completeness, Conclusion
from services.model import review as answers
from services.model.copies import PresetDiff, PresetRow, PresetsAnswer
from services.model.symbols import FileHit, FilesAnswer
from services.model.writes import PasteAnswer
from services.operations import by_name
from services.operations.investigations import OpsAnswer
from services.operations.semantic import NotesTaken, SemanticPrompt, SemanticQueue
from services.operations.systems import AdtCheckAnswer, AdtObjectsAnswer, AdtTransportsAnswer
from services.operations.table import OPERATIONS
from services.ops.jobs import Op, OpEvent, OpState
from services.semantic.values import Author, NoteAnswer, NoteFields, NoteState, Provider
from services.settings import Settings
from tests.support.memory_bench import MemoryBench
from widgets.format.display import is_safe
from workbench.shell.text.render import Look, render

TERMINAL = Look(terminal=True, colour=False)
PIPE = Look(terminal=False, colour=False)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "ResolveSymbol": {"path": "Orchard.Tree"},
    "GetOutline": {"path": "Orchard.Tree"},
    "GetMemberOutline": {"memberPath": "Orchard.Tree.height"},
    "FindUsages": {"path": "Orchard.Tree"},
    "GetHierarchy": {"path": "Orchard.Tree"},
    "getObjectSourceV2": {"object": "Tree.cs"},
    "getObjectSource": {"object": "Tree.cs"},
    "grepObjectSource": {"pattern": "height", "contextLines": 1},
    "objectStructure": {"object": "Orchard.Tree"},
    "lock": {"object": "Tree.cs"},
    "unLock": {"object": "Tree.cs", "lockHandle": "h"},
    "renewLock": {"lockHandle": "h"},
    "breakLock": {"object": "Tree.cs", "reason": "gone"},
    "setObjectSourceV2": {
        "object": "Tree.cs",
        "token": "t",
        "startLine": 1,
        "endLine": 1,
        "content": "a",
        "lockHandle": "h",
    },
    "setObjectSource": {"object": "Tree.cs", "content": "a", "lockHandle": "h"},
    "applyPatch": {"diff": "", "expected": {}, "lockHandles": ["h"]},
    "RenameSymbol": {"object": "Orchard.\x1bTree", "newName": "Bush"},
    "MoveType": {"object": "Orchard.\x1bTree"},
    "ChangeSignature": {"object": "Orchard.Tree.height", "parameters": "\x1bn"},
    "ExtractInterface": {"object": "Orchard.Tree", "newName": "\x1bITree"},
    "CommitEditBatch": {"batch": "E_AAAAAAAA"},
    "AbortEditBatch": {"batch": "E_AAAAAAAA"},
    "ExtractMethod": {"object": "Tree.cs:1-2", "newName": "\x1bGrow"},
    "GetProposal": {"proposalId": "P_00000001"},
    "ApplyProposal": {"proposalId": "P_00000001"},
    "RefuseProposal": {"proposalId": "P_00000001", "reason": "No."},
    "WithdrawProposal": {"proposalId": "P_00000001"},
    "Pin": {"path": "Orchard.Tree"},
    "Unpin": {"path": "Orchard.Tree"},
    "Dismiss": {"path": "Orchard.Tree"},
    "SetLevel": {"path": "Orchard.Tree", "level": "signature"},
    "Move": {"path": "Orchard.Tree", "before": "Orchard.Tree"},
    "FindContext": {"words": "leaf"},
    "BuildPack": {"name": "a"},
    "ActivatePack": {"name": "a"},
    "DeletePack": {"name": "a"},
    "AllowSecret": {"code": "3F9K6X"},
    "MaskSecret": {"code": "3F9K6X"},
    "Calibrate": {"model": "claude", "actual": 1000},
    "SavePreset": {"name": "a"},
    "LoadPreset": {"name": "a"},
    "DeletePreset": {"name": "a"},
    "DiffPresets": {"first": "a"},
    "AddComment": {"text": "a"},
    "PasteComments": {"text": "a"},
    "DecideComment": {"comment": "C_1", "state": "accepted"},
    "EditComment": {"comment": "C_1"},
    "DeleteComment": {"comment": "C_1"},
    "MarkReviewed": {"file": "a"},
    "SummarizeReview": {"text": "a"},
}


def answer(name: str, /, **arguments: Any) -> Any:
    operation = by_name(name)
    assert operation is not None
    return operation.run(MemoryBench(Path("/workspace"), Settings()), arguments)  # pyright: ignore[reportArgumentType]


FIELDS = NoteFields(role="\x1b[2J", lifecycle="a", edge_cases="b", limitations="c", recommendations="d")
NOTE = NoteAnswer(
    type_id="T_00000001",
    fqn="Orchard.\x1bTree",
    state=NoteState.STALE,
    fields=FIELDS,
    provider=Provider(author=Author.MODEL, name="\x1bm", date="2026-11-23"),
    text="",
    reasons=("\x1b has changed.",),
    waiting=FIELDS,
    last_error="\x1b[31m",
)
OP = Op(op_id="op_1", kind="semantic", state=OpState.RUNNING, by="me", created_at=0, title="Note on \x1bTree")
OF_NOTES = {
    FilesAnswer: FilesAnswer(query="\x1b", hits=(FileHit(path="a\x1b.cs"),)),
    answers.TestsAnswer: answers.TestsAnswer(resolved=None, tests=(), whole=False),
    AdtTransportsAnswer: AdtTransportsAnswer(transports=(AdtTransport(number="\x1bN", text="\x1b"),)),
    AdtObjectsAnswer: AdtObjectsAnswer(objects=(AdtReference(uri="/\x1b", name="\x1bZ", state="\x1b"),)),
    AdtCheckAnswer: AdtCheckAnswer(
        success=False, messages=(AdtMessage(kind="E", text="\x1b", uri="\x1b", line=1),)
    ),
    answers.TestMatrixAnswer: answers.TestMatrixAnswer(
        title="\x1b", rows=(answers.MatrixRow(member="\x1b", file="\x1b.cs"),), not_looked_up="\x1b"
    ),
    answers.TestCases: answers.TestCases(untested=("\x1b",), prompt="\x1b[2J", projects=("\x1b",)),
    PasteAnswer: PasteAnswer(group=0, files=(), already=("\x1b.cs",), notes=("\x1b",)),
    NoteAnswer: NOTE,
    NotesTaken: NotesTaken(notes=(NOTE,), refused={"\x1b": "\x1b"}, missing=("\x1b",)),
    SemanticPrompt: SemanticPrompt(text="\x1b[2J\n", tokens=1),
    SemanticQueue: SemanticQueue(
        ops=(OP,), notes=1, tokens=1, answers=2, cost=(0.1, 0.2), currency="\x1b", model="\x1b"
    ),
    OpsAnswer: OpsAnswer(ops=(OP,)),
    Conclusion: Conclusion(question="why", text="# why \x1b[31m\n", file=".context/ops/\x1b.md"),
    Op: OP,
    OpEvent: OpEvent(n=1, at=0, kind="step", text="\x1b[2J", refs=("\x1b",)),
}
"""Answers about notes and operations that last, which a bench in memory does not have."""


_ELSEWHERE = (".models.", ".agent_tools")
HERE = [each for each in OPERATIONS if not any(part in each.function.__module__ for part in _ELSEWHERE)]
"""Those that a workspace in memory answers; the ones of models are in test_render_asking.py, tools of agents are no
commands."""


@pytest.mark.parametrize("operation", HERE, ids=lambda operation: operation.name)
def test_every_result_has_text_that_a_terminal_cannot_act_on(operation: Any) -> None:
    if operation.result in OF_NOTES:
        items: Any = (OF_NOTES[operation.result],)
    elif operation.name == "ProposeSuggestion":  # which writes, as a rehearsal
        items = (answer("GetProposal", **ARGUMENTS["GetProposal"]),)
    elif operation.name == "WriteTestFile":  # which looks for the test projects of a folder
        items = (answer("setObjectSourceV2", **ARGUMENTS["setObjectSourceV2"]),)
    else:
        result = answer(operation.name, **ARGUMENTS.get(operation.name, {}))
        items = result if operation.stream else (result,)
    for item in items:
        text = render(item, TERMINAL)
        assert text.endswith("\n")
        assert all(map(is_safe, text.split("\n")))


def test_on_a_terminal_source_has_line_numbers_and_visible_control_characters() -> None:
    lines = render(answer("getObjectSourceV2", object="Tree.cs", startLine=2, endLine=3), TERMINAL)
    assert lines == "2  {\n3      int ␛[31mheight;\n"


def test_matches_on_a_terminal_stand_under_their_file_with_numbers_and_visible_control_characters() -> None:
    lines = render(answer("grepObjectSource", pattern="height", contextLines=1), TERMINAL)
    assert lines.startswith("Tree.cs\n2-{\n3:    int ␛[31mheight;\n4-}\n")


def test_matches_in_a_pipe_are_the_lines_themselves_behind_file_and_number() -> None:
    lines = render(answer("grepObjectSource", pattern="height"), PIPE)
    assert lines == "Tree.cs:3:\tint ␛[31mheight;\n"


def test_what_matched_is_set_off_where_there_are_colours() -> None:
    text = render(answer("grepObjectSource", pattern="height"), Look(terminal=True, colour=True))
    assert "int ␛[31m\x1b[1;31mheight\x1b[0m;" in text


@given(st.text(st.sampled_from("ab\t漢\x1b\r"), max_size=20), st.data())
def test_colours_move_nothing_also_behind_a_tab(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    coloured = Look(terminal=True, colour=True).marked(text, spans)
    assert coloured.replace("\x1b[1;31m", "").replace("\x1b[0m", "") == TERMINAL.source(text)


def test_colour_is_bold_and_dim_only() -> None:
    text = render(answer("ResolveSymbol", path="Orchard.Tree"), Look(terminal=True, colour=True))
    assert "\x1b[1mOrchard.Tree\x1b[0m" in text


def test_a_preset_names_its_first_items_a_line_each_and_counts_the_others() -> None:
    row = PresetRow(name="review", pinned=40, recent=2, labels=tuple(f"Type{n}\x1b[2J" for n in range(40)))
    lines = render(PresetsAnswer(presets=(row,)), PIPE).splitlines()
    assert lines[:2] == ["review  40 pinned, 2 recent", "    Type0␛[2J"]
    assert lines[-1] == "    and 32 more"
    assert len(lines) == 10
    broken = msgspec.structs.replace(row, problem="It cannot be read.")
    assert render(PresetsAnswer(presets=(broken,)), PIPE) == "review  It cannot be read.\n"


def test_presets_in_another_order_are_said_to_be() -> None:
    same = PresetDiff(
        first="a", second="b", only_first=(), only_second=(), changed=(), same=2, reordered=True
    )
    assert render(same, PIPE) == "2 items are alike in a and b, and pins of both stand in another order.\n"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "no_color", "term", "colour"),
    [
        (Terminal(), "", "xterm-256color", True),
        (Terminal(), "1", "xterm-256color", False),
        (Terminal(), "", "dumb", False),
        (io.StringIO(), "", "xterm-256color", False),
    ],
)
def test_colours_are_for_terminals_unless_they_or_no_color_say_otherwise(
    stream: io.StringIO, no_color: str, term: str, colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)
    assert Look.of(stream).colour is colour


@given(st.text())
def test_whatever_the_source_holds_it_is_visible_on_a_terminal_and_in_a_pipe(text: str) -> None:
    piped = PIPE.source(text)
    assert is_safe(piped.replace("\r\n", "").replace("\n", "").replace("\t", ""))
    assert piped == text or not is_safe(text.replace("\r\n", "").replace("\n", "").replace("\t", ""))
    assert all(map(is_safe, TERMINAL.source(text).split("\n")))


def test_the_outcome_of_a_workflow_is_told() -> None:
    result = {
        "passed": True,
        "reasons": ["Tests: 2 passed."],
        "files": ["test_a.py"],
        "address": "https://h/1",
    }
    op = Op(
        op_id="op_2", kind="workflow", state=OpState.DONE, by="me", created_at=0, title="Tests", result=result
    )
    lines = render(op, PIPE).splitlines()
    assert lines[1:] == [
        "    The gate is passed.",
        "    Tests: 2 passed.",
        "    test_a.py",
        "    https://h/1",
    ]


def test_completeness_counts_members_and_types() -> None:
    text = render(answer("Complete"), PIPE)
    assert text.splitlines()[-1].startswith(
        "Pinned 1. 1 of 2 members and 1 of 2 types that the window refers to are shown"
    )


@pytest.mark.parametrize(
    ("types", "said"),
    [
        (18, "0 of 18 types that the window refers to are shown."),
        (0, "The window refers to nothing of the workspace."),
    ],
)
def test_members_that_nothing_refers_to_are_not_counted(types: int, said: str) -> None:
    lacking = Completeness(
        referred=0,
        shown=0,
        types=types,
        types_shown=0,
        missing=(),
        unneeded=(),
        room=10,
        suggested_tokens=0,
    )
    assert render(lacking, PIPE) == f"{said}\n"
