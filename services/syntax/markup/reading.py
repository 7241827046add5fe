"""Files of every kind that holds C#, by their suffix: the text that is parsed, and the record of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from services.model import Kind, Quality
from services.syntax.parse.parsing import read_file
from services.syntax.parse.skeleton import blanked
from services.syntax.records.declaration import Declaration, FileRecord, Scope, Using, shifted
from services.syntax.records.hashing import part, signature_numbers, text_hash
from services.workspace.source_kinds import QUERY, is_markup, is_script

if TYPE_CHECKING:
    from services.syntax.markup.view import GeneratedMember, View

_PAGES = (".aspx", ".ascx", ".master", ".ashx", ".asmx")
_NAMESPACE = "namespace:"
_STATIC = "static "
_DOCUMENTS = "AspNetCoreGeneratedDocument"
"""The namespace of the classes that the compiler makes of views."""


def source_text(path: str, text: bytes) -> bytes:
    """The text of a file (in UTF-8) that records count in: its own, or the view of the C# in it, of the same length."""
    return view_of(path, text).text if is_markup(path) else text


def read_source_file(path: str, text: bytes, symbols: frozenset[str]) -> FileRecord:
    """The record of a file of any kind. `symbols`: what its project reads it with (`ProjectInfo.symbols`)."""
    if not is_markup(path):
        return _script(text, symbols) if is_script(path) else read_file(text, symbols)
    view = view_of(path, text)
    if is_script(path):
        return _with_usings(_script(view.text, frozenset()), view)
    folder = next((each.removeprefix(_NAMESPACE) for each in symbols if each.startswith(_NAMESPACE)), "")
    return _record(view, *_named(view, path, folder))


@lru_cache(maxsize=4)
def view_of(path: str, text: bytes) -> View:
    """The view of a markup file."""
    # Most folders have no markup, and every worker would compile what finds C# in it.
    from services.syntax.markup.pages import page_view, query_view
    from services.syntax.markup.razor import razor_view
    from services.syntax.markup.xaml import xaml_view

    name, _, suffix = path.rpartition("/")[2].rpartition(".")
    suffix = f".{suffix.lower()}"
    if suffix in (".razor", ".cshtml"):
        return razor_view(text, name, is_component=suffix == ".razor")
    if suffix == QUERY:
        return query_view(text)
    return page_view(text, name) if suffix in _PAGES else xaml_view(text, name)


def _named(view: View, path: str, folder: str) -> tuple[str, str]:
    """Namespace and name of the class that a file is a part of."""
    if path.lower().endswith(".cshtml"):
        stem = path.rpartition("/")[2].rpartition(".")[0]
        prefix = "_".join([*folder.split(".")[1:], stem]) if folder else stem
        return _DOCUMENTS, re.sub(r"\W", "_", prefix) if view.name else ""
    return view.namespace if view.namespace is not None else folder, view.name


def _record(view: View, namespace: str, name: str) -> FileRecord:
    text = view.text
    if not name:
        return _unit(view)
    parameters = f"<{', '.join(view.type_parameters)}>" if view.type_parameters else ""
    bases = f" : {', '.join(view.bases)}" if view.bases else ""
    usings = "".join(f"using {each};" for each in view.usings)
    around = f"namespace {namespace};" if namespace else ""
    access = "internal" if namespace == _DOCUMENTS else "public"
    head = f"{usings}{around}{access} partial class {name}{parameters}{bases} {{".encode()
    empty = read_file(head + b"}")
    own = [each for each in empty.declarations if each.kind is Kind.CLASS]
    if not own:
        return _unit(view)
    found = [_whole(own[0], text)]
    quality, clean = Quality.EXACT, blanked(text, sorted([*view.names, *view.types]))
    for start, end, code in sorted([*((*each, b"") for each in view.blocks), *_generated(view.members)]):
        record = read_file(head + (code or clean[start:end]) + b"}")
        inside = [each for each in record.declarations[1:] if each.start >= len(head)]
        if code:
            inside = [_at(each, text, start, end) for each in inside[:1]]
        else:
            quality = quality if record.quality is Quality.EXACT else record.quality
            shift, lines = start - len(head), text.count(b"\n", 0, start)
            inside = [shifted(each, shift, lines) for each in inside]
        found += _indexed(inside, len(found))
    return _finished(view, quality, empty.scopes, found)


def _finished(
    view: View, quality: Quality, scopes: tuple[Scope, ...], found: Sequence[Declaration]
) -> FileRecord:
    text = view.text
    return FileRecord(
        quality,
        text_hash(text),
        text.count(b"\n") + (1 if text and not text.endswith(b"\n") else 0),
        True,
        scopes,
        tuple(found),
        (),
        signatures=signature_numbers(scopes, found),
        names=tuple(view.names),
        types=tuple(view.types),
    )


def _script(text: bytes, symbols: frozenset[str]) -> FileRecord:
    """The record of a script or a query, which may end with an expression."""
    record = read_file(text, symbols, is_script=True)
    if record.quality is Quality.EXACT:
        return record
    quality = read_file(text + b"\n;", symbols, is_script=True).quality
    return msgspec.structs.replace(record, quality=Quality.EXACT) if quality is Quality.EXACT else record


def _unit(view: View) -> FileRecord:
    """The record of a file that is a compilation unit, or holds nothing but directives."""
    if not view.is_imports:
        return _with_usings(read_file(view.text), view)
    # What directives name, as an attribute or a layout, is no code.
    return _with_usings(_finished(view, Quality.EXACT, read_file(b"").scopes, ()), view)


def _with_usings(record: FileRecord, view: View) -> FileRecord:
    named = [(each.removeprefix(_STATIC), each.startswith(_STATIC)) for each in view.usings]
    usings = tuple(Using(name, "", is_static, view.is_imports) for name, is_static in named)
    first, *others = record.scopes
    scopes = (msgspec.structs.replace(first, usings=(*first.usings, *usings)), *others)
    return msgspec.structs.replace(record, scopes=scopes, conditional=True)


def _whole(declaration: Declaration, text: bytes) -> Declaration:
    """The class as the part of it that a whole file is."""
    end = len(text)
    return msgspec.structs.replace(
        declaration,
        start=0,
        end=end,
        start_line=1,
        end_line=1 + text.count(b"\n", 0, max(0, end - 1)),
        body=(0, end),
        impl=part(b" ".join(text.split())),
    )


def _generated(members: Sequence[GeneratedMember]) -> Iterator[tuple[int, int, bytes]]:
    return ((each.start, each.end, each.code.encode()) for each in members)


def _at(each: Declaration, text: bytes, start: int, end: int) -> Declaration:
    """A member that no C# declares, where markup names it."""
    line = 1 + text.count(b"\n", 0, start)
    place = {"start": start, "end": end, "start_line": line, "end_line": line}
    return msgspec.structs.replace(each, **place, body=(0, 0), doc=(0, 0))


def _indexed(declarations: Sequence[Declaration], first: int) -> list[Declaration]:
    """Return the declarations with parents numbered in the whole file: members of the head's class, which was the
    first, become members of the file's class."""
    return [
        msgspec.structs.replace(each, parent=0 if each.parent <= 0 else each.parent - 1 + first)
        for each in declarations
    ]
