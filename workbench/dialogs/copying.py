"""Copying the window, step by step: prepared, likely secrets decided, handed over part by part, and remembered.

The window in words: what counts it, and of each item what is shown, what was chosen, and why that differs.

A text in numbered parts: one after the other to the clipboard, each when the one before was pasted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from msgspec import Struct
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Static

from services.model import ItemState, Level, Window, WindowItem
from widgets.format.display import visible
from widgets.format.shorten import counted, grouped, token_count
from widgets.lists.pick_list import PickList, PickRow
from widgets.lists.window_list import FLAG_GLYPHS
from workbench.dialogs.base import Dialog, Key, bindings_of
from workbench.main.sentences import copied_notice
from workbench.state.clipboard import Copied, CopyMethod
from workbench.state.ui_state import CopyChoice

if TYPE_CHECKING:
    from textual.app import App

    from services.bench import Bench
    from services.model import Notice
    from services.model.copies import Copy, SecretRow
    from services.prompt.items import CopyRequest
    from workbench.state.clipboard import Clipboard
    from workbench.state.session import Session
    from workbench.ui.jobs import Jobs

MASKED, ONCE, ALWAYS = "masked", "this copy", "always"
_SIGNS: Mapping[str, str] = MappingProxyType({MASKED: "■", ONCE: "○", ALWAYS: "●"})

_MOST_ROWS = 12


class Decision(Struct, frozen=True):
    """Codes that this copy lets through, those that are let through from now on, and those that no longer are; the
    rest stays masked."""

    once: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()

    @property
    def changes_anything(self) -> bool:
        """Whether the text would be another."""
        return bool(self.once or self.always or self.masked)


class SecretsDialog(Dialog[Decision | None]):
    """Answers what was decided; None: nothing is copied."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter", "copy", "copy"),
        Key("m", "let('masked')", "mask"),
        Key("o", "let('this copy')", "allow once"),
        Key("a", "let('always')", "allow always"),
        Key("space", "turn", "turn"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("secrets", KEYS)
    rows = query_one(PickList)

    def __init__(self, secrets: Sequence[SecretRow]) -> None:
        super().__init__("Likely secrets")
        by_code = {row.code: row for row in reversed(secrets)}
        self._secrets = tuple(row for row in dict.fromkeys(secrets) if by_code[row.code] is row)
        self._decided = {row.code: MASKED if row.masked else ALWAYS for row in self._secrets}

    def body(self) -> ComposeResult:
        """Compose an explanation, and the secrets."""
        count = len(self._secrets)
        them = counted(count, "likely secret is", "likely secrets are")
        yield Static(
            f"{them} in what is about to be copied. The model gets a placeholder for each that is masked.",
            classes="over-lead",
            markup=False,
        )
        yield PickList()

    def on_mount(self) -> None:
        """All of them are masked that were not let through before."""
        super().on_mount()
        self.rows.styles.height = min(_MOST_ROWS, len(self._secrets))
        self._show()
        self.rows.focus()

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter copies, and so does a double click."""
        event.stop()
        self.action_copy()

    def action_copy(self) -> None:
        """Copy as it was decided."""
        self.dismiss(Decision(self._of(ONCE), self._of(ALWAYS), self._of(MASKED)))

    def action_let(self, how: str) -> None:
        """Decide for the secret under the cursor."""
        if row := self.rows.current:
            self._decided[row.value] = how
            self._show()

    def action_turn(self) -> None:
        """The next of masked, this copy, always."""
        if row := self.rows.current:
            ways = (MASKED, ONCE, ALWAYS)
            self.action_let(ways[(ways.index(self._decided[row.value]) + 1) % len(ways)])

    def _of(self, how: str) -> tuple[str, ...]:
        known = {row.code: MASKED if row.masked else ALWAYS for row in self._secrets}
        return tuple(code for code, its in self._decided.items() if its == how and known[code] != how)

    def _show(self) -> None:
        cursor = self.rows.cursor
        self.rows.set_rows([self._row(row) for row in self._secrets])
        self.rows.cursor = cursor or 0

    def _row(self, row: SecretRow) -> PickRow:
        how = self._decided[row.code]
        where = f"{row.file}:{row.line}" if row.file else f"{row.label}, line {row.line}"
        return PickRow(row.code, where, f"{row.kind} {row.code}", sign=_SIGNS[how], tail=how)


class NextPart(Dialog[bool]):
    """Answers whether the next part is wanted."""

    KEYS: ClassVar[Sequence[Key]] = (Key("enter,n,y", "go", "copy the next part"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("parts", KEYS)

    def __init__(self, done: int, parts: int, said: str) -> None:
        super().__init__(f"Part {done} of {parts}")
        self._lead = f"{said} Paste it, then go on with part {done + 1}."

    def body(self) -> ComposeResult:
        """Compose the outcome of the part before."""
        yield Static(self._lead, classes="over-lead", markup=False)

    def action_go(self) -> None:
        """Copy the next part."""
        self.dismiss(True)

    def action_back(self) -> None:
        """Stop."""
        self.dismiss(False)


class _Ready(Struct, frozen=True):
    """Copy ready to be handed over, and the window as it was just checked. `to`: the file it is written to, if one
    was named."""

    wanted: CopyRequest
    copy: Copy
    window: Window
    to: str = ""


class CopyingScreen(Protocol):
    """The screen that copies are made from."""

    session: Session
    jobs: Jobs
    clipboard: Clipboard

    def say(self, notice: Notice) -> None:
        """Show a notice."""
        ...

    def did(self, command: str) -> None:
        """Count a first step."""
        ...


class WindowCopying:
    """Copies made from a screen. Secrets that a person has seen masked are remembered and not asked about twice."""

    def __init__(self, main: CopyingScreen, app: App[Any]) -> None:
        self._main = main
        self._app = app
        self._seen: frozenset[str] = frozenset()
        self.choice = CopyChoice()
        """How somebody copied last otherwise than usual."""

    def usual(self) -> CopyRequest | None:
        """Return the options of the settings; None while no workspace is open."""
        from services.prompt.items import CopyRequest

        bench = self._main.session.bench
        settings = bench.settings.window if bench else None
        return CopyRequest(form=settings.format, template=settings.template) if settings else None

    def last(self) -> CopyRequest | None:
        """The way that was chosen last in this workspace, the settings' where nothing was; None while none is open."""
        usual, choice = self.usual(), self.choice
        if usual is None:
            return None
        return replace(
            usual,
            form=choice.form or usual.form,
            template=choice.template or usual.template,
            task=choice.task,
            part_tokens=choice.part_tokens,
            tree=choice.tree,
            picture=choice.picture,
        )

    def remember(self, wanted: CopyRequest) -> None:
        """Begin the next time with how somebody chose to copy."""
        self.choice = CopyChoice(
            form=wanted.form,
            template=wanted.template,
            task=wanted.task,
            part_tokens=wanted.part_tokens,
            tree=wanted.tree,
            picture=wanted.picture,
        )

    def start(self, wanted: CopyRequest | None = None, *, to: str = "") -> None:
        """Copy as `wanted`, or as usual; into the file `to`, where one is named."""
        bench, wanted = self._main.session.bench, wanted or self.usual()
        if bench is not None and wanted is not None:
            self._main.jobs.run("copy", lambda: _prepared(bench, wanted, to), self._decide)

    def _decide(self, ready: _Ready) -> None:
        masked = {secret.code for secret in ready.copy.secrets if secret.masked}
        if masked <= self._seen:
            self._deliver(ready, 0)
            return

        def decided(decision: Decision | None) -> None:
            if decision is None:
                return
            self._seen |= masked - set(decision.once) - set(decision.always)
            if decision.changes_anything:
                self._again(ready, decision)
            else:
                self._deliver(ready, 0)

        self._app.push_screen(SecretsDialog(ready.copy.secrets), decided)

    def _again(self, ready: _Ready, decision: Decision) -> None:
        """Prepare it once more, with what was decided."""
        bench = self._main.session.bench
        if bench is None:
            return

        def call() -> _Ready:
            for code in decision.always:
                bench.copying.allow(code)
            for code in decision.masked:
                bench.copying.forbid(code)
            return _prepared(bench, replace(ready.wanted, allow=decision.once), ready.to)

        self._main.jobs.run("copy", call, lambda ready: self._deliver(ready, 0))

    def _deliver(self, ready: _Ready, part: int) -> None:
        bench = self._main.session.bench
        if bench is None:
            return
        last = part == len(ready.copy.parts) - 1

        def call() -> Copied:
            if ready.to:
                return _filed(bench, ready)
            copied = self._main.clipboard.copy(ready.copy.parts[part])
            gone = range(1, part + 1 + (copied.way is not CopyMethod.NONE))
            if gone and (last or copied.way is CopyMethod.NONE):
                bench.copying.keep(ready.copy, gone)
            return copied

        self._main.jobs.run("copy", call, lambda copied: self._delivered(ready, part, copied))

    def _delivered(self, ready: _Ready, part: int, copied: Copied) -> None:

        main, parts = self._main, len(ready.copy.parts)
        main.session.read_window()
        if copied.way is not CopyMethod.NONE:
            main.did("copy")
        if part == parts - 1 or copied.way is CopyMethod.NONE or ready.to:
            main.say(copied_notice(ready.window, ready.copy, copied))
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._deliver(ready, part + 1)
            else:
                bench, gone = main.session.bench, range(1, part + 2)
                if bench is not None:
                    main.jobs.run("receipt", lambda: bench.copying.keep(ready.copy, gone), lambda _: None)
                main.say(copied_notice(ready.window, ready.copy, copied, parts=part + 1))

        said = copied.sentence(f"Part {part + 1} of {parts}")
        self._app.push_screen(NextPart(part + 1, parts, said), answered)


def _prepared(bench: Bench, wanted: CopyRequest, to: str) -> _Ready:
    copy = bench.copying.prepare(wanted)
    return _Ready(wanted, copy, bench.window.render(), to)


def write_new(path: Path, text: str) -> str:
    """Write a file that is not there yet; return why it could not be, or nothing."""
    try:
        with path.open("xb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        return f"{path} could not be written: {error.strerror or error}."
    return ""


def _filed(bench: Bench, ready: _Ready) -> Copied:
    """All parts written to files, numbered where there are several; a file that is there already is left alone."""
    path = bench.root / Path(ready.to).expanduser()
    parts = ready.copy.parts
    names = (
        [path] if len(parts) == 1 else [path.with_stem(f"{path.stem}-{n}") for n in range(1, len(parts) + 1)]
    )
    for name, text in zip(names, parts, strict=True):
        if why := write_new(name, text):
            return Copied(CopyMethod.NONE, why=why)
    bench.copying.keep(ready.copy, range(1, len(parts) + 1))
    return Copied(CopyMethod.FILE, where=", ".join(map(str, names)))


def explained(window: Window) -> Content:
    """All of it, to be read."""
    parts = [Content.styled("How it is counted", "bold"), Content("\n".join(_counted(window)))]
    reasons = {each.key: each.reason for each in (*window.lowered, *window.omitted)}
    for title, pinned in (("Pinned, in the order of the text", True), ("Recent", False)):
        items = [item for item in window.items if item.pinned is pinned]
        if items:
            parts += [Content(""), Content.styled(title, "bold")]
            parts += [_item(item, reasons.get(item.key, ""), window) for item in items]
    listed = {item.key for item in window.items}
    gone = [each for each in window.omitted if each.key not in listed]
    if gone:
        parts += [Content(""), Content.styled("Left out", "bold")]
        parts += [Content(visible(f"  {each.label}: {each.reason}")) for each in gone]
    return Content("\n").join(parts)


def _counted(window: Window) -> list[str]:
    tokens = token_count(window.tokens, approximate=window.approximate)
    lines = [
        f"  {tokens} of {grouped(window.budget)} tokens for {visible(window.model)}, by {visible(window.tokenizer)}."
    ]
    if window.approximate:
        low, high = grouped(window.tokens_low or window.tokens), grouped(window.tokens_high or window.tokens)
        lines.append(
            f"  The model's own tokenizer cannot be had: it may count from {low} to {high}. The high end never passes "
            "the budget. `codecortex calibrate MODEL ACTUAL` narrows it."
        )
    else:
        lines.append("  That is exact.")
    pins = f"  Pins take {grouped(window.pinned_tokens)} of the {grouped(window.soft_budget)} tokens that they may."
    return [*lines, pins]


def _item(item: WindowItem, reason: str, window: Window) -> Content:
    flags = "".join(f" {FLAG_GLYPHS[flag]}" for flag in item.flags)
    cost = token_count(item.tokens, approximate=window.approximate)
    head = Content(visible(f"  {item.label}{flags}"))
    shown = f"shown as {item.level}" if item.level else "not shown"
    chosen = f", chosen as {item.wanted}" if item.wanted and item.wanted is not item.level else ""
    what = "members" if item.wanted is Level.OUTLINE else "bodies"
    members = f", with {len(item.members)} {what}" if item.members else ""
    lines = [f"{item.kind}, {shown}{chosen}{members}, {cost} tokens"]
    lines += [f"at {item.file}:{item.start_line}-{item.end_line}"] if item.file and item.start_line else []
    lines += [f"{item.state}: {item.state_detail}"] if item.state is not ItemState.FRESH else []
    lines += [reason] if reason else []
    return Content("\n").join([head, *(Content.styled(visible(f"      {line}"), "dim") for line in lines)])
