"""For which model the window is: its profile, its counter, and what real counts have taught.

The model and the budget that somebody chose for a workspace, kept with it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from services.bench.window import CHOICE
from services.decoding import decode
from services.errors import UsageError
from services.model import Notice
from services.model.copies import Calibration, ModelRow
from services.prompt.render.ladder import Budget, WindowOptions
from services.prompt.tokens.models import ModelProfile
from services.prompt.tokens.profiles import Calibrations, Profiles, Sample, check
from services.prompt.tokens.tokenizers import BaseCounter, TokenCounter, counter_for
from services.settings import WindowSettings
from services.settings.personal import personal_folder

LEAST_BUDGET, MOST_BUDGET = 100, 10_000_000
"""Tokens, as the setting has it."""


class ModelStateFiles(Protocol):
    """Subset of `services.workspace.state.StateFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...

    def quarantine(self, name: str, what: str) -> None:
        """Move a damaged file aside, and report that `what` was lost."""
        ...


class ModelChoice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """`model`, `budget`: what was chosen, empty and 0 where the settings count; `over_model`, `over_budget`: what those
    said then. Once they say otherwise, they count again."""

    model: str = ""
    budget: int = 0
    over_model: str = ""
    over_budget: int = 0


class Choices:
    """The choice of one workspace, over the settings in force."""

    def __init__(self, files: ModelStateFiles, settings: WindowSettings) -> None:
        self._files = files
        self._settings = settings

    def read(self) -> tuple[str | None, int | None]:
        """Model and budget; None where the settings count. What cannot be read counts as nothing."""
        choice = ModelChoice()
        try:
            data = self._files.read(CHOICE)
            choice = choice if data is None else decode(ModelChoice, data)
        except ValueError:
            self._files.quarantine(CHOICE, "The choice of model and budget")
        except OSError:
            pass
        stands = (choice.over_model, choice.over_budget) == (self._settings.model, self._settings.budget)
        budget = choice.budget if LEAST_BUDGET <= choice.budget <= MOST_BUDGET else None
        return (choice.model or None, budget) if stands else (None, None)

    def keep(self, model: str | None, budget: int | None) -> None:
        """Remember a choice. Raises ReadOnly."""
        choice = ModelChoice(
            model=model or "",
            budget=budget or 0,
            over_model=self._settings.model,
            over_budget=self._settings.budget,
        )
        self._files.write(CHOICE, msgspec.json.format(msgspec.json.encode(choice)) + b"\n")


_USUAL_BUDGET = WindowSettings().budget


class Models:
    """The models that the window can be for, and the one that it is for. `changed`: called with how the window is
    rendered from then on."""

    def __init__(
        self,
        settings: WindowSettings,
        base: BaseCounter,
        files: ModelStateFiles,
        *,
        changed: Callable[[WindowOptions], object],
    ) -> None:
        self._settings = settings
        self._base = base
        self._files = files
        self._changed = changed
        folder = personal_folder("state")
        self._calibrations = Calibrations(folder)
        self._profiles = Profiles(settings.models, self._calibrations)
        self._model, self._budget = self._chosen(*self._choices.read())

    @property
    def budget(self) -> int | None:
        """The budget that was chosen; None where the settings count."""
        return self._budget

    def take(self, settings: WindowSettings) -> None:
        """Other settings from now on; what was chosen over the same ones still counts."""
        self._settings = settings
        self._profiles = Profiles(settings.models, self._calibrations)
        self.follow()

    def choose(self, model: str | None, budget: int | None) -> None:
        """Choose another model or budget than the settings, for all processes of the workspace; None for the
        settings' one. Raises UsageError for an invalid budget, ReadOnly."""
        self._use(model, budget)
        self._choices.keep(model, budget)

    def follow(self) -> None:
        """Takes what was last chosen, which may have been in another process."""
        self._use(*self._choices.read())

    @property
    def _choices(self) -> Choices:
        return Choices(self._files, self._settings)

    def _use(self, model: str | None, budget: int | None) -> None:
        self._model, self._budget = self._chosen(model, budget)
        self._changed(self.options())

    def _chosen(self, model: str | None, budget: int | None) -> tuple[str, int | None]:
        if budget is not None and not LEAST_BUDGET <= budget <= MOST_BUDGET:
            raise UsageError(
                f"A window has a budget from {LEAST_BUDGET} to {MOST_BUDGET} tokens, not {budget}."
            )
        return model or self._settings.model, budget

    def notices(self) -> tuple[Notice, ...]:
        """Notices about invalid settings of models."""
        return (*self._profiles.notices(), *self._calibrations.notices())

    def options(self, model: str | None = None) -> WindowOptions:
        """How the window is rendered for a model; None: the chosen one."""
        name = model or self._model
        profile = self._profiles.profile(name)
        settings = self._settings
        budget = Budget(
            tokens=self._tokens(profile),
            max_chars=settings.max_chars,
            soft=settings.soft_budget,
            band=profile.tokenizer.band,
            reserve=profile.per_message,
            per_item=profile.per_item,
        )
        return WindowOptions(
            model=name,
            counter=self.counter(profile),
            budget=budget,
            recents=settings.recents == "copy",
        )

    def _tokens(self, profile: ModelProfile) -> int:
        """Return the chosen budget, else the settings' one, else the profile's; never more than the model's
        context."""
        setting = self._settings.budget
        wanted = profile.budget if profile.budget and setting == _USUAL_BUDGET else setting
        wanted = self._budget or wanted
        return wanted if not profile.context else min(wanted, profile.context)

    def counter(self, profile: ModelProfile) -> TokenCounter:
        """The counter of a profile."""
        return counter_for(profile.tokenizer, self._base)

    def rows(self) -> tuple[ModelRow, ...]:
        """The models to choose from, the chosen one first."""
        names = dict.fromkeys((self._model, *self._profiles.names()))
        return tuple(_row(self._profiles.profile(name), chosen=name == self._model) for name in names)

    def calibrate(self, model: str, actual: int, *, text: str) -> Calibration:
        """Take `actual` as what a model counted for `text`, and count better from then on. Raises UsageError where the
        count cannot be of it, or its
        tokenizer is known exactly; ReadOnly."""
        before = self._profiles.profile(model)
        published = self._profiles.uncalibrated(model)
        if published.tokenizer.exact:
            raise UsageError(
                f"Tokens of {model} are counted exactly; there is nothing to calibrate. What its chat counts beyond "
                "them is formatting of its own."
            )
        base = self._base.count_base(published.tokenizer.base, [text])[0]
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
        counted = actual - published.per_message
        sample = Sample(base=base, actual=counted, at=time.time_ns() // 1_000_000, text=digest)
        check(sample, formatting=published.per_message)
        samples = self._calibrations.add(model, sample)
        self._changed(self.options())
        after = self._profiles.profile(model)
        budget = Budget(tokens=1, band=after.tokenizer.band)
        tokens = after.tokenizer.scale(base)
        return Calibration(
            model=model,
            actual=actual,
            samples=len(samples),
            factor=after.tokenizer.permille / 1000,
            band=after.tokenizer.band,
            factor_before=before.tokenizer.permille / 1000,
            band_before=before.tokenizer.band,
            tokens=tokens,
            tokens_low=budget.low(tokens),
            tokens_high=budget.high(tokens),
        )


def _row(profile: ModelProfile, *, chosen: bool) -> ModelRow:
    fields = {
        name: getattr(profile, name)
        for name in ("name", "context", "budget", "per_message", "per_item", "source")
    }
    spec = profile.tokenizer
    return ModelRow(
        **fields,
        tokenizer=spec.name,
        exact=spec.exact,
        factor=spec.permille / 1000,
        band=spec.band,
        chosen=chosen,
    )
