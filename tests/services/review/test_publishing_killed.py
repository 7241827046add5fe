"""Publishing by a real process, killed at every step: what is there in the end is there once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from services.bench.bench import Bench
from services.model.review import CommentState, ReviewComment
from services.settings import ReviewSettings, Settings
from tests.support.review_change import committed
from tests.support.review_servers import FakeGitHub, FakeGitLab, FakePhabricator

_WRITES = ("createinline", "createcomment")


class Deadly:
    """A server that kills whoever writes to it: one process at its first write, before it is taken, the next after it
    was, then at the second write, and so on."""

    def __init__(self, fake: Callable[[httpx2.Request], httpx2.Response]) -> None:
        self.victim: subprocess.Popen[bytes] | None = None
        self.killed = 0
        self.writes = 0
        deadly = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers["content-length"])))

            def _answer(self, body: bytes) -> None:
                request = httpx2.Request(
                    self.command, f"http://fake{self.path}", content=body, headers=dict(self.headers)
                )
                is_write = self.command == "POST" and (
                    not self.path.startswith("/api/differential.") or self.path.endswith(_WRITES)
                )
                is_write = is_write and not self.path.endswith(("search", "getrawdiff"))
                deadly.writes += is_write
                if is_write and deadly.kill("before"):
                    return
                answer = fake(request)
                if is_write and deadly.kill("after"):
                    return
                self.send_response(answer.status_code)
                self.send_header("content-length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def kill(self, way: str) -> bool:
        """Kills the process where that is its turn."""
        turn = (self.killed // 2 + 1, "after" if self.killed % 2 else "before")
        if self.victim is None or (self.writes, way) != turn:
            return False
        self.killed += 1
        os.kill(self.victim.pid, signal.SIGKILL)
        self.victim.wait()
        return True


@contextmanager
def deadly(fake: Callable[[httpx2.Request], httpx2.Response]) -> Iterator[Deadly]:
    made = Deadly(fake)
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()


def published(folder: Path, change: str, kind: str, server: Deadly) -> int:
    """The exit status of the command line, as a person runs it; negative where it was killed."""
    words = [
        "--root",
        str(folder),
        "--set",
        f"review.{kind}={server.address}",
        "publish-review",
        change,
        "--send",
    ]
    variables = {**os.environ, f"{kind.upper()}_TOKEN": "secret-token", "NO_COLOR": "1"}
    server.writes = 0
    server.victim = subprocess.Popen(
        [sys.executable, "-m", "workbench", *words],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    server.victim.communicate()
    return server.victim.returncode


def texts_of(fake: Any) -> list[str]:
    """The texts of the comments that others see."""
    if isinstance(fake, FakeGitHub):
        return [each["body"] for review in fake.reviews for each in review["comments"]]
    if isinstance(fake, FakeGitLab):
        return [each["body"] for each in fake.notes if "position" in each]
    return [text for text in fake.comments if "Why" in text]


@pytest.mark.parametrize(("change", "kind", "make", "file"), [
    ("github:octo/demo#7", "github", FakeGitHub, "x.cs"), ("gitlab:group/demo!5", "gitlab", FakeGitLab, "y.cs"),
    ("D12", "phabricator", FakePhabricator, "z.cs"),
])  # fmt: skip
def test_whatever_step_it_is_killed_at_each_comment_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, kind: str, make: type[Any], file: str
) -> None:
    with committed(tmp_path) as made:
        root = made.root
    fake = make()
    with deadly(fake) as server:
        settings = Settings(review=msgspec.structs.replace(ReviewSettings(), **{kind: server.address}))
        monkeypatch.setenv(f"{kind.upper()}_TOKEN", "secret-token")
        with Bench.open(root, settings=settings) as bench:
            for line, text, code in ((1, "Why a?", "a"), (2, "Why c?", "c")):
                bench.review.add(change, ReviewComment(file=file, line=line, text=text, quoted=code))
        codes = [-signal.SIGKILL]
        while codes[-1] == -signal.SIGKILL:
            codes.append(published(root, change, kind, server))
            assert len(codes) < 30
        assert codes[-1] == 0
        assert server.killed >= 2
        assert sorted("a?" if "Why a?" in text else "c?" for text in texts_of(fake)) == ["a?", "c?"]
        server.victim = None
        with Bench.open(root, settings=settings) as bench:
            states = {each.state for each in bench.review.review(change).review.comments}
        assert states == {CommentState.PUBLISHED}
