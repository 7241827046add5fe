"""Version conflicts (SPEC section 7): who changed what since it was read, and how both changes go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.errors import CodeCortexError, VersionConflict
from services.source.read.token import token_of
from services.source.text.apply import MisfitError
from services.source.text.merge import merge
from services.source.text.unified import unified_diff
from services.source.write.draft import MakeBytes
from services.workspace.text import Text, decode

_RESOLUTION = "Read the lines again with getObjectSourceV2, decide, and write with the new token."
_THERE = "The file already says what this change would make it say: nothing is left to write."
_REBASED = "Both changes go together: look at `rebased`, a diff of the file as it is now; apply it with currentToken."
_HUNKS = "Both sides changed the same lines: `hunks` shows them. Decide, and write with currentToken."
_MOST_HUNKS = 20


@dataclass(frozen=True, slots=True)
class CurrentFile:
    """A file as it is now. `data` is None where it is gone; `changed_by`: as well as it is known."""

    path: str
    data: bytes | None
    mtime_ns: int
    changed_by: str

    @property
    def token(self) -> str | None:
        """Its token; None for no file."""
        return None if self.data is None else token_of(self.data, self.mtime_ns)


def conflict(
    now: CurrentFile, expected: str | None, *, base: Text | None, mine: MakeBytes | None
) -> VersionConflict:
    """The error to raise. `base`: what the caller read, if it is still known; `mine`: makes their bytes of it."""
    gone = now.data is None
    changed = f"was changed by {now.changed_by}" if now.changed_by else "has changed"
    details: dict[str, Any] = {
        "expectedToken": expected,
        "currentToken": now.token,
        "changedBy": now.changed_by,
        "changedAt": now.mtime_ns // 1_000_000,
        "resolution": _RESOLUTION,
    }
    if base is not None and mine is not None and not gone:
        details |= _merged(now, base, mine)
    return VersionConflict(
        f"{now.path} {'has been deleted' if gone else changed} since it was read. {details['resolution']}",
        object=now.path,
        **details,
    )


def _merged(now: CurrentFile, base: Text, mine: MakeBytes) -> dict[str, Any]:
    """How both changes go together; nothing where the caller's cannot be made of `base`: a patch may be of another
    text than the token's; nor where they would delete what somebody else has changed."""
    try:
        data = mine(base)
        if data is None:
            return {}
        theirs = decode(now.data or b"", now.path, encoding=base.declared)
        ours = decode(data, now.path, encoding=base.declared)
        sides = (base.lines(), ours.lines(), theirs.lines())
    except (CodeCortexError, MisfitError, UnicodeError):
        return {}
    merged = merge(*sides)
    if not merged.conflicts:
        rebased = unified_diff(now.path, sides[2], list(merged.lines))
        return {"rebased": rebased, "resolution": _REBASED} if rebased else {"resolution": _THERE}
    hunks = [
        {
            "startLine": hunk.start,
            "base": "".join(hunk.base),
            "mine": "".join(hunk.mine),
            "theirs": "".join(hunk.theirs),
        }
        for hunk in merged.conflicts[:_MOST_HUNKS]
    ]
    return {"hunks": hunks, "resolution": _HUNKS}
