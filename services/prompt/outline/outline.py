"""Outlines of types as written to files of `.context/types/` (004 section 3.4); csharp_outline.py writes them for
models.

Markdown: a heading, one line of facts, the documentation, the members as an indented code block, and a list
of how the type hangs together with others. An outline depends on its argument alone, so equal types give
equal bytes.

A type or a member as its signature alone: what is left of it where nothing more fits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from services.index.catalog.naming import shown_modifiers
from services.model import (
    Base,
    Documentation,
    Kind,
    Quality,
    Symbol,
    TypeDetail,
    TypeLink,
    TypePart,
    is_of_tests,
)
from services.prompt.outline.names import short_names, symbol_name
from services.prompt.outline.outline_members import (
    MemberGroup,
    OutlineAccess,
    is_shown,
    member_count,
    member_groups,
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

_QUALITY_TEXTS = {
    Quality.DIRECTIVES: "one branch of each #if was read",
    Quality.REPAIRED: "read after repairs to syntax that the parser refuses",
    Quality.BODIES_SKIPPED: "read without the bodies, which do not parse",
    Quality.FAILED: "the file does not parse, members may be missing",
}


def type_outline(detail: TypeDetail, *, hashes: bool = True) -> str:
    """The outline of a type, ending in a line end. Beyond MEMBER_LIMIT members the rest is counted. `hashes`: with a
    line of them."""
    groups = member_groups(detail, OutlineAccess.PUBLIC)
    lines = _limited(groups, of=member_count(detail, OutlineAccess.PUBLIC))
    sections = [
        f"# {symbol_name(detail.symbol)}  {detail.symbol.id}\n{_type_facts(detail)}",
        shortened(telling(detail.doc or detail.symbol.doc_first_line or "", detail.symbol.name), DOC_LENGTH),
        _api(detail, lines),
        "\n".join(_relations(detail, hashes=hashes)),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def said_lines(said: Documentation, signature: str) -> Iterable[str]:
    """Yield documentation of parameters and result that adds to the signature."""
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
    places = ", ".join(place_of(part) for part in parts)
    if len(parts) < len(detail.parts):
        places += f" and {len(detail.parts) - 1} more parts"
    kind = obsolete_mark(symbol.id, detail) + " ".join(filter(None, words))
    return " · ".join(filter(None, (kind, places, symbol.project, symbol.condition or "")))


def place_of(of: TypePart | Symbol) -> str:
    """`src/A.cs:52-90`, or `src/A.cs:52` for one line."""
    return f"{of.file}:{of.start_line}" + (f"-{of.end_line}" if of.end_line != of.start_line else "")


def _modifiers(symbol: Symbol) -> list[str]:
    said = {*symbol.accessibility.declared.split(), *symbol.kind.value.split()}
    words = [modifier for modifier in shown_modifiers(symbol.modifiers) if modifier not in said]
    return sorted(words, key=lambda word: word == "partial")


def _api(detail: TypeDetail, body: Sequence[str]) -> str:
    symbol = detail.symbol
    declares = _declares_parameters(symbol) or _limits_its_types(symbol)
    head = [one_line(symbol.signature)] if declares else []
    rest = _not_shown(detail)
    if not head and not body:
        own = f"Public API: {'only what it inherits' if _inherits(detail) else 'none'}."
        return rest or own
    lines = "\n".join(
        f"    {line}" if line else "" for line in [*head, *([""] if head and body else []), *body]
    )
    return f"Public API\n\n{lines}" + (f"\n\n{rest}" if rest else "")


def _declares_parameters(symbol: Symbol) -> bool:
    """Whether the symbol is a delegate, or a type with a primary constructor, whose own declaration is the main part
    of its API."""
    return symbol.kind is Kind.DELEGATE or bool(symbol.parameters)


def _limits_its_types(symbol: Symbol) -> bool:
    """Whether variance or constraints limit its type parameters: heading and facts show only their names."""
    bare = f"{symbol.name}<{', '.join(symbol.type_parameters)}>"
    return bool(symbol.type_parameters) and (
        " where " in symbol.signature or bare not in one_line(symbol.signature)
    )


def _limited(groups: Sequence[MemberGroup], *, of: int) -> list[str]:
    """The lines of all groups, a blank one between groups; a line counts what is left out `of` so many members."""
    remaining = MEMBER_LIMIT
    lines: list[str] = []
    for group in groups:
        if remaining > 0:
            lines += [*([""] if lines else []), group.title, *group.lines(remaining)]
        remaining -= len(group.entries)
    return [*lines, "", f"… {-remaining} more of {of} members"] if remaining < 0 else lines


def _not_shown(detail: TypeDetail) -> str:
    hidden = sum(not each.implicit and not is_shown(each, OutlineAccess.PUBLIC) for each in detail.members)
    members = "member" if hidden == 1 else "members"
    return f"Not shown: {hidden} {members}, neither public nor protected." if hidden else ""


def _relations(detail: TypeDetail, *, hashes: bool) -> Iterable[str]:
    extends, implements = _split_bases(detail)
    if extends:
        yield f"- Extends: {extends}"
    if implements:
        yield f"- Implements: {', '.join(implements)}"
    own = [link for link in detail.depends_on if link.type_id is not None or not _is_framework(link.fqn)]
    own = _but_bases(own, detail.symbol)
    if own:
        yield f"- DependsOn: {links_text(own, LINKS_SHOWN)}"
    if detail.used_by:
        count = len(detail.used_by)
        named = links_text(detail.used_by, USERS_SHOWN)
        yield f"- Used by: {count} {'type' if count == 1 else 'types'}: {named}"
    if len(detail.parts) > PARTS_IN_LINE:
        more = len(detail.parts) - 1 - LINKS_SHOWN
        shown = ", ".join(place_of(part) for part in detail.parts[1 : 1 + LINKS_SHOWN])
        yield f"- Parts: {shown}" + (f" and {more} more" if more > 0 else "")
    yield from quality_lines(detail.parts)
    if hashes and detail.hashes:
        yield "- Hashes: " + " · ".join(f"{name} {value}" for name, value in detail.hashes.items())


def _but_bases(links: Sequence[TypeLink], symbol: Symbol) -> list[TypeLink]:
    """Return the links without the types of the base list, which shows them; of types of one name all remain."""
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


def links_text(links: Sequence[TypeLink], most: int) -> str:
    """The types named most often, those of tests behind the others, by simple name where that is enough."""
    first = sorted(links, key=lambda link: (is_of_tests(link.fqn), -link.count, link.fqn))[:most]
    names = short_names(link.fqn for link in first)
    more = len(links) - len(first)
    return ", ".join(names[link.fqn] for link in first) + (f" and {more} more" if more else "")


def quality_lines(parts: Sequence[TypePart]) -> Iterable[str]:
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


def signature_of(symbol: Symbol, owner: Symbol | None = None) -> str:
    """Return the signature, with a comment of its full name, its id for further requests, and its location, on one
    line. `owner`: the type of a member."""
    end = f"-{symbol.end_line}" if symbol.end_line != symbol.start_line else ""
    place = f"{symbol.file}:{symbol.start_line}{end}"
    return f"{one_line(symbol.signature)}  // {symbol_name(symbol, owner)} {symbol.id} {place}\n"
