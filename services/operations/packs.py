"""Operations on packs (SPEC section 8, 004 section 10).

Operations on presets: whole states of the window under names (SPEC section 8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import InvalidFilter, ReadOnly
from services.model import Pack, PackInfo, PackList
from services.model.copies import CURRENT, PresetDiff, PresetsAnswer
from services.operations.needs import Need
from services.operations.operation import CURATES, Effect, Faces, Param, Right, WindowChange, declare

if TYPE_CHECKING:
    from services.bench import Bench


_NAME = Param("Its name: letters, digits, `-_.`.")
_FILTER = Param(
    "Conditions namespace: type: access: tag: depends:, with * and ?, joined by blanks (and), OR, ! and brackets, "
    "as in `namespace:Json.Linq access:public !tag:test`. Without it the pack is built again.",
    name="filter",
    words=True,
)
_BUDGET = Param("Most tokens of its text.", flag="--budget", least=1, most=10_000_000)
_TYPES = Param("Types by path or id, beside those of the filter; separated by commas.", flag="--types")
_OFF = Param("Let them rise no longer.", flag="--off")


@declare("BuildPack", Faces("build_pack", "pack", "types"), effect=CURATES, errors=(InvalidFilter, ReadOnly))
def build_pack(
    bench: Bench,
    name: Annotated[str, _NAME],
    wanted: Annotated[str | None, _FILTER] = None,
    budget: Annotated[int | None, _BUDGET] = None,
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
