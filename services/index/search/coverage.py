"""Coverage of names by a query: every hump of the name is begun by it, in any order of its words.

`conmux` and `multiplexer connection` cover all of `ConnectionMultiplexer`, but only a part of
`ConnectionMultiplexerFactory`; `sqlmapper query` covers all of `SqlMapper.Query`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, permutations

import numpy as np
from numpy.typing import NDArray

from services.concurrency.lazy import expression
from services.index.search.match.alphabet import fold
from services.index.search.match.columns import TYPES, SymbolColumns
from services.index.search.match.query import SearchQuery, Term, Where
from services.index.search.match.texts import TextColumn
from services.model import is_of_tests

MOST = 96
"""Places that are looked at: the best by all else. What is spelled out is never far from the best."""
_MOST_TERMS = 4
"""Terms whose orders are tried."""
_PAIR = 2

EXACT_NAME = 1_000
"""Points of a name, or of a member and its type, that is what was typed: more than any other match can have."""
SPELLED = 100
"""Points of a name, or a member behind its type, that several words spell out."""
SPELLED_HUMPS, SPELLED_SMALL = 60, 8
"""Points of a name whose humps one word begins: with capitals typed, and without."""
TYPE_OF_HUMPS = 12
"""Points of a type among names of the same humps: initials are how people call types."""
BEGUN = 40
"""Points of a name in which each of several words begins a hump, relative to one with scattered letters of one."""
IN_ORDER = 12
"""Points of words that begin humps of the type and the name in the order in which they were typed."""
REST_OF_NAME = 40
"""Points of a member whose whole name is what several words leave when the others begin humps of its type."""
_UNCOVERED, _MOST_UNCOVERED = 2, 8
"""Points that each hump of a name costs that no word begins, and how many of them count; what people leave out, the `I`
of an interface and `Attribute`, does not."""
_A_DOUBLING = 2
"""Points of each doubling of references among names of the same humps: initials alone are ambiguous."""

IN_TESTS = 24
"""Points by which a symbol of tests, benchmarks and samples ranks below an equal one elsewhere: its names describe the
test, in many words, or repeat what is shown."""
_TESTED = expression("test|bench|sample|snippet|example|demo|doc")
_SAMPLES = expression(r"(?:^|[.+])(?:samples?|snippets?|examples?|demos?|docs)(?:[.+]|$)", re.IGNORECASE)

Humps = tuple[str, ...]
_HUMP = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def is_interface(name: str) -> bool:
    """Whether a name is written as that of an interface is."""
    return len(name) > 2 and name[0] == "I" and name[1].isupper() and name[2].islower()


@lru_cache(maxsize=1 << 14)
def is_beside(container: str) -> bool:
    """Whether a container is of tests, or of samples that show how something is used."""
    return is_of_tests(container) or _SAMPLES.search(container) is not None


@lru_cache(maxsize=1 << 15)
def humps_of(name: str) -> Humps:
    """The humps of a name in small letters; the `I` of an interface is one of its own."""
    if is_interface(name):
        return ("i", *humps_of(name[1:]))
    return tuple(map(fold, _HUMP.findall(name)))


def are_initials(typed: str, humps: Humps) -> bool:
    """Whether `typed`, in small letters, is the first letter of every hump. The `I` of an interface may be left out."""
    initials = "".join(hump[0] for hump in humps)
    return typed == initials or (humps[:1] == ("i",) and typed == initials[1:])


def spells(typed: str, humps: Humps) -> bool:
    """Whether `typed`, in small letters, is made of beginnings of all humps, one after the other. The `I` of an
    interface may be left out."""
    if not humps or len(typed) < len(humps) - (humps[0] == "i"):
        return False
    return _begins_all(typed, humps) or (humps[0] == "i" and _begins_all(typed, humps[1:]))


def _begins_all(typed: str, humps: Humps) -> bool:
    reached = {0}
    for hump in humps:
        following: set[int] = set()
        for at in reached:
            for char in hump:
                if at >= len(typed) or typed[at] != char:
                    break
                at += 1
                following.add(at)
        if not following:
            return False
        reached = following
    return len(typed) in reached


def look_closer(
    symbols: SymbolColumns,
    places: NDArray[np.int64],
    queries: tuple[SearchQuery, SearchQuery],
    points: NDArray[np.float32],
    best: NDArray[np.int64],
) -> None:
    """Give the best places what they earn for being spelled out, and take from those in tests. `queries`: what was
    typed, and what it was found by; `points`: what each place has so far, which is changed; `best`: the indexes of the
    `MOST` best."""
    typed, query = queries
    chosen = places[best]
    names = _texts(symbols.names, symbols.name_id[chosen])
    containers = _texts(symbols.containers, symbols.container_id[chosen])
    if not any(_TESTED.match(term.text) for term in query.terms):
        points[best] -= np.where([is_beside(container) for container in containers], IN_TESTS, 0)
    terms = [term for term in query.terms if term.where is Where.ANY]
    if len(terms) < len(query.terms) or len(terms) > _MOST_TERMS:
        return
    if len(terms) == 1:
        fame = symbols.fame[symbols.name_id[chosen]]
        earned = _by_one(terms[0], names, fame, np.isin(symbols.kind[chosen], TYPES))
    else:
        as_typed = [term.text for term in typed.terms]
        earned = _by_several([term.text for term in terms], as_typed, names, containers)
    points[best] += np.array(earned, np.float32)


def _by_one(
    term: Term, names: Sequence[str], fame: NDArray[np.uint8], is_type: NDArray[np.bool_]
) -> list[float]:
    """Return the points of names whose humps are begun by one word, which is no prefix of them."""
    capitals, typed = any(term.capitals[1:]), term.text
    found = [0.0] * len(names)
    for at, name in enumerate(names):
        if name[:1].lower() != typed[0] and name[:1] != "I":
            continue
        if len(typed) >= len(name) or fold(name).startswith(typed):
            continue
        humps = humps_of(name)
        if are_initials(typed, humps) if term.humps else spells(typed, humps):
            found[at] = SPELLED_SMALL
            if capitals:
                found[at] = SPELLED_HUMPS + _A_DOUBLING * float(fame[at]) + TYPE_OF_HUMPS * bool(is_type[at])
    return found


def _by_several(
    words: Sequence[str], typed: Sequence[str], names: Sequence[str], containers: Sequence[str]
) -> list[float]:
    """Return the points of names, or members with their types, that several words cover, or whose humps they begin.
    `words`: the stems of the `typed` ones."""
    orders = tuple(permutations(words))
    whole = {"".join(each) for each in (words, words[::-1], typed, typed[::-1])}
    letters = set("".join(words))
    found = [0.0] * len(names)
    for at, (name, container) in enumerate(zip(names, containers, strict=True)):
        owner, humps = _last_segment(container), humps_of(name)
        owners = humps_of(owner)
        # Each hump is begun; this says no of most names, sooner than all orders do.
        if letters.issuperset(_initials(humps)) and _is_spelled(orders, humps, owners):
            found[at] = SPELLED + EXACT_NAME * (fold(owner + name) in whole)
        own = [begins(word, humps) for word in words]
        if all(here or begins(word, owners) for here, word in zip(own, words, strict=True)):
            in_name = all(own)
            found[at] += BEGUN + IN_ORDER * _are_in_order(words, humps if in_name else (*owners, *humps))
            found[at] += REST_OF_NAME * _leaves_name(words, humps, owners)
            spare = len(humps) - (humps[:1] == ("i",)) - (humps[-1:] == ("attribute",)) - len(words)
            found[at] -= _UNCOVERED * min(_MOST_UNCOVERED, max(0, spare))
    return found


def begins(word: str, humps: Humps) -> bool:
    """Whether a word, in small letters, begins one of these humps, or is made of some that follow each other, the last
    of them perhaps only begun."""
    whole, starts = _joined(humps)
    return word in whole and any(whole.startswith(word, at) for at in starts)


@lru_cache(maxsize=1 << 14)
def _joined(humps: Humps) -> tuple[str, tuple[int, ...]]:
    """Return humps as one text, and where each begins in it."""
    return "".join(humps), tuple(accumulate(map(len, humps[:-1]), initial=0)) if humps else ()


def _are_in_order(words: Sequence[str], humps: Humps) -> bool:
    """Whether each word begins a hump behind that of the word before."""
    whole, starts = _joined(humps)
    left = iter(starts)
    return all(any(whole.startswith(word, at) for at in left) for word in words)


def _leaves_name(words: Sequence[str], name: Humps, owner: Humps) -> bool:
    """Whether several of the words in one are the whole name, and those before or behind them begin humps of its
    type."""
    whole = _joined(name)[0]
    for cut in range(1, len(words)) if len(words) > _PAIR else ():
        for rest, others in ((words[cut:], words[:cut]), (words[:cut], words[cut:])):
            if len(rest) > 1 and "".join(rest) == whole:
                return all(begins(word, owner) for word in others)
    return False


def _texts(column: TextColumn, ids: NDArray[np.integer]) -> list[str]:
    known: dict[int, str] = {}
    return [known[id_] if id_ in known else known.setdefault(id_, column.text(id_)) for id_ in ids.tolist()]


@lru_cache(maxsize=1 << 14)
def _initials(humps: Humps) -> frozenset[str]:
    """Return the first letters of the humps that words which spell them out begin: each `I` may be left out."""
    return frozenset([hump[0] for hump in humps if hump != "i"])


@lru_cache(maxsize=1 << 8)
def _is_spelled(orders: Sequence[tuple[str, ...]], name: Humps, owner: Humps) -> bool:
    in_name, in_owner = _first_letters(name), _first_letters(owner)
    for order in orders:
        if order[0][0] in in_name and spelled_out(order, name):
            return True
        for cut in range(1, len(order) if order[0][0] in in_owner else 1):
            if (
                order[cut][0] in in_name
                and spelled_out(order[:cut], owner)
                and spelled_out(order[cut:], name)
            ):
                return True
    return False


def _first_letters(humps: Humps) -> set[str]:
    """Return the letters with which words that cover all of these humps may begin."""
    found = set[str]()
    for hump in humps:
        found.add(hump[0])
        if hump != "i":
            break
    return found


def spelled_out(words: Sequence[str], humps: Humps) -> bool:
    """Whether words, in lower case, cover every hump: each begins one, or several successive ones, and the next word
    continues at its end. The first letters of a hump are not split to begin two: `update` is not `Upda` and `te`."""
    if humps and humps[0] == "i" and words and not words[0].startswith("i") and len(humps) > 1:
        return _all_spelled(words, humps[1:])
    return _all_spelled(words, humps)


def _all_spelled(words: Sequence[str], humps: Humps) -> bool:
    if not words or not humps:
        return not words and not humps
    if humps[0].startswith(words[0]):
        return _all_spelled(words[1:], humps[1:])
    if words[0][0] != humps[0][0] and humps[0] != "i":
        return False
    taken = range(2, len(humps) - len(words) + 2)
    return any(spells(words[0], humps[:many]) and _all_spelled(words[1:], humps[many:]) for many in taken)


@lru_cache(maxsize=1 << 14)
def _last_segment(container: str) -> str:
    return re.split(r"[.+]", container)[-1].partition("`")[0].partition("<")[0]
