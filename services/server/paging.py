"""Paging of long answers: one is cut into pages, and each but the last has a cursor for the next (SAFETY).

What is cut are the long fields of an answer, lists between their rows and texts between their lines; every page has
every field, so that it keeps the schema. A row with a text that is too long, such as the diff of a large file, goes on
on the next page, where the rest of it is as it was.

Which lines of which files a page shows: only those count as read under their token (SAFETY, Writes).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby, islice
from typing import Any, NamedTuple

import msgspec

from services.concurrency.latest import SharedCache
from services.decoding import decode
from services.errors import UsageError
from services.server.failures import json_text
from services.source.read.known_lines import PendingReads

PAGE_TOKENS = 11_000
"""Tokens of one page as JSON. A client may hand a model the text and the structured form of it: both together stay
below the 25 000 that an answer may have."""

CURSOR = "nextCursor"
AT = "cursor"
"""Name of the argument that asks for a page of a read."""
_SHARE = 8
"""A field is long if it alone takes more than this part of a page."""
_LONGEST_PIECE = 4_000
"""Characters of a line that is told in one piece: a longer one is cut inside, as no page could hold it."""
_MOST_KEPT = 8
_KEPT_FOR = 60.0
"""Seconds for which an answer is taken to be still true; after that it is made anew and compared."""
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
"""Lines with their endings; nothing but LF ends a line."""

_FIRST_PART = 8
"""Characters for each token that is allowed, of which the count tells that a text has more: to count the tokens of a
text of 20 MB takes seconds."""

Count = Callable[[str], int]


class _Unit(NamedTuple):
    """What no page cuts: a piece of a text, or a row of a list, or a `row` with a piece of its text `name`."""

    value: Any
    row: int = 0
    name: str = ""


class Cursor(NamedTuple):
    """Start of a page: `field` of the long fields, `unit` of its rows or pieces, in the answer `digest`. Its text is
    signed, so that only places from answers are accepted."""

    digest: str
    field: int
    unit: int

    def text(self, key: bytes) -> str:
        """Return the cursor as text."""
        signed = (*self, self._sign(key))
        return base64.urlsafe_b64encode(msgspec.json.encode(signed)).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str, key: bytes) -> Cursor:
        """The cursor of its text. Raises UsageError for any text that was not made with that key."""
        try:
            padded = text + "=" * (-len(text) % 4)
            data = base64.urlsafe_b64decode(padded)
            digest, field, unit, sign = decode(tuple[str, int, int, str], data)
            found = cls(digest, field, unit)
            if not hmac.compare_digest(sign.encode(), found._sign(key).encode()):
                raise ValueError(text)
        except ValueError as error:
            raise UsageError(
                "That is no cursor of an earlier answer. Leave it out to begin again."
            ) from error
        return found

    def _sign(self, key: bytes) -> str:
        return hmac.new(key, msgspec.json.encode(list(self)), hashlib.sha256).hexdigest()[:32]


class Answer(NamedTuple):
    """Answer before it is cut. `delivered`: called with each page that is requested."""

    value: dict[str, Any]
    delivered: Callable[[dict[str, Any]], object] = lambda _: None


class Pages:
    """Pager of answers. The last few long ones are cached whole, so that their next pages cost nothing.
    Thread-safe."""

    def __init__(self, count: Count, key: Callable[[], bytes] = lambda: b"") -> None:
        """Create a pager. `key`: returns the secret that signs cursors, which outlasts the process."""
        self._count = count
        self._key = key
        self._kept: SharedCache[tuple[str, str], tuple[float, Answer]] = SharedCache(_MOST_KEPT)

    def first(self, answer: Answer, asked: str) -> dict[str, Any]:
        """Return the first page of an answer; all of it where it fits. `asked`: the call with its arguments."""
        if self._fits(answer.value):
            answer.delivered(answer.value)
            return answer.value
        digest = _digest(answer.value)
        self._kept.keep((digest, asked), (time.monotonic(), answer))
        return self._delivered(answer, Cursor(digest, 0, 0))

    def next(self, cursor: str, asked: str, again: Callable[[], Answer]) -> dict[str, Any]:
        """Return the page at a cursor. `again`: computes the answer where it is no longer cached.

        Raises UsageError if it is another answer by now, or the cursor belongs to another call."""
        place = Cursor.parse(cursor, self._key())
        at, answer = self._kept.find((place.digest, asked)) or (0.0, None)
        if answer is None or time.monotonic() - at > _KEPT_FOR:
            answer = again()
            if _digest(answer.value) != place.digest:
                raise UsageError("The answer is another by now. Ask again without the cursor.", cursor=cursor)
        return self._delivered(answer, place)

    def _delivered(self, answer: Answer, place: Cursor) -> dict[str, Any]:
        page = self._page(answer.value, place)
        answer.delivered(page)
        return page

    def _fits(self, answer: dict[str, Any]) -> bool:
        text = json_text(answer)
        return len(text.encode()) <= PAGE_TOKENS or not self._has_more(text, PAGE_TOKENS)

    def _has_more(self, text: str, most: int) -> bool:
        if len(text) <= most * _FIRST_PART:
            return self._count(text) > most
        return self._count(text[: most * _FIRST_PART]) > most or self._count(text) > most

    def _page(self, answer: dict[str, Any], start: Cursor) -> dict[str, Any]:
        long = self._long_fields(answer)
        page = {name: (type(value)() if name in long else value) for name, value in answer.items()}
        room = PAGE_TOKENS - self._count(json_text(page))
        for index, (name, units) in enumerate(long.items()):
            if index < start.field:
                continue
            first = start.unit if index == start.field else 0
            taken = self._taken(units, first, room)
            if index == start.field or taken:
                page[name] = _joined(answer[name], units[first : first + taken])
                room -= self._count(json_text(page[name]))
            if first + taken < len(units):
                page[CURSOR] = Cursor(start.digest, index, first + taken).text(self._key())
                return _relined(page, name, units, (first, taken))
            _relined(page, name, units, (first, taken))
        return page

    def _long_fields(self, answer: dict[str, Any]) -> dict[str, list[_Unit]]:
        """The rows or pieces of each field that has to be cut, in the answer's order."""
        texts = {name: json_text(value) for name, value in answer.items() if isinstance(value, str | list)}
        most = PAGE_TOKENS // _SHARE
        return {
            name: _units(answer[name])
            for name, text in texts.items()
            if len(text) > most and self._has_more(text, most)
        }

    def _taken(self, units: list[_Unit], first: int, room: int) -> int:
        """How many units from `first` on fit; at least one, so that every page leads on."""
        taken = 0
        for unit in islice(units, first, None):
            room -= self._count(json_text(unit.value)) + 1
            if room < 0:
                break
            taken += 1
        return max(taken, 1) if first < len(units) else 0


def shortened(value: Any) -> Any:
    """Return a value too long for any page with its longest texts cut, and a note of that."""
    if isinstance(value, str) and len(value) > _LONGEST_PIECE:
        return f"{value[:_LONGEST_PIECE]}… ({len(value) - _LONGEST_PIECE} characters left out)"
    if isinstance(value, dict):
        return {name: shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shortened(each) for each in value]
    return value


def _units(value: Any) -> list[_Unit]:
    if isinstance(value, list):
        return [unit for at, row in enumerate(value) for unit in _units_of(row, at)]
    return [_Unit(piece) for piece in _pieces(value)]


def _units_of(row: Any, at: int) -> Iterator[_Unit]:
    """A row, or several with a piece each of its longest text."""
    texts = (
        {name: text for name, text in row.items() if isinstance(text, str)} if isinstance(row, dict) else {}
    )
    name = max(texts, key=lambda each: len(texts[each]), default="")
    if len(texts.get(name, "")) <= _LONGEST_PIECE:
        yield _Unit(shortened(row), at)
        return
    rest = shortened({**row, name: ""})
    gathered = ""
    for piece in _pieces(texts[name]):
        if len(gathered) + len(piece) > _LONGEST_PIECE:
            yield _Unit({**rest, name: gathered}, at, name)
            gathered = ""
        gathered += piece
    yield _Unit({**rest, name: gathered}, at, name)


def _pieces(text: str) -> Iterator[str]:
    for line in _LINES.findall(text):
        yield from (line[at : at + _LONGEST_PIECE] for at in range(0, len(line), _LONGEST_PIECE))


def _joined(whole: Any, units: list[_Unit]) -> Any:
    if isinstance(whole, str):
        return "".join(unit.value for unit in units)
    rows: list[Any] = []
    for _, of_row in groupby(units, key=lambda unit: unit.row):
        parts = list(of_row)
        first = parts[0]
        text = {first.name: "".join(part.value[first.name] for part in parts)} if first.name else None
        rows.append({**first.value, **text} if text else first.value)
    return rows


def _relined(page: dict[str, Any], name: str, units: list[_Unit], cut: tuple[int, int]) -> dict[str, Any]:
    """Return the page with line numbers of its source: `startLine` and `endLine`, or the `pieces` of a part of a
    type, are those of this page."""
    if name != "content" or "startLine" not in page:
        return page
    first, taken = cut
    before = sum(unit.value.endswith("\n") for unit in units[:first])
    here = sum(unit.value.endswith("\n") for unit in units[first : first + taken])
    open_end = bool(units[first + taken - 1 : first + taken]) and not units[first + taken - 1].value.endswith(
        "\n"
    )
    lines = before + 1, before + here + open_end
    if page.get("pieces"):
        page["pieces"] = _pieces_of(page["pieces"], *lines)
    else:
        page["startLine"], page["endLine"] = (page["startLine"] - 1 + line for line in lines)
    return page


def _pieces_of(pieces: list[dict[str, Any]], first: int, last: int) -> list[dict[str, Any]]:
    """Stretches of lines of files, as far as lines `first` to `last` of all of them together are in them."""
    found = []
    line = 1
    for piece in pieces:
        ends = line + piece["endLine"] - piece["startLine"]
        if max(first, line) <= min(last, ends):
            start = piece["startLine"] + max(first - line, 0)
            end = piece["endLine"] - max(ends - last, 0)
            found.append({**piece, "startLine": start, "endLine": end})
        line = ends + 1
    return found


def asked_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a short key of a call."""
    text = json.dumps([name, dict(arguments)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(answer: dict[str, Any]) -> str:
    """Return the digest of an answer without figures that differ from call to call."""
    lasting = {name: value for name, value in answer.items() if isinstance(value, str | list)}
    return hashlib.sha256(msgspec.json.encode(lasting)).hexdigest()[:16]


def deliver(reading: PendingReads, page: Any) -> None:
    """Counts the lines that a page of an answer shows."""
    for path, first, last in shown(page):
        reading.delivered(path, first, last)


def shown(page: Any) -> Iterator[tuple[str, int, int]]:
    """(file, first, last) of the lines of source in a page. A line that is cut by the page's end is shown by the page
    that has its end; answers that are no lines of source show none."""
    if not (isinstance(page, Mapping) and page.get("content") and "token" in page):
        return
    stretches = [(piece["file"], piece["startLine"], piece["endLine"]) for piece in page.get("pieces", ())]
    if not stretches and not page.get("includeType"):
        stretches = [(page["file"], page["startLine"], page["endLine"])]
    if CURSOR in page and stretches and not page["content"].endswith("\n"):
        path, first, last = stretches[-1]
        stretches[-1] = (path, first, last - 1)
    yield from (each for each in stretches if each[1] <= each[2])
