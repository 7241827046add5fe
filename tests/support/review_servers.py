"""Servers of reviews as their public documentation shows them: the payloads of GitHub, GitLab and Conduit."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

import httpx2

from tests.support.api_contract import contract

HUNK = "@@ -1,2 +1,2 @@\n a\n-b\n+c"


class FakeGitHub:
    """Pull request `octo/demo#7`. Requests and answers follow GitHub's own description of its API."""

    def __init__(self) -> None:
        self.reviews: list[dict[str, Any]] = []
        self.head = "h" * 40
        self.resolved: dict[str, bool] = {}
        self.changed = 0
        self._contract = contract("github")
        self.files = [
            {"filename": "x.cs", "status": "modified", "additions": 1, "deletions": 1, "changes": 2, "patch": HUNK},
            {"filename": "new.cs", "status": "added", "changes": 1, "patch": "@@ -0,0 +1 @@\n+n"},
            {"filename": "b.cs", "previous_filename": "a.cs", "status": "renamed", "changes": 0},
            {"filename": "big.cs", "status": "modified", "changes": 90_000},
            {"filename": "i.png", "status": "modified", "changes": 0},
        ]  # fmt: skip

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == "/graphql":
            return self._graphql(json.loads(request.content))
        operation = self._contract.operation(request.method, path)
        assert operation.faults_of_request(request) == []
        if request.headers.get("authorization") != "Bearer secret-token":
            return httpx2.Response(401, json={"message": "Bad credentials"})
        if not path.startswith("/repos/octo/demo/pulls/7"):
            return httpx2.Response(404, json={"message": "Not Found"})
        answer = httpx2.Response(
            200, json=self._answer(request, path.rpartition("/pulls/7")[2], operation.example)
        )
        assert operation.faults_of_answer(answer) == []
        return answer

    def _graphql(self, asked: dict[str, Any]) -> httpx2.Response:
        """Review threads, as the documentation of GraphQL's objects shows them: one of each comment."""
        query, variables = asked["query"], asked["variables"]
        comments = [each for review in self.reviews for each in review["comments"]]
        if query.startswith("mutation"):
            assert ("resolveReviewThread(input: {threadId: $id})" in query) and variables.keys() == {"id"}
            id_ = comment_id(comments[int(variables["id"].removeprefix("T_"))]["body"])
            self.resolved[id_] = "unresolve" not in query
            self.changed += 1
            return httpx2.Response(200, json={"data": {"thread": {"id": variables["id"]}}})
        assert {**variables, "after": None} == {"owner": "octo", "name": "demo", "number": 7, "after": None}
        first = int(variables["after"] or 0)
        nodes = [
            {"id": f"T_{first + at}", "isResolved": self.resolved.get(comment_id(each["body"]), False),
             "comments": {"nodes": [{"body": each["body"]}]}}
            for at, each in enumerate(comments[first : first + 1])
        ]  # fmt: skip
        page = {"hasNextPage": first + 1 < len(comments), "endCursor": str(first + 1)}
        threads = {"pageInfo": page, "nodes": nodes}
        return httpx2.Response(
            200, json={"data": {"repository": {"pullRequest": {"reviewThreads": threads}}}}
        )

    def _answer(self, request: httpx2.Request, what: str, example: Any) -> Any:
        if request.method == "POST":
            self.reviews.append(json.loads(request.content))
            return example | {"id": 80, "html_url": "https://github.test/octo/demo/pull/7#review-80"}
        if not what:
            example["user"]["login"], example["base"]["sha"], example["head"]["sha"] = (
                "octocat",
                "b" * 40,
                self.head,
            )
            return example | {
                "number": 7,
                "title": "Mend x",
                "html_url": "https://github.test/octo/demo/pull/7",
            }
        if what == "/files":
            rows = [
                {name: value for name, value in example[0].items() if name != "patch"} | own
                for own in self.files
            ]
        else:
            told = (
                self.reviews if what == "/reviews" else [c for each in self.reviews for c in each["comments"]]
            )
            rows = [example[0] | {"body": each["body"]} for each in told]
        size, page = (
            int(request.url.params.get(name, no)) for name, no in (("per_page", "30"), ("page", "1"))
        )
        return rows[size * (page - 1) : size * page]


_USER = {"id": 1, "name": "Root", "username": "root", "state": "active", "avatar_url": None,
         "web_url": "https://gitlab.test/root"}  # fmt: skip
_TIMES = {"created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z"}


def comment_id(body: str) -> str:
    """The id in the mark of a comment."""
    return body.rpartition("<!-- codecortex ")[2].partition(" ")[0]


class FakeGitLab:
    """Merge request `group/demo!5`. Requests and answers follow GitLab's documentation."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []
        self.resolved: dict[str, bool] = {}
        self.changed = 0
        self.refs: dict[str, str] | None = {"base_sha": "b" * 40, "head_sha": "h" * 40, "start_sha": "s" * 40}
        self._contract = contract("gitlab")
        self.files: list[dict[str, Any]] = [
            {"old_path": "y.cs", "new_path": "y.cs", "diff": f"{HUNK}\n"},
            {"old_path": "o.cs", "new_path": "n.cs", "b_mode": "100755", "renamed_file": True},
            {"old_path": "big.cs", "new_path": "big.cs", "too_large": True},
        ]

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.raw_path.decode().partition("?")[0]
        operation = self._contract.operation(request.method, path)
        assert operation.faults_of_request(request) == []
        if request.headers.get("private-token") != "secret-token":
            return httpx2.Response(401, json={"message": "401 Unauthorized"})
        top = "/api/v4/projects/group%2Fdemo/merge_requests/5"
        if not path.startswith(top):
            return httpx2.Response(404, json={"message": "404 Not found"})
        answer = self._answer(request, path.removeprefix(top))
        assert operation.faults_of_answer(answer) == []
        return answer

    def _answer(self, request: httpx2.Request, what: str) -> httpx2.Response:
        if request.method == "PUT":
            note = self.notes[int(what.rpartition("/d")[2]) - 1]
            self.resolved[comment_id(note["body"])] = request.url.params["resolved"] == "true"
            self.changed += 1
            return httpx2.Response(200, json=self._discussion(int(what.rpartition("/d")[2]), note))
        if request.method == "POST":
            self.notes.append(json.loads(request.content))
            note = self._note(len(self.notes), self.notes[-1])
            told = {"id": "d1", "individual_note": False, "notes": [note]} if what == "/discussions" else note
            return httpx2.Response(201, json=told)
        if not what:
            return httpx2.Response(200, json={
                "id": 50, "iid": 5, "project_id": 1, "title": "Mend y", "description": None, "state": "opened",
                "target_branch": "main", "source_branch": "topic", "author": _USER, "sha": "h" * 40, **_TIMES,
                "web_url": "https://gitlab.test/group/demo/-/merge_requests/5", "diff_refs": self.refs,
            })  # fmt: skip
        usual = dict.fromkeys(
            ("new_file", "renamed_file", "deleted_file", "generated_file", "collapsed", "too_large"), False
        ) | {"a_mode": "100644", "b_mode": "100644", "diff": ""}
        made = self._discussion if what == "/discussions" else self._note
        rows = [usual | each for each in self.files] if what == "/diffs" else [
            made(at, each) for at, each in enumerate(self.notes, 1)
        ]  # fmt: skip
        size, page = (
            int(request.url.params.get(name, no)) for name, no in (("per_page", "20"), ("page", "1"))
        )
        return httpx2.Response(200, json=rows[size * (page - 1) : size * page])

    def _discussion(self, id_: int, sent: dict[str, Any]) -> dict[str, Any]:
        resolved = self.resolved.get(comment_id(sent["body"]), False)
        note = {**self._note(id_, sent), "resolvable": "position" in sent, "resolved": resolved}
        return {"id": f"d{id_}", "individual_note": "position" not in sent, "notes": [note]}

    @staticmethod
    def _note(id_: int, sent: dict[str, Any]) -> dict[str, Any]:
        return {"id": id_, "type": "DiffNote" if "position" in sent else None, "attachment": None, "author": _USER,
                "system": False, "noteable_id": 50, "noteable_type": "MergeRequest", **_TIMES, **sent}  # fmt: skip


class FakePhabricator:
    """Revision `D12`, over Conduit: form fields in, `{result, error_code, error_info}` out."""

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
        """Create a comment like its source: drafts are published if they are attached, and an empty message is
        none."""
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
