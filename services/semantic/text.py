"""The text of a note's file, written and read back (SPEC section 9, 004 section 3.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple

from services.concurrency.lazy import expression
from services.errors import NoteInvalid
from services.prompt.outline.names import type_name
from services.semantic.values import (
    Author,
    LinkedConclusion,
    Note,
    NoteAnswer,
    NotedType,
    NoteFields,
    NoteState,
    Provider,
)

LABELS: Mapping[str, str] = {
    "role": "ROLE",
    "lifecycle": "LIFECYCLE",
    "edge_cases": "EDGE_CASES",
    "limitations": "LIMITATIONS",
    "recommendations": "RECOMMENDATIONS",
}
"""The label of each field, in the order of the file."""
_TITLE = "# Semantic: "
_TYPES_LINE = expression(r"^Types:(?P<ids>.*)$", re.MULTILINE)
_LABEL = expression(rf"^(?P<label>{'|'.join(LABELS.values())}):[ \t]*(?P<rest>.*)$")
_ESCAPED = expression(rf"^ +(?:{'|'.join(LABELS.values())}):")


def write(note: Note, *, group_id: str | None = None) -> str:
    """The text of a note. `group_id`: of the types of a group."""
    first = note.types[0]
    lines = [f"{_TITLE}{first.fqn} {group_id or first.type_id}"]
    if len(note.types) > 1:
        lines.append(f"Types: {','.join(note.type_ids)}")
        lines.append(f"Names: {_pairs((each.type_id, each.fqn) for each in note.types)}")
    for label, value in (
        ("StructureHash", lambda each: each.structure_hash),
        ("ImplHash", lambda each: each.impl_hash),
        ("XmlDocHash", lambda each: each.xml_doc_hash),
    ):
        lines.append(f"{label}: {_hashes(note.types, [value(each) for each in note.types])}")
    lines.append(f"Dependencies: {' '.join(note.dependencies)}".rstrip())
    lines.append(f"DependencyHashes: {_pairs(note.dependencies.items())}".rstrip())
    lines.append(f"Provider: {provider_text(note.provider)}")
    return "\n".join(lines) + "\n\n" + labelled(note.fields)


def labelled(fields: NoteFields) -> str:
    """The fields under their labels, as `fields_of` takes them apart again."""
    parts = (
        [f"{label}:", *map(_escaped, getattr(fields, field).splitlines())] for field, label in LABELS.items()
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


FILL_ORDER = ("role", "lifecycle", "limitations", "recommendations", "edge_cases")
"""The fields as they are worth their room, the first the most (004 section 8)."""


def head_of(provider: Provider, reasons: Sequence[str]) -> str:
    """The line that a note for a model begins with: by whom it is, and why it may not hold any more."""
    doubt = f" It may not hold any more: {' '.join(reasons)}" if reasons else ""
    return " ".join(f"Note by {who_wrote(provider)}.{doubt}".split())


class Sections(NamedTuple):
    """A note behind an outline. `begins`: the line that each of its sections begins with, that of all of it first; what
    has no room goes from the end."""

    text: str
    begins: tuple[str, ...]


def sections(fields: NoteFields, head: str) -> Sections:
    """Return the sections of a note for a model, the most useful first. `head`: the first line."""
    lines: list[str] = [head]
    for field in FILL_ORDER:
        lines += [f"{LABELS[field]}:", *map(_escaped, getattr(fields, field).splitlines())]
    return Sections("\n".join(lines) + "\n", (head, *(f"{LABELS[field]}:" for field in FILL_ORDER[1:])))


def shown(answer: NoteAnswer, *, width: int | None = None) -> str:
    """A note as Markdown for a person: what it is of, who wrote it, whether it still holds, and its fields, in lines
    of `width` cells at most."""
    provider = answer.provider
    by = (
        "read off the code: nobody wrote a note"
        if answer.is_static
        else f"{answer.state}, by {who_wrote(provider)}"
    )
    if answer.is_static and answer.state is not NoteState.NONE:
        by = f"{by}; one is {answer.state}"
    lines = [f"# {type_name(answer.fqn)}  {answer.type_id}", by]
    lines += [f"- {reason}" for reason in answer.reasons]
    lines += [linked(each) for each in answer.conclusions]
    if answer.waiting is not None:
        lines.append("- A newer note waits beside it, to be taken or dropped.")
    if answer.unreadable:
        lines.append(f"- {answer.unreadable}")
    if answer.last_error:
        lines.append(f"- The last attempt failed: {answer.last_error}")
    for field, label in LABELS.items():
        lines += ["", _titled(label), "", *_indented(getattr(answer.fields, field), width)]
    return "\n".join(lines) + "\n"


def linked(each: LinkedConclusion) -> str:
    """A conclusion as the note of a type names it."""
    doubt = " (may not hold any more)" if each.reasons else ""
    return f"- See {each.op_id}: {each.title}{doubt}"


def who_wrote(provider: Provider) -> str:
    """Return author and date of a note, for a person."""
    who = provider.name or ("a person" if provider.author is Author.PERSON else f"a {provider.author}")
    return f"{who}, {provider.date}" if provider.date else who


def fenced(text: str, language: str = "") -> str:
    """A text as data, between fences that it cannot end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _indented(text: str, width: int | None) -> Iterator[str]:
    for line in text.splitlines():
        hang = "      " if line.startswith("- ") else "    "
        whole = f"    {line}"
        yield from wrap(whole, width, subsequent_indent=hang, break_on_hyphens=False) if width else [whole]


def _titled(label: str) -> str:
    return label.replace("_", " ").capitalize()


def read(text: str) -> Note:
    """Parse the note in a file. Raises NoteInvalid."""
    lines = text.splitlines()
    if not lines or not lines[0].startswith(_TITLE):
        raise NoteInvalid(f"A note begins with `{_TITLE.strip()}` and the name and id of its type.")
    begins = next((at for at, line in enumerate(lines) if _LABEL.match(line)), len(lines))
    head = dict(_headings(lines[1:begins]))
    name, _, own_id = lines[0].removeprefix(_TITLE).rpartition(" ")
    if not name:
        raise NoteInvalid("The first line of a note needs the name of its type and then its id.")
    ids = [each.strip() for each in head["Types"].split(",")] if "Types" in head else [own_id]
    return Note(
        types=_types(head, ids, name),
        dependencies=_mapping(head.get("DependencyHashes", "")),
        provider=provider_of(head.get("Provider", "")),
        fields=fields_of(_sections(lines[begins:])),
    )


def types_named(text: str) -> tuple[str, ...]:
    """The ids of the types that the head of a file names, also of one that is no note."""
    match = _TYPES_LINE.search(text)
    return tuple(filter(None, (each.strip() for each in match["ids"].split(",")))) if match else ()


def fields_of(sections: Mapping[str, str]) -> NoteFields:
    """The fields of labelled sections. Raises NoteInvalid for one that is missing or empty."""
    missing = [label for label in LABELS.values() if not sections.get(label, "").strip()]
    if missing:
        raise NoteInvalid(
            f"The note says nothing under {_listed(missing)}. Each of the five needs a text.", missing=missing
        )
    return NoteFields(**{field: normal(sections[label]) for field, label in LABELS.items()})


def normal(text: str) -> str:
    """Return a field's text normalised for storage: no blanks around it or at line ends, at most one empty line in
    a row."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines)


def _escaped(line: str) -> str:
    """A line that would be read as a label moves to the right."""
    return f" {line}" if _LABEL.match(line) or _ESCAPED.match(line) else line


def _unescaped(line: str) -> str:
    return line[1:] if _ESCAPED.match(line) else line


def _sections(lines: Iterable[str]) -> dict[str, str]:
    sections: dict[str, list[str]] = {}
    label = ""
    for line in lines:
        if (match := _LABEL.match(line)) is not None:
            label = match["label"]
            sections.setdefault(label, []).append(match["rest"])
        else:
            sections[label].append(_unescaped(line))
    return {label: "\n".join(part) for label, part in sections.items()}


def _headings(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        label, colon, value = line.partition(":")
        if colon:
            yield label.strip(), value.strip()


def _types(head: Mapping[str, str], ids: list[str], name: str) -> tuple[NotedType, ...]:
    names = _mapping(head.get("Names", "")) if len(ids) > 1 else {ids[0]: name}
    structure, impl, doc = (
        _by_type(head.get(label, ""), ids) for label in ("StructureHash", "ImplHash", "XmlDocHash")
    )
    return tuple(
        NotedType(
            type_id=each,
            fqn=names.get(each, each),
            structure_hash=structure.get(each, ""),
            impl_hash=impl.get(each, ""),
            xml_doc_hash=doc.get(each, ""),
        )
        for each in ids
    )


def _by_type(value: str, ids: list[str]) -> dict[str, str]:
    return {ids[0]: value} if len(ids) == 1 else _mapping(value)


def _hashes(types: tuple[NotedType, ...], hashes: list[str]) -> str:
    return (
        hashes[0]
        if len(types) == 1
        else _pairs((each.type_id, one) for each, one in zip(types, hashes, strict=True))
    )


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"{key}={value}" for key, value in pairs)


def _mapping(text: str) -> dict[str, str]:
    return {key: value for key, equals, value in (each.partition("=") for each in text.split()) if equals}


def provider_text(provider: Provider) -> str:
    """Return the author as files record it."""
    return " ".join(part for part in (provider.author, provider.name, provider.date) if part)


def provider_of(text: str) -> Provider:
    """Return the author that a file records; a person, where it names no known provider."""
    author, *rest = text.split() or [""]
    date = rest.pop() if rest and re.fullmatch(r"\d{4}-\d\d-\d\d", rest[-1]) else ""
    known = author if author in set(Author) else Author.PERSON
    return Provider(author=Author(known), name=" ".join(rest), date=date)


def _listed(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"
