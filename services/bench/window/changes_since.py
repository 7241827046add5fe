"""Difference of the window since a copy: items to hand over again, and items still valid."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

import msgspec

from services.errors import UsageError
from services.model import ItemFlag, Level, WindowItem
from services.model.copies import Receipt, ReceiptItem
from services.prompt import receipts
from services.prompt.receipts import Part
from services.prompt.render.shown import BESIDE, Rendering, Shown

_LEVELS = tuple(Level)
_LESSENED = frozenset((ItemFlag.LOWERED, ItemFlag.CUT))


class Difference(msgspec.Struct, frozen=True):
    """Items changed since a receipt, in the order of the window."""

    receipt: Receipt
    changed: tuple[Shown, ...]
    added: tuple[Shown, ...]
    gone: tuple[ReceiptItem, ...]

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of the items to copy again."""
        return frozenset(shown.key for shown in (*self.changed, *self.added))


def difference_since(since: Receipt, render: Callable[[frozenset[str] | None], Rendering]) -> Difference:
    """Return the difference between a receipt and the window. `render`: the whole window, or some of its items
    alone.

    What found no room in the whole window is looked at without the rest: it may have changed, and is copied without
    the rest. Raises UsageError where nothing changed."""
    made = render(None)
    known = {item.key: item for item in since.items}
    items = {
        item.key: item for item in made.window.items if ItemFlag.VANISHED not in item.flags and item.copied
    }
    now = {shown.key: shown for shown in made.shown}
    if unseen := frozenset(items.keys() - now.keys()):
        alone = render(unseen)
        now |= {shown.key: shown for shown in alone.shown}
        items |= {item.key: item for item in alone.window.items if item.copied}
    again = [now[key] for key in items if key in now and not _has(known.get(key), now[key], items[key])]
    changed = tuple(shown for shown in again if shown.key in known)
    added = tuple(shown for shown in again if shown.key not in known)
    gone = tuple(item for item in since.items if item.key not in items)
    if not changed and not added and not gone:
        raise UsageError(
            f"Nothing changed since the copy of {receipts.when(since)}; there is nothing to hand over.",
            receipt=since.id,
        )
    return Difference(since, changed, added, gone)


def receipt_items(made: Rendering, difference: Difference | None) -> tuple[ReceiptItem, ...]:
    """Return the items that the model has now: those of this copy, and unchanged ones of earlier copies."""
    labels = {item.key: item.label for item in made.window.items}
    sent = [
        ReceiptItem(
            key=shown.key,
            label=labels[shown.key],
            hash=receipts.digest(shown.text),
            version=receipts.digest(shown.version),
            level=shown.level,
            tokens=shown.tokens,
        )
        for shown in made.shown
    ]
    if difference is None:
        return tuple(sent)
    replaced = {item.key for item in (*sent, *difference.gone)} | difference.keys
    stands = [item for item in difference.receipt.items if item.key not in replaced]
    return (*(msgspec.structs.replace(item, sent=False) for item in stands), *sent)


def placed(items: Sequence[ReceiptItem], made: Rendering, parts: Sequence[Part]) -> tuple[ReceiptItem, ...]:
    """Return the items with the parts that contain their text, all of them where it occurs several times: which of
    them is the item's is unknown. One whose text is not found whole is in every part."""
    if len(parts) < 2:
        return tuple(items)
    text = "".join(part.content for part in parts)
    ends = list(accumulate(len(part.content) for part in parts))
    texts, everywhere = {shown.key: shown.text for shown in made.shown}, range(1, len(parts) + 1)

    def where(item: ReceiptItem) -> tuple[int, ...]:
        shown = texts.get(item.key, "")
        found: set[int] = set()
        at = text.find(shown) if shown else -1
        while at >= 0:
            found.update(range(bisect_right(ends, at) + 1, bisect_left(ends, at + len(shown)) + 2))
            at = text.find(shown, at + 1)
        return tuple(sorted(found or everywhere))

    return tuple(msgspec.structs.replace(item, parts=where(item)) if item.sent else item for item in items)


def labels_of(made: Rendering, shown: Sequence[Shown]) -> tuple[str, ...]:
    """Return the labels of items for people."""
    labels = {item.key: item.label for item in made.window.items}
    return tuple(labels.get(each.key, each.key) for each in shown)


def _has(known: ReceiptItem | None, shown: Shown, item: WindowItem) -> bool:
    """Whether the model has an item as it is now: the same text, or as much of the same source and more, where the
    window shows less for want of room alone."""
    if known is None:
        return False
    if (known.hash, known.level) == (receipts.digest(shown.text), shown.level):
        return True
    same_source = known.version in map(receipts.digest, (shown.version, shown.version.partition(BESIDE)[0]))
    lessened = not _LESSENED.isdisjoint(item.flags)
    return same_source and lessened and _LEVELS.index(shown.level) <= _LEVELS.index(known.level)
