"""`mcp`, `serve` and `rpc`: the workspace served to agents and programs. `worker`: jobs done for others."""

from __future__ import annotations

import importlib.util
import logging
import os
import signal
import sys
import threading
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
    return {"mcp": _mcp_command, "serve": _serve_command, "rpc": _rpc_command, "worker": _worker_command}[
        name
    ]()


def _mcp_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, print_config: str | None, tools: str) -> None:
        if print_config is not None:
            _print_config(context.obj, print_config)
            return
        mode = os.environ.get("MCP_MODE", "stdio").strip().lower() or "stdio"
        if mode == "http":
            context.invoke(_serve_command(), **_from_environment(tools))
            return
        if mode != "stdio":
            raise click.UsageError(f"MCP_MODE is stdio or http, not {mode!r}.")
        _require("mcp")
        from services.server.mcp.stdio import serve_stdio

        _serve(context.obj, lambda serving: serve_stdio(serving, tools, context.obj.seams.accept))

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
    def call(context: click.Context, token_file: Path | None, log_format: str, **values: Any) -> None:
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
            log_format=log_format,
        )

    return click.Command(
        "serve",
        callback=call,
        params=[*_address_options(), *common_options()],
        help="Serve the workspace over HTTP: MCP at /mcp (and /sse), JSON-RPC at /rpc.",
        epilog="On this machine alone, unless --host says otherwise; there is no encryption: put a proxy in front.",
    )


def _from_environment(tools: str) -> dict[str, Any]:
    """The options of `serve` as the variables and the defaults have them."""
    command = _serve_command()
    with command.make_context("serve", []) as context:
        return {**context.params, "tools": tools}


def _tools_option() -> click.Option:
    return click.Option(
        ["--tools"],
        type=click.Choice(("core", "all")),
        default="core",
        help="Tools to list: core has ten, made for tasks; all has one for each operation. Default: core.",
    )


def _log_format_option() -> click.Option:
    return click.Option(
        ["--log-format"],
        type=click.Choice(("text", "json")),
        default="text",
        envvar="CODECORTEX_LOG_FORMAT",
        help="Log lines as text, or as JSON objects that tell each delivery of a webhook too. Default: text.",
    )


def _address_options() -> list[click.Parameter]:
    return [
        _tools_option(),
        _log_format_option(),
        click.Option(
            ["--host"],
            default="127.0.0.1",
            envvar="HTTP_HOST",
            help="Address to listen at. Default: 127.0.0.1, or HTTP_HOST.",
        ),
        click.Option(
            ["--port"],
            type=click.IntRange(0, 65_535),
            default=8731,
            envvar="HTTP_PORT",
            help="Port; 0 takes a free one. Default: 8731, or HTTP_PORT.",
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
        click.Option(
            ["--webhook-path", "phabricator_path"],
            default="/webhooks/phabricator",
            envvar="WEBHOOK_PATH",
            help="Path of Phabricator's webhooks, beside /webhooks/github and /webhooks/gitlab.",
        ),
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


def _worker_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, log_format: str) -> None:
        _serve(context.obj, _work, log_format=log_format)

    return click.Command(
        "worker",
        callback=call,
        params=[_log_format_option(), *common_options()],
        help="Do jobs of the workspace until it is stopped, on as many machines of a team as wanted.",
        epilog="A team shares its jobs in the database that `team.database` names. Stopped, a worker gives back what "
        "it has begun; killed, another one goes on with it from the recorded steps.",
    )


def _work(serving: Serving) -> None:
    over = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: over.set())
    serving.bench.is_worker = True
    serving.bench.ops.serve()
    click.echo(f"Working on jobs of {visible(str(serving.bench.root))}. Ctrl+C stops.", err=True)
    over.wait()


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


def _serve(
    invocation: Invocation,
    serve: Callable[[Serving], Any],
    *,
    crowded: bool = False,
    log_format: str = "text",
) -> None:
    """Open the workspace, serve it until the other side has gone, close it. `crowded`: to several clients at once."""
    from services.concurrency.gc_pause import freeze_objects
    from services.server.serving import Serving

    open_server = invocation.seams.open_server
    if open_server is None:
        _log(log_format)
    named = os.environ.get("GIT_REPO_PATH", "").strip()
    path = Path(named) if named and invocation.root is None else invocation.path
    settings = invocation.settings(path)
    again = partial(invocation.settings, path)
    # A tokenizer takes 80 MB: one client waits for a process that counts, many would wait for each other.
    opened = (open_server or partial(Serving.open, at_rest=freeze_objects))(
        path, settings, crowded=crowded, helper=not crowded, again=again
    )
    with opened as serving:
        if open_server is not None or settings.resident.mode == "off":
            serve(serving)
            return
        from services.resident.process import answering_commands
        from workbench.shell.commands.resident import answer, whole_group

        run = partial(answer, whole_group())
        with answering_commands(path, serving.bench, run, serving.wait_scanned):
            serve(serving)


def _log(form: str) -> None:
    """Log to standard error, without secrets."""
    from services.server.failures import MaskedJsonLog, MaskedLog

    handler = logging.StreamHandler(sys.stderr)
    text = MaskedLog("%(levelname)s %(name)s: %(message)s")
    handler.setFormatter(MaskedJsonLog() if form == "json" else text)
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    if form == "json":
        logging.getLogger("codecortex").setLevel(logging.INFO)


def _require(extra: str) -> None:
    """Raise WorkspaceError with the install command, where the extra is missing."""
    try:
        found = importlib.util.find_spec(extra)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise WorkspaceError(
            f"This needs a library that is not installed. Install it with: pip install 'codecortex[{extra}]'"
        )
