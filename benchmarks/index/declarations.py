"""Whether the index has every declaration that a straightforward walk over a plain parse finds."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from pathlib import Path

from tree_sitter import Node

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus
from benchmarks.index import plain
from services.index.catalog.store import Store
from services.model import Kind
from services.workspace.state_home import StateHome

SAMPLE = 3_000
_MISREAD = re.compile(rb"^[ \t]*#[ \t]*(?:if|el|endif)|\bextension\s*[<(]", re.MULTILINE)
"""Conditions, of which the grammar reads every branch, and extension blocks, which it takes for constructors."""
_BODIES = frozenset({"block", "arrow_expression_clause", "accessor_list", "parameter_list", "attribute_list"})
_KINDS = {
    "class_declaration": Kind.CLASS,
    "struct_declaration": Kind.STRUCT,
    "interface_declaration": Kind.INTERFACE,
    "enum_declaration": Kind.ENUM,
    "record_declaration": Kind.RECORD,
    "delegate_declaration": Kind.DELEGATE,
    "method_declaration": Kind.METHOD,
    "constructor_declaration": Kind.CONSTRUCTOR,
    "destructor_declaration": Kind.DESTRUCTOR,
    "operator_declaration": Kind.OPERATOR,
    "conversion_operator_declaration": Kind.CONVERSION,
    "property_declaration": Kind.PROPERTY,
    "indexer_declaration": Kind.INDEXER,
    "event_declaration": Kind.EVENT,
    "enum_member_declaration": Kind.ENUM_MEMBER,
}
_FIELDS = {"field_declaration": Kind.FIELD, "event_field_declaration": Kind.EVENT}
_UNNAMED = frozenset({Kind.OPERATOR, Kind.CONVERSION, Kind.INDEXER, Kind.DESTRUCTOR})
"""Kinds whose names are spelt by rules of our own: compared without."""

Seen = tuple[str, str, int]


def compared(corpus: Corpus) -> str:
    """A sentence on the files of a sample that a plain parse reads without error, and rightly."""
    step = max(1, -(-len(corpus.paths) // SAMPLE))
    answer = fresh.run(differences, folder=str(corpus.folder), paths=corpus.paths[::step])
    text = f"{answer['declarations']:,} declarations of {answer['files']:,} cleanly parsed files compared: "
    text += f"{answer['lost']} lost, {answer['added']} added."
    return " ".join([text, *(f"`{example}`" for example in answer["examples"])])


def differences(folder: str, paths: list[str]) -> dict[str, object]:
    """Compare the declarations (kind, name, line) of the stored index with those of a plain walk, as multisets."""
    state = StateHome.of_person().find_folder(Path(folder))
    assert state is not None
    store = Store(state / "index.db")
    kept = {row.path: row.variant for row in store.listed()}
    lost: list[str] = []
    added: list[str] = []
    files = declarations = 0
    for path in paths:
        whole = Path(folder, path)
        root = plain.parse(str(whole)).root_node
        if path not in kept or root.has_error or _MISREAD.search(whole.read_bytes()):
            continue
        files += 1
        own, other = _indexed(store, path, kept[path]), Counter(walk(root))
        declarations += other.total()
        lost += [f"- {path}: {each}" for each in (other - own).elements()]
        added += [f"+ {path}: {each}" for each in (own - other).elements()]
    store.close()
    return {
        "files": files,
        "declarations": declarations,
        "lost": len(lost),
        "added": len(added),
        "examples": [*lost[:5], *added[:5]],
    }


def walk(node: Node) -> list[Seen]:
    """Every declaration below a node, local functions left out."""
    own = list(_declared(node))
    if node.type in _BODIES:
        return own
    return own + list(chain.from_iterable(map(walk, node.named_children)))


def _declared(node: Node) -> list[Seen]:
    if node.type in _FIELDS:
        return _fields(node)
    kind = _KINDS.get(node.type)
    if kind is None:
        return []
    words = {child.type for child in node.children}
    if kind is Kind.RECORD and "struct" in words:
        kind = Kind.RECORD_STRUCT
    return [_seen(kind, node.child_by_field_name("name"), node)]


def _fields(node: Node) -> list[Seen]:
    constant = any(child.type == "modifier" and child.text == b"const" for child in node.children)
    kind = Kind.CONSTANT if constant else _FIELDS[node.type]
    declaration = next(child for child in node.named_children if child.type == "variable_declaration")
    declarators = (child for child in declaration.named_children if child.type == "variable_declarator")
    return [_seen(kind, each.child_by_field_name("name"), node) for each in declarators]


def _seen(kind: Kind, name: Node | None, node: Node) -> Seen:
    text = (name.text or b"").decode().removeprefix("@") if name is not None and kind not in _UNNAMED else ""
    return (kind.value, text, node.start_point[0] + 1)


def _indexed(store: Store, path: str, variant: str) -> Counter[Seen]:
    record = store.record(path, variant)
    declarations = record.declarations if record is not None else ()
    return Counter(
        (each.kind.value, "" if each.kind in _UNNAMED else each.name, each.start_line)
        for each in declarations
    )
