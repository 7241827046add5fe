"""Query language of search (SPEC section 5).

    query   = { term | filter }, separated by blanks; all of them must match
    filter  = ("kind" | "access" | "ns" | "in") ":" value    also `namespace:` and `project:`, as in packs
    term    = text                  in the name or the container, or humps of both (`JCSO`)
            | container "." name    each in its own part; an empty name lists the members (`JsonConvert.`)

Letter case never decides whether a symbol matches. Names of C# are Pascal-cased, so fzf's smart case (a capital makes
the term case-sensitive) would punish people who type names exactly. Instead a typed capital that meets a capital
counts for a little, and a term of capitals only (two or more) prefers humps: `JCSO`, `SO`."""

from __future__ import annotations

import re
from enum import Enum

import msgspec

from services.index.search.match.alphabet import OTHER, code_of, fold

MAX_TERMS = 7
"""Terms past the seventh are ignored: they are not typed in practice, and each is a bit of a byte."""

_LONGEST_WORD = 255
"""Characters of a word that are looked at, and of a name. What counts them has bytes."""

_INFLECTED, _STEM = 4, 3
"""Characters from which on a word is taken for a plural or a form of a verb, and of what is left of it."""
_VOWELS = frozenset("aeiouy")
_FILTER = re.compile(r"(kind|access|ns|in|namespace|project):(.*)", re.IGNORECASE | re.DOTALL)
_SYNONYMS = {"namespace": "ns", "project": "in"}
_OF_PROJECTS = tuple(f"{word}:" for word in ("in", *_SYNONYMS) if _SYNONYMS.get(word, word) == "in")
_DECORATION = re.compile(r"[<(].*", re.DOTALL)


class Where(Enum):
    """Field of a symbol that a term may match in."""

    ANY = "any"
    NAME = "name"
    CONTAINER = "container"


class Term(msgspec.Struct, frozen=True):
    """Term. `text`: folded; `capitals`: which characters were typed as capitals."""

    text: str
    capitals: tuple[bool, ...]
    where: Where

    @property
    def humps(self) -> bool:
        """Whether it is typed as the initials of humps."""
        return len(self.text) > 1 and all(self.capitals)

    @property
    def stem(self) -> str:
        """Return the common part of a plural or verb form and the word in a name: `entr` of `entries`, `add` of
        `adding`; all of it where it is neither."""
        word = self.text
        if len(word) < _INFLECTED or not word.isascii():
            return word
        if word.endswith("ies") and len(word) > _INFLECTED:
            return word[:-3]
        if word.endswith(("sses", "shes", "ches", "xes", "zes")):
            return word[:-2]
        if word.endswith("s"):
            return word if word.endswith(("ss", "us", "is")) else word[:-1]
        ending = next((each for each in ("ing", "ed") if word.endswith(each)), "")
        base = word.removesuffix(ending)
        if not ending or len(base) < _STEM or base.endswith("e") or not _VOWELS.intersection(base):
            return word
        return base[:-1] if base[-1] == base[-2] and base[-1] not in "dflsz" else base


def allowed_errors(length: int) -> int:
    """How many typing errors a term of this many characters may have: 1 from 4 characters, 2 from 8."""
    return 2 if length >= 8 else 1 if length >= 4 else 0


class SearchQuery(msgspec.Struct, frozen=True):
    """A parsed query. `filters`: (field, folded value) pairs in alphabetical order."""

    terms: tuple[Term, ...]
    filters: tuple[tuple[str, str], ...]

    @property
    def skipped(self) -> tuple[Where, Where]:
        """Terms of which place are not looked for in names, and in containers. A term alone is looked for in names:
        what is in a type is no answer to the name of the type."""
        alone = len(self.terms) == 1 and self.terms[0].where is Where.ANY
        return Where.CONTAINER, Where.ANY if alone else Where.NAME

    @property
    def stemmed(self) -> SearchQuery | None:
        """Return the query with the stems of its words; None where no word has another stem. A text that contains a
        word also contains its stem."""
        stems = [term.stem for term in self.terms]
        if all(stem == term.text for stem, term in zip(stems, self.terms, strict=True)):
            return None
        pairs = zip(self.terms, stems, strict=True)
        terms = tuple(Term(stem, term.capitals[: len(stem)], term.where) for term, stem in pairs)
        return SearchQuery(terms, self.filters)

    @property
    def forgiving(self) -> bool:
        """Whether a term is long enough for typing errors to be forgiven."""
        return any(allowed_errors(len(term.text)) for term in self.terms)

    @property
    def relaxable(self) -> bool:
        """Whether more may match when containers are looked at less strictly, or typing errors forgiven."""
        return (
            self.forgiving or len(self.terms) > 1 or any(term.where is Where.CONTAINER for term in self.terms)
        )

    @property
    def spanning(self) -> bool:
        """Whether humps of container and name together may match: one undotted term of three characters
        that all have letter maps of their own."""
        if len(self.terms) != 1 or self.terms[0].where is not Where.ANY:
            return False
        text = self.terms[0].text
        return len(text) > 2 and all(code_of(char) != OTHER for char in text)


def parse(text: str) -> SearchQuery:
    """Parse what was typed; every text is a query. A filter without a value is ignored: it is being typed."""
    terms: list[Term] = []
    filters: set[tuple[str, str]] = set()
    for word in text.split():
        found = _FILTER.fullmatch(word)
        if found is None:
            terms.extend(_terms(_DECORATION.sub("", word)))
        elif found[2]:
            field = found[1].lower()
            filters.add((_SYNONYMS.get(field, field), fold(found[2])))
    return SearchQuery(tuple(terms[:MAX_TERMS]), tuple(sorted(filters)))


def _terms(word: str) -> list[Term]:
    word = word[:_LONGEST_WORD]
    folded = fold(word)
    dot = folded.rfind(".")
    if dot < 0:
        parts = [(word, Where.ANY)]
    else:
        parts = [(word[:dot].strip("."), Where.CONTAINER), (word[dot + 1 :], Where.NAME)]
    return [_term(part, where) for part, where in parts if part]


def _term(part: str, where: Where) -> Term:
    return Term(fold(part), tuple(char.isupper() for char in part), where)


def may_name_projects(text: str) -> bool:
    """Whether a query may have a filter of projects; never False where it has one."""
    return any(each in text.lower() for each in _OF_PROJECTS)
