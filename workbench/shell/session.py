"""A bench for the length of one command, with its index loaded and brought up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from services.errors import WorkspaceError
from workbench.shell.invocation import Form, Invocation
from workbench.shell.progress import ProgressLine

if TYPE_CHECKING:
    from services.bench import Bench
    from services.settings import Settings


@contextmanager
def opened(invocation: Invocation) -> Iterator[Bench]:
    """Open the workspace, load the kept index and, unless `--no-refresh`, bring it up to date. Closes it."""
    settings = invocation.settings(invocation.path)
    if invocation.form is Form.TEXT:
        _warn(settings)
    bench = invocation.seams.open_bench(invocation.path, settings)
    try:
        _make_ready(bench, refresh=invocation.refresh)
        yield bench
    finally:
        bench.close()


def _make_ready(bench: Bench, *, refresh: bool) -> None:
    kept = bench.load()
    if refresh:
        with ProgressLine(sys.stderr) as progress:
            bench.refresh(progress=progress)
    elif not kept:
        raise WorkspaceError(f"No index is kept for {bench.root} yet. Leave out --no-refresh to make one.")


def _warn(settings: Settings) -> None:
    from widgets.display import visible

    for notice in settings.notices:
        click.echo(visible(f"{notice.severity}: {notice.message}"), err=True)
