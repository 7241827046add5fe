"""GitHub's pull requests, over its REST API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from services.errors import RemoteError
from services.review.sources.client import ServerClient
from services.review.sources.patch_text import ParsedFile, parse_changes
from services.review.sources.source import RemoteRef

_REF = re.compile(
    r"github:([\w.-]+/[\w.-]+)#(\d{1,9})|https?://[^/]+/([\w.-]+/[\w.-]+)/pull/(\d{1,9})(?:[/?#].*)?"
)
_STATUS = {"added": "new file mode 100644", "removed": "deleted file mode 100644"}
_NO_REQUEST = "answered something that is no pull request"
_THREADS = (
    "query($owner: String!, $name: String!, $number: Int!, $after: String) { repository(owner: $owner, name: $name) {"
    " pullRequest(number: $number) { reviewThreads(first: 100, after: $after) { pageInfo { hasNextPage endCursor }"
    " nodes { id isResolved comments(first: 1) { nodes { body } } } } } } }"
)
_RESOLVE = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id } } }"
_REOPEN = "mutation($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { id } } }"
ACCEPT = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}


class GitHub:
    """Pull requests of one GitHub."""

    kind = "github"

    def __init__(self, client: ServerClient) -> None:
        self._client = client

    @staticmethod
    def reads(name: str) -> tuple[str, int] | None:
        """`github:owner/name#12`, or its address."""
        return numbered(_REF, name)

    def fetch(self, project: str, number: int) -> tuple[RemoteRef, tuple[ParsedFile, ...]]:
        """A pull request with its files. Raises RemoteError."""
        about = self._client.json(f"repos/{project}/pulls/{number}")
        try:
            ref = RemoteRef(
                kind=self.kind, project=project, number=number, base=about["base"]["sha"], head=about["head"]["sha"],
                title=str(about.get("title") or ""), author=str((about.get("user") or {}).get("login") or ""),
                url=str(about.get("html_url") or ""),
            )  # fmt: skip
            return ref, tuple(parsed for file in self._files(project, number) for parsed in _parsed(file))
        except (KeyError, TypeError, AttributeError) as error:
            raise _odd(self._client.host) from error

    def publish(self, ref: RemoteRef, comments: list[dict[str, Any]], body: str) -> str:
        """Create a review with its comments; return its address. Raises RemoteError."""
        path = f"repos/{ref.project}/pulls/{ref.number}/reviews"
        told = {"commit_id": ref.head, "event": "COMMENT", "body": body, "comments": comments}
        answer = self._client.post(path, json=told).json(self._client.host)
        return str(answer.get("html_url") or answer.get("id") or "")

    def published(self, ref: RemoteRef) -> list[str]:
        """The texts of the reviews and comments that are there."""
        found: list[str] = []
        for what in ("reviews", "comments"):
            pages = self._client.pages(f"repos/{ref.project}/pulls/{ref.number}/{what}", odd=_NO_REQUEST)
            found += [str(each.get("body") or "") for each in pages]
        return found

    def resolve(self, ref: RemoteRef, marks: Mapping[str, bool]) -> None:
        """Resolve or reopen the conversations whose first comment has one of the marks. Raises RemoteError."""
        owner, _, name = ref.project.partition("/")
        after = None
        while True:
            data = self._client.graphql(_THREADS, owner=owner, name=name, number=ref.number, after=after)
            try:
                threads = data["repository"]["pullRequest"]["reviewThreads"]
                for each in threads["nodes"]:
                    text = str(each["comments"]["nodes"][0]["body"])
                    wanted = next((marks[mark] for mark in marks if mark in text), None)
                    if wanted is not None and bool(each["isResolved"]) is not wanted:
                        self._client.graphql(_RESOLVE if wanted else _REOPEN, id=each["id"])
                after = threads["pageInfo"]["endCursor"]
                if not threads["pageInfo"]["hasNextPage"]:
                    return
            except (KeyError, TypeError, IndexError) as error:
                raise _odd(self._client.host) from error

    def request(
        self, project: str, branches: tuple[str, str], title: str, body: str, mark: str = ""
    ) -> tuple[str, bool]:
        """The address of a pull request from one branch to another, and whether it was made now: one that is open, or
        that has the mark in its body, whatever became of it, is not made again. Raises RemoteError."""
        source, target = branches
        path, head = f"repos/{project}/pulls", f"{project.partition('/')[0]}:{source}"
        state = "all" if mark else "open"
        rows = self._client.get(path, {"head": head, "base": target, "state": state}).json(self._client.host)
        if (found := request_of(rows, mark, "open")) is not None:
            return str(found.get("html_url") or ""), False
        told = {"title": title, "head": source, "base": target, "body": body}
        answer = self._client.post(path, json=told).json(self._client.host)
        return str(answer.get("html_url") or ""), True

    def _files(self, project: str, number: int) -> list[Any]:
        return self._client.pages(f"repos/{project}/pulls/{number}/files", odd=_NO_REQUEST)


def _parsed(file: Any) -> tuple[ParsedFile, ...]:
    """Parse a file of the API's answer; its `patch` has hunks only and is missing for large and binary files."""
    path, old = str(file["filename"]), str(file.get("previous_filename") or file["filename"])
    status, patch = str(file["status"]), file.get("patch")
    heads = [f"diff --git a/{old} b/{path}"]
    heads += [_STATUS[status]] if status in _STATUS else []
    if status in ("renamed", "copied"):
        word = "rename" if status == "renamed" else "copy"
        heads += [f"{word} from {old}", f"{word} to {path}"]
    if patch is None and file.get("changes"):
        return (told_of(heads, "The server does not send its lines: it is too large."),)
    if patch is None:
        return (
            told_of(
                heads, "" if status == "renamed" else "The server sends no lines: it is binary, or empty."
            ),
        )
    names = [f"--- {'/dev/null' if status == 'added' else f'a/{old}'}",
             f"+++ {'/dev/null' if status == 'removed' else f'b/{path}'}"]  # fmt: skip
    return parse_changes("\n".join([*heads, *names, str(patch)]))


def request_of(rows: Any, mark: str, is_open: str) -> dict[str, Any] | None:
    """The request of a server's list that is open, or else has a mark in its text; None where there is none."""
    found = [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []
    texts = {id(each): str(each.get("body") or each.get("description") or "") for each in found}
    marked = [each for each in found if mark and mark in texts[id(each)]]
    return next((each for each in found if each.get("state", is_open) == is_open), next(iter(marked), None))


def numbered(pattern: re.Pattern[str], name: str) -> tuple[str, int] | None:
    """Project and number of a request by its short name or its address, which a pattern has two groups each for."""
    found = pattern.fullmatch(name)
    return (found[1] or found[3], int(found[2] or found[4])) if found else None


def told_of(heads: list[str], note: str) -> ParsedFile:
    """A file whose lines are not there, from the head of its diff."""
    import msgspec

    (file,) = parse_changes("\n".join(heads))
    return ParsedFile(msgspec.structs.replace(file.change, note=note, added=None, deleted=None), ())


def _odd(host: str) -> RemoteError:
    return RemoteError(f"{host} {_NO_REQUEST}.", host=host, reason="answer")
