"""Publishing to a server: what is there is found by its mark, so that what broke off is finished, not doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

import services
from services.errors import UsageError
from services.model.review import CommentState, Finding, Publication, Review, ReviewComment, Severity
from services.review.markdown import (
    body_of,
    counted,
    for_github,
    for_gitlab,
    for_phabricator,
    mark_of,
    place_of,
)
from services.review.opened import OpenedChange
from services.review.sources.github import GitHub
from services.review.sources.gitlab import GitLab
from services.review.sources.phabricator import Phabricator
from services.review.sources.source import RemoteRef

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.BLOCKER: "error",
    Severity.WARNING: "warning",
    Severity.SUGGESTION: "note",
    Severity.QUESTION: "note",
    Severity.PRAISE: "none",
}


def sarif(review: Review, comments: Sequence[ReviewComment], findings: Sequence[Finding] = ()) -> str:
    """The comments, and what was found without a model, as one run."""
    results = [*map(_of_comment, comments), *map(_of_finding, findings)]
    rules = sorted({result["ruleId"] for result in results})
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "CodeCortex", "version": services.__version__,
                "rules": [{"id": rule, "shortDescription": {"text": rule.replace("/", ": ")}} for rule in rules],
            }},
            "automationDetails": {"id": f"review/{review.id}"},
            "columnKind": "utf16CodeUnits",
            "results": [{**result, "ruleIndex": rules.index(result["ruleId"])} for result in results],
        }],
    }  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode()


def _of_comment(comment: ReviewComment) -> dict[str, Any]:
    category = comment.category.strip().replace(" ", "-") or comment.severity
    result = _result(f"review/{category}", comment.severity, comment.text)
    result |= _locations(comment.file, comment.line, comment.end_line)
    result["partialFingerprints"] = {"commentId/v1": comment.id}
    if comment.suggestion is not None and comment.file and comment.line is not None:
        result["fixes"] = [_fix(comment, comment.line, comment.suggestion)]
    return result


def _of_finding(finding: Finding) -> dict[str, Any]:
    rule = f"{finding.kind}/{finding.code}" if finding.code else finding.kind
    result = _result(rule, finding.severity, f"{finding.text} (static)")
    result |= _locations(finding.file, finding.line, None)
    places = dict.fromkeys(finding.places)
    related = [_place(*_split(place)) for place in places if ":" in place and "/" in place]
    return result | ({"relatedLocations": related} if related else {})


def _result(rule: str, severity: Severity, text: str) -> dict[str, Any]:
    kind = {"kind": "informational"} if _LEVELS[severity] == "none" else {}
    return {"ruleId": rule, "level": _LEVELS[severity], "message": {"text": text}, **kind}


def _locations(file: str, line: int | None, end: int | None) -> dict[str, Any]:
    return {"locations": [_place(file, line, end)]} if file else {}


def _place(file: str, line: int | None, end: int | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if line is not None:
        place["region"] = {"startLine": line, **({"endLine": end} if end else {})}
    return {"physicalLocation": place}


def _split(place: str) -> tuple[str, int | None]:
    path, _, line = place.rpartition(":")
    return path, int(line) if line.isdigit() and int(line) else None


def _artifact(file: str) -> dict[str, str]:
    return {"uri": quote(file, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}


def _fix(comment: ReviewComment, line: int, suggestion: str) -> dict[str, Any]:
    """Whole lines: from the start of the first to the start of the one behind the last."""
    region = {"startLine": line, "startColumn": 1, "endLine": (comment.end_line or line) + 1, "endColumn": 1}
    text = f"{suggestion}\n" if suggestion else ""
    replacement = {"deletedRegion": region, "insertedContent": {"text": text}}
    return {"artifactChanges": [{"artifactLocation": _artifact(comment.file), "replacements": [replacement]}]}


Keep = Callable[[Iterable[ReviewComment]], object]
"""Keeps comments as they are now in the review's file, before the next request is made."""
Mask = Callable[[str], str]
READY = frozenset({CommentState.ACCEPTED, CommentState.EDITED})
_DRAFT = "draft:"
_RESOLVED = "resolved"
_ASKED = "draft:?"
"""Of a comment whose draft was asked for, where no answer told whether it was taken."""


def ready(review: Review) -> list[ReviewComment]:
    """The comments that wait to be published: decided for, and still on lines that are there."""
    return [each for each in review.comments if each.state in READY and not each.outdated]


class Publisher:
    """Publisher of one review of a change that is on a server."""

    def __init__(
        self, server: GitHub | GitLab | Phabricator, opened: OpenedChange, review: Review, *, mask: Mask
    ) -> None:
        remote = opened.source.remote
        if remote is None:
            raise UsageError("The change is on no server: publish it as markdown or sarif.")
        self._server, self._opened, self._ref = server, opened, remote
        self._review = review
        self._mask = mask
        self._is_told = False
        """Whether the words on the whole are there, from an earlier time."""

    def preview(self) -> Publication:
        """Return what would be sent, without sending it."""
        return self._told(ready(self._review), preview=True)

    def publish(self, keep: Keep) -> Publication:
        """Send what the server does not have yet. Raises RemoteError; what was sent is recorded, and the next call
        continues there. Raises UsageError where there is nothing to send."""
        waiting = ready(self._review)
        if not self._review.summary and not self._counted():
            raise UsageError(
                "There is nothing to publish: no comment is accepted, and the review has no summary."
            )
        if isinstance(self._server, Phabricator) and any(each.remote == _ASKED for each in waiting):
            # Drafts are shown to nobody: those that were taken come to light when all are published.
            self._server.submit(self._ref, "")
        there = self._server.published(self._ref)
        sent = [each for each in waiting if any(mark_of(each.id, self._ref.kind) in text for text in there)]
        keep(map(_published, sent))
        open_ = [each for each in waiting if each not in sent]
        self._is_told = any(mark_of(self._review.id, self._ref.kind) in text for text in there)
        address = self._send(open_, keep) if open_ or not self._is_told else self._ref.url
        told = self._told(waiting, preview=False)
        return msgspec.structs.replace(
            told, published=tuple(each.id for each in waiting), pending=(), address=address or self._ref.url
        )

    def resolve(self, keep: Keep) -> None:
        """Resolve on the server what is gone, and reopen what came back, of the program's own comments; what a person
        resolved there stays. Raises RemoteError."""
        due = [
            each
            for each in self._review.comments
            if each.state is CommentState.PUBLISHED and each.resolved is not (each.remote == _RESOLVED)
        ]
        if not due or isinstance(
            self._server, Phabricator
        ):  # whose API lets nobody but the author mark one done
            return
        self._server.resolve(self._ref, {mark_of(each.id, self._ref.kind): each.resolved for each in due})
        keep(msgspec.structs.replace(each, remote=_RESOLVED if each.resolved else "") for each in due)

    def _send(self, comments: Sequence[ReviewComment], keep: Keep) -> str:
        if isinstance(self._server, GitHub):
            return self._to_github(self._server, comments, keep)
        if isinstance(self._server, GitLab):
            return self._to_gitlab(self._server, comments, keep)
        return self._to_phabricator(self._server, comments, keep)

    def _to_github(self, server: GitHub, comments: Sequence[ReviewComment], keep: Keep) -> str:
        """Send all in one request, which succeeds or fails as a whole. Comments without a line become part of the
        review's body."""
        at_lines = [each for each in comments if each.line is not None]
        address = server.publish(
            self._ref, [for_github(each, self._body(each)) for each in at_lines], self._whole(comments)
        )
        keep(map(_published, comments))
        return address

    def _to_gitlab(self, server: GitLab, comments: Sequence[ReviewComment], keep: Keep) -> str:
        """Send the comments in turn, recording each once the server has it, and the summary last."""
        for comment in comments:
            at = None
            if comment.line is not None:
                change = self._opened.file(comment.file)
                at = (change, self._opened.shown(change))
            server.publish_one(self._ref, for_gitlab(comment, self._body(comment), self._ref, at))
            keep([_published(comment)])
        if not self._is_told:
            server.publish_one(self._ref, {"body": self._whole(())})
        return self._ref.url

    def _to_phabricator(self, server: Phabricator, comments: Sequence[ReviewComment], keep: Keep) -> str:
        """Drafts first, each known by its id once it is there; then all of them at once."""
        for comment in comments:
            if comment.line is not None and comment.remote in ("", _ASKED):
                keep([msgspec.structs.replace(comment, remote=_ASKED)])
                draft = server.inline(self._ref, for_phabricator(comment, self._body(comment)))
                keep([msgspec.structs.replace(comment, remote=f"{_DRAFT}{draft}")])
        server.submit(self._ref, self._whole(comments))
        keep(map(_published, comments))
        return self._ref.url

    def _body(self, comment: ReviewComment) -> str:
        """Its text. What has no line names its file, as nothing else there does."""
        text = body_of(comment, self._ref.kind)
        return self._mask(f"{comment.file}: {text}" if comment.file and comment.line is None else text)

    def _whole(self, comments: Sequence[ReviewComment]) -> str:
        """The words on the whole: the summary where it is not there yet, what has no line, and the mark of the
        review."""
        parts = [counted(comments)] if self._is_told else [self._review.summary, counted(self._counted())]
        parts += [self._body(each) for each in comments if each.line is None]
        text = "\n\n".join(part for part in parts if part)
        return self._mask(f"{text}\n\n{mark_of(self._review.id, self._ref.kind)}")

    def _counted(self) -> list[ReviewComment]:
        """Return the comments that the server has or is to get."""
        published = [each for each in self._review.comments if each.state is CommentState.PUBLISHED]
        return [*ready(self._review), *published]

    def _told(self, comments: Sequence[ReviewComment], *, preview: bool) -> Publication:
        lines = [
            f"To {self._ref.kind} {_named(self._ref)}",
            "",
            self._whole([each for each in comments if each.line is None]),
        ]
        for each in comments:
            if each.line is not None:
                lines += ["", f"--- {each.file} {place_of(each)}", self._body(each)]
        ids = tuple(each.id for each in comments)
        return Publication(
            target=self._ref.kind, text="\n".join(lines), pending=ids, address=self._ref.url, preview=preview
        )  # fmt: skip


def _published(comment: ReviewComment) -> ReviewComment:
    return msgspec.structs.replace(comment, state=CommentState.PUBLISHED)


def _named(ref: RemoteRef) -> str:
    return f"D{ref.number}" if ref.kind == "phabricator" else f"{ref.project} {ref.number}"
