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
from services.source.diffs.git_patch import LINK, OPEN, SUBMODULE, head_lines, hunk_head, name_lines

_LIKE_ADDED = re.compile(r"\\*\+(?: |$)")
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
                yield OPEN


def numbered_line(line: DiffLine) -> str:
    """A line as the numbered diff writes it."""
    if line.new is None:
        return f"DELETED (was line {line.old}): - {line.text}"
    if line.old is None:
        return f"NEW_LINE_{line.new}: + {line.text}"
    escape = "\\" if _LIKE_ADDED.match(line.text) else ""
    return f"NEW_LINE_{line.new}: {escape}{line.text}"


def notes_on(change: FileChange) -> Iterator[str]:
    """Yield the changes of a file other than its lines: renames, modes, binary content."""
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
    """Return a path on one line, with control characters escaped."""
    return path.translate({number: f"\\x{number:02x}" for number in (*range(32), 127)})


def unified_lines(change: FileChange, hunks: Sequence[Hunk]) -> Iterator[str]:
    """The lines of one file's unified diff for people, without endings, with git's headers and readable names."""
    yield from head_lines(change, ascii_only=False)
    if SUBMODULE in (change.old_mode, change.new_mode):
        yield "[a submodule: its commit changed]"
    elif change.old_mode == change.new_mode == LINK:
        yield f"[a link, mode {LINK}: its target]"
    elif change.binary and not hunks:
        yield "Binary files differ"
    elif change.note or change.status == "conflict":
        yield f"[{change.note or 'a merge left it undecided'}]"
    if hunks:
        yield from name_lines(change, ascii_only=False)
    for hunk in hunks:
        yield hunk_head(hunk)
        for line in hunk.lines:
            yield f"{line.sign}{line.text}"
            if not line.ended:
                yield OPEN
