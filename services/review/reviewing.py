"""Reviews of one workspace: what every face calls. The parts know each other only through it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from services.concurrency.latest import SharedCache
from services.concurrency.lazy import lazy
from services.errors import UsageError
from services.model.review import (
    CommentsAnswer,
    CommentState,
    DiffPack,
    DroppedComment,
    Finding,
    Interdiff,
    MergeRequest,
    NumberedAnswer,
    Publication,
    Review,
    ReviewAnswer,
    ReviewComment,
    Severity,
    Standing,
)
from services.review.anchors import followed_in, matching, of_finding, placed_in, with_comments
from services.review.look import (
    digest_of,
    digests_of,
    file_digest,
    interdiff,
    look_at,
    marked,
    progress_of,
    whole_files,
)
from services.review.markdown import mark_of, review_markdown
from services.review.opened import OpenedChange
from services.review.packing import INSTRUCTIONS, numbered, packed, parse_comments
from services.review.publisher import READY, Publisher, ready, sarif
from services.review.pushing import Push, push
from services.review.sources.opening import ChangeSources
from services.review.store import Reviews, comment_of, own, unpublished
from services.source.diffs.hunks import emphasis

if TYPE_CHECKING:
    from services.review.analysis.matrix import Reach
    from services.review.api.compare import ApiChanges
    from services.review.examining import Examiner

_KEPT = 4


class ReviewServices(msgspec.Struct, frozen=True):
    """Services behind reviews. `examiner`: made when something is looked for, as opening a change needs none; `mask`:
    takes likely secrets out of what leaves; `count`: tokens of a text, `is_approximate`: whether by a guess; `by`: who
    acts, and whether they are a person or an agent."""

    sources: ChangeSources
    store: Reviews
    examiner: Callable[[], Examiner]
    mask: Callable[[str], str]
    count: Callable[[str], int]
    is_approximate: Callable[[], bool]
    by: Callable[[], tuple[str, str]]


class Reviewing:
    """Review service: opens changes, stores comments, and finds problems without a model. Thread-safe."""

    def __init__(self, services: ReviewServices) -> None:
        self._services = services
        self._store = services.store
        self._opened: SharedCache[str, OpenedChange] = SharedCache(_KEPT)

    @lazy
    def _examiner(self) -> Examiner:
        return self._services.examiner()

    # The change

    @staticmethod
    def prepare() -> None:
        """Load what the first change that is opened would wait for."""
        emphasis("a b c", "a b d")

    def open(self, change: str, *, cancel: threading.Event | None = None) -> OpenedChange:
        """A change as it is now. Raises UsageError, WorkspaceError, RemoteError, Cancelled."""
        now = OpenedChange(self._services.sources.open(change), cancel=cancel)
        change = now.source.name
        before = self._opened.find(change)
        same = before is not None and before.set.signature == now.set.signature and not now.is_on_disk
        return self._opened.keep(change, before if same and before is not None else now)

    def shown(self, change: str) -> OpenedChange:
        """Return a change as last opened, without contacting its source; open it where it was not. Raises as
        `open`."""
        return self._opened.find(change) or self.open(change)

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
        """Return all stored reviews, the last changed first."""
        return self._store.listed()

    def review(
        self,
        change: str,
        *,
        analyze: bool = False,
        after: tuple[str, int] | None = None,
        cancel: threading.Event | None = None,
    ) -> ReviewAnswer:
        """The review of a change, its comments where their lines are now. `analyze`: with what is found without a
        model; `after`: where the next hunk to look at is looked for from."""
        opened = self.open(change, cancel=cancel)
        found = self.analyzed(opened, cancel=cancel) if analyze else ((), "")
        return self._answer(opened, self._current(opened), found, after=after)

    def standing(self, change: str) -> Standing | None:
        """The review of a change as it was last opened, its comments where their lines are, and what was looked at;
        None where nothing was said of it yet."""
        opened = self.shown(change)
        if not self._store.has(opened.source.name):
            return None
        review = self._current(opened)
        look = self._store.look(review)
        return Standing(
            review=review,
            files=whole_files(opened.each(), review.marks) if review.marks else frozenset(),
            looked=digests_of(look) if look is not None else None,
        )

    def add(self, change: str, comment: ReviewComment) -> CommentsAnswer:
        """Adds one comment. Raises UsageError where it belongs to no line that the change shows."""
        name, kind = self._services.by()
        state = CommentState.ACCEPTED if kind == "person" else CommentState.DRAFT
        comment = msgspec.structs.replace(comment, author=name, author_kind=kind, state=state)
        answer = self._take(change, [comment], summary="")
        if answer.dropped:
            raise UsageError(answer.dropped[0].reason, file=comment.file, line=comment.line)
        return answer

    def paste(self, change: str, text: str, *, model: str = "") -> CommentsAnswer:
        """Add the comments of a model's answer: each is located by what it quotes, or dropped with a reason."""
        summary, comments = parse_comments(text)
        made = [
            msgspec.structs.replace(each, author=model, author_kind="model", state=CommentState.DRAFT)
            for each in comments
        ]
        return self._take(change, made, summary=summary)

    def note(self, change: str, findings: Sequence[Finding]) -> CommentsAnswer:
        """Makes comments of what was found without a model; what is at no line that the change shows is on its file."""
        opened = self.open(change)
        return self._take(change, [of_finding(opened, each) for each in findings], summary="")

    def settle(self, change: str, found: Collection[str]) -> Review:
        """Mark the published comments of models and of analyses whose lines are gone as resolved, and those of analyses
        that were not found any more. `found`: ids of the comments on what an analysis finds now."""
        opened = self.open(change)

        def settled(comment: ReviewComment) -> ReviewComment:
            if comment.state is not CommentState.PUBLISHED or comment.author_kind not in ("static", "model"):
                return comment
            is_gone = comment.author_kind == "static" and comment.id not in found
            return msgspec.structs.replace(comment, resolved=comment.outdated or is_gone)

        return self._store.change(
            self._current(opened),
            lambda now: msgspec.structs.replace(now, comments=tuple(map(settled, now.comments))),
        )

    def accept(self, change: str, ids: Iterable[str]) -> ReviewAnswer:
        """Accepts those of these comments that wait for a decision."""
        opened, wanted = self.open(change), frozenset(ids)
        review = self._current(opened)
        waiting = [each for each in review.comments if each.id in wanted and each.state is CommentState.DRAFT]
        taken = [msgspec.structs.replace(each, state=CommentState.ACCEPTED) for each in waiting]
        return self._answer(opened, self._replaced(review, taken))

    def decide(self, change: str, id_: str, state: CommentState, *, text: str | None = None) -> ReviewAnswer:
        """Accepts, refuses or edits a comment. Raises UsageError for one that there is not, or that is published."""
        opened = self.open(change)
        before = unpublished(self._current(opened), id_)
        made = msgspec.structs.replace(before, state=state, text=before.text if text is None else text)
        return self._answer(opened, self._replaced(self._current(opened), [made]))

    def edit(self, change: str, id_: str, **changed: Any) -> ReviewAnswer:
        """Other words, severity, category or suggestion for a comment; None leaves each as it is. Raises UsageError."""
        opened = self.open(change)
        before = own(self._current(opened), id_, self._services.by())
        given = {name: value for name, value in changed.items() if value is not None}
        return self._answer(
            opened, self._replaced(self._current(opened), [msgspec.structs.replace(before, **given)])
        )

    def delete(self, change: str, id_: str) -> ReviewAnswer:
        """Takes a comment out of the review. Raises UsageError."""
        opened = self.open(change)
        own(self._current(opened), id_, self._services.by())
        review = self._store.change(
            self._current(opened),
            lambda now: msgspec.structs.replace(
                now, comments=tuple(each for each in now.comments if each.id != id_)
            ),
        )
        return self._answer(opened, review)

    def proposed(self, change: str, id_: str, proposal: str) -> ReviewAnswer:
        """Notes which proposal a suggestion has become."""
        opened = self.open(change)
        review = self._current(opened)
        made = msgspec.structs.replace(comment_of(review, id_), proposal=proposal)
        return self._answer(opened, self._replaced(review, [made]))

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
        digests, by = (
            [digest_of(file.path, hunk) for hunk in chosen] or [file_digest(file)],
            self._services.by()[0],
        )
        review = self._store.change(
            self._current(opened), lambda now: marked(now, file.path, digests, by=by, reviewed=reviewed)
        )
        self._keep_look(opened, review)
        return self._answer(opened, review)

    def since(self, change: str) -> Interdiff:
        """Return the changes since the change was last viewed (a hunk marked as seen)."""
        opened = self.open(change)
        return interdiff(self._store.look(self._current(opened)), opened.each())

    def comment(self, change: str, id_: str) -> ReviewComment:
        """A comment by its id. Raises UsageError."""
        return comment_of(self._current(self.open(change)), id_)

    # Without a model

    def analyzed(
        self, opened: OpenedChange, *, cancel: threading.Event | None = None
    ) -> tuple[tuple[Finding, ...], str]:
        """Return the findings made without a model, the most important first, and why the code was not analysed
        where it could not be."""
        return self._examiner.findings(opened, cancel=cancel)

    def api(self, opened: OpenedChange, *, cancel: threading.Event | None = None) -> ApiChanges:
        """Return the changes of the public API. Raises WorkspaceError where the code cannot be analysed, Cancelled."""
        return self._examiner.asked(opened, lambda code: code.api(), cancel=cancel)

    def matrix(self, change: str, *, cancel: threading.Event | None = None) -> list[Reach]:
        """The changed members with the tests that reach them, as `api`."""
        return self._examiner.asked(
            self.open(change, cancel=cancel), lambda code: code.matrix(), cancel=cancel
        )

    def pack(
        self,
        change: str,
        *,
        budget: int,
        instructions: str = INSTRUCTIONS,
        cancel: threading.Event | None = None,
    ) -> DiffPack:
        """Return a change with its context as a prompt; the model's answer is pasted back. `instructions`: the task
        for the model."""
        opened = self.open(change, cancel=cancel)
        around = self._examiner.around(opened, cancel=cancel)
        made = packed(
            opened.title, list(opened.each()), around, budget=budget, count=self._services.count,
            approximate=self._services.is_approximate(), instructions=instructions,
        )  # fmt: skip
        return msgspec.structs.replace(made, text=self._services.mask(made.text))

    # Handing on

    def publish(
        self,
        change: str,
        target: str,
        *,
        preview: bool = True,
        analyse: bool = True,
        cancel: threading.Event | None = None,
    ) -> Publication:
        """Publish the review: `server` sends it to the server of the change, `markdown` and `sarif` return text.
        `analyse`: whether `sarif` also has what an analysis finds, which takes as long as that does."""
        opened = self.open(change, cancel=cancel)
        review = self._current(opened)
        if target == "server":
            remote = opened.source.remote
            if remote is None:
                raise UsageError("The change is on no server: publish it as markdown or sarif.")
            server = self._services.sources.server(remote)
            publisher = Publisher(server, opened, review, mask=self._services.mask)
            if preview:
                return publisher.preview()
            done = publisher.publish(lambda each: self._replaced(review, each))
            publisher.resolve(lambda each: self._replaced(review, each))
            return done
        waiting = ready(review)
        if target == "markdown":
            text = review_markdown(review, states=(*READY, CommentState.PUBLISHED))
        else:
            text = sarif(review, waiting, self.analyzed(opened, cancel=cancel)[0] if analyse else ())
        return Publication(
            target=target, text=self._services.mask(text), pending=tuple(each.id for each in waiting)
        )

    def request(
        self,
        wanted: MergeRequest,
        description: str,
        *,
        base: str = "",
        files: Mapping[str, bytes] | None = None,
    ) -> MergeRequest:
        """Open a merge request on the server, or return the one that is there. `files`: content of files, which are
        first pushed to its source branch as one commit on `base`. Raises UsageError, WorkspaceError, RemoteError."""
        sources = self._services.sources
        server, project = sources.project(wanted.project)
        mark = ""
        if files:
            made = Push(wanted.source, base or "HEAD", f"{wanted.title}\n", files)
            commit = push(sources.folder, sources.pushing(wanted.project), made)
            mark = mark_of(commit, server.kind)
            description = f"{description}\n\n{mark}"
        branches = (wanted.source, wanted.target)
        address, created = server.request(project, branches, wanted.title, description, mark)
        return msgspec.structs.replace(wanted, address=address, created=created, preview=False)

    # Parts

    def _current(self, opened: OpenedChange) -> Review:
        """Return the review with its comments at the current lines; store it where they moved."""
        change, now = opened.source.name, opened.set
        review = self._store.of(change, title=opened.title, signature=now.signature)
        if review.signature == now.signature and not opened.is_on_disk:
            return review
        moved = tuple(followed_in(opened, each) for each in review.comments)
        if moved == review.comments:
            return msgspec.structs.replace(review, signature=now.signature, title=opened.title)
        return self._store.change(
            review,
            lambda kept: msgspec.structs.replace(
                kept,
                comments=tuple(followed_in(opened, each) for each in kept.comments),
                signature=now.signature,
                title=opened.title,
            ),
        )

    def _take(self, change: str, comments: Iterable[ReviewComment], *, summary: str) -> CommentsAnswer:
        opened = self.open(change)
        taken: list[ReviewComment] = []
        dropped: list[DroppedComment] = []
        for comment in comments:
            placed = placed_in(opened, comment)
            taken += [placed] if isinstance(placed, ReviewComment) else []
            dropped += [placed] if isinstance(placed, DroppedComment) else []
        review = self._store.change(
            self._current(opened), lambda now: with_comments(now, taken, dropped, summary)
        )
        there = matching(review, taken)
        return CommentsAnswer(
            review=review.id, taken=there, dropped=tuple(dropped), total=len(review.comments)
        )

    def _replaced(self, review: Review, comments: Iterable[ReviewComment]) -> Review:
        by_id = {each.id: each for each in comments}
        return self._store.change(
            review,
            lambda now: msgspec.structs.replace(
                now, comments=tuple(by_id.get(each.id, each) for each in now.comments)
            ),
        )

    def _keep_look(self, opened: OpenedChange, review: Review) -> None:
        look = look_at(opened.each(), signature=opened.set.signature, at=review.updated_at)
        self._store.keep_look(review, look)

    def _answer(
        self,
        opened: OpenedChange,
        review: Review,
        found: tuple[Sequence[Finding], str] = ((), ""),
        *,
        after: tuple[str, int] | None = None,
    ) -> ReviewAnswer:
        counts = {severity.value: 0 for severity in Severity}
        for each in review.comments:
            counts[each.severity] += each.state is not CommentState.REFUSED
        progress = progress_of(opened.each(), review.marks, after=after)
        return ReviewAnswer(
            review=review, progress=progress, counts=counts, findings=tuple(found[0]), not_looked_up=found[1]
        )
