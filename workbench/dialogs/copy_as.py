"""Copying in another way than usual: format, template, task, parts, only what changed. What comes of it is said on the
right before it is copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from services.errors import CodeCortexError
from services.prompt.state.wanted import Wanted
from widgets.format.token_count import grouped, token_count
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph
from workbench.dialogs.numbers import tokens_of
from workbench.state.bench_port import BenchPort

if TYPE_CHECKING:
    from services.model.copies import Copy

FORMATS = ("md", "xml", "json")
_NAMES = {"md": "Markdown", "xml": "XML documents", "json": "JSON"}
_LEAST_PART = 100


class CopyAs(Listing[Wanted | None]):
    """Answers how to copy."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("y,ctrl+y", "copy", "copy"),
        Key("space,right", "turn(1)", "change"),
        Key("left", "turn(-1)"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("copy-as", KEYS)

    def __init__(self, bench: BenchPort, wanted: Wanted) -> None:
        super().__init__("Copy as …", empty="")
        self._bench = bench
        self._wanted = wanted
        self._templates: tuple[str, ...] = (wanted.template,)
        self._made: Copy | CodeCortexError | None = None

    def read(self) -> None:
        """What templates there are, and what would be copied."""
        self.jobs.run("templates", lambda: tuple(self._bench.copying.templates.names()), self._named)
        self._change(self._wanted)

    def about(self, row: PickRow) -> Content:  # noqa: ARG002 - the whole is shown, whatever the row
        """What would be copied."""
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
        self.dismiss(self._wanted)

    def action_turn(self, steps: int) -> None:
        """The next value of a row, or a line to type it into."""
        wanted = self._wanted
        if self.current == "task":
            self.ask("What the model is to do", self._set_task, value=wanted.task)
        elif self.current == "parts":
            value = str(wanted.part_tokens or "")
            self.ask("Most tokens of a part, as in 8k; empty: one text", self._set_length, value=value)
        elif self.current == "format":
            self._change(replace(wanted, form=_next(FORMATS, wanted.form, steps)))
        elif self.current == "template":
            self._change(replace(wanted, template=_next(self._templates, wanted.template, steps)))
        elif wanted.since is not None or wanted.changed:
            self._change(replace(wanted, since=None, changed=False))
        else:
            self._change(replace(wanted, changed=True))

    def _set_task(self, text: str) -> None:
        self.answered()
        self._change(replace(self._wanted, task=text))

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

    def _change(self, wanted: Wanted) -> None:
        self._wanted, self._made = wanted, None
        self._show()
        self.jobs.run(
            "made", lambda: self._bench.copying.prepare(wanted), self._show_made, failed=self._refused
        )

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
        self.set_rows(
            [
                PickRow("format", "Format", _NAMES.get(wanted.form, wanted.form)),
                PickRow("template", "Template", wanted.template),
                PickRow("task", "Task", wanted.task or "none"),
                PickRow("parts", "Length", parts),
                PickRow("only", "What", since if only else "everything"),
            ]
        )


def _next(values: Sequence[str], value: str, steps: int) -> str:
    at = values.index(value) if value in values else 0
    return values[(at + steps) % len(values)]
