"""Application of hunks to a text at exactly the lines they name; hunks that fit elsewhere are never moved silently,
but offered.

What is said of a patch whose hunks are not where they say: never moved silently, offered where they would fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from services.errors import VersionConflict
from services.source.text.differ import unified_diff
from services.source.text.edit import Edit, apply_edits, bare_lines, edits_between
from services.source.text.patch import FilePatch, PatchHunk
from services.workspace.text import Text, decode


class MisfitError(Exception):
    """Error: hunks whose old lines are not where they should be. `hunks`: those; `elsewhere`: the patch with every
    hunk where it does fit, if there is exactly one such place for each; None otherwise."""

    def __init__(self, hunks: Sequence[PatchHunk], elsewhere: FilePatch | None) -> None:
        super().__init__(len(hunks))
        self.hunks = tuple(hunks)
        self.elsewhere = elsewhere


def apply_patch(text: Text | None, patch: FilePatch) -> bytes | None:
    """Return the bytes after the patch, None where the file is deleted; `text` is None where there is no file. Raises
    MisfitError, and as apply_edit."""
    if text is None or patch.creates:
        if text is not None or not patch.creates:
            raise MisfitError(patch.hunks, None)
        return _created(patch.hunks[0])
    lines = bare_lines(text)
    misfits = [hunk for hunk in patch.hunks if not _fits(text, lines, hunk, _index(hunk))]
    if misfits:
        raise MisfitError(misfits, None if patch.deletes else _elsewhere(text, lines, patch))
    if patch.deletes:
        if len(patch.hunks[0].old) != len(lines):
            raise MisfitError(patch.hunks, None)
        return None
    edits = [edit for hunk in patch.hunks for edit in _edits(hunk)]
    data = apply_edits(text, edits, path=patch.path)
    return _with_end(text, data, patch.hunks[-1])


def _edits(hunk: PatchHunk) -> list[Edit]:
    return edits_between(hunk.old, hunk.new, first=_index(hunk) + 1)


def _index(hunk: PatchHunk) -> int:
    """0-based line where it begins; a hunk without old lines names the line before."""
    return hunk.start - 1 if hunk.old else hunk.start


def _fits(text: Text, lines: Sequence[str], hunk: PatchHunk, index: int) -> bool:
    end = index + len(hunk.old)
    if index < 0 or end > len(lines) or tuple(lines[index:end]) != hunk.old:
        return False
    if end == len(lines) and hunk.old:
        return hunk.open_old == (not text.final_newline)
    return not hunk.open_old and (not hunk.open_new or end == len(lines))


def _with_end(text: Text, data: bytes, last: PatchHunk) -> bytes:
    """Add or remove the final line ending as the last hunk demands, if it reaches the end."""
    if _index(last) + len(last.old) != text.line_count:
        return data
    after = decode(data) if not text.bom and text.encoding == "utf-8" else replace(text, data=data)
    if not after.line_count or after.final_newline != last.open_new:
        return data
    if not last.open_new:
        newline = text.ending(1) if text.line_count else ""
        return data + text.encode(newline or "\n")
    ending = after.ending(after.line_count)
    return data[: len(data) - len(text.encode(ending))]


def _elsewhere(text: Text, lines: Sequence[str], patch: FilePatch) -> FilePatch | None:
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line, []).append(number)
    moved: list[PatchHunk] = []
    reached = 0
    for hunk in patch.hunks:
        found = [at for at in places.get(hunk.old[0], ()) if _fits(text, lines, hunk, at)] if hunk.old else []
        if len(found) != 1 or found[0] < reached:
            return None
        moved.append(replace(hunk, start=found[0] + 1))
        reached = found[0] + len(hunk.old)
    return replace(patch, hunks=tuple(moved))


def _created(hunk: PatchHunk) -> bytes:
    data = "".join(f"{line}\n" for line in hunk.new).encode()
    return data[:-1] if hunk.open_new else data


def misfit(path: str, text: Text | None, error: MisfitError, *, tokens: tuple[str, str]) -> VersionConflict:
    """The error to raise. `tokens`: the expected and the current one."""
    lines = ", ".join(str(hunk.line) for hunk in error.hunks)
    details: dict[str, Any] = {"expectedToken": tokens[0], "currentToken": tokens[1]}
    if text is None or (error.hunks[0].old == () and not error.elsewhere):
        what = f"The patch's hunk at its line {lines} does not fit {path}"
    else:
        what = f"{path} does not have the old lines of the hunks at lines {lines} of the patch where they say"
    resolution = "Read the file and make the patch anew."
    if error.elsewhere is not None and text is not None:
        after = decode(apply_patch(text, error.elsewhere) or b"", path, encoding=text.declared)
        details["rebased"] = unified_diff(path, text.lines(), after.lines())
        resolution = "They fit elsewhere: look at `rebased`, and apply it if it is what was meant."
    details["resolution"] = resolution
    return VersionConflict(f"{what}. {resolution}", object=path, **details)
