"""Errors at the edge: the text on stderr, and the exit status (SPEC section 10).

Errors that nobody foresaw: told in a sentence, with the details in a file to send along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

import click

from services.errors import CodeCortexError, SettingsError, UsageError, VersionConflict
from services.settings.personal import personal_folder
from widgets.format.display import visible
from workbench.shell.output import json_text

if TYPE_CHECKING:
    from workbench.shell.options import Invocation

FAILED = 1
USAGE = 2
_MOST_SHOWN = 80


def run_group(group: click.Group, arguments: Sequence[str], invocation: Invocation) -> int:
    """Run a command line of a group; its exit status. Errors that are foreseen are reported, others are raised."""
    try:
        # Outside its standalone mode click answers the status of an Exit instead of raising it.
        status = group.main(list(arguments), "codecortex", standalone_mode=False, obj=invocation)
    except click.exceptions.Exit as left:
        return left.exit_code
    except (click.ClickException, CodeCortexError) as error:
        return report(error, arguments)
    return status if isinstance(status, int) else 0


def report(error: click.ClickException | CodeCortexError, arguments: Sequence[str]) -> int:
    """Print an error on stderr, as JSON where the command line requested it; return the exit status."""
    if isinstance(error, click.ClickException):
        value, text = _of_click(error)
    else:
        value, text = error.as_value(), "\n".join(_lines(error))
    wants_json = "--json" in arguments or "--jsonl" in arguments
    click.echo(json_text({"error": value}) if wants_json else text, err=True)
    return USAGE if isinstance(error, click.UsageError | SettingsError) else FAILED


def not_text(error: Exception, arguments: Sequence[str]) -> click.UsageError | None:
    """The argument that `error` is about because its bytes are no UTF-8; None where it is about something else. Names
    of files may well be such: only where text is needed they are refused."""
    if not isinstance(error, UnicodeEncodeError):
        return None
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument[:_MOST_SHOWN].encode("utf-8", "replace").decode()
            return click.UsageError(f"{shown!r} is no text in UTF-8. Write it in UTF-8.")
    return None


def _of_click(error: click.ClickException) -> tuple[dict[str, Any], str]:
    message = error.format_message()
    context = getattr(error, "ctx", None)
    hint = f"\nTry '{context.command_path} --help'." if context else ""
    return {"code": UsageError.code, "message": message}, visible(f"error: {message}").replace(
        "␊", "\n"
    ) + hint


def _lines(error: CodeCortexError) -> Iterable[str]:
    yield "\n".join(visible(line) for line in f"error: {error.message}".split("\n"))
    for name, heading in (("suggestions", "Did you mean:"), ("candidates", "Several symbols match:")):
        if found := error.details.get(name):
            yield heading
            yield from (f"  {visible(_name(item))}" for item in found)
    if isinstance(error, VersionConflict):
        yield from _conflict(error.details)


def _name(item: Any) -> str:
    """A path; with its id where there is one, since several symbols may have the same path."""
    if not isinstance(item, dict):
        return str(getattr(item, "path", item))
    known = cast("dict[str, Any]", item)
    return "  ".join(str(known[key]) for key in ("path", "memberId", "typeId") if key in known)


def _conflict(details: Mapping[str, Any]) -> Iterator[str]:
    """Yield the details of a conflict: the token to write with, and both changes together or separately."""
    if details.get("currentToken"):
        yield f"currentToken: {visible(details['currentToken'])}"
    if details.get("rebased"):
        yield "rebased:"
        yield from _text(details["rebased"])
    for hunk in details.get("hunks", ()):
        yield f"line {hunk['startLine']}:"
        for side in ("base", "mine", "theirs"):
            yield f" {side}:"
            yield from (f"  {line}" for line in _text(hunk[side]))


def _text(text: str) -> list[str]:
    """Lines as they may be shown."""
    lines = text.removesuffix("\n").split("\n") if text else []
    return [visible(line.removesuffix("\r")) for line in lines]


def internal_error(error: Exception) -> CodeCortexError:
    """Convert `error` to an InternalError (SPEC section 10). Its traceback is written to a file in the user's log
    folder.

    `details`: traceId, the same for the same traceback; file, where it could be written.
    """
    import traceback

    text = "".join(traceback.format_exception(error))
    trace_id = sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    details = {"traceId": trace_id}
    with suppress(OSError):
        details["file"] = _write(trace_id, text)
    where = f" Details are in {details['file']}." if "file" in details else ""
    return CodeCortexError(f"An internal error: {type(error).__name__}: {error}.{where}", **details)


def _write(trace_id: str, text: str) -> str:
    from services.workspace.files.durable import private_file, private_folder

    path = private_folder(personal_folder("log")) / f"{trace_id}.txt"
    with private_file(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    return str(path)
