"""Outlines as a model reads them (SPEC section 20): declarations as C#, that of the type on the first line.

A type is its declaration with base list, primary constructor and the attributes that mean something at run time, then
its members in braces. Comments say what C# does not: documentation beyond the names, the place, the users, and how many
members are left out. Equal types give equal bytes. The older form, for `.context/types/`, is in outline.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from services.model import Documentation, Kind, Symbol, SymbolRef, TypeDetail, TypePart
from services.prompt.items import MemberLine, Named
from services.prompt.outline.names import type_name
from services.prompt.outline.outline import (
    DOC_LENGTH,
    MEMBER_LIMIT,
    links_text,
    place_of,
    quality_lines,
    said_lines,
)
from services.prompt.outline.outline_members import (
    ACCESS_WORDS,
    HIDDEN,
    OutlineAccess,
    brief,
    declared_same,
    is_shown,
    member_doc,
    one_line,
    overloads_together,
    packed_values,
    shortened,
    telling,
    unblocked,
)

INDENT = " "
"""One blank and the word behind it are one token to common tokenizers; a tab or four blanks are often one more."""
PUBLIC = "public unless said"
"""Stands at the opening brace where members leave out the word that most of them begin with."""
USERS_NAMED = 3
_LEAST_PUBLIC = 5
"""Public members from which on that costs less than the word on each."""
_LEAST_ALIKE = 4
"""Members in a row that have the same attributes, from which on these are said once."""
_ORDER: tuple[frozenset[Kind], ...] = (
    frozenset({Kind.ENUM_MEMBER}),
    frozenset({Kind.CONSTANT, Kind.FIELD}),
    frozenset({Kind.CONSTRUCTOR, Kind.DESTRUCTOR}),
    frozenset({Kind.PROPERTY, Kind.INDEXER}),
    frozenset({Kind.EVENT}),
    frozenset({Kind.METHOD}),
    frozenset({Kind.OPERATOR, Kind.CONVERSION}),
    frozenset({Kind.EXTENSION_MEMBER}),
)
_PUBLIC_WORD = re.compile(r"^((?:\[.*\] |\s+)?)public (?=\S)")


class Alike(NamedTuple):
    """Members of a type that another declares alike: ids. `every`: whether that is all the other has; `differing`: ids
    of those with attributes or documentation that the other does not have."""

    ids: frozenset[str]
    every: bool
    differing: frozenset[str] = frozenset()


class OutlineStyle(msgspec.Struct, frozen=True, kw_only=True):
    """How an outline is written. `ids`: with a line of ids and hashes; `placed`: with a line that says where it stands;
    `members`: ids of those to list, whatever their access, `named`: those that it has alone; the rest is counted;
    `also`: ids of those to list beside, without documentation; `elsewhere`: by the names of types that the same text
    outlines, what they declare alike."""

    access: OutlineAccess = OutlineAccess.PUBLIC
    ids: bool = False
    placed: bool = True
    whole: bool = False
    members: Collection[str] = ()
    named: Named | None = None
    also: Collection[str] = ()
    elsewhere: Mapping[str, Alike] = msgspec.field(default_factory=dict)


USUAL = OutlineStyle()


def type_declared(detail: TypeDetail, style: OutlineStyle = USUAL) -> str:
    """The outline of a type, ending in a line end."""
    symbol = detail.symbol
    lines = [*_head(detail, style)]
    shown = _chosen(detail, style)
    elsewhere = {id_ for alike in style.elsewhere.values() for id_ in alike.ids}
    is_part = style.named is not None or not set(style.members).isdisjoint(each.id for each in shown)
    nested = [ref for ref in detail.nested if ref.access not in HIDDEN[style.access] and not is_part]
    limit = max(0, len(shown) + len(nested) if style.whole else MEMBER_LIMIT)
    told = [each for each in shown if each.id in elsewhere]
    shown = _limited([each for each in shown if each.id not in elsewhere], limit, style)
    nested_lines = [_nested_line(ref) for ref in nested[: max(0, limit - len(shown))]]
    body = [*_member_lines(detail, shown, silent=style.also), *nested_lines]
    opening, body = _said_once(body)
    body = [*_declared_elsewhere(told, detail, style), *body]
    if rest := _rest(detail, [*shown, *told], style):
        body.append(f"// {rest}")
    if symbol.kind is Kind.DELEGATE:
        return "\n".join([f"{lines[0]};", *lines[1:]]) + "\n"
    if not body:
        return "\n".join([f"{lines[0]} {{ }}", *lines[1:]]) + "\n"
    return "\n".join([*lines, opening, *(INDENT + line for line in body), "}"]) + "\n"


def _said_once(body: list[str]) -> tuple[str, list[str]]:
    """The opening brace and the members; of many public ones the brace has the word once."""
    shorter = [_PUBLIC_WORD.sub(r"\1", line, count=1) for line in body]
    if sum(each != line for each, line in zip(shorter, body, strict=True)) < _LEAST_PUBLIC:
        return "{", body
    return f"{{ // {PUBLIC}", shorter


def member_declared(
    symbol: Symbol, detail: TypeDetail, style: OutlineStyle = USUAL, *, said: Documentation | None = None
) -> str:
    """Return the outline of a member of `detail` with its overloads, ending in a line end. `said`: the parameter and
    result parts of its comment."""
    owner = detail.symbol
    doc = shortened(telling(detail.doc or "", owner.name), DOC_LENGTH)
    comments = [
        telling(symbol.doc_first_line or "", symbol.name),
        *(said_lines(said, one_line(symbol.signature)) if said is not None else ()),
        f"in {marks(owner.id, detail)}{owner.kind.value} {type_name(owner.name, owner.type_parameters, owner.arity)}",
        doc,
        *([_place_line(owner, place_of(symbol))] if style.placed else [_namespace(owner)]),
        *(f"overload: {declared(other, detail)}" for other in _overloads(symbol, detail)),
        *quality_lines([part for part in detail.parts if part.file == symbol.file][:1]),
        symbol.id if style.ids else "",
    ]
    return (
        "\n".join([declared(symbol, detail), *(f"// {_bare_fact(line)}" for line in comments if line)]) + "\n"
    )


def listed(detail: TypeDetail, style: OutlineStyle = USUAL) -> frozenset[str]:
    """The ids of the members that an outline lists."""
    return frozenset(each.id for each in _limited(_chosen(detail, style), MEMBER_LIMIT, style))


def member_lines(detail: TypeDetail) -> tuple[MemberLine, ...]:
    """Every member that a type declares, as an outline lists it, but without documentation."""
    members = (each for each in detail.members if not each.implicit and not _is_primary(each, detail.symbol))
    return tuple(MemberLine(each.id, each.name, declared(each, detail)) for each in members)


def _limited(shown: Sequence[Symbol], limit: int, style: OutlineStyle) -> list[Symbol]:
    return [each for at, each in enumerate(shown) if at < limit or each.id in style.also]


def declaration_of(symbol: Symbol) -> str:
    """The declaration of a type with its bases, which its signature does not have."""
    line = one_line(symbol.signature).rstrip(";{ ")
    bases = ", ".join(one_line(base.text) for base in symbol.bases or () if not base.implicit)
    if not bases or " : " in line.partition(" where ")[0]:
        return line
    head, where, limits = line.partition(" where ")
    return f"{head} : {bases}{where}{limits}"


def marks(id_: str, detail: TypeDetail) -> str:
    """The attributes before a declaration, ending in a blank; nothing before others."""
    found = detail.attributes.get(id_, ("Obsolete",) if id_ in detail.obsolete else ())
    return f"[{', '.join(found)}] " if found else ""


def declared(symbol: Symbol, detail: TypeDetail) -> str:
    """A member as C# declares it, on one line, with its attributes."""
    line = one_line(symbol.signature).rstrip(";")
    if "async" in symbol.modifiers:
        line = line.replace("async ", "", 1)
    if detail.symbol.kind is Kind.INTERFACE:
        line = line.removeprefix("public ")
    elif symbol.kind is not Kind.ENUM_MEMBER and not _implies_access(symbol, line):
        line = f"{symbol.accessibility.declared} {line}".lstrip()
    return f"{marks(symbol.id, detail)}{line}{'' if line.endswith('}') else ';'}"


def declared_alike(detail: TypeDetail, base: TypeDetail, shown_as: OutlineStyle = USUAL) -> Alike:
    """The members of a type that its base declares with the same types, names and parameters. `shown_as`: how the
    outline of the base is written."""
    shown = _limited(_chosen(base, shown_as), MEMBER_LIMIT, shown_as)
    there = [each for each in shown if each.kind is not Kind.CONSTRUCTOR]
    ours = [each for each in detail.members if each.kind is not Kind.CONSTRUCTOR and not each.implicit]
    found = declared_same(ours, there)
    differing = (
        each.id
        for each in ours
        if (same := found.get(each.id))
        and (each.id in detail.attributes or member_doc(each) not in ("", member_doc(same)))
    )
    every = len(found) == len(there)
    return Alike(frozenset(found), every, frozenset(differing))


def _implies_access(symbol: Symbol, line: str) -> bool:
    static = symbol.kind is Kind.CONSTRUCTOR and "static" in symbol.modifiers
    implied = symbol.explicit_interface or symbol.kind is Kind.DESTRUCTOR or static
    return bool(implied) or line.partition(" ")[0] in ACCESS_WORDS


def _head(detail: TypeDetail, style: OutlineStyle) -> Iterator[str]:
    symbol = detail.symbol
    yield f"{marks(symbol.id, detail)}{declaration_of(symbol)}"
    if symbol.condition:
        yield f"// in another configuration: {symbol.condition}"
    if doc := shortened(telling(detail.doc or symbol.doc_first_line or "", symbol.name), DOC_LENGTH):
        yield f"// {brief(doc)}"
    first, *others = detail.parts or (_part_of(symbol),)
    if where := _place_line(symbol, place_of(first)) if style.placed else _namespace(symbol):
        yield f"// {where}"
    if others:
        named = ", ".join(place_of(part) for part in others[:USERS_NAMED])
        more = len(others) - USERS_NAMED
        yield f"// also {named}" + (f" and {more} more" if more > 0 else "")
    if detail.used_by and style.placed:
        count = len(detail.used_by)
        named = links_text(detail.used_by, USERS_NAMED)
        yield f"// used by {count} {'type' if count == 1 else 'types'}: {named}"
    for line in quality_lines(detail.parts):
        yield f"// {_bare_fact(line)}"
    if style.ids:
        yield "// " + " · ".join([symbol.id, *(f"{name} {value}" for name, value in detail.hashes.items())])


def _bare_fact(line: str) -> str:
    """A line of the form for files as a comment has it."""
    return line.removeprefix("- ").removeprefix("Quality: ")


def _place_line(symbol: Symbol, place: str) -> str:
    return " · ".join(filter(None, [_namespace(symbol), place]))


def _part_of(symbol: Symbol) -> TypePart:
    return TypePart(file=symbol.file, start_line=symbol.start_line, end_line=symbol.end_line)


def _namespace(symbol: Symbol) -> str:
    """Return `namespace A.B` where the folders of the file differ from it, `in A.B.Outer` or `in Outer` for a nested
    type."""
    namespace = symbol.fqn.partition("+")[0].rpartition(".")[0]
    folders = "." + symbol.file.rpartition("/")[0].replace("/", ".")
    is_told = not namespace or folders.endswith(f".{namespace}")
    if symbol.declaring_type:
        outer = symbol.declaring_type
        return f"in {type_name(outer.removeprefix(f'{namespace}.') if is_told else outer)}"
    return "" if is_told else f"namespace {namespace}"


def _chosen(detail: TypeDetail, style: OutlineStyle) -> list[Symbol]:
    """Return the members to list, in their order. Members of a primary constructor are in the declaration."""
    there = [each for each in detail.members if not each.implicit and not _is_primary(each, detail.symbol)]
    if style.named is not None:
        shown = [each for each in there if _is_named(each, style.named) or each.id in style.also]
    else:
        shown = [each for each in there if each.id in style.members]
        shown = shown or [each for each in there if is_shown(each, style.access) or each.id in style.also]
    return [each for kinds in _ORDER for each in overloads_together(m for m in shown if m.kind in kinds)]


def _is_named(member: Symbol, named: Named) -> bool:
    name = member.name.rpartition(".")[2]
    if member.kind is Kind.CONSTRUCTOR:
        return False
    return named.has(
        name, private=member.accessibility.declared == "private" and not member.explicit_interface
    )


def _declared_elsewhere(members: Sequence[Symbol], detail: TypeDetail, style: OutlineStyle) -> Iterator[str]:
    """Yield a line for each type whose outline already lists members declared alike here, and what differs."""
    for owner, alike in style.elsewhere.items():
        its = [each for each in members if each.id in alike.ids]
        if its:
            names = dict.fromkeys(each.name for each in its)
            yield f"// as declared in {owner}: {'all' if alike.every else ', '.join(names)}"
        for each in its:
            if each.id in alike.differing:
                doc = "" if each.id in style.also else brief(member_doc(each))
                yield f"// {marks(each.id, detail)}{each.name}{f': {doc}' if doc else ''}"


def _is_primary(member: Symbol, owner: Symbol) -> bool:
    if member.kind is not Kind.CONSTRUCTOR or "(" not in owner.signature:
        return False
    written, around = one_line(member.signature).rstrip(";"), one_line(owner.signature)
    return written[written.find(f"{owner.name}(") + len(owner.name) :] in around


def _member_lines(
    detail: TypeDetail, members: Sequence[Symbol], *, silent: Collection[str] = ()
) -> Iterator[str]:
    """Members in their lines. `silent`: ids of those without documentation."""
    if detail.symbol.kind is Kind.ENUM and not any(
        member_doc(each) or marks(each.id, detail) for each in members
    ):
        yield from packed_values([one_line(each.signature) for each in members])
        return
    above: dict[str, str] = {}
    block = ""
    alike = _alike_marks(detail, members)
    for at, member in enumerate(members):
        line = declared(member, detail)
        if alike[at]:
            line = line.removeprefix(marks(member.id, detail))
            if alike[at] > (alike[at - 1] if at else 0):
                yield f"// {marks(member.id, detail)}on each of the next {alike[at]}:"
        said = above.get(member.name, "")
        doc = "" if member.id in silent else member_doc(member, above=said)
        above[member.name] = f"{said} {doc}"
        opens, line = unblocked(line) if member.kind is Kind.EXTENSION_MEMBER else ("", line)
        if opens != block:
            yield from ["}"] if block else []
            yield from [opens, "{"] if opens else []
            block = opens
        line = line.rstrip(";") + "," if member.kind is Kind.ENUM_MEMBER else line
        yield (
            (INDENT if block else "") + line + (f" // {brief(doc, member.return_type or '')}" if doc else "")
        )
    if block:
        yield "}"


def _alike_marks(detail: TypeDetail, members: Sequence[Symbol]) -> list[int]:
    """For each member, how many from it on stand in a row with the same attributes; 0 where those are too few."""
    found: list[int] = []
    for mark, run in groupby(marks(each.id, detail) for each in members):
        count = sum(1 for _ in run)
        found += range(count, 0, -1) if mark and count >= _LEAST_ALIKE else [0] * count
    return found


def _nested_line(ref: SymbolRef) -> str:
    return f"{ref.access} {ref.kind.value} {ref.label} {{ … }}" + (
        f"  // {ref.condition}" if ref.condition else ""
    )


def _rest(detail: TypeDetail, shown: Sequence[Symbol], style: OutlineStyle) -> str:
    """How many members are not listed; of those that the access leaves out, which."""
    ids = {each.id for each in shown}
    left = [
        each
        for each in detail.members
        if each.id not in ids and not each.implicit and not _is_primary(each, detail.symbol)
    ]
    if not left:
        return ""
    if any(is_shown(each, style.access) for each in left):
        return f"… {len(left)} more"
    words = dict.fromkeys(
        "explicit" if each.explicit_interface else each.accessibility.declared for each in left
    )
    return f"… {len(left)} {', '.join(words)}"


def _overloads(symbol: Symbol, detail: TypeDetail) -> Iterable[Symbol]:
    return [
        other
        for other in detail.members
        if other.name == symbol.name and other.id != symbol.id and not other.implicit
    ]
