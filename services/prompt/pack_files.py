"""Packs as people define them: their files, and the filter that chooses their types (004 section 10.1).

`packs/<name>.toml` has the definition and the inputs of the build, `packs/<name>.md` the text. Both are made for
people, `git diff` and models to read, and to be shared. What a person adds to the first stays, comments too.

    expr    = term { ("OR" | "||") term }
    term    = factor { ["AND" | "&&"] factor }        side by side is AND
    factor  = "!" factor | "(" expr ")" | primary
    primary = ("namespace" | "type" | "access" | "tag" | "depends") ":" token      (`ns:`: `namespace:`)
    token   = letters, digits and _ . * + ? - `       `*` is any text, `?` any character

Letter case never counts. What each field holds is said in services/prompt/packs.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping
from typing import Any

import msgspec

from services.concurrency.lazy import expression
from services.decoding import Limit, decode, decode_toml
from services.errors import InvalidFilter, UsageError, WorkspaceError
from services.index.resolve.written import wildcards
from services.workspace.state import StateFolder

FOLDER = "packs"
_ACTIVE = "packs-active.json"
_ENCODING = "utf-8-sig"
_LIMIT = Limit(16_000_000, 50, 1_000_000)
"""Some editors begin a file with a byte order mark."""
_NAME = expression(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?")
_RESERVED = expression(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_INTRODUCTION = "A pack of types for the prompt window: `codecortex pack NAME` builds it again."


class PackBuild(msgspec.Struct, frozen=True, kw_only=True):
    """Build of a pack: inputs and results. `types`: `id level tokens name` of each; `text`: hash of the Markdown
    beside it."""

    hash: str = ""
    text: str = ""
    at: int = 0
    tokens: int = 0
    tokenizer: str = ""
    types: tuple[str, ...] = ()


class PackFile(msgspec.Struct, frozen=True, kw_only=True):
    """Definition of a pack. `types`: named by hand, in addition to those of the filter; `budget`: in tokens."""

    filter: str = ""
    types: tuple[str, ...] = ()
    budget: int = 8_000
    built: PackBuild = PackBuild()


class PackFiles:
    """The packs of a state folder."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._shared = state.shared

    def names(self) -> list[str]:
        """Names of all packs, sorted."""
        files = self._shared.names(FOLDER)
        found = (file.removesuffix(".toml") for file in files if file.endswith(".toml"))
        return [name for name in found if _is_name(name)]

    def read(self, name: str) -> PackFile | None:
        """A pack, None where there is none. Raises UsageError for what is no name, WorkspaceError for a file that
        cannot be understood."""
        data = self._shared.read(_path(name, "toml"))
        if data is None:
            return None
        try:
            if not data.strip():
                raise ValueError("it is empty")
            return decode_toml(PackFile, data.decode(_ENCODING), _LIMIT)
        except ValueError as error:
            message = f"packs/{name}.toml cannot be understood: {error}. Repair it, or delete the pack."
            raise WorkspaceError(message, path=f"{FOLDER}/{name}.toml") from error

    def write(self, name: str, pack: PackFile, text: str) -> None:
        """Store a pack and its text. Raises UsageError, ReadOnly."""
        import tomlkit

        before = self._shared.read(_path(name, "toml"))
        document = tomlkit.parse((before or f"# {_INTRODUCTION}\n\n".encode()).decode(_ENCODING))
        _update(document, msgspec.to_builtins(pack))
        self._shared.write(_path(name, "md"), text.encode())
        self._shared.write(_path(name, "toml"), tomlkit.dumps(document).encode())

    def text(self, name: str) -> str | None:
        """The text a pack came to, None where it is not there."""
        data = self._shared.read(_path(name, "md"))
        return None if data is None else data.decode("utf-8", "replace")

    def remove(self, name: str) -> bool:
        """Delete a pack; whether there was one. Raises UsageError, ReadOnly."""
        self.set_active(name, False)
        self._shared.remove(_path(name, "md"))
        return self._shared.remove(_path(name, "toml"))

    def active(self) -> frozenset[str]:
        """Names of the packs that are active here; that is not shared."""
        data = self._state.read(_ACTIVE)
        try:
            return frozenset() if data is None else frozenset(decode(list[str], data))
        except ValueError:
            self._state.quarantine(_ACTIVE, "Which packs are active")
            return frozenset()

    def set_active(self, name: str, active: bool) -> None:
        """Make a pack active, or no longer. Raises ReadOnly, Busy."""
        with self._state.locked(_ACTIVE):
            before = self.active()
            after = before | {name} if active else before - {name}
            if after != before:
                self._state.write(_ACTIVE, msgspec.json.format(msgspec.json.encode(sorted(after))) + b"\n")

    def __contains__(self, name: str) -> bool:
        return self._shared.read(_path(name, "toml")) is not None


def _update(table: MutableMapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write the changed values. An unchanged value retains its formatting, with the comments in it."""
    import tomlkit

    for key, value in values.items():
        if isinstance(value, Mapping):
            _update(table.setdefault(key, tomlkit.table()), value)
        elif not isinstance(value, tuple):
            if table.get(key) != value:
                table[key] = value
        elif table.get(key) != list(value):
            rows = tomlkit.array()
            rows.extend(value)
            table[key] = rows.multiline(bool(value))


def check_name(name: str) -> None:
    """Raises UsageError for what cannot be the name of a pack."""
    if not _is_name(name):
        raise UsageError(
            f"{name!r} is no name of a pack. Use letters, digits, `-`, `_` and `.`, at most 64.", name=name
        )


def _path(name: str, ending: str) -> str:
    check_name(name)
    return f"{FOLDER}/{name}.{ending}"


def _is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _RESERVED.fullmatch(name)


FIELDS = ("namespace", "type", "access", "tag", "depends")
_SYNONYMS = {"ns": "namespace"}
_EXAMPLE = "as in type:Json* !tag:test"
_DEEPEST = 50
_MOST = 4_000  # characters
_WORD = expression(r"(OR|AND|NOT)\b(?![:.])|(\|\||&&|[!()])|([\w.*+?\-`]+)(:?)", re.IGNORECASE)
_TOKEN = expression(r"[\w.*+?\-`]+")
_SIGNS = {"||": "OR", "&&": "AND"}

Values = Callable[[str], Collection[str]]
"""What a type has in a field, in lower case."""


class FilterTerm(msgspec.Struct, frozen=True):
    """`field:token`. `position`: 0-based offset in the filter."""

    field: str
    token: str
    position: int

    def matches(self, values: Values) -> bool:
        """Whether one of the field's values is the token, or fits its wildcards."""
        there = values(self.field)
        if not self.is_pattern:
            return self.token in there
        pattern = re.compile(wildcards(self.token))
        return any(pattern.fullmatch(value) for value in there)

    @property
    def is_pattern(self) -> bool:
        """Whether it has wildcards."""
        return "*" in self.token or "?" in self.token


class Not(msgspec.Struct, frozen=True):
    """All that `inner` does not match."""

    inner: Filter

    def matches(self, values: Values) -> bool:
        """Whether the inner filter does not match."""
        return not self.inner.matches(values)


class Every(msgspec.Struct, frozen=True):
    """Conjunction of filters."""

    parts: tuple[Filter, ...]

    def matches(self, values: Values) -> bool:
        """Whether all match."""
        return all(part.matches(values) for part in self.parts)


class Either(msgspec.Struct, frozen=True):
    """Disjunction of filters."""

    parts: tuple[Filter, ...]

    def matches(self, values: Values) -> bool:
        """Whether one matches."""
        return any(part.matches(values) for part in self.parts)


Filter = FilterTerm | Not | Every | Either


def parse(text: str) -> Filter:
    """The filter of a text. Raises InvalidFilter (`details`: position, hint, filter)."""
    if len(text) > _MOST:
        raise _invalid(text, _MOST, f"A filter has at most {_MOST} characters.")
    return _FilterParser(text).whole()


def conditions(node: Filter) -> Iterator[FilterTerm]:
    """Every condition of a filter that is not under a `!`, in order."""
    if isinstance(node, FilterTerm):
        yield node
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from conditions(part)


class _FilterParser:
    """Parser of one filter. `_at`: position of the next word."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Filter:
        """The filter up to the end of the text."""
        found = self._either()
        if self._peek() == ")":
            raise self._error("This ) closes nothing. Take it out, or open a ( before it.")
        return found

    def _either(self) -> Filter:
        parts = [self._every()]
        while self._peek() == "OR":
            self._take()
            parts.append(self._every())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _every(self) -> Filter:
        parts = [self._factor()]
        while (word := self._peek()) not in ("", "OR", ")"):
            if word == "AND":
                self._take()
            parts.append(self._factor())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _factor(self) -> Filter:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"This is nested more than {_DEEPEST} deep. Write it flatter.")
        word = self._peek()
        if word == "!":
            self._take()
            found: Filter = Not(self._factor())
        elif word == "(":
            found = self._group()
        else:
            found = self._test(word)
        self._depth -= 1
        return found

    def _group(self) -> Filter:
        opened = self._at
        self._take()
        found = self._either()
        if self._peek() != ")":
            raise _invalid(self._text, opened, "This ( is never closed. Add a ) at its end.")
        self._take()
        return found

    def _test(self, word: str) -> Filter:
        if word in ("", ")"):
            what = "the filter ends" if not word else "there is a )"
            raise self._error(f"A condition is missing where {what}. Write one, {_EXAMPLE}.")
        if word in ("OR", "AND"):
            raise self._error(f"{word} stands between two conditions; there is none before it.")
        if word == "NOT":
            raise self._error("Write ! instead of NOT, as in !tag:test.")
        start = self._at
        match = _WORD.match(self._text, start)
        if match is None or not match[3]:
            raise self._error(f"{self._text[start]!r} has no meaning here. Write a condition, {_EXAMPLE}.")
        if not match[4]:
            raise self._error(f"Say what {match[3]} is: {', '.join(f'{f}:{match[3]}' for f in FIELDS[:2])} …")
        field = _SYNONYMS.get(match[3].lower(), match[3].lower())
        if field not in FIELDS:
            raise self._error(_which(field))
        return self._value(field, start, match.end())

    def _value(self, field: str, start: int, at: int) -> FilterTerm:
        token = _TOKEN.match(self._text, at)
        if token is None:
            raise _invalid(self._text, at, f"{field}: wants a name right behind it, {_EXAMPLE}.")
        self._at = token.end()
        following = self._text[self._at : self._at + 1]
        if following and not following.isspace() and following not in "()!|&":
            hint = "A name is of letters, digits and _ . * + ? - alone; leave type arguments out."
            raise _invalid(self._text, self._at, hint)
        return FilterTerm(field, token[0].lower(), start)

    def _peek(self) -> str:
        """The next word: a sign, a connective in capitals, `word` for any other, empty at the end."""
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        match = _WORD.match(self._text, self._at)
        if match is None:
            return "" if self._at >= len(self._text) else "?"
        sign = match[2] or ""
        return (match[1] or "").upper() or _SIGNS.get(sign, sign) or "word"

    def _take(self) -> None:
        match = _WORD.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at + 1

    def _error(self, hint: str) -> InvalidFilter:
        return _invalid(self._text, self._at, hint)


def _which(field: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(field, FIELDS, n=1)
    meant = f" Did you mean {close[0]}:?" if close else ""
    return f"There is no field {field}:.{meant} There are {', '.join(f'{each}:' for each in FIELDS)}."


def _invalid(text: str, position: int, hint: str) -> InvalidFilter:
    return InvalidFilter(
        f"The filter is wrong at character {position + 1}: {hint}", position=position, hint=hint, filter=text
    )
