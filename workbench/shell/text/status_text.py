"""The parts of `status` that are lists, its projects and its notices, and how long the program has run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from services.model import Notice, Project, Status

MOST_PROJECTS = 40
MOST_NOTICES = 20
_FRAMEWORKS_SHOWN = 4


def project_rows(status: Status) -> list[tuple[str, str]]:
    """(name, facts) of each project, those with something that was not understood first where there are many."""
    projects = list(status.projects)
    if len(projects) > MOST_PROJECTS:
        projects = sorted(projects, key=lambda project: -project.unknown)[:MOST_PROJECTS]
    rows = [(project.name, _facts(project)) for project in projects]
    more = len(status.projects) - len(projects)
    return [*rows, ("…", f"{more} more; --json has them all")] if more else rows


def notice_lines(notices: Iterable[Notice]) -> list[str]:
    """Return one line for each message, however many files it is about."""
    counts = Counter(f"{n.severity}: {n.message} {n.what_to_do}".rstrip() for n in notices)
    lines = [f"{text} ({count} times)" if count > 1 else text for text, count in counts.items()]
    more = len(lines) - MOST_NOTICES
    return [*lines[:MOST_NOTICES], f"and {more} more; --json has them all"] if more > 0 else lines


def elapsed(seconds: float) -> str:
    """`42 s`, `12 min`, `3 h 5 min`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{rest} s"


def _facts(project: Project) -> str:
    """`net9.0 of net8.0, net9.0 · 120 files · 2 not understood: …`."""
    files = f"{project.files} files" if project.files != 1 else "1 file"
    facts = [_framework(project), files + _others(project)]
    if project.unknown:
        facts.append(f"{project.unknown} not understood: {'; '.join(project.unknown_examples[:2])}")
    return " · ".join(filter(None, facts))


def _others(project: Project) -> str:
    """`, of which 12 for net8.0-ios, 3 for uap10.0 on windows`."""
    told = [f"{files} for {name}" for name, files in project.others.items()]
    more = [f"some for {len(told) - _FRAMEWORKS_SHOWN} more"] if len(told) > _FRAMEWORKS_SHOWN else []
    return ", of which " + ", ".join(told[:_FRAMEWORKS_SHOWN] + more) if told else ""


def _framework(project: Project) -> str:
    others = project.target_frameworks
    chosen = project.target_framework or ""
    if len(others) < 2:
        return chosen
    more = f" and {len(others) - _FRAMEWORKS_SHOWN} more" if len(others) > _FRAMEWORKS_SHOWN else ""
    return f"{chosen} of {', '.join(others[:_FRAMEWORKS_SHOWN])}{more}"
