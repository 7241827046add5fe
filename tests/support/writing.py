"""A workspace that can be written: the services of the writing half over a folder, with a clock that tests turn."""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from services.model.writes import WriteAnswer
from services.settings import CacheSettings
from services.source.atomic.system_calls import SystemCalls
from services.source.journal.actor import Owner
from services.source.journal.clock import BootClock
from services.source.read.known_lines import Authors, CacheMemory, ReadLog
from services.source.read.reader import SourceReader
from services.source.text.edit import Edit
from services.source.write.writer import Writer, WriterOptions
from services.workspace.files.root import Root

ME = Owner("ada", "s1", "tests")
YOU = Owner("bob", "s2", "tests")


@dataclass
class HandClock:
    """Clock that advances only on request."""

    seconds: float = field(default_factory=BootClock().now)
    name: str = field(default_factory=BootClock().boot)

    def now(self) -> float:
        return self.seconds

    def boot(self) -> str:
        return self.name


class Place:
    """A folder with a reader and a writer."""

    def __init__(self, folder: Path, *, settings: CacheSettings | None = None, **options: Any) -> None:
        settings = settings or CacheSettings()
        self.folder = folder
        (folder / ".context").mkdir(exist_ok=True)
        self.root = Root.open(folder)
        self.journal = folder / ".context" / "writes.db"
        self.reads = ReadLog(folder / ".context" / "reads.db")
        self.reader = SourceReader(self.root, settings, reads=self.reads, authors=Authors(self.journal))
        self.writer = Writer(
            self.root,
            self.journal,
            memory=CacheMemory(self.reader.cache, user=ME.user, reads=self.reads),
            settings=settings,
            options=WriterOptions(**options),
        )

    def close(self) -> None:
        self.writer.close()
        self.reads.close()
        self.root.close()

    def put(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def bytes(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def lock(self, name: str, owner: Owner = ME) -> str:
        return self.writer.lock(name, [name], owner).lock_handle or ""

    def token(self, name: str, start: int | None = None, end: int | None = None) -> str:
        return self.reader.read(name, start=start, end=end).token

    def edit(self, name: str, start: int, end: int, content: str, **given: Any) -> WriteAnswer:
        """An edit with a lock and a token of its own, unless they are given."""
        token = given.pop("token", None) or self.token(name)
        handle = given.pop("handle", None)
        own = handle if handle is not None else self.lock(name)
        try:
            return self.writer.edit(
                name, Edit(start, end, content), token=token, handle=own, owner=ME, **given
            )
        finally:
            if handle is None:
                self.writer.unlock(own)

    def left_over(self) -> list[str]:
        """Return unclaimed names."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob(".codecortex-*"))


class Failing(SystemCalls):
    """Counts calls; at the `at`-th (from 1) raises `error`, or ends the process: before the call, or after it."""

    def __init__(
        self, at: int = 0, *, error: int | None = None, kill: str | None = None, only: str = ""
    ) -> None:
        self.at = at
        self.error = error
        self.kill = kill
        self.only = only
        self.names: list[str] = []

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.names.append(function.__name__)
        here = len(self.names) == self.at
        if here and self.kill == "before":
            os._exit(9)
        if here and self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        if here and self.kill == "amid" and function is os.write:
            function(args[0], bytes(args[1])[: len(args[1]) // 2])
            os._exit(9)
        result = function(*args, **kwargs)
        if here and self.kill is not None:
            os._exit(9)
        return result

    def beside(self, function: Callable[..., object], *args: Any, **kwargs: Any) -> Callable[[], object]:
        """At once, so that the calls have an order."""
        ended: Future[object] = Future()
        try:
            ended.set_result(function(*args, **kwargs))
        except OSError as error:
            ended.set_exception(error)
        return ended.result


class LateFailing(Failing):
    """Failing calls in which parallel work happens as late as possible."""

    def beside(self, function: Callable[..., object], *args: Any, **kwargs: Any) -> Callable[[], object]:
        return functools.cache(lambda: function(*args, **kwargs))


class Portable(SystemCalls):
    """A system without renameat2, and a file system without files that have no name."""

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        _refuse_what_linux_has(function, args)
        return super().run(function, *args, **kwargs)


class PortableFailing(Failing):
    """Both."""

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        _refuse_what_linux_has(function, args)
        return super().run(function, *args, **kwargs)


class NamedFailing(Failing):
    """A system with renameat2, and a file system without files that have no name."""

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        _refuse_unnamed(function, args)
        return super().run(function, *args, **kwargs)


def _refuse_what_linux_has(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    _refuse_unnamed(function, args)
    if function.__name__ == "renameat2":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


def _refuse_unnamed(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    if function is os.open and args[1] & os.O_TMPFILE == os.O_TMPFILE:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))


def in_child(work: Callable[[], object]) -> int:
    """The exit status of a forked child that does `work`."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - the child must not return into the test
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
