"""What is said of a patch whose hunks are not where they say: never moved silently, offered where they would fit."""

from __future__ import annotations

from typing import Any

from services.errors import VersionConflict
from services.source.text.apply import MisfitError, apply_patch
from services.source.text.unified import unified_diff
from services.workspace.text import Text, decode


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
        details["rebased"] = unified_diff(path, list(text.lines()), list(after.lines()))
        resolution = "They fit elsewhere: look at `rebased`, and apply it if it is what was meant."
    details["resolution"] = resolution
    return VersionConflict(f"{what}. {resolution}", object=path, **details)
