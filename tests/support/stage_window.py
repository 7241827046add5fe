"""Prompt window of scripted services: copies, advice, packs, presets, models; all in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from services.errors import UsageError
from services.model import (
    Completeness,
    Kind,
    Level,
    Missing,
    Pack,
    PackInfo,
    PackType,
    Suggestion,
    Suggestions,
    SymbolRef,
    Unneeded,
    Window,
)
from services.model.copies import (
    Copy,
    ModelRow,
    PresetDiff,
    PresetRow,
    PresetsAnswer,
    Receipt,
    ReceiptItem,
    ReceiptsAnswer,
    SecretRow,
    SecretsAnswer,
)
from services.prompt.items import CopyRequest
from services.prompt.pack_files import parse

AT = 1_700_000_000_000
SECRET = SecretRow(
    code="3F9K6X",
    kind="jwt",
    placeholder="[[secret:jwt:3F9K6X]]",
    masked=True,
    key="type:T_AAAAAAAA",
    label="Tree",
    line=9,
    file="src/[b]Tree.cs",
)
LEAF = SymbolRef(
    id="T_EEEEEEEE",
    kind=Kind.STRUCT,
    label="Leaf",
    path="Orchard.Leaf",
    container="Orchard",
    file="src/Leaf.cs",
    start_line=3,
    end_line=9,
    project="Orchard",
    access="public",
)
BARK = msgspec.structs.replace(LEAF, id="T_FFFFFFFF", label="Bark", path="Orchard.Bark")


class StageUndo:
    """Remembers what was done and undone; the window itself stays."""

    def __init__(self) -> None:
        self.done: list[tuple[str, Window]] = []
        self.undone: list[tuple[str, Window]] = []

    @property
    def last(self) -> str:
        return self.done[-1][0] if self.done else ""

    def doing(self, what: str, act: Callable[[], Window]) -> Window:
        window = act()
        self.done.append((what, window))
        return window

    @property
    def next(self) -> str:
        return self.undone[-1][0] if self.undone else ""

    def undo(self) -> tuple[str, Window]:
        self.undone.append(self.done.pop())
        return self.undone[-1]

    def redo(self) -> tuple[str, Window]:
        self.done.append(self.undone.pop())
        return self.done[-1]


class _Templates:
    def names(self) -> Mapping[str, str]:
        return {"default": "program", "task-last": "program"}


class StageCopying:
    """Copies the window; `secrets` are in it, `parts` is into how many it is split."""

    def __init__(self, window: Callable[[], Window]) -> None:
        self._window = window
        self.templates = _Templates()
        self.secrets: tuple[SecretRow, ...] = ()
        self.always: list[str] = []
        self.forbidden: list[str] = []
        self.wanted: list[CopyRequest] = []
        self.kept: list[Copy] = []
        self.delivered: list[tuple[int, ...]] = []

    def prepare(self, wanted: CopyRequest) -> Copy:
        self.wanted.append(wanted)
        if wanted.changed and not self.kept:
            raise UsageError("Nothing was copied for gpt-5 yet. Copy the whole window first.")
        window = self._window()
        open_ = {*wanted.allow, *self.always}
        text = window.text + "".join(
            "the secret\n" if each.code in open_ else f"{each.placeholder}\n" for each in self.secrets
        )
        parts = tuple(text.splitlines(keepends=True)) if wanted.part_tokens else (text,)
        items = tuple(
            ReceiptItem(key=item.key, label=item.label, hash="0", level=Level.OUTLINE, tokens=item.tokens)
            for item in window.items
        )
        receipt = Receipt(
            id="20260101-000000-000-0000",
            at=AT,
            model=window.model,
            tokens=window.tokens,
            approximate=window.approximate,
            format=wanted.form,
            template=wanted.template,
            parts=len(parts),
            hash="0" * 16,
            items=items,
            since=wanted.since,
        )
        return Copy(
            text=text,
            parts=parts,
            tokens=window.tokens,
            tokens_low=window.tokens_low or window.tokens,
            tokens_high=window.tokens_high or window.tokens,
            budget=window.budget,
            receipt=receipt,
            secrets=tuple(
                msgspec.structs.replace(each, masked=each.code not in open_) for each in self.secrets
            ),
            changed=("Tree",) if wanted.changed or wanted.since else (),
        )

    def keep(self, copy: Copy, delivered: Collection[int] | None = None) -> None:
        self.kept.append(copy)
        self.delivered.append(tuple(delivered or ()))

    def allow(self, code: str) -> SecretsAnswer:
        self.always.append(code)
        return SecretsAnswer(secrets=self.secrets)

    def forbid(self, code: str) -> SecretsAnswer:
        self.forbidden.append(code)
        self.always = [each for each in self.always if each != code]
        return SecretsAnswer(secrets=self.secrets)

    def receipts(self, limit: int) -> ReceiptsAnswer:
        return ReceiptsAnswer(receipts=tuple(copy.receipt for copy in reversed(self.kept))[:limit])


class StageAdvice:
    """`lacking`: whether Leaf and Bark are missing where anything is pinned, of which only Leaf fits."""

    def __init__(self, window: Callable[[], Window]) -> None:
        self._window = window
        self.lacking = False
        self.added = 0

    def completeness(self, *, add: bool = False, budget: int | None = None) -> Completeness:
        pinned = [item for item in self._window().items if item.pinned]
        self.added += add
        there = self.lacking and bool(pinned) and not self.added
        missing = (
            Missing(symbol=LEAF, named=3, used=1, signature=12, outline=412, by=("type:T_AAAAAAAA",),
                    suggested=Level.OUTLINE),
            Missing(symbol=BARK, named=0, used=2, signature=900, outline=4_120),
        )  # fmt: skip
        return Completeness(
            referred=5,
            shown=3,
            types=5,
            types_shown=3,
            missing=missing if there else (),
            unneeded=tuple(
                Unneeded(key=item.key, label=item.label, tokens=item.tokens, refers=1) for item in pinned[1:]
            )
            if self.lacking
            else (),
            room=500,
            suggested_tokens=412 if there else 0,
        )

    def suggestions(self, *, limit: int = 20) -> Suggestions:
        found = (Suggestion(symbol=BARK, score=1.0, reason="used by Tree and [bold]Leaf"),)
        return Suggestions(suggestions=found, basis=1, elapsed_ms=1.0)


class StagePacks:
    """Packs by name; every filter matches Leaf."""

    def __init__(self) -> None:
        self.kept: dict[str, PackInfo] = {}

    def all(self) -> tuple[PackInfo, ...]:
        return tuple(self.kept[name] for name in sorted(self.kept))

    def build(
        self,
        name: str,
        *,
        filter: str | None = None,  # noqa: A002
        types: Sequence[str] | None = None,
        budget: int | None = None,
    ) -> Pack:
        known = self.kept.get(name)
        if " " in name:
            raise UsageError(f"{name!r} is no name for a pack.")
        wanted = filter if filter is not None else known.filter if known else ""
        parse(wanted)
        room = budget or (known.budget if known else 8_000)
        self.kept[name] = PackInfo(
            name=name, filter=wanted, types=1, tokens=412, budget=room, built_at=AT,
            active=bool(known and known.active),
        )  # fmt: skip
        leaf = PackType(id=LEAF.id, name=LEAF.path, level=Level.OUTLINE, tokens=412, chosen=True)
        return Pack(
            name=name, filter=wanted, text="# Leaf\n", tokens=412, budget=room, tokenizer="o200k_base",
            types=(leaf,), built_at=AT,
        )  # fmt: skip

    def activate(self, name: str, *, active: bool = True) -> PackInfo:
        self.kept[name] = msgspec.structs.replace(self.kept[name], active=active)
        return self.kept[name]

    def delete(self, name: str) -> None:
        del self.kept[name]


class StagePresets:
    """Labels of what was pinned, by name."""

    def __init__(self, window: Callable[[], Window]) -> None:
        self._window = window
        self.kept: dict[str, tuple[str, ...]] = {}
        self.loaded: list[str] = []

    def list(self, done: str = "") -> PresetsAnswer:
        rows = (
            PresetRow(name=name, pinned=len(labels), recent=0, labels=labels)
            for name, labels in sorted(self.kept.items())
        )
        return PresetsAnswer(presets=tuple(rows), done=done)

    def save(self, name: str) -> PresetsAnswer:
        if " " in name:
            raise UsageError(f"{name!r} is no name for a preset.")
        self.kept[name] = self._labels()
        return self.list(f"{len(self.kept[name])} pinned and 0 recent items kept as {name}.")

    def load(self, name: str) -> Window:
        self.loaded.append(name)
        return self._window()

    def delete(self, name: str) -> PresetsAnswer:
        del self.kept[name]
        return self.list(f"{name} removed.")

    def difference(self, first: str, second: str = "current") -> PresetDiff:
        one = self.kept[first]
        other = self._labels() if second == "current" else self.kept[second]
        return PresetDiff(
            first=first,
            second=second,
            only_first=tuple(label for label in one if label not in other),
            only_second=tuple(label for label in other if label not in one),
            changed=(),
            same=len(set(one) & set(other)),
        )

    def _labels(self) -> tuple[str, ...]:
        return tuple(item.label for item in self._window().items if item.pinned)


@dataclass
class StageModels:
    """gpt-5, which is exact, and a Claude, which is not."""

    def __init__(self, calls: list[str]) -> None:
        self._calls = calls
        self.model = "gpt-5"
        self.budget: int | None = None

    def choose(self, model: str | None, budget: int | None) -> None:
        self._calls.append(f"choose {model} {budget}")
        if budget is not None and budget < 100:
            raise UsageError(f"A window has a budget from 100 to 10000000 tokens, not {budget}.")
        self.model, self.budget = model or "gpt-5", budget

    def rows(self) -> tuple[ModelRow, ...]:
        known = (
            ModelRow(name="gpt-5", tokenizer="o200k_base", exact=True, context=400_000, per_message=7),
            ModelRow(
                name="claude-opus", tokenizer="claude", exact=False, factor=1.3, band=15, context=200_000
            ),
        )
        other = () if self.model in ("gpt-5", "claude-opus") else (
            ModelRow(name=self.model, tokenizer="unknown", exact=False, factor=1.2, band=25),
        )  # fmt: skip
        return tuple(msgspec.structs.replace(row, chosen=row.name == self.model) for row in (*known, *other))

    def counted(self, tokens: int) -> dict[str, Any]:
        """Return the fields of a window about its token count."""
        if self.model == "gpt-5":
            return {"model": "gpt-5", "tokenizer": "o200k_base"}
        return {
            "model": self.model, "tokenizer": "claude", "approximate": True,
            "tokens_low": tokens * 85 // 100, "tokens_high": tokens * 115 // 100,
        }  # fmt: skip
