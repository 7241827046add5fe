"""Conduit as Phabricator's own client speaks it, and as ours does, to the same server."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import httpx2
import pytest

from services.review.sources.client import ServerClient
from services.review.sources.phabricator import Phabricator
from tests.support.review_servers import FakePhabricator


class Served:
    """The fake behind a port. `forms`: what was posted, by method."""

    def __init__(self) -> None:
        fake, forms = FakePhabricator(), list[tuple[str, dict[str, Any]]]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                forms.append((self.path, {name: value[0] for name, value in parse_qs(body.decode()).items()}))
                answer = fake(httpx2.Request("POST", f"http://fake{self.path}", content=body))
                self.send_response(answer.status_code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
                pass

        self.fake, self.forms = fake, forms
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.server.shutdown()
    made.server.server_close()


def decoded(form: dict[str, Any]) -> dict[str, Any]:
    return form | {"params": json.loads(form["params"])}


def test_our_client_reads_and_publishes(served: Served) -> None:
    client = Phabricator(ServerClient(served.address, {}), "secret-token")
    ref, files = client.fetch("", 12)
    assert ([each.change.path for each in files], ref.diff) == (["z.cs"], "34")
    client.inline(ref, {"filePath": "z.cs", "isNewFile": True, "lineNumber": 2, "content": "Why?"})
    client.submit(ref, "On the whole")
    assert client.published(ref) == ["Why?", "On the whole"]


@pytest.mark.skipif(shutil.which("arcanist") is None, reason="Debian's arcanist is not installed")
def test_arcanist_and_our_client_speak_alike(served: Served) -> None:
    def arc(method: str, params: dict[str, Any]) -> dict[str, Any]:
        words = ["--conduit-uri", served.address, "--conduit-token", "secret-token", "--", method]
        done = subprocess.run(
            ["arcanist", "call-conduit", *words], input=json.dumps(params), capture_output=True, text=True,
            timeout=120, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)

    client = Phabricator(ServerClient(served.address, {}), "secret-token")
    ref, _ = client.fetch("", 12)
    ours = dict(served.forms)
    served.forms.clear()
    assert (
        arc("differential.revision.search", {"constraints": {"ids": [12]}})["response"]["data"][0]["id"] == 12
    )
    assert arc("differential.getrawdiff", {"diffID": ref.diff})["response"].startswith("diff --git")
    assert {path: decoded(form) for path, form in served.forms} == {
        path: decoded(ours[path]) for path, _ in served.forms
    }
    drafted = {
        "revisionID": 12,
        "diffID": "34",
        "filePath": "z.cs",
        "isNewFile": True,
        "lineNumber": 2,
        "content": "a",
    }
    assert arc("differential.createinline", drafted)["error"] is None
    client.submit(ref, "")
    assert client.published(ref) == ["a"]
    assert arc("differential.nothing", {})["error"] == "ERR-CONDUIT-CALL"
