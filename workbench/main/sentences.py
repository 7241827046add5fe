"""The sentences of the main screen, made from values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from textual.content import Content

from services.errors import quoted
from services.model import ItemFlag, Notice, Progress, SearchAnswer, Status, Window
from widgets.chrome.patch_line import PatchButton
from widgets.chrome.status_bar import StatusLine
from widgets.format.display import visible
from widgets.format.shorten import grouped, token_count
from workbench.commands.commands import BY_ID, COMMANDS
from workbench.commands.keymap import Keys
from workbench.commands.situation import Situation, not_working_tree
from workbench.state.clipboard import Copied, CopyMethod
from workbench.ui.key_line import Hint

if TYPE_CHECKING:
    from services.model.copies import Copy
    from services.model.writes import HistoryEntry, OthersAnswer

_PATCH_BUTTONS = ("patch-apply", "patch-lock", "patch-break", "patch-close")
_WRITTEN = {"edit": "changed", "undo": "undid a change of", "redo": "redid a change of"}
_FRESHNESS = {"ready": "fresh", "refreshing": "indexing", "kept": "stale", "partial": "stale"}
_FLAGS = {
    ItemFlag.STALE: "changed since it was pinned",
    ItemFlag.CUT: "cut",
    ItemFlag.LOWERED: "shown with less detail than was chosen",
    ItemFlag.VANISHED: "not there any more",
    ItemFlag.SECRET: "with what looks like a secret",
}


def hints(keys: Keys, situation: Situation) -> tuple[Hint, ...]:
    """The commands that the footer names in the pane in use, by keys that work there now; without those that nothing of
    what is compared could ever be given to."""
    made = (
        Hint(
            command.id,
            keys.first(command.id, typing=situation.typing, pane=situation.scope),
            command.short,
            bool(command.unavailable(situation)),
            command.rank,
        )
        for command in COMMANDS
        if situation.scope in command.footer
        and (situation.stageable or command.unavailable is not not_working_tree)
    )
    return tuple(hint for hint in made if hint.key)


def patch_buttons(keys: Keys, situation: Situation) -> tuple[PatchButton, ...]:
    """The buttons over the patch editor: a lock of one's own is given back, another's is broken."""
    unfit = "patch-break" if BY_ID["patch-break"].unavailable(situation) else "patch-lock"
    made = (
        PatchButton(
            command.id,
            keys.first(command.id, typing=True),
            command.short,
            bool(command.unavailable(situation)),
        )
        for command in COMMANDS
        if command.id in _PATCH_BUTTONS and command.id != unfit
    )
    return tuple(button for button in made if button.key)


def status_line(line: StatusLine, *, status: Status | None = None, **changes: Any) -> StatusLine:
    """Return `line` with current facts: all those of `status`, or the fields in `changes`."""
    if "job" in changes:
        changes["freshness"] = "indexing" if changes["job"] else line.freshness
    if status is None:
        return replace(line, **changes)
    is_counted = status.types > 0 or status.state == "ready"  # nothing is known while a first index is made
    return replace(
        line,
        branch=status.branch,
        projects=len(status.projects) if is_counted else None,
        types=status.types if is_counted else None,
        freshness="impaired" if status.watching == "lost" else _FRESHNESS.get(status.state, ""),
    )


def background_line(progress: Progress | None) -> str:
    """Return the phase of work behind a complete index, with its share where it is known; empty for none."""
    if progress is None:
        return ""
    share = "" if progress.fraction is None else f" {progress.fraction:.0%}"
    return f"{progress.phase.lower()}{share}"


def others_line(others: OthersAnswer) -> str:
    """Return the last action of others on files: a valid lock, or a write, with its time."""
    lock = others.locks[-1] if others.locks else None
    write = others.written[0] if others.written else None
    if write is not None and (lock is None or write.at >= lock.taken_at):
        at = datetime.fromtimestamp(write.at / 1000).astimezone()
        return f"{_user(write.owner)} {_WRITTEN[write.kind]} {_files(write.files)} {at:%H:%M}"
    return f"{_user(lock.owner)} locked {_files(lock.files)}" if lock is not None else ""


def written_line(write: HistoryEntry) -> str:
    """A write of somebody else, in full."""
    return f"{write.owner} {_WRITTEN[write.kind]} {', '.join(write.files)}."


def _user(owner: str) -> str:
    return owner.partition("/")[0]


def _files(paths: Sequence[str]) -> str:
    more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
    return paths[0].rpartition("/")[2] + more


def nothing_found(answer: SearchAnswer, *, complete: bool) -> tuple[str, str]:
    """Why there are no results, and what to do about it. `complete`: the index is as the disk is."""
    if answer.searched == 0 and not complete:
        return "The index is not built yet.", (
            "What has been read can be searched as it comes in. Where it was cancelled, {refresh:f5} goes on."
        )
    if answer.searched == 0:
        return (
            "There is no C# here.",
            "git knows of no .cs file below this folder. Start with that of a solution: codecortex open PATH.",
        )
    if answer.query:
        return (
            f"Nothing matches {quoted(answer.query)}.",
            answer.advice or "Type less of the name, or its capitals: JC finds JsonConvert.",
        )
    return "Nothing was used yet.", "Type a part of a name."


def copied_notice(window: Window, copy: Copy, copied: Copied, *, parts: int | None = None) -> Notice:
    """How many tokens went, which way, what was masked, and what to look at before they are pasted. `parts`: how
    many of several went, where that was not all."""
    items = sum(item.sent for item in copy.receipt.items)
    masked = sum(secret.masked for secret in copy.secrets)
    said = [
        _tokens_went(copy, window),
        f"{items} item{'' if items == 1 else 's'}",
        *([f"{masked} likely secret{'' if masked == 1 else 's'} masked"] if masked else []),
        *([f"{parts or len(copy.parts)} of {len(copy.parts)} parts"] if len(copy.parts) > 1 else []),
    ]
    change = [
        f"{len(labels)} {word}"
        for labels, word in ((copy.changed, "changed"), (copy.added, "new"), (copy.gone, "gone"))
        if labels
    ]
    if change:
        said.append(f"only what changed: {', '.join(change)}")
    flagged = [
        f"{item.label} is {_FLAGS[flag]}"
        for item in window.items
        for flag in item.flags
        if flag is not ItemFlag.SECRET
    ]
    unfinished = ["The copy is not finished; there is no receipt of it"] if parts else []
    severity = (
        "error" if copied.way is CopyMethod.NONE else "warning" if flagged or unfinished else "information"
    )
    advice = "; ".join([*unfinished, *flagged])
    message = copied.sentence(", ".join(said))
    return Notice(severity=severity, message=message, what_to_do=f"{advice}." if advice else "")


def _tokens_went(copy: Copy, window: Window) -> str:
    """`≈7 812 tokens (6 640 to 8 984)`, or `7 175 tokens (7 115 of the window, 60 around it)`."""
    tokens = token_count(copy.tokens, approximate=copy.receipt.approximate)
    low, high = grouped(copy.tokens_low), grouped(copy.tokens_high)
    if copy.receipt.approximate:
        return f"{tokens} tokens ({low} to {high})"
    around = 0 if copy.changed or copy.added or copy.gone else copy.tokens - window.tokens
    parts = f" ({grouped(window.tokens)} of the window, {grouped(around)} around it)" if around > 0 else ""
    return f"{tokens} tokens{parts}"


def counted_notice(notices: Sequence[Notice], key: str) -> str:
    """A notice in full, several as their number."""
    if len(notices) == 1:
        return visible(notices[0].message)
    return f"{grouped(len(notices))} notices: {visible(notices[0].message)} … Press {key} to read them."


def notices_text(said: Sequence[tuple[datetime, Notice]]) -> Content:
    """All notices with their times, the last one first."""
    if not said:
        return Content("Nothing has been said yet.")
    return Content("\n\n").join(_notice_text(*each) for each in reversed(said))


def _notice_text(at: datetime, notice: Notice) -> Content:
    place = f"{notice.file}:{notice.line}" if notice.file and notice.line else notice.file or ""
    head = Content.styled(
        f"{at:%H:%M:%S}  {notice.severity}{'  ' + visible(place) if place else ''}\n", "bold"
    )
    return head + Content("\n".join(visible(part) for part in (notice.message, notice.what_to_do) if part))
