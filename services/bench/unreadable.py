"""Files of the state folder that somebody made and that cannot be read any more. They stay where they are: what can be
saved of them, a person has to say."""

from __future__ import annotations

from collections.abc import Iterator

from services.bench.edits.proposals import Proposals
from services.errors import CodeCortexError
from services.model import Notice
from services.prompt.packs.files import PackFiles
from services.prompt.presets import PresetStore
from services.prompt.receipts import Receipts
from services.prompt.templates.store import Templates
from services.workspace.state import StateFolder


def unreadable(state: StateFolder) -> tuple[Notice, ...]:
    """One notice for each of them."""
    return tuple(
        Notice(
            severity="warning",
            message=f"{file} is damaged and left out: {why}",
            what_to_do="Repair it, take an earlier one from git, or delete it.",
            file=file,
        )
        for file, why in _found(state)
    )


def _found(state: StateFolder) -> Iterator[tuple[str, str]]:
    """(file, why), by kind."""
    presets, packs, templates = PresetStore(state), PackFiles(state), Templates(state, None)
    for row in presets.rows():
        if row.problem:
            yield f"presets/{row.name}.json", row.problem
    for name in packs.names():
        try:
            packs.read(name)
        except (CodeCortexError, OSError) as error:
            yield f"packs/{name}.toml", str(error)
    for name, origin in templates.names().items():
        try:
            templates.load(name)
        except (CodeCortexError, OSError) as error:
            if origin == "workspace":
                yield f"templates/{name}.md", str(error)
    for file in (*Receipts(state).unreadable(), *Proposals(state).unreadable()):
        yield file, "it is not what the program wrote."
