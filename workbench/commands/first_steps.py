"""Hints for the first minutes: one at a time, each gone for good once it was followed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from workbench.commands.keymap import Keys


class Step(Struct, frozen=True):
    """`command`: what is to be done once; `text`: why, with `{key}` for the key that does it and `{example}` for a
    query that finds something."""

    command: str
    text: str


STEPS = (
    Step("search", "Type a part of a name{example}."),
    Step("open", "{key} opens what is under the cursor."),
    Step("pin", "{key} pins it into what a model will see."),
    Step("copy", "{key} copies the window, checked and masked."),
    Step("help", "{key} lists every key; ^p finds every command."),
)
"""In the order in which they are shown. Each fits a terminal of 80 columns whole."""


def next_step(done: Collection[str]) -> Step | None:
    """The first that was not done yet."""
    return next((step for step in STEPS if step.command not in done), None)


def example_of(labels: Sequence[str]) -> str:
    """Return the capitals of the first type that has two to four of them, as a query to try; empty if none has.
    `labels`: of symbols, with type parameters."""
    names = (label.partition("<")[0] for label in labels if "(" not in label)
    queries = ("".join(char for char in name if char.isupper()) for name in names)
    return next((query for query in queries if 2 <= len(query) <= 4), "")


def hint(done: Collection[str], keys: Keys, *, typing: bool = False, example: str = "") -> str:
    """Return the next step to try, `First steps 2 of 5: …`; empty where all were done. `example`: a query that finds
    something in the opened workspace."""
    step = next_step(done)
    if step is None:
        return ""
    key = keys.first(step.command, typing=typing) or keys.first(step.command) or keys.first("palette")
    tried = f", or capitals: `{example}`" if example else ""
    text = step.text.format(key=key, example=tried).replace("^p", keys.first("palette"))
    off = keys.first("first-steps")
    ending = f" · {off} hides" if off else ""
    return f"First steps, {STEPS.index(step) + 1} of {len(STEPS)}: {text}{ending}"
