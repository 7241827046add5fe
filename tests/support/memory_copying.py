"""Copies, presets and models of a workspace in memory: one of each value, with text that a terminal must not
act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from services.model import Level, Window
from services.model.copies import (
    AllowedRow,
    Calibration,
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

EVIL = "Tree\x1b[31m\u202e"
ITEM = ReceiptItem(key="type:T_1", label=EVIL, hash="0" * 16, level=Level.OUTLINE, tokens=3)
RECEIPT = Receipt(
    id="20260101-000000-000-0000",
    at=0,
    model=EVIL,
    tokens=3,
    approximate=True,
    format="md",
    template="default",
    parts=2,
    hash="0" * 16,
    items=(ITEM,),
)
SECRET = SecretRow(
    code="3F9K6X",
    kind="jwt",
    placeholder="[[secret:jwt:3F9K6X]]",
    masked=True,
    key="file:Tree.cs",
    label=EVIL,
    line=3,
)
COPY = Copy(
    text=f"{EVIL}\n",
    parts=(f"{EVIL}\n", "two\n"),
    tokens=3,
    tokens_low=2,
    tokens_high=4,
    budget=100,
    receipt=RECEIPT,
    secrets=(SECRET,),
    changed=(EVIL,),
)


class _Templates:
    def names(self) -> Mapping[str, str]:
        return {EVIL: "workspace", "default": "program"}


class MemoryCopying:
    """Substitute for services.bench.copying.Copying."""

    def __init__(self) -> None:
        self.templates = _Templates()
        self.kept: list[Copy] = []

    def prepare(self, wanted: object) -> Copy:
        return COPY

    def keep(self, copy: Copy) -> None:
        self.kept.append(copy)

    def receipts(self, limit: int) -> ReceiptsAnswer:
        return ReceiptsAnswer(receipts=(RECEIPT,))

    def secrets(self) -> SecretsAnswer:
        return SecretsAnswer(secrets=(SECRET,), allowed=(AllowedRow(code="3F9K6Y", kind="jwt", where=EVIL),))

    def allow(self, code: str) -> SecretsAnswer:
        return self.secrets()

    def forbid(self, code: str) -> SecretsAnswer:
        return self.secrets()


class MemoryModels:
    """Substitute for services.bench.models.Models."""

    def rows(self) -> tuple[ModelRow, ...]:
        return (ModelRow(name=EVIL, tokenizer=EVIL, exact=False, factor=1.2, band=10, chosen=True),)


def calibration(model: str, actual: int, *, text: str) -> Calibration:
    """Return the result of calibrating."""
    return Calibration(
        model=EVIL,
        actual=actual,
        samples=1,
        factor=1.2,
        band=7,
        factor_before=1.3,
        band_before=15,
        tokens=1000,
        tokens_low=930,
        tokens_high=1070,
    )


class MemoryPresets:
    """Substitute for services.bench.presets.Presets."""

    def __init__(self, window: Callable[[], Window]) -> None:
        self._window = window

    def list(self) -> PresetsAnswer:
        rows = (
            PresetRow(name="a", pinned=1, recent=0, labels=(EVIL,)),
            PresetRow(name="b", pinned=0, recent=0, labels=(), problem=EVIL),
        )
        return PresetsAnswer(presets=rows, done=EVIL)

    def save(self, name: str) -> PresetsAnswer:
        return self.list()

    def delete(self, name: str) -> PresetsAnswer:
        return self.list()

    def load(self, name: str) -> Window:
        return self._window()

    def difference(self, first: str, second: str) -> PresetDiff:
        return PresetDiff(
            first=EVIL, second=second, only_first=(EVIL,), only_second=(EVIL,), changed=(EVIL,), same=1
        )
