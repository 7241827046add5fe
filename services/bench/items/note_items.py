"""Items of the window with semantic notes and conclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from zlib import crc32

from services.bench.items.window_items import WindowItems
from services.bench.noted_types import OutlineNotes
from services.errors import CodeCortexError
from services.index.index import Index
from services.model import ItemState, Level
from services.prompt.items import ItemKey, Order, Rendered, Request
from services.prompt.outline.names import type_name
from services.semantic.conclusions import ConclusionStore, FileNow, StoredConclusion, doubts, shown
from services.semantic.text import Sections, sections
from services.semantic.values import NoteAnswer

_DOUBTED = "It may not hold any more."


class NoteItems:
    """Items `semantic:T_7K2M9QXA`: the stored note on a type, else the one derived from code. The least level has
    its role alone; with few tokens left it is truncated, like the note of an outline."""

    def __init__(
        self, index: Index, written: OutlineNotes, content: WindowItems, *, note: Callable[[str], NoteAnswer]
    ) -> None:
        """Create the items. `note`: returns the note of a type, derived from code where none is stored."""
        self._index = index
        self._written = written
        self._content = content
        self._note = note

    def version(self, request: Request) -> str | None:
        """Differs where the note does, or its type; None where that is gone."""
        version = self._content.item_version(
            Request(key=ItemKey("type", self._now(request)), level=Level.OUTLINE)
        )
        note = self._written.stamp(self._now(request))
        return None if version is None else f"{version}~{note}"

    def files(self, request: Request) -> tuple[str, ...]:
        """The files that declare its type."""
        return self._content.files_of_symbol(self._now(request))

    def render(self, request: Request, version: str) -> Rendered | None:
        """The note as it is now; None where its type is gone."""
        type_id = self._now(request)
        found = self._written.of(type_id)
        with suppress(CodeCortexError):
            answer = self._note(type_id)
            if not found.text:
                found = _read_off(answer)
            text, begins = found
            if request.level is Level.SIGNATURE and len(begins) > 1:
                text, begins = text[: text.index(f"\n{begins[1]}\n") + 1], ()
            doubt = " ".join(answer.reasons)
            return Rendered(
                label=type_name(answer.fqn),
                text=text,
                version=version,
                order=Order.USER,
                symbol_id=type_id,
                state=ItemState.BODY_CHANGED if doubt else ItemState.FRESH,
                state_detail=f"{_DOUBTED} {doubt}" if doubt else "",
                sections=begins[1:],
            )
        return None

    def _now(self, request: Request) -> str:
        """The id that its type has now."""
        at = self._index.index_of(request.key.target)
        return request.key.target if at is None else self._index.identities.type_id(at)


def _read_off(answer: NoteAnswer) -> Sections:
    return sections(answer.fields, "Read off the code; nobody wrote a note.")


class ConclusionItems:
    """Items `conclusion:ID`: what an investigation found out. At the least level there are its places alone."""

    def __init__(self, store: ConclusionStore, file: Callable[[str], FileNow | None]) -> None:
        """`file`: as it is now."""
        self._store = store
        self._file = file

    def version(self, request: Request) -> str | None:
        """Differs where its file does, or whether it holds; None where it is gone."""
        stamp = self._store.stamp(request.key.target)
        if stamp is None:
            return None
        kept = self._store.get(request.key.target)
        return None if kept is None else f"{stamp}~{crc32(repr(doubts(kept, self._file)).encode()):x}"

    def files(self, request: Request) -> tuple[str, ...]:
        """The files that its places are in."""
        kept = self._store.get(request.key.target)
        return tuple(dict.fromkeys(each.file for each in kept.places)) if kept is not None else ()

    def render(self, request: Request, version: str) -> Rendered | None:
        """Render a conclusion, and whether it is still valid; None where it is gone."""
        kept = self._store.get(request.key.target)
        if kept is None:
            return None
        reasons = doubts(kept, self._file)
        whole = request.level is Level.WHOLE
        return Rendered(
            label=kept.title,
            text=shown(kept, reasons) if whole else f"{kept.title}: {', '.join(_named(kept))}\n",
            version=version,
            state=ItemState.BODY_CHANGED if reasons else ItemState.FRESH,
            state_detail=f"{_DOUBTED} {' '.join(reasons)}" if reasons else "",
        )


def _named(kept: StoredConclusion) -> Iterable[str]:
    return dict.fromkeys(each.path or f"{each.file}:{each.start_line}" for each in kept.places)
