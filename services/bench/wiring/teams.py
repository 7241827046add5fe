"""What a team shares, where the settings name its database."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from services.errors import UsageError
from services.settings import TeamSettings

if TYPE_CHECKING:
    from services.bench.services import Services
    from services.ops.ops import SharedJobs
    from services.ops.sql_jobs import SqlJobs
    from services.source.journal.locks import SharedLeases
    from services.team.database import TeamDatabase

_FIRST_COMMIT = "first-commit"


def team(bench: Services) -> TeamDatabase | None:
    """The database of the team; None where there is none. Raises UsageError, ModelKeyError."""
    settings = bench.settings.team
    if settings.database == TeamSettings().database:
        return None
    from services.llm.profiles import key_of
    from services.ops.rows import SCHEMA
    from services.team import files, leases
    from services.team.database import TeamDatabase

    is_address = settings.database.startswith(("postgresql://", "postgres://"))
    address = settings.database if is_address else key_of(settings.database)
    is_named = settings.workspace != TeamSettings().workspace
    workspace = settings.workspace if is_named else _first_commit(bench)
    made = TeamDatabase(address, workspace, tables=SCHEMA + files.TABLES + leases.TABLES)
    bench.closing.callback(made.close)
    return made


def share_files(bench: Services) -> None:
    """Read and write notes, reviews, packs and presets where the team has them, if there is one."""
    database = bench.team
    if database is not None:
        from services.team.files import TeamFolder

        bench.state.shared = made = TeamFolder(bench.files, bench.state, database)
        bench.closing.callback(made.close_copy)


def team_leases(bench: Services) -> SharedLeases | None:
    """The leases of the team; None where there is none."""
    database = bench.team
    if database is None:
        return None
    from services.context.cochange import tip
    from services.team.leases import TeamLeases

    return TeamLeases(database, lambda: tip(bench.root) or "")


def team_jobs(bench: Services) -> SharedJobs | None:
    """Opens the queue of the team; None where there is none."""
    database = bench.team
    if database is None:
        return None
    from services.ops.sql_jobs import SqlJobs
    from services.team.database import is_team_process_alive, team_process

    def opened(changed: Callable[[str], None]) -> SqlJobs:
        return SqlJobs(
            database,
            clock=database.clock,
            process=team_process(),
            alive=is_team_process_alive,
            changed=changed,
        )

    return opened


def _first_commit(bench: Services) -> str:
    """The first commit that led to what is checked out, which all clones have. Raises UsageError without one."""
    from services.workspace.scan.git import run

    if kept := bench.state.read(_FIRST_COMMIT):
        return kept.decode("ascii", "replace")
    answer = run(bench.root, ("rev-list", "--max-parents=0", "HEAD"))
    commits = answer.out.decode("ascii", "replace").split() if answer else []
    if not commits or (bench.root / ".git" / "shallow").exists():
        raise UsageError(
            "Nothing says which code base of the team this is: there is no whole history. Set team.workspace to a name."
        )
    bench.state.write(_FIRST_COMMIT, commits[-1].encode())
    return commits[-1]
