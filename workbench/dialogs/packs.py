"""Packs of types that go together: made with a filter, made active, pinned, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input

from services.errors import BudgetExceeded, CodeCortexError, InvalidFilter, UsageError
from services.model import Pack, PackInfo
from widgets.format.shorten import counted, grouped
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph, tokens_of
from workbench.ui.modal import Confirm
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from workbench.state.session import Session

_GRAMMAR = (
    "namespace: type: access: tag: depends: · side by side is AND, OR, !, ( ) · as in type:Json* !tag:test"
)
_HOW = (
    "A pack holds the types that a filter matches and what they depend on, dependencies first, within its own budget.",
    "An active pack weighs its types in the recent part of the window; a pinned one is shown whole.",
    "It is a file in .context/packs that a team can share.",
)


class PacksScreen(Listing[str]):
    """Answers `presets` where those are wanted instead."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("n", "new", "new"),
        Key("enter,space", "activate", "active or not", row=True),
        Key("p", "pin", "pin", row=True),
        Key("e", "edit", "change filter", row=True),
        Key("b", "budget", "budget", row=True),
        Key("r", "rebuild", "build again", row=True),
        Key("x,delete", "delete", "delete", row=True),
        Key("tab", "dismiss('presets')", "presets"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("packs", KEYS)

    def __init__(self, bench: Bench, session: Session) -> None:
        super().__init__("Packs", empty="No packs yet: n makes one")
        self._bench = bench
        self._session = session
        self._packs: dict[str, PackInfo] = {}
        self._built: dict[str, Pack] = {}
        self._filtering = False

    def read(self) -> None:
        """The packs there are."""
        self._read("")

    def show_detail(self) -> None:
        """Describe the pack; without one, describe packs."""
        if self.rows.current is None:
            self.detail.update(paragraph("Packs", _HOW))
        else:
            super().show_detail()

    def about(self, row: PickRow) -> Content:
        """A pack: its filter, and its types once it was built here."""
        info, built = self._packs[row.value], self._built.get(row.value)
        if info.problem:
            return paragraph("It cannot be read", [info.problem])
        head = facts(
            ("filter", info.filter or "none: its types were named by hand"),
            ("types", grouped(info.types)),
            ("tokens", f"{grouped(info.tokens)} of {grouped(info.budget)}"),
            ("built", _when(info.built_at)),
            ("active", "yes: its types weigh more" if info.active else "no"),
        )
        if built is None:
            return head
        return (
            head
            + paragraph("Types", [f"{'●' if each.chosen else ' '} {each.name}  {each.level} {grouped(each.tokens)}"
                                  for each in built.types])
            + paragraph("Left out", [f"{each.label}: {each.reason}" for each in built.omitted])
            + paragraph("Gone", built.gone)
        )  # fmt: skip

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter makes a pack active, or not."""
        event.stop()
        self.action_activate()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Parse the filter as it is typed, and show its errors at once."""
        event.stop()
        if self._filtering:
            self.remark(_verdict(event.value) or _GRAMMAR)

    def action_new(self) -> None:
        """Enter a name, then the content."""

        def named(name: str) -> None:
            if name in self._packs:
                self.remark(f"There is a pack {name}. Take another name, or e changes its filter.")
            elif name and (refusal := _refusal(name)):
                self.remark(refusal)
            elif name:
                self._ask_filter(name, "")

        self.ask("A name for the pack: letters, digits, dots, - and _", named)

    def action_edit(self) -> None:
        """Another filter."""
        if info := self._packs.get(self.current):
            self._ask_filter(info.name, info.filter)

    def action_budget(self) -> None:
        """Another budget."""
        info = self._packs.get(self.current)
        if info is None:
            return

        def typed(text: str) -> None:
            tokens = tokens_of(text)
            if tokens is None:
                self.remark(f"{text!r} is no number of tokens: 8000, 8k.")
            else:
                self._build(info.name, budget=tokens)

        self.ask(f"Tokens for {info.name}, as in 8k", typed, offer=str(info.budget))

    def action_rebuild(self) -> None:
        """Build it again from what the code is now."""
        if self.current:
            self._build(self.current)

    def action_activate(self) -> None:
        """Make it active, or not."""
        if info := self._packs.get(self.current):
            bench = self._bench
            self.jobs.act(
                "activate",
                lambda: bench.packs.activate(info.name, active=not info.active),
                lambda _: self._changed(info.name),
            )

    def action_pin(self, force: bool = False) -> None:
        """Pin it into the window."""
        name, bench = self.current, self._bench
        if not name:
            return

        def pinned(_: object) -> None:
            self.tell(f"The pack {name} is pinned.")
            self._changed(name)

        def refused(error: Exception) -> None:
            if isinstance(error, BudgetExceeded):
                question = Confirm("Past the soft budget", error.message, yes="Pin all the same", late=True)
                self.app.push_screen(question, lambda yes: self.action_pin(True) if yes else None)
            else:
                self.say(notice_of(error))

        def pin() -> object:
            return bench.undo.doing(
                f"pinning the pack {name}", lambda: bench.window.pin(f"pack:{name}", force=force)
            )

        self.jobs.act("pin", pin, pinned, failed=refused)

    def action_delete(self) -> None:
        """Delete it after confirmation."""
        name, bench = self.current, self._bench
        if not name:
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.jobs.act("delete", lambda: bench.packs.delete(name), lambda _: self._changed(""))

        question = f"The file of the pack {name} is deleted. Nobody on the team has it then."
        self.app.push_screen(Confirm("Delete a pack", question, yes="Delete"), answered)

    def answered(self) -> None:
        """Hide the text input."""
        self._filtering = False
        super().answered()

    def _ask_filter(self, name: str, known: str) -> None:
        self._filtering = True
        self.ask(
            f"What is in {name}: a filter",
            lambda text: self._filtered(name, text),
            value=known,
            said=_GRAMMAR,
        )

    def _filtered(self, name: str, text: str) -> None:
        if verdict := _verdict(text):
            self.remark(verdict)
        elif text:
            self._build(name, text)

    def _build(self, name: str, filter: str | None = None, *, budget: int | None = None) -> None:  # noqa: A002
        bench = self._bench
        self.remark(f"Building {name} …")
        self.jobs.run(
            "build",
            lambda: bench.packs.build(name, filter=filter, budget=budget),
            self._was_built,
            failed=self._not_built,
        )

    def _was_built(self, pack: Pack) -> None:
        self._built[pack.name] = pack
        if self.is_typing:
            self.answered()
        self.remark("")
        what = "built" if pack.rebuilt else "as it was: nothing has changed"
        self.tell(
            f"{pack.name} is {what}: {counted(len(pack.types), 'type')}, {grouped(pack.tokens)} tokens."
        )
        self._changed(pack.name)

    def _not_built(self, error: Exception) -> None:
        if isinstance(error, InvalidFilter):
            self.remark(_pointed(error))
        elif self.is_typing and isinstance(error, CodeCortexError):
            self.remark(error.message)
        else:
            self.remark("")
            self.say(notice_of(error))

    def _changed(self, name: str) -> None:
        self._session.read_window()
        self._read(name)

    def _read(self, name: str) -> None:
        self.jobs.run("packs", self._bench.packs.all, lambda packs: self._show(packs, name))

    def _show(self, packs: tuple[PackInfo, ...], at: str) -> None:
        self._packs = {pack.name: pack for pack in packs}
        self.set_rows([_row(pack) for pack in packs], at=at)


def _row(pack: PackInfo) -> PickRow:
    if pack.problem:
        return PickRow(pack.name, pack.name, pack.problem, sign="!", off=True)
    sign = "●" if pack.active else " "
    return PickRow(
        pack.name, pack.name, pack.filter, sign=sign, tail=f"{grouped(pack.types)} · {grouped(pack.tokens)}"
    )


def _refusal(name: str) -> str:
    """Why a pack cannot have the name; empty where it can."""
    from services.prompt.pack_files import check_name

    try:
        check_name(name)
    except UsageError as error:
        return error.message
    return ""


def _verdict(text: str) -> str:
    """Return the error of a filter, under the character at fault; empty where there is none."""
    from services.prompt.pack_files import parse

    if not text.strip():
        return ""
    try:
        parse(text)
    except InvalidFilter as error:
        return _pointed(error)
    return ""


def _pointed(error: InvalidFilter) -> str:
    return f"{' ' * int(error.details['position'])}▲ {error.details['hint']}"


def _when(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000).astimezone():%Y-%m-%d %H:%M}" if at else "never"
