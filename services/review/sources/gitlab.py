"""GitLab's merge requests, over its REST API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from services.errors import RemoteError
from services.review.sources.client import ServerClient
from services.review.sources.github import numbered, request_of, told_of
from services.review.sources.patch_text import ParsedFile, parse_changes
from services.review.sources.source import RemoteRef

_REF = re.compile(
    r"gitlab:([\w./-]+)!(\d{1,9})|https?://[^/]+/([\w./-]+?)(?:/-)?/merge_requests/(\d{1,9})(?:[/?#].*)?"
)
_NOWHERE = "0"


class GitLab:
    """Merge requests of one GitLab."""

    kind = "gitlab"

    def __init__(self, client: ServerClient) -> None:
        self._client = client

    @staticmethod
    def reads(name: str) -> tuple[str, int] | None:
        """`gitlab:group/project!5`, or its address."""
        return numbered(_REF, name)

    def fetch(self, project: str, number: int) -> tuple[RemoteRef, tuple[ParsedFile, ...]]:
        """A merge request with its files. Raises RemoteError."""
        path = self._path(project, number)
        about = self._client.json(path)
        try:
            refs = about["diff_refs"]
            if refs is None:
                raise self._odd("has not worked out yet what this merge request changes: try again")
            ref = RemoteRef(
                kind=self.kind, project=project, number=number, base=refs["base_sha"], head=refs["head_sha"],
                start=refs["start_sha"], title=str(about.get("title") or ""),
                author=str((about.get("author") or {}).get("username") or ""), url=str(about.get("web_url") or ""),
            )  # fmt: skip
            return ref, tuple(parsed for file in self._pages(f"{path}/diffs") for parsed in _parsed(file))
        except (KeyError, TypeError, AttributeError) as error:
            raise self._odd("answered something that is no merge request") from error

    def publish_one(self, ref: RemoteRef, comment: dict[str, Any]) -> str:
        """Create a discussion at a line, or a note on the merge request; return its id. Raises RemoteError."""
        position = comment.get("position")
        way = "discussions" if position else "notes"
        told = {"body": comment["body"]} | ({"position": position} if position else {})
        answer = self._client.post(f"{self._path(ref.project, ref.number)}/{way}", json=told).json(
            self._client.host
        )
        return str(answer.get("id") or "")

    def published(self, ref: RemoteRef) -> list[str]:
        """The texts of the notes that are there."""
        return [
            str(each.get("body") or "")
            for each in self._pages(f"{self._path(ref.project, ref.number)}/notes")
        ]

    def resolve(self, ref: RemoteRef, marks: Mapping[str, bool]) -> None:
        """Resolve or reopen the discussions whose first note has one of the marks. Raises RemoteError."""
        path = f"{self._path(ref.project, ref.number)}/discussions"
        for each in self._pages(path):
            try:
                note, id_ = each["notes"][0], str(each["id"])
                wanted = next((marks[mark] for mark in marks if mark in str(note.get("body"))), None)
                if wanted is not None and note.get("resolvable") and bool(note.get("resolved")) is not wanted:
                    self._client.put(f"{path}/{id_}", resolved="true" if wanted else "false")
            except (KeyError, TypeError, IndexError, AttributeError) as error:
                raise self._odd("answered something that is no discussion") from error

    def request(
        self, project: str, branches: tuple[str, str], title: str, body: str, mark: str = ""
    ) -> tuple[str, bool]:
        """The address of a merge request between two branches, and whether it was made now, as GitHub.request."""
        path = f"api/v4/projects/{quote(project, safe='')}/merge_requests"
        named = {"source_branch": branches[0], "target_branch": branches[1]}
        state = "all" if mark else "opened"
        rows = self._client.get(path, {**named, "state": state}).json(self._client.host)
        if (found := request_of(rows, mark, "opened")) is not None:
            return str(found.get("web_url") or ""), False
        told = {**named, "title": title, "description": body}
        answer = self._client.post(path, json=told).json(self._client.host)
        return str(answer.get("web_url") or ""), True

    def _path(self, project: str, number: int) -> str:
        return f"api/v4/projects/{quote(project, safe='')}/merge_requests/{number}"

    def _pages(self, path: str) -> list[Any]:
        return self._client.pages(path, odd="answered something that is no list")

    def _odd(self, what: str) -> RemoteError:
        return RemoteError(f"{self._client.host} {what}.", host=self._client.host, reason="answer")


def _parsed(file: Any) -> tuple[ParsedFile, ...]:
    old, new, diff = str(file["old_path"]), str(file["new_path"]), str(file.get("diff") or "")
    heads = [f"diff --git a/{old} b/{new}"]
    if file.get("new_file"):
        heads.append(f"new file mode {file.get('b_mode') or '100644'}")
    elif file.get("deleted_file"):
        heads.append(f"deleted file mode {file.get('a_mode') or '100644'}")
    elif str(file.get("a_mode")) != str(file.get("b_mode")) and _NOWHERE not in (
        file.get("a_mode"),
        file.get("b_mode"),
    ):
        heads += [f"old mode {file.get('a_mode')}", f"new mode {file.get('b_mode')}"]
    if file.get("renamed_file"):
        heads += [f"rename from {old}", f"rename to {new}"]
    if file.get("too_large") or file.get("collapsed"):
        return (told_of(heads, "The server does not send its lines: it is too large."),)
    if "@@ " not in diff:
        note = "" if file.get("renamed_file") or not diff else "binary: no lines are shown"
        return (told_of(heads, note),)
    if not diff.startswith("--- "):
        names = [f"--- {'/dev/null' if file.get('new_file') else f'a/{old}'}",
                 f"+++ {'/dev/null' if file.get('deleted_file') else f'b/{new}'}"]  # fmt: skip
        diff = "\n".join([*names, diff])
    return parse_changes("\n".join([*heads, diff]))
