"""Webhooks over HTTP: no token, but a signature; and the figures that tell of them."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx2
import pytest

from services.server.http.guard import Limits
from tests.services.server.test_webhooks import SECRET, github, of_github
from tests.support.http_server import TOKEN, over_http
from tests.support.serving import served

BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("shop")) as serving,
        over_http(serving, limits=Limits(body=20_000)) as address,
    ):
        patch.setenv("WEBHOOK_SECRET", SECRET)
        serving.bench.ops.pause("review", is_paused=True)
        yield address


@pytest.fixture
def http(base: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=base, timeout=60) as client:
        yield client


def test_a_signed_delivery_needs_no_token_and_is_answered_before_its_work(http: httpx2.Client) -> None:
    body = github(number=1)
    first = http.post("/webhooks/github", content=body, headers=of_github(body))
    again = http.post("/webhooks/github", content=body, headers=of_github(body))
    assert (first.status_code, first.json()["new"]) == (202, True)
    assert (again.status_code, again.json()) == (202, {**first.json(), "new": False})
    op = http.head(f"/ops/{first.json()['opId']}/events", headers=BEARER)
    assert op.status_code == 200


def test_a_delivery_whose_connection_breaks_off_makes_no_job(http: httpx2.Client) -> None:
    body = github(number=9)
    head = "".join(f"{name}: {value}\r\n" for name, value in of_github(body, "broken off").items())
    port = http.base_url.port or 0
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(
            f"POST /webhooks/github HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{head}"
            f"content-length: {len(body)}\r\n\r\n".encode()
            + body[: len(body) // 2]
        )
    whole = http.post("/webhooks/github", content=body, headers=of_github(body, "broken off"))
    assert (whole.status_code, whole.json()["new"]) == (202, True)


def test_other_paths_still_need_a_token_and_forgeries_are_refused(http: httpx2.Client) -> None:
    body = github(number=2)
    assert http.post("/rpc", content=body, headers=of_github(body)).status_code == 401
    assert http.post("/webhooks/github", content=body, headers=BEARER).status_code == 401
    assert http.post("/webhooks/other", content=body, headers=of_github(body)).status_code == 401
    assert http.get("/webhooks/github").status_code == 405
    assert http.post("/webhooks/github", content=b"x" * 30_000, headers=of_github(body)).status_code == 413


def test_figures_are_told_as_prometheus_reads_them(http: httpx2.Client) -> None:
    body = github(number=3)
    http.post("/webhooks/github", content=body, headers=of_github(body))
    assert http.get("/metrics").status_code == 401
    answer = http.get("/metrics", headers=BEARER)
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    assert "# TYPE codecortex_webhook_deliveries_total counter" in lines
    assert any(
        line.startswith('codecortex_webhook_deliveries_total{provider="github",outcome="queued"} ')
        for line in lines
    )
    values = [line for line in lines if not line.startswith("#")]
    assert all(float(line.rpartition(" ")[2]) >= 0 for line in values)
    assert len({line.rpartition(" ")[0] for line in values}) == len(values)


def test_mcp_over_events_has_the_path_of_the_protocol(http: httpx2.Client) -> None:
    with http.stream("GET", "/mcp/stream", headers=BEARER) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert next(stream.iter_lines()) == "event: endpoint"
