"""The files of a change set: what happened to each, and how many lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment

from services.model import FileChange
from widgets.format.display import clip, fit
from widgets.format.shorten import grouped
from widgets.lists.row_view import RowView

STATUS_LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "added": "A",
        "deleted": "D",
        "modified": "M",
        "renamed": "R",
        "copied": "C",
        "untracked": "?",
        "conflict": "!",
        "type": "T",
    }
)
"""What git writes before a path."""


class ChangeList(RowView):
    """Files to step through. `seen`: paths that were opened get a dot, `reviewed`: those that were reviewed whole a
    tick."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "change-list--added",
        "change-list--deleted",
        "change-list--status",
    }
    DEFAULT_CSS = """
    ChangeList > .change-list--added { color: $text-success; }
    ChangeList > .change-list--deleted { color: $text-error; }
    ChangeList > .change-list--status { color: $text-accent; text-style: bold; }
    """

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._files: Sequence[FileChange] = ()
        self._seen: frozenset[str] = frozenset()
        self._reviewed: frozenset[str] = frozenset()
        self.set_reactive(ChangeList.empty, empty)

    @property
    def files(self) -> Sequence[FileChange]:
        """Return the shown files."""
        return self._files

    @property
    def current(self) -> FileChange | None:
        """The file under the cursor."""
        return None if self.cursor is None else self._files[self.cursor]

    @property
    def seen(self) -> frozenset[str]:
        """The paths that were looked at."""
        return self._seen

    @property
    def reviewed(self) -> frozenset[str]:
        """The paths that were reviewed whole."""
        return self._reviewed

    @reviewed.setter
    def reviewed(self, paths: frozenset[str]) -> None:
        if paths != self._reviewed:
            self._reviewed = paths
            self.refresh()

    def set_files(self, files: Sequence[FileChange], *, keep_cursor: bool = False) -> None:
        """Show `files`; `keep_cursor`: on the same path, or at its place where it has gone."""
        before, at = self.current, self.cursor
        self._files = files
        paths = [file.path for file in files]
        if not keep_cursor:
            self._seen = frozenset()
        cursor = paths.index(before.path) if keep_cursor and before and before.path in paths else at or 0
        self.set_row_count(len(files), cursor=cursor if keep_cursor else 0)

    def saw(self, path: str) -> None:
        """A file was looked at."""
        if path not in self._seen:
            self._seen |= {path}
            self.refresh_rows(row for row, file in enumerate(self._files) if file.path == path)

    def paint_row(self, index: int, width: int) -> list[Segment]:
        """`M · Basket.cs  src/Shop   +12 −3`."""
        file = self._files[index]
        counts = self._counts(file)
        room = max(0, width - 4 - sum(cell_len(count.text) for count in counts))
        folder, _, name = file.path.rpartition("/")
        if file.old_path:
            name = f"{name} ← {_from(file.old_path, file.path)}"
        shown = clip(name, room)
        return [
            Segment(STATUS_LETTERS.get(file.status, "M") + " ", self.part("change-list--status")),
            Segment(self._tick(file.path), self.part("row-view--dim")),
            Segment(shown),
            Segment(
                fit(f"  {folder}" if folder else "", max(0, room - cell_len(shown))),
                self.part("row-view--dim"),
            ),
            *counts,
        ]

    def _tick(self, path: str) -> str:
        return "✓ " if path in self._reviewed else "· " if path in self._seen else "  "

    def _counts(self, file: FileChange) -> list[Segment]:
        dim = self.part("row-view--dim")
        if file.binary:
            return [Segment(" binary ", dim)]
        if file.added is None or file.deleted is None:
            return []
        if not file.added and not file.deleted:
            return [Segment(" mode " if file.mode_changed else " ±0 ", dim)]
        return [
            Segment(f" +{grouped(file.added)}", self.part("change-list--added")),
            Segment(f" −{grouped(file.deleted)} ", self.part("change-list--deleted")),
        ]


def _from(old: str, new: str) -> str:
    """The old path, without a folder that did not change."""
    folder, _, name = old.rpartition("/")
    return name if folder == new.rpartition("/")[0] else old
