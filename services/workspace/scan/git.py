"""The only caller of git: reads, and what a person stages, with nothing from the repository or the caller's shell
deciding what runs.

A repository's configuration can name programs (file system monitors, hooks, pagers, diff drivers, credential
helpers); the options below switch them off. Variables that point git elsewhere (GIT_DIR, GIT_INDEX_FILE …)
are not passed on.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from services.concurrency.cancellation import checkpoint

if TYPE_CHECKING:
    import subprocess

TIMEOUT = 30.0
"""Seconds after which a call is killed."""

_POLL = 0.05
_UNREADABLE = re.compile(rb"^warning: could not open directory '(.+)/': ", re.MULTILINE)
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
_HARDENED = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.pager=cat",
    "core.quotepath=off",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
)


class Answer(NamedTuple):
    """Output of a successful call: `out` for programs, `complaints` (English) for people."""

    out: bytes
    complaints: bytes


class Listing(NamedTuple):
    """Paths relative to a folder, in no order. `nested`: folders that are repositories of their own."""

    files: list[bytes]
    nested: list[bytes]
    unreadable: list[bytes]


def run(
    folder: Path,
    arguments: Sequence[str],
    *,
    fed: bytes | None = None,
    timeout: float = TIMEOUT,
    cancel: threading.Event | None = None,
) -> Answer | None:
    """What `git <arguments>` prints in `folder`; None where git is absent, refuses, fails or takes too long.

    `fed`: what it reads from its standard input.

    Arguments are the program's own: a name from outside comes after `--end-of-options` or `--`, a path as
    `:(literal)path`. Raises Cancelled.
    """
    command = _command(arguments)
    if command is None:
        return None
    import subprocess

    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL if fed is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError:
        return None
    with process:
        if fed is not None:
            _feed(process, fed)
        try:
            printed = _printed(process, time.monotonic() + timeout, cancel)
        finally:
            if process.poll() is None:
                process.kill()
        return printed if process.returncode == 0 else None


def branch(folder: Path) -> str | None:
    """The branch checked out there; the short commit id where HEAD is detached; None where there is no
    repository.
    """
    name = _line(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    return name or _line(folder, "rev-parse", "--quiet", "--verify", "--short", "HEAD")


def revision(folder: Path) -> str:
    """Branch, commit and whether tracked files differ from it, for people and models; empty outside a repository."""
    commit = _line(folder, "rev-parse", "--short", "HEAD")
    if not commit:
        return ""
    changed = run(folder, ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules"])
    on = _line(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    state = "" if changed is None else ", with uncommitted changes" if changed.out.strip() else ", clean"
    return (f"branch {on}, " if on else "") + f"commit {commit}{state}"


def head_token(folder: Path) -> str | None:
    """A text that changes when HEAD moves to another branch or commit; None where there is no repository."""
    name = _line(folder, "symbolic-ref", "--quiet", "HEAD")
    commit = _line(folder, "rev-parse", "--quiet", "--verify", "HEAD")
    return f"{name or 'detached'}@{commit or 'unborn'}" if name or commit else None


def tracked(folder: Path, cancel: threading.Event | None = None) -> Listing | None:
    """What the index has below `folder`; `nested` are its submodules. None where git cannot say. Raises
    Cancelled.
    """
    answer = run(folder, ("ls-files", "-z", "--cached", "--stage"), cancel=cancel)
    if answer is None:
        return None
    entries = answer.out.split(b"\0")[:-1]
    # Before the path stands as much in every entry: mode, object id and stage.
    path = slice(entries[0].index(b"\t") + 1 if entries else 0, None)
    nested = [entry[path] for entry in entries if entry.startswith(b"160000 ")]
    return Listing([entry[path] for entry in entries if not entry.startswith(b"160000 ")], nested, [])


def untracked(folder: Path, cancel: threading.Event | None = None) -> Listing | None:
    """What below `folder` is neither in the index nor ignored. None where git cannot say. Raises
    Cancelled.
    """
    answer = run(folder, ("ls-files", "-z", "--others", "--exclude-standard"), cancel=cancel)
    if answer is None:
        return None
    listing = Listing([], [], _UNREADABLE.findall(answer.complaints))
    for path in _entries(answer.out):
        (listing.nested if path.endswith(b"/") else listing.files).append(path.rstrip(b"/"))
    return listing


def ignored(folder: Path) -> bool:
    """Whether `folder` itself lies in a part of the work tree that its repository ignores."""
    return (
        bool(_line(folder, "rev-parse", "--show-prefix"))
        and run(folder, ("check-ignore", "-q", ".")) is not None
    )


def _command(arguments: Sequence[str]) -> list[str] | None:
    """The whole command; None without git. A `git` that PATH finds relative to the current folder is not
    used.
    """
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():
        return None
    options = [part for setting in _HARDENED for part in ("-c", setting)]
    return [program, "--no-pager", *options, *arguments]


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _ENVIRONMENT


def _feed(process: subprocess.Popen[bytes], fed: bytes) -> None:
    """Writes beside the reading: a `communicate` that timed out once sends no input any more."""
    stdin, process.stdin = process.stdin, None

    def write() -> None:
        assert stdin is not None
        with suppress(OSError), stdin:
            stdin.write(fed)

    threading.Thread(target=write, daemon=True).start()


def _printed(
    process: subprocess.Popen[bytes], deadline: float, cancel: threading.Event | None
) -> Answer | None:
    """All output, or None past the deadline. Raises Cancelled as soon as the event is seen."""
    from subprocess import TimeoutExpired

    while True:
        try:
            return Answer(*process.communicate(timeout=_POLL))
        except TimeoutExpired:
            checkpoint(cancel, "Reading the list of files was cancelled.")
            if time.monotonic() > deadline:
                return None


def _entries(printed: bytes) -> Iterator[bytes]:
    """The entries of `-z` output."""
    return (entry for entry in printed.split(b"\0") if entry)


def _line(folder: Path, *arguments: str) -> str | None:
    """The one line printed; None if there is none."""
    answer = run(folder, arguments)
    return os.fsdecode(answer.out).removesuffix("\n") or None if answer else None
