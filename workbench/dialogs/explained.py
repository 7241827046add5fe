"""The window in words: what counts it, and of each item what is shown, what was chosen, and why that differs."""

from __future__ import annotations

from textual.content import Content

from services.model import ItemState, Window, WindowItem
from widgets.format.display import visible
from widgets.format.token_count import grouped, token_count
from widgets.lists.window_list import FLAG_GLYPHS


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
    bodies = f", with {len(item.members)} bodies" if item.members else ""
    lines = [f"{item.kind}, {shown}{chosen}{bodies}, {cost} tokens"]
    lines += [f"at {item.file}:{item.start_line}-{item.end_line}"] if item.file and item.start_line else []
    lines += [f"{item.state}: {item.state_detail}"] if item.state is not ItemState.FRESH else []
    lines += [reason] if reason else []
    return Content("\n").join([head, *(Content.styled(visible(f"      {line}"), "dim") for line in lines)])
