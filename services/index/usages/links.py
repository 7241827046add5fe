"""Places that link two symbols: a type registered in a container for a service, a handler of an event.

What a method means is known by its name alone: those of Microsoft's and Autofac's containers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from services.model import TYPE_KINDS, Kind

_MOST = 2_000
"""Bytes on either side of a place in which its statement is read."""
_LIFETIME = re.compile(
    rb"\b(?:(?:Try)?(?:Add)?(?:Keyed)?(?:Scoped|Singleton|Transient)|AddHttpClient)\s*(?=[<(])"
)
_LIFETIMES = (b"Scoped", b"Singleton", b"Transient", b"AddHttpClient")
CONTAINER_WORDS = ("scoped", "singleton", "transient", "AddHttpClient", "RegisterType", "RegisterGeneric")
"""Names of methods that register types, or a word of them."""
_MADE = re.compile(rb"[^=]*=>\s*(?:new\s+|[\w.]+\.Get(?:Required)?Service\s*<\s*)([\w.:@]+)")
"""What the expression of a factory makes."""
_REGISTER = re.compile(rb"\bRegister(?:Type|Generic)\s*(?=[<(])")
_AS = re.compile(rb"\.\s*As\s*(?=[<(])")
_TYPE = re.compile(rb"\s*(typeof\s*\(\s*)?([\w.:@]+)")
_ADDED = re.compile(rb"\s*\+=\s*([^;]*)")
_ADDS = re.compile(rb"([\w.@]+)\s*\+=\s*(?:new\s+[\w.<>]+\s*\(\s*)?(?:[\w@]+\s*\.\s*)*$")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_CALLED = re.compile(rb"\s*[(<]")
_METHOD = re.compile(rb"(?:new\s+[\w.<>]+\s*\(\s*)?([\w.@]+)\s*\)?\s*")


class _Written(NamedTuple):
    """A type as it is written. `end`: of its name, without type arguments."""

    end: int
    text: str


def link(text: bytes, start: int, end: int, *, of: Kind) -> str:
    """Return what a place links its symbol to: `registered as Cart`, `registered for ICart`, `subscribed by OnAdded`,
    `handles cart.Added`; empty where it does not. `of`: the kind of the symbol."""
    if of is Kind.EVENT:
        return _subscribed(text, end)
    if of is Kind.METHOD:
        found = None if _CALLED.match(text, end) else _ADDS.search(text, max(0, start - _MOST), start)
        return f"handles {_shown(found[1])}" if found is not None else ""
    if of not in TYPE_KINDS:
        return ""
    first = max(text.rfind(sign, max(0, start - _MOST), start) for sign in (b";", b"{", b"}")) + 1
    last = text.find(b";", end, end + _MOST)
    statement = text[first : last if last >= 0 else end + _MOST]
    pairs = list(_registered(_COMMENT.sub(lambda found: b" " * len(found[0]), statement)))
    as_ = [one.text for service, one in pairs if service.end == end - first]
    for_ = [service.text for service, one in pairs if one.end == end - first]
    if as_:
        return f"registered as {', '.join(as_)}"
    return f"registered for {', '.join(for_)}" if for_ else ""


def may_link(text: bytes, name: str, *, of: Kind) -> bool:
    """Whether a place in a text may link a symbol of a name, or be its attribute: without binding anything."""
    own = rb"\b" + re.escape(name.removesuffix("Attribute").encode())
    if of is Kind.EVENT:
        return re.search(own + rb"\s*\+=", text) is not None
    if of is Kind.METHOD:
        return re.search(rb"\+=[^;]*" + own + rb"\b", text) is not None
    if name.endswith("Attribute"):
        return re.search(rb"[\[,.:]\s*" + own, text) is not None
    return any(next(found, None) is not None for found in (_lifetimes(text), _registers(text)))


def _subscribed(text: bytes, end: int) -> str:
    found = _ADDED.match(text, end, end + _MOST)
    if found is None:
        return ""
    method = _METHOD.fullmatch(found[1])
    return f"subscribed by {_shown(method[1])}" if method is not None else "subscribed"


def _lifetimes(text: bytes) -> Iterator[re.Match[bytes]]:
    """Return the calls that register types for a lifetime. Most texts hold none of the words, which is found out ten
    times as fast without the pattern."""
    return _LIFETIME.finditer(text) if any(word in text for word in _LIFETIMES) else iter(())


def _registers(text: bytes) -> Iterator[re.Match[bytes]]:
    """Return the calls that register types with Autofac."""
    return _REGISTER.finditer(text) if b"Register" in text else iter(())


def _registered(statement: bytes) -> Iterator[tuple[_Written, _Written]]:
    """Yield each service of a statement with what is registered for it."""
    for call in _lifetimes(statement):
        types = _types(statement, call.end())
        if len(types) == 2:
            yield types[0], types[1]
        elif len(types) == 1 and (made := _MADE.match(statement, call.end())) is not None:
            yield types[0], _Written(made.end(1), _shown(made[1]))
    for call in _registers(statement):
        for one in _types(statement, call.end())[:1]:
            for named in _AS.finditer(statement, call.end()):
                yield from ((service, one) for service in _types(statement, named.end()))


def _types(statement: bytes, at: int) -> list[_Written]:
    """The types among arguments in brackets: all between angles, those in `typeof` between others."""
    found: list[_Written] = []
    for start, end in _arguments(statement, at):
        named = _TYPE.match(statement, start, end)
        if named is None or (statement[at] == ord("(") and not named[1]):
            continue
        whole = statement[named.start(2) : end].rstrip()
        found.append(_Written(named.end(2), _shown(whole.removesuffix(b")") if named[1] else whole)))
    return found


def _arguments(statement: bytes, at: int) -> Iterator[tuple[int, int]]:
    depth, start = 0, at + 1
    for n in range(at, len(statement)):
        sign = statement[n : n + 1]
        if sign in b"<([{":
            depth += 1
        elif sign in b">)]}" and statement[n - 1 : n] != b"=":
            depth -= 1
        if depth == 0 or (depth == 1 and sign == b","):
            yield start, n
            start = n + 1
        if depth == 0:
            return


def _shown(written: bytes) -> str:
    return " ".join(written.decode("utf-8", "replace").split())
