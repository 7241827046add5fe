"""Operations on presets: whole states of the window under names (SPEC section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.model.copies import PresetDiff, PresetsAnswer
from services.operations.answers import WindowChange
from services.operations.needs import Need
from services.operations.operation import CURATES, Effect, Faces, Param, Right, declare
from services.prompt.presets import CURRENT

if TYPE_CHECKING:
    from services.bench import Bench

_NAME = Param("Name of the preset.")


@declare("ListPresets", Faces(None, "presets", "presets"), index=Need.NOTHING)
def list_presets(bench: Bench) -> PresetsAnswer:
    """List the presets of the window, with what each has pinned."""
    return bench.presets.list()


@declare("SavePreset", Faces(None, "preset-save", "presets"), effect=CURATES, index=Need.NOTHING)
def save_preset(bench: Bench, name: Annotated[str, _NAME]) -> PresetsAnswer:
    """Keep the window as it is under a name, in a file that a team can share."""
    return bench.presets.save(name)


@declare("LoadPreset", Faces(None, "preset-load", "items"), effect=CURATES)
def load_preset(bench: Bench, name: Annotated[str, _NAME]) -> WindowChange:
    """Put a preset in the place of the window; what was there becomes the preset `previous`."""
    return WindowChange.of(bench.presets.load(name), "loaded", path=name, resolved=None)


@declare(
    "DeletePreset",
    Faces(None, "preset-delete", "presets"),
    effect=Effect(read_only=False, destructive=True, idempotent=False, right=Right.PIN),
    index=Need.NOTHING,
)
def delete_preset(bench: Bench, name: Annotated[str, _NAME]) -> PresetsAnswer:
    """Remove a preset."""
    return bench.presets.delete(name)


@declare("DiffPresets", Faces(None, "preset-diff"), index=Need.NOTHING)
def diff_presets(
    bench: Bench,
    first: Annotated[str, _NAME],
    second: Annotated[str, Param("Name of the other; `current` is the window as it is.")] = CURRENT,
) -> PresetDiff:
    """Say what two presets, or a preset and the window, do not have in common."""
    return bench.presets.difference(first, second)
