"""Operations that find symbols and describe them.

Operations about the program and its workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from services.errors import AmbiguousSymbol, ReadOnly, SymbolNotFound, UsageError
from services.model import (
    ExportAnswer,
    OutlineAnswer,
    ResolveAnswer,
    SearchAnswer,
    Status,
    Symbol,
    UsagesAnswer,
)
from services.operations.needs import Need
from services.operations.operation import CURATES, Faces, Param, Work, always, declare

if TYPE_CHECKING:
    from services.bench import Bench


Path = Annotated[
    str, Param("Symbol path (`Namespace.Type.Member`, or the end of one), id, or `path/File.cs:120`.")
]


@declare("ResolveSymbol", Faces("resolve_symbol", "resolve", "candidates"), errors=(SymbolNotFound,))
def resolve_symbol(
    bench: Bench,
    path: Annotated[str, Param("Symbol path or id; `*` and `?` stand for any part.")],
) -> ResolveAnswer:
    """Say which symbol a path means.

    Tries an exact match, then the end of a path that only one symbol has, then wildcards, then names at most
    two edits away. Answers `resolved`, or the `candidates` where there are several.
    """
    answer = bench.resolve(path)
    if answer.resolved is None and not answer.candidates:
        hint = "" if answer.suggestions else ". Search for a part of its name."
        raise SymbolNotFound(f"'{path}' not found{hint}", suggestions=list(answer.suggestions))
    return answer


@declare("SearchSymbols", Faces("search_symbols", "search", "hits"))
def search_symbols(
    bench: Bench,
    query: Annotated[
        str,
        Param(
            "Words that must all match; none: recently used, then most referenced.",
            longest=4_000,
            words=True,
            is_text=always,
        ),
    ] = "",
    limit: Annotated[
        int, Param("Most results to answer.", flag="--limit", short="-n", least=1, most=10_000)
    ] = 50,
) -> SearchAnswer:
    """Search types and members as a person types.

    Words match anywhere in a name, in order (`ser obj`) or by capitals (`JCSO`), and forgive small slips.
    `kind:method`, `ns:Foo`, `in:Project` and `access:public` narrow the search. Each hit has the path and id that other
    operations take. Text that is no name is found by grepObjectSource.
    """
    return bench.search(query, limit=limit)


@declare("GetOutline", Faces("get_outline", "outline"), errors=(SymbolNotFound, AmbiguousSymbol))
def get_outline(bench: Bench, path: Path) -> OutlineAnswer:
    """Outline a type or member: its public surface, documentation and dependencies."""
    return bench.outline(path)


@declare("GetMemberOutline", Faces("get_member_outline", "outline"), errors=(SymbolNotFound, AmbiguousSymbol))
def get_member_outline(
    bench: Bench, path: Annotated[str, Param("Path or id of a member.", name="memberPath")]
) -> OutlineAnswer:
    """Outline one member, for a fraction of what its type would cost."""
    answer = bench.outline(path)
    if answer.resolved.member_id is None:
        raise UsageError(
            f"'{path}' is a type. Name a member of it, or outline the type.", resolved=answer.resolved.path
        )
    return answer


@declare("FindUsages", Faces("find_usages", "usages", "usages"), errors=(SymbolNotFound, AmbiguousSymbol))
def find_usages(
    bench: Bench,
    path: Path,
    limit: Annotated[
        int,
        Param("Most usages to answer; all are counted.", flag="--limit", short="-n", least=1, most=100_000),
    ] = 200,
    grade: Annotated[
        str,
        Param(
            "Which grades are answered: bound alone, related too, or name matches as well.",
            flag="--grade",
            choices=("bound", "related", "all"),
        ),
    ] = "all",
    *,
    work: Work,
) -> UsagesAnswer:
    """Find where a type or member is used.

    A usage is `bound` where the rules of the language lead from the name to the symbol, `related` where they lead to
    what overrides or implements it, or to what it overrides or implements, and a `name match` where they cannot be
    followed, because something near it is not known. Places that mean something else are left out.
    """
    return bench.usages(path, limit=limit, grade=grade, progress=work.progress, cancel=work.cancel)


@declare("ListSymbols", Faces(None, "symbols"))
def list_symbols(bench: Bench, *, work: Work) -> Iterator[Symbol]:
    """Dump every symbol of the workspace, one after the other."""
    return bench.symbols(progress=work.progress, cancel=work.cancel)


@declare(
    "Export",
    Faces(None, "export"),
    effect=CURATES,
    errors=(SymbolNotFound, AmbiguousSymbol, ReadOnly),
)
def export(
    bench: Bench,
    paths: Annotated[
        str,
        Param("Symbol paths or ids, parted by blanks, of types whose outlines are written too.", words=True),
    ] = "",
    outlines: Annotated[bool, Param("Write the outline of every type.", flag="--outlines")] = False,
    *,
    work: Work,
) -> ExportAnswer:
    """Write `.context/index.json`: projects and types with their ids and hashes, for other programs and for git.

    Outlines go to `.context/types/`, a file for each type. An open workbench keeps `index.json` up to date by itself,
    unless the settings say otherwise.
    """
    return bench.export(paths.split(), outlines=outlines, progress=work.progress, cancel=work.cancel)


@declare("Status", Faces("status", "status"), index=Need.WHATEVER)
def status(bench: Bench) -> Status:
    """Say what is indexed, how well, and how the program is doing."""
    return bench.status()
