"""Operations on the prompt window (SPEC section 8).

Operations that advise on the prompt window: what it lacks, and what is related to it (SPEC section 8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from services.errors import AmbiguousSymbol, BudgetExceeded, SymbolNotFound, UsageError
from services.model import Completeness, Level, Suggestions, Window
from services.operations.needs import to_show_window
from services.operations.operation import CURATES, Faces, Param, WindowChange, declare

if TYPE_CHECKING:
    from services.bench import Bench


_FORMAT = Param(
    "Format of the text; the settings say which where it is left out.",
    name="format",
    flag="--format",
    choices=("md", "xml", "json"),
)
_PATH = Param("Symbol path or id, file, or `path/File.cs:120-150`.")
_LEVELS = tuple(level.value for level in Level)
_LEVEL = Param(
    "How much to show; without it what is pinned keeps its level.",
    flag="--level",
    choices=_LEVELS,
)
_MEMBERS = Param(
    "Members to show, by name or id.",
    flag="--member",
    name="members",
)
_AS = Param(
    "What the path is instead: words to read (note), a text to search for (grep), a file, or lines of one, whose "
    "changes since HEAD to show (diff).",
    flag="--as",
    name="as",
    choices=("note", "grep", "diff"),
)


def _is_text(arguments: Mapping[str, Any]) -> bool:
    return arguments.get("as") in ("note", "grep")


_ITEM = Param("An item of the window: its key, or what it was pinned by.")
_FORCE = Param("Pin past the soft budget.", flag="--force")


@declare("GetPromptWindow", Faces("get_prompt_window", "window", "items"), index=to_show_window)
def get_prompt_window(bench: Bench, style: Annotated[str | None, _FORMAT] = None) -> Window:
    """Render the prompt window: what is pinned and what was recently used, within the budget."""
    return bench.window.render(format=style or bench.settings.window.format)


@declare(
    "Pin",
    Faces("pin", "pin", "items"),
    effect=CURATES,
    errors=(SymbolNotFound, AmbiguousSymbol, BudgetExceeded),
)
def pin(
    bench: Bench,
    path: Annotated[str, _PATH._replace(is_text=_is_text)],
    level: Annotated[str | None, _LEVEL] = None,
    members: Annotated[tuple[str, ...], _MEMBERS] = (),
    kind: Annotated[str | None, _AS] = None,
    force: Annotated[bool, _FORCE] = False,
) -> WindowChange:
    """Pin a symbol, a file or lines of one in the prompt window, or change how much of it is shown.

    A pin follows its symbol through edits, moves and renames. The end of the window lists what is not shown.
    """
    if kind is None:
        window = bench.window.pin(path, level=level, members=members, force=force)
        return _change(bench, path, window, "pinned")
    if level is not None or members:
        raise UsageError(f"What is pinned as a {kind} is shown whole: leave out --level and --member.")
    return WindowChange.of(_pinned_as(bench, kind, path, force=force), "pinned", path=path, resolved=None)


def _pinned_as(bench: Bench, kind: str, path: str, *, force: bool) -> Window:
    from services.bench.queries.sources import Grep

    if kind == "note":
        return bench.window.pin_note(path, force=force)
    if kind == "grep":
        return bench.window.pin_search(Grep(pattern=path, literal=True), force=force)
    return bench.window.pin_changes(path, force=force)


@declare(
    "SetLevel",
    Faces("set_level", "level", "items"),
    effect=CURATES,
    errors=(SymbolNotFound, AmbiguousSymbol, BudgetExceeded),
)
def set_level(
    bench: Bench,
    path: Annotated[str, _ITEM],
    level: Annotated[str, Param("How much to show from now on.", choices=_LEVELS)],
    members: Annotated[tuple[str, ...], _MEMBERS] = (),
    force: Annotated[bool, _FORCE] = False,
) -> WindowChange:
    """Show an item of the prompt window, pinned or recent, with more or less detail."""
    return _change(bench, path, bench.window.set_level(path, level, members=members, force=force), "changed")


@declare("Move", Faces("move", "move", "items"), effect=CURATES, errors=(SymbolNotFound, AmbiguousSymbol))
def move(
    bench: Bench,
    path: Annotated[str, _ITEM],
    before: Annotated[str | None, Param("The item to stand before.", flag="--before")] = None,
    after: Annotated[str | None, Param("The item to stand after.", flag="--after")] = None,
) -> WindowChange:
    """Move a pinned item before or after another. The first ones retain their detail longest where tokens are
    short."""
    return _change(bench, path, bench.window.move(path, before=before, after=after), "moved")


@declare("Unpin", Faces("unpin", "unpin", "items"), effect=CURATES, errors=(SymbolNotFound, AmbiguousSymbol))
def unpin(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Take something out of what is pinned; it stays in the window as recent."""
    return _change(bench, path, bench.window.unpin(path), "unpinned")


@declare(
    "Dismiss", Faces("dismiss", "dismiss", "items"), effect=CURATES, errors=(SymbolNotFound, AmbiguousSymbol)
)
def dismiss(bench: Bench, path: Annotated[str, _PATH]) -> WindowChange:
    """Take something out of the window until it is used again."""
    return _change(bench, path, bench.window.dismiss(path), "dismissed")


def _change(bench: Bench, path: str, window: Window, change: str) -> WindowChange:
    """Return the change with the symbol that `path` names; lines of a file may be in any, and name none, nor does a
    key of other items."""
    from services.prompt.state.items import KINDS
    from services.source.read.reader import parse_location

    kind, colon, target = path.partition(":")
    if colon and kind in ("type", "member"):
        path = target
    elif colon and kind in KINDS:
        return WindowChange.of(window, change, path=path, resolved=None)
    resolved = None if parse_location(path).start is not None else bench.lookup.resolve(path).resolved
    return WindowChange.of(window, change, path=path, resolved=resolved)


_ADD = Param("Pin the best set of them that fits.", flag="--add")
_BUDGET = Param(
    "Tokens that pins may then take; the soft budget where it is left out.", flag="--budget", least=1
)
_LIMIT = Param("Most to tell.", flag="--limit", least=1, most=500)


@declare(
    "Complete",
    Faces("complete", "complete", "missing"),
    effect=CURATES._replace(only_with="add"),
    errors=(BudgetExceeded,),
)
def complete(
    bench: Bench, add: Annotated[bool, _ADD] = False, budget: Annotated[int | None, _BUDGET] = None
) -> Completeness:
    """List the workspace types that the window's text refers to and does not show, and the pins nothing refers to."""
    return bench.advice.completeness(add=add, budget=budget)


@declare("Suggest", Faces("suggest", "suggest", "suggestions"))
def suggest(bench: Bench, limit: Annotated[int, _LIMIT] = 20) -> Suggestions:
    """Suggest types and members related to what is in the window, each with a reason. Nothing is added."""
    return bench.advice.suggestions(limit=limit)
