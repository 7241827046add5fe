"""Values about copying, presets and models that cross a boundary."""

from __future__ import annotations

import msgspec

from services.model import Level, Omitted, Value

CURRENT = "current"
"""Names the window as it is, where two presets are compared."""


class ModelRow(Value, kw_only=True, frozen=True):
    """A model to choose from. `context`: tokens it can read, `budget`: those that a window for it takes by itself; None
    where that is not known. `factor`, `band`: of an approximation, the band in percent either way; `source`: program,
    settings or calibrated."""

    name: str
    tokenizer: str
    exact: bool
    factor: float = 1.0
    band: int = 0
    context: int | None = None
    budget: int | None = None
    per_message: int = 0
    per_item: int = 0
    source: str = "program"
    chosen: bool = False


class ModelsAnswer(Value, kw_only=True, frozen=True):
    """The models to choose from."""

    models: tuple[ModelRow, ...]


class Calibration(Value, kw_only=True, frozen=True):
    """Calibration by a real count. `tokens`: of the window as counted from now on, somewhere from `tokens_low` to
    `tokens_high`; `samples`: how many counts of the model are known."""

    model: str
    actual: int
    samples: int
    factor: float
    band: int
    factor_before: float
    band_before: int
    tokens: int
    tokens_low: int
    tokens_high: int


class SecretRow(Value, kw_only=True, frozen=True):
    """Likely secret in the window. `code`: names it in other operations; `masked`: whether `placeholder` replaces
    it; `key`, `label`: of the item; `line`: of `file` where that is known, else of the item's text."""

    code: str
    kind: str
    placeholder: str
    masked: bool
    key: str
    label: str
    line: int
    file: str | None = None


class AllowedRow(Value, kw_only=True, frozen=True):
    """A secret that is always let through. `where`: file and line when that was decided."""

    code: str
    kind: str
    where: str


class SecretsAnswer(Value, kw_only=True, frozen=True):
    """The likely secrets of the window, and those that are let through wherever they are."""

    secrets: tuple[SecretRow, ...]
    allowed: tuple[AllowedRow, ...] = ()


class ReceiptItem(Value, kw_only=True, frozen=True):
    """An item that was handed over. `hash`: of its text as shown, at `level`; `version`: of its source; `sent`: with
    this copy, not an earlier one that this one goes on from; `parts`: the numbers of those that its text stands in, of
    a copy in several."""

    key: str
    label: str
    hash: str
    level: Level
    tokens: int
    version: str = ""
    sent: bool = True
    parts: tuple[int, ...] = ()


class Receipt(Value, kw_only=True, frozen=True):
    """Receipt of a copy. `at`: ms since 1970; `since`: the receipt that the copy continues; `hash`: of the text;
    `delivered`: the numbers of the parts that were copied, where not all were; `files`: hash of the whole text
    at that time, by path, for files whose lines were included."""

    id: str
    at: int
    model: str
    tokens: int
    approximate: bool
    format: str
    template: str
    parts: int
    hash: str
    items: tuple[ReceiptItem, ...]
    since: str | None = None
    delivered: tuple[int, ...] = ()
    files: dict[str, str] = msgspec.field(default_factory=dict)


class ReceiptsAnswer(Value, kw_only=True, frozen=True):
    """Receipts of copies, latest first."""

    receipts: tuple[Receipt, ...]


class Copy(Value, kw_only=True, frozen=True):
    """A text to be handed over, checked against the disk, with secrets masked. `parts`: the text, or numbered parts of
    it; `changed`, `added`, `gone`: labels of items, where only what changed since a receipt is copied; `unkept`: why no
    receipt is kept, as a sentence; empty where one is."""

    text: str
    parts: tuple[str, ...]
    tokens: int
    tokens_low: int
    tokens_high: int
    budget: int
    receipt: Receipt
    omitted: tuple[Omitted, ...] = ()
    secrets: tuple[SecretRow, ...] = ()
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unkept: str = ""


class PresetRow(Value, kw_only=True, frozen=True):
    """A preset. `labels`: of its pinned items; `problem`: a sentence, where its file cannot be read."""

    name: str
    pinned: int
    recent: int
    labels: tuple[str, ...]
    problem: str = ""


class PresetsAnswer(Value, kw_only=True, frozen=True):
    """The presets there are. `done`: what was done to which, as a sentence; empty where they were only listed."""

    presets: tuple[PresetRow, ...]
    done: str = ""


class PresetDiff(Value, kw_only=True, frozen=True):
    """Difference between two presets, as labels. `changed`: `label: pinned -> recent`; `same`: how many items are
    equal in both; `reordered`: whether the common pinned items are in another order."""

    first: str
    second: str
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    changed: tuple[str, ...]
    same: int
    reordered: bool = False


class TemplateRow(Value, kw_only=True, frozen=True):
    """A template. `source`: workspace, user or program."""

    name: str
    source: str


class TemplatesAnswer(Value, kw_only=True, frozen=True):
    """The templates there are."""

    templates: tuple[TemplateRow, ...]


class Citation(Value, kw_only=True, frozen=True):
    """A place that an answer of a model names. `start`, `end`: characters of the answer; `target`: what opens it;
    `problem`: why it leads nowhere, or empty."""

    text: str
    start: int
    end: int
    target: str = ""
    problem: str = ""
