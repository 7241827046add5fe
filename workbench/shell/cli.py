"""The command line's way in. What a command needs is imported when it runs; the screen only when it opens."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from workbench.shell.options import Seams

INTERRUPTED = 130


def main() -> NoReturn:
    """What the console script calls: run and leave with the status (SPEC 10: 0 fine, 1 failed, 2 usage)."""
    from workbench.shell.safe_path import leave_out_current_folder

    leave_out_current_folder()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str], *, seams: Seams | None = None) -> int:
    """Run a command line and answer its exit status. `seams`: what opens a bench, what starts the screen."""
    import click

    from services.errors import CodeCortexError
    from workbench.shell.group import make_group
    from workbench.shell.options import Invocation
    from workbench.shell.output import quiet_pipe

    invocation = Invocation() if seams is None else Invocation(seams=seams)
    try:
        with quiet_pipe():
            # Outside its standalone mode click answers the status of an Exit instead of raising it.
            status = make_group().main(list(arguments), "codecortex", standalone_mode=False, obj=invocation)
    except click.exceptions.Exit as left:
        return left.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except (click.ClickException, CodeCortexError) as error:
        from workbench.shell.failure import report

        return report(error, arguments)
    except Exception as error:  # noqa: BLE001 (the edge: nothing is above it)
        from workbench.shell.failure import internal_error, not_text, report

        return report(not_text(error, arguments) or internal_error(error), arguments)
    return status if isinstance(status, int) else 0
