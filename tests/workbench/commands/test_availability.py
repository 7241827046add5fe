"""Why a command makes no sense now: said for every one of them, in a sentence that names what helps and its key."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.commands.commands import BY_ID, COMMANDS, Command
from workbench.commands.keymap import key_sign, resolve
from workbench.commands.situation import (
    CHANGES,
    CODE,
    DIFF,
    GREP,
    LISTS,
    PANES,
    SEMANTIC,
    SOURCE,
    SYMBOLS,
    USAGES,
    VIEWS,
    WINDOW,
    Situation,
    Subject,
)

MEMBER, TYPE, FILE = "T_0123ABCD_KJEDB6", "T_0123ABCD", "src/A.cs"
SUBJECTS = st.none() | st.builds(
    Subject,
    st.sampled_from([MEMBER, f"member:{MEMBER}", TYPE, f"type:{TYPE}", FILE, f"{FILE}:3-9"]),
    st.just("it"),
    pinned=st.booleans(),
    in_window=st.booleans(),
)
COUNTS = st.integers(0, 2)
_SWITCHES = (
    *("ready", "place", "opened", "stageable", "has_text", "can_go_back", "can_go_forward"),
    *("indexing", "working", "typing", "editing", "unsaved"),
)
SITUATIONS = st.builds(
    Situation,
    pane=st.sampled_from(PANES),
    left=st.sampled_from(LISTS),
    view=st.sampled_from(VIEWS),
    subject=SUBJECTS,
    items=COUNTS,
    recents=COUNTS,
    missing=COUNTS,
    hits=COUNTS,
    files=COUNTS,
    undoable=st.sampled_from(["", "a pin"]),
    redoable=st.sampled_from(["", "a pin"]),
    lock=st.sampled_from(["", "free", "yours", "ada/claude"]),
    **dict.fromkeys(_SWITCHES, st.booleans()),
)
TOLD = re.compile(r"\{([^:{}]*):([^{}]*)\}")
NAMED = {"enter": "enter", "space": "space"}
KEYS = resolve({})


@given(SITUATIONS)
def test_a_reason_is_one_or_more_sentences_and_every_key_in_it_is_that_of_a_command(
    situation: Situation,
) -> None:
    for command in COMMANDS:
        reason = command.unavailable(situation)
        begins = reason[:1].isupper() or reason.startswith(situation.lock)  # or with somebody's name
        assert reason == "" or (reason.endswith(".") and begins), reason
        for id_, word in TOLD.findall(reason):
            assert word in {NAMED.get(key) or key_sign(key) for key in KEYS.by_command[id_]}, reason
        assert "{" not in TOLD.sub("", reason)


@given(SITUATIONS)
def test_whoever_reads_a_reason_reads_the_keys_in_force(situation: Situation) -> None:
    moved = resolve({"pin": "f12", "open": "ctrl+j", "patch-lock": "f5", "definition": "f4"})
    for command in COMMANDS:
        told = moved.unavailable_reason(command.id, situation)
        assert "{" not in told
        assert bool(told) == bool(command.unavailable(situation))
        assert "(space)" not in told
        assert "press enter" not in told


BARE = Situation(ready=True)
READY = Situation(
    ready=True, pane=CODE, view=SOURCE, subject=Subject(MEMBER, "it"), place=True, opened=True, items=2, recents=1,
    missing=1, undoable="a pin", redoable="a pin", hits=3, has_text=True, can_go_back=True, can_go_forward=True,
)  # fmt: skip


def available(id_: str, situation: Situation) -> bool:
    return not BY_ID[id_].unavailable(situation)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_there_is_a_situation_in_which_a_command_makes_sense(command: Command) -> None:
    situations = [
        Situation(ready=True),
        READY,
        Situation(ready=True, left=GREP, pane=GREP),
        Situation(ready=True, left=USAGES, pane=USAGES),
        Situation(
            ready=True,
            left=CHANGES,
            pane=CHANGES,
            view=DIFF,
            files=1,
            stageable=True,
            place=True,
            opened=True,
        ),
        Situation(ready=True, pane=CODE, view=SEMANTIC, has_text=True, opened=True),
        Situation(ready=True, pane=WINDOW, items=1, subject=Subject("k", "it", pinned=True, in_window=True)),
        Situation(ready=True, editing=True, unsaved=True, lock="yours"),
        Situation(ready=True, editing=True, lock="ada"),
        Situation(ready=True, indexing=True),
        Situation(ready=True, visits=1),
        Situation(ready=True, pane=CODE, subject=Subject("src/Tree.cs:4-9", "the selected lines")),
    ]
    assert any(not command.unavailable(situation) for situation in situations)


@pytest.mark.parametrize(
    ("command", "yes", "no"),
    [
        ("open", Situation(subject=Subject(TYPE, "it")), BARE),
        ("pin-enclosing", Situation(subject=Subject(MEMBER, "it")), Situation(subject=Subject(TYPE, "it"))),
        (
            "pin-enclosing",
            Situation(subject=Subject(f"member:{MEMBER}.2", "it")),
            Situation(subject=Subject("a_b_c.cs", "it")),
        ),
        (
            "pin-enclosing",
            Situation(subject=Subject(FILE, "it"), place=True),
            Situation(subject=Subject(f"{FILE}:1-2", "it")),
        ),
        ("next-place", Situation(hits=1), Situation()),
        ("next-file", Situation(files=1), Situation()),
        ("back", Situation(can_go_back=True), Situation(can_go_forward=True)),
        ("forward", Situation(can_go_forward=True), Situation(can_go_back=True)),
        ("cancel", Situation(working=True), Situation(ready=True)),
        ("cancel", Situation(indexing=True), Situation()),
        ("copy", Situation(items=1), Situation(recents=1)),
        ("patch-lock", Situation(editing=True, lock="free"), Situation(editing=True, lock="ada")),
        ("patch-lock", Situation(editing=True, lock="yours"), Situation(lock="free")),
        ("patch-break", Situation(editing=True, lock="ada"), Situation(editing=True, lock="yours")),
        (
            "patch-apply",
            Situation(editing=True, unsaved=True, lock="free"),
            Situation(editing=True, unsaved=True, lock="ada"),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_command_needs_is_what_it_asks_for(command: str, yes: Situation, no: Situation) -> None:
    assert (available(command, yes), available(command, no)) == (True, False)


def test_whoever_holds_the_lock_is_named_to_whoever_cannot_write() -> None:
    held = Situation(editing=True, unsaved=True, lock="ada/claude")
    assert "ada/claude holds the lock" in BY_ID["patch-apply"].unavailable(held)
    assert "ada/claude holds the lock" in BY_ID["patch-lock"].unavailable(held)


def test_in_the_diff_of_a_file_that_is_gone_the_way_on_is_named_and_not_the_way_to_open() -> None:
    gone = Situation(ready=True, pane=CODE, view=DIFF, files=2)
    for command in ("open", "usages", "grep-here"):
        assert "This file is gone" in BY_ID[command].unavailable(gone)
    assert "Nothing is open" in BY_ID["grep-here"].unavailable(Situation(ready=True, pane=SYMBOLS))
