"""The files of a change set: what happened to each, and how many lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from msgspec import Struct
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


class ChangeRow(Struct, frozen=True):
    """A row: a file, or without one the heading of a group or a folder. `depth`: how deep it is in the tree."""

    file: FileChange | None = None
    label: str = ""
    depth: int = 0
    count: int = 0


class ChangeArrangement(Struct, frozen=True):
    """How files are shown. `staged`: how much of a file is staged, by path, the groups where anything is; `tree`: under
    their folders; `words`: only files that have each in their path or in what happened to them."""

    staged: Mapping[str, str] = {}
    tree: bool = False
    words: str = ""

    def rows(self, files: Sequence[FileChange]) -> list[ChangeRow]:
        """Return the rows of some files, the staged ones first."""
        words = self.words.lower().split()
        fitting = [file for file in files if all(word in _said_of(file) for word in words)]
        if not any(file.path in self.staged for file in files):
            return list(self._group(fitting))
        found: list[ChangeRow] = []
        for state, title in GROUPS.items():
            group = [file for file in fitting if self.staged.get(file.path, "") == state]
            if group:
                found += [ChangeRow(label=title, count=len(group)), *self._group(group)]
        return found

    def _group(self, files: Sequence[FileChange]) -> Iterator[ChangeRow]:
        return _tree(files, "", 0) if self.tree else (ChangeRow(file) for file in files)


GROUPS: Mapping[str, str] = MappingProxyType(
    {"staged": "Staged", "partly staged": "Partly staged", "": "Not staged"}
)
"""What is shown first of a working tree, and how it is headed."""


def _said_of(file: FileChange) -> str:
    return f"{file.path} {file.old_path or ''} {file.status}".lower()


def _tree(files: Sequence[FileChange], folder: str, depth: int) -> Iterator[ChangeRow]:
    """Yield the folders below `folder` with what is in them, then its own files; a folder that holds one folder alone
    shares its row."""
    below: dict[str, list[FileChange]] = {}
    own: list[FileChange] = []
    for file in files:
        name, within, _ = file.path[len(folder) :].partition("/")
        if within:
            below.setdefault(name, []).append(file)
        else:
            own.append(file)
    for name, held in below.items():
        path = f"{folder}{name}/"
        while len(nexts := {file.path[len(path) :].partition("/")[:2] for file in held}) == 1:
            only, within = nexts.pop()
            if not within:
                break
            path += f"{only}/"
        yield ChangeRow(label=path[len(folder) :].rstrip("/"), depth=depth, count=len(held))
        yield from _tree(held, path, depth + 1)
    yield from (ChangeRow(file, depth=depth) for file in own)


class ChangeList(RowView):
    """Files to step through. `seen`: paths that were opened get a dot, `reviewed`: those that were reviewed whole a
    tick."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "change-list--added",
        "change-list--deleted",
        "change-list--status",
        "change-list--heading",
    }
    DEFAULT_CSS = """
    ChangeList > .change-list--added { color: $text-success; }
    ChangeList > .change-list--deleted { color: $text-error; }
    ChangeList > .change-list--status { color: $text-accent; text-style: bold; }
    ChangeList > .change-list--heading { color: $text-primary; text-style: bold; }
    """

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._files: Sequence[FileChange] = ()
        self._rows: Sequence[ChangeRow] = ()
        self._shown: Sequence[FileChange] = ()
        self._arrangement = ChangeArrangement()
        self._seen: frozenset[str] = frozenset()
        self._reviewed: frozenset[str] = frozenset()
        self.set_reactive(ChangeList.empty, empty)

    @property
    def files(self) -> Sequence[FileChange]:
        """Return the shown files, in their order."""
        return self._shown

    @property
    def all_files(self) -> Sequence[FileChange]:
        """Return the files, those that the words leave out too."""
        return self._files

    @property
    def current(self) -> FileChange | None:
        """The file under the cursor."""
        return None if self.cursor is None else self._rows[self.cursor].file

    @property
    def chosen(self) -> list[FileChange]:
        """The marked files, or the one under the cursor."""
        rows = sorted(self.marked) or ([self.cursor] if self.cursor is not None else [])
        return [file for row in rows if (file := self._rows[row].file) is not None]

    @property
    def beside(self) -> list[FileChange]:
        """The next file and the one before, as far as there are any."""
        files, current = self.files, self.current
        at = files.index(current) if current in files else None
        return [] if at is None else [files[each] for each in (at + 1, at - 1) if 0 <= each < len(files)]

    def go_to(self, path: str) -> bool:
        """Put the cursor on a file; False where it is not shown."""
        row = next((at for at, row in enumerate(self._rows) if row.file and row.file.path == path), None)
        if row is not None:
            self.marked = frozenset()
            self.cursor = row
        return row is not None

    def step(self, files: int) -> bool:
        """Go to another file, so many further; False where there is none."""
        shown, current = self.files, self.current
        at = shown.index(current) + files if current in shown else -1
        return 0 <= at < len(shown) and self.go_to(shown[at].path)

    def validate_cursor(self, cursor: int | None) -> int | None:
        """On a file: headings are passed over."""
        at = super().validate_cursor(cursor)
        if at is None or self._rows[at].file is not None:
            return at
        ways = (range(at, len(self._rows)), range(at, -1, -1))
        first, other = ways if at >= (self.cursor or 0) else ways[::-1]
        return next((row for row in (*first, *other) if self._rows[row].file is not None), None)

    def scroll_to_row(self, index: int) -> None:
        """Scroll as little as brings the row into view, with the headings right above it."""
        first = index
        while first > 0 and self._rows[first - 1].file is None:
            first -= 1
        super().scroll_to_row(first)
        super().scroll_to_row(index)

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
        self._files = files
        if not keep_cursor:
            self._seen = frozenset()
        self._lay_rows(keep_cursor=keep_cursor)

    @property
    def arrangement(self) -> ChangeArrangement:
        """How the files are shown."""
        return self._arrangement

    def set_arrangement(self, arrangement: ChangeArrangement) -> None:
        """Show the files otherwise, the cursor on the same one."""
        if arrangement != self._arrangement:
            self._arrangement = arrangement
            self._lay_rows(keep_cursor=True)

    def _lay_rows(self, *, keep_cursor: bool) -> None:
        before, at = self.current, self.cursor or 0
        self._rows = self._arrangement.rows(self._files)
        self._shown = tuple(row.file for row in self._rows if row.file is not None)
        paths = [row.file.path if row.file else "" for row in self._rows]
        cursor = paths.index(before.path) if before and before.path in paths else at
        self.set_row_count(len(self._rows), cursor=cursor if keep_cursor else 0)

    def saw(self, path: str) -> None:
        """A file was looked at."""
        if path not in self._seen:
            self._seen |= {path}
            self.refresh_rows(at for at, row in enumerate(self._rows) if row.file and row.file.path == path)

    def paint_row(self, index: int, width: int) -> list[Segment]:
        """`M · Basket.cs  src/Shop   +12 −3`, or the heading `src/Shop  3`."""
        row = self._rows[index]
        indent = "  " * min(row.depth, max(0, width // 8))
        if row.file is None:
            count = f"  {grouped(row.count)} "
            label = fit(f"{indent}{clip(row.label, max(0, width - len(count) - len(indent)))}{count}", width)
            return [Segment(label, self.part("change-list--heading"))]
        file = row.file
        counts = self._counts(file)
        room = max(0, width - 4 - len(indent) - sum(cell_len(count.text) for count in counts))
        folder, _, name = file.path.rpartition("/")
        folder = "" if self._arrangement.tree else folder
        if file.old_path:
            name = f"{name} ← {_from(file.old_path, file.path)}"
        shown = clip(name, room)
        return [
            Segment(indent),
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
