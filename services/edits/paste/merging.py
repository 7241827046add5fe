"""Merge of an answer's result on an earlier version of a file with the current file, checked once more."""

from __future__ import annotations

from collections.abc import Sequence

from services.edits.paste.code.shapes import source_of
from services.edits.paste.lines.elisions import is_mark
from services.edits.paste.lines.hunks import Misfit
from services.source.text.edit import bare_lines
from services.source.text.merge import merge
from services.source.text.placeholder import placeholders_in
from services.workspace.text import Text

_WORDS = (".md", ".markdown", ".txt", ".yml", ".yaml", ".rst")


def merged(base: Text, mine: Text, theirs: Text, line: int) -> bytes | list[Misfit]:
    """The bytes that have both changes of a version; where both changed the same lines, the places. `line`: of the
    answer."""
    if base.data == theirs.data:
        return mine.data
    if (base.encoding, base.bom) != (theirs.encoding, theirs.bom):
        return [Misfit("Its encoding is another now.", line)]
    both = merge(base.lines(), mine.lines(), theirs.lines())
    reason = "Somebody else changed the same lines since they were handed over."
    found = [
        Misfit(
            reason, line, (conflict.start,), *_difference(conflict.mine, conflict.theirs), is_ambiguous=True
        )
        for conflict in both.conflicts
    ]
    return found or theirs.bom + theirs.encode("".join(both.lines))


def spoilt(path: str, before: Text | None, after: Text) -> str:
    """Why a text is not to be written: it would hold marks of what is left out, or of secrets, or no longer parse;
    empty if none of that is so."""
    lines, old = bare_lines(after), [] if before is None else bare_lines(before)
    known = {line.strip() for line in old}
    marks = [line for line in lines if is_mark(line) and line.strip() not in known]
    if marks and not path.lower().endswith(_WORDS):
        return f"It would write `{marks[0].strip()}`, which stands for lines that are left out."
    there = "" if before is None else before.content
    if unknown := [mark for mark in placeholders_in(after.content) if mark not in there]:
        return f"{unknown[0]} stands for a secret that no copy is known to have masked."
    if not path.lower().endswith((".cs", ".csx")) or source_of(lines).readable:
        return ""
    return "The file would no longer parse." if before is None or source_of(old).readable else ""


def _difference(mine: Sequence[str], theirs: Sequence[str]) -> tuple[str, str]:
    for one, other in zip(mine, theirs, strict=False):
        if one != other:
            return one.rstrip("\r\n"), other.rstrip("\r\n")
    return "".join(mine[:1]).rstrip("\r\n"), "".join(theirs[:1]).rstrip("\r\n")
