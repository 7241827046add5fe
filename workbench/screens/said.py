"""The sentences of the main screen, made from values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from textual.content import Content

from services.model import ItemFlag, Notice, SearchAnswer, Status, Window
from widgets.display import visible
from widgets.status_bar import StatusLine
from widgets.token_count import grouped, token_count
from workbench.clipboard import Copied, Way
from workbench.commands import COMMANDS
from workbench.keymap import Keys
from workbench.screens.key_line import Hint
from workbench.situation import Situation

_FRESHNESS = {"ready": "fresh", "refreshing": "indexing", "kept": "stale", "partial": "stale"}
_FLAGS = {
    ItemFlag.STALE: "changed since it was pinned",
    ItemFlag.CUT: "cut",
    ItemFlag.VANISHED: "not there any more",
    ItemFlag.SECRET: "with what looks like a secret",
}


def hints(keys: Keys, situation: Situation) -> tuple[Hint, ...]:
    """The commands that the footer names in the pane in use, by keys that work there now."""
    made = (
        Hint(
            command.id,
            keys.first(command.id, typing=situation.typing),
            command.short,
            bool(command.refusal(situation)),
        )
        for command in COMMANDS
        if situation.pane in command.footer
    )
    return tuple(hint for hint in made if hint.key)


def status_line(line: StatusLine, *, status: Status | None = None, **changes: Any) -> StatusLine:
    """`line` with what is known now: all that `status` says, or the fields in `changes`."""
    if "job" in changes:
        changes["freshness"] = "indexing" if changes["job"] else line.freshness
    if status is None:
        return replace(line, **changes)
    return replace(
        line,
        branch=status.branch,
        projects=len(status.projects),
        types=status.types,
        freshness=_FRESHNESS.get(status.state, ""),
    )


def nothing_found(answer: SearchAnswer, *, complete: bool) -> tuple[str, str]:
    """Why there are no results, and what to do about it. `complete`: the index is as the disk is."""
    if answer.searched == 0 and not complete:
        return "The index is not built yet.", "What has been read can be searched as it comes in."
    if answer.searched == 0:
        return (
            "There is no C# here.",
            "git knows of no .cs file below this folder. Start with that of a solution: codecortex open PATH.",
        )
    if answer.query:
        return (
            f"Nothing matches {answer.query!r}.",
            "Type less of the name, or its capitals: JC finds JsonConvert.",
        )
    return "Nothing was used yet.", "Type a part of a name."


def copied_notice(window: Window, copied: Copied) -> Notice:
    """How many tokens went, which way, and what to look at before they are pasted."""
    tokens = token_count(window.tokens, approximate=window.approximate)
    items = f"{len(window.items)} item{'' if len(window.items) == 1 else 's'}"
    flagged = [f"{item.label} is {_FLAGS[flag]}" for item in window.items for flag in item.flags]
    message = copied.sentence(f"{tokens} tokens, {items}")
    severity = "error" if copied.way is Way.NONE else "warning" if flagged else "information"
    return Notice(severity=severity, message=message, what_to_do="; ".join(flagged) + "." if flagged else "")


def counted_notice(notices: Sequence[Notice], key: str) -> str:
    """One notice in full, several as their number."""
    if len(notices) == 1:
        return visible(notices[0].message)
    return f"{grouped(len(notices))} notices: {visible(notices[0].message)} … Press {key} to read them."


def notices_text(notices: Sequence[Notice]) -> Content:
    """All notices, the last one first."""
    if not notices:
        return Content("Nothing has been said yet.")
    return Content("\n\n").join(_notice_text(notice) for notice in reversed(notices))


def _notice_text(notice: Notice) -> Content:
    place = f"{notice.file}:{notice.line}" if notice.file and notice.line else notice.file or ""
    head = Content.styled(f"{notice.severity}{'  ' + visible(place) if place else ''}\n", "bold")
    return head + Content(visible("\n".join(part for part in (notice.message, notice.what_to_do) if part)))
