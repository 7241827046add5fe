"""Reviews of one workspace: what every face calls. The parts know each other only through it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from services.errors import CodeCortexError, UsageError
from services.index.index import Index
from services.model import TYPE_KINDS
from services.model.review import (
    CommentsAnswer,
    CommentState,
    DiffPack,
    DroppedComment,
    Finding,
    HunkMark,
    Interdiff,
    NumberedAnswer,
    Publication,
    Review,
    ReviewAnswer,
    ReviewComment,
    Severity,
)
from services.review.analysis.symbols import Code
from services.review.analysis.texts import texts
from services.review.numbered import numbered
from services.review.opened import OpenedChange
from services.review.packing import Piece, finding_piece, packed
from services.review.pasted import parse_comments
from services.review.publish.publisher import Publisher, ready
from services.review.publish.sarif import sarif
from services.review.records.anchors import followed
from services.review.records.look import digest_of, file_digest, interdiff, look_at, progress_of, shown_lines
from services.review.records.markdown import review_markdown
from services.review.records.store import Reviews, new_comment_id
from services.review.sources.opening import Sources

_KEPT = 4
_MOST_LINES = 80
"""Lines of a member that stand in a pack; of a longer one those about the change."""
_ORDER = {"conflict": 0, "secret": 1, "api": 2, "callers": 3, "tests": 4, "debris": 5}


@dataclass(frozen=True, slots=True)
class Ground:
    """What reviews stand on. `ready`: brings the index up to date and works out its names; `mask`: takes likely secrets
    out of what leaves; `count`: tokens of a text, `is_approximate`: whether by a guess; `lines`: of a file on disk;
    `by`: who acts, and whether they are a person or an agent."""

    index: Index
    sources: Sources
    store: Reviews
    ready: Callable[[threading.Event | None], object]
    mask: Callable[[str], str]
    count: Callable[[str], int]
    is_approximate: Callable[[], bool]
    lines: Callable[[str, int, int], str]
    by: Callable[[], tuple[str, str]]


class Reviewing:
    """Opens changes, keeps what is said of them, and finds what can be found without a model. Thread-safe."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._store = ground.store
        self._guard = threading.Lock()
        self._opened: OrderedDict[str, OpenedChange] = OrderedDict()

    # The change

    def open(self, change: str, *, cancel: threading.Event | None = None) -> OpenedChange:
        """A change as it is now. Raises UsageError, WorkspaceError, RemoteError, Cancelled."""
        now = OpenedChange(self._ground.sources.open(change), cancel=cancel)
        with self._guard:
            before = self._opened.get(change)
            same = before is not None and before.set.signature == now.set.signature and not now.is_on_disk
            kept = before if same and before is not None else now
            self._opened[change] = kept
            self._opened.move_to_end(change)
            while len(self._opened) > _KEPT:
                self._opened.popitem(last=False)
        return kept

    def numbered(self, change: str, paths: Sequence[str] = ()) -> NumberedAnswer:
        """A change as its numbered diff, or some of its files."""
        opened = self.open(change)
        files = list(opened.each(paths))
        return NumberedAnswer(
            title=opened.title,
            text=numbered(files),
            files=len(files),
            added=sum(each.added or 0 for each, _ in files),
            deleted=sum(each.deleted or 0 for each, _ in files),
            new_side=opened.source.new_side,
        )

    # Reviews

    def reviews(self) -> tuple[Review, ...]:
        """All that are kept, the last changed first."""
        return self._store.listed()

    def review(
        self, change: str, *, analyze: bool = False, cancel: threading.Event | None = None
    ) -> ReviewAnswer:
        """The review of a change, its comments where their lines are now. `analyze`: with what is found without a
        model."""
        opened = self.open(change, cancel=cancel)
        return self._answer(
            opened, self._current(opened), self.analyzed(opened, cancel=cancel) if analyze else ()
        )

    def kept(self, change: str) -> Review | None:
        """The review of a change with its comments where their lines are now; None where nothing was said of it yet."""
        if not self._store.has(change):
            return None
        return self._current(self.open(change))

    def add(self, change: str, comment: ReviewComment) -> CommentsAnswer:
        """Adds one comment. Raises UsageError where it belongs to no line that the change shows."""
        name, kind = self._ground.by()
        state = CommentState.ACCEPTED if kind == "person" else CommentState.DRAFT
        comment = msgspec.structs.replace(comment, author=name, author_kind=kind, state=state)
        answer = self._take(change, [comment], summary="")
        if answer.dropped:
            raise UsageError(answer.dropped[0].reason, file=comment.file, line=comment.line)
        return answer

    def paste(self, change: str, text: str, *, model: str = "") -> CommentsAnswer:
        """Takes the comments that a model answered: each is placed by what it quotes, or dropped with the reason."""
        summary, comments = parse_comments(text)
        made = [
            msgspec.structs.replace(each, author=model, author_kind="model", state=CommentState.DRAFT)
            for each in comments
        ]
        return self._take(change, made, summary=summary)

    def decide(self, change: str, id_: str, state: CommentState, *, text: str | None = None) -> ReviewAnswer:
        """Accepts, refuses or edits a comment. Raises UsageError for one that there is not, or that is published."""
        opened = self.open(change)
        before = self._comment(self._current(opened), id_)
        if before.state is CommentState.PUBLISHED:
            raise UsageError(
                f"Comment {id_} is published: it is changed where it was published.", comment=id_
            )
        made = msgspec.structs.replace(before, state=state, text=before.text if text is None else text)
        return self._answer(opened, self._replaced(self._current(opened), [made]))

    def summarize(self, change: str, text: str) -> ReviewAnswer:
        """Writes the words on the whole."""
        opened = self.open(change)
        review = self._store.change(
            self._current(opened), lambda now: msgspec.structs.replace(now, summary=text)
        )
        return self._answer(opened, review)

    def mark(self, change: str, path: str, line: int | None = None, *, reviewed: bool = True) -> ReviewAnswer:
        """Marks a file as looked at, or the hunk of it that shows a line of the new side; or takes the mark away."""
        opened = self.open(change)
        file = opened.file(path)
        hunks = opened.hunks(file)
        chosen = [hunk for hunk in hunks if line is None or hunk.new_range[0] <= line <= hunk.new_range[1]]
        if hunks and not chosen:
            raise UsageError(f"No hunk of {file.path} shows line {line}.", file=file.path, line=line)
        digests = [digest_of(file.path, hunk) for hunk in chosen] or [file_digest(file)]
        review = self._store.change(
            self._current(opened), lambda now: self._marked(now, file.path, digests, reviewed=reviewed)
        )
        self._keep_look(opened, review)
        return self._answer(opened, review)

    def since(self, change: str) -> Interdiff:
        """What changed of a change since it was last looked at (a hunk marked)."""
        opened = self.open(change)
        return interdiff(self._store.look(self._current(opened)), opened.each())

    def is_reviewed(self, opened: OpenedChange, review: Review) -> frozenset[tuple[str, int]]:
        """Hunks that were looked at, each by its file and first new line."""
        seen = {(mark.file, mark.digest) for mark in review.marks}
        return frozenset(
            (change.path, hunk.new_start)
            for change, hunks in opened.each()
            for hunk in hunks
            if (change.path, digest_of(change.path, hunk)) in seen
        )

    def comment(self, change: str, id_: str) -> ReviewComment:
        """A comment by its id. Raises UsageError."""
        return self._comment(self._current(self.open(change)), id_)

    # Without a model

    def analyzed(self, opened: OpenedChange, *, cancel: threading.Event | None = None) -> tuple[Finding, ...]:
        """What is found without a model, what matters most first. What asks the index is left out where the index is of
        another state than the new side."""
        files = opened.analyzed()
        code = self._code(opened, cancel)
        found = list(texts(files))
        if code is not None:
            changes = code.api()
            found += code.api_findings(changes)
            found += code.caller_findings(changes)
            found += code.test_findings(code.matrix())
        order = list(Severity)
        found.sort(
            key=lambda each: (order.index(each.severity), _ORDER[each.kind], each.file, each.line or 0)
        )
        return tuple(found)

    def pack(self, change: str, *, budget: int, cancel: threading.Event | None = None) -> DiffPack:
        """A change with what it needs, for a model: its answer is pasted back."""
        opened = self.open(change, cancel=cancel)
        code = self._code(opened, cancel)
        around = self._around(code) if code is not None else iter(())
        made = packed(
            opened.title, list(opened.each()), around, budget=budget, count=self._ground.count,
            approximate=self._ground.is_approximate(),
        )  # fmt: skip
        return msgspec.structs.replace(made, text=self._ground.mask(made.text))

    # Handing on

    def publish(
        self, change: str, target: str, *, preview: bool = True, cancel: threading.Event | None = None
    ) -> Publication:
        """The review as it is handed on: `server` to where the change is held, else `markdown` or `sarif` as text."""
        opened = self.open(change, cancel=cancel)
        review = self._current(opened)
        if target == "server":
            remote = opened.source.remote
            if remote is None:
                raise UsageError("The change is on no server: publish it as markdown or sarif.")
            publisher = Publisher(self._ground.sources.server(remote), opened, review, mask=self._ground.mask)
            return (
                publisher.preview()
                if preview
                else publisher.publish(lambda each: self._replaced(review, each))
            )
        waiting = ready(review)
        if target == "markdown":
            text = review_markdown(
                review, states=(CommentState.ACCEPTED, CommentState.EDITED, CommentState.PUBLISHED)
            )
        else:
            text = sarif(review, waiting, self.analyzed(opened, cancel=cancel))
        return Publication(
            target=target, text=self._ground.mask(text), pending=tuple(each.id for each in waiting)
        )

    # Parts

    def _current(self, opened: OpenedChange) -> Review:
        """The review with its comments where their lines are now; kept again where they moved."""
        change, now = opened.source.name, opened.set
        review = self._store.of(change, title=opened.title, signature=now.signature)
        if review.signature == now.signature and not opened.is_on_disk:
            return review
        moved = tuple(self._followed(opened, each) for each in review.comments)
        if moved == review.comments:
            return msgspec.structs.replace(review, signature=now.signature, title=opened.title)
        return self._store.change(
            review,
            lambda kept: msgspec.structs.replace(
                kept,
                comments=tuple(self._followed(opened, each) for each in kept.comments),
                signature=now.signature,
                title=opened.title,
            ),
        )

    def _followed(self, opened: OpenedChange, comment: ReviewComment) -> ReviewComment:
        try:
            file = opened.file(comment.file)
        except UsageError:
            gone = bool(comment.file)
            return msgspec.structs.replace(comment, outdated=gone)
        shown = shown_lines(opened.hunks(file))
        return followed(comment, shown, lambda: opened.source.new_lines(file))

    def _take(self, change: str, comments: Iterable[ReviewComment], *, summary: str) -> CommentsAnswer:
        opened = self.open(change)
        taken: list[ReviewComment] = []
        dropped: list[DroppedComment] = []
        for comment in comments:
            placed = self._placed(opened, comment)
            taken += [placed] if isinstance(placed, ReviewComment) else []
            dropped += [placed] if isinstance(placed, DroppedComment) else []
        review = self._store.change(self._current(opened), lambda now: _with(now, taken, dropped, summary))
        return CommentsAnswer(
            review=review.id, taken=tuple(taken), dropped=tuple(dropped), total=len(review.comments)
        )

    def _placed(self, opened: OpenedChange, comment: ReviewComment) -> ReviewComment | DroppedComment:
        made = msgspec.structs.replace(comment, id=new_comment_id(), at=time.time_ns() // 1_000_000)
        if not comment.file:
            return made
        try:
            file = opened.file(comment.file)
        except UsageError as error:
            return DroppedComment(comment=made, reason=error.message)
        made = msgspec.structs.replace(made, file=file.path)
        if comment.line is None and not comment.quoted:
            return made
        shown = opened.shown(file)
        by_person = comment.author_kind == "person" and not comment.quoted and comment.line in shown.new
        quoted = shown.new[comment.line or 0].text if by_person else comment.quoted
        if by_person and not quoted.strip():
            return msgspec.structs.replace(made, quoted="")
        place = shown.find_new_line_number(comment.line, quoted, end_line=comment.end_line)
        if place.line is None:
            return DroppedComment(comment=made, reason=place.reason)
        return msgspec.structs.replace(
            made, line=place.line, end_line=place.end_line, quoted=place.quoted, note=place.reason
        )

    def _replaced(self, review: Review, comments: Iterable[ReviewComment]) -> Review:
        by_id = {each.id: each for each in comments}
        return self._store.change(
            review,
            lambda now: msgspec.structs.replace(
                now, comments=tuple(by_id.get(each.id, each) for each in now.comments)
            ),
        )

    def _comment(self, review: Review, id_: str) -> ReviewComment:
        found = next((each for each in review.comments if each.id == id_), None)
        if found is None:
            raise UsageError(f"The review has no comment {id_}.", comment=id_)
        return found

    def _marked(self, review: Review, path: str, digests: Sequence[str], *, reviewed: bool) -> Review:
        kept = [mark for mark in review.marks if mark.file != path or mark.digest not in digests]
        name, _ = self._ground.by()
        now = time.time_ns() // 1_000_000
        added = (
            [HunkMark(file=path, digest=digest, by=name, at=now) for digest in digests] if reviewed else []
        )
        return msgspec.structs.replace(review, marks=(*kept, *added))

    def _keep_look(self, opened: OpenedChange, review: Review) -> None:
        look = look_at(opened.each(), signature=opened.set.signature, at=review.updated_at)
        self._store.keep_look(review, look)

    def _answer(self, opened: OpenedChange, review: Review, findings: Sequence[Finding] = ()) -> ReviewAnswer:
        counts = {severity.value: 0 for severity in Severity}
        for each in review.comments:
            counts[each.severity] += each.state is not CommentState.REFUSED
        progress = progress_of(opened.each(), review.marks)
        return ReviewAnswer(review=review, progress=progress, counts=counts, findings=tuple(findings))

    def _code(self, opened: OpenedChange, cancel: threading.Event | None) -> Code | None:
        """The change in the index; None where that is of another state, or knows no projects."""
        if not opened.is_on_disk:
            return None
        self._ground.ready(cancel)
        if self._ground.index.describer.names() is None:
            return None
        return Code(self._ground.index, opened.analyzed(), cancel=cancel)

    def _around(self, code: Code) -> Iterator[Piece]:
        """Members around the change, who uses what changed, and tests that reach it."""
        changed = code.changed()
        for ref in changed.values():
            if ref.kind not in TYPE_KINDS:
                last = min(ref.end_line, ref.start_line + _MOST_LINES - 1)
                yield from self._piece(
                    f"{ref.path} ({ref.file}:{ref.start_line})", ref.file, ref.start_line, last
                )
        yield from finding_piece(code.caller_findings(code.api()))
        told: set[tuple[str, int]] = set()
        for reach in code.matrix():
            for caller in code.callers(reach.member.id):
                place = (caller.path, caller.symbol.start_line)
                if caller.changed or place in told:
                    continue
                told.add(place)
                kind = "Test" if code.is_test(caller.path) else "Caller"
                title = f"{kind} {caller.symbol.path} of {reach.member.path} ({caller.path}:{caller.line})"
                last = min(caller.symbol.end_line, caller.symbol.start_line + _MOST_LINES - 1)
                yield from self._piece(title, caller.path, caller.symbol.start_line, last)

    def _piece(self, title: str, file: str, first: int, last: int) -> Iterator[Piece]:
        try:
            text = self._ground.lines(file, first, last)
        except CodeCortexError:
            return
        yield Piece(title, text, "csharp" if file.endswith(".cs") else "text")


def _with(
    review: Review, taken: Sequence[ReviewComment], dropped: Sequence[DroppedComment], summary: str
) -> Review:
    """The review with more comments; one that says the same at the same place is not taken twice."""
    there = {(each.file, each.line, each.text) for each in review.comments}
    new = [each for each in taken if (each.file, each.line, each.text) not in there]
    return msgspec.structs.replace(
        review,
        comments=(*review.comments, *new),
        dropped=(*review.dropped, *dropped),
        summary=summary or review.summary,
    )
