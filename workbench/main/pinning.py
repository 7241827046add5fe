"""Pinning and unpinning what is under the cursor, or marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.code.diff_part import HUNK
from workbench.commands.situation import Subject
from workbench.state.session import Session


class Pinning:
    """Pins in a session's window. `hunk`: the text of the hunk under the cursor of the diff."""

    def __init__(self, session: Session, hunk: Callable[[], str]) -> None:
        self._session = session
        self._hunk = hunk

    def toggle(self, subject: Subject) -> None:
        """Pin what is not pinned, unpin what is."""
        target = subject.target
        if subject.pinned:
            self._session.change(lambda bench: bench.unpin(target), f"unpinning {subject.label}")
        elif target.startswith(HUNK):
            file, text = target.removeprefix(HUNK).rpartition(":")[0], self._hunk()
            self._session.pin(
                target, how=lambda bench, force: bench.curation.pin_hunk(file, text, force=force)
            )
        else:
            self._session.pin(target)

    def toggle_all(self, subjects: Sequence[Subject]) -> None:
        """Pin what is not pinned of several things; unpin them where all are."""
        every = all(subject.pinned for subject in subjects)
        for subject in subjects:
            if every or not subject.pinned:
                self.toggle(subject)
