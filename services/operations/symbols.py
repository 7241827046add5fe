"""Operations that find symbols and describe them, and what a change needs of them.

Operations about the program and its workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from services.errors import AmbiguousSymbol, ReadOnly, SymbolNotFound, UsageError
from services.model import (
    TYPE_KINDS,
    Context,
    Direction,
    ExportAnswer,
    GraphAnswer,
    GraphFormat,
    HierarchyAnswer,
    OutlineAnswer,
    ResolveAnswer,
    SearchAnswer,
    Status,
    Symbol,
    UsagesAnswer,
)
from services.model.source import is_adt
from services.operations.needs import Need, to_outline, to_search
from services.operations.operation import CURATES, Faces, Param, Work, always, declare

if TYPE_CHECKING:
    from services.bench import Bench


Path = Annotated[str, Param("Symbol path, the end of one, an id, or `path/File.cs:120`.")]


@declare("ResolveSymbol", Faces("resolve_symbol", "resolve", "candidates"), errors=(SymbolNotFound,))
def resolve_symbol(
    bench: Bench,
    path: Annotated[str, Param("Symbol path or id; `*` and `?` stand for any part.")],
) -> ResolveAnswer:
    """Show which symbol a path means.

    Exact, else by the end of its path, wildcards, or at most two edits. Answers `resolved`, or `candidates`
    where there are several.
    """
    answer = bench.lookup.resolve(path)
    if answer.resolved is None and not answer.candidates:
        hint = bench.lookup.hint(path, answer.suggestions)
        raise SymbolNotFound(f"{path!r} not found.{hint}", suggestions=list(answer.suggestions))
    return answer


@declare("SearchSymbols", Faces("search_symbols", "search", "hits"), index=to_search)
def search_symbols(
    bench: Bench,
    query: Annotated[
        str,
        Param(
            "Words that must all match; none: lately used, then most referenced.",
            longest=4_000,
            words=True,
            is_text=always,
        ),
    ] = "",
    limit: Annotated[
        int, Param("Most results to answer.", flag="--limit", short="-n", least=1, most=10_000)
    ] = 50,
) -> SearchAnswer:
    """Search types and members as one types.

    Words match anywhere in a name, in order (`ser obj`) or by capitals (`JCSO`), and forgive small slips.
    `kind:method`, `ns:Foo`, `in:Project` and `access:public` narrow the search. Text that is no name is found by
    grepObjectSource.
    """
    search = bench.systems.symbols if is_adt(query) else bench.index.search
    return search(query, limit=limit)


@declare(
    "GetOutline", Faces("get_outline", "outline"), index=to_outline, errors=(SymbolNotFound, AmbiguousSymbol)
)
def get_outline(
    bench: Bench,
    path: Path,
    ids: Annotated[bool, Param("With ids and hashes.", flag="--ids")] = False,
) -> OutlineAnswer:
    """Outline a type or member as C#: public surface, documentation, users."""
    if is_adt(path):
        return bench.outlines.priced(*bench.systems.outline(path))
    return bench.outlines.outline(path, ids=ids or None)


@declare(
    "GetMemberOutline",
    Faces("get_member_outline", "outline"),
    index=to_outline,
    errors=(SymbolNotFound, AmbiguousSymbol),
)
def get_member_outline(
    bench: Bench, path: Annotated[str, Param("Path or id of a member.", name="memberPath")]
) -> OutlineAnswer:
    """Outline one member, for a fraction of what its type would cost."""
    answer = get_outline.function(bench, path)
    if answer.resolved.member_id is None:
        raise UsageError(
            f"'{path}' is a type. Name a member of it, or outline the type.", resolved=answer.resolved.path
        )
    return answer


_LIMIT = Param("Most usages to answer; all are counted.", flag="--limit", short="-n", least=1, most=100_000)
_GRADE = Param(
    "Grades to answer: `related` with what is bound.",
    flag="--grade",
    choices=("bound", "related", "all"),
)
_NAMELESS = Param(
    "Also where no name of it stands: foreach, await, deconstruction, collection initializers, queries.",
    flag="--nameless",
)
_NO_CREFS = Param("Leave out what documentation comments name.", flag="--no-crefs", name="noCrefs")
_PROJECT = Param("Only as this project compiles a source of several.", flag="--project")


@declare("FindUsages", Faces("find_usages", "usages", "usages"), errors=(SymbolNotFound, AmbiguousSymbol))
def find_usages(
    bench: Bench,
    path: Path,
    *,
    limit: Annotated[int, _LIMIT] = 200,
    grade: Annotated[str, _GRADE] = "all",
    nameless: Annotated[bool, _NAMELESS] = False,
    no_crefs: Annotated[bool, _NO_CREFS] = False,
    project: Annotated[str, _PROJECT] = "",
    work: Work,
) -> UsagesAnswer:
    """Find where a type or member is used.

    A usage is `bound` to the symbol, `related` by an override or implementation, or a `name match`.
    """
    return bench.usages.find(
        path,
        limit=limit,
        grade=grade,
        nameless=nameless,
        crefs=not no_crefs,
        project=project,
        progress=work.progress,
        cancel=work.cancel,
    )


_LONGEST = 6_000_000
_KINDS = tuple(sorted(str(kind) for kind in TYPE_KINDS))


@declare("FindContext", Faces("find_context", "context", "items"), errors=(SymbolNotFound, AmbiguousSymbol))
def find_context(
    bench: Bench,
    words: Annotated[
        str,
        Param(
            "A task, an issue, a stack trace, a diff, test output; `-`: from stdin.",
            longest=_LONGEST,
            words=True,
            piped=True,
            awaited=True,
            is_text=always,
        ),
    ] = "",
    seeds: Annotated[tuple[str, ...], Param("Path or id of what is known to change.", flag="--seed")] = (),
    budget: Annotated[int, Param("Tokens for all items.", flag="--budget", least=1)] = 8_000,
    limit: Annotated[int, Param("Most items.", flag="--limit", short="-n", least=1, most=1_000)] = 60,
    kinds: Annotated[
        tuple[str, ...], Param("Only types of such kinds: class, interface.", flag="--kind")
    ] = (),
    *,
    work: Work,
) -> Context:
    """Find the types that a change is likely to need, by text, structure and git history, with reasons and costs.

    Stack frames and file lines in the words lead to what stands there. Tests come last unless asked for.
    """
    from services.bench.window.context import ContextRequest

    if not words.strip() and not seeds:
        raise UsageError("Say in words what is to be done, or name a seed.")
    if unknown := [kind for kind in kinds if kind not in _KINDS]:
        raise UsageError(f"There is no kind {unknown[0]!r}. There are: {', '.join(_KINDS)}.")
    asked = ContextRequest(words=words, seeds=seeds, budget=budget, most=limit, kinds=kinds)
    return bench.context.find(asked, report=work.progress, cancel=work.cancel)


@declare(
    "GetHierarchy", Faces("get_hierarchy", "hierarchy", "rows"), errors=(SymbolNotFound, AmbiguousSymbol)
)
def get_hierarchy(
    bench: Bench,
    path: Path,
    direction: Annotated[
        str,
        Param(
            "Callers, callees, bases (or what it overrides), or derived (or what overrides it).",
            flag="--direction",
            short="-d",
            choices=tuple(map(str, Direction)),
        ),
    ] = Direction.CALLERS,
    depth: Annotated[int, Param("Steps to follow.", flag="--depth", least=1, most=8)] = 1,
    limit: Annotated[
        int, Param("Most rows to answer.", flag="--limit", short="-n", least=1, most=10_000)
    ] = 200,
    *,
    work: Work,
) -> HierarchyAnswer:
    """Show what leads to a type or member, or what it leads to, as a tree.

    A row that could not be proved says `name match`.
    """
    return bench.hierarchy.tree(path, Direction(direction), depth=depth, limit=limit, cancel=work.cancel)


@declare("GetGraph", Faces(None, "graph", "edges"), errors=(SymbolNotFound, AmbiguousSymbol))
def get_graph(
    bench: Bench,
    path: Annotated[
        str | None,
        Param("Symbol path or id of a type to draw with what is around it; without one, the window."),
    ] = None,
    format: Annotated[  # noqa: A002
        str, Param("What the text is.", flag="--format", choices=tuple(map(str, GraphFormat)))
    ] = GraphFormat.MERMAID,
    depth: Annotated[int, Param("Steps around the type.", flag="--depth", least=0, most=4)] = 1,
    limit: Annotated[int, Param("Most types to draw.", flag="--limit", short="-n", least=1, most=500)] = 40,
) -> GraphAnswer:
    """Draw how types hang together: those of the prompt window, or those around a symbol.

    The text is a Mermaid class diagram, DOT for Graphviz, or SVG; with `json` there is none beside nodes and edges. Its
    tokens are counted for the model in use.
    """
    return bench.pictures.picture(path, format=format, depth=depth, limit=limit)


@declare("ListSymbols", Faces(None, "symbols"))
def list_symbols(bench: Bench, *, work: Work) -> Iterator[Symbol]:
    """Dump every symbol of the workspace, one after the other."""
    return bench.index.symbols(progress=work.progress, cancel=work.cancel)


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
    access: Annotated[
        bool, Param("Write when symbols were last used, as `access.json`.", flag="--access")
    ] = False,
    *,
    work: Work,
) -> ExportAnswer:
    """Write `.context/index.json`: projects and types with their ids and hashes, for other programs and for git.

    Outlines go to `.context/types/`, a file for each type. An open workbench keeps `index.json` up to date by itself,
    unless the settings say otherwise.
    """
    if access:
        bench.usage.share()
    return bench.exports.write(paths.split(), outlines=outlines, progress=work.progress, cancel=work.cancel)


@declare("Status", Faces("status", "status"), index=Need.WHATEVER)
def status(bench: Bench) -> Status:
    """Show what is indexed, how well, and how the program is doing."""
    return bench.health.status()
