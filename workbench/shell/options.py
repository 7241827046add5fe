"""Options that every command takes, before its name or after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from workbench.shell.invocation import Form, Invocation


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
