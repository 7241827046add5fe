"""Operations that read source text (SPEC section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec.structs import asdict

from services.errors import (
    AmbiguousSymbol,
    IncludeNotFound,
    LineOutOfRange,
    PathRefused,
    PatternInvalid,
    SymbolNotFound,
)
from services.model import FilesAnswer, GrepAnswer, Resolved, SourceRange, Structure
from services.model.source import is_adt
from services.operations.needs import to_read
from services.operations.operation import Faces, Param, Work, always, declare

if TYPE_CHECKING:
    from services.bench import Bench

_OBJECT = "Symbol path or id, `path/File.cs`, or `path/File.cs:120-150`."
_START = Param("First line, counted from 1.", flag="--lines")
_END = Param("Last line, included; to the object's end without it.", flag="--lines")
_PART = Param(
    "Part of a type: main (all), definitions (no bodies), implementations (bodies), macros.",
    name="includeType",
    flag="--part",
    choices=("main", "definitions", "implementations", "macros", "testclasses"),
)
_VERSION = Param(
    "The file as it is, what git has staged (inactive), or git's HEAD (active).",
    flag="--version",
    choices=("workingArea", "inactive", "active"),
)
_ERRORS = (SymbolNotFound, AmbiguousSymbol, PathRefused, LineOutOfRange, IncludeNotFound)


class ReadAnswer(SourceRange, kw_only=True, frozen=True):
    """Lines of an object. `resolved` is None where the object was named as a file."""

    resolved: Resolved | None = None

    @classmethod
    def of(cls, lines: SourceRange, resolved: Resolved | None) -> ReadAnswer:
        """Return `lines` with the symbol they were resolved to."""
        return cls(**asdict(lines), resolved=resolved)


class GrepResult(GrepAnswer, kw_only=True, frozen=True):
    """Answer of a grep. `resolved` is None where no symbol was named."""

    resolved: Resolved | None = None

    @classmethod
    def of(cls, answer: GrepAnswer, resolved: Resolved | None) -> GrepResult:
        """Return `answer` with the symbol it was resolved to."""
        return cls(**asdict(answer), resolved=resolved)


class StructureAnswer(Structure, kw_only=True, frozen=True):
    """The structure of an object. `resolved` is None where it was named as a file."""

    resolved: Resolved | None = None

    @classmethod
    def of(cls, structure: Structure, resolved: Resolved | None) -> StructureAnswer:
        """Return `structure` with the symbol it was resolved to."""
        return cls(**asdict(structure), resolved=resolved)


@declare("getObjectSourceV2", Faces("getObjectSourceV2", "read"), index=to_read, errors=_ERRORS)
def get_object_source(
    bench: Bench,
    obj: Annotated[str, Param(_OBJECT, name="object")],
    start_line: Annotated[int | None, _START] = None,
    end_line: Annotated[int | None, _END] = None,
    include_type: Annotated[str | None, _PART] = None,
    version: Annotated[str, _VERSION] = "workingArea",
) -> ReadAnswer:
    """Read lines of a file, of the file a symbol is in, or of a part of a type.

    `token` says which content was seen; a part lists its `pieces`, each with the token of its file.
    """
    if is_adt(obj):
        found = bench.systems.read(obj, start=start_line, end=end_line, include=include_type, version=version)
        return ReadAnswer.of(found, None)
    lines = bench.sources.read(obj, start=start_line, end=end_line, include=include_type, version=version)
    return ReadAnswer.of(lines, _resolved(bench, obj, lines.object_type))


@declare(
    "getObjectSource",
    Faces("getObjectSource", "read"),
    index=to_read,
    errors=(SymbolNotFound, AmbiguousSymbol, PathRefused),
)
def get_whole_source(
    bench: Bench,
    obj: Annotated[str, Param(_OBJECT, name="object")],
    version: Annotated[str, _VERSION] = "workingArea",
) -> ReadAnswer:
    """Read a whole file: the one named, or the one a symbol is declared in.

    Older: getObjectSourceV2 reads as much as is needed.
    """
    if is_adt(obj):
        return ReadAnswer.of(bench.systems.read(obj, version=version), None)
    first = bench.sources.read(obj, version=version)
    return ReadAnswer.of(
        bench.sources.read(first.file, version=version), _resolved(bench, obj, first.object_type)
    )


_CASE_INSENSITIVE = Param("Match capitals and small letters alike.", flag="--ignore-case", short="-i")
_CONTEXT_LINES = Param(
    "Lines to show before and after a match.", flag="--context", short="-C", least=0, most=1_000
)
_MAX_MATCHES = Param("Most matches.", flag="--max", least=1, most=1_000_000)
_GLOB = Param(
    "Files of the workspace to search, as in .gitignore, `!` leaves out; commas between.",
    flag="--glob",
    longest=4_000,
)
_REGEX = Param("Take the pattern as a regular expression.", flag="--regex", short="-E")


@declare(
    "grepObjectSource",
    Faces("grepObjectSource", "grep", "matches"),
    index=to_read,
    errors=(PatternInvalid, SymbolNotFound, AmbiguousSymbol, PathRefused, IncludeNotFound),
)
def grep_object_source(
    bench: Bench,
    pattern: Annotated[str, Param("Text to find in a line; with `regex`, RE2.", is_text=always)],
    obj: Annotated[str | None, Param(_OBJECT + " All files without one.", name="object")] = None,
    *,
    case_insensitive: Annotated[bool, _CASE_INSENSITIVE] = False,
    context_lines: Annotated[int, _CONTEXT_LINES] = 0,
    max_matches: Annotated[int | None, _MAX_MATCHES] = None,
    glob: Annotated[str, _GLOB] = "",
    include_type: Annotated[str | None, _PART] = None,
    regex: Annotated[bool, _REGEX] = False,
    work: Work,
) -> GrepResult:
    """Search lines for a text or a regular expression, in one object or in every file of the workspace.

    Look-around and back-references are refused. Ignored and binary files are left out.
    """
    from services.bench.queries.sources import Grep

    grep = Grep(
        pattern=pattern,
        case_insensitive=case_insensitive,
        context=context_lines,
        most=max_matches,
        globs=glob,
        literal=not regex,
    )
    if obj is not None and is_adt(obj):
        request = bench.sources.request_of(grep)
        return GrepResult.of(bench.systems.grep(request, obj, include=include_type), None)
    answer = bench.sources.grep(grep, obj, include=include_type, progress=work.progress, cancel=work.cancel)
    return GrepResult.of(answer, None if obj is None else _resolved(bench, obj, answer.object_type))


@declare("FindFiles", Faces(None, "files", "hits"))
def find_files(
    bench: Bench,
    query: Annotated[str, Param("Words that the path has, in that order.", words=True, is_text=always)],
    limit: Annotated[
        int, Param("Most files to answer.", flag="--limit", short="-n", least=1, most=10_000)
    ] = 50,
) -> FilesAnswer:
    """Find files of the workspace, C# or not, by words of their paths; ignored files are left out."""
    return FilesAnswer(query=query, hits=bench.places.files(query, most=limit))


@declare(
    "objectStructure",
    Faces("objectStructure", "structure"),
    errors=(SymbolNotFound, AmbiguousSymbol, PathRefused),
)
def object_structure(bench: Bench, obj: Annotated[str, Param(_OBJECT, name="object")]) -> StructureAnswer:
    """List the parts and members of a type, or the types of a file, with their lines, without any source."""
    if is_adt(obj):
        return StructureAnswer.of(bench.systems.structure(obj), None)
    structure = bench.sources.structure(obj)
    return StructureAnswer.of(structure, _resolved(bench, obj, structure.object_type))


def _resolved(bench: Bench, obj: str, object_type: str) -> Resolved | None:
    return None if object_type == "file" else bench.lookup.resolve(obj).resolved
