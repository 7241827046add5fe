"""For which model the window is: its profile, its counter, and what real counts have taught."""

from __future__ import annotations

import hashlib
import time

import platformdirs

from services.bench.window.choice import LEAST_BUDGET, MOST_BUDGET
from services.errors import UsageError
from services.model import Notice
from services.model.copies import Calibration, ModelRow
from services.prompt.render.budget import Budget, WindowOptions
from services.prompt.tokens.calibration import Calibrations, Sample, check
from services.prompt.tokens.models import ModelProfile
from services.prompt.tokens.profiles import Profiles
from services.prompt.tokens.tokenizers import BaseCounter, TokenCounter, counter_for
from services.settings import WindowSettings

_USUAL_BUDGET = WindowSettings().budget


class Models:
    """The models that the window can be for, and the one that it is for."""

    def __init__(self, settings: WindowSettings, base: BaseCounter) -> None:
        self._settings = settings
        self._base = base
        folder = platformdirs.user_state_path("codecortex", appauthor=False)
        self._calibrations = Calibrations(folder)
        self._profiles = Profiles(settings.models, self._calibrations)
        self._model = settings.model
        self._budget: int | None = None

    @property
    def budget(self) -> int | None:
        """The budget that was chosen; None where the settings count."""
        return self._budget

    def take(self, settings: WindowSettings) -> None:
        """Other settings from now on; a choice is made anew."""
        self._settings = settings
        self._profiles = Profiles(settings.models, self._calibrations)
        self._model, self._budget = settings.model, None

    def choose(self, model: str | None, budget: int | None) -> None:
        """Another model or budget than the settings say; None: what they say. Raises UsageError for a budget that no
        window has."""
        if budget is not None and not LEAST_BUDGET <= budget <= MOST_BUDGET:
            raise UsageError(
                f"A window has a budget from {LEAST_BUDGET} to {MOST_BUDGET} tokens, not {budget}."
            )
        self._model, self._budget = model or self._settings.model, budget

    def notices(self) -> tuple[Notice, ...]:
        """What the settings say of models that makes no sense."""
        return self._profiles.notices()

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
        return WindowOptions(model=name, counter=self.counter(profile), budget=budget)

    def _tokens(self, profile: ModelProfile) -> int:
        """What was chosen, what the settings say or, where they say nothing of their own, the profile; never more than
        the model reads."""
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
        """Take `actual` as what a model counted for `text`. Raises UsageError where the count cannot be of it, or its
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
