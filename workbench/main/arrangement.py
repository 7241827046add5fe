"""Which parts of the main screen are shown: by the room there is, the pane in use, and what a person asked for."""

from __future__ import annotations

from msgspec import Struct

from workbench.commands.situation import CODE, LISTS, PATCH, WINDOW

SIDE_BY_SIDE = 100
"""Cells from which the three panes are shown side by side."""

LEAST = (60, 15)
"""Cells and lines below which nothing useful fits."""


class Arrangement(Struct, frozen=True):
    """`single`: one pane at a time; `too_small`: a sentence in place of all panes; the others: whether that part is
    shown, `switcher` being the line that chooses among single panes."""

    single: bool
    too_small: bool
    left: bool
    code: bool
    window: bool
    body: bool
    patch: bool
    switcher: bool


def arrange(
    width: int, height: int, *, pane: str, zoomed: bool = False, editing: bool = False
) -> Arrangement:
    """What is shown of `width` cells by `height` lines. `pane`: the one in use; `zoomed`: it has all the room;
    `editing`: the patch editor is open."""
    too_small = width < LEAST[0] or height < LEAST[1]
    single = zoomed or width < SIDE_BY_SIDE
    covered = single and pane == PATCH and editing
    body = not too_small and not covered
    return Arrangement(
        single=single,
        too_small=too_small,
        left=not single or pane in LISTS,
        code=not single or pane == CODE,
        window=not single or pane == WINDOW,
        body=body,
        patch=not too_small and editing and (covered or not single),
        switcher=single and body,
    )
