"""Outlines: a type or a member as text that a person and a model read (004 section 3.4, SPEC section 1).

Markdown: a heading, one line of facts, the documentation, the members as an indented code block, and a list
of how the type hangs together with others. An outline depends on its argument alone, so equal types give
equal bytes.

A type or a member as its signature alone: what is left of it where nothing more fits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from services.index.catalog.naming import shown_modifiers
from services.model import Base, Documentation, Kind, Part, Quality, Symbol, TypeDetail, TypeLink, is_of_tests
from services.prompt.outline.names import short_names, symbol_name, type_name
from services.prompt.outline.outline_members import (
    MemberGroup,
    OutlineAccess,
    is_shown,
    member_count,
    member_groups,
    member_line,
    obsolete_mark,
    one_line,
    shortened,
    telling,
)

MEMBER_LIMIT = 200
DOC_LENGTH = 240
LINKS_SHOWN = 12
USERS_SHOWN = 6
PARTS_IN_LINE = 3

_ACCESS_TITLES = {
    OutlineAccess.PUBLIC: "Public API",
    OutlineAccess.INTERNAL: "Public and internal API",
    OutlineAccess.ALL: "Members",
}
_HIDDEN_TEXTS = {
    OutlineAccess.PUBLIC: "neither public nor protected",
    OutlineAccess.INTERNAL: "private",
    OutlineAccess.ALL: "",
}
_QUALITY_TEXTS = {
    Quality.DIRECTIVES: "one branch of each #if was read",
    Quality.REPAIRED: "read after repairs to syntax that the parser refuses",
    Quality.BODIES_SKIPPED: "read without the bodies, which do not parse",
    Quality.FAILED: "the file does not parse, members may be missing",
}


def type_outline(
    detail: TypeDetail,
    *,
    access: OutlineAccess | str = "public",
    whole: bool = False,
    hashes: bool = True,
    members: Collection[str] = (),
) -> str:
    """The outline of a type, ending in a line end.

    `access`: public (with protected), internal, or all. Beyond MEMBER_LIMIT members the rest is counted,
    unless `whole`. `hashes`: with a line of them. `members`: ids of those to list, the rest is counted; all where it
    has none of them. Raises ValueError for another `access`."""
    access = OutlineAccess(access)
    groups = member_groups(_with_members(detail, members), access) or member_groups(detail, access)
    sections = [
        f"# {symbol_name(detail.symbol)}  {detail.symbol.id}\n{_type_facts(detail)}",
        shortened(telling(detail.doc or detail.symbol.doc_first_line or "", detail.symbol.name), DOC_LENGTH),
        _api(
            detail, access, _limited(groups, None if whole else MEMBER_LIMIT, of=member_count(detail, access))
        ),
        "\n".join(_relations(detail, hashes=hashes)),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def member_outline(
    symbol: Symbol,
    detail: TypeDetail,
    *,
    said: Documentation | None = None,
) -> str:
    """The outline of a member of `detail`, with its overloads, ending in a line end. `said`: what its comment says of
    parameters and result."""
    facts = [symbol.kind.value, _place(symbol), symbol.project]
    owner = f"- In: {detail.symbol.kind.value} {symbol_name(detail.symbol)}  {detail.symbol.id}"
    overloads = [
        f"    {member_line(other, obsolete=other.id in detail.obsolete)}"
        for other in detail.members
        if other.name == symbol.name and other.id != symbol.id and not other.implicit
    ]
    sections = [
        f"# {symbol_name(symbol, detail.symbol)}  {symbol.id}\n{' · '.join(filter(None, facts))}",
        telling(symbol.doc_first_line or "", symbol.name),
        f"    {obsolete_mark(symbol.id, detail)}{one_line(symbol.signature)}",
        "\n".join(_said_lines(said, one_line(symbol.signature))) if said is not None else "",
        "\n".join(filter(None, [owner, _doc_of(detail), *_quality_lines(_parts_of(symbol, detail))])),
        "Overloads\n\n" + "\n".join(overloads) if overloads else "",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _said_lines(said: Documentation, signature: str) -> Iterable[str]:
    """What is said of parameters and result, where it is more than the signature says."""
    for name, text in (*said.type_parameters.items(), *said.parameters.items()):
        if told := telling(text, signature):
            yield f"- {name}: {shortened(told, DOC_LENGTH)}"
    if said.returns and (told := telling(said.returns, signature)):
        yield f"- Returns: {shortened(told, DOC_LENGTH)}"
    for name, text in said.exceptions.items():
        yield f"- Throws {name}: {shortened(text, DOC_LENGTH)}"


def _type_facts(detail: TypeDetail) -> str:
    symbol = detail.symbol
    words = [symbol.accessibility.declared, *_modifiers(symbol), symbol.kind.value]
    if symbol.kind is Kind.ENUM and symbol.bases:
        words.append(f": {symbol.bases[0].text}")
    parts = detail.parts if len(detail.parts) <= PARTS_IN_LINE else detail.parts[:1]
    places = ", ".join(_place(part) for part in parts)
    if len(parts) < len(detail.parts):
        places += f" and {len(detail.parts) - 1} more parts"
    kind = obsolete_mark(symbol.id, detail) + " ".join(filter(None, words))
    return " · ".join(filter(None, (kind, places, symbol.project)))


def _place(of: Part | Symbol) -> str:
    """`src/A.cs:52-90`, or `src/A.cs:52` for one line."""
    return f"{of.file}:{of.start_line}" + (f"-{of.end_line}" if of.end_line != of.start_line else "")


def _modifiers(symbol: Symbol) -> list[str]:
    said = {*symbol.accessibility.declared.split(), *symbol.kind.value.split()}
    words = [modifier for modifier in shown_modifiers(symbol.modifiers) if modifier not in said]
    return sorted(words, key=lambda word: word == "partial")


def _api(detail: TypeDetail, access: OutlineAccess, body: Sequence[str]) -> str:
    symbol = detail.symbol
    declares = _declares_parameters(symbol) or _limits_its_types(symbol)
    head = [one_line(symbol.signature)] if declares else []
    rest = _not_shown(detail, access)
    if not head and not body:
        own = f"{_ACCESS_TITLES[access]}: {'only what it inherits' if _inherits(detail) else 'none'}."
        return rest or own
    lines = "\n".join(
        f"    {line}" if line else "" for line in [*head, *([""] if head and body else []), *body]
    )
    return f"{_ACCESS_TITLES[access]}\n\n{lines}" + (f"\n\n{rest}" if rest else "")


def _declares_parameters(symbol: Symbol) -> bool:
    """A delegate, or a type with a primary constructor: its own declaration is the most telling line of its
    API."""
    return symbol.kind is Kind.DELEGATE or bool(symbol.parameters)


def _limits_its_types(symbol: Symbol) -> bool:
    """Whether variance or constraints say what its type parameters may be: heading and facts have their names alone."""
    bare = f"{symbol.name}<{', '.join(symbol.type_parameters)}>"
    return bool(symbol.type_parameters) and (
        " where " in symbol.signature or bare not in one_line(symbol.signature)
    )


def _with_members(detail: TypeDetail, members: Collection[str]) -> TypeDetail:
    """The type as if it had these members alone."""
    return replace(detail, members=tuple(each for each in detail.members if each.id in members), nested=())


def _limited(groups: Sequence[MemberGroup], limit: int | None, *, of: int) -> list[str]:
    """The lines of all groups, a blank one between groups; a line counts what is left out `of` so many members: those
    past `limit`, and those of no group."""
    listed = sum(len(group.entries) for group in groups)
    room = listed if limit is None else limit
    left_out = of - min(room, listed)
    lines: list[str] = []
    for group in groups:
        if room > 0:
            lines += [*([""] if lines else []), group.title, *group.lines(room)]
        room -= len(group.entries)
    return [*lines, "", f"… {left_out} more of {of} members"] if left_out else lines


def _not_shown(detail: TypeDetail, access: OutlineAccess) -> str:
    hidden = sum(not member.implicit and not is_shown(member, access) for member in detail.members)
    return (
        f"Not shown: {hidden} {'member' if hidden == 1 else 'members'}, {_HIDDEN_TEXTS[access]}."
        if hidden
        else ""
    )


def _relations(detail: TypeDetail, *, hashes: bool) -> Iterable[str]:
    extends, implements = _split_bases(detail)
    if extends:
        yield f"- Extends: {extends}"
    if implements:
        yield f"- Implements: {', '.join(implements)}"
    own = [link for link in detail.depends_on if link.type_id is not None or not _is_framework(link.fqn)]
    own = _but_bases(own, detail.symbol)
    if own:
        yield f"- DependsOn: {_links(own, LINKS_SHOWN)}"
    if detail.used_by:
        count = len(detail.used_by)
        named = _links(detail.used_by, USERS_SHOWN)
        yield f"- Used by: {count} {'type' if count == 1 else 'types'}: {named}"
    if len(detail.parts) > PARTS_IN_LINE:
        more = len(detail.parts) - 1 - LINKS_SHOWN
        shown = ", ".join(_place(part) for part in detail.parts[1 : 1 + LINKS_SHOWN])
        yield f"- Parts: {shown}" + (f" and {more} more" if more > 0 else "")
    yield from _quality_lines(detail.parts)
    if hashes and detail.hashes:
        yield "- Hashes: " + " · ".join(f"{name} {value}" for name, value in detail.hashes.items())


def _but_bases(links: Sequence[TypeLink], symbol: Symbol) -> list[TypeLink]:
    """The links without the types of the base list, which are told by it; of types of one name all stay."""
    bases = {_simple(one_line(base.text).partition("<")[0]) for base in symbol.bases or ()}
    names = Counter(_simple(link.fqn) for link in links)
    return [link for link in links if (name := _simple(link.fqn)) not in bases or names[name] > 1]


def _simple(fqn: str) -> str:
    """A type's name without what it is in and its arity."""
    return re.split(r"[.+]", fqn)[-1].partition("`")[0]


def _inherits(detail: TypeDetail) -> bool:
    """Whether it has members of a base class or, being an interface, of others; of interfaces a class inherits none."""
    extends, implements = _split_bases(detail)
    return bool(extends or (implements and detail.symbol.kind is Kind.INTERFACE))


def _split_bases(detail: TypeDetail) -> tuple[str, list[str]]:
    """(base class or "", interfaces). Only a class can have a base class, which is not named like an interface, by the
    language's naming rule, and stands first; of several parts it may stand first in any."""
    symbol = detail.symbol
    bases = [base for base in symbol.bases or () if not base.implicit]
    if symbol.kind not in {Kind.CLASS, Kind.RECORD}:
        return "", [one_line(base.text) for base in bases if symbol.kind is not Kind.ENUM]
    first = bases if len(detail.parts) > 1 else bases[:1]
    extends = next((base for base in first if not _named_like_an_interface(base)), None)
    others = [one_line(base.text) for base in bases if base is not extends]
    return one_line(extends.text) if extends else "", others


def _named_like_an_interface(base: Base) -> bool:
    name = base.text.partition("<")[0].rpartition(".")[2].strip()
    return len(name) > 1 and name[0] == "I" and name[1].isupper()


def _is_framework(fqn: str) -> bool:
    """Whether a name is of the class library, which every reader knows."""
    return fqn.partition(".")[0] in ("System", "Microsoft")


def _links(links: Sequence[TypeLink], most: int) -> str:
    """The types named most often, those of tests behind the others, by simple name where that is enough."""
    first = sorted(links, key=lambda link: (is_of_tests(link.fqn), -link.count, link.fqn))[:most]
    names = short_names(link.fqn for link in first)
    more = len(links) - len(first)
    return ", ".join(names[link.fqn] for link in first) + (f" and {more} more" if more else "")


def _quality_lines(parts: Sequence[Part]) -> Iterable[str]:
    """A line for each quality other than exact, with the files it is of, unless that is all of them."""
    files = {part.file: part.quality for part in parts}
    for quality in dict.fromkeys(files.values()):
        if quality is Quality.EXACT:
            continue
        these = [file for file, its in files.items() if its is quality]
        named = ", ".join(these) if len(these) <= PARTS_IN_LINE else f"{len(these)} of {len(files)} files"
        yield f"- Quality: {quality.value} ({_QUALITY_TEXTS[quality]})" + (
            f": {named}" if len(these) < len(files) else ""
        )


def _parts_of(symbol: Symbol, detail: TypeDetail) -> list[Part]:
    return [part for part in detail.parts if part.file == symbol.file][:1]


def _doc_of(detail: TypeDetail) -> str:
    doc = shortened(telling(detail.doc or "", detail.symbol.name), DOC_LENGTH)
    return f"- {type_name(detail.symbol.name)}: {doc}" if doc else ""


def signature_of(symbol: Symbol, owner: Symbol | None = None) -> str:
    """The signature, and as a comment its full name, its id to ask for more by, and its place. One line. `owner`: the
    type of a member."""
    end = f"-{symbol.end_line}" if symbol.end_line != symbol.start_line else ""
    place = f"{symbol.file}:{symbol.start_line}{end}"
    return f"{one_line(symbol.signature)}  // {symbol_name(symbol, owner)} {symbol.id} {place}\n"
