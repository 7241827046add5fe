"""The prompt window of a workspace, and the model that it is for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.bench.parts import Parts
from services.concurrency.lazy import made
from services.model import Window
from services.settings import Settings

if TYPE_CHECKING:
    from services.model.copies import Calibration


class Windowed(Parts):
    """What is done to the window most often, said in one word each."""

    def calibrate(self, model: str, actual: int) -> Calibration:
        """Takes `actual` as the tokens that a model counted for the window as it is, and counts better from then on.
        Raises UsageError where that cannot be, or the model is counted exactly; ReadOnly."""
        text = self.window(format=self.settings.window.format).text
        calibration = self.models.calibrate(model, actual, text=text)
        self._use_model()
        return calibration

    def choose(self, model: str | None, budget: int | None) -> Window:
        """Render the window for another model or budget from now on, here and in what else is open on the workspace;
        None: what the settings say. Raises UsageError, ReadOnly."""
        self.models.choose(model, budget)
        self._use_model()
        self._choices.keep(model, budget)
        return self.window()

    def take(self, settings: Settings) -> None:
        """Other settings from now on, as far as they are about the window; the rest counts when it is opened again."""
        self.settings = settings
        if made(self, Parts.models) is not None:
            self.models.take(settings.window)
            self.models.choose(*self._choices.read())
            self._use_model()

    @property
    def is_window_empty(self) -> bool:
        """Whether nothing is in the prompt window, pinned or recent."""
        return not self.curation.kept.requests()

    def window(self, *, format: str = "md") -> Window:  # noqa: A002
        """The prompt window, after every file it is made from was looked at again."""
        return self.curation.window(format=format)

    def pin(
        self,
        path: str,
        *,
        level: str | None = None,
        members: Sequence[str] = (),
        force: bool = False,
    ) -> Window:
        """Pins a symbol, a file or a range. Raises as Curation.pin."""
        return self.curation.pin(path, level=level, members=members, force=force)

    def unpin(self, path: str) -> Window:
        """Makes a pinned item a recent one. Raises UsageError if it is not pinned."""
        return self.curation.unpin(path)

    def dismiss(self, path: str) -> Window:
        """Takes an item out of the window. Raises UsageError if it is not in it."""
        return self.curation.dismiss(path)

    def set_level(self, path: str, level: str, *, members: Sequence[str] = (), force: bool = False) -> Window:
        """Shows an item of the window with more or less detail. Raises as Curation.set_level."""
        return self.curation.set_level(path, level, members=members, force=force)

    def move(self, path: str, *, before: str | None = None, after: str | None = None) -> Window:
        """Moves a pinned item among the pinned ones. Raises as Curation.move."""
        return self.curation.move(path, before=before, after=after)

    def visit(self, path: str) -> None:
        """Counts a symbol as used now: it rises in searches and enters the window's recent part."""
        self.curation.visit(path)

    def pinned_ids(self) -> frozenset[str]:
        """The symbol ids of what is pinned."""
        return self.curation.pinned_ids()
