"""Requests and answers of GitHub and GitLab as their makers published them."""

from __future__ import annotations

import json

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import RemoteError
from services.model import DiffLine, FileChange, Hunk
from services.model.review import ReviewComment, Severity
from services.review.markdown import body_of, for_github, for_gitlab
from services.review.opened import ShownLines
from services.review.sources.client import ServerClient
from services.review.sources.github import GitHub
from services.review.sources.gitlab import GitLab
from services.review.sources.source import RemoteRef
from tests.support.api_contract import contract
from tests.support.review_servers import FakeGitHub, FakeGitLab

REVIEWS = "/repos/octo/demo/pulls/7/reviews"
THREADS = "/api/v4/projects/1/merge_requests/5/discussions"
REF = RemoteRef(kind="gitlab", number=5, base="b" * 40, start="s" * 40, head="h" * 40)
SHOWN = ShownLines([Hunk(old_start=1, old_count=2, new_start=1, new_count=3, lines=(
    DiffLine(text="a", old=1, new=1), DiffLine(text="b", new=2), DiffLine(text="c", old=2, new=3)))])  # fmt: skip


@st.composite
def comments(draw: st.DrawFn) -> ReviewComment:
    line = draw(st.none() | st.integers(1, 3))
    return ReviewComment(
        id="C_1", file="src/with blank/Ä.cs", line=line, end_line=draw(st.none() | st.integers(1, 3)) if line else None,
        severity=draw(st.sampled_from(Severity)), text=draw(st.text(min_size=1)),
        suggestion=draw(st.none() | st.text(max_size=40)),
    )  # fmt: skip


def faults(server: str, path: str, body: object) -> list[str]:
    request = httpx2.Request("POST", f"https://server.test{path}", content=json.dumps(body).encode())
    return contract(server).operation("POST", path).faults_of_request(request)


@given(comments())
def test_comments_are_what_the_servers_take(comment: ReviewComment) -> None:
    if comment.line is not None:
        told = for_github(comment, body_of(comment, "github"))
        review = {"commit_id": "h" * 40, "event": "COMMENT", "body": "", "comments": [told]}
        assert faults("github", REVIEWS, review) == []
        assert told.get("start_line", 0) < told["line"]
    change = FileChange(path=comment.file, status="modified", old_mode="100644", new_mode="100644")
    told = for_gitlab(comment, body_of(comment, "gitlab"), REF, (change, SHOWN))
    assert faults("gitlab", THREADS, told) == []


def test_what_they_do_not_take_is_found() -> None:
    for wrong in (
        {"path": "x.cs"},
        {"path": "x.cs", "body": "a", "startLine": 1},
        {"path": "x.cs", "body": "a", "line": "1"},
    ):
        assert faults("github", REVIEWS, {"event": "COMMENT", "comments": [wrong]})
    assert faults("github", REVIEWS, {"event": "COMMENTED"})
    assert faults("gitlab", THREADS, {"body": "a", "position": {"position_type": "text", "new_line": 1}})


def test_a_suggestion_for_several_lines_counts_from_the_last_on_gitlab() -> None:
    comment = ReviewComment(id="C_1", file="x.cs", line=1, end_line=3, text="Shorter", suggestion="one line")
    change = FileChange(path="x.cs", status="modified", old_mode="100644", new_mode="100644")
    told = for_gitlab(comment, body_of(comment, "gitlab"), REF, (change, SHOWN))
    assert (told["position"]["new_line"], told["position"]["old_line"]) == (3, 2)
    assert "suggestion:-2+0\n" in told["body"]


def test_the_answers_that_github_documents_are_read() -> None:
    def documented(request: httpx2.Request) -> httpx2.Response:
        operation = contract("github").operation(request.method, request.url.path)
        assert operation.faults_of_request(request) == []
        return httpx2.Response(operation.facts["status"], json=operation.example)

    server = GitHub(ServerClient("https://api.github.test", {}, transport=httpx2.MockTransport(documented)))
    ref, files = server.fetch("octocat/Hello-World", 1347)
    assert (ref.title, ref.author) == ("Amazing new feature", "octocat")
    assert len(ref.head) == len(ref.base) == 40
    # The patch of that example is none: its hunk has no lines.
    assert [(each.change.path, each.change.status, bool(each.change.note)) for each in files] == [
        ("file1.txt", "added", True)
    ]
    assert server.published(ref) == ["Here is the body for the review.", "Great stuff!"]
    assert (
        server.publish(ref, [], "Well done")
        == "https://github.com/octocat/Hello-World/pull/12#pullrequestreview-80"
    )


def test_requests_of_more_files_than_a_page_has_are_read_whole() -> None:
    one, other = FakeGitHub(), FakeGitLab()
    one.files = [{"filename": f"{at}.cs", "status": "modified", "changes": 0} for at in range(250)]
    other.files = [{"old_path": f"{at}.cs", "new_path": f"{at}.cs"} for at in range(250)]
    bearer, private = {"authorization": "Bearer secret-token"}, {"private-token": "secret-token"}
    github = GitHub(ServerClient("https://x.test", bearer, transport=httpx2.MockTransport(one)))
    gitlab = GitLab(ServerClient("https://x.test", private, transport=httpx2.MockTransport(other)))
    for files in (github.fetch("octo/demo", 7)[1], gitlab.fetch("group/demo", 5)[1]):
        assert [each.change.path for each in files] == [f"{at}.cs" for at in range(250)]


def test_a_merge_request_that_is_still_worked_out_is_told() -> None:
    fake = FakeGitLab()
    fake.refs = None
    server = GitLab(
        ServerClient(
            "https://x.test", {"private-token": "secret-token"}, transport=httpx2.MockTransport(fake)
        )
    )
    with pytest.raises(RemoteError, match="try again"):
        server.fetch("group/demo", 5)
