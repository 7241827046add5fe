"""Operations on source text (SPEC section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import AmbiguousSymbol, LineOutOfRange, PathRefused, SymbolNotFound
from services.operations.answers import ReadAnswer
from services.operations.operation import Faces, Param, declare

if TYPE_CHECKING:
    from services.bench import Bench

_OBJECT = "Symbol path or id, `path/File.cs`, `path/File.cs:120` or `path/File.cs:120-150`."
_START = Param("First and last line, from 1, both included.", flag="--lines", least=1)
_END = Param("Last line, included; the object's own where it is left out.", flag="--lines", least=1)


@declare(
    "getObjectSourceV2",
    Faces("getObjectSourceV2", "read"),
    errors=(SymbolNotFound, AmbiguousSymbol, PathRefused, LineOutOfRange),
)
def get_object_source(
    bench: Bench,
    obj: Annotated[str, Param(_OBJECT, name="object")],
    start_line: Annotated[int | None, _START] = None,
    end_line: Annotated[int | None, _END] = None,
) -> ReadAnswer:
    """Read lines of a file, or of the file a symbol is declared in.

    The answer's `token` says which content was seen: `<mtime in ms>_<hash>`.
    """
    lines = bench.read(obj, start=start_line, end=end_line)
    resolved = None if lines.object_type == "file" else bench.resolve(obj).resolved
    return ReadAnswer.of(lines, resolved)
