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
_PATH = Param("Symbol path or id.")
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
    """Keep a symbol's outline in the prompt window."""
    window = bench.pin(path, force=force)
    return WindowChange.of(window, "pinned", bench.resolve(path).resolved)


@declare("Unpin", Faces("unpin", "unpin", "items"), effect=CHANGES, errors=(SymbolNotFound, AmbiguousSymbol))
def unpin(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Take a symbol out of what is pinned."""
    window = bench.unpin(path)
    return WindowChange.of(window, "unpinned", bench.resolve(path).resolved)


@declare(
    "Dismiss", Faces("dismiss", "dismiss", "items"), effect=CHANGES, errors=(SymbolNotFound, AmbiguousSymbol)
)
def dismiss(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Take a symbol out of the recent part of the window until it is used again."""
    window = bench.dismiss(path)
    return WindowChange.of(window, "dismissed", bench.resolve(path).resolved)
