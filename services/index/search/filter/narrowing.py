"""Narrowing of a query with typing errors: each term is looked up only among the candidates of the others.

The search for similar texts costs more than anything else, and all terms have to match: once a term has left few
symbols, the next one is looked up in their names and containers alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from services.index.search.filter.segment import SegmentSearch
from services.index.search.match.columns import Symbols
from services.index.search.match.matcher import Closenesses, Matcher
from services.index.search.match.query import SearchQuery, Term, Where, allowed_errors

Pair = tuple[Closenesses, Closenesses]
"""Closeness of names and of containers to a term."""

Ids = NDArray[np.int64]

_FEW = 16
"""A term has left few symbols when it has left less than one of so many."""


def forgiven(search: SegmentSearch, query: SearchQuery, known: Mapping[int, Pair]) -> list[Pair]:
    """For each term, how close names and containers are to it, as far as they can belong to a symbol that matches all
    terms; 0 elsewhere. `known`: that of the terms in which nothing is forgiven, by their places in the query."""
    found = dict(known)
    places: NDArray[np.int64] | None = None
    for pair in known.values():
        places = _left(search.symbols, pair, places)
    rest = [at for at in range(len(query.terms)) if at not in known]
    for at in sorted(rest, key=lambda at: _turn(search, query.terms[at])):
        term = query.terms[at]
        found[at] = (
            _closeness(
                search.names, term, query.skipped[0], _ids(search.names, search.symbols.name_id, places)
            ),
            _closeness(
                search.containers,
                term,
                query.skipped[1],
                _ids(search.containers, search.symbols.container_id, places),
            ),
        )
        if len(found) < len(query.terms):
            places = _left(search.symbols, found[at], places)
    return [found[at] for at in range(len(query.terms))]


def _turn(search: SegmentSearch, term: Term) -> tuple[bool, bool, int]:
    """Order of the terms: cached results first, then cheap terms, then selective ones."""
    known = search.names.knows(term.text) and search.containers.knows(term.text)
    return not known, allowed_errors(len(term.text)) > 0, -len(term.text)


def _closeness(matcher: Matcher, term: Term, skipped: Where, ids: Ids | None) -> Closenesses:
    if term.where is skipped:
        return np.zeros(len(matcher.texts), np.uint8)
    return matcher.closeness(term.text, with_typos=True, among=ids)


def _ids(matcher: Matcher, column: NDArray[np.int32], places: NDArray[np.int64] | None) -> Ids | None:
    """Return the ids of the places, ascending, each once."""
    if places is None:
        return None
    there = np.zeros(len(matcher.texts), np.bool_)
    there[column.take(places)] = True
    return np.flatnonzero(there)


def _left(symbols: Symbols, found: Pair, places: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Return those of the places (None: all) that match by name or container; None where there are many."""
    names, containers = found
    if places is not None:
        return places[
            (names.take(symbols.name_id[places]) | containers.take(symbols.container_id[places])) != 0
        ]
    return symbols.having(names, containers, most=len(symbols) // _FEW)
