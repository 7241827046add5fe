"""Operations on the prompt window (SPEC section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import AmbiguousSymbol, BudgetExceeded, SymbolNotFound
from services.model import Window
from services.operations.answers import WindowChange
from services.operations.operation import CHANGES, Faces, Param, declare

if TYPE_CHECKING:
    from services.bench import Bench

_FORMAT = Param(
    "Format of the text; the settings say which where it is left out.",
    name="format",
    flag="--format",
    choices=("md", "xml", "json"),
)
_PATH = Param("Symbol path or id, a file, or lines of one (`path/File.cs:120-150`).")
_FORCE = Param("Pin even past the share of the budget that pins may take.", flag="--force")


@declare("GetPromptWindow", Faces("get_prompt_window", "window", "items"))
def get_prompt_window(bench: Bench, style: Annotated[str | None, _FORMAT] = None) -> Window:
    """Render the prompt window: what is pinned and what was recently used, within the budget."""
    return bench.window(format=style or bench.settings.window.format)


@declare(
    "Pin",
    Faces("pin", "pin", "items"),
    effect=CHANGES,
    errors=(SymbolNotFound, AmbiguousSymbol, BudgetExceeded),
)
def pin(bench: Bench, path: Annotated[str, _PATH], force: Annotated[bool, _FORCE] = False) -> WindowChange:
    """Keep the outline of a symbol, a file or lines of one in the prompt window."""
    return _change(bench, path, bench.pin(path, force=force), "pinned")


@declare("Unpin", Faces("unpin", "unpin", "items"), effect=CHANGES, errors=(SymbolNotFound, AmbiguousSymbol))
def unpin(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Take something out of what is pinned; it stays in the window as recent."""
    return _change(bench, path, bench.unpin(path), "unpinned")


@declare(
    "Dismiss", Faces("dismiss", "dismiss", "items"), effect=CHANGES, errors=(SymbolNotFound, AmbiguousSymbol)
)
def dismiss(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Take something out of the window until it is used again."""
    return _change(bench, path, bench.dismiss(path), "dismissed")


def _change(bench: Bench, path: str, window: Window, change: str) -> WindowChange:
    """Says which symbol `path` names; lines of a file may lie in any, and name none."""
    from services.source.reader import place_of

    resolved = None if place_of(path).start is not None else bench.resolve(path).resolved
    return WindowChange.of(window, change, path=path, resolved=resolved)
