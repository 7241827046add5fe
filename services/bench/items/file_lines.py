"""Lines of a file as an item of the window."""

from __future__ import annotations

from services.bench.items.anchors import LocatedItem
from services.errors import CodeCortexError
from services.prompt.state.items import Rendered
from services.source.read.reader import SourceReader


def lines_of(
    reader: SourceReader, path: str, lines: tuple[int, int] | None, now: LocatedItem
) -> Rendered | None:
    """Lines of a file, or all of it; None where it cannot be read."""
    start, end = lines or (None, None)
    try:
        read = reader.read(path, start=start, end=end)
    except CodeCortexError:
        return None
    return Rendered(
        label=path if lines is None else f"{path}:{read.start_line}-{read.end_line}",
        text=read.content,
        version="",
        detail=f"{path}:{read.start_line}-{read.end_line}",
        language="csharp" if path.lower().endswith(".cs") else "",
        file=path,
        start_line=read.start_line,
        end_line=read.end_line,
        is_source=True,
        state=now.state,
        state_detail=now.detail,
        changed=now.changed,
    )
