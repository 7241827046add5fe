"""Keys of what opens over the main screen: each does what it is bound to, and can be moved as those of commands can."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen

import workbench
from services.model import ConflictHunk, Draft, Rebased
from services.settings import Settings, UiSettings
from tests.support.bound import press_each
from tests.support.stage import on_stage
from tests.support.stage_bench import StageBench
from tests.support.stage_window import SECRET
from widgets.lists.pick_list import PickRow
from workbench.commands.keymap import dialog_keys, resolve
from workbench.dialogs.copy_as import NoteScreen
from workbench.dialogs.copying import NextPart, SecretsDialog
from workbench.dialogs.proposals import ProposalsScreen
from workbench.edits.patch_dialogs import ConflictScreen
from workbench.review.publishing import CommentScreen, CommitScreen
from workbench.review.screen import Words
from workbench.ui.modal import Confirm, TextScreen, reading
from workbench.ui.picker import Picker, filtered


def _all_dialogs() -> Iterator[type[ModalScreen[Any]]]:
    """Every screen over the main one that declares keys, found in the code."""
    for module in pkgutil.walk_packages(workbench.__path__, "workbench."):
        importlib.import_module(module.name)
    seen: list[type] = [ModalScreen]
    while seen:
        kind = seen.pop()
        seen += kind.__subclasses__()
        if kind.__module__.startswith("workbench.") and vars(kind).get("BINDINGS"):
            yield kind


def test_every_dialog_with_keys_is_known_to_the_keymap() -> None:
    declared = {each.id for kind in _all_dialogs() for each in kind.BINDINGS if isinstance(each, Binding)}
    assert len(declared) > 60
    assert declared - {"over.back"} == set(dialog_keys())
    for id_, key in dialog_keys().items():
        assert id_ == id_.lower(), id_
        assert key.fixed or key.own, id_


def test_within_a_dialog_no_key_is_bound_twice() -> None:
    for scope in {key.scope for key in dialog_keys().values()}:
        signs = [s for key in dialog_keys().values() if key.scope == scope for s in (*key.fixed, *key.own)]
        assert len(signs) == len(set(signs)), scope


def test_a_moved_key_takes_the_place_of_those_that_are_not_fixed() -> None:
    keys = resolve({"packs.activate": "f2", "copy": "f10"})
    assert keys.keymap == {"packs.activate": "enter,f2", "copy": "f10"}
    assert keys.notices == ()


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"packs.new": "p"}, "p is the key of both 'packs.new' and 'packs.pin'; it goes to 'packs.new'."),
        (
            {"packs.new": "enter"},
            "enter is the key of both 'packs.activate' and 'packs.new'; it goes to 'packs.activate'.",
        ),
        ({"packs.nwe": "f2"}, "There is nothing 'packs.nwe' to give a key to. Did you mean packs.new?"),
        ({"picker.up": "f2"}, "'picker.up' keeps its keys: up mean the same in every dialog."),
        ({"packs.new": "no key"}, "'no key' is not a key for 'packs.new'."),
    ],
)
def test_what_cannot_be_is_told(wanted: dict[str, str], said: str) -> None:
    assert [notice.message for notice in resolve(wanted).notices] == [said]


def test_the_outline_s_keys_follow_the_commands_they_stand_in_for() -> None:
    assert resolve({"next-place": "f7"}).keymap["outline.next-link"] == "f7"


async def test_a_moved_key_works_in_the_dialog_the_old_one_does_not_and_the_line_names_it() -> None:
    settings = Settings(ui=UiSettings(keys={"packs.new": "f2"}))
    async with on_stage(settings=settings) as stage:
        await stage.press("escape", "p", "n")
        screen = stage.app.screen
        assert not screen.is_typing  # pyright: ignore[reportAttributeAccessIssue]
        assert "f2" in [hint.key for hint in screen.key_line.hints]  # pyright: ignore[reportAttributeAccessIssue]
        await stage.press("f2")
        assert screen.is_typing  # pyright: ignore[reportAttributeAccessIssue]


async def test_a_question_names_the_keys_that_were_moved() -> None:
    settings = Settings(ui=UiSettings(keys={"confirm.yes": "j"}))
    answers: list[bool | None] = []
    async with on_stage(settings=settings) as stage:
        await stage.app.push_screen(Confirm("Sure", "Sure?", yes="Yes"), answers.append)
        await stage.settle()
        assert "Yes (j)" in [str(each.label) for each in stage.app.screen.query("Button")]  # pyright: ignore[reportAttributeAccessIssue]
        await stage.press("y")
        assert answers == []
        await stage.press("j")
        assert answers == [True]


PINNED = ("escape", "space", "down", "space")
OPENED: dict[str, tuple[str, ...]] = {
    "AdviceScreen": (*PINNED, "w"),
    "ContextScreen": ("escape", "f", "a", "ctrl+s"),
    "TaskScreen": ("escape", "f"),
    "CopyAs": (*PINNED, "Y"),
    "EditScreen": ("escape", "E", "enter"),
    "HistoryScreen": ("escape", "H"),
    "ModelsScreen": ("escape", "B"),
    "PacksScreen": ("escape", "p"),
    "PasteBox": ("escape", "V"),
    "PasteScreen": ("escape", "V", "a", "ctrl+s"),
    "PresetsScreen": ("escape", "alt+s"),
    "ReceiptsScreen": ("escape", "alt+y"),
    "SettingsScreen": ("escape", "comma"),
}
"""The keys that open a dialog."""


def _made(name: str, bench: StageBench) -> ModalScreen[Any]:
    draft = Draft(file="src/Tree.cs", start=1, end=1, token="1_0", base="a", text="b", expires_at=0)
    clash = ConflictHunk(start_line=1, base="a", mine="b", theirs="c")
    rebased = Rebased(draft=draft, theirs="c", token="2_0", hunks=(clash,))
    makers: dict[str, Callable[[], ModalScreen[Any]]] = {
        "CommentScreen": lambda: CommentScreen("src/Tree.cs:1", "class Tree"),
        "CommitScreen": lambda: CommitScreen(("src/Tree.cs",), "", lambda _: None),
        "Confirm": lambda: Confirm("Sure", "Sure?", yes="Yes"),
        "ConflictScreen": lambda: ConflictScreen(bench, rebased),  # pyright: ignore[reportArgumentType]
        "NextPart": lambda: NextPart(1, 2, "Copied."),
        "NoteScreen": NoteScreen,
        "Picker": lambda: Picker("Pick", filtered([PickRow("a", "a")])),
        "ProposalsScreen": lambda: ProposalsScreen(bench),  # pyright: ignore[reportArgumentType]
        "SecretsDialog": lambda: SecretsDialog((SECRET,)),
        "TextScreen": lambda: TextScreen("Text", reading(Content("text"))),
        "Words": lambda: Words("Words"),
    }
    return makers[name]()


OVER_A_WORKSPACE = {
    "AnswerScreen",
    "AskScreen",
    "BatchAnswer",
    "EarlierScreen",
    "FailuresScreen",
    "HierarchyScreen",
    "TreeScreen",
    "NewerScreen",
    "NoteEditor",
    "PublishScreen",
    "ReviewScreen",
    "OperationsScreen",
    "SystemEditor",
    "SystemsScreen",
    "WindowNotes",
}
"""Dialogs whose own tests press their keys over a real workspace: a stage has neither models nor usages."""
NAMES = sorted({kind.__name__ for kind in _all_dialogs()} - {"Dialog", "TextBox"} - OVER_A_WORKSPACE)


def _bench() -> StageBench:
    """With a row in every list."""
    bench = StageBench()
    bench.advice.lacking = True
    bench.packs.build("leaves", filter="type:L*")
    bench.presets.kept = {"review": ("Tree",)}
    return bench


@pytest.mark.parametrize("name", NAMES)
async def test_every_key_of_a_dialog_does_what_it_is_bound_to(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = _bench()
    async with on_stage(bench) as stage:
        if name == "ReceiptsScreen":
            await stage.press(*PINNED, "y")
        if name in OPENED:
            await stage.press(*OPENED[name])
        else:
            await stage.app.push_screen(_made(name, bench))
            await stage.settle()
        screen = stage.app.screen
        assert type(screen).__name__ == name
        bindings = [
            each for each in screen.BINDINGS if isinstance(each, Binding) and "app." not in each.action
        ]
        assert await press_each(stage, screen, bindings, monkeypatch) > 0


async def test_arrows_step_between_the_answers_of_a_question() -> None:
    async with on_stage() as stage:
        await stage.app.push_screen(Confirm("Sure", "Sure?", yes="Yes"))
        for key, focused in (("right", "yes"), ("left", "no")):
            await stage.press(key)
            assert stage.app.focused is not None
            assert stage.app.focused.id == focused
