"""The prompt window: what is pinned and was used, rendered to one text within a budget (SPEC section 8)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from services.errors import SymbolNotFound, UsageError, WorkspaceError
from services.model import ItemFlag, Notice, Window, WindowItem
from services.prompt.budget import WindowOptions
from services.prompt.content import Content
from services.prompt.fill import Candidate, Composer, Composition
from services.prompt.items import KINDS, Catalogue, ItemKey
from services.prompt.render import format_named
from services.prompt.shelf import Piece, Shelf
from services.prompt.store import Entry, StateFiles, WindowState, WindowStore

WINDOW_FILE = "prompt_window.md"


class PromptWindow:
    """The window of one workspace. Safe to call from any thread, beside other processes on the same state."""

    def __init__(
        self,
        files: StateFiles,
        catalogue: Catalogue,
        *,
        options: WindowOptions,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """`now`: milliseconds since 1970. Nothing is read or rendered yet."""
        self._files = files
        self._options = options
        self._now = now
        self._notices: dict[str, Notice] = {}
        self._store = WindowStore(files, on_notice=self._note)
        self._shelf = Shelf(catalogue)
        self._rendering = threading.RLock()

    def use(self, options: WindowOptions) -> None:
        """Render for another model or budget from now on."""
        self._options = options

    def notices(self) -> tuple[Notice, ...]:
        """What a person should know: a damaged state file, a window file that cannot be written."""
        return tuple(self._notices.values())

    def all_keys(self) -> tuple[str, ...]:
        """The keys of all items, pinned and recent."""
        state = self._store.load()
        return tuple(entry.key for entry in (*state.pinned, *state.recent))

    def pinned_keys(self) -> tuple[str, ...]:
        """The keys of the pinned items, in the order they were pinned."""
        return tuple(entry.key for entry in self._store.load().pinned)

    def window(self, *, format: str = "md") -> Window:  # noqa: A002
        """The window now. Markdown is also written to WINDOW_FILE if it changed. Raises UsageError,
        TokenizerError."""
        return self._render(self._store.load(), format)

    def pin(self, key: ItemKey, *, force: bool = False) -> Window:
        """Pin an item last, or refresh one that is pinned.

        Raises SymbolNotFound if there is nothing there, and BudgetExceeded, with nothing changed, if the
        pinned items would pass the soft budget; `force` pins all the same."""
        entry = self._entry(key)

        def change(state: WindowState) -> WindowState:
            if not force and not state.is_pinned(entry.key):
                self._admit(state, entry)
            return state.with_pinned(entry)

        return self._render(self._store.update(change), "md")

    def unpin(self, key: ItemKey) -> Window:
        """Make a pinned item a recent one. Raises UsageError if it is not pinned."""

        def change(state: WindowState) -> WindowState:
            if not state.is_pinned(str(key)):
                raise UsageError(f"{key} is not pinned.", key=str(key))
            entry = state.find(str(key)) or Entry(str(key), 0)
            return state.without(str(key)).with_recent(replace(entry, at=self._now()))

        return self._render(self._store.update(change), "md")

    def dismiss(self, key: ItemKey) -> Window:
        """Take an item out of the window, pinned or recent. Raises UsageError if it is not in it."""

        def change(state: WindowState) -> WindowState:
            if state.find(str(key)) is None:
                raise UsageError(f"{key} is not in the prompt window.", key=str(key))
            return state.without(str(key))

        return self._render(self._store.update(change), "md")

    def visit(self, key: ItemKey) -> None:
        """Count an item as used now; one that is not there is ignored."""
        try:
            entry = self._entry(key)
        except SymbolNotFound:
            return
        self._store.update(lambda state: state.with_recent(entry))

    def _entry(self, key: ItemKey) -> Entry:
        with self._rendering:
            rendered = self._shelf.rendered(key)
        if rendered is None:
            raise SymbolNotFound(f"There is nothing to show for {key}. Search for it again.", suggestions=[])
        return Entry(str(key), self._now(), rendered.label, rendered.version)

    def _admit(self, state: WindowState, entry: Entry) -> None:
        """Raise BudgetExceeded unless the entry can be pinned beside what is."""
        with self._rendering:
            candidates = self._candidates(WindowState(pinned=(*state.pinned, entry)), "md")
        pieces = [each.piece for each in candidates[:-1] if each.piece is not None]
        new = candidates[-1].piece or Piece("", 0)
        self._options.budget.admit(entry.label, new, beside=pieces)

    def _render(self, state: WindowState, form: str) -> Window:
        options = self._options
        with self._rendering:
            candidates = self._candidates(state, form)
            self._shelf.forget_all_but({each.key for each in candidates})
            composer = Composer(format_named(form), options.counter, options.budget.room)
            composition = composer.compose(candidates)
        if form == "md":
            self._publish(composition.text)
        return self._as_value(candidates, composition)

    def _candidates(self, state: WindowState, form: str) -> list[Candidate]:
        """Every entry in the order of the text, with what it would cost whole."""
        entries = [*((entry, True) for entry in state.pinned), *((entry, False) for entry in state.recent)]
        contents = [self._content(entry, pinned=pinned) for entry, pinned in entries]
        present = [content for content in contents if content is not None]
        made = self._shelf.pieces(present, format_named(form), self._options.counter)
        pieces = {content.key: piece for content, piece in zip(present, made, strict=True)}
        return [
            _candidate(content, pieces.get(entry.key), entry=entry, pinned=pinned)
            for (entry, pinned), content in zip(entries, contents, strict=True)
        ]

    def _content(self, entry: Entry, *, pinned: bool) -> Content | None:
        try:
            key = ItemKey.parse(entry.key)
        except UsageError:
            return None
        rendered = self._shelf.rendered(key)
        if rendered is None:
            return None
        kind = KINDS[key.kind]
        stale = not kind.follows and rendered.version != entry.version
        return Content(
            key=entry.key, kind=kind, rendered=rendered, text=rendered.text, pinned=pinned, stale=stale
        )

    def _as_value(self, candidates: Sequence[Candidate], composition: Composition) -> Window:
        options = self._options
        items = tuple(
            _item(candidate, piece, cut=candidate.key in composition.cut)
            for candidate, piece in zip(candidates, composition.pieces, strict=True)
        )
        return Window(
            text=composition.text,
            tokens=composition.tokens,
            budget=options.budget.tokens,
            pinned_tokens=sum(item.tokens for item in items if item.pinned),
            soft_budget=options.budget.pin_room.tokens,
            model=options.model,
            tokenizer=options.counter.name,
            approximate=not options.counter.exact,
            items=items,
            omitted=composition.omitted,
        )

    def _publish(self, text: str) -> None:
        """Write the window file if it says something else; where it cannot be written that is a notice."""
        data = text.encode()
        try:
            if self._files.read(WINDOW_FILE) != data:
                self._files.write(WINDOW_FILE, data)
            self._notices.pop(WINDOW_FILE, None)
        except (OSError, WorkspaceError) as error:
            self._notices[WINDOW_FILE] = Notice(
                severity="warning",
                message=f"{WINDOW_FILE} could not be written: {error}",
                what_to_do="Copy the window instead, or make the state folder writable.",
                file=WINDOW_FILE,
            )

    def _note(self, notice: Notice) -> None:
        self._notices[notice.file or notice.message] = notice


def _candidate(content: Content | None, piece: Piece | None, *, entry: Entry, pinned: bool) -> Candidate:
    if content is not None:
        return Candidate(entry.key, content.rendered.label, pinned, content, piece)
    known = entry.key.partition(":")[0] in KINDS
    why = "Its source is no longer there." if known else "This version cannot show items of its kind."
    return Candidate(entry.key, entry.label or entry.key, pinned, None, None, why)


def _item(candidate: Candidate, piece: Piece | None, *, cut: bool) -> WindowItem:
    content = candidate.content
    tokens = piece.tokens if piece is not None else 0
    kind = candidate.key.partition(":")[0]
    if content is None:
        return WindowItem(
            key=candidate.key,
            kind=kind,
            label=candidate.label,
            detail=candidate.why_not,
            pinned=candidate.pinned,
            tokens=tokens,
            flags=(ItemFlag.VANISHED,),
        )
    rendered = content.rendered
    flags = [ItemFlag.STALE] if content.stale else []
    return WindowItem(
        key=candidate.key,
        kind=kind,
        label=rendered.label,
        detail=rendered.detail,
        pinned=candidate.pinned,
        tokens=tokens,
        flags=(*flags, ItemFlag.CUT) if cut or piece is None else tuple(flags),
        symbol_id=rendered.symbol_id,
        file=rendered.file,
        start_line=rendered.start_line,
        end_line=rendered.end_line,
    )
