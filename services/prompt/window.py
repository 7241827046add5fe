"""The prompt window: what is pinned and was used, rendered to one text within a budget (SPEC section 8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from services.concurrency.background import BackgroundWriter
from services.errors import CodeCortexError, SymbolNotFound, UsageError, WorkspaceError
from services.model import Level, Notice, Window
from services.prompt.items import KINDS, Catalogue, Chosen, ItemKey, Request
from services.prompt.presets import StateFiles, WindowStore
from services.prompt.render.ladder import WindowOptions
from services.prompt.render.renderer import Renderer, View
from services.prompt.render.shown import Rendering
from services.prompt.state import Entry, WindowState
from services.prompt.vault import Vault
from services.source.journal.actor import agent

WINDOW_FILE = "prompt_window.md"


class WindowFiles(Protocol):
    """Subset of `services.workspace.shared.SharedFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...


class Published:
    """Background writer of the window file: of texts in quick succession the last is written. Failure is a notice,
    never an error. Nothing is written until the window changes: looking at it leaves the repository unchanged.
    Thread-safe."""

    def __init__(self, files: WindowFiles) -> None:
        self._files = files
        self._begun = False
        self._notice: Notice | None = None
        self._writer = BackgroundWriter()

    def notices(self) -> tuple[Notice, ...]:
        """Why the file is not up to date, if it is not, as of the last writing."""
        notice = self._notice
        return (notice,) if notice is not None else ()

    def begin(self) -> None:
        """Write what is rendered from now on."""
        self._begun = True

    def write(self, text: str) -> None:
        """Write this text to the file, if it differs."""
        if self._begun:
            self._writer.keep(WINDOW_FILE, lambda: self._write(text))

    def close(self) -> None:
        """Wait until the file contains the last text, or writing failed."""
        self._writer.flush()

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")  # half a pair of surrogates is no text
        try:
            if self._files.read(WINDOW_FILE) != data:
                self._files.write(WINDOW_FILE, data)
            self._notice = None
        except (OSError, WorkspaceError) as error:
            self._notice = Notice(
                severity="warning",
                message=f"{WINDOW_FILE} could not be written: {error}",
                what_to_do="Copy the window instead, or make the state folder writable.",
                file=WINDOW_FILE,
            )


if TYPE_CHECKING:
    pass


class PromptWindow:
    """The window of one workspace. Thread-safe, and safe among processes on one state."""

    def __init__(
        self,
        files: StateFiles,
        catalogue: Catalogue,
        *,
        options: WindowOptions,
        vault: Vault | None = None,
        shared: WindowFiles | None = None,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """`vault`: the one of the workspace, by default of `files`; `shared`: where the text is published, by default
        among `files`; `now`: milliseconds since 1970. Nothing is read or
        rendered yet."""
        self._catalogue = catalogue
        self._now = now
        self._notices: dict[str, Notice] = {}
        self._store = WindowStore(files, on_notice=self._note)
        self._vault = vault or Vault(files)
        self._published = Published(files if shared is None else shared)
        self._renderer = Renderer(catalogue, options=options, masker=self._vault.masker)

    def favour(self, types: Callable[[], Collection[str]]) -> None:
        """Give types more weight in the recent part. `types`: called for their ids at every rendering."""
        self._renderer.favoured = types

    def use(self, options: WindowOptions) -> None:
        """Render for another model or budget from now on."""
        self._renderer.options = options

    @property
    def options(self) -> WindowOptions:
        """For whom it is rendered."""
        return self._renderer.options

    @property
    def vault(self) -> Vault:
        """Which secrets are let through; all others are masked in every rendering."""
        return self._vault

    def notices(self) -> tuple[Notice, ...]:
        """Return notices for a person: a damaged state file, a window file that cannot be written."""
        with suppress(CodeCortexError, OSError):
            self._store.load()
        return (*self._notices.values(), *self._published.notices())

    def close(self) -> None:
        """Wait until WINDOW_FILE contains the last rendering; the rendering itself does not wait for that. Later
        renderings are written too, until the next call."""
        self._published.close()

    def state(self) -> WindowState:
        """The items of the window, pinned and recent, as stored."""
        return self._store.load()

    def requests(self) -> tuple[Request, ...]:
        """Every item that this program can show, pinned and recent, as it was chosen."""
        made = self._store.requests(self._store.load())
        return tuple(request for request in made if request is not None)

    def window(self, *, format: str = "md") -> Window:  # noqa: A002
        """The window now. Markdown is also written to WINDOW_FILE if it changed. Raises UsageError,
        TokenizerError."""
        return self.rendering(format).window

    def rendering(self, form: str = "md", *, view: View | None = None) -> Rendering:
        """The window now, with what it shows of each item; through a `view` nothing is written to WINDOW_FILE. Raises
        UsageError, TokenizerError."""
        return self._render(self._store.load(), form, view)

    def restore(self, state: WindowState) -> None:
        """Replace all items by others, as a preset stores them. Nothing is rendered: they may have changed since.
        Raises ReadOnly."""
        self._store.update(lambda now: replace(state, extra=now.extra))
        self._published.begin()

    def costs(self, requests: Sequence[Request]) -> list[int | None]:
        """Return the cost of each item among others, in Markdown; None where it has no content."""
        return self._renderer.costs(requests)

    def pin(self, key: ItemKey, *, force: bool = False) -> Window:
        """Like `pin_all` of one item at its usual level."""
        return self.pin_all((Chosen(key=key),), force=force)

    def pin_all(self, chosen: Sequence[Chosen], *, force: bool = False) -> Window:
        """Pin items last, in their order, all of them or none; refresh those that are pinned.

        Raises SymbolNotFound if one is not there, UsageError for a level that it does not have or that shows nothing of
        it, and BudgetExceeded, with nothing changed, if the pinned items would pass the soft budget; `force` pins all
        the same."""
        entries = [self._entry(each) for each in chosen]

        def change(state: WindowState) -> WindowState:
            entries_now = [_kept_level(entry, state) for entry in entries]
            if not force:
                self._admit(state, entries_now)
            for entry in entries_now:
                state = state.with_pinned(entry)
            return state

        return self._changed(change)

    def unpin(self, key: ItemKey) -> Window:
        """Make a pinned item a recent one. Raises UsageError if it is not pinned."""

        def change(state: WindowState) -> WindowState:
            entry = self._pinned(state, key)
            return state.without(str(key)).with_recent(replace(entry, at=self._now()))

        return self._changed(change)

    def pin_recent(self, *, force: bool = False) -> Window:
        """Pin all recent items behind those that are, the last used first, or none. Raises BudgetExceeded."""

        def change(state: WindowState) -> WindowState:
            entries = [replace(entry, at=self._now()) for entry in state.recent]
            if not force:
                self._admit(state, entries)
            for entry in entries:
                state = state.with_pinned(entry)
            return state

        return self._changed(change)

    def clear_recent(self) -> Window:
        """Take all recent items out of the window."""
        return self._changed(lambda state: replace(state, recent=()))

    def dismiss(self, key: ItemKey) -> Window:
        """Take an item out of the window, pinned or recent. Raises UsageError if it is not in it."""

        def change(state: WindowState) -> WindowState:
            return state.without(self._present(state, key).key)

        return self._changed(change)

    def set_level(
        self, key: ItemKey, level: Level, *, members: Sequence[str] = (), force: bool = False
    ) -> Window:
        """Show an item of the window at another level from now on. `members`: ids, for `bodies` and `outline`.

        Raises UsageError if it is not in the window or has no such level, BudgetExceeded as `pin_all`."""

        def change(state: WindowState) -> WindowState:
            entry = replace(self._present(state, key), level=str(level), members=tuple(members))
            self._must_show(entry, level)
            if not force and state.is_pinned(entry.key):
                self._admit(state.with_changed(entry), [entry])
            return state.with_changed(entry)

        return self._changed(change)

    def move(self, key: ItemKey, *, beside: ItemKey, after: bool = False) -> Window:
        """Move a pinned item right before another, or `after` it. Raises UsageError if either is not pinned: recent
        items stand in the order of their use."""

        def change(state: WindowState) -> WindowState:
            self._pinned(state, key)
            self._pinned(state, beside)
            return state.moved(str(key), beside=str(beside), after=after)

        return self._changed(change)

    def visit(self, key: ItemKey) -> None:
        """Count an item as used now; one that is not there is ignored."""
        try:
            entry = self._entry(Chosen(key=key))
        except SymbolNotFound:
            return
        self._store.update(lambda state: state.with_recent(_kept_level(entry, state)))

    def _changed(self, change: Callable[[WindowState], WindowState]) -> Window:
        state = self._store.update(change)
        self._published.begin()
        return self._render(state, "md").window

    def _entry(self, chosen: Chosen) -> Entry:
        key = chosen.key
        kind = KINDS[key.kind]
        level = kind.level(chosen.level) if chosen.level is not None else kind.usual
        known = self._store.load().find(str(key))
        follows = self._catalogue.anchor(key, None if known is None else known.follows)
        request = Request(key=key, level=level, members=chosen.members, follows=follows, data=chosen.data)
        rendered = self._renderer.rendered(request)
        if rendered is None:
            if level is not kind.usual and (usual := self._label(key)):
                raise _nothing_at(level, str(key), usual)
            raise SymbolNotFound(f"There is nothing to show for {key}. Search for it again.", suggestions=[])
        return Entry(
            str(key),
            self._now(),
            rendered.masked_label(self._vault.masker().text),
            rendered.version,
            by=by.user if (by := agent()) is not None else "",
            level="" if chosen.level is None else str(level),
            members=chosen.members,
            follows=follows,
            data=chosen.data,
        )

    def _label(self, key: ItemKey) -> str:
        """How people know an item, in the window or not; empty where there is nothing of it."""
        follows = self._catalogue.anchor(key, None)
        rendered = self._renderer.rendered(Request(key=key, level=KINDS[key.kind].usual, follows=follows))
        return "" if rendered is None else rendered.masked_label(self._vault.masker().text)

    def _present(self, state: WindowState, key: ItemKey) -> Entry:
        entry = state.find(str(key))
        if entry is None:
            message = f"{self._label(key) or key} is not in the prompt window.{_of_it(state, key)}"
            raise UsageError(message, key=str(key))
        return entry

    def _pinned(self, state: WindowState, key: ItemKey) -> Entry:
        entry = self._present(state, key)
        if not state.is_pinned(entry.key):
            raise UsageError(f"{entry.label or key} is not pinned, only recent.", key=str(key))
        return entry

    def _must_show(self, entry: Entry, level: Level) -> None:
        """Raise UsageError unless there is something to show at the level."""
        request = entry.request()
        if request is None:
            raise UsageError(f"This version cannot show {entry.label or entry.key}.", key=entry.key)
        KINDS[request.key.kind].level(level)
        if self._renderer.rendered(request) is None:
            raise _nothing_at(level, entry.key, entry.label or entry.key)

    def _admit(self, state: WindowState, entries: Sequence[Entry]) -> None:
        """Raise BudgetExceeded unless the entries can be added to the present pins."""
        new = [entry for entry in entries if not state.is_pinned(entry.key) or entry in state.pinned]
        if not new:
            return
        keys = {entry.key for entry in new}
        others = tuple(entry for entry in state.pinned if entry.key not in keys)
        pieces = self._renderer.pieces(WindowState(pinned=(*others, *new)))
        label = new[0].label or new[0].key if len(new) == 1 else f"{len(new)} items"
        self.options.budget.admit(label, pieces[len(others) :], beside=pieces[: len(others)])

    def _render(self, state: WindowState, form: str, view: View | None = None) -> Rendering:
        made = self._renderer.rendering(state, form, view)
        if form == "md" and view is None:
            self._published.write(made.window.text)
        return made

    def _note(self, notice: Notice) -> None:
        self._notices[notice.file or notice.message] = notice


_MOST_NAMED = 3
"""Members that a message names of a type."""


def _nothing_at(level: Level, key: str, label: str) -> UsageError:
    why = "Name the members." if level is Level.BODIES else "Choose another level."
    return UsageError(f"There is nothing to show of {label} at level {level}. {why}", key=key)


def _kept_level(entry: Entry, state: WindowState) -> Entry:
    """The entry at the level that was chosen for it before, unless one was chosen now."""
    old = state.find(entry.key)
    return entry if old is None or entry.level else replace(entry, level=old.level, members=old.members)


def _of_it(state: WindowState, key: ItemKey) -> str:
    """Return a sentence that names the members of a type that are in the window without it; empty where there are
    none."""
    begins = f"member:{key.target}_"
    entries = (*state.pinned, *state.recent)
    there = [each.label or each.key for each in entries if key.kind == "type" and each.key.startswith(begins)]
    more = f" and {len(there) - _MOST_NAMED} more" if len(there) > _MOST_NAMED else ""
    return f" Of it there is {', '.join(there[:_MOST_NAMED])}{more}: name that." if there else ""
