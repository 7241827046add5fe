"""Hints for the first minutes: one at a time, each gone for good once it was followed."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from workbench.commands.keymap import Keys


class Step(Struct, frozen=True):
    """`command`: what is to be done once; `text`: why, with `{key}` for the key that does it."""

    command: str
    text: str


STEPS = (
    Step("search", "Type a part of a name, or capitals: `JC`."),
    Step("open", "{key} opens what is under the cursor."),
    Step("pin", "{key} pins it into what a model will see."),
    Step("copy", "{key} copies the window, checked and masked."),
    Step("help", "{key} lists every key; ^p finds every command."),
)
"""In the order in which they are shown. Each fits a terminal of 80 columns whole."""


def next_step(done: Collection[str]) -> Step | None:
    """The first that was not done yet."""
    return next((step for step in STEPS if step.command not in done), None)


def hint(done: Collection[str], keys: Keys, *, typing: bool = False) -> str:
    """What to try next: `First steps 2 of 5: …`; empty where all were done."""
    step = next_step(done)
    if step is None:
        return ""
    key = keys.first(step.command, typing=typing) or keys.first(step.command) or keys.first("palette")
    text = step.text.format(key=key).replace("^p", keys.first("palette"))
    off = keys.first("first-steps")
    ending = f" · {off} hides" if off else ""
    return f"First steps, {STEPS.index(step) + 1} of {len(STEPS)}: {text}{ending}"
