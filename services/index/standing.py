"""How an index stands: how much is in it, of which quality, in which projects, and what a person should know of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from services.index.catalog.catalogue import KINDS
from services.index.holding import Holding
from services.model import TYPE_KINDS, Notice, Project, Quality

_MOST_LOSSY = 20
_NAMED = 3
_NO_CSHARP = "There are no C# files here."


def counts(held: Holding) -> tuple[int, int, int]:
    """Files, types and members."""
    with held.lock:
        catalogue = held.catalogue
        types = sum(1 for _ in catalogue.live_types())
        kinds = {code for code, kind in enumerate(KINDS) if kind in TYPE_KINDS}
        dead = catalogue.columns.dead
        members = sum(
            1 for row, code in enumerate(catalogue.columns.kind) if code not in kinds and not dead[row]
        )
        return len({path for _, path in catalogue.units}), types, members


def qualities(held: Holding) -> dict[str, int]:
    """How many files have each quality."""
    with held.lock:
        files = (entry for entry in held.catalogue.live_files() if not entry.shadow)
        return dict(Counter(str(entry.quality) for entry in files))


def projects(held: Holding) -> tuple[Project, ...]:
    """The projects of the last refresh; of a kept catalogue their names alone."""
    made = held.plan
    if made is None:
        return tuple(Project(name=name, path="") for name in held.catalogue.projects)
    return tuple(
        Project(
            name=project.name,
            path=project.path,
            target_framework=project.target_framework,
            target_frameworks=project.target_frameworks,
            files=len(project.files),
            notices=project.notices,
            unknown=project.unknown,
            unknown_examples=project.unknown_examples,
        )
        for project in made.evaluation.projects
    )


def notices(held: Holding, of_reading: Sequence[Notice]) -> tuple[Notice, ...]:
    """What a person should know of the last refresh. `of_reading`: what it met in files."""
    made = held.plan
    found = (*(made.notices if made is not None else ()), *of_reading, *_lossy(held), *_failed(held))
    if made is not None and not made.stamps:
        advice = "Open a folder that holds some, or look into .gitignore and .codecortexignore."
        found = (Notice(severity="warning", message=_NO_CSHARP, what_to_do=advice), *found)
    if held.store.renewed:
        why = f"The index was built anew: {held.store.renewed}."
        found = (
            Notice(severity="information", message=why, what_to_do="Nothing you made was in it."),
            *found,
        )
    return found


def _lossy(held: Holding) -> list[Notice]:
    with held.lock:
        paths = sorted({entry.path for entry in held.catalogue.live_files() if entry.lossy})
    advice = "Save it as UTF-8; until then it is shown with replacement characters and cannot be edited."
    return [
        Notice(severity="warning", message=f"{path} is not UTF-8.", what_to_do=advice, file=path)
        for path in paths[:_MOST_LOSSY]
    ]


def _failed(held: Holding) -> list[Notice]:
    """One notice for all files that even repair could not make sense of, but for those that have one for what they are
    written in."""
    with held.lock:
        files = held.catalogue.live_files()
        failed = (entry for entry in files if entry.quality == Quality.FAILED and not entry.lossy)
        paths = sorted({entry.path for entry in failed})
    if not paths:
        return []
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    message = f"{len(paths)} C# file(s) could not be read whole: {', '.join(paths[:_NAMED])}{more}."
    advice = "Declarations of theirs may be missing. Look there for syntax that no compiler takes."
    return [Notice(severity="warning", message=message, what_to_do=advice, file=paths[0])]
