"""Calls of git, the only ones in the program: reads, pushes of a branch, and on a person's command staging, commits and
stashes, such that neither the repository nor the caller's shell decides which programs run.

A repository's configuration can name programs: file system monitors, hooks, pagers, filters, diff and signature
programs, credential helpers, transports. Every call overrides them by variables of git's own (`GIT_CONFIG_COUNT`),
which win over every file, included ones too, and which git hands on to the calls it makes itself. Filters and hooks
have names that anybody may choose, so those that are configured are asked for, and switched off by name, before a
command that could run them. A person's own configuration is read (it says which folders are safe) and overridden alike.

Variables that point git elsewhere (GIT_DIR, GIT_INDEX_FILE …) are not passed on.
"""

from __future__ import annotations

import itertools
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from services.concurrency.background import start_thread
from services.concurrency.cancellation import checkpoint
from services.workspace import programs

if TYPE_CHECKING:
    import subprocess

TIMEOUT = 30.0
"""Seconds after which a call is killed."""

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "blame": ("--no-textconv", "--no-ignore-revs-file"),
    "diff": ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    "diff-index": ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"),
    "diff-tree": ("--no-ext-diff", "--no-textconv"),
    "grep": ("--no-textconv", "--no-recurse-submodules"),
    "log": ("--no-show-signature", "--no-ext-diff", "--no-textconv"),
    "show": ("--no-show-signature", "--no-ext-diff", "--no-textconv"),
    "status": ("--ignore-submodules=all",),
}
"""Options that a command gets on every call. What is inside a submodule is not looked at: git would call itself there,
under a configuration of the submodule's own."""

_POLL = 0.05
_UNREADABLE = re.compile(rb"^warning: could not open directory '(.+)/': ", re.MULTILINE)
_KEPT = ("HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # none, and `protocol.*.allow` does not count
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SETTINGS = {
    "core.alternateRefsCommand": "",
    "core.askPass": "",
    "core.attributesFile": "/dev/null",
    "core.editor": "",
    "core.excludesFile": "/dev/null",
    "core.fsmonitor": "false",
    "core.gitProxy": "",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.quotepath": "off",
    "core.sshCommand": "",
    "credential.helper": "",
    "diff.external": "",
    "diff.orderFile": "/dev/null",
    "diff.submodule": "short",  # other forms call git in the submodule, which has a configuration of its own
    "gc.auto": "0",
    "gpg.openpgp.program": "",
    "gpg.program": "",
    "gpg.ssh.program": "",
    "gpg.x509.program": "",
    "interactive.diffFilter": "",
    "log.mailmap": "false",
    "log.showSignature": "false",
    "mailmap.file": "/dev/null",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",  # what looks like a repository among the files is none
    "submodule.recurse": "false",
}
_NAMED = r"^(filter\..*\.(clean|smudge|process|required)|hook\..*\.(command|event|enabled))$"
_OFF = {"required": "false", "enabled": "false"}
_RUN_NO_FILTER = (
    *("cat-file", "check-attr", "check-ignore", "config", "diff-tree", "for-each-ref", "log", "ls-tree"),
    *("merge-base", "rev-list", "rev-parse", "shortlog", "show", "show-ref", "symbolic-ref"),
)
"""Commands that compare nothing with the working area and write nothing, so that no filter and no hook can run."""
_SUBMODULE = b"160000 "
"""Begins the entry of a submodule in the index."""
_LISTS = frozenset(("-z", "-t", "--cached", "--stage", "--others", "--unmerged", "--exclude-standard"))
"""Options of `ls-files` with which it runs no filter."""
_NO_MATCH = 1
_MOST_DATA = 1 << 30
"""Bytes of memory, mapped files apart, that a call may ask for: git reads ignore files, attributes and HEAD whole."""
_SILENCE = 600.0
"""Seconds for which a repository is not asked after a call that took `TIMEOUT`, or too much memory: each would. Whoever
waits for longer or shorter, for a network or a whole history, says nothing about the others."""
_WAITS_FOR_WRITER = frozenset({"wait_for_partner", "fifo_open"})
"""Functions of the kernel in which whoever opens a pipe that nobody writes is held."""
_DATA_PAGES = 5
"""Number of the field of `statm`."""
_silent: dict[Path, float] = {}


class GitOutput(NamedTuple):
    """Output of a successful call: `out` for programs, `complaints` (English) for people."""

    out: bytes
    complaints: bytes


class PathListing(NamedTuple):
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
    more: Mapping[str, str] = MappingProxyType({}),
) -> GitOutput | None:
    """Return the output of `git <arguments>` in `folder`; None where git is absent, refuses, fails or takes too long.

    `fed`: what it reads from its standard input; `more`: further variables, which win, and settings of git, whose names
    have a dot.

    Arguments are the program's own: a name from outside comes after `--end-of-options` or `--`, a path as
    `:(literal)path`. Raises Cancelled.
    """
    return _called(folder, arguments, fed=fed, timeout=timeout, cancel=cancel, more=more)[0]


def hardened(
    folder: Path,
    command: str,
    options: Sequence[str] | None = None,
    *,
    timeout: float = TIMEOUT,
    cancel: threading.Event | None = None,
) -> dict[str, str] | None:
    """Variables of git under which `git <command>` in `folder` starts no program that a configuration names; None where
    the configuration cannot be read. `options`: what follows the command, if that is known. Raises Cancelled."""
    settings = dict(_SETTINGS)
    if command not in _RUN_NO_FILTER and not _only_lists(command, options):
        asked = ("config", "-z", "--name-only", "--get-regexp", _NAMED)
        listed, status = _called(folder, asked, timeout=timeout, cancel=cancel)
        if listed is None and status != _NO_MATCH:
            return None
        for name in map(os.fsdecode, _entries(listed.out if listed is not None else b"")):
            section, _, variable = name.rpartition(".")
            settings[name] = _OFF.get(variable, "")
            if name.startswith("hook."):
                settings[f"{section}.enabled"] = "false"
    variables = {**_ENVIRONMENT, **_work_tree(folder), "GIT_CONFIG_COUNT": str(len(settings))}
    for at, (name, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{at}": name, f"GIT_CONFIG_VALUE_{at}": value}
    return variables


def _only_lists(command: str, options: Sequence[str] | None) -> bool:
    """Whether the command is a list of files that compares no content with the index."""
    if command != "ls-files" or options is None:
        return False
    return all(each in _LISTS for each in itertools.takewhile(lambda each: each != "--", options))


def _work_tree(folder: Path) -> dict[str, str]:
    """Return the variable that has the files of a repository be those beside its `.git`: `core.worktree` of an archive
    may name any folder, whose files git then lists and compares."""
    top = _top(folder)
    return {"GIT_WORK_TREE": str(top)} if top is not None else {}


def _top(folder: Path) -> Path | None:
    """The folder at or above `folder` that has a `.git`; None where there is none."""
    return next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)


def _with_more(variables: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """Variables with further ones, settings among them after those that are there."""
    made, count = dict(variables), int(variables["GIT_CONFIG_COUNT"])
    for name, value in more.items():
        if "." in name:
            made |= {f"GIT_CONFIG_KEY_{count}": name, f"GIT_CONFIG_VALUE_{count}": value}
            count += 1
        else:
            made[name] = value
    return made | {"GIT_CONFIG_COUNT": str(count)}


def _called(
    folder: Path,
    arguments: Sequence[str],
    *,
    fed: bytes | None = None,
    timeout: float = TIMEOUT,
    cancel: threading.Event | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> tuple[GitOutput | None, int]:
    """Run git like `run`, and return the exit status too, -1 where there is none."""
    programs.leave_out(folder)
    at = next((at for at, word in enumerate(arguments) if not word.startswith("-")), 0)
    top = _top(folder) or folder
    program = programs.find("git") if time.monotonic() >= _silent.get(top, 0.0) else None
    variables = (
        hardened(folder, arguments[at], arguments[at + 1 :], timeout=timeout, cancel=cancel)
        if program
        else None
    )
    if program is None or variables is None:
        return None, -1
    own = ("--no-pager", *arguments[: at + 1], *OPTIONS.get(arguments[at], ()))
    command = [program, *own, *arguments[at + 1 :]]
    process = _started(command, folder, _with_more(variables, more), is_fed=fed is not None)
    if process is None:
        return None, -1
    with process:
        if fed is not None:
            _feed(process, fed)
        try:
            printed = _printed(process, time.monotonic() + timeout, cancel)
            if printed is None and timeout == TIMEOUT and not _is_held(process.pid):
                _silent[top] = time.monotonic() + _SILENCE
        finally:
            if process.poll() is None:
                process.kill()
        return (printed if process.returncode == 0 else None), process.returncode


def _started(
    command: Sequence[str], folder: Path, variables: dict[str, str], *, is_fed: bool
) -> subprocess.Popen[bytes] | None:
    import subprocess

    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=_environment() | variables,
            stdin=subprocess.PIPE if is_fed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError:
        return None


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
    changed = run(folder, ["status", "--porcelain", "--untracked-files=no"])
    on = _line(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    state = "" if changed is None else ", with uncommitted changes" if changed.out.strip() else ", clean"
    return (f"branch {on}, " if on else "") + f"commit {commit}{state}"


def head_token(folder: Path) -> str | None:
    """A text that changes when HEAD moves to another branch or commit; None where there is no repository."""
    name = _line(folder, "symbolic-ref", "--quiet", "HEAD")
    commit = _line(folder, "rev-parse", "--quiet", "--verify", "HEAD")
    return f"{name or 'detached'}@{commit or 'unborn'}" if name or commit else None


def tracked(folder: Path, cancel: threading.Event | None = None) -> PathListing | None:
    """List the files of the index below `folder`; `nested` are its submodules. None where git fails. Raises
    Cancelled."""
    answer = run(folder, ("ls-files", "-z", "--cached", "--stage"), cancel=cancel)
    if answer is None:
        return None
    entries = answer.out.split(b"\0")[:-1]
    # Each entry has a prefix of fixed form before the path: mode, object id and stage.
    path = slice(entries[0].index(b"\t") + 1 if entries else 0, None)
    if _SUBMODULE not in answer.out:
        return PathListing([entry[path] for entry in entries], [], [])
    nested = [entry[path] for entry in entries if entry.startswith(_SUBMODULE)]
    return PathListing([entry[path] for entry in entries if not entry.startswith(_SUBMODULE)], nested, [])


def untracked(folder: Path, cancel: threading.Event | None = None) -> PathListing | None:
    """List the files below `folder` that are neither in the index nor ignored. None where git fails. Raises
    Cancelled."""
    answer = run(folder, ("ls-files", "-z", "--others", "--exclude-standard"), cancel=cancel)
    if answer is None:
        return None
    listing = PathListing([], [], _UNREADABLE.findall(answer.complaints))
    for path in _entries(answer.out):
        (listing.nested if path.endswith(b"/") else listing.files).append(path.rstrip(b"/"))
    return listing


def ignored(folder: Path) -> bool:
    """Whether `folder` itself lies in a part of the work tree that its repository ignores."""
    return (
        _top(folder) != folder
        and bool(_line(folder, "rev-parse", "--show-prefix"))
        and run(folder, ("check-ignore", "-q", ".")) is not None
    )


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PATH": programs.search_path()}


def _feed(process: subprocess.Popen[bytes], fed: bytes) -> None:
    """Write the input on its own thread: a `communicate` that timed out once sends no input any more."""
    stdin, process.stdin = process.stdin, None

    def write() -> None:
        assert stdin is not None
        with suppress(OSError), stdin:
            stdin.write(fed)

    start_thread(write)


def _printed(
    process: subprocess.Popen[bytes], deadline: float, cancel: threading.Event | None
) -> GitOutput | None:
    """All output; None past the deadline, where it waits for ever, or takes too much memory. Raises Cancelled as soon
    as the event is seen."""
    from subprocess import TimeoutExpired

    while True:
        try:
            return GitOutput(*process.communicate(timeout=_POLL))
        except TimeoutExpired:
            checkpoint(cancel, "Reading the list of files was cancelled.")
            if time.monotonic() > deadline or _is_held(process.pid) or _has_too_much(process.pid):
                return None


def _is_held(process: int) -> bool:
    """Whether a process opens a pipe without a writer. Any file that git reads can be one: an ignore file of any
    folder, a reference, a file that the configuration includes. Only Linux tells."""
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
        return any((each / "wchan").read_text("ascii") in _WAITS_FOR_WRITER for each in threads)
    except (OSError, UnicodeError):
        return False


def _has_too_much(process: int) -> bool:
    """Whether a process has requested more memory than `_MOST_DATA`, used or not; only Linux shows it."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[_DATA_PAGES])
    except (OSError, ValueError, IndexError):
        return False
    return pages * os.sysconf("SC_PAGE_SIZE") > _MOST_DATA


def _entries(printed: bytes) -> Iterator[bytes]:
    """The entries of `-z` output."""
    return (entry for entry in printed.split(b"\0") if entry)


def _line(folder: Path, *arguments: str) -> str | None:
    """The one line printed; None if there is none."""
    answer = run(folder, arguments)
    return os.fsdecode(answer.out).removesuffix("\n") or None if answer else None
