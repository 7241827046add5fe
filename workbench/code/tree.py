"""File tree of the repository: folders unfold step by step, files can be opened, both can be pinned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from services.model import FolderEntry
from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, Pins, facts

if TYPE_CHECKING:
    from services.bench import Bench

Listed = dict[str, tuple[FolderEntry, ...]]
"""What is in each folder that was unfolded once, by its path; the root's is empty."""


class TreeScreen(Listing[str]):
    """Answers a file to open."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter", "open", "open", row=True),
        Key("right", "unfold", "unfold", row=True),
        Key("left", "fold", "fold", row=True),
        Key("space", "pin", "pin, unpin", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("tree", KEYS)

    def __init__(self, bench: Bench, pins: Pins, file: str) -> None:
        """`file`: the one that is open, on which the cursor begins; empty for none."""
        super().__init__("Files of the workspace", empty="Looking …", code=bench)
        self._bench = bench
        self._pins = pins
        self._listed: Listed = {}
        self._unfolded: set[str] = set(above(file))
        self._entries: dict[str, FolderEntry] = {}
        self._begin = file

    def read(self) -> None:
        """The root, and the way to the file that is open."""
        folders, places = ["", *self._unfolded], self._bench.places
        self.jobs.run("read", lambda: {each: places.folder(each) for each in folders}, self._take)

    def about(self, row: PickRow) -> Content:
        """Return the location and the size."""
        entry = self._entries[row.value]
        held = counted(entry.files, "file") if entry.files else ""
        return facts(("folder" if entry.files else "file", entry.path), ("holds", held))

    def place_of(self, row: PickRow) -> str:
        """The file, if it is one."""
        return "" if self._entries[row.value].files else row.value

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter, or a double click."""
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Open a file; unfold a folder, or fold it."""
        entry = self._entries.get(self.current)
        if entry is None:
            return
        if not entry.files:
            self.dismiss(entry.path)
        elif entry.path in self._unfolded:
            self.action_fold()
        else:
            self.action_unfold()

    def action_unfold(self) -> None:
        """Show what is in the folder; of one that is unfolded, go to its first."""
        entry = self._entries.get(self.current)
        if entry is None or not entry.files:
            return
        path, places = entry.path, self._bench.places
        if path in self._unfolded:
            self.rows.move_cursor(1)
            return
        self._unfolded.add(path)
        if path in self._listed:
            self._unfold(path)
        else:
            self.jobs.run(f"folder {path}", lambda: {path: places.folder(path)}, self._took(path))

    def action_fold(self) -> None:
        """Hide what is in the folder; of a file, or a folder that is folded, go to the folder it is in."""
        path = self.current
        if path in self._unfolded:
            self._unfolded.discard(path)
        else:
            path = path.rpartition("/")[0] or path
        self._show(at=path)

    def action_pin(self) -> None:
        """Pin the file as a whole, or the types of the folder, or unpin them."""
        entry = self._entries.get(self.current)
        if entry is not None:
            self._pins.toggle_target(_target(entry), entry.path)

    def on_pins_changed(self) -> None:
        """Rows show what is pinned."""
        self._show()

    def _take(self, listed: Listed) -> None:
        self._listed |= listed
        self._show(at=self._begin)
        self._begin = ""

    def _took(self, path: str) -> Callable[[Listed], None]:
        def take(listed: Listed) -> None:
            self._take(listed)
            if self.current == path:
                self._unfold(path)

        return take

    def _unfold(self, path: str) -> None:
        self._show(at=path)
        self.reveal(len(rows(self._listed, self._unfolded, path)))

    def _show(self, *, at: str = "") -> None:
        shown = rows(self._listed, self._unfolded)
        self._entries = {entry.path: entry for entry, _ in shown}
        self.rows.empty = "There are no files here"
        pinned, unfolded = self._pins.is_pinned, self._unfolded
        made = [_row(entry, depth, unfolded, pinned=pinned(_target(entry))) for entry, depth in shown]
        self.set_rows(made, at=at or self.current)


def _target(entry: FolderEntry) -> str:
    """What pins an entry: a file's path, or the key of a folder's types."""
    return f"folder:{entry.path}" if entry.files else entry.path


def above(file: str) -> list[str]:
    """The folders that a file is in, the outermost first."""
    parts = file.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def rows(
    listed: Listed, unfolded: set[str], folder: str = "", depth: int = 0
) -> list[tuple[FolderEntry, int]]:
    """Return the visible rows, top down, with their depth."""
    found: list[tuple[FolderEntry, int]] = []
    for entry in listed.get(folder, ()):
        found.append((entry, depth))
        if entry.path in unfolded:
            found += rows(listed, unfolded, entry.path, depth + 1)
    return found


def _row(entry: FolderEntry, depth: int, unfolded: set[str], *, pinned: bool) -> PickRow:
    name = entry.path.rpartition("/")[2]
    sign = " " if not entry.files else "▾" if entry.path in unfolded else "▸"
    label = f"{'  ' * depth}{sign} {name}{'/' if entry.files else ''}"
    return PickRow(
        entry.path, label, tail=str(entry.files) if entry.files else "", sign="●" if pinned else " "
    )
