"""A forge on loopback: requests of GitHub or GitLab held to their contracts, git over HTTP, and a place for notices."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2

from tests.support.api_contract import contract

TOKEN = "secret-token"
NOTIFY_SECRET = "notify-secret"
_STATE = {"github": "open", "gitlab": "opened"}
_USER = {"github": "x-access-token", "gitlab": "oauth2"}


class Forge:
    """One project, `octo/demo`. `requests`: merge requests that were made; `notices`: key and text of each that came;
    `before`: called with each write before it is taken, True to break off the answer, `after`: after it was."""

    def __init__(self, kind: str, repositories: Path) -> None:
        self.kind = kind
        self.requests: list[dict[str, Any]] = []
        self.notices: list[tuple[str, Any]] = []
        self.faults: list[str] = []
        self.before: Callable[[str], bool] = lambda _: False
        self.after: Callable[[str], bool] = lambda _: False
        self.status = 0
        self._repositories = repositories
        self._contract = contract(kind)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def repository(self) -> Path:
        return self._repositories / "octo" / "demo.git"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def branches(self) -> dict[str, str]:
        """The commit at each branch."""
        words = ["git", "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"]
        told = subprocess.run(words, cwd=self.repository, check=True, capture_output=True, text=True).stdout
        return dict(line.split(" ") for line in told.splitlines())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        forge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                forge._answer(self, b"")

            def do_POST(self) -> None:
                forge._answer(self, self._body())

            def _body(self) -> bytes:
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length", 0)))
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        return Handler

    def _answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = urlsplit(handler.path).path
        name = "push" if path.endswith("git-receive-pack") and handler.command == "POST" else (
            "notice" if path == "/notify" else "request" if handler.command == "POST" else ""
        )  # fmt: skip
        name = "" if path.endswith("git-upload-pack") else name
        if name and self.before(name):
            handler.close_connection = True
            return
        if ".git/" in path:
            status, headers, content = self._git(handler, body)
        elif path == "/notify":
            status, headers, content = self._notified(handler, body)
        else:
            status, headers, content = self._api(handler, body)
        if name and self.after(name):
            handler.close_connection = True
            return
        handler.send_response(status)
        for key, value in {**headers, "content-length": str(len(content))}.items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(content)

    def _api(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if self.status:
            return self.status, {}, b"{}"
        headers = dict(handler.headers.items())
        request = httpx2.Request(
            handler.command, f"{self.address}{handler.path}", content=body, headers=headers
        )
        try:
            operation = self._contract.operation(
                request.method, request.url.raw_path.decode().partition("?")[0]
            )
            self.faults += operation.faults_of_request(request)
        except LookupError as error:
            self.faults.append(str(error))
            return 404, {}, b"{}"
        shown = handler.headers.get("authorization"), handler.headers.get("private-token")
        if shown != (("Bearer secret-token", None) if self.kind == "github" else (None, TOKEN)):
            return 401, {}, b"{}"
        if request.method == "POST":
            self.requests.append({**json.loads(body), "state": _STATE[self.kind]})
            return 201, {}, json.dumps(self._row(len(self.requests), self.requests[-1])).encode()
        rows = [self._row(at, each) for at, each in enumerate(self.requests, 1)]
        state = dict(parse_qsl(urlsplit(handler.path).query)).get("state", "all")
        rows = [each for each in rows if state in ("all", each["state"])]
        return 200, {}, json.dumps(rows).encode()

    def _row(self, number: int, sent: dict[str, Any]) -> dict[str, Any]:
        url = f"{self.address}/octo/demo/requests/{number}"
        return {**sent, "number": number, "iid": number, "html_url": url, "web_url": url}

    def _notified(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, str], bytes]:
        signed = hmac.new(NOTIFY_SECRET.encode(), body, hashlib.sha256).hexdigest()
        if handler.headers.get("x-codecortex-signature-256") != f"sha256={signed}":
            self.faults.append("a notice is not signed")
        self.notices.append((handler.headers.get("idempotency-key", ""), json.loads(body)))
        return 204, {}, b""

    def _git(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(handler.path)
        wanted = base64.b64encode(f"{_USER[self.kind]}:{TOKEN}".encode()).decode()
        if handler.headers.get("authorization") != f"Basic {wanted}":
            return 403, {}, b""
        variables = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self._repositories), "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "bot", "REQUEST_METHOD": handler.command, "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query, "CONTENT_TYPE": handler.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)), "HTTP_CONTENT_ENCODING": handler.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": handler.headers.get("git-protocol", ""), "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
        }  # fmt: skip
        done = subprocess.run(
            ["git", "http-backend"], env=variables, input=body, capture_output=True, check=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        return int(headers.pop("Status", "200").split()[0]), headers, content


@contextmanager
def forge_of(kind: str, workspace: Path, folder: Path) -> Iterator[Forge]:
    """A forge whose project is a copy of a repository, in a folder of its own."""
    (folder / "octo").mkdir(parents=True)
    where = folder / "octo" / "demo.git"
    subprocess.run(
        ["git", "clone", "-q", "--bare", str(workspace), str(where)], check=True, capture_output=True
    )
    subprocess.run(["git", "config", "http.receivepack", "true"], cwd=where, check=True)
    forge = Forge(kind, folder)
    try:
        yield forge
    finally:
        forge.close()
