"""Subjects of commands on the main screen: what is under the cursor of the pane in use, and the whole situation.

Pinning and unpinning what is under the cursor, or marked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from textual.widgets import Input

from workbench.code.diff_part import HUNK
from workbench.commands.situation import (
    CHANGES,
    CODE,
    DIFF,
    GREP,
    SYMBOLS,
    USAGES,
    WINDOW,
    Situation,
    Subject,
)
from workbench.state.session import Session

if TYPE_CHECKING:
    from workbench.main.panes import Panes


class Subjects:
    """Looks at the panes, and at what is under way; changes nothing."""

    def __init__(self, panes: Panes, session: Session) -> None:
        self._panes = panes
        self._session = session
        self.pinned: Collection[str] = frozenset()
        """The targets of what is pinned."""

    @property
    def situation(self) -> Situation:
        """The situation that decides which commands are available."""
        panes, code, patch, bench = self._panes, self._panes.code, self._panes.patch, self._session.bench
        window = panes.window.window
        return Situation(
            ready=bench is not None and panes.is_complete,
            pane=panes.pane,
            left=panes.left,
            view=code.view,
            subject=self.subject,
            place=self.place is not None,
            opened=(self.place is not None) if self.is_diff else code.opened != "",
            items=len(window.items) if window else 0,
            recents=sum(not item.pinned for item in window.items) if window else 0,
            missing=panes.window.missing_count,
            undoable=bench.undoable if bench else "",
            redoable=bench.redoable if bench else "",
            hits=self.steps,
            files=len(panes.changes.list.files) if panes.is_complete else 0,
            stageable=panes.is_complete and code.diff.stageable,
            has_text=code.has_text,
            visits=len(code.visits.history.others),
            can_go_back=code.can_go_back,
            can_go_forward=code.visits.history.can_go_forward,
            indexing=self._session.is_indexing,
            working=self.is_working,
            typing=isinstance(panes.focused, Input) or patch.is_typing,
            editing=patch.is_open,
            unsaved=patch.is_changed,
            lock=patch.held.owner,
            opening=self._session.is_opening,
            searching=panes.symbols.is_behind,
            changing=self._session.is_changing,
            weighing=self._session.is_weighing,
        )

    @property
    def is_diff(self) -> bool:
        """Whether commands are about the line under the cursor of a diff."""
        panes = self._panes
        return panes.code.view == DIFF and panes.pane in (CODE, CHANGES)

    @property
    def is_working(self) -> bool:
        """Whether anything but indexing can be cancelled."""
        panes = self._panes
        searching = panes.is_complete and (panes.grep.is_working or panes.usages.is_working)
        return searching or self._session.is_exporting

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line under the cursor of the pane in use."""
        panes = self._panes
        if panes.pane == CODE:
            return panes.code.place
        if panes.pane == CHANGES:
            return panes.code.diff.place
        row = panes.results.places.current if panes.pane in (GREP, USAGES) and panes.results else None
        return (row.file, row.line) if row and row.line else None

    @property
    def subject(self) -> Subject | None:
        """The subject under the cursor of the pane in use, or open in it."""
        panes = self._panes
        if panes.pane == WINDOW:
            return panes.window.subject
        if panes.pane in (CODE, CHANGES, GREP, USAGES):
            sources = {CODE: panes.code, CHANGES: panes.changes}
            return self._with_pin(sources.get(panes.pane, panes.results or panes.code).subject)
        symbol = panes.symbols.current
        return self._with_pin(Subject(symbol.id, symbol.path)) if symbol else None

    @property
    def subjects(self) -> list[Subject]:
        """The marked subjects in the pane in use, or the single one under its cursor."""
        marked = self._marked
        if marked is None:
            return [self.subject] if self.subject else []
        return [subject for each in marked if (subject := self._with_pin(each))]

    @property
    def steps(self) -> int:
        """How many places n and N step through."""
        panes = self._panes
        if not panes.is_complete:
            return 0
        if panes.pane == CHANGES or (panes.pane == CODE and panes.code.view == DIFF):
            return max(panes.code.diff.view.hunk_count, len(panes.changes.list.files))
        return (panes.results.hit_count if panes.results else 0) or panes.code.lit_lines

    @property
    def _marked(self) -> list[Subject] | None:
        """Return the marked subjects; None where nothing can be marked, or only the cursor's row is meant."""
        panes = self._panes
        if panes.pane == SYMBOLS:
            symbols = panes.symbols.marked
            return [Subject(symbol.id, symbol.path) for symbol in symbols] if len(symbols) > 1 else None
        if panes.pane in (GREP, USAGES) and panes.results is not None:
            return panes.results.subjects
        return panes.changes.subjects if panes.pane == CHANGES else None

    def _with_pin(self, subject: Subject | None) -> Subject | None:
        if subject is None:
            return None
        return Subject(subject.target, subject.label, pinned=subject.target in self.pinned)


class Pinning:
    """Pins in a session's window. `hunk`: the text of the hunk under the cursor of the diff; `pinned`: the targets and
    keys of what is pinned."""

    def __init__(
        self, session: Session, hunk: Callable[[], str], *, pinned: Callable[[], Collection[str]]
    ) -> None:
        self._session = session
        self._hunk = hunk
        self._pinned = pinned

    def is_pinned(self, target: str) -> bool:
        """Whether a symbol, by its id, or a file is pinned."""
        return target in self._pinned()

    def toggle_target(self, target: str, label: str) -> None:
        """Like `toggle`, of a symbol or a file."""
        self.toggle(Subject(target, label, pinned=self.is_pinned(target)))

    def toggle(self, subject: Subject) -> None:
        """Pin what is not pinned, unpin what is."""
        target = subject.target
        if subject.pinned:
            self._session.change(lambda bench: bench.window.unpin(target), f"unpinning {subject.label}")
        elif target.startswith(HUNK):
            file, text = target.removeprefix(HUNK).rpartition(":")[0], self._hunk()
            self._session.pin(
                target,
                label=subject.label,
                how=lambda bench, force: bench.window.pin_hunk(file, text, force=force),
            )
        else:
            self._session.pin(target, label=subject.label)

    def toggle_all(self, subjects: Sequence[Subject]) -> None:
        """Pin what is not pinned of several things; unpin them where all are."""
        every = all(subject.pinned for subject in subjects)
        for subject in subjects:
            if every or not subject.pinned:
                self.toggle(subject)
