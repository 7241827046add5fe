"""The values that every floor shares: frozen, and the same on every way out.

A value that leaves the program is encoded with camelCase names (SPEC section 10). Lines are 1-based and
inclusive everywhere above the syntax floor; paths are relative to the workspace root, with `/`.
"""

from __future__ import annotations

from services.model.base import Value
from services.model.diffs import ChangeSet, Commit, DiffLine, FileChange, Hunk
from services.model.editing import ConflictHunk, Draft, MergeChoice, Proposal, ProposalState, Rebased
from services.model.packs import (
    Completeness,
    Missing,
    Pack,
    PackInfo,
    PackList,
    PackType,
    Suggestion,
    Suggestions,
    Unneeded,
)
from services.model.source import (
    GrepAnswer,
    GrepFile,
    GrepMatch,
    SourcePiece,
    SourceRange,
    Span,
    Structure,
    StructureLink,
    StructurePart,
)
from services.model.symbols import (
    TYPE_KINDS,
    Access,
    Base,
    Kind,
    OutlineAnswer,
    Parameter,
    Quality,
    ResolveAnswer,
    Resolved,
    SearchAnswer,
    SearchHit,
    Symbol,
    SymbolRef,
)
from services.model.types import ChangeClass, Documentation, Part, TypeChange, TypeDetail, TypeLink
from services.model.usages import Definition, FileHit, Usage, UsagesAnswer
from services.model.window import ItemFlag, ItemState, Level, Lowered, Omitted, Window, WindowItem
from services.model.workspace import ExportAnswer, Notice, Progress, Project, Status

__all__ = [
    "TYPE_KINDS",
    "Access",
    "Base",
    "ChangeClass",
    "ChangeSet",
    "Commit",
    "Completeness",
    "ConflictHunk",
    "Definition",
    "DiffLine",
    "Documentation",
    "Draft",
    "ExportAnswer",
    "FileChange",
    "FileHit",
    "GrepAnswer",
    "GrepFile",
    "GrepMatch",
    "Hunk",
    "ItemFlag",
    "ItemState",
    "Kind",
    "Level",
    "Lowered",
    "MergeChoice",
    "Missing",
    "Notice",
    "Omitted",
    "OutlineAnswer",
    "Pack",
    "PackInfo",
    "PackList",
    "PackType",
    "Parameter",
    "Part",
    "Progress",
    "Project",
    "Proposal",
    "ProposalState",
    "Quality",
    "Rebased",
    "ResolveAnswer",
    "Resolved",
    "SearchAnswer",
    "SearchHit",
    "SourcePiece",
    "SourceRange",
    "Span",
    "Status",
    "Structure",
    "StructureLink",
    "StructurePart",
    "Suggestion",
    "Suggestions",
    "Symbol",
    "SymbolRef",
    "TypeChange",
    "TypeDetail",
    "TypeLink",
    "Unneeded",
    "Usage",
    "UsagesAnswer",
    "Value",
    "Window",
    "WindowItem",
]
