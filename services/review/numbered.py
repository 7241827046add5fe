"""Diffs as models read them: every line of the new side with its new number, so that no other can be taken for it.

    File: src/Button.tsx
    @@ -10,5 +12,6 @@
    NEW_LINE_12: const Button = () => {
    NEW_LINE_13: + const [state, setState] = useState(null);
    DELETED (was line 14): - const old = 1;

What else is known of a file stands on lines in brackets under its path. A context line that itself reads `+ ...` has a
backslash before it, so that it is not taken for an added one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from services.model import DiffLine, FileChange, Hunk

_LIKE_ADDED = re.compile(r"\\*\+(?: |$)")
_OPEN = "\\ No newline at end of file"
_FILE = "File: "


def numbered(changes: Iterable[tuple[FileChange, Sequence[Hunk]]]) -> str:
    """The numbered diff of files with their hunks, in order; each line ends in LF."""
    return "".join(f"{line}\n" for change, hunks in changes for line in numbered_lines(change, hunks))


def numbered_lines(change: FileChange, hunks: Sequence[Hunk]) -> Iterator[str]:
    """The lines of one file's numbered diff, without endings."""
    yield f"{_FILE}{shown_path(change.path)}"
    for note in notes_on(change):
        yield f"[{note}]"
    for hunk in hunks:
        yield hunk_head(hunk)
        for line in hunk.lines:
            yield numbered_line(line)
            if not line.ended:
                yield _OPEN


def hunk_head(hunk: Hunk) -> str:
    """`@@ -10,5 +12,6 @@`, with the declaration that it begins in where that is known."""
    head = f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
    return f"{head} {hunk.heading}".rstrip()


def numbered_line(line: DiffLine) -> str:
    """A line as the numbered diff writes it."""
    if line.new is None:
        return f"DELETED (was line {line.old}): - {line.text}"
    if line.old is None:
        return f"NEW_LINE_{line.new}: + {line.text}"
    escape = "\\" if _LIKE_ADDED.match(line.text) else ""
    return f"NEW_LINE_{line.new}: {escape}{line.text}"


def notes_on(change: FileChange) -> Iterator[str]:
    """What happened to a file beside its lines."""
    if change.status not in ("modified", ""):
        moved = f" from {shown_path(change.old_path)}" if change.old_path else ""
        yield f"{change.status}{moved}"
    if change.mode_changed:
        yield f"mode {change.old_mode} is now {change.new_mode}"
    if "160000" in (change.old_mode, change.new_mode):
        yield "a submodule: its commit changed"
    elif change.binary:
        yield "binary: no lines are shown"
    if change.note:
        yield change.note


def shown_path(path: str) -> str:
    """A path on one line, whatever is in its name."""
    return path.translate({number: f"\\x{number:02x}" for number in (*range(32), 127)})


def unified_lines(change: FileChange, hunks: Sequence[Hunk]) -> Iterator[str]:
    """The lines of one file's unified diff, without endings, as git writes it."""
    old, new = change.old_path or change.path, change.path
    yield f"diff --git a/{shown_path(old)} b/{shown_path(new)}"
    for note in notes_on(change):
        yield f"[{note}]"
    if hunks:
        yield "--- /dev/null" if change.status in ("added", "untracked") else f"--- a/{shown_path(old)}"
        yield "+++ /dev/null" if change.status == "deleted" else f"+++ b/{shown_path(new)}"
    for hunk in hunks:
        yield hunk_head(hunk)
        for line in hunk.lines:
            yield f"{line.sign}{line.text}"
            if not line.ended:
                yield _OPEN
