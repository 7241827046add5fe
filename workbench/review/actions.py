"""Actions of a reviewer, on git's side of a change too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from services.errors import UsageError
from services.model import Commit, Notice
from services.model.review import CommentState, ReviewAnswer, ReviewComment
from widgets.format.display import visible
from widgets.format.shorten import counted
from workbench.commands.situation import CHANGES, CODE, DIFF
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from workbench.main.frame import Frame
    from workbench.ui.picker import Find, Picked

Action = Callable[["Frame"], None]


def _act(
    main: Frame, name: str, call: Callable[[Bench], ReviewAnswer], said: Callable[[ReviewAnswer], str]
) -> None:
    """Change the review of the compared change, report the result, and show it."""
    bench = main.session.bench
    if bench is None:
        return

    def done(answer: ReviewAnswer) -> None:
        main.say(Notice(severity="information", message=said(answer)))
        main.read_review()

    main.jobs.act(name, lambda: call(bench), done, failed=lambda error: main.say(notice_of(error)))


def _comment(main: Frame) -> None:
    """Enter a comment on the selected lines, or on the one under the cursor."""
    from workbench.review.publishing import CommentScreen, read_comment

    chosen = main.code.diff.lines
    if chosen is None:
        return
    file, lines = chosen
    scope, first, last = main.changes.scope, lines[0].new or 1, lines[-1].new or 1
    place = f"{file}:{first}-{last}" if last > first else f"{file}:{first}"

    def answered(text: str | None) -> None:
        if not text:
            return
        comment = read_comment(text, file, first, last if last > first else None)

        def add(bench: Bench) -> ReviewAnswer:
            bench.review.add(scope, comment)
            return bench.review.review(scope)

        main.code.diff.view.action_clear_selection()
        _act(main, "comment", add, lambda _: f"The comment stands at {visible(place)}.")

    main.app.push_screen(CommentScreen(place, "\n".join(line.text for line in lines)), answered)


def _mark(main: Frame) -> None:
    change, hunk = main.code.diff.change, main.code.diff.view.hunk
    if change is None:
        return
    scope = main.changes.scope
    line = hunk.new_range[0] if hunk is not None and hunk.new_count else None
    is_marked = main.code.diff.is_reviewed

    def mark(bench: Bench) -> ReviewAnswer:
        return bench.review.mark(scope, change.path, line, reviewed=not is_marked)

    _act(main, "reviewed", mark, _progress)


def _next(main: Frame) -> None:
    """The first hunk behind the cursor that was not looked at; from the start where there is none behind."""
    bench, scope, place = main.session.bench, main.changes.scope, main.code.diff.place
    if bench is None:
        return

    def found(answer: ReviewAnswer) -> None:
        progress = answer.progress
        main.say(Notice(severity="information", message=_progress(answer)))
        if progress.next_file is not None:
            main.changes.go_to(progress.next_file, progress.next_line)

    main.jobs.act(
        "next open",
        lambda: bench.review.review(scope, after=place),
        found,
        failed=lambda error: main.say(notice_of(error)),
    )


def _decide(main: Frame) -> None:
    """Accepts the comment at the line, or refuses one that was accepted."""
    place, scope = main.code.diff.place, main.changes.scope

    def decide(bench: Bench) -> ReviewAnswer:
        comment = _at(bench.review.review(scope).review.comments, place)
        is_taken = comment.state in (CommentState.ACCEPTED, CommentState.EDITED)
        return bench.review.decide(
            scope, comment.id, CommentState.REFUSED if is_taken else CommentState.ACCEPTED
        )

    _act(main, "decide", decide, lambda answer: f"It is {_at(answer.review.comments, place).state}.")


def _review(main: Frame) -> None:
    """The review at a glance, at the comment under the cursor."""
    from workbench.review.screen import ReviewScreen, comments_at

    bench, scope = main.session.bench, main.changes.scope
    if bench is None:
        return
    review = main.code.diff.review
    here = next(comments_at(review.comments, main.code.diff.place), None) if review is not None else None

    def chosen(place: tuple[str, int | None] | None) -> None:
        if place is None:
            return
        if main.changes.has(place[0]):
            main.changes.go_to(*place)
            main.code.view = DIFF
            main.focus_pane(CODE)
        else:
            main.open(f"{place[0]}:{place[1] or 1}")

    screen = ReviewScreen(
        bench, scope, changed=main.read_review, at=here.id if here is not None else "",
        copy=lambda text, what: main.session.copy_text(text, what, main.clipboard),
    )  # fmt: skip
    main.app.push_screen(screen, chosen)


def _at(comments: tuple[ReviewComment, ...], place: tuple[str, int] | None) -> ReviewComment:
    from workbench.review.screen import comments_at

    found = [each for each in comments_at(comments, place) if each.state is not CommentState.PUBLISHED]
    if not found:
        raise UsageError("No comment that can be decided about stands at this line.")
    return found[-1]


def _progress(answer: ReviewAnswer) -> str:
    progress = answer.progress
    open_ = progress.hunks - progress.reviewed
    left = "all is reviewed" if not open_ else f"{open_} left"
    return f"{progress.reviewed} of {progress.hunks} hunks reviewed, {left}."


REVIEW_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "comment-line": _comment,
        "mark-reviewed": _mark,
        "next-unreviewed": _next,
        "decide-comment": _decide,
        "review": _review,
    }
)
"""By the command's id."""


def _said(main: Frame, message: str, what_to_do: str = "") -> None:
    main.say(Notice(severity="information", message=message, what_to_do=what_to_do))


def _reload(main: Frame) -> None:
    main.changes.reload()
    main.code.visits.reload()


def _commit(main: Frame) -> None:
    """Ask for the message of what is staged; it comes back where git refuses."""
    from services.source.diffs.listing import DiffScope
    from workbench.review.publishing import CommitScreen

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
    from workbench.ui.picker import STASH, Picker, stashes

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
    from workbench.ui.picker import Picker, file_commits, scope_of

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
