"""Copy with other options than usual: format, template, task, parts, only changes. The result is previewed on the
right.

Words of one's own, pinned for the model to read.

What was handed over, when and to which model; and copying only what changed since.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import BindingType
from textual.content import Content

from services.errors import CodeCortexError
from services.prompt.items import CopyRequest
from widgets.format.shorten import counted, grouped, token_count
from widgets.lists.pick_list import PickList, PickRow
from widgets.text.outline_view import OutlineView
from workbench.dialogs.base import Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph, tokens_of
from workbench.ui.modal import TextScreen

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model import GraphAnswer
    from services.model.copies import Copy, Receipt, ReceiptsAnswer


FORMATS = ("md", "xml", "json")
_NAMES = {"md": "Markdown", "xml": "XML documents", "json": "JSON"}
_LEAST_PART = 100
_TREE, _PICTURE = "tree", "picture"


class CopyAnswer(Struct, frozen=True):
    """How to copy. `file`: where to, the clipboard where it is empty."""

    wanted: CopyRequest
    file: str = ""


class CopyAs(Listing[CopyAnswer | None]):
    """Answers how to copy, and where to."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("y,ctrl+y", "copy", "copy"),
        Key("f", "file", "to a file"),
        Key("v", "preview", "preview"),
        Key("space,right", "turn(1)", "change"),
        Key("left", "turn(-1)"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("copy-as", KEYS)

    def __init__(self, bench: Bench, wanted: CopyRequest) -> None:
        super().__init__("Copy as …", empty="")
        self._bench = bench
        self._wanted = wanted
        self._templates: tuple[str, ...] = (wanted.template,)
        self._made: Copy | CodeCortexError | None = None
        self._drawn: int | None = None
        self._lacks = ""
        """Tokens of the picture of the window, -1 while they are counted; None before."""

    def read(self) -> None:
        """Read the templates, and preview the copy."""
        self.jobs.run("templates", lambda: tuple(self._bench.copying.templates.names()), self._named)
        self._change(self._wanted)

    def about(self, row: PickRow) -> Content:  # noqa: ARG002 - the whole is shown, whatever the row
        """Return the preview of the copy."""
        made = self._made
        if made is None:
            return Content("Looking at every file again …")
        if isinstance(made, CodeCortexError):
            return paragraph("It cannot be copied so", [made.message])
        masked = sum(secret.masked for secret in made.secrets)
        lines = facts(
            ("tokens", token_count(made.tokens, approximate=made.receipt.approximate)),
            ("at most", grouped(made.tokens_high) if made.receipt.approximate else ""),
            ("of", grouped(made.budget)),
            ("items", grouped(sum(item.sent for item in made.receipt.items))),
            ("parts", grouped(len(made.parts)) if len(made.parts) > 1 else ""),
            ("secrets", f"{masked} masked" if masked else ""),
        )
        return (
            lines
            + paragraph("Changed", made.changed)
            + paragraph("Added", made.added)
            + paragraph("No longer there", made.gone)
            + paragraph("Left out", [f"{each.label}: {each.reason}" for each in made.omitted])
        )

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter changes a row."""
        event.stop()
        self.action_turn(1)

    def action_copy(self) -> None:
        """Copy it so."""
        self.dismiss(CopyAnswer(self._wanted))

    def action_file(self) -> None:
        """Write it to a file."""
        ending = {"md": "md", "xml": "xml", "json": "json"}[self._wanted.form]
        self.ask("A new file, from the folder of the workspace on", self._set_file, offer=f"window.{ending}")

    def action_preview(self) -> None:
        """Show the exact text."""
        from services.model.copies import Copy

        if isinstance(self._made, Copy):
            title = f"What would be copied: {grouped(self._made.tokens)} tokens"
            self.app.push_screen(TextScreen(title, OutlineView("\n".join(self._made.parts))))

    def action_turn(self, steps: int) -> None:
        """The next value of a row, or a line to type it into."""
        wanted = self._wanted
        if self.current == "task":
            self.ask("What the model is to do", self._set_task, value=wanted.task)
        elif self.current == "parts":
            value = str(wanted.part_tokens or "")
            self.ask("Most tokens of a part, as in 8k; empty: one text", self._set_length, offer=value)
        elif self.current == "format":
            self._change(replace(wanted, form=_next(FORMATS, wanted.form, steps)))
        elif self.current == "template":
            self._change(replace(wanted, template=_next(self._templates, wanted.template, steps)))
        elif self.current in (_TREE, _PICTURE):
            self._change(replace(wanted, **{self.current: not getattr(wanted, self.current)}))
        elif wanted.since is not None or wanted.changed:
            self._change(replace(wanted, since=None, changed=False))
        else:
            self._change(replace(wanted, changed=True))

    def _set_task(self, text: str) -> None:
        self.answered()
        self._change(replace(self._wanted, task=text))

    def _set_file(self, path: str) -> None:
        self.answered()
        if path:
            self.dismiss(CopyAnswer(self._wanted, path))

    def _set_length(self, text: str) -> None:
        tokens = tokens_of(text) if text else None
        if text and (tokens is None or tokens < _LEAST_PART):
            self.remark(f"{text!r} is no number of tokens from {_LEAST_PART} on: 8000, 8k.")
            return
        self.answered()
        self._change(replace(self._wanted, part_tokens=tokens))

    def _named(self, names: tuple[str, ...]) -> None:
        self._templates = names
        self._show()

    def _change(self, wanted: CopyRequest) -> None:
        self._wanted, self._made = wanted, None
        self._show()
        self.jobs.run(
            "made", lambda: self._bench.copying.prepare(wanted), self._show_made, failed=self._refused
        )
        if self._drawn is None:
            self._drawn = -1
            self.jobs.run("drawn", self._bench.pictures.picture, self._show_drawn)

    def _show_drawn(self, drawn: GraphAnswer) -> None:
        self._drawn, self._lacks = drawn.tokens, drawn.lacks
        self._show()

    @property
    def _pictured(self) -> str:
        return "how types hang together" + (f"; {self._lacks.rstrip('.')}" if self._lacks else "")

    def _show_made(self, made: Copy) -> None:
        self._made = made
        self._show()

    def _refused(self, error: Exception) -> None:
        if not isinstance(error, CodeCortexError):
            raise error
        self._made = error
        self._show()

    def _show(self) -> None:
        wanted = self._wanted
        only = wanted.changed or wanted.since is not None
        since = (
            f"only what changed since {wanted.since}"
            if wanted.since
            else "only what changed since the last copy"
        )
        parts = f"parts of {grouped(wanted.part_tokens)} tokens" if wanted.part_tokens else "one text"
        drawn = f"+{grouped(self._drawn)}" if self._drawn is not None and self._drawn >= 0 else ""
        self.set_rows(
            [
                PickRow("format", "Format", _NAMES.get(wanted.form, wanted.form)),
                PickRow("template", "Template", wanted.template),
                PickRow("task", "Task", wanted.task or "none"),
                PickRow("parts", "Length", parts),
                PickRow("only", "What", since if only else "everything"),
                PickRow(_TREE, "Folders", "with the tree of folders" if wanted.tree else "no"),
                PickRow(_PICTURE, "Picture", self._pictured if wanted.picture else "no", tail=drawn),
            ]
        )


def _next(values: Sequence[str], value: str, steps: int) -> str:
    at = values.index(value) if value in values else 0
    return values[(at + steps) % len(values)]


class NoteScreen(TextBox[str | None]):
    """Answers what was typed; None where nothing was."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "pin", "pin it"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("note", KEYS)

    def __init__(self, text: str = "") -> None:
        super().__init__("A note for the model", text=text)

    def action_pin(self) -> None:
        """Answer what was typed."""
        self.dismiss(self.editor.text.strip() or None)


_MOST = 200


class ReceiptsScreen(Listing[CopyRequest | None]):
    """Answers what to copy, where somebody wants that."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("c,y", "changed", "copy what changed since", row=True),
        Key("a", "again", "copy so again", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("receipts", KEYS)

    def __init__(self, bench: Bench) -> None:
        super().__init__("Copies", empty="Nothing was copied yet: {copy:y} copies the window")
        self._bench = bench
        self._receipts: dict[str, Receipt] = {}

    def read(self) -> None:
        """Read the earlier copies."""
        self.jobs.run("receipts", lambda: self._bench.copying.receipts(_MOST), self._show)

    def about(self, row: PickRow) -> Content:
        """A copy and its items."""
        receipt = self._receipts[row.value]
        items = [f"{each.label}  {each.level}  {grouped(each.tokens)}" for each in receipt.items if each.sent]
        stands = [each.label for each in receipt.items if not each.sent]
        head = facts(
            ("when", f"{_when(receipt):%Y-%m-%d %H:%M:%S}"),
            ("model", receipt.model),
            ("tokens", token_count(receipt.tokens, approximate=receipt.approximate)),
            ("format", receipt.format),
            ("template", receipt.template if receipt.template != "default" else ""),
            ("parts", grouped(receipt.parts) if receipt.parts > 1 else ""),
            ("since", receipt.since or ""),
            ("id", receipt.id),
        )
        return head + paragraph("Items", items) + paragraph("Still standing from before", stands)

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter copies what changed since."""
        event.stop()
        self.action_changed()

    def action_changed(self) -> None:
        """Copy what changed since the copy under the cursor."""
        if receipt := self._receipts.get(self.current):
            self.dismiss(CopyRequest(form=receipt.format, template=receipt.template, since=receipt.id))

    def action_again(self) -> None:
        """Copy the window as it is now, in the same way."""
        if receipt := self._receipts.get(self.current):
            self.dismiss(CopyRequest(form=receipt.format, template=receipt.template))

    def _show(self, answer: ReceiptsAnswer) -> None:
        self._receipts = {receipt.id: receipt for receipt in answer.receipts}
        self.set_rows([_row(receipt) for receipt in answer.receipts])


def _row(receipt: Receipt) -> PickRow:
    tokens = token_count(receipt.tokens, approximate=receipt.approximate)
    only = "changes" if receipt.since else counted(len(receipt.items), "item")
    return PickRow(receipt.id, f"{_when(receipt):%m-%d %H:%M}", f"{receipt.model} · {only}", tail=tokens)


def _when(receipt: Receipt) -> datetime:
    return datetime.fromtimestamp(receipt.at / 1000).astimezone()
