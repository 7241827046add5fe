"""`mcp`, `serve` and `rpc`: the workspace served to agents and programs."""

from __future__ import annotations

import importlib.util
import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from services.errors import UsageError, WorkspaceError
from widgets.format.display import visible
from workbench.shell.options import Invocation, common_options

if TYPE_CHECKING:
    from services.server.serving import Serving


def command(name: str) -> click.Command:
    """The command of that name, made now. Raises KeyError for another name."""
    return {"mcp": _mcp_command, "serve": _serve_command, "rpc": _rpc_command}[name]()


def _mcp_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, print_config: str | None, tools: str) -> None:
        if print_config is not None:
            _print_config(context.obj, print_config)
            return
        _require("mcp")
        from services.server.mcp.stdio import serve_stdio

        _serve(context.obj, lambda serving: serve_stdio(serving, tools))

    config = click.Option(
        ["--print-config"],
        is_flag=False,
        flag_value="all",
        metavar="[CLIENT]",
        help="Print ready configuration for a client, such as claude-code, and leave; for all without a name.",
    )
    return click.Command(
        "mcp",
        callback=call,
        params=[config, _tools_option(), *common_options()],
        help="Serve the workspace to an MCP client over standard input and output.",
    )


def _serve_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, token_file: Path | None, **values: Any) -> None:
        _require("mcp")
        from services.server.http.guard import new_token, token_in
        from services.server.http.run import Address, serve_http

        token = new_token() if token_file is None else token_in(token_file)

        def started(base: str) -> None:
            folder = visible(str(context.obj.path))
            click.echo(f"Serving {folder} at {base}/mcp (also /sse, /rpc, /health).", err=True)
            known = f"the token in {token_file}" if token_file else f"Bearer {token}"
            click.echo(f"Clients show it as: Authorization: {known}", err=True)

        _serve(
            context.obj,
            lambda serving: serve_http(serving, Address(**values), token=token, started=started),
            crowded=True,
        )

    return click.Command(
        "serve",
        callback=call,
        params=[*_address_options(), *common_options()],
        help="Serve the workspace over HTTP: MCP at /mcp (and /sse), JSON-RPC at /rpc.",
        epilog="On this machine alone, unless --host says otherwise; there is no encryption: put a proxy in front.",
    )


def _tools_option() -> click.Option:
    return click.Option(
        ["--tools"],
        type=click.Choice(("core", "all")),
        default="core",
        help="Tools to list: core has ten, made for tasks; all has one for each operation. Default: core.",
    )


def _address_options() -> list[click.Parameter]:
    return [
        _tools_option(),
        click.Option(["--host"], default="127.0.0.1", help="Address to listen at. Default: 127.0.0.1."),
        click.Option(
            ["--port"],
            type=click.IntRange(0, 65_535),
            default=8731,
            help="Port; 0 takes a free one. Default: 8731.",
        ),
        click.Option(
            ["--token-file"],
            type=click.Path(path_type=Path),
            help="File that keeps the token, made if it is not there; without it a token is made and shown.",
        ),
        click.Option(
            ["--name", "names"], multiple=True, help="Further name under which clients reach this server."
        ),
        click.Option(["--origin", "origins"], multiple=True, help="Web origin whose pages may ask."),
    ]


def _rpc_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context) -> None:
        from services.server.jsonrpc import serve_lines

        _serve(context.obj, lambda serving: serve_lines(serving, sys.stdin.buffer, sys.stdout.buffer))

    return click.Command(
        "rpc",
        callback=call,
        params=common_options(),
        help="Answer JSON-RPC requests, one on each line of standard input.",
    )


def _print_config(invocation: Invocation, client: str) -> None:
    from services.server.clients import configuration

    root = Path(invocation.path).resolve()
    try:
        text = configuration(client, program=program(), root=root)
    except UsageError as error:
        raise click.UsageError(error.message) from error
    click.echo(text, nl=False)


def program() -> list[str]:
    """How a client, which knows no environment of a shell, starts this very program."""
    script = Path(sys.argv[0])
    if script.name.startswith("codecortex") and script.is_file():
        return [str(script.absolute())]
    return [sys.executable, "-P", "-m", "workbench"]


def _serve(invocation: Invocation, serve: Callable[[Serving], Any], *, crowded: bool = False) -> None:
    """Open the workspace, serve it until the other side has gone, close it. `crowded`: to several clients at once."""
    from services.concurrency.gc_pause import freeze_objects
    from services.operations.models.masking import MaskedLog
    from services.server.serving import Serving

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(MaskedLog("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    path = invocation.path
    settings = invocation.settings(path)
    again = partial(invocation.settings, path)
    with Serving.open(path, settings, crowded=crowded, at_rest=freeze_objects, again=again) as serving:
        serve(serving)


def _require(extra: str) -> None:
    """Raises WorkspaceError that says what to install, where the extra is not there."""
    try:
        found = importlib.util.find_spec(extra)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise WorkspaceError(
            f"This needs a library that is not installed. Install it with: pip install 'codecortex[{extra}]'"
        )
