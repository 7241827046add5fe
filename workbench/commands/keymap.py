"""Keymap: the defaults of the table, overridden by the settings, and conflicts."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from types import MappingProxyType

from msgspec import Struct
from textual.binding import Binding, BindingType

from services.model import Notice
from workbench.commands.commands import BY_ID, COMMANDS
from workbench.commands.situation import Situation

FIXED = frozenset(
    {"enter", "escape", "tab", "shift+tab", "up", "down", "left", "right"}
    | {"pageup", "pagedown", "shift+up", "shift+down"}
)
"""Keys that mean the same in every dialog, whatever the settings say: they take, close, and lead about."""


DIALOGS = (
    "workbench.ask.screen:AskScreen",
    "workbench.code.hierarchy:HierarchyScreen",
    "workbench.code.tree:TreeScreen",
    "workbench.edits.pasting:PasteBox",
    "workbench.edits.pasting:PasteScreen",
    "workbench.edits.preview:EditScreen",
    "workbench.review.publishing:CommentScreen",
    "workbench.review.publishing:CommitScreen",
    "workbench.review.publishing:PublishScreen",
    "workbench.review.screen:ReviewScreen",
    "workbench.review.screen:Words",
    "workbench.ask.note_screens:AnswerScreen",
    "workbench.ask.note_screens:EarlierScreen",
    "workbench.ask.note_screens:NewerScreen",
    "workbench.ask.note_screens:NoteEditor",
    "workbench.ask.window_notes:BatchAnswer",
    "workbench.ask.window_notes:WindowNotes",
    "workbench.dialogs.advice:AdviceScreen",
    "workbench.dialogs.context:ContextScreen",
    "workbench.dialogs.context:TaskScreen",
    "workbench.dialogs.copy_as:CopyAs",
    "workbench.panes.failures:FailuresScreen",
    "workbench.dialogs.models:ModelsScreen",
    "workbench.panes.operations:OperationsScreen",
    "workbench.dialogs.packs:PacksScreen",
    "workbench.dialogs.presets:PresetsScreen",
    "workbench.dialogs.copy_as:ReceiptsScreen",
    "workbench.dialogs.settings:SettingsScreen",
    "workbench.ui.modal:Confirm",
    "workbench.edits.patch_dialogs:ConflictScreen",
    "workbench.edits.patch_dialogs:HistoryScreen",
    "workbench.dialogs.copying:NextPart",
    "workbench.dialogs.copy_as:NoteScreen",
    "workbench.ui.picker:Picker",
    "workbench.dialogs.proposals:ProposalsScreen",
    "workbench.dialogs.copying:SecretsDialog",
    "workbench.edits.systems:SystemEditor",
    "workbench.edits.systems:SystemsScreen",
    "workbench.ui.modal:TextScreen",
)
"""Every dialog that declares keys, as `module:class`: the table imports none before its keys are asked for."""


class DialogKey(Struct, frozen=True):
    """`fixed` and `own`: the keys of one thing that can be done in the dialog `scope`; only `own` ones can be moved."""

    id: str
    scope: str
    fixed: tuple[str, ...]
    own: tuple[str, ...]


class Moved(Struct, frozen=True):
    """Changed keys of dialogs. `keys`: all keys, by id, of entries that differ from the defaults; `told`: errors and
    conflicts."""

    keys: Mapping[str, tuple[str, ...]]
    told: tuple[str, ...] = ()


@cache
def dialog_keys() -> Mapping[str, DialogKey]:
    """Return the keys of every dialog, by id. The first call imports them all."""
    found = (_key(binding) for screen in _screens() for binding in screen)
    return {key.id: key for key in found if key}


def move(wanted: Mapping[str, tuple[str, ...]]) -> Moved:
    """Return the keys of dialogs for the settings `wanted`: in each, a key claimed twice belongs to the entry that it
    is fixed for, or was moved to it, or else to the first."""
    known = dialog_keys()
    told = [_unknown(id_) for id_ in wanted if id_ not in known or not known[id_].own]
    usable = {id_: keys for id_, keys in wanted.items() if id_ in known and known[id_].own}
    moved: dict[str, tuple[str, ...]] = {}
    for scope in dict.fromkeys(known[id_].scope for id_ in usable):
        here = [key for key in known.values() if key.scope == scope]
        taken = {sign: key.id for key in here for sign in key.fixed}
        for key in sorted(here, key=lambda key: key.id not in usable):
            signs = usable.get(key.id, key.own)
            told += [
                _dialog_clash(sign, taken[sign], key.id)
                for sign in signs
                if taken.get(sign, key.id) != key.id
            ]
            left = tuple(sign for sign in signs if sign not in taken)
            taken |= dict.fromkeys(left, key.id)
            if left != key.own:
                moved[key.id] = (*key.fixed, *left)
    return Moved(moved, tuple(told))


def _screens() -> Iterable[list[BindingType]]:
    return [resolve_name(name).BINDINGS for name in DIALOGS]


def _key(binding: BindingType) -> DialogKey | None:
    if not isinstance(binding, Binding) or not binding.id:
        return None
    keys = [key.strip() for key in binding.key.split(",")]
    return DialogKey(
        binding.id,
        binding.id.partition(".")[0],
        tuple(key for key in keys if key in FIXED),
        tuple(key for key in keys if key not in FIXED),
    )


def _unknown(id_: str) -> str:
    known = dialog_keys()
    if id_ in known:
        return f"{id_!r} keeps its keys: {', '.join(known[id_].fixed)} mean the same in every dialog."
    near = difflib.get_close_matches(id_, [key.id for key in known.values() if key.own], n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is nothing {id_!r} to give a key to.{hint}"


def _dialog_clash(sign: str, winner: str, loser: str) -> str:
    return f"{sign} is the key of both {winner!r} and {loser!r}; it goes to {winner!r}."


_SIGNS = {
    "enter": "⏎",
    "space": "␣",
    "escape": "esc",
    "slash": "/",
    "question_mark": "?",
    "exclamation_mark": "!",
    "ampersand": "&",
    "number_sign": "#",
    "dollar_sign": "$",
    "grave_accent": "`",
    "at": "@",
    "asterisk": "*",
    "tilde": "~",
    "apostrophe": "'",
    "quotation_mark": '"',
    "percent_sign": "%",
    "full_stop": ".",
    "comma": ",",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "vertical_line": "|",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_square_bracket": "[",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "right_square_bracket": "]",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "delete": "del",
}
_NAMES = {sign: name for name, sign in _SIGNS.items() if len(sign) == 1 and sign.isascii()}
_TYPED = (frozenset(_SIGNS) | {"backspace"}) - {"enter", "escape", "up", "down"}
_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super|meta|hyper)\+)*(?:[^\s+]|[a-z][a-z0-9_]*|[A-Z])")
_NAMED = re.compile(r"backspace|tab|home|end|insert|pageup|pagedown|f([1-9]|1\d|2[0-4])")
_TOLD_KEY = re.compile(r"\{([a-z.-]+):([^{}]+)\}")
_FOLLOWING = (("outline.next-link", "next-place"), ("outline.previous-link", "previous-place"))
"""Keys of widgets that are those of a command wherever that is moved to."""
_OWN_NAMES = frozenset({"slash", "backslash", "at", "minus", "plus", "underscore"})
"""Characters that Textual names otherwise than Unicode does."""


class Keys(Struct, frozen=True):
    """The keys in force. `by_command`: every command's; `moved`: those that differ from the table's; `dialogs`: those
    of dialogs that differ from the program's, by id."""

    by_command: Mapping[str, tuple[str, ...]]
    moved: Mapping[str, str]
    notices: tuple[Notice, ...] = ()
    dialogs: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    @property
    def keymap(self) -> dict[str, str]:
        """Return the keymap for Textual: the keys of bindings that differ from the defaults, by id."""
        with_command = ((id_, self.moved[command]) for id_, command in _FOLLOWING if command in self.moved)
        dialogs = ((id_, ",".join(keys)) for id_, keys in self.dialogs.items())
        return {**self.moved, **dict(with_command), **dict(dialogs)}

    def shown(self, command: str) -> str:
        """The keys of a command for people: `␣ ^@`; empty where it has none. Those that it has in some panes alone are
        in brackets."""
        here = self.by_command.get(BY_ID[command].instead_of, ())
        signs = [_shown(self.by_command[command]), f"({_shown(here)})" if here else ""]
        return " ".join(filter(None, signs))

    def first(self, command: str, *, typing: bool = False, pane: str = "") -> str:
        """The first key of a command for people; empty where it has none. `typing`: the first that a box which
        is typed into leaves alone; `pane`: one where other keys may do it too."""
        its = BY_ID[command]
        here = self.by_command.get(its.instead_of, ()) if pane in its.there else ()
        keys = (*here, *self.by_command[command])
        return next((key_sign(key) for key in keys if not (typing and is_typed(key))), "")

    def unavailable_reason(self, command: str, situation: Situation) -> str:
        """Why a command makes no sense now, with the keys in force; empty where it does."""
        return self.with_keys(BY_ID[command].unavailable(situation))

    def with_keys(self, sentence: str) -> str:
        """Return a sentence with placeholders like `{pin:space}` replaced by the keys in force."""
        return _TOLD_KEY.sub(lambda told: self._key_text(*told.groups()), sentence)

    def _key_text(self, command: str, word: str) -> str:
        """A key within a sentence, `word` where it is the table's; where there is none, the command's name."""
        if command in self.dialogs:
            return key_sign(next(iter(self.dialogs[command]), ""))
        if command not in self.moved:
            return word
        return self.first(command) or f"the command {BY_ID[command].title!r}"


TABLE = Keys({}, {}, ())
"""Tells the keys of the table."""


def _shown(keys: tuple[str, ...]) -> str:
    return " ".join(key_sign(key) for key in keys if key != "ctrl+@" or "ctrl+space" not in keys)


def resolve(wanted: Mapping[str, str]) -> Keys:
    """Return the keys for the settings `wanted` (command id -> keys, separated by commas).

    A command that is not there and a key that is no key are told and left out. A key that two commands would
    have goes to the one that was moved to it, or of two moved ones to the first of the table; that is told too.
    """
    notices: list[Notice] = []
    moved = dict(_usable(wanted, notices))
    elsewhere = {id_: moved.pop(id_) for id_ in list(moved) if "." in id_}
    taken: dict[str, str] = {}
    by_command: dict[str, tuple[str, ...]] = {}
    for command in sorted(COMMANDS, key=lambda command: command.id not in moved):
        keys = moved.get(command.id, _split(command.keys))
        notices += [_clash(key, taken[key], command.id) for key in keys if key in taken]
        by_command[command.id] = tuple(key for key in keys if key not in taken)
        taken |= dict.fromkeys(by_command[command.id], command.id)
    changed = {
        command.id: ",".join(by_command[command.id])
        for command in COMMANDS
        if by_command[command.id] != _split(command.keys)
    }
    if not elsewhere:
        return Keys(by_command, changed, tuple(notices))
    dialogs = move(elsewhere)
    return Keys(by_command, changed, (*notices, *map(_notice, dialogs.told)), dialogs.keys)


def is_typed(key: str) -> bool:
    """Whether a box that is typed into takes the key for itself."""
    return len(key) == 1 or key in _TYPED


_MOVES = re.compile(r"up|down|left|right|home|end|insert|delete|pageup|pagedown|f([1-9]|1[0-2])")
_WITH_CONTROL = ["@", "backslash", "right_square_bracket", "circumflex_accent", "underscore"]


def is_sent(key: str) -> bool:
    """Whether a plain terminal (xterm and compatible ones, tmux among them) sends the key, so that Textual sees it
    under this name. Control makes three letters tab, enter and backspace; alt works only with letters, two of which
    shells use to move by words; keys that move, and those with an F, work with any modifier."""
    *modifiers, name = key.split("+")
    held = frozenset(modifiers)
    if _MOVES.fullmatch(name):
        return held <= {"alt", "ctrl", "shift"}
    is_letter = len(name) == 1 and name.isascii() and name.islower()
    if held in ({"alt"}, {"alt", "shift"}):
        return is_letter and (name not in "bf" or "shift" in held)
    if held == {"ctrl"}:
        return (is_letter and name not in "him") or name in _WITH_CONTROL
    return not held or key == "shift+tab"


def key_sign(key: str) -> str:
    """A key as people write it: `^p`, `alt+←`, `?`."""
    *modifiers, name = key.split("+")
    shown = _SIGNS.get(name, name)
    if modifiers == ["ctrl"]:
        return f"^{'␣' if name == '@' else shown}"
    return "+".join([*modifiers, shown])


def _usable(wanted: Mapping[str, str], notices: list[Notice]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for id, written in wanted.items():  # noqa: A001
        keys = _split(written)
        if id not in BY_ID and "." not in id:
            near = difflib.get_close_matches(id, BY_ID, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            notices.append(_notice(f"There is no command {id!r} to give a key to.{hint}"))
        elif not keys or not all(map(_is_key, keys)):
            notices.append(_notice(f"{written!r} is not a key for {id!r}."))
        else:
            if not any(map(is_sent, keys)):
                notices.append(_notice(f"Few terminals send {written}, the key for {id!r}."))
            yield id, keys


def _is_key(key: str) -> bool:
    """Whether it is written as a key is, and there is one of that name."""
    if not _KEY.fullmatch(key):
        return False
    name = key.rpartition("+")[2]
    if len(name) == 1 or name in _SIGNS or name in _OWN_NAMES or _NAMED.fullmatch(name):
        return True
    try:
        unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return False
    return True


def _split(keys: str) -> tuple[str, ...]:
    stripped = (key.strip() for key in keys.split(","))
    return tuple(_NAMES.get(key, key) for key in stripped if key)


def _clash(key: str, winner: str, loser: str) -> Notice:
    return _notice(f"{key_sign(key)} is the key of both {winner!r} and {loser!r}; it goes to {winner!r}.")


def _notice(message: str) -> Notice:
    return Notice(
        severity="warning",
        message=message,
        what_to_do="Change the table [ui.keys] in the settings; the ids of the commands are in the help (?).",
    )
