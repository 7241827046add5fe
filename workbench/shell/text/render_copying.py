"""Copies, receipts, secrets, models and presets as text for a person at a shell."""

from __future__ import annotations

from datetime import datetime

from services.model.copies import (
    Calibration,
    Copy,
    ModelRow,
    ModelsAnswer,
    PresetDiff,
    PresetRow,
    PresetsAnswer,
    Receipt,
    ReceiptsAnswer,
    SecretRow,
    SecretsAnswer,
    TemplatesAnswer,
)
from widgets.format.display import visible
from widgets.format.shorten import noun
from workbench.shell.text.render import Look, counted, number, render, tokens

_LABELS = 8
"""Of more items than these a preset's others are counted: its file and `--json` name them all."""


@render.register
def _(result: Copy, look: Look) -> str:
    """Print the text itself: another target is reported by the command."""
    text = "\n".join(result.parts)
    return look.source(text) if look.terminal else text


def copy_facts(result: Copy) -> list[str]:
    """Return the facts of a copy for a person, as sentences without a line end."""
    receipt = result.receipt
    count = tokens(result.tokens, receipt.approximate)
    band = f" ({number(result.tokens_low)} to {number(result.tokens_high)})" if receipt.approximate else ""
    sent = sum(item.sent for item in receipt.items)
    facts = [f"{counted(sent, 'item')}, {count}{band} of {number(result.budget)} tokens for {receipt.model}"]
    if len(result.parts) > 1:
        facts.append(f"in {len(result.parts)} parts")
    facts += [f"{len(labels)} {what}: {', '.join(labels)}" for what, labels in _changes(result) if labels]
    masked = sum(row.masked for row in result.secrets)
    if masked:
        facts.append(f"{counted(masked, 'likely secret')} masked (`codecortex secrets` lists them)")
    if result.omitted:
        facts.append(f"{counted(len(result.omitted), 'item does', 'items do')} not fit")
    return [visible(fact) for fact in facts]


def _changes(result: Copy) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (("changed", result.changed), ("new", result.added), ("gone", result.gone))


@render.register
def _(result: ReceiptsAnswer, look: Look) -> str:
    return "".join(render(receipt, look) for receipt in result.receipts) or look.dim(
        "Nothing was copied yet.\n"
    )


@render.register
def _(result: Receipt, look: Look) -> str:
    when = datetime.fromtimestamp(result.at / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
    what = counted(len(result.items), "item") + (
        f", what changed since {result.since}" if result.since else ""
    )
    size = f"{tokens(result.tokens, result.approximate)} tokens"
    return f"{look.bold(result.id)}  {when}  {visible(result.model)}  {size}  {look.dim(what)}\n"


@render.register
def _(result: SecretsAnswer, look: Look) -> str:
    rows = [render(row, look) for row in result.secrets]
    rows += [
        f"{look.bold(row.code)}  {row.kind}  always let through  {look.dim(visible(row.where))}\n"
        for row in result.allowed
    ]
    return "".join(rows) or look.dim("The window shows nothing that looks like a secret.\n")


@render.register
def _(result: SecretRow, look: Look) -> str:
    place = f"{result.file or result.label}:{result.line}"
    state = "masked" if result.masked else "let through"
    return f"{look.bold(result.code)}  {result.kind}  {state}  {look.dim(visible(place))}\n"


@render.register
def _(result: TemplatesAnswer, look: Look) -> str:
    return "".join(f"{look.bold(visible(row.name))}  {look.dim(row.source)}\n" for row in result.templates)


@render.register
def _(result: ModelsAnswer, look: Look) -> str:
    return "".join(render(row, look) for row in result.models)


@render.register
def _(result: ModelRow, look: Look) -> str:
    name = look.bold(f"{visible(result.name):<20}") + (" *" if result.chosen else "  ")
    exactness = "exact" if result.exact else f"≈ {result.factor:.2f} ± {result.band} %"
    reads = f"reads {number(result.context)}" if result.context else ""
    source = "" if result.source == "program" else result.source
    return (
        f"{name} {visible(result.tokenizer):<12} {exactness:<16} {reads:<17} {look.dim(source)}".rstrip()
        + "\n"
    )


@render.register
def _(result: Calibration, look: Look) -> str:
    before = f"{result.factor_before:.3f} ± {result.band_before} %"
    after = f"{result.factor:.3f} ± {result.band} %"
    samples = f"{result.samples} {noun(result.samples, 'count')}"
    now = f"≈ {number(result.tokens)} ({number(result.tokens_low)} to {number(result.tokens_high)}) tokens"
    return (
        f"{look.bold(visible(result.model))}: {before} became {after} after {samples}.\n"
        f"This window is now counted as {now}; the model said {number(result.actual)}.\n"
    )


@render.register
def _(result: PresetsAnswer, look: Look) -> str:
    done = visible(result.done) + "\n" if result.done else ""
    rows = "".join(_preset(row, look) for row in result.presets)
    return done + (rows or look.dim("There are no presets yet.\n"))


def _preset(row: PresetRow, look: Look) -> str:
    """A line for the preset, and one for each of the first items that it has pinned."""
    name = look.bold(visible(row.name))
    if row.problem:
        return f"{name}  {visible(row.problem)}\n"
    left = len(row.labels) - _LABELS
    labels = [visible(label) for label in row.labels[:_LABELS]] + (
        [f"and {number(left)} more"] if left > 0 else []
    )
    return f"{name}  {number(row.pinned)} pinned, {number(row.recent)} recent\n" + "".join(
        f"    {look.dim(label)}\n" for label in labels
    )


@render.register
def _(result: PresetDiff, look: Look) -> str:
    signs = (("- ", result.only_first), ("+ ", result.only_second), ("~ ", result.changed))
    rows = "".join(f"{sign}{visible(label)}\n" for sign, labels in signs for label in labels)
    order = ", and pins of both stand in another order" if result.reordered else ""
    return rows + look.dim(
        f"{counted(result.same, 'item is', 'items are')} alike"
        f" in {visible(result.first)} and {visible(result.second)}{order}.\n"
    )
