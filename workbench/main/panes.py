"""The panes of the main screen: where they are, and which has the keyboard.

Which parts of the main screen are shown: by the room there is, the pane in use, and what a person asked for.
"""

from __future__ import annotations

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.getters import query_one
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from widgets.chrome.pane import EmptyState, Pane
from widgets.chrome.status_bar import ProgressLine, StatusBar
from widgets.textual_private import FrugalScreen
from workbench.code.code_pane import CodePane
from workbench.commands.situation import CHANGES, CODE, GREP, LISTS, PANES, PATCH, SYMBOLS, USAGES, WINDOW
from workbench.edits.patch_pane import PatchPane
from workbench.panes.changes_pane import ChangesPane
from workbench.panes.grep_pane import GrepPane
from workbench.panes.places_pane import PlacesPane, UsagesPane
from workbench.panes.symbols_pane import SymbolsPane
from workbench.panes.window_pane import WindowPane
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.key_line import KeyLine

SIDE_BY_SIDE = 100
"""Cells from which all panes are shown side by side, one of them as a strip."""

ALL_WHOLE = 160
"""Cells from which none of them is a strip."""

BESIDE = 190
"""Cells from which the code shows outline and source beside each other."""

LEAST = (60, 15)
"""Cells and lines below which nothing useful fits."""


class Arrangement(Struct, frozen=True):
    """`single`: one pane at a time, else two or three; `too_small`: a sentence in place of all panes; the others:
    whether that part is shown, `switcher` being the line that chooses among panes that are not all there."""

    single: bool
    too_small: bool
    left: bool
    code: bool
    window: bool
    body: bool
    patch: bool
    switcher: bool


def arrange(
    width: int, height: int, *, pane: str, zoomed: bool = False, editing: bool = False
) -> Arrangement:
    """Return the arrangement of a screen of `width` cells by `height` lines. `pane`: the one in use; `zoomed`: it
    fills the screen; `editing`: the patch editor is open."""
    too_small = width < LEAST[0] or height < LEAST[1]
    single = zoomed or width < SIDE_BY_SIDE
    covered = single and pane == PATCH and editing
    body = not too_small and not covered
    return Arrangement(
        single=single,
        too_small=too_small,
        left=pane in LISTS or not single,
        code=pane == CODE or not single,
        window=pane == WINDOW or not single,
        body=body,
        patch=not too_small and editing and (covered or not single),
        switcher=single and body,
    )


class Columns(Struct, frozen=True):
    """Cells of the list and of the prompt window; the code has the rest."""

    left: int
    window: int


def columns_of(width: int, *, pane: str, widths: Widths) -> Columns:
    """Return the columns of `width` cells: the pane in use grows, and on a narrow screen the prompt window is a strip
    until it is used, and then the list is. Widths set by a person are fixed."""
    own = Columns(width * widths.left // 100, width * widths.window // 100)
    if width >= ALL_WHOLE:
        left = 36 if pane in (GREP, USAGES) else 28 if pane in LISTS else 22
        window = width * (27 if pane == WINDOW else 22) // 100
        return Columns(own.left or width * left // 100, own.window or window)
    rest = width - _STRIP
    if pane == WINDOW:
        return Columns(own.left or _STRIP, own.window or rest * 42 // 100)
    share = 50 if pane in (GREP, USAGES) else 44 if pane in LISTS else 32
    return Columns(own.left or rest * share // 100, own.window or _STRIP)


class Widths(Struct, frozen=True):
    """Widths of the list and the prompt window in hundredths; 0: as fits the size of the terminal."""

    left: int = 0
    window: int = 0

    def moved(self, column: str, share: int) -> Widths:
        """Return the widths with one moved as near to a share as leaves every pane a readable width."""
        other = self.window if column == SYMBOLS else self.left
        most = _MOST_OF_ROOM - (other or _USUAL)
        share = max(_LEAST_SHARE, min(share, most))
        return Widths(share, self.window) if column == SYMBOLS else Widths(self.left, share)


_LEAST_SHARE, _USUAL, _MOST_OF_ROOM = 14, 26, 76
"""Hundredths of the room: what a list and the window have at least, usually, and both together at most."""
_STRIP = 17
"""Cells of a column that is a strip."""
_STEP = 3
"""Hundredths of the room that a key gives or takes."""


class Panes(FrugalScreen):
    """Three panes side by side, or two, or one of them; the patch editor below. It knows of no workspace."""

    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it, as a class variable
        (0, "-narrow"),
        (SIDE_BY_SIDE, "-normal"),
        (160, "-wide"),
    ]
    AUTO_FOCUS = None

    pane: reactive[str] = reactive(SYMBOLS, init=False)
    """The pane that has the keyboard, or had it last: one of PANES, or PATCH."""
    left: reactive[str] = reactive(SYMBOLS, init=False)
    """Which of LISTS the left column shows."""
    zoomed: reactive[bool] = reactive(False, init=False)
    """Whether the pane in use has the whole screen."""

    widths: reactive[Widths] = reactive(Widths(), init=False)
    """What a person made of the columns."""

    status = query_one(StatusBar)
    switcher = query_one("#panes", ChoiceLine)
    lists = query_one("#lists", ChoiceLine)
    left_column = query_one("#left", Vertical)
    body = query_one("#body", Horizontal)
    small = query_one("#small", EmptyState)
    symbols = query_one(SymbolsPane)
    grep = query_one(GrepPane)
    usages = query_one(UsagesPane)
    changes = query_one(ChangesPane)
    code = query_one(CodePane)
    window = query_one(WindowPane)
    patch = query_one(PatchPane)
    progress = query_one(ProgressLine)
    key_line = query_one(KeyLine)
    first_steps = query_one("#first-steps", Static)

    class Moved(Message):
        """Another pane or list is in use."""

        def can_replace(self, message: Message) -> bool:
            """Once is enough, however many come at a time."""
            return isinstance(message, Panes.Moved)

    class Resized(Message):
        """A person gave the columns other widths."""

    class Ready(Message):
        """The keyboard has somewhere to go."""

    class Complete(Message):
        """The lists behind the first one and the views behind the outline have been made."""

    def __init__(self) -> None:
        super().__init__()
        self.is_complete = False
        """Whether all lists and views have been made."""
        self._completes = False
        self._room = Size(0, 0)
        self._results: PlacesPane | None = None
        self._dragged = ""

    def compose(self) -> ComposeResult:
        """Compose the status line, the panes, the keys; and the message for a screen that is too small."""
        yield StatusBar()
        yield ChoiceLine([(SYMBOLS, "1 Lists"), (CODE, "2 Code"), (WINDOW, "3 Window")], id="panes")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield ChoiceLine([(pane, pane.capitalize()) for pane in LISTS], id="lists", close=True)
                yield SymbolsPane(id=SYMBOLS)
            yield CodePane(id=CODE)
            yield WindowPane(id=WINDOW)
        yield PatchPane(id=PATCH)
        yield EmptyState(id="small")
        yield ProgressLine()
        yield Static(id="first-steps", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        """Lay everything out before the first paint."""
        self._room = self.app.size
        self.lay_out()
        self.switcher.chosen = self.pane
        self.lists.chosen = self.left
        self.progress.display = False
        self.focus_pane(SYMBOLS)
        self.post_message(self.Ready())

    def on_resize(self, event: events.Resize) -> None:
        """Show one pane or three, or a message where even one does not fit."""
        self._room = event.size
        self.lay_out()

    @property
    def columns(self) -> tuple[str, ...]:
        """The visible panes, in the order of the tab key."""
        shown = (self.left, CODE, WINDOW)
        return (*shown, PATCH) if self.patch.is_open else shown

    @property
    def results(self) -> PlacesPane | None:
        """The list whose places are stepped through: the one that is shown, or that was last."""
        return self._results

    def focus_pane(self, pane: str) -> None:
        """Give the keyboard to a pane."""
        if pane in LISTS:
            self.left = pane
            if pane in (GREP, USAGES):
                self._results = self.grep if pane == GREP else self.usages
        self.pane = pane
        self.front(pane).focus()

    def leave_patch(self) -> None:
        """Move the focus to the code at once: a hidden widget loses the focus to nothing shortly after."""
        self.pane = CODE
        self.lay_out()
        self.set_focus(self.front(CODE))

    def focus_list(self) -> None:
        """Give the keyboard to the rows of the list on the left."""
        self.pane = self.left
        self.list_front(self.left).focus()

    def list_front(self, pane: str) -> Widget:
        """Return the widget to focus in a list: its rows, or the explanation of their absence."""
        if pane == GREP:
            return self.grep.front
        if pane == USAGES:
            return self.usages.front
        return self.changes.front if pane == CHANGES else self.symbols.front

    def front(self, pane: str) -> Widget:
        """Return the widget to focus in a pane."""
        if pane == CODE:
            return self.code.front
        if pane == PATCH:
            return self.patch.editor
        if pane == GREP:
            return self.grep.box.input
        if pane in (USAGES, CHANGES):
            return self.usages.front if pane == USAGES else self.changes.front
        return self.window.items if pane == WINDOW else self.symbols.box.input

    def lay_out(self) -> None:
        """Arrange the panes that fit. Call it when the patch editor has opened or closed."""
        shown = arrange(*self._room, pane=self.pane, zoomed=self.zoomed, editing=self.patch.is_open)
        self.set_class(shown.single, "-single")
        self._set_widths(single=shown.single)
        self.code.beside = self._room.width >= BESIDE
        self.left_column.display = shown.left
        self.code.display = shown.code
        self.window.display = shown.window
        self.body.display = shown.body
        self.patch.display = shown.patch
        self.switcher.display = shown.switcher
        for pane in self.left_column.query_children(Pane):
            pane.display = pane.id == self.left
        self._say_too_small(shown=shown.too_small)
        self.call_after_refresh(self._keep_focus)

    def resize_pane(self, steps: int) -> None:
        """Make the pane in use wider, or narrower (-1); the code gives and takes what the others get. 0: as it was."""
        if not steps:
            self.widths = Widths()
        else:
            column = WINDOW if self.pane == WINDOW else SYMBOLS
            grown = -steps if self.pane in (CODE, PATCH) else steps
            self.widths = self.widths.moved(column, self._share(column) + grown * _STEP)
        self.post_message(self.Resized())

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """The frame between two panes can be dragged."""
        if event.button == 1 and (column := self._border_at(event.screen_x, event.screen_y)):
            self._dragged = column
            self.body.capture_mouse()
            event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The frame follows the mouse."""
        if self._dragged:
            region = self.body.region
            cells = (
                event.screen_x - region.x + 1 if self._dragged == SYMBOLS else region.right - event.screen_x
            )
            self.widths = self.widths.moved(self._dragged, round(100 * cells / max(1, region.width)))

    def on_mouse_up(self) -> None:
        """Fix the dragged width."""
        if self._dragged:
            self._dragged = ""
            self.body.release_mouse()
            self.post_message(self.Resized())

    def watch_widths(self) -> None:
        """Arrange the columns again."""
        self.lay_out()

    def _border_at(self, x: int, y: int) -> str:
        """The column whose inner frame is there, or whose neighbour's; none where a pane is alone."""
        if not self.body.region.contains(x, y) or self.has_class("-single"):
            return ""
        left, window = self.left_column, self.window
        if left.display and x in (left.region.right - 1, left.region.right):
            return SYMBOLS
        return WINDOW if window.display and x in (window.region.x - 1, window.region.x) else ""

    def _share(self, column: str) -> int:
        widget = self.left_column if column == SYMBOLS else self.window
        return round(100 * widget.region.width / max(1, self.body.region.width)) or _USUAL

    def _set_widths(self, *, single: bool) -> None:
        columns = columns_of(self._room.width, pane=self.pane, widths=self.widths)
        self.left_column.styles.width = None if single else columns.left
        self.window.styles.width = None if single else columns.window

    def watch_pane(self) -> None:
        """Another pane is in use."""
        self.switcher.chosen = SYMBOLS if self.pane in LISTS else self.pane
        if self.pane == CODE:
            self.code.keep_preview()
        self.lay_out()
        self.post_message(self.Moved())

    def watch_left(self) -> None:
        """Another list is shown."""
        self.lists.chosen = self.left
        self.lay_out()
        self.post_message(self.Moved())

    def watch_zoomed(self) -> None:
        """Show one pane or all of them."""
        self.lay_out()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane in use is the one that has the keyboard, however it got it. What was hidden while the keyboard was
        on its way there passes it on."""
        ids = {node.id for node in event.widget.ancestors}
        for pane in (*PANES, PATCH):
            if pane in ids:
                self.pane = pane
                if not event.widget.display:
                    self.front(pane).focus()
        self.post_message(self.Moved())

    def complete(self) -> None:
        """Make what is behind the symbols and the outline, once: after the first letter was answered, which would wait
        for it."""
        if not self._completes:
            self._completes = True
            self.call_later(self._mount_others)

    async def _mount_others(self) -> None:
        others = (GrepPane(id=GREP), UsagesPane(id=USAGES), ChangesPane(id=CHANGES))
        for pane in others:
            pane.display = False
        await self.code.mount_others()
        await self.left_column.mount_all(others)
        self.post_message(self.Complete())

    def _say_too_small(self, *, shown: bool) -> None:
        self.small.sentence = "{} × {} is too small to work in.".format(*self._room)
        self.small.advice = "Enlarge the terminal to {} × {} or more. Nothing is lost.".format(*LEAST)
        self.small.display = shown

    def _keep_focus(self) -> None:
        if self.pane == PATCH and not self.patch.is_open:
            self.pane = CODE
        if self.focused is None and self.app.screen is self:
            self.front(self.pane).focus()
