"""The keys of what opens over the main screen: under which ids the settings can move them, and what clashes there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pkgutil import resolve_name

from msgspec import Struct
from textual.binding import Binding, BindingType

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
    "workbench.review.comment_box:CommentScreen",
    "workbench.review.comment_box:CommitScreen",
    "workbench.review.publishing:PublishScreen",
    "workbench.review.screen:ReviewScreen",
    "workbench.review.screen:Words",
    "workbench.notes.screens:AnswerScreen",
    "workbench.notes.screens:EarlierScreen",
    "workbench.notes.screens:NewerScreen",
    "workbench.notes.screens:NoteEditor",
    "workbench.notes.window_notes:BatchAnswer",
    "workbench.notes.window_notes:WindowNotes",
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
    "workbench.ui.confirm:Confirm",
    "workbench.patch.conflict:ConflictScreen",
    "workbench.patch.history:HistoryScreen",
    "workbench.dialogs.copying:NextPart",
    "workbench.dialogs.copy_as:NoteScreen",
    "workbench.ui.picker:Picker",
    "workbench.dialogs.proposals:ProposalsScreen",
    "workbench.dialogs.secrets:SecretsDialog",
    "workbench.edits.systems:SystemEditor",
    "workbench.edits.systems:SystemsScreen",
    "workbench.ui.text_screen:TextScreen",
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
            told += [_clash(sign, taken[sign], key.id) for sign in signs if taken.get(sign, key.id) != key.id]
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


def _clash(sign: str, winner: str, loser: str) -> str:
    return f"{sign} is the key of both {winner!r} and {loser!r}; it goes to {winner!r}."
