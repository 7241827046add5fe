"""Options that every command takes, before its name or after it.

What every command shares: where the workspace is, how to answer, which settings were given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from services.errors import WorkspaceError

if TYPE_CHECKING:
    from socket import socket

    from services.agents.react import ActingTools
    from services.agents.workflow import WorkflowActor
    from services.bench import Bench
    from services.llm.tool_registry import Registry
    from services.server.serving import Serving
    from services.settings import Settings


_FRAMES_A_SECOND = "1000"
"""How often Textual may paint. With its own 60, what follows a frame waits for one or two periods of 17 ms: results
that come right after the letter that was typed."""


class Form(Enum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


def _open_bench(path: Path, settings: Settings) -> Bench:
    from services.bench import Bench

    return Bench.open(path, settings=settings, lasting=False, tools=reading_tools, acts=acting_tools)


def reading_tools(bench: Bench, profile: str) -> Registry:
    """Tools that a model may read with, made when one investigates."""
    from services.operations.models.tools import reading_tools

    return reading_tools(bench, profile)


def acting_tools(bench: Bench, actor: WorkflowActor) -> ActingTools:
    """Operations that a workflow calls, made when one is done."""
    from services.operations.models.acting import acting_tools

    return acting_tools(bench, actor)


def _start_workbench(
    path: Path, settings: Settings, opened: Callable[[Bench], object] = lambda _: None
) -> int:
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES_A_SECOND)  # read when Textual is imported
    from workbench.app import run

    return run(path, settings, opened)


class Seams(msgspec.Struct, frozen=True):
    """Seams of the command line: the services, and the screen, which returns an exit status. That takes `opened`, where
    commands are to be answered too. `open_server` and `accept`: of a server of another process, which a process
    that has the workspace open opens over that, and the connection of its client, once all is ready."""

    open_bench: Callable[[Path, Any], Any] = _open_bench
    start_workbench: Callable[..., int] = _start_workbench
    open_server: Callable[..., Serving] | None = None
    accept: Callable[[], socket] | None = None


class Invocation(msgspec.Struct, frozen=True, kw_only=True):
    """Run of the command line, as described by its options. `folder`: where it was typed, None for where this process
    is; `flags`: settings by key, as text."""

    folder: Path | None = None
    root: Path | None = None
    form: Form = Form.TEXT
    flags: Mapping[str, str] = {}
    refresh: bool = True
    seams: Seams = Seams()

    @property
    def path(self) -> Path:
        """Return the workspace: that of `--root`, or the current folder. Raises WorkspaceError where that is gone."""
        if self.folder is not None:
            return self.folder / (self.root or "")
        try:
            return self.root or Path.cwd()
        except FileNotFoundError as error:
            raise WorkspaceError("The current folder has been deleted. Go to another one.") from error

    def settings(self, path: Path) -> Settings:
        """The settings for a workspace at `path`: a folder, or a solution or project file in it."""
        from services.settings import load

        return load(path if is_folder(path) else path.parent, flags=self.flags)


def is_folder(path: Path) -> bool:
    """Whether a folder of that name exists; none has a name that the system rejects, such as a long one."""
    with suppress(OSError, ValueError):
        return path.is_dir()
    return False


def common_options() -> list[click.Parameter]:
    """Fresh options that write what they are given into the context's `Invocation`."""
    return [
        _option(
            "--root",
            _root,
            type=click.Path(path_type=Path),
            help="Folder, solution or project file to work on.",
        ),
        _option("--json", _json, is_flag=True, help="Answer with one JSON document."),
        _option("--jsonl", _jsonl, is_flag=True, help="Answer with JSON lines, one a row."),
        _option(
            "--set",
            _set,
            multiple=True,
            metavar="KEY=VALUE",
            help="Set a value for this run, such as window.budget.",
        ),
        _option(
            "--no-refresh",
            _no_refresh,
            is_flag=True,
            help="Use the index as it was kept; do not look at the disk.",
        ),
    ]


def _option(flag: str, apply: Any, **attributes: Any) -> click.Option:
    def remember(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            context.obj = apply(context.obj, value)

    return click.Option([flag], expose_value=False, callback=remember, **attributes)


def _root(invocation: Invocation, value: Path) -> Invocation:
    return msgspec.structs.replace(invocation, root=value)


def _json(invocation: Invocation, _: bool) -> Invocation:
    return msgspec.structs.replace(invocation, form=Form.JSON)


def _jsonl(invocation: Invocation, _: bool) -> Invocation:
    return msgspec.structs.replace(invocation, form=Form.JSONL)


def _no_refresh(invocation: Invocation, _: bool) -> Invocation:
    return msgspec.structs.replace(invocation, refresh=False)


def _set(invocation: Invocation, pairs: tuple[str, ...]) -> Invocation:
    flags = dict(invocation.flags)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE.")
        flags[key.strip()] = value.strip()
    return msgspec.structs.replace(invocation, flags=flags)
