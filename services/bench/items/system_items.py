"""Items of the window with objects of SAP systems, carried as they were read and read again before each copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from services.errors import CodeCortexError, UsageError
from services.model import ItemState, Level
from services.prompt.items import KINDS, Chosen, ItemKey, Rendered, Request

if TYPE_CHECKING:
    from services.adt.objects import AdtExcerpt, AdtObjects

KIND = "adt"
_MOST = 256 << 10
"""Characters of a source that an item carries in the window's state."""


class EmbeddedObject(msgspec.Struct, frozen=True, kw_only=True):
    """Object of a system, or lines of it, as they were read. `token`: of its whole source."""

    label: str
    file: str
    start: int
    end: int
    token: str
    outline: str
    text: str


class SystemItems:
    """Items `adt:DEV:ZCL_DEMO`, also of lines (`:10-20`) or a member (`=>add`). `systems`: the objects of all
    systems."""

    def __init__(self, systems: Callable[[], AdtObjects]) -> None:
        self._systems = systems
        self._unchecked: dict[str, str] = {}

    def chosen(self, name: str, level: str | None = None) -> Chosen:
        """Return an object as an item, read now. An object is shown by its outline, lines and members as they stand,
        unless a level is named. Raises as AdtObjects.excerpt, UsageError for a level that there is not or a source that
        is too long."""
        found = self._systems().excerpt(name)
        usual = Level.WHOLE if found.is_part else Level.OUTLINE
        wanted = usual if level is None else KINDS[KIND].level(level)
        return Chosen(key=ItemKey(KIND, found.key), level=wanted, data=_data(found))

    def among(self, name: str, keys: Sequence[str]) -> ItemKey:
        """Return the item that a name means, with or without its system, in any letters. Raises UsageError where it is
        not there, or in several systems."""
        rest = f":{name.partition(':')[2].casefold()}"
        found = [each for each in keys if each.startswith(f"{KIND}:") and each.casefold().endswith(rest)]
        if len(found) != 1:
            there = ", ".join(each for each in keys if each.startswith(f"{KIND}:")) or "none"
            raise UsageError(f"{name} is not in the prompt window. Objects of systems there: {there}.")
        return ItemKey.parse(found[0])

    def refreshed(self, requests: Sequence[Request]) -> list[Chosen]:
        """Return the items that have changed on their systems, as they are now. Items of systems that do not answer say
        so until the next call."""
        changed: list[Chosen] = []
        self._unchecked.clear()
        for request in requests:
            if request.key.kind != KIND:
                continue
            try:
                data = _data(self._systems().excerpt(str(request.key)))
                if data != dict(request.data):
                    changed.append(Chosen(key=request.key, level=request.level, data=data))
            except CodeCortexError as error:
                self._unchecked[str(request.key)] = error.message
        return changed

    def version(self, request: Request) -> str | None:
        """Return the token of the source that was read, marked where it could not be compared; None for an item
        without content."""
        if not request.data:
            return None
        doubt = self._unchecked.get(str(request.key), "")
        return f"{request.data.get('token')}~{crc32(doubt.encode()):x}"

    def files(self, _: Request) -> tuple[str, ...]:
        """Return no files: nothing of it is in the workspace."""
        return ()

    def render(self, request: Request, version: str) -> Rendered | None:
        """Return the outline or the source that the item carries."""
        about = msgspec.convert(dict(request.data), EmbeddedObject)
        is_outline = request.level is Level.OUTLINE
        doubt = self._unchecked.get(str(request.key), "")
        return Rendered(
            label=about.label,
            text=about.outline if is_outline else about.text,
            version=version,
            detail=f"{about.file}:{about.start}-{about.end}",
            language="abap",
            state=ItemState.BODY_CHANGED if doubt else ItemState.FRESH,
            state_detail=f"It could not be compared with its system: {doubt}" if doubt else "",
        )


def _data(found: AdtExcerpt) -> dict[str, object]:
    """Raises UsageError for a source that is too long."""
    if len(found.text) > _MOST:
        message = f"{found.label} has {len(found.text):,} characters; the window takes {_MOST:,} of a system's source."
        raise UsageError(f"{message} Pin a member of it (=>name), or lines (:10-200).")
    return {name: getattr(found, name) for name in EmbeddedObject.__struct_fields__}
