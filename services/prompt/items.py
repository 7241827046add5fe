"""Items of the prompt window: their kinds, keys and the source of their content, the options of a copy, and the
names that select the members of a large type to show.

A kind is a row of KINDS; the window, its store and its formats know nothing else about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from posixpath import normpath
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from services.errors import UsageError
from services.model import ItemState, Level
from services.prompt.secrets.masking import KnownSecret

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KEPT = 4_096


class MemberLine(NamedTuple):
    """A member of a type, as an outline lists it: `text` is its declaration."""

    id: str
    name: str
    text: str


class Named(msgspec.Struct, frozen=True):
    """Names in a text. `names`: identifiers in other items; `asked`: those of the question, `words`: its words in
    lower case, identifiers split."""

    names: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def has(self, name: str, *, private: bool) -> bool:
        """Whether a member of that name is named: by the question, or, unless it is private, by another item."""
        if name in self.asked or (name in self.names and not private):
            return True
        words = humps(name)
        return bool(words) and self.words.issuperset(words)


def named_elsewhere(texts: Mapping[str, str], words: str) -> Iterator[tuple[str, Named]]:
    """Yield the names in each item's other items, by key. `texts`: of the items."""
    of_item = {key: identifiers(text) for key, text in texts.items()}
    counts = Counter(name for names in of_item.values() for name in names)
    shared = frozenset(name for name, count in counts.items() if count > 1)
    asked = identifiers(words)
    said = frozenset(hump for name in asked for hump in humps(name))
    for key, own in of_item.items():
        others = frozenset(name for name in counts if name not in own)
        yield key, Named(shared | others, asked, said)


@lru_cache(_KEPT)
def identifiers(text: str) -> frozenset[str]:
    """The identifiers in a text."""
    return frozenset(_IDENTIFIER.findall(text))


@lru_cache(_KEPT)
def humps(name: str) -> Sequence[str]:
    """The words that an identifier is written of, in lower case."""
    return tuple(hump.lower() for hump in _HUMP.findall(name))


class ItemKind(msgspec.Struct, frozen=True):
    """A kind of item. `titles`: what people call it at each level it has, least first; `usual`: the level it is shown
    at where none was chosen."""

    name: str
    usual: Level
    titles: Mapping[Level, str]

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels it has, least first."""
        return tuple(self.titles)

    def level(self, name: str) -> Level:
        """A level by name. Raises UsageError for one that items of this kind do not have."""
        if name not in list(self.titles):
            there = ", ".join(self.titles)
            raise UsageError(
                f"A {self.name} has no level {name}. It has {there}.", level=name, kind=self.name
            )
        return Level(name)


_SIGNATURE, _USED, _OUTLINE, _DECLARATIONS, _BODIES, _RANGE, _WHOLE = Level
_FILE = "whole file"
SCOPES = ("folder", "project", "namespace")
"""Kinds of items that are all types of a part of the workspace."""

KINDS = {
    kind.name: kind
    for kind in (
        ItemKind(
            "type",
            _OUTLINE,
            {
                _SIGNATURE: "type signature",
                _USED: "type, members others use",
                _OUTLINE: "type outline",
                _DECLARATIONS: "type, all declarations",
                _BODIES: "type with bodies",
                _RANGE: "type source",
                _WHOLE: _FILE,
            },
        ),
        ItemKind(
            "member",
            _OUTLINE,
            {
                _SIGNATURE: "member signature",
                _OUTLINE: "member outline",
                _BODIES: "member source",
                _WHOLE: _FILE,
            },
        ),
        ItemKind(
            "range",
            _RANGE,
            {
                _SIGNATURE: "signature around a range",
                _OUTLINE: "outline around a range",
                _RANGE: "source range",
                _WHOLE: _FILE,
            },
        ),
        ItemKind(
            "file", _WHOLE, {_SIGNATURE: "signatures of a file", _OUTLINE: "outline of a file", _WHOLE: _FILE}
        ),
        ItemKind(
            "grep",
            _WHOLE,
            {_SIGNATURE: "search, counted", _OUTLINE: "search, by file", _WHOLE: "search result"},
        ),
        ItemKind("hunk", _WHOLE, {_SIGNATURE: "diff hunk, counted", _WHOLE: "diff hunk"}),
        ItemKind("note", _WHOLE, {_WHOLE: "note"}),
        ItemKind("semantic", _WHOLE, {_SIGNATURE: "role of a type", _WHOLE: "semantic note"}),
        ItemKind("conclusion", _WHOLE, {_SIGNATURE: "places of a conclusion", _WHOLE: "conclusion"}),
        ItemKind("adt", _OUTLINE, {_OUTLINE: "SAP object outline", _WHOLE: "SAP source"}),
        ItemKind("pack", _OUTLINE, {_SIGNATURE: "pack, by name", _OUTLINE: "pack"}),
        *(
            ItemKind(
                scope,
                _OUTLINE,
                {
                    _SIGNATURE: f"{scope}, signatures of types",
                    _OUTLINE: f"{scope}, outlines of types",
                    _DECLARATIONS: f"{scope}, all declarations",
                },
            )
            for scope in SCOPES
        ),
    )
}
OUTLINES = (Level.USED, Level.OUTLINE, Level.DECLARATIONS)
"""Levels of a type that declare it with members, as a heading and C# declarations."""
_LINES = re.compile(r"(?P<file>.+):(?P<start>[1-9][0-9]*)-(?P<end>[1-9][0-9]*)", re.DOTALL)


class ItemKey(msgspec.Struct, frozen=True, order=True):
    """Key of an item, as one string: `type:T_7K2M9QXA`, `member:T_7K2M9QXA_AB12CD`, `file:src/A.cs`,
    `range:src/A.cs:120-150`, `hunk:src/A.cs:7-9`, `grep:5F2C90AB`, `note:17AD90B2`, `semantic:T_7K2M9QXA`,
    `conclusion:op_…`, `adt:DEV:ZCL_DEMO`, `pack:serializers`, `folder:src/X`, `project:Shop`, `namespace:Shop.Carts`.

    The lines of a range are those it had when it was chosen: where it is now, its item says."""

    kind: str
    target: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.target}"

    @classmethod
    def parse(cls, text: str) -> ItemKey:
        """The key of a string, one for all ways of writing a folder. Raises UsageError for a kind that does not exist
        or a range that is none."""
        kind, _, target = text.partition(":")
        key = cls(kind, target)
        if kind not in KINDS or not target:
            raise UsageError(
                f"{text} is no item of the prompt window. Kinds are {', '.join(KINDS)}.", key=text
            )
        if kind == "range":
            key.lines()
        if kind == "folder":
            return cls(kind, normpath(target).strip("/") or ".")
        return key

    @classmethod
    def of_symbol(cls, id_: str) -> ItemKey:
        """A type or a member by its id."""
        return cls("member" if id_.count("_") > 1 else "type", id_)

    @property
    def is_symbol(self) -> bool:
        """Whether the target is the id of a type or member."""
        return self.kind in ("type", "member")

    def lines(self) -> tuple[str, int, int]:
        """(file, first line, last line) of a range. Raises UsageError if this is no range."""
        match = _LINES.fullmatch(self.target) if self.kind == "range" else None
        if match is None or int(match["start"]) > int(match["end"]):
            raise UsageError(
                f"{self} does not name lines of a file, as in range:src/A.cs:120-150.", key=str(self)
            )
        return match["file"], int(match["start"]), int(match["end"])


class Anchor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Location of an item when it was chosen, by which it is found again and compared.

    `symbol`: the type or member that it is of, or that a range lies in; `file`, `start`, `end`: its lines; `offset`,
    `tail`: lines of the symbol before and behind a range; `content`: hash of the lines of a range; `structure`,
    `impl`: hashes of the symbol (SPEC section 3). So that a member is known again: `name` and `overloads`, ids of the
    others of that name, under the id that another signature gives it; `likeness`, hash of its source but for its name,
    and `twins`, ids of others of its type that are alike, under another name."""

    symbol: str = ""
    file: str = ""
    start: int = 0
    end: int = 0
    offset: int = 0
    tail: int = 0
    content: str = ""
    structure: str = ""
    impl: str = ""
    name: str = ""
    overloads: tuple[str, ...] = ()
    likeness: str = ""
    twins: tuple[str, ...] = ()


class OutlinedBase(NamedTuple):
    """A type that a text outlines, by its id, with what its request has of these."""

    id: str
    named: Named | None = None
    also: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """An item to be rendered. `members`: ids of those of a type that are shown with their bodies, or that its outline
    lists, all where there are none; `named`: what the rest of the window names, for the members others use;
    `also`: ids of members that its outline lists beside those of its level; `beside`: types that the same text
    outlines; `follows`: where it stood
    when it was chosen, None for what was chosen before that was kept; `data`: what an item carries that is found
    nowhere else."""

    key: ItemKey
    level: Level
    members: tuple[str, ...] = ()
    follows: Anchor | None = None
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)
    named: Named | None = None
    also: tuple[str, ...] = ()
    beside: tuple[OutlinedBase, ...] = ()


def at_level(request: Request, level: Level) -> Request:
    """Return the request at another level, where members were chosen for bodies with only those."""
    members = request.members if level in (request.level, Level.BODIES) else ()
    return replace(request, level=level, members=members, named=None, also=(), beside=())


class Order(IntEnum):
    """Position of an item in the text (SPEC section 20): interfaces and values before their users, then tests, and
    last, closest to the question, the source that it is about."""

    CONTRACT = 0
    USER = 1
    TEST = 2
    SOURCE = 3


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """The content of an item now. `version` changes whenever anything here does: the token of the source, or
    a hash.

    `label`: what a row shows, of which `label_room` characters at most; `detail`: where it is, for people; `language`:
    of the text, as fences name it; `is_source`: the text is the lines `start_line` to `end_line` of `file` as they
    stand; `changed`: the text is not the one that was chosen, and should be looked at; `state`, `state_detail`: as in
    WindowItem; `known`: secrets of its files of which something is in the text; `spans`: (file, first line, last line)
    of all source that is in it; `sections`: lines of the text that begin what may be left out, from the end, where room
    is short; `bases`: of an outline of a type, the names in its base list, and `listed`: ids of the members that it
    lists; `members`: all that the type has, at the level of all declarations; `order`: where in the text it stands."""

    label: str
    text: str
    version: str
    detail: str = ""
    language: str = ""
    symbol_id: str | None = None
    file: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    is_source: bool = False
    changed: bool = False
    state: ItemState = ItemState.FRESH
    state_detail: str = ""
    known: tuple[KnownSecret, ...] = ()
    spans: tuple[tuple[str, int, int], ...] = ()
    sections: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    listed: frozenset[str] = frozenset()
    members: tuple[MemberLine, ...] = ()
    order: Order = Order.SOURCE
    label_room: int | None = None

    def masked_label(self, mask: Callable[[str, Sequence[KnownSecret]], str]) -> str:
        """Return the label with secrets replaced by `mask`, and then shortened: a secret that is cut first would not
        be found."""
        label, room = mask(self.label, self.known), self.label_room
        return label if room is None or len(label) <= room else f"{label[: room - 1]}…"


class Catalogue(Protocol):
    """Source of the window's content. All calls return None for vanished items."""

    def item_versions(self, requests: Sequence[Request]) -> list[str | None]:
        """Return the version that `render_item` would give each of them, cheaply: every rendering calls this for all
        items."""
        ...

    def render_item(self, request: Request) -> Rendered | None:
        """Return the content; called only for another version than the rendered one. None also where the item has no
        content at the requested level."""
        ...

    def anchor(self, key: ItemKey, before: Anchor | None = None) -> Anchor | None:
        """Return the current location of a newly chosen item; `before`: its location when it was chosen the last
        time, from which it is followed."""
        ...


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """An item to be put into the window. `level`: None for the one it has, or the usual one of its kind; `members`,
    `data`: as in Request."""

    key: ItemKey
    level: Level | None = None
    members: tuple[str, ...] = ()
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)


class CopyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Copy request. `form`: md, xml or json; `model`: None for the chosen one; `part_tokens`: most
    tokens of a part, None for one text; `changed`: only what changed since the last copy, or since the receipt `since`;
    `allow`: codes of secrets that this copy lets through; `tree`: with the folders of the workspace; `picture`: with
    how the types of the window hang together, as Mermaid."""

    form: str = "md"
    template: str = "default"
    task: str = ""
    model: str | None = None
    part_tokens: int | None = None
    changed: bool = False
    since: str | None = None
    allow: Sequence[str] = ()
    tree: bool = False
    picture: bool = False
