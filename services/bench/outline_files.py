"""Outline files (004 section 3.4): written on request, then updated, and removed with their types."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from services.bench.items.window_items import WindowItems
from services.concurrency.cancellation import checkpoint
from services.errors import WorkspaceError
from services.index.index import Index
from services.index.resolve.resolve import Found
from services.index.symbols.declared import in_source_order
from services.model import Level, Progress
from services.prompt.state.items import ItemKey, Request
from services.workspace.state import StateFolder

FOLDER = "types"
ENDING = ".outline.md"
_REPORTED_EVERY = 100
_CANCELLED = "The export was cancelled. What was written until now stays."


class OutlineFiles:
    """The files of one workspace. Not thread-safe: one export runs at a time."""

    def __init__(
        self, index: Index, state: StateFolder, content: WindowItems, mask: Callable[[str], str]
    ) -> None:
        """`mask`: takes likely secrets out of a text: the files are shared."""
        self._index = index
        self._shared = state.shared
        self._content = content
        self._mask = mask
        self._versions: dict[str, str] = {}

    def write(
        self,
        found: Sequence[Found] | None,
        report: Callable[[Progress], None],
        cancel: threading.Event | None,
    ) -> tuple[int, int]:
        """Write the outlines of these types, None for all, and bring those that were written before up to date: how
        many were asked for, and how many that nobody is left of are gone. Raises Cancelled, ReadOnly."""
        wanted = self._every() if found is None else list(dict.fromkeys(one.whole.id for one in found))
        for done, id_ in enumerate(wanted):
            checkpoint(cancel, _CANCELLED)
            if not done % _REPORTED_EVERY:
                report(Progress(phase="Writing outlines", done=done, total=len(wanted), unit="types"))
            self._renewed(id_)
        return len(wanted), self.renew(cancel, but=wanted)

    def renew(self, cancel: threading.Event | None, *, but: Iterable[str] = ()) -> int:
        """Bring every outline that was written before up to date; one of a renamed type takes its new id. How many are
        gone. `but`: ids that need no look. Raises Cancelled, ReadOnly."""
        done = set(but)
        gone = 0
        for name in self._shared.names(FOLDER):
            id_ = name.removesuffix(ENDING)
            if id_ == name or id_ in done:
                continue
            checkpoint(cancel, _CANCELLED)
            if not self._renewed(id_):
                gone += self._shared.remove(f"{FOLDER}/{name}")
                self._versions.pop(id_, None)
        return gone

    def _every(self) -> list[str]:
        with self._index.lock:
            return [self._index.identities.type_id(at) for at in in_source_order(self._index.catalogue)]

    def _renewed(self, id_: str) -> bool:
        """Writes what is new of the outline that an id leads to; whether it is that id's own."""
        found = self._index.resolve(id_).found
        now = found[0].whole.id if found else None
        if now is None:
            return False
        version = self._content.item_version(Request(key=ItemKey.of_symbol(now), level=Level.OUTLINE))
        name = f"{FOLDER}/{now}{ENDING}"
        if (
            version is not None
            and self._versions.get(now) == version
            and self._shared.stamp(name) is not None
        ):
            return now == id_
        outlined = self._content.symbols.outline(found[0], hashes=True)
        if outlined is None:
            return False
        data = self._mask(outlined[1]).encode()
        if self._kept(name) != data:
            self._shared.write(name, data)
        if version is not None:
            self._versions[now] = version
        return now == id_

    def _kept(self, name: str) -> bytes:
        try:
            return self._shared.read(name) or b""
        except WorkspaceError:
            return b""
