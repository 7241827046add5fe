"""Running a command: the operation, and what it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import CommandRefused
from services.model import Value
from services.operations.needs import Need
from services.operations.operation import RUNS, Faces, Param, Work, always, declare
from services.source.journal.actor import actor

if TYPE_CHECKING:
    from services.bench import Bench


class RunAnswer(Value, kw_only=True, frozen=True):
    """How a command ended. `diff`: what was, or would be, run, where, and how it is isolated; `text`: what was printed,
    and the end where that is not plain; `exit` is None where it was not run."""

    command: str
    diff: str
    text: str = ""
    exit: int | None = None
    why: str = ""
    seconds: float = 0.0
    isolation: str = ""


@declare("RunCommand", Faces(None, "run"), effect=RUNS, index=Need.NOTHING, errors=(CommandRefused,))
def run_command(
    bench: Bench,
    command: Annotated[
        str,
        Param(
            "One program with its arguments, as a shell quotes them.",
            words=True,
            longest=20_000,
            is_text=always,
        ),
    ],
    dry_run: Annotated[bool, Param("Say what would be run, and run nothing.", flag="--dry-run")] = False,
    *,
    work: Work,
) -> RunAnswer:
    """Run one program of a list without a shell: isolated, limited, journalled.

    There are cat, echo, find, grep, head, ls, sort, tail, wc, git's reading commands, and test runners (dotnet test,
    pytest, vitest, jest). Agents run them as the settings have it (agents.run, agents.tests).
    """
    plan = bench.asking.commands.plan(command)
    if dry_run:
        return RunAnswer(command=plan.command, diff=plan.text, isolation=plan.isolation)
    outcome = bench.asking.commands.run(command, by=str(actor()), cancel=work.cancel)
    return RunAnswer(
        command=outcome.command,
        diff=plan.text,
        text=bench.asking.mask(outcome.text),
        exit=outcome.exit,
        why=outcome.why,
        seconds=outcome.seconds,
        isolation=outcome.isolation,
    )
