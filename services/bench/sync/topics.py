"""Topics that processes of one workspace share, and the state files behind each."""

from __future__ import annotations

from pathlib import Path

from services.bench.window import CHOICE
from services.ops import DATABASE as OPERATIONS
from services.semantic.store import GROUPS, TYPES
from services.source.journal.database import FILE as JOURNAL
from services.workspace.state import StateFolder

WINDOW = "window"
"""Pinned and recent items, and the model they are for."""
WRITES = "writes"
"""Locks, writes and their history."""
INDEX = "index"
"""The kept index."""
PACKS = "packs"
PRESETS = "presets"
PROPOSALS = "proposals"
"""What agents want to write."""
NOTES = "notes"
"""What types are for; outlines by type stand in one of the folders too."""
OPS = "ops"
"""Operations that last."""
WATCHING = "watching"
"""How the disk is followed, of which no file tells: whether the folder is there, and whether changes could be read."""

_NAMES = {
    WINDOW: ("window.json", CHOICE),
    WRITES: (JOURNAL, f"{JOURNAL}-wal"),
    INDEX: ("index.db", "index.db-wal"),
    PACKS: ("packs-active.json",),
    PRESETS: ("presets", "previous_window.json"),
    PROPOSALS: ("proposals",),
    OPS: (OPERATIONS, f"{OPERATIONS}-wal"),
}
_SHARED = {PACKS: ("packs",), PRESETS: ("presets",), NOTES: (TYPES, GROUPS)}


def files_of_topics(state: StateFolder) -> dict[str, tuple[Path, ...]]:
    """The files and folders of each topic, whether they are there or not."""
    found = {topic: tuple(map(state.path, names)) for topic, names in _NAMES.items()}
    for topic, names in _SHARED.items():
        found[topic] = (*found.get(topic, ()), *map(state.shared.path, names))
    return found
