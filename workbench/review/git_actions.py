"""Actions on git's side of a change: commit, stash, who wrote a line, the commits of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from services.model import Commit, Notice
from widgets.format.display import visible
from widgets.format.shorten import counted
from workbench.commands.situation import CHANGES, DIFF
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from workbench.main.frame import Frame
    from workbench.ui.picker import Find, Picked

Action = Callable[["Frame"], None]


def _said(main: Frame, message: str, what_to_do: str = "") -> None:
    main.say(Notice(severity="information", message=message, what_to_do=what_to_do))


def _reload(main: Frame) -> None:
    main.changes.reload()
    main.code.visits.reload()


def _commit(main: Frame) -> None:
    """Ask for the message of what is staged; it comes back where git refuses."""
    from services.source.diffs.scope import DiffScope
    from workbench.review.comment_box import CommitScreen

    bench = main.session.bench
    if bench is None:
        return

    def answered(text: str | None) -> None:
        if text:
            main.jobs.act(
                "commit",
                lambda: bench.hunk_edits.staging.commit(text),
                done,
                failed=lambda error: main.say(notice_of(error)),
            )

    def done(commit: Commit) -> None:
        main.commit_message = ""
        _said(main, f"Committed {commit.short}: {commit.subject}")
        _reload(main)

    def ask(files: tuple[str, ...]) -> None:
        if not files:
            key = main.keys.first("stage")
            _said(main, "Nothing is staged.", f"{key} stages a file or a hunk of the diff against HEAD.")
            return
        main.app.push_screen(CommitScreen(files, main.commit_message, keep), answered)

    def keep(text: str) -> None:
        main.commit_message = text

    main.jobs.run(
        "staged",
        lambda: tuple(file.path for file in bench.changes.read(DiffScope(staged=True)).files),
        ask,
        failed=lambda error: main.say(notice_of(error)),
    )


def _stash(main: Frame) -> None:
    """Put the changes aside, or a stash back."""
    from workbench.ui.picker import Picker
    from workbench.ui.picks import STASH, stashes

    bench = main.session.bench
    if bench is None:
        return

    def picked(answer: Picked | None) -> None:
        if answer is None:
            return
        value = answer.values[0]
        if value.startswith(STASH):
            main.jobs.act(
                "stash", lambda: bench.stashes.push(value.removeprefix(STASH)), pushed, failed=failed
            )
        else:
            keep = answer.otherwise
            main.jobs.act("stash", lambda: bench.stashes.pop(value, keep=keep), popped, failed=failed)

    def pushed(stash: Commit) -> None:
        _said(main, f"Put aside as {stash.short}.", f"{main.keys.first('stash')} puts it back.")
        _reload(main)

    def popped(files: tuple[str, ...]) -> None:
        undo = main.keys.first("undo-write")
        _said(main, f"The stash is back in {counted(len(files), 'file')}.", f"{undo} takes that back.")
        _reload(main)

    def failed(error: Exception) -> None:
        main.say(notice_of(error))

    note = "enter: put aside, or back · {picker.otherwise:ctrl+t}: back, and keep the stash"
    main.app.push_screen(Picker("Stash", stashes(bench), placeholder="a word for it", note=note), picked)


def _blame(main: Frame) -> None:
    if place := main.about.place:
        file, line = place
        _pick_commit(main, f"Who wrote {file}:{line}", file, line)


def _log(main: Frame) -> None:
    if place := main.about.place:
        _pick_commit(main, f"Commits of {place[0]}", place[0], None)


def _pick_commit(main: Frame, title: str, file: str, line: int | None) -> None:
    """Offer commits of a file, that of a line first, and show the picked ones as a diff that begins with the file."""
    from workbench.ui.picker import Picker
    from workbench.ui.picks import file_commits, scope_of

    def picked(answer: Picked | None) -> None:
        if answer is not None:
            main.changes.compare(scope_of(answer), at=file)
            main.code.view = DIFF
            main.focus_pane(CHANGES)

    if bench := main.session.bench:
        find: Find = file_commits(bench, file, line)
        note = "enter: the commit · {picker.otherwise:ctrl+t}: the tree against it · shift+↓: a range"
        main.app.push_screen(Picker(visible(title), find, placeholder="a word of it", note=note), picked)


GIT_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "commit": _commit,
        "stash": _stash,
        "blame": _blame,
        "file-log": _log,
        "filter-changes": lambda main: main.changes.begin_filter(),
        "changes-tree": lambda main: main.changes.toggle_tree(),
    }
)
"""By the command's id."""
