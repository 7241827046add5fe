"""Review of a change at a glance: progress, comments and findings, changes since the last look."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Static

from services.model.review import (
    CommentState,
    DroppedComment,
    Finding,
    Interdiff,
    InterdiffFile,
    ReviewAnswer,
    ReviewComment,
)
from services.review.markdown import place_of
from widgets.format.display import visible
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph

if TYPE_CHECKING:
    from services.bench import Bench

_EMPTY = (
    "Nothing was said of this change yet, and nothing of it was looked at. f finds what can be found without a model; "
    "C comments on a line of the diff"
)
_SIGNS = {"blocker": "!", "warning": "▲", "suggestion": "·", "praise": "+", "question": "?"}
_BAR = 20


class Overview(Struct, frozen=True):
    """Data of the overview. `since`: None where the change was never looked at before."""

    answer: ReviewAnswer
    since: Interdiff | None = None

    @property
    def rows(self) -> dict[str, ReviewComment | Finding | InterdiffFile | DroppedComment]:
        """Everything that has a row, by its value: what changed since the last look, comments by place, findings,
        and what was dropped."""
        review = self.answer.review
        comments = sorted(review.comments, key=lambda each: (each.file, each.line or 0, each.at))
        changed = [each for each in (self.since.files if self.since else ()) if each.status != "same"]
        return {
            **{f"i:{each.path}": each for each in changed},
            **{f"c:{each.id}": each for each in comments},
            **{f"f:{at}": each for at, each in enumerate(self.answer.findings)},
            **{f"d:{at}": each for at, each in enumerate(review.dropped)},
        }


def progress_line(answer: ReviewAnswer) -> str:
    """`▰▰▱▱ 12 of 40 hunks · 5 of 25 files · 2 blockers · next src/A.cs:12`."""
    progress = answer.progress
    filled = _BAR * progress.reviewed // progress.hunks if progress.hunks else 0
    counts = [f"{count} {name}{'s' * (count > 1)}" for name, count in answer.counts.items() if count]
    following = (
        f"next {progress.next_file}:{progress.next_line or 1}" if progress.next_file else "all looked at"
    )
    parts = [
        f"{'▰' * filled}{'▱' * (_BAR - filled)} {progress.reviewed} of {progress.hunks} hunks",
        f"{progress.files_reviewed} of {progress.files} files", *counts, following,
    ]  # fmt: skip
    return " · ".join(parts)


def row_of(value: str, each: ReviewComment | Finding | InterdiffFile | DroppedComment) -> PickRow:
    """A row: what it is, where, and its first words."""
    if isinstance(each, InterdiffFile):
        told = "gone" if each.status == "gone" else f"{each.hunks_new} new, {each.hunks_same} as before"
        return PickRow(value, f"changed since: {each.path}", told, sign="↻")
    if isinstance(each, DroppedComment):
        return PickRow(value, f"dropped: {each.comment.text}", each.reason, sign="✗", off=True)
    name = each.file.rpartition("/")[2] or "the change"
    place = f"{name}:{each.line}" if each.line is not None else name
    text = " ".join(each.text.split())
    tail = each.state if isinstance(each, ReviewComment) else each.kind
    return PickRow(value, place, text, sign=_SIGNS[each.severity], tail=tail)


def detail_of(each: ReviewComment | Finding | InterdiffFile | DroppedComment) -> Content:
    """Return a row in full."""
    if isinstance(each, InterdiffFile):
        head = facts(("file", each.path), ("since the last look", each.status))
        return head + paragraph("What differs", each.lines)
    if isinstance(each, DroppedComment):
        return facts(("dropped", each.reason), ("file", each.comment.file)) + paragraph(
            "Text", [each.comment.text]
        )
    if isinstance(each, Finding):
        place = f"{each.file}:{each.line}" if each.line else each.file
        head = facts((each.severity.value, f"{each.kind} (static)"), ("at", place))
        return head + paragraph("Finding", each.text.split("\n")) + paragraph("Places", each.places)
    where = " ".join(filter(None, (each.file or "the change as a whole", place_of(each))))
    head = facts(
        (each.severity.value, each.category or "comment"), ("at", where), ("by", each.author or each.author_kind),
        ("state", each.state.value), ("moved", each.note), ("proposal", each.proposal),
        ("outdated", "its lines are not in the change any more" if each.outdated else ""),
    )  # fmt: skip
    suggested = each.suggestion.split("\n") if each.suggestion is not None else ()
    return (
        head + paragraph("Comment", each.text.split("\n")) + paragraph("Lines", each.quoted.split("\n"))
        + paragraph("Suggested in their place", suggested or (["(nothing)"] if each.suggestion is not None else []))
    )  # fmt: skip


class Words(TextBox[str]):
    """Answers what was typed or pasted."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "keep", "keep it"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("review-words", KEYS)

    def action_keep(self) -> None:
        """Take the text as it is."""
        self.dismiss(self.editor.text)


class ReviewScreen(Listing[tuple[str, int | None]]):
    """Answers a file and a line of it to look at."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,o", "open", "go there", row=True),
        Key("n,O", "next", "next"),
        Key("f", "find", "find"),
        Key("e", "edit", "edit", row=True),
        Key("v,V", "decide", "decide", row=True),
        Key("x,delete", "remove", "delete", row=True),
        Key("l", "suggest", "suggest", row=True),
        Key("p", "propose", "propose", row=True),
        Key("c,C", "take", "to comment", row=True),
        Key("s", "summarize", "summary"),
        Key("k", "pack", "pack"),
        Key("t", "answer", "answer"),
        Key("P", "publish", "publish"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("review", KEYS)
    progress = query_one("#over-head", Static)

    def __init__(
        self,
        bench: Bench,
        change: str,
        *,
        changed: Callable[[], object],
        copy: Callable[[str, str], object],
        at: str = "",
    ) -> None:
        """Create the screen. `changed`: called when the review changes; `copy`: copies a text, and reports its name;
        `at`: the initial comment."""
        super().__init__("Review", empty=_EMPTY)
        self._bench, self._change = bench, change
        self._changed, self._copy = changed, copy
        self._at = f"c:{at}" if at else ""
        self._shown: Overview | None = None
        self._finding: threading.Event | None = None

    def head(self) -> ComposeResult:
        """How far it is."""
        yield Static(id="over-head", markup=False)

    def read(self) -> None:
        """The review as it is now."""
        self.jobs.run("review", self._overview, self._show)

    def _overview(self) -> Overview:
        since = self._bench.review.since(self._change)
        return Overview(self._bench.review.review(self._change), since if since.looked_at else None)

    def _show(self, shown: Overview) -> None:
        if self._shown is not None and not shown.answer.findings:
            found = self._shown.answer
            kept = found.findings
            shown = Overview(_with_findings(shown.answer, kept, found.not_looked_up), shown.since)
        self._shown = shown
        self.pane.title = visible(shown.answer.review.title or "Review")
        self.progress.update(visible(progress_line(shown.answer)))
        self.set_rows([row_of(value, each) for value, each in shown.rows.items()], at=self._at)
        self._at = ""

    def about(self, row: PickRow) -> Content:
        """Return the row under the cursor in full."""
        each = self._shown.rows.get(row.value) if self._shown is not None else None
        return detail_of(each) if each is not None else Content("")

    @property
    def comment(self) -> ReviewComment | None:
        """The comment under the cursor."""
        found = self._shown.rows.get(self.current) if self._shown is not None else None
        return found if isinstance(found, ReviewComment) else None

    @property
    def finding(self) -> Finding | None:
        """The finding under the cursor."""
        found = self._shown.rows.get(self.current) if self._shown is not None else None
        return found if isinstance(found, Finding) else None

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Open the place of the row."""
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Go to the place of what is under the cursor."""
        found = self._shown.rows.get(self.current) if self._shown is not None else None
        if isinstance(found, InterdiffFile) and found.status != "gone":
            self.dismiss((found.path, None))
        elif isinstance(found, ReviewComment | Finding) and found.file:
            self.dismiss((found.file, found.line))

    def action_next(self) -> None:
        """Go to the first hunk that was not looked at."""
        progress = self._shown.answer.progress if self._shown is not None else None
        if progress is not None and progress.next_file is not None:
            self.dismiss((progress.next_file, progress.next_line))
        else:
            self.tell("All of it is looked at.")

    def action_find(self) -> None:
        """Find what can be found without a model. Esc ends it."""
        if self._finding is not None:
            return
        cancel = self._finding = threading.Event()
        self.remark(
            "Looking for changes of the API, callers, tests, secrets and what was left over … esc ends it."
        )

        def found(answer: ReviewAnswer) -> None:
            self._finding = None
            self.remark(answer.not_looked_up)
            self._show(Overview(answer, self._shown.since if self._shown is not None else None))

        self.jobs.run(
            "find",
            lambda: self._bench.review.review(self._change, analyze=True, cancel=cancel),
            found,
            failed=self._not_found,
        )

    def _not_found(self, error: Exception) -> None:
        self._finding = None
        self.remark(str(getattr(error, "message", error)))

    def action_back(self) -> None:
        """End what is being looked for, leave the line, or close."""
        if self._finding is not None:
            self._finding.set()
        else:
            super().action_back()

    def action_edit(self) -> None:
        """Other words for a comment."""
        if comment := self.comment:
            self._type(
                "Edit the comment", "What is to be said", comment.text,
                lambda text: self._bench.review.edit(self._change, comment.id, text=text),
            )  # fmt: skip

    def action_suggest(self) -> None:
        """Lines to put in the place of those that a comment is about."""
        if comment := self.comment:
            text = comment.quoted if comment.suggestion is None else comment.suggestion
            self._type(
                "Suggest lines", "What is to stand there instead", text,
                lambda typed: self._bench.review.edit(self._change, comment.id, suggestion=typed), empty=True,
            )  # fmt: skip

    def action_decide(self) -> None:
        """Accept a comment, or refuse one that was accepted."""
        if comment := self.comment:
            is_taken = comment.state in (CommentState.ACCEPTED, CommentState.EDITED)
            state = CommentState.REFUSED if is_taken else CommentState.ACCEPTED
            self._act(lambda: self._bench.review.decide(self._change, comment.id, state))

    def action_remove(self) -> None:
        """Delete a comment."""
        if comment := self.comment:
            self._act(lambda: self._bench.review.delete(self._change, comment.id))

    def action_propose(self) -> None:
        """Make a proposal of the lines that a comment suggests."""
        if comment := self.comment:
            from services.operations.review.comments import propose

            self._act(
                lambda: propose(self._bench, comment.id, self._change), "It waits among the proposals (A)."
            )

    def action_take(self) -> None:
        """Make a comment of what was found."""
        if finding := self.finding:
            self._act(
                lambda: self._bench.review.note(self._change, [finding]),
                "It is a comment now, to be accepted.",
            )

    def action_summarize(self) -> None:
        """The words on the whole."""
        if self._shown is not None:
            text = self._shown.answer.review.summary
            self._type(
                "Summary", "The words on the whole", text,
                lambda typed: self._bench.review.summarize(self._change, typed), empty=True,
            )  # fmt: skip

    def action_pack(self) -> None:
        """Copy the change with what it needs, for a model."""
        budget = self._bench.settings.window.budget
        self.remark("Gathering what the change needs …")

        def packed(pack: tuple[str, int]) -> None:
            self.remark("")
            self._copy(pack[0], f"The change with what it needs ({pack[1]} tokens)")

        def gather() -> tuple[str, int]:
            made = self._bench.review.pack(self._change, budget=budget)
            return made.text, made.tokens

        self.jobs.run("pack", gather, packed, failed=self._not_found)

    def action_answer(self) -> None:
        """Take the comments of a model's answer."""
        self._type(
            "A model's answer", "Paste what the model answered to the pack", "",
            lambda text: self._bench.review.paste(self._change, text),
        )  # fmt: skip

    def action_publish(self) -> None:
        """Look at what would be published, and where to."""
        from workbench.review.publishing import PublishScreen

        def sent(done: bool | None) -> None:
            if done:
                self._changed()
                self.read()

        self.app.push_screen(PublishScreen(self._bench, self._change, self._copy), sent)

    def _type(
        self, title: str, lead: str, text: str, keep: Callable[[str], object], *, empty: bool = False
    ) -> None:
        def typed(answer: str | None) -> None:
            if answer is not None and (empty or answer.strip()):
                self._act(lambda: keep(answer))

        self.app.push_screen(Words(title, lead=lead, text=text), typed)

    def _act(self, act: Callable[[], object], said: str = "") -> None:
        def done(_: object) -> None:
            if said:
                self.tell(said)
            self._changed()
            self.read()

        self.jobs.act("review", act, done)


def _with_findings(answer: ReviewAnswer, findings: Sequence[Finding], why: str) -> ReviewAnswer:
    import msgspec

    return msgspec.structs.replace(answer, findings=tuple(findings), not_looked_up=why)


def comments_at(comments: Sequence[ReviewComment], place: tuple[str, int] | None) -> Iterator[ReviewComment]:
    """The comments at a line of a file."""
    for each in comments:
        if place is None or each.file != place[0] or each.line is None:
            continue
        if each.line <= place[1] <= (each.end_line or each.line):
            yield each
