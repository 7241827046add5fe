from __future__ import annotations

import gzip
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from services.concurrency.cancellation import job
from services.errors import Cancelled, RemoteError, UsageError, WorkspaceError
from services.review.packing import numbered
from services.review.sources.client import ServerClient
from services.review.sources.opening import ChangeSources
from services.review.sources.source import NewSide
from services.settings import ReviewSettings
from services.source.diffs.changes import ChangeSets
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.review_servers import FakeGitHub, FakeGitLab, FakePhabricator

SETTINGS = ReviewSettings(
    github="https://api.github.test", gitlab="https://gitlab.test", phabricator="https://phab.test"
)
Handler = Callable[[httpx2.Request], httpx2.Response]


def sources(folder: Path, handler: Handler | None = None, *, settings: ReviewSettings = SETTINGS,
            token: str = "secret-token") -> ChangeSources:  # fmt: skip
    root = Root.open(folder)
    transport = httpx2.MockTransport(handler) if handler is not None else None
    state = StateFolder.open(root)
    return ChangeSources(
        root, ChangeSets(root), settings, state=state, transport=transport, key=lambda _: token
    )


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "x.cs").write_text("a\nb\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def test_working_tree_staged_commit_and_range(repository: Path) -> None:
    (repository / "x.cs").write_text("a\nc\n")
    git(repository, "add", ".")
    (repository / "x.cs").write_text("a\nd\n")
    opened = sources(repository)
    shown = {}
    for name in ("", "staged", "HEAD"):
        source = opened.open(name)
        files = source.read().files
        shown[name] = (source.new_side, numbered((each, source.hunks(each)) for each in files).splitlines()[-1],
                       source.new_lines(files[0]))  # fmt: skip
    assert shown["staged"] == (NewSide.OBJECT, "NEW_LINE_2: + c", ["a", "c"])
    assert shown["HEAD"] == (NewSide.OBJECT, "NEW_LINE_2: + b", ["a", "b"])
    assert shown[""][::2] == (NewSide.DISK, ["a", "d"])


def test_a_renamed_file_is_staged_as_one(repository: Path) -> None:
    git(repository, "mv", "x.cs", "y.cs")
    (change,) = sources(repository).open("staged").read().files
    assert (change.status, change.old_path, change.path) == ("renamed", "x.cs", "y.cs")


def test_a_patch_is_read_from_a_file_or_pasted(repository: Path) -> None:
    text = "--- a/x.cs\n+++ b/x.cs\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    (repository / "p.patch").write_text(text)
    opened = sources(repository)
    for name in ("p.patch", "patch:p.patch", text):
        assert [each.path for each in opened.open(name).read().files] == ["x.cs"]
    with pytest.raises(WorkspaceError):
        opened.open("patch:../p.patch")


@pytest.mark.parametrize(("name", "fake", "paths"), [
    ("github:octo/demo#7", FakeGitHub, ["x.cs", "new.cs", "b.cs", "big.cs", "i.png"]),
    ("https://github.test/octo/demo/pull/7/files", FakeGitHub, ["x.cs", "new.cs", "b.cs", "big.cs", "i.png"]),
    ("gitlab:group/demo!5", FakeGitLab, ["y.cs", "n.cs", "big.cs"]),
    ("https://gitlab.test/group/demo/-/merge_requests/5", FakeGitLab, ["y.cs", "n.cs", "big.cs"]),
    ("D12", FakePhabricator, ["z.cs"]),
    ("https://phab.test/D12", FakePhabricator, ["z.cs"]),
])  # fmt: skip
def test_requests_and_revisions_are_fetched(
    tmp_path: Path, name: str, fake: type[Handler], paths: list[str]
) -> None:
    source = sources(tmp_path, fake()).open(name)
    found = source.read()
    assert [each.path for each in found.files] == paths
    assert source.hunks(found.files[0])[0].lines[-1].new == 2
    assert source.remote is not None
    assert source.remote.base == "b" * 40
    assert {each.path for each in found.files if "large" in each.note} == set(paths) & {"big.cs"}


def test_a_renamed_file_of_a_request_keeps_both_names(tmp_path: Path) -> None:
    files = sources(tmp_path, FakeGitLab()).open("gitlab:group/demo!5").read().files
    assert (files[1].old_path, files[1].status, files[1].mode_changed) == ("o.cs", "renamed", True)


@pytest.mark.parametrize("name", ["github:octo/demo#8", "gitlab:group/demo!6", "D13"])
def test_what_is_gone_is_told(tmp_path: Path, name: str) -> None:
    fakes: dict[str, Handler] = {"g": FakeGitHub(), "i": FakeGitLab(), "D": FakePhabricator()}
    with pytest.raises(RemoteError) as refused:
        sources(tmp_path, fakes["i" if name.startswith("gitlab") else name[0]]).open(name)
    assert refused.value.details["reason"] == "gone"


@pytest.mark.parametrize(("name", "fake"), [
    ("github:octo/demo#7", FakeGitHub), ("gitlab:group/demo!5", FakeGitLab), ("D12", FakePhabricator),
])  # fmt: skip
def test_an_expired_token_is_told_and_never_shown(tmp_path: Path, name: str, fake: type[Handler]) -> None:
    with pytest.raises(RemoteError) as refused:
        sources(tmp_path, fake(), token="old-token").open(name)
    assert refused.value.details["reason"] == "token"
    assert "old-token" not in refused.value.message


def test_no_server_is_asked_that_the_settings_do_not_name(tmp_path: Path) -> None:
    def never(request: httpx2.Request) -> httpx2.Response:
        raise AssertionError(request.url)

    for name in ("https://evil.test/octo/demo/pull/7", "https://evil.test/D12"):
        with pytest.raises(RemoteError, match="not the"):
            sources(tmp_path, never).open(name)
    with pytest.raises(RemoteError, match="No github is set"):
        sources(tmp_path, never, settings=ReviewSettings()).open("github:octo/demo#7")
    with pytest.raises(UsageError):
        sources(tmp_path, never).open("https://gitlab.test/group/demo/-/issues/5")


def client(handler: Handler, waits: list[float]) -> ServerClient:
    return ServerClient(
        "https://x.test", {}, secret="hush-hush", transport=httpx2.MockTransport(handler), wait=waits.append
    )


def test_a_server_that_is_busy_is_asked_again() -> None:
    waits: list[float] = []
    answers = [
        httpx2.Response(503),
        httpx2.Response(429, headers={"retry-after": "3"}),
        httpx2.Response(200, text="{}"),
    ]
    assert client(lambda _: answers.pop(0), waits).get("a").status == 200
    assert waits == [1.0, 3.0]


@pytest.mark.parametrize(("answer", "reason"), [
    (httpx2.Response(429, headers={"retry-after": "900"}), "limit"),
    (httpx2.Response(403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4102444800"}), "limit"),
    (httpx2.Response(403), "token"),
    (httpx2.Response(302, headers={"location": "https://evil.test"}), "offline"),
    (httpx2.Response(500, text="hush-hush is wrong"), "server"),
])  # fmt: skip
def test_refusals_are_told_apart(answer: httpx2.Response, reason: str) -> None:
    waits: list[float] = []
    with pytest.raises(RemoteError) as refused:
        client(lambda _: answer, waits).get("a")
    assert refused.value.details["reason"] == reason
    assert "hush-hush" not in refused.value.message
    assert waits == []


def test_a_server_that_answers_no_json_or_breaks_off_is_told() -> None:
    def lying(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")

    with pytest.raises(RemoteError, match="broke off"):
        client(lying, []).get("a")
    with pytest.raises(RemoteError, match="no JSON"):
        client(lambda _: httpx2.Response(200, text="<html>"), []).get("a").json("x.test")
    with pytest.raises(RemoteError, match="https"):
        ServerClient("http://x.test", {})


@pytest.mark.parametrize(("length", "body", "said"), [
    (900, b'{"title": "a"}', "broke off"), (5, b'{"title": "a"}', "no JSON"), (0, b'{"title": "a"}', "no JSON"),
])  # fmt: skip
def test_a_server_that_lies_about_lengths_is_told(length: int, body: bytes, said: str) -> None:
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        talking, _ = listening.accept()
        with talking:
            talking.recv(65536)
            talking.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % length + body)

    serving = threading.Thread(target=answer)
    serving.start()
    try:
        lied_to = ServerClient(f"http://127.0.0.1:{listening.getsockname()[1]}", {}, wait=lambda _: None)
        with pytest.raises(RemoteError, match=said):
            lied_to.get("a").json("127.0.0.1")
    finally:
        serving.join(60)
        listening.close()


def test_what_a_server_packs_too_tightly_is_not_unpacked_whole() -> None:
    packed = gzip.compress(bytes(80_000_000))
    answer = httpx2.Response(200, content=packed, headers={"content-encoding": "gzip"})
    with pytest.raises(RemoteError, match="more than"):
        client(lambda _: answer, []).get("a")


class Dripping:
    """A server that sends `first`, and then a byte now and then until its client goes."""

    def __init__(self, first: bytes) -> None:
        self.asked, self.gone = threading.Event(), threading.Event()
        self._first = first
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._drip, daemon=True)
        self._thread.start()

    def _drip(self) -> None:
        talking, _ = self._listening.accept()
        with talking, self._listening, suppress(OSError):
            talking.recv(65536)
            talking.sendall(self._first)
            self.asked.set()
            while not self.gone.wait(0.01):
                talking.sendall(b"1")
        self.gone.set()


DRIPS = [
    b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nx-header: ",
    b"HTTP/1.1 503 Busy\r\ncontent-length: 1000000\r\n\r\n",
]


@pytest.mark.parametrize("first", DRIPS)
def test_a_server_that_sends_a_byte_now_and_then_is_left(first: bytes) -> None:
    server = Dripping(first)
    with pytest.raises(RemoteError, match="had not answered in full"):
        ServerClient(server.address, {}, whole=0.3).get("a")
    assert server.gone.wait(60)


@pytest.mark.parametrize("first", DRIPS[:2])
def test_an_exchange_is_cancelled_with_its_job(first: bytes) -> None:
    server, cancel = Dripping(first), threading.Event()

    def give_up() -> None:
        server.asked.wait()
        cancel.set()

    threading.Thread(target=give_up, daemon=True).start()
    with job(None, cancel), pytest.raises(Cancelled):
        ServerClient(server.address, {}).get("a")
    assert server.gone.wait(60)
