"""The model and the budget that somebody chose for a workspace, kept with it."""

from __future__ import annotations

from typing import Protocol

import msgspec

from services.settings import WindowSettings

FILE = "model.json"
LEAST_BUDGET, MOST_BUDGET = 100, 10_000_000
"""Tokens, as the setting has it."""


class StateFiles(Protocol):
    """What is needed of `services.workspace.state.StateFolder`."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...


class Choice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """`model`, `budget`: what was chosen, empty and 0 where the settings count; `over_model`, `over_budget`: what those
    said then. Once they say otherwise, they count again."""

    model: str = ""
    budget: int = 0
    over_model: str = ""
    over_budget: int = 0


class Choices:
    """The choice of one workspace, over the settings in force."""

    def __init__(self, files: StateFiles, settings: WindowSettings) -> None:
        self._files = files
        self._settings = settings

    def read(self) -> tuple[str | None, int | None]:
        """Model and budget; None where the settings count. What cannot be read counts as nothing."""
        try:
            data = self._files.read(FILE)
            choice = msgspec.json.decode(data, type=Choice) if data else Choice()
        except (OSError, msgspec.MsgspecError):
            choice = Choice()
        stands = (choice.over_model, choice.over_budget) == (self._settings.model, self._settings.budget)
        budget = choice.budget if LEAST_BUDGET <= choice.budget <= MOST_BUDGET else None
        return (choice.model or None, budget) if stands else (None, None)

    def keep(self, model: str | None, budget: int | None) -> None:
        """Remember a choice. Raises ReadOnly."""
        choice = Choice(
            model=model or "",
            budget=budget or 0,
            over_model=self._settings.model,
            over_budget=self._settings.budget,
        )
        self._files.write(FILE, msgspec.json.format(msgspec.json.encode(choice)) + b"\n")
