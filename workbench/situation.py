"""What there is on the screen, as far as it decides which commands make sense."""

from __future__ import annotations

from dataclasses import dataclass

SYMBOLS, CODE, WINDOW = "symbols", "code", "window"
PANES = (SYMBOLS, CODE, WINDOW)
"""The panes from left to right."""

OUTLINE, SEMANTIC, SOURCE, DIFF = "outline", "semantic", "source", "diff"
VIEWS = (OUTLINE, SEMANTIC, SOURCE, DIFF)
"""The views of the middle pane, in the order of their tabs."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What opening, pinning and dismissing are about. `target`: a symbol's id, a file or `file:start-end`."""

    target: str
    label: str
    pinned: bool = False
    in_window: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """`subject`: what is under the cursor, or open, in the pane that has the keyboard; `items`: how many the
    prompt window holds; `has_text`: whether the middle pane shows any; `typing`: a box takes what is typed."""

    ready: bool = False
    pane: str = SYMBOLS
    subject: Subject | None = None
    items: int = 0
    has_text: bool = False
    can_go_back: bool = False
    can_go_forward: bool = False
    indexing: bool = False
    typing: bool = False
