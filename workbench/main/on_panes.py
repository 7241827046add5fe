"""What the main screen does when its panes say something."""

from __future__ import annotations

from widgets.lists.window_list import WindowList
from workbench.code.place import target_of
from workbench.commands.situation import PATCH, Subject
from workbench.main.frame import Frame
from workbench.main.status_messages import nothing_found, status_line
from workbench.panes.symbols_pane import SymbolsPane
from workbench.ui.messages import Said
from workbench.ui.working import Working


class OnPanes(Frame):
    """Handlers of the panes' messages."""

    def on_said(self, event: Said) -> None:
        """A part wants a person to be told."""
        self.say(event.notice)

    def on_working(self, event: Working) -> None:
        """A search, or an export, has come a little further. Indexing goes before: it has the line to itself."""
        event.stop()
        if not self.session.is_indexing:
            self.progress.progress = event.progress
            self.progress.display = event.progress is not None
        self.update_keys()

    def on_symbols_pane_opened(self, event: SymbolsPane.Opened) -> None:
        """Show a symbol."""
        self.open(event.symbol.id)

    def on_symbols_pane_pin_toggled(self, event: SymbolsPane.PinToggled) -> None:
        """Pin a symbol, or unpin it."""
        symbol = event.symbol
        self.pinning.toggle(Subject(symbol.id, symbol.path, pinned=symbol.id in self.about.pinned))
        self.did("pin")

    def on_symbols_pane_answered(self, event: SymbolsPane.Answered) -> None:
        """There are other rows."""
        self.status.status = status_line(self.status.status, milliseconds=event.answer.elapsed_ms)
        if event.answer.query:
            self.did("search")
        if not event.answer.hits and event.answer is self.symbols.answer:  # the next may have come meanwhile
            self.symbols.say_nothing_found(*nothing_found(event.answer, complete=self._complete))
        self.update_keys()

    def on_symbol_list_highlighted(self) -> None:
        """Another row is under the cursor."""
        self.update_keys()

    def on_window_list_highlighted(self) -> None:
        """Another item is under the cursor."""
        self.update_keys()

    def on_window_list_opened(self, event: WindowList.Opened) -> None:
        """Show an item."""
        self.open(target_of(event.item))

    def on_patch_pane_changed(self) -> None:
        """A draft was begun, locked or closed."""
        if self.pane == PATCH and not self.patch.is_open:
            self.leave_patch()
        else:
            self.lay_out()
        self.update_keys()

    def on_patch_pane_written(self) -> None:
        """The file is another now."""
        self.update_keys()

    def on_text_area_changed(self) -> None:
        """There may be something to write."""
        self.update_keys()

    def on_code_views_shown(self) -> None:
        """Something else is shown in the middle."""
        self.update_keys()

    def on_code_pane_visited(self) -> None:
        """What was opened is recent in the prompt window."""
        self.session.read_window()
