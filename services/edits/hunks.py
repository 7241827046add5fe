"""Hunks of an edit of a whole file, and the edit with some of them alone."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from services.source.text.unified import LineChange, groups, line_changes, unified_diff
from services.source.write.file_edits import FileEdit
from services.workspace.text import Text, decode


class EditHunk(NamedTuple):
    """Lines of a file that change together. `number`: its place among those of the edit, from 0; `line`: the first line
    that changes, in the file as it is, 0 where there is none; `diff`: in git's form."""

    path: str
    number: int
    line: int
    diff: str


def hunks_of(edit: FileEdit) -> list[EditHunk]:
    """Return the hunks of an edit, in order; one for a file that is created, deleted or re-encoded. Raises
    NotText."""
    sides = _sides(edit)
    if sides is None:
        before = None if edit.before is None else edit.before.lines()
        after = None if edit.after is None else _after(edit).lines()
        return [EditHunk(edit.path, 0, 0, unified_diff(edit.path, before, after))]
    old, new = sides
    return [
        EditHunk(edit.path, number, group[0].a0 + 1, unified_diff(edit.path, old, new, changes=group))
        for number, group in enumerate(_groups(old, new))
    ]


def with_hunks(edit: FileEdit, chosen: Collection[int]) -> FileEdit | None:
    """The edit with the hunks of some numbers alone; None where nothing is left of it."""
    sides = _sides(edit)
    if sides is None or edit.before is None:
        return edit if 0 in chosen else None
    old, new = sides
    lines: list[str] = []
    at = 0
    every = _groups(old, new)
    if all(number in chosen for number in range(len(every))):
        return edit
    for change in (each for number, group in enumerate(every) if number in chosen for each in group):
        lines += (*old[at : change.a0], *new[change.b0 : change.b1])
        at = change.a1
    if not at and not lines:
        return None
    made = "".join([*lines, *old[at:]])
    return FileEdit(edit.path, edit.before, edit.before.bom + edit.before.encode(made))


def _groups(old: list[str], new: list[str]) -> list[list[LineChange]]:
    return list(groups(line_changes(old, new)))


def _sides(edit: FileEdit) -> tuple[list[str], list[str]] | None:
    """The lines before and after; None where the edit cannot be parted."""
    before = edit.before
    if before is None or edit.after is None:
        return None
    after = _after(edit)
    if (before.encoding, before.bom) != (after.encoding, after.bom):
        return None
    return before.lines(), after.lines()


def _after(edit: FileEdit) -> Text:
    assert edit.after is not None
    declared = None if edit.before is None else edit.before.declared
    return decode(edit.after, edit.path, encoding=declared)
