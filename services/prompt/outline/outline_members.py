"""The members of a type as an outline lists them: which are shown, in which groups, one line each.

Visibility goes by what is declared, so that an internal type still shows what it offers its own assembly.
Members that the compiler adds (a default constructor, a record's `Equals`) say nothing that the declaration
does not, and are left out, but for what comes of a record's positional parameters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

import msgspec

from services.concurrency.lazy import expression
from services.model import Kind, Symbol, SymbolRef, TypeDetail

DOC_LENGTH = 120
_PACKED_WIDTH = 100
ACCESS_WORDS = frozenset({"public", "protected", "internal", "private", "file"})
_MODIFIERS = ACCESS_WORDS | {
    "abstract",
    "async",
    "extern",
    "new",
    "override",
    "partial",
    "sealed",
    "unsafe",
    "virtual",
}
_HIDDEN_ACCESSOR = expression(r"(?<=[{;] )(?:private protected|private|internal) (?:set|get|init); ?")
_TOKEN = expression(r'"(?:[^"\\]|\\.)*"|@?[^\W\d]\w*(?:(?:\.|::)@?[^\W\d]\w*)*|\S')
"""Of a declaration: a text, a name with what it is in, or a sign."""
_OBSOLETE = "[Obsolete] "
# What editors write above every constructor; the word "constructor" says it already.
_BOILERPLATE = expression(r"^Initializes a new instance of the \S+ (class|struct|record)\b[ .,;:]*")


_ACCESSOR = expression(
    r"^(?:Gets or sets|Gets and sets|Gets|Sets)\b(?: a value indicating whether\b)?\s+", re.IGNORECASE
)
_LEADING = expression(
    r"^(?:(?:Represents|Defines|Provides|Specifies|Implements|Builds) +(?!that\b))?(?:(?:The|An?) +)?(?=\w)",
    re.IGNORECASE,
)
"""Words that documentation begins with and a reader does without."""
_AUTO = expression(r"\{ (?:(?:private |protected |internal |readonly )*(?:get|set|init); ?)+\}$")
_OF_RESULT = expression(r"^ (?:that|which) (?:will )?")
_OF_OBJECT = expression(
    r"^(?:Determines|Indicates) whether\b.*\bequal\b|^Serves as (?:a|the default) hash function\b|"
    r"^Returns (?:a|the) (?:hash ?code (?:for|of)|string (?:that represents|representation of)) (?:the|this)\b"
)
"""What .NET says of members that every object has, and what overrides of them repeat."""
_WORD = expression(r"[^\W_]+")
_HUMP = expression(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s\b)[a-z])|_")
_STEMS = 10_000
"""Words whose stems are kept: documentation repeats a few."""
_EMPTY = (
    "a an the of this that it its is are be to for and or in on by with class interface struct enum record type "
    "represents defines provides implements value object instance method property field constant new constructs "
    "creates initializes s occurs called when specified given supplied provided specific returns containing "
    "asynchronous asynchronously from into as at was has list collection array static operation"
)
_SHORT = {
    "information": "info",
    "identifier": "id",
    "configuration": "config",
    "maximum": "max",
    "minimum": "min",
}
"""What names shorten."""
_EMPTY_WORDS = frozenset(_EMPTY.split())


class OutlineAccess(StrEnum):
    """Accessibility of members in an outline: what a derived class elsewhere sees, the assembly's too, or all."""

    PUBLIC = "public"
    INTERNAL = "internal"
    ALL = "all"


class MemberGroup(msgspec.Struct, frozen=True):
    """Members under one title. `entries`: one text a member; `packed`: several of them to a line."""

    title: str
    entries: tuple[str, ...]
    packed: bool = False

    def lines(self, limit: int) -> list[str]:
        """The lines of the first `limit` members."""
        return packed_values(self.entries[:limit]) if self.packed else list(self.entries[:limit])


HIDDEN = {
    OutlineAccess.PUBLIC: frozenset({"internal", "private", "private protected", "file"}),
    OutlineAccess.INTERNAL: frozenset({"private"}),
    OutlineAccess.ALL: frozenset(),
}

_GROUPS: tuple[tuple[str, frozenset[Kind]], ...] = (
    ("Values", frozenset({Kind.ENUM_MEMBER})),
    ("Constructors", frozenset({Kind.CONSTRUCTOR, Kind.DESTRUCTOR})),
    ("Properties", frozenset({Kind.PROPERTY, Kind.INDEXER})),
    ("Methods", frozenset({Kind.METHOD})),
    ("Events", frozenset({Kind.EVENT})),
    ("Operators", frozenset({Kind.OPERATOR, Kind.CONVERSION})),
    ("Extension members", frozenset({Kind.EXTENSION_MEMBER})),
    ("Constants and fields", frozenset({Kind.CONSTANT, Kind.FIELD})),
)
_GROUPED = frozenset[Kind]().union(*(kinds for _, kinds in _GROUPS))


def is_shown(symbol: Symbol, access: OutlineAccess) -> bool:
    """Whether an outline of this access lists the member."""
    if symbol.implicit and not _is_positional(symbol):
        return False
    if symbol.explicit_interface:
        return access is OutlineAccess.ALL
    return symbol.accessibility.declared not in HIDDEN[access]


def member_groups(detail: TypeDetail, access: OutlineAccess) -> list[MemberGroup]:
    """Return the non-empty groups in the order of an outline, with overloads adjacent."""
    shown = [member for member in detail.members if is_shown(member, access)]
    groups = [
        _group(title, [member for member in shown if member.kind in kinds], detail.obsolete)
        for title, kinds in _GROUPS
    ]
    types = _nested(detail, access)
    groups.append(MemberGroup("Nested types", tuple(_nested_line(ref, detail) for ref in types)))
    return [group for group in groups if group.entries]


def member_count(detail: TypeDetail, access: OutlineAccess) -> int:
    """How many entries the groups have."""
    members = (member.kind in _GROUPED and is_shown(member, access) for member in detail.members)
    return sum(members) + len(_nested(detail, access))


def _nested(detail: TypeDetail, access: OutlineAccess) -> list[SymbolRef]:
    return [ref for ref in detail.nested if ref.access not in HIDDEN[access]]


def signature_line(symbol: Symbol) -> str:
    """A member's declaration on one line: without `public`, which most are, and with any other
    accessibility."""
    line = one_line(symbol.signature).removeprefix("public ").rstrip(";")
    line = line.replace("async ", "", 1) if "async" in symbol.modifiers else line
    access = symbol.accessibility.declared
    static = symbol.kind is Kind.CONSTRUCTOR and "static" in symbol.modifiers
    implied = access == "public" or symbol.explicit_interface or symbol.kind is Kind.DESTRUCTOR or static
    if implied or line.partition(" ")[0] in ACCESS_WORDS:
        return line
    return f"{access} {line}".lstrip()


def member_doc(symbol: Symbol, *, said: str | None = None, above: str = "") -> str:
    """The first line of a member's documentation where it says more than its declaration. `said`: as in
    member_line; `above`: documentation of its overloads that stands above and is not repeated in other words."""
    doc = "" if symbol.doc_first_line == said else symbol.doc_first_line or ""
    owner = "" if symbol.kind is Kind.METHOD else (symbol.declaring_type or "").rpartition(".")[2]
    known = f"{symbol.name} {owner} {signature_line(symbol)} {above}"
    made = shortened(telling(_BOILERPLATE.sub("", doc), known), DOC_LENGTH)
    made = made if not above or telling(made, known) else ""
    return f"{symbol.condition}: {made}".removesuffix(": ") if symbol.condition else made


def member_line(symbol: Symbol, *, obsolete: bool = False, said: str | None = None) -> str:
    """A member in a list: its declaration, with the first line of its documentation as a comment.

    `said`: documentation that stands just above and is not repeated; boilerplate is left out too."""
    doc = member_doc(symbol, said=said)
    return f"+ {_OBSOLETE if obsolete else ''}{signature_line(symbol)}" + (f"  // {doc}" if doc else "")


def telling(doc: str, name: str) -> str:
    """Documentation without the words that every property's begins with; nothing where all that is left of it is in
    the name: `Gets or sets the timeout.` of `Timeout`, `Class Foo.`, `Gets the max. retry attempts` of `MaxRetries`
    is more. `name`: with what stands beside it: the declaration, and the name of the type where it is no method's,
    which acts on it."""
    rest = _ACCESSOR.sub("", one_line(doc).strip())
    if _OF_OBJECT.match(rest):
        return ""
    known = {stem(word) for text in (name, _HUMP.sub(" ", name)) for word in _WORD.findall(text)}
    known.update(map(stem, _EMPTY_WORDS))
    if all(_said_by(known, _WORD.findall(_HUMP.sub(" ", rest)))):
        return ""
    return rest[:1].upper() + rest[1:] if rest != doc else doc


def brief(doc: str, result: str = "") -> str:
    """Documentation without empty words at its beginning. `result`: the type of a member's result, which
    its declaration has: `Builds a Policy that will retry once`."""
    rest = _LEADING.sub("", doc)
    behind = rest.removeprefix(result)
    if result and behind != rest and (said := _OF_RESULT.match(behind)):
        rest = behind[said.end() :]
    return rest[:1].upper() + rest[1:] if rest != doc else doc


def _said_by(known: Collection[str], words: Sequence[str]) -> Iterator[bool]:
    """Of each word whether it is known, by itself or with the word beside it as one: `Logs out` of `Logout`."""
    joined = [stem(a + b) in known or stem(stem(a) + b) in known for a, b in pairwise(words)]
    for word, before, behind in zip(words, [False, *joined], [*joined, False], strict=False):
        yield before or behind or stem(word) in known


@lru_cache(_STEMS)
def stem(word: str) -> str:
    """A word as it is compared: small, without the ending of a plural or of a verb."""
    word = word.lower()
    word = _SHORT.get(word, word)
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    for ending in ("ing", "es", "s", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word.removesuffix("e")


def is_state(symbol: Symbol) -> bool:
    """Whether a member is private state: a field, or a property that the compiler gives one."""
    if symbol.accessibility.declared != "private" or symbol.explicit_interface or symbol.implicit:
        return False
    return symbol.kind is Kind.FIELD or (
        symbol.kind is Kind.PROPERTY and _AUTO.search(one_line(symbol.signature)) is not None
    )


def unblocked(line: str) -> tuple[str, str]:
    """The extension block of a member's declaration, and the declaration without it."""
    start = line.find("extension")
    depth = 0
    for at in range(line.find("(", start), len(line)) if start >= 0 else ():
        depth += (line[at] == "(") - (line[at] == ")")
        if not depth:
            return line[start : at + 1], line[:start] + line[at + 1 :].removeprefix(".")
    return "", line


def obsolete_mark(id_: str, detail: TypeDetail) -> str:
    """Return the mark before the declaration of an obsolete type or member, ending in a blank; empty for others."""
    return _OBSOLETE if id_ in detail.obsolete else ""


def one_line(text: str) -> str:
    """The text with each line break and the blanks around it as one blank."""
    return " ".join(line.strip() for line in text.splitlines())


def shortened(text: str, length: int) -> str:
    """The text on one line, cut at a word and marked with `…` where it is longer than `length` characters."""
    line = one_line(text).strip()
    if len(line) <= length:
        return line
    return (line[:length].rpartition(" ")[0] or line[: length - 1]).rstrip(" ,;:.") + " …"


def _is_positional(symbol: Symbol) -> bool:
    """Whether an implicit member comes from a record's parameters: a property, or the constructor that does
    not copy."""
    if symbol.kind is Kind.CONSTRUCTOR:
        types = [parameter.type for parameter in symbol.parameters or ()]
        own = (symbol.declaring_type or "").replace("+", ".").rpartition(".")[2].partition("`")[0]
        return bool(types) and [each.partition("<")[0] for each in types] != [own]
    return symbol.kind is Kind.PROPERTY and symbol.name != "EqualityContract"


def _group(title: str, members: list[Symbol], obsolete: Collection[str]) -> MemberGroup:
    if title == "Values" and not any(member.doc_first_line or member.id in obsolete for member in members):
        return MemberGroup(title, tuple(map(signature_line, members)), packed=True)
    return MemberGroup(title, tuple(_member_lines(overloads_together(members), obsolete)))


def _member_lines(members: Iterable[Symbol], obsolete: Collection[str]) -> Iterator[str]:
    before: Symbol | None = None
    for member in members:
        said = before.doc_first_line if before is not None and before.name == member.name else None
        yield member_line(member, obsolete=member.id in obsolete, said=said)
        before = member


def _nested_line(ref: SymbolRef, detail: TypeDetail) -> str:
    access = "" if ref.access == "public" else f"{ref.access} "
    return f"+ {obsolete_mark(ref.id, detail)}{access}{ref.kind.value} {ref.label}  {ref.id}"


def overloads_together(members: Iterable[Symbol]) -> list[Symbol]:
    """In source order, but each overload directly after the first of its name."""
    by_name: dict[str, list[Symbol]] = {}
    for member in members:
        by_name.setdefault(member.name, []).append(member)
    return [member for overloads in by_name.values() for member in overloads]


def packed_values(values: Iterable[str]) -> list[str]:
    """Enum values separated by commas, several to a line."""
    lines: list[str] = []
    for value in values:
        if lines and len(lines[-1]) + len(value) + 2 <= _PACKED_WIDTH:
            lines[-1] += f", {value}"
        else:
            lines.append(value)
    return lines


def declared_same(members: Iterable[Symbol], others: Iterable[Symbol]) -> dict[str, Symbol]:
    """Map the ids of members to the one of `others` that is declared with the same types, names and parameters. A
    namespace may be left out where one member alone can be meant on either side."""
    ours, theirs = _by_tokens(members), _by_tokens(others)
    found: dict[str, Symbol] = {}
    for short, here in ours.items():
        there = theirs.get(short, [])
        alone = len(here) == len(there) == 1
        for one, tokens in here:
            for other, its in there:
                if tokens == its or (alone and all(map(_may_be_same, tokens, its))):
                    found[one.id] = other
    return found


def _by_tokens(members: Iterable[Symbol]) -> dict[tuple[str, ...], list[tuple[Symbol, list[str]]]]:
    """Members with the tokens of their declarations, by these tokens without what names are in."""
    found: dict[tuple[str, ...], list[tuple[Symbol, list[str]]]] = {}
    for each in members:
        tokens = _tokens(each)
        # What an explicit implementation names says whose it is.
        short = tokens if each.explicit_interface else map(_last_name, tokens)
        found.setdefault(tuple(short), []).append((each, tokens))
    return found


def _tokens(symbol: Symbol) -> list[str]:
    """A declaration without access, modifiers, attributes and accessors that others do not see."""
    words = _HIDDEN_ACCESSOR.sub("", one_line(symbol.signature).rstrip(";")).split(" ")
    at = 0
    while at < len(words) - 1 and words[at] in _MODIFIERS:
        at += 1
    return _TOKEN.findall(" ".join(words[at:]).replace("global::", ""))


def _last_name(token: str) -> str:
    return token if token.startswith('"') else re.split(r"\.|::", token)[-1] or token


def _may_be_same(one: str, other: str) -> bool:
    return f".{one}".endswith(f".{other}") or f".{other}".endswith(f".{one}")
