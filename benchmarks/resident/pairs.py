"""Whether a resident process answers with the bytes of a command that does its work itself, commit after commit.

    python -m benchmarks.resident.pairs FOLDER [-n 200] [--near 0] [--seed 1] [--show 5]

A copy of FOLDER goes from one of its commits to another, by chance, under a resident process; with `--near`, to one
that is no more commits before or after. After each step twelve
commands are asked, and run by a process of their own with a state of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from services.resident import client
from services.resident.address import Address, find_address
from services.resident.client import ask, connect

_DECLARED = re.compile(rb"\b(?:class|interface|struct|enum|record)\s+([A-Z]\w+)")
_IN_PROCESS = """
import io, json, os, sys
from workbench.shell.cli import run
import services.bench, services.index.search.engine, services.index.search.columns, workbench.shell.command
for line in sys.stdin:
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        print("end", flush=True)
        continue
    for arguments in json.loads(line):
        kept = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        try:
            status = run(arguments)
            both = [each.buffer.getvalue().decode("utf-8", "surrogateescape") for each in (sys.stdout, sys.stderr)]
        finally:
            sys.stdout, sys.stderr = kept
        print(json.dumps([status, *both]), flush=True)
    os._exit(0)
"""
"""Answers each line of command lines in a process of its own, which has the modules already."""
_VOLATILE = re.compile(
    r"^(?:memory|up|[\w.]+) +(?:\d+ MB|\d+ s|count .*|\d+)\n|^\w+: Symbols resolve slowly.*\n"
    r'|"elapsedMs": [\d.]+|(?<="score": )[\d.]+|(?<=:)[0-9A-Z]{6}(?=\]\])',
    re.MULTILINE,
)
"""Lines that tell of the process that answers, how long it is up and what it measured; scores, in which what was used
lately counts less from moment to moment; names of secrets, which are made with a key of each state."""
_READ = ("*.cs", "*.csproj", "*.props", "*.targets", "*.sln", ".gitignore", ".editorconfig")
"""Files that are checked out: of other large ones a clone may lack the content."""
Answer = tuple[int, str, str]


def commands(names: Sequence[str], files: Sequence[str]) -> list[list[str]]:
    """Twelve commands about two types and a file."""
    one, other = names[0], names[-1]
    return [
        ["search", one.lower()[:6]],
        ["search", other, "--json"],
        ["resolve", one, "--json"],
        ["outline", one],
        ["outline", other, "--json"],
        ["usages", one],
        ["hierarchy", other],
        ["grep", one, "--jsonl"],
        ["read", files[0]],
        ["structure", files[0]],
        ["files", Path(files[-1]).stem[:5]],
        ["pin", other],
        ["window"],
        ["dismiss", other],
        ["status"],
    ]


class Pairs:
    """Copy with its resident process."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._home = home
        self.differences: list[str] = []
        self.asked = self.declined = 0
        self._alone = subprocess.Popen(
            [sys.executable, "-c", _IN_PROCESS],
            env=self.environment("alone"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def environment(self, whose: str) -> dict[str, str]:
        """Return the environment of the resident's side (`asked`) or the other's (`alone`)."""
        own = {
            f"XDG_{kind}_HOME": str(self._home / whose / kind.lower())
            for kind in ("STATE", "CONFIG", "CACHE")
        }
        runtime = self._home / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        switch = {"CODECORTEX_RESIDENT": "off"} if whose == "alone" else {}
        kept = {name: text for name, text in os.environ.items() if name != "CODECORTEX_RESIDENT"}
        return {**kept, **own, "XDG_RUNTIME_DIR": str(runtime), **switch}

    @contextmanager
    def resident(self) -> Iterator[Address]:
        """A resident process, once it answers."""
        environment = self.environment("asked")
        address = find_address(str(self.folder), environment)
        assert address is not None
        command = [sys.executable, "-m", "workbench", "resident", "run", "--root", str(self.folder)]
        process = subprocess.Popen(command, env=environment)
        try:
            while (reached := connect(address)) is None:
                assert process.poll() is None, "the resident process has ended"
                time.sleep(0.05)
            reached[0].close()
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()

    def compare(self, address: Address, asked: list[list[str]], label: str) -> None:
        """Run the commands both ways, and note different answers."""
        own = [self._ask(address, arguments) for arguments in asked]
        for arguments, one, line in zip(asked, own, self._answers_alone(asked), strict=True):
            status, out, error = json.loads(line)
            other = (status, _VOLATILE.sub("", out), _VOLATILE.sub("", error))
            if one is not None and one != other:
                self.differences.append(f"{label}: {' '.join(arguments)}\n{_first_difference(one, other)}")

    def _do_itself(self, arguments: list[str]) -> None:
        """Run what was left to the command: it uses the same state, and what was used lately ranks higher."""
        command = [sys.executable, "-m", "workbench", *arguments, "--root", str(self.folder)]
        environment = {**self.environment("asked"), "CODECORTEX_RESIDENT": "off"}
        subprocess.run(command, env=environment, capture_output=True, check=False)

    def _answers_alone(self, asked: list[list[str]]) -> Iterator[str]:
        """Yield what commands print in a process of their own."""
        assert self._alone.stdin is not None
        assert self._alone.stdout is not None
        lines = [[*arguments, "--root", str(self.folder)] for arguments in asked]
        self._alone.stdin.write(json.dumps(lines) + "\n")
        self._alone.stdin.flush()
        yield from iter(self._alone.stdout.readline, "end\n")

    def close(self) -> None:
        """End the process that answers without a resident one."""
        self._alone.kill()
        self._alone.wait()

    def _ask(self, address: Address, arguments: list[str]) -> Answer | None:
        reply = ask(address, (str(self.folder), "1", "000", *arguments))
        self.asked += 1
        if reply is None:
            self.declined += 1
            self._do_itself(arguments)
            return None
        both = [
            b"".join(content for at, content in reply.pieces if at == stream).decode(
                "utf-8", "surrogateescape"
            )
            for stream in (1, 2)
        ]
        return reply.status, _VOLATILE.sub("", both[0]), _VOLATILE.sub("", both[1])


def _first_difference(one: Answer, other: Answer) -> str:
    if one[0] != other[0]:
        return f"  status {one[0]}, alone {other[0]}: {other[2][:200]}"
    for first, second in zip(one[1:], other[1:], strict=True):
        lines = first.splitlines(), second.splitlines()
        for at in range(max(map(len, lines))):
            pair = [each[at] if at < len(each) else "(nothing)" for each in lines]
            if pair[0] != pair[1]:
                return f"  line {at + 1}: {pair[0]!r}, alone {pair[1]!r}"
    return "  only line ends differ"


def _git(folder: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True).stdout


def _checked_out(folder: Path, commits: list[str], random_: random.Random, places: range) -> str:
    """The commit that was checked out: one of those that are there whole. `places`: theirs."""
    while True:
        commit = random_.choice(commits[places.start : places.stop])
        with suppress(subprocess.CalledProcessError):
            _git(folder, "checkout", "-q", "-f", commit)
            return commit
        commits.remove(commit)


def named(folder: Path, random_: random.Random) -> tuple[list[str], list[str]]:
    """Two types and two files, by chance."""
    files = sorted(map(os.fsdecode, _git(folder, "ls-files", "-z", "*.cs").split(b"\0")[:-1]))
    chosen = random_.sample(files, min(20, len(files)))
    names = [name.decode() for each in chosen for name in _DECLARED.findall((folder / each).read_bytes())]
    return (random_.sample(names, 2) if len(names) > 1 else ["Program", "Program"]), chosen[:2]


def main() -> int:
    """Compare, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.resident.pairs")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-n", dest="count", type=int, default=200)
    parser.add_argument("--near", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5)
    chosen = parser.parse_args()
    random_ = random.Random(chosen.seed)
    client.HEARD_WITHIN = (
        client.PATIENT
    )  # what is left to the command is not compared, however busy the machine is
    home = Path(tempfile.mkdtemp(prefix="pairs-"))
    try:
        copy = home / chosen.folder.resolve().name
        origin = str(chosen.folder.resolve())
        _git(home, "clone", "-q", "--shared", "--no-checkout", origin, str(copy))
        _git(copy, "sparse-checkout", "set", "--no-cone", *_READ)
        commits = _git(copy, "rev-list", "--first-parent", "HEAD").decode().split()
        pairs = Pairs(copy, home)
        place = random_.randrange(len(commits))
        with pairs.resident() as address:
            for at in range(chosen.count):
                near = (
                    range(max(0, place - chosen.near), place + chosen.near + 1)
                    if chosen.near
                    else range(len(commits))
                )
                commit = _checked_out(copy, commits, random_, near)
                place = commits.index(commit)
                known = len(pairs.differences)
                pairs.compare(address, commands(*named(copy, random_)), f"{at} {commit[:9]}")
                print(f"{at + 1}: {pairs.asked} asked, {pairs.declined} declined", flush=True)
                print("".join(f"{each}\n" for each in pairs.differences[known:]), end="", flush=True)
        print(
            f"{copy.name}: {chosen.count} steps, {pairs.asked} questions, {pairs.declined} declined, "
            f"{len(pairs.differences)} differ"
        )
        print("\n".join(pairs.differences[: chosen.show]))
        pairs.close()
        return 1 if pairs.differences else 0
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
