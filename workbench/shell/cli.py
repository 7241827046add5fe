"""The command line's way in. What a command needs is imported when it runs; the screen only when it opens."""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False  # `typing` takes as long as an answer of a resident process
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from workbench.shell.options import Seams

INTERRUPTED = 130
_COLLECTED_AFTER = 50_000
"""Objects that are made before the collector looks for circles. With Python's 700 it looks through the imports of a
command twenty times."""


def main() -> NoReturn:
    """Run as the console script and leave with the status (SPEC 10: 0 fine, 1 failed, 2 usage)."""
    from workbench.shell.safe_path import leave_out_current_folder

    leave_out_current_folder()
    from workbench.shell.asking import Asking, kept_text, print_kept, run_and_keep

    arguments = sys.argv[1:]
    if (kept := kept_text(arguments)) is not None:
        sys.exit(0 if print_kept(kept) else run_and_keep(kept, lambda: run(arguments)))
    try:
        asking = Asking(arguments)
        status = asking.answer()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)
    if status is None:
        gc.set_threshold(_COLLECTED_AFTER)
        status = run(arguments)
        from workbench.shell.failure import USAGE

        if status not in (INTERRUPTED, USAGE):
            asking.leave_behind()
        gc.freeze()  # what is there is given up with the process, and not looked through once more
    sys.exit(status)


def run(arguments: Sequence[str], *, seams: Seams | None = None) -> int:
    """Run a command line and return its exit status. `seams`: what opens a workspace, what starts the screen."""
    import click

    from workbench.shell.failure import run_group
    from workbench.shell.group import make_group
    from workbench.shell.options import Invocation
    from workbench.shell.output import quiet_pipe

    invocation = Invocation() if seams is None else Invocation(seams=seams)
    try:
        with quiet_pipe():
            return run_group(make_group(), arguments, invocation)
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 (the edge: nothing is above it)
        from workbench.shell.failure import internal_error, not_text, report

        return report(not_text(error, arguments) or internal_error(error), arguments)
    return 0
