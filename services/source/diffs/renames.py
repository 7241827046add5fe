"""Files of the working area that were only moved: git tells those of commits itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from services.model import FileChange

_MOST = 50
"""Files on either side beyond which each with each would take too long."""
_ALIKE = 0.5


def with_renames(
    changes: Sequence[FileChange], lines: Callable[[FileChange], Sequence[str] | None]
) -> list[FileChange]:
    """The changes, a deleted file and a new one with most of its lines told as one. `lines`: the text of the one side
    that there is."""
    gone = [change for change in changes if change.status == "deleted"]
    new = [change for change in changes if change.status in ("added", "untracked")]
    if not gone or not new or max(len(gone), len(new)) > _MOST:
        return list(changes)
    texts = {change.path: Counter(lines(change) or ()) for change in (*gone, *new)}
    pairs = sorted(
        ((_alike(texts[a.path], texts[b.path]), a, b) for a in gone for b in new),
        key=lambda pair: (-pair[0], pair[1].path, pair[2].path),
    )
    moved: dict[str, FileChange] = {}
    for share, before, after in pairs:
        if share < _ALIKE or before.path in moved or after.path in moved:
            continue
        moved[before.path] = moved[after.path] = msgspec.structs.replace(
            before, path=after.path, old_path=before.path, status="renamed", new_mode=after.new_mode
        )
    kept = [
        moved.get(change.path, change)
        for change in changes
        if change.path not in {c.old_path for c in moved.values()}
    ]
    return sorted(kept, key=lambda change: change.path)


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """The share of lines that both have, of the longer one."""
    longer = max(one.total(), other.total())
    return (one & other).total() / longer if longer else 0.0
