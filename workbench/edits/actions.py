"""Actions of structured edits and pasted answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from services.model.writes import EditKind, EditRequest
from workbench.commands.situation import CODE, SOURCE

if TYPE_CHECKING:
    from workbench.main.frame import Frame

Action = Callable[["Frame"], None]
_LINES = re.compile(r".+:\d+(?:-\d+)?\Z")


def _paste(main: Frame, text: str = "") -> None:
    from workbench.edits.pasting import PasteBox, PasteScreen

    bench = main.session.bench
    if bench is None:
        return

    def pasted(wanted: str | None) -> None:
        if wanted:
            main.app.push_screen(PasteScreen(bench, wanted, main.patch.look), looked)

    def looked(answer: str | None) -> None:
        if answer is None:
            return
        if answer.startswith("open:"):
            main.open(answer.removeprefix("open:"))
        else:
            _paste(main, answer)

    main.app.push_screen(PasteBox(text), pasted)


def _edit(main: Frame, request: EditRequest, *, offer: str = "") -> None:
    from workbench.edits.preview import EditScreen

    if bench := main.session.bench:
        screen = EditScreen(bench, request, main.patch.look, offer=offer)
        main.app.push_screen(screen, lambda place: main.open(place) if place else None)


def _rename(main: Frame) -> None:
    """The name under the cursor of the source, else the symbol of the row."""
    if main.pane == CODE and main.code.view == SOURCE and main.code.source.selection_range is None:
        place = f"{main.code.file}:{main.code.source.cursor_line}:{main.code.source.cursor_column + 1}"
        _edit(main, EditRequest(kind=EditKind.RENAME, object=place), offer=main.code.source.word)
        return
    _of_subject(EditKind.RENAME)(main)


def _of_subject(kind: EditKind) -> Action:
    def act(main: Frame) -> None:
        subject = main.situation.subject
        if subject is None:
            return
        name = re.split(r"[(<]", subject.label, maxsplit=1)[0].rpartition(".")[2]
        offers = {EditKind.RENAME: name, EditKind.INTERFACE: f"I{name}"}
        request = EditRequest(kind=kind, object=subject.target.removeprefix("member:"))
        _edit(main, request, offer=offers.get(kind, ""))

    return act


def _extract(main: Frame) -> None:
    subject = main.situation.subject
    if subject is not None and _LINES.match(subject.target):
        _edit(main, EditRequest(kind=EditKind.EXTRACT, object=subject.target))


EDIT_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "paste": _paste,
        "rename": _rename,
        "extract-method": _extract,
        "extract-interface": _of_subject(EditKind.INTERFACE),
        "move-type": _of_subject(EditKind.MOVE),
        "signature": _of_subject(EditKind.SIGNATURE),
    }
)
"""By the command's id."""
