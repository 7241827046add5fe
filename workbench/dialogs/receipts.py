"""What was handed over, when and to which model; and copying only what changed since."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from services.prompt.state.wanted import Wanted
from widgets.format.token_count import counted, grouped, token_count
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph
from workbench.state.bench_port import BenchPort

if TYPE_CHECKING:
    from services.model.copies import Receipt, ReceiptsAnswer

_MOST = 200


class ReceiptsScreen(Listing[Wanted | None]):
    """Answers what to copy, where somebody wants that."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("c,y", "changed", "copy what changed since", row=True),
        Key("a", "again", "copy so again", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("receipts", KEYS)

    def __init__(self, bench: BenchPort) -> None:
        super().__init__("Copies", empty="Nothing was copied yet: {copy:y} copies the window")
        self._bench = bench
        self._receipts: dict[str, Receipt] = {}

    def read(self) -> None:
        """What was copied."""
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
            self.dismiss(Wanted(form=receipt.format, template=receipt.template, since=receipt.id))

    def action_again(self) -> None:
        """Copy the window as it is now, in the same way."""
        if receipt := self._receipts.get(self.current):
            self.dismiss(Wanted(form=receipt.format, template=receipt.template))

    def _show(self, answer: ReceiptsAnswer) -> None:
        self._receipts = {receipt.id: receipt for receipt in answer.receipts}
        self.set_rows([_row(receipt) for receipt in answer.receipts])


def _row(receipt: Receipt) -> PickRow:
    tokens = token_count(receipt.tokens, approximate=receipt.approximate)
    only = "changes" if receipt.since else counted(len(receipt.items), "item")
    return PickRow(receipt.id, f"{_when(receipt):%m-%d %H:%M}", f"{receipt.model} · {only}", tail=tokens)


def _when(receipt: Receipt) -> datetime:
    return datetime.fromtimestamp(receipt.at / 1000).astimezone()
