"""Servers of reviews as their public documentation shows them: the payloads of GitHub, GitLab and Conduit."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

import httpx2

HUNK = "@@ -1,2 +1,2 @@\n a\n-b\n+c"


def _page(pages: dict[str, Any], path: str) -> httpx2.Response:
    there = path in pages
    return httpx2.Response(200 if there else 404, json=pages[path] if there else {"message": "Not Found"})


class FakeGitHub:
    """One pull request, `octo/demo#7`."""

    def __init__(self) -> None:
        self.reviews: list[dict[str, Any]] = []
        self.files = [
            {"filename": "x.cs", "status": "modified", "additions": 1, "deletions": 1, "changes": 2, "patch": HUNK},
            {"filename": "new.cs", "status": "added", "changes": 1, "patch": "@@ -0,0 +1 @@\n+n"},
            {"filename": "b.cs", "previous_filename": "a.cs", "status": "renamed", "changes": 0},
            {"filename": "big.cs", "status": "modified", "changes": 90_000},
            {"filename": "i.png", "status": "modified", "changes": 0},
        ]  # fmt: skip

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if request.headers.get("authorization") != "Bearer secret-token":
            return httpx2.Response(401, json={"message": "Bad credentials"})
        if path.endswith("/pulls/7/reviews") and request.method == "POST":
            self.reviews.append(json.loads(request.content))
            return httpx2.Response(
                200, json={"id": 80, "html_url": "https://github.test/octo/demo/pull/7#review-80"}
            )
        page = int(request.url.params.get("page", "1"))
        pages: dict[str, Any] = {
            "/repos/octo/demo/pulls/7": {
                "number": 7, "title": "Mend x", "html_url": "https://github.test/octo/demo/pull/7",
                "user": {"login": "octocat"}, "base": {"ref": "main", "sha": "b" * 40},
                "head": {"ref": "topic", "sha": "h" * 40},
            },
            "/repos/octo/demo/pulls/7/files": self.files if page == 1 else [],
            "/repos/octo/demo/pulls/7/reviews": [{"body": each["body"]} for each in self.reviews],
            "/repos/octo/demo/pulls/7/comments": [c for each in self.reviews for c in each["comments"]],
        }  # fmt: skip
        return (
            httpx2.Response(200, json=pages[path])
            if path in pages
            else httpx2.Response(404, json={"message": "Not Found"})
        )


class FakeGitLab:
    """One merge request, `group/demo!5`."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.headers.get("private-token") != "secret-token":
            return httpx2.Response(401, json={"message": "401 Unauthorized"})
        path = request.url.raw_path.decode().partition("?")[0]
        top = "/api/v4/projects/group%2Fdemo/merge_requests/5"
        if request.method == "POST" and path in (f"{top}/discussions", f"{top}/notes"):
            self.notes.append(json.loads(request.content))
            return httpx2.Response(201, json={"id": f"n{len(self.notes)}"})
        pages: dict[str, Any] = {
            top: {
                "iid": 5, "title": "Mend y", "web_url": "https://gitlab.test/group/demo/-/merge_requests/5",
                "author": {"username": "root"},
                "diff_refs": {"base_sha": "b" * 40, "head_sha": "h" * 40, "start_sha": "s" * 40},
            },
            f"{top}/diffs": [
                {"old_path": "y.cs", "new_path": "y.cs", "a_mode": "100644", "b_mode": "100644", "new_file": False,
                 "renamed_file": False, "deleted_file": False, "diff": f"{HUNK}\n"},
                {"old_path": "o.cs", "new_path": "n.cs", "a_mode": "100644", "b_mode": "100755", "new_file": False,
                 "renamed_file": True, "deleted_file": False, "diff": ""},
                {"old_path": "big.cs", "new_path": "big.cs", "a_mode": "100644", "b_mode": "100644", "new_file": False,
                 "renamed_file": False, "deleted_file": False, "too_large": True, "diff": ""},
            ],
            f"{top}/notes": self.notes,
        }  # fmt: skip
        return (
            httpx2.Response(200, json=pages[path])
            if path in pages
            else httpx2.Response(404, json={"message": "404"})
        )


class FakePhabricator:
    """One revision, `D12`, over Conduit: form fields in, `{result, error_code, error_info}` out."""

    def __init__(self) -> None:
        self.drafts: list[dict[str, Any]] = []
        self.comments: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        method = request.url.path.removeprefix("/api/")
        params = json.loads(parse_qs(request.content.decode())["params"][0])
        if params.pop("__conduit__", {}).get("token") != "secret-token":
            return self._told(None, "ERR-INVALID-AUTH", "API token has expired.")
        answer = getattr(self, method.replace(".", "_"), None)
        if answer is None:
            return self._told(None, "ERR-CONDUIT-CALL", f"API Method '{method}' does not exist.")
        return self._told(answer(params))

    @staticmethod
    def _told(result: Any, code: str | None = None, info: str | None = None) -> httpx2.Response:
        return httpx2.Response(200, json={"result": result, "error_code": code, "error_info": info})

    def differential_revision_search(self, params: dict[str, Any]) -> Any:
        rows = [{
            "id": 12, "type": "DREV", "phid": "PHID-DREV-1",
            "fields": {"title": "Mend z", "uri": "https://phab.test/D12", "authorPHID": "PHID-USER-1",
                       "diffPHID": "PHID-DIFF-1", "status": {"value": "needs-review"}},
        }]  # fmt: skip
        return {"data": rows if params["constraints"]["ids"] == [12] else [], "cursor": {"after": None}}

    def differential_diff_search(self, _: dict[str, Any]) -> Any:
        return {"data": [{"id": 34, "phid": "PHID-DIFF-1", "fields": {
            "revisionPHID": "PHID-DREV-1", "refs": [{"type": "base", "identifier": "b" * 40}]}}]}  # fmt: skip

    def differential_getrawdiff(self, params: dict[str, Any]) -> Any:
        assert params == {"diffID": "34"}
        return f"diff --git a/z.cs b/z.cs\n--- a/z.cs\n+++ b/z.cs\n{HUNK}\n"

    def differential_createinline(self, params: dict[str, Any]) -> Any:
        self.drafts.append(params)
        return {"id": str(len(self.drafts)), **params}

    def differential_createcomment(self, params: dict[str, Any]) -> Any:
        """As its source has it: drafts go out where they are to be attached, and no empty message is one."""
        assert params["revision_id"] == 12
        if params.get("attach_inlines"):
            self.comments += [each["content"] for each in self.drafts]
            self.drafts = []
        self.comments += [params["message"]] if params.get("message") else []
        return {"revisionid": "12", "uri": "https://phab.test/D12"}

    def transaction_search(self, _: dict[str, Any]) -> Any:
        return {
            "data": [{"type": "inline", "comments": [{"content": {"raw": text}}]} for text in self.comments]
        }
