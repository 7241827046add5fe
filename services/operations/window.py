"""Operations on the prompt window, its packs and presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import asdict

from services.errors import (
    AmbiguousSymbol,
    BudgetExceeded,
    InvalidFilter,
    ReadOnly,
    SymbolNotFound,
    UsageError,
)
from services.model import (
    Completeness,
    Level,
    Lowered,
    Omitted,
    Pack,
    PackInfo,
    PackList,
    Resolved,
    Suggestions,
    Value,
    Window,
    WindowItem,
)
from services.model.copies import CURRENT, PresetDiff, PresetsAnswer
from services.operations.needs import Need, to_show_window
from services.operations.operation import CURATES, Effect, Faces, Param, Right, declare

if TYPE_CHECKING:
    from services.bench import Bench

_NAME = Param("Its name: letters, digits, `-_.`.")
_FILTER = Param(
    "Conditions namespace: type: access: tag: depends:, with * and ?, joined by blanks (and), OR, ! and brackets, "
    "as in `namespace:Json.Linq access:public !tag:test`. Without it the pack is built again.",
    name="filter",
    words=True,
)
_PACK_BUDGET = Param("Most tokens of its text.", flag="--budget", least=1, most=10_000_000)
_TYPES = Param("Types by path or id, beside those of the filter; separated by commas.", flag="--types")
_OFF = Param("Let them rise no longer.", flag="--off")


class WindowChange(Value, kw_only=True, frozen=True):
    """The window after a change, without its text. `change`: pinned, unpinned, dismissed, changed or moved; `path`: as
    named."""

    change: str
    path: str
    resolved: Resolved | None = None
    tokens: int
    budget: int
    pinned_tokens: int
    soft_budget: int
    model: str
    approximate: bool = False
    items: tuple[WindowItem, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    lowered: tuple[Lowered, ...] = ()

    @classmethod
    def of(cls, window: Window, change: str, *, path: str, resolved: Resolved | None) -> WindowChange:
        """`window` after `change` was done to `path`."""
        shared = {name: value for name, value in asdict(window).items() if name in cls.__struct_fields__}
        return cls(change=change, path=path, resolved=resolved, **shared)


@declare("BuildPack", Faces("build_pack", "pack", "types"), effect=CURATES, errors=(InvalidFilter, ReadOnly))
def build_pack(
    bench: Bench,
    name: Annotated[str, _NAME],
    wanted: Annotated[str | None, _FILTER] = None,
    budget: Annotated[int | None, _PACK_BUDGET] = None,
    types: Annotated[str | None, _TYPES] = None,
) -> Pack:
    """Build a pack: the types a filter matches and what they depend on, as one text, dependencies first."""
    named = None if types is None else [each.strip() for each in types.split(",") if each.strip()]
    return bench.packs.build(name, filter=wanted or None, budget=budget, types=named)


@declare("ListPacks", Faces("list_packs", "packs", "packs"), index=Need.NOTHING)
def list_packs(bench: Bench) -> PackList:
    """List the packs of the workspace."""
    return PackList(packs=bench.packs.all())


@declare(
    "ActivatePack", Faces("activate_pack", "pack-use"), effect=CURATES, index=Need.NOTHING, errors=(ReadOnly,)
)
def activate_pack(bench: Bench, name: Annotated[str, _NAME], off: Annotated[bool, _OFF] = False) -> PackInfo:
    """Let the types of a pack rise in the window's recent part."""
    return bench.packs.activate(name, active=not off)


@declare(
    "DeletePack",
    Faces("delete_pack", "pack-delete"),
    effect=Effect(read_only=False, destructive=True, right=Right.PIN),
    index=Need.NOTHING,
    errors=(ReadOnly,),
)
def delete_pack(bench: Bench, name: Annotated[str, _NAME]) -> PackList:
    """Delete a pack; the packs that are left."""
    bench.packs.delete(name)
    return PackList(packs=bench.packs.all())


_PRESET = Param("Name of the preset.")


@declare("ListPresets", Faces(None, "presets", "presets"), index=Need.NOTHING)
def list_presets(bench: Bench) -> PresetsAnswer:
    """List the presets of the window, with what each has pinned."""
    return bench.presets.list()


@declare("SavePreset", Faces(None, "preset-save", "presets"), effect=CURATES, index=Need.NOTHING)
def save_preset(bench: Bench, name: Annotated[str, _PRESET]) -> PresetsAnswer:
    """Save the window under a name, in a file that a team can share."""
    return bench.presets.save(name)


@declare("LoadPreset", Faces(None, "preset-load", "items"), effect=CURATES)
def load_preset(bench: Bench, name: Annotated[str, _PRESET]) -> WindowChange:
    """Put a preset in the place of the window; what was there becomes the preset `previous`."""
    return WindowChange.of(bench.presets.load(name), "loaded", path=name, resolved=None)


@declare(
    "DeletePreset",
    Faces(None, "preset-delete", "presets"),
    effect=Effect(read_only=False, destructive=True, idempotent=False, right=Right.PIN),
    index=Need.NOTHING,
)
def delete_preset(bench: Bench, name: Annotated[str, _PRESET]) -> PresetsAnswer:
    """Remove a preset."""
    return bench.presets.delete(name)


@declare("DiffPresets", Faces(None, "preset-diff"), index=Need.NOTHING)
def diff_presets(
    bench: Bench,
    first: Annotated[str, _PRESET],
    second: Annotated[str, Param("Name of the other; `current` is the window as it is.")] = CURRENT,
) -> PresetDiff:
    """List the differences between two presets, or a preset and the window."""
    return bench.presets.difference(first, second)


_FORMAT = Param(
    "Format; else as the settings say.",
    name="format",
    flag="--format",
    choices=("md", "xml", "json"),
)
_PATH = Param("Symbol path or id, file, or `path/File.cs:120-150`.")
_PART = "Symbol path or id, file, `path/File.cs:120-150`, `folder:src/X`, `project:P` or `namespace:N`."
_LEVELS = tuple(level.value for level in Level)
_LEVEL = Param(
    "How much to show; without it what is pinned keeps its level.",
    flag="--level",
    choices=_LEVELS,
)
_MEMBERS = Param(
    "Members to show, by name or id.",
    flag="--member",
    name="members",
)
_AS = Param(
    "What the path is instead: words (note), a text to search for (grep), a file or lines whose changes since HEAD "
    "to show (diff).",
    flag="--as",
    name="as",
    choices=("note", "grep", "diff"),
)


def _is_text(arguments: Mapping[str, Any]) -> bool:
    return arguments.get("as") in ("note", "grep")


_ITEM = Param("An item of the window: its key, or what it was pinned by.")
_FORCE = Param("Pin past the soft budget.", flag="--force")


@declare("GetPromptWindow", Faces("get_prompt_window", "window", "items"), index=to_show_window)
def get_prompt_window(bench: Bench, style: Annotated[str | None, _FORMAT] = None) -> Window:
    """Render the prompt window: what is pinned and what was recently used, within the budget."""
    return bench.window.render(format=style or bench.settings.window.format)


@declare(
    "Pin",
    Faces("pin", "pin", "items"),
    effect=CURATES,
    errors=(SymbolNotFound, AmbiguousSymbol, BudgetExceeded),
)
def pin(
    bench: Bench,
    path: Annotated[str, _PATH._replace(help=_PART, is_text=_is_text)],
    level: Annotated[str | None, _LEVEL] = None,
    members: Annotated[tuple[str, ...], _MEMBERS] = (),
    kind: Annotated[str | None, _AS] = None,
    force: Annotated[bool, _FORCE] = False,
) -> WindowChange:
    """Pin a symbol, a file or lines of one in the prompt window, or change how much of it is shown.

    A pin follows its symbol through edits, moves and renames.
    """
    if kind is None:
        window = bench.window.pin(path, level=level, members=members, force=force)
        return _change(bench, path, window, "pinned")
    if level is not None or members:
        raise UsageError(f"What is pinned as a {kind} is shown whole: leave out --level and --member.")
    return WindowChange.of(_pinned_as(bench, kind, path, force=force), "pinned", path=path, resolved=None)


def _pinned_as(bench: Bench, kind: str, path: str, *, force: bool) -> Window:
    from services.bench.queries.sources import Grep

    if kind == "note":
        return bench.window.pin_note(path, force=force)
    if kind == "grep":
        return bench.window.pin_search(Grep(pattern=path, literal=True), force=force)
    return bench.window.pin_changes(path, force=force)


@declare(
    "SetLevel",
    Faces("set_level", "level", "items"),
    effect=CURATES,
    errors=(SymbolNotFound, AmbiguousSymbol, BudgetExceeded),
)
def set_level(
    bench: Bench,
    path: Annotated[str, _ITEM],
    level: Annotated[str, Param("How much to show from now on.", choices=_LEVELS)],
    members: Annotated[tuple[str, ...], _MEMBERS] = (),
    force: Annotated[bool, _FORCE] = False,
) -> WindowChange:
    """Show an item of the prompt window, pinned or recent, with more or less detail."""
    return _change(bench, path, bench.window.set_level(path, level, members=members, force=force), "changed")


@declare("Move", Faces("move", "move", "items"), effect=CURATES, errors=(SymbolNotFound, AmbiguousSymbol))
def move(
    bench: Bench,
    path: Annotated[str, _ITEM],
    before: Annotated[str | None, Param("Item to stand before.", flag="--before")] = None,
    after: Annotated[str | None, Param("Item to stand after.", flag="--after")] = None,
) -> WindowChange:
    """Move a pinned item before or after another. The first ones retain their detail longest."""
    return _change(bench, path, bench.window.move(path, before=before, after=after), "moved")


@declare("Unpin", Faces("unpin", "unpin", "items"), effect=CURATES, errors=(SymbolNotFound, AmbiguousSymbol))
def unpin(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Unpin something; it stays in the window as recent."""
    return _change(bench, path, bench.window.unpin(path), "unpinned")


@declare(
    "Dismiss", Faces("dismiss", "dismiss", "items"), effect=CURATES, errors=(SymbolNotFound, AmbiguousSymbol)
)
def dismiss(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Take something out of the window until it is used again."""
    return _change(bench, path, bench.window.dismiss(path), "dismissed")


def _change(bench: Bench, path: str, window: Window, change: str) -> WindowChange:
    """Return the change with the symbol that `path` names; lines of a file may be in any, and name none, nor does a
    key of other items."""
    from services.prompt.items import KINDS
    from services.source.read.reader import parse_location

    kind, colon, target = path.partition(":")
    if colon and kind in ("type", "member"):
        path = target
    elif colon and kind in KINDS:
        return WindowChange.of(window, change, path=path, resolved=None)
    resolved = None if parse_location(path).start is not None else bench.lookup.resolve(path).resolved
    return WindowChange.of(window, change, path=path, resolved=resolved)


_ADD = Param("Pin the best set of them that fits.", flag="--add")
_BUDGET = Param("Tokens that pins may then take; else the soft budget.", flag="--budget", least=1)
_LIMIT = Param("Most to tell.", flag="--limit", least=1, most=500)


@declare(
    "Complete",
    Faces("complete", "complete", "missing"),
    effect=CURATES._replace(only_with="add"),
    errors=(BudgetExceeded,),
)
def complete(
    bench: Bench, add: Annotated[bool, _ADD] = False, budget: Annotated[int | None, _BUDGET] = None
) -> Completeness:
    """List workspace types that the window refers to and does not show, and pins nothing refers to."""
    return bench.advice.completeness(add=add, budget=budget)


@declare("Suggest", Faces("suggest", "suggest", "suggestions"))
def suggest(bench: Bench, limit: Annotated[int, _LIMIT] = 20) -> Suggestions:
    """Suggest types and members related to what is in the window, each with a reason."""
    return bench.advice.suggestions(limit=limit)
