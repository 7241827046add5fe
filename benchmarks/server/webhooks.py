"""Deliveries of webhooks in random order, a third sent again and a tenth forged, to a server that is killed meanwhile.

`python -m benchmarks.server.webhooks [--deliveries 10000] [--kills 5]` prints how long answers took, against the health
check of the same server asked in between, the processor time of the server for each, and how many jobs there are
afterwards. What a server takes to start does not count.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2

from services.ops.rows import job_file
from services.ops.sql_jobs import SqlJobs

_SECRET = "a secret of the benchmark"


def _body(number: int) -> bytes:
    about = {"action": "synchronize", "number": number, "pull_request": {"title": f"Change {number}" * 20}}
    return json.dumps({**about, "repository": {"full_name": "owner/name"}}).encode()


def _headers(number: int, body: bytes, *, forged: bool) -> dict[str, str]:
    secret = b"another" if forged else _SECRET.encode()
    return {
        "x-hub-signature-256": "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest(),
        "x-github-event": "pull_request",
        "x-github-delivery": str(number),
    }


def _plan(count: int, chance: random.Random) -> list[tuple[int, bool]]:
    """(number of the change, whether it is forged) of each delivery, in the order in which they are sent."""
    forged = count // 10
    repeated = count // 3
    valid = list(range(count - forged - repeated))
    sent = [(number, False) for number in valid]
    sent += [(number, False) for number in chance.choices(valid, k=repeated)]
    sent += [(count + number, True) for number in range(forged)]
    chance.shuffle(sent)
    return sent


def _serve(root: Path, port: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "workbench", "--root", str(root), "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    while True:
        try:
            httpx2.get(f"http://127.0.0.1:{port}/health", timeout=5)
            return server
        except httpx2.HTTPError:
            time.sleep(0.1)


def _processor_time(process: subprocess.Popen[bytes]) -> float:
    """Seconds that a running process has used, from fields 14 and 15 of `/proc/PID/stat`."""
    fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main() -> None:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--deliveries", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--port", type=int, default=8797)
    asked = parser.parse_args()
    chance = random.Random(51)
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder, "workspace"), Path(folder, "state")
        root.mkdir()
        (root / "A.cs").write_text("class A { }\n", "utf-8")
        environment = {**os.environ, "XDG_STATE_HOME": str(state), "WEBHOOK_SECRET": _SECRET}
        pause = [sys.executable, "-m", "workbench", "--root", str(root), "pause-ops", "review"]
        subprocess.run(pause, env=environment, check=True, stdout=subprocess.DEVNULL)
        _measure(
            _plan(asked.deliveries, chance),
            asked.kills,
            lambda: _serve(root, asked.port, environment),
            asked.port,
        )
        (database,) = state.rglob("ops.db")
        jobs = SqlJobs(job_file(database))
        titles = [op.title for op in jobs.listed(kinds=["review"], most=1_000_000)]
        jobs.close()
    expected = asked.deliveries - asked.deliveries // 10 - asked.deliveries // 3
    print(f"jobs {len(titles)}, different {len(set(titles))}, expected {expected}")


def _measure(sent: list[tuple[int, bool]], kills: int, serve, port: int) -> None:
    address = f"http://127.0.0.1:{port}"
    server, answers, reference, statuses = serve(), list[float](), list[float](), dict[int, int]()
    client, used, started = httpx2.Client(timeout=30), 0.0, _processor_time(server)
    every = len(sent) // (kills + 1)
    for at, (number, forged) in enumerate(sent):
        if at and at % every == 0 and at // every <= kills:
            used += _processor_time(server) - started
            server.send_signal(signal.SIGKILL)
            server.wait()
            client.close()
            server, client = serve(), httpx2.Client(timeout=30)
            started = _processor_time(server)
        body = _body(number)
        began = time.perf_counter()
        answer = client.post(
            f"{address}/webhooks/github", content=body, headers=_headers(number, body, forged=forged)
        )
        answers.append((time.perf_counter() - began) * 1_000)
        statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
        if at % 10 == 0:
            began = time.perf_counter()
            client.get(f"{address}/health")
            reference.append((time.perf_counter() - began) * 1_000)
    used += _processor_time(server) - started
    server.terminate()
    server.wait()
    for name, values in (("answer", answers), ("health", reference)):
        print(f"{name}: median {_percentile(values, 0.5):.1f} ms, p95 {_percentile(values, 0.95):.1f} ms")
    print(f"processor time of the server: {used / len(sent) * 1_000:.1f} ms for each delivery")
    print(f"statuses {statuses}, killed {kills} times")


if __name__ == "__main__":
    main()
