"""Keys of the table, keys of the settings, and what becomes of clashes."""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser
from textual.binding import Binding
from textual.dom import DOMNode

import widgets
import workbench
from services.settings import Settings, UiSettings
from tests.support.stage import on_stage
from widgets.lists.window_list import WindowList
from widgets.text.outline_view import OutlineView
from workbench.commands.commands import BY_ID, COMMANDS
from workbench.commands.keymap import is_sent, key_sign, resolve
from workbench.commands.situation import Situation

KEYS = st.sampled_from(
    ["y", "x", "f9", "ctrl+p", "slash", "/", "enter", "y,x", "space", "", "no key", "shift+tab"]
)


def test_the_table_clashes_with_nothing() -> None:
    keys = resolve({})
    counted = Counter(key for keys in keys.by_command.values() for key in keys)
    assert [key for key, times in counted.items() if times > 1] == []
    assert (keys.moved, keys.notices) == ({}, ())


def test_a_command_can_be_moved_to_several_keys() -> None:
    keys = resolve({"copy": "f10, f11"})
    assert keys.by_command["copy"] == ("f10", "f11")
    assert keys.notices == ()


def test_two_commands_can_change_places() -> None:
    keys = resolve({"copy": "v", "preview": "y"})
    assert (keys.by_command["copy"], keys.by_command["preview"]) == (("v",), ("y",))
    assert keys.notices == ()


def test_a_key_taken_from_another_command_is_told() -> None:
    keys = resolve({"copy": "z"})
    assert keys.by_command["copy"] == ("z",)
    assert keys.by_command["zoom"] == ()
    assert [notice.message for notice in keys.notices] == [
        "z is the key of both 'copy' and 'zoom'; it goes to 'copy'."
    ]


def test_a_key_may_be_written_as_its_sign() -> None:
    assert [notice.message for notice in resolve({"copy": "?"}).notices] == [
        "? is the key of both 'copy' and 'help'; it goes to 'copy'."
    ]


def test_unknown_commands_and_what_is_no_key_are_told_and_left_out() -> None:
    keys = resolve({"coppy": "z", "copy": "no key"})
    assert keys.moved == {}
    assert [notice.message for notice in keys.notices] == [
        "There is no command 'coppy' to give a key to. Did you mean copy?",
        "'no key' is not a key for 'copy'.",
    ]


@pytest.mark.parametrize("key", ["nokeyatall", "f25", "ctrl+pgup", "Enter", "ctrl+"])
def test_a_name_that_no_key_has_is_told_and_the_command_keeps_its_own(key: str) -> None:
    keys = resolve({"copy": key})
    assert [notice.message for notice in keys.notices] == [f"{key!r} is not a key for 'copy'."]
    assert keys.by_command["copy"] == ("y", "ctrl+y")


@pytest.mark.parametrize(
    "key", ["f12", "ctrl+pageup", "shift+tab", "alt+backspace", "ctrl+backslash", "tilde", "semicolon", "é"]
)
def test_names_of_keys_are_known(key: str) -> None:
    assert resolve({"copy": key}).by_command["copy"] == (key,)


@given(st.dictionaries(st.sampled_from([*BY_ID, "nothing"]), KEYS, max_size=6))
def test_no_key_ever_has_two_commands(wanted: dict[str, str]) -> None:
    keys = resolve(wanted)
    counted = Counter(key for keys in keys.by_command.values() for key in keys)
    assert max(counted.values()) == 1
    assert set(keys.by_command) == {command.id for command in COMMANDS}


def test_keys_are_shown_as_people_write_them() -> None:
    assert [key_sign(key) for key in ("ctrl+p", "alt+left", "question_mark", "space", "ctrl+@", "f5")] == [
        "^p",
        "alt+←",
        "?",
        "␣",
        "^␣",
        "f5",
    ]


async def test_a_moved_key_works_the_old_one_does_not_and_the_footer_names_the_new_one() -> None:
    settings = Settings(ui=UiSettings(keys={"zoom": "f9", "copy": "z"}))
    async with on_stage(settings=settings) as stage:
        await stage.press("escape", "f9")
        assert stage.main.zoomed
        await stage.press("space", "z")
        assert stage.main.zoomed
        assert stage.copied == ["# Tree\n"]
        await stage.press("y")
        assert len(stage.copied) == 1
        assert "z" in [hint.key for hint in stage.main.key_line.hints if hint.command == "copy"]


async def test_clashes_are_notices_when_the_workbench_starts() -> None:
    settings = Settings(ui=UiSettings(keys={"copy": "z"}))
    async with on_stage(settings=settings) as stage:
        assert stage.noted == ["z is the key of both 'copy' and 'zoom'; it goes to 'copy'."]


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ({}, "Pin a symbol first (space)."),
        ({"pin": "f9"}, "Pin a symbol first (f9)."),
        ({"copy": "space,ctrl+@,ctrl+space"}, "Pin a symbol first (the command 'Pin or unpin')."),
    ],
)
def test_a_refusal_names_the_keys_in_force(wanted: dict[str, str], named: str) -> None:
    assert (
        resolve(wanted).unavailable_reason("preview", Situation()) == f"The prompt window is empty. {named}"
    )


def test_a_refusal_names_no_key_that_is_not_a_commands() -> None:
    keys = resolve({})
    for command in COMMANDS:
        told = keys.unavailable_reason(command.id, Situation())
        assert "{" not in told
        assert "}" not in told


async def test_empty_panes_name_the_keys_in_force() -> None:
    settings = Settings(ui=UiSettings(keys={"usages": "f9", "pin": "f7", "open": "f8"}))
    async with on_stage(settings=settings) as stage:
        assert stage.main.usages.nothing.advice == "Put the cursor on a symbol, or open one, and press f9."
        assert stage.main.query_one(WindowList).empty == "Empty: f7 pins"
        assert stage.main.query_one(OutlineView).empty == "Choose a symbol on the left and press f8"


def test_every_key_that_a_sentence_names_is_its_command_s() -> None:
    sources = [path.read_text("utf-8") for path in Path(workbench.__file__).parent.rglob("*.py")]
    named = {
        pair for text in sources for pair in re.findall(r"\{([a-z-]+):([^{}\s]+)\}", text) if pair[0] in BY_ID
    }
    assert len(named) > 10
    for command, key in named:
        keys = BY_ID[command].keys.split(",")
        assert key in {*keys, *map(key_sign, keys)}, (command, key)


def _sent() -> dict[str, str]:
    """Every key that Textual makes of what xterm sends, with what that is."""
    sent = [chr(code) for code in range(128)]
    sent += [f"\x1b{chr(code)}" for code in range(33, 127)]
    sent += ["\x1b[Z", *(f"\x1bO{letter}" for letter in "ABCDHFPQRS")]
    for modifier in ("", *"2345678"):
        sent += [f"\x1b[1;{modifier}{letter}" if modifier else f"\x1b[{letter}" for letter in "ABCDHFPQS"]
        numbers = (1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24)
        sent += [f"\x1b[{number}{modifier and ';'}{modifier}~" for number in numbers]
    return {key: each for each in sent if (key := _heard(each))}


def _heard(sent: str) -> str:
    parser = XTermParser(False)
    heard = [*parser.feed(sent), *parser.feed("")]
    keys = [event.key for event in heard if isinstance(event, events.Key)]
    return keys[0] if len(keys) == 1 else ""


def test_what_is_sent_is_what_textual_hears_of_a_terminal() -> None:
    sent = _sent()
    named = [
        *string.ascii_lowercase,
        *string.digits,
        *string.ascii_uppercase,
        "full_stop",
        "slash",
        "space",
        "@",
    ]
    named += [
        "left",
        "delete",
        "f5",
        "f12",
        "tab",
        "enter",
        "backslash",
        "underscore",
        "right_square_bracket",
    ]
    for modifiers in ("alt+", "ctrl+", "alt+shift+", "ctrl+shift+", "alt+ctrl+"):
        for name in named:
            key = f"{modifiers}{name}"
            assert is_sent(key) == (key in sent), key
    assert all(map(is_sent, (name for name in named if len(name) == 1 and name != "@")))


def test_every_key_that_is_shown_can_be_sent_by_a_terminal() -> None:
    sent = _sent()
    for command in COMMANDS:
        keys = command.keys.split(",")
        assert keys[0] in sent, command.id
        assert [key for key in keys if key not in sent] in ([], ["ctrl+space"]), command.id  # kitty's ctrl+@


def test_every_key_of_a_dialog_and_a_widget_can_be_sent_by_a_terminal() -> None:
    sent = _sent()
    for package in (workbench, widgets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    kinds, seen = [DOMNode], 0
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if not kind.__module__.startswith(("workbench.", "widgets.")):
            continue
        for binding in vars(kind).get("BINDINGS", ()):
            keys = binding.key if isinstance(binding, Binding) else binding[0]
            seen += 1
            assert any(key.strip() in sent for key in keys.split(",")), (kind, keys)
    assert seen > 150


def test_a_key_that_few_terminals_send_is_told() -> None:
    keys = resolve({"copy": "alt+full_stop"})
    assert keys.by_command["copy"] == ("alt+full_stop",)
    assert [notice.message for notice in keys.notices] == [
        "Few terminals send alt+full_stop, the key for 'copy'."
    ]
