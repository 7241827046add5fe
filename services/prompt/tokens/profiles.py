"""Profile of a model: the program's defaults, then the settings, then real counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from services.model import Notice
from services.prompt.tokens.calibration import Calibrations, calibrated
from services.prompt.tokens.models import (
    SUGGESTED_MODELS,
    ModelProfile,
    TokenizerSpec,
    plain_name,
    profile_for,
)
from services.prompt.tokens.tokenizers import VOCABULARIES

SETTING = "window.models"
_TOKENS = ("context", "budget", "per_message", "per_item")
_MOST = 100_000_000
_FIELDS = ("like", "tokenizer", "factor", "band", *_TOKENS)


class Profiles:
    """Profiles by model. `own`: profile fields of the settings, `model.field` to text."""

    def __init__(self, own: Mapping[str, str], calibrations: Calibrations) -> None:
        self._calibrations = calibrations
        self._own: dict[str, ModelProfile] = {}
        self._notices: list[Notice] = []
        for name, fields in _tables(own).items():
            self._read(name, fields)

    def notices(self) -> tuple[Notice, ...]:
        """Return notices of invalid model settings, which are ignored."""
        return tuple(self._notices)

    def names(self) -> tuple[str, ...]:
        """Models to choose from: those of the settings, then those that the program suggests."""
        return tuple(dict.fromkeys((*(each.name for each in self._own.values()), *SUGGESTED_MODELS)))

    def profile(self, model: str) -> ModelProfile:
        """Return the profile of any name: of an unknown model, an approximation."""
        found = self.uncalibrated(model)
        samples = self._calibrations.of(model)
        spec = calibrated(found.tokenizer, samples)
        return found if spec is found.tokenizer else replace(found, tokenizer=spec, source="calibrated")

    def uncalibrated(self, model: str) -> ModelProfile:
        """The profile without what was counted for real."""
        own = self._own.get(plain_name(model))
        return profile_for(model) if own is None else replace(own, name=model)

    def _read(self, name: str, fields: Mapping[str, str]) -> None:
        try:
            self._own[plain_name(name)] = _profile(name, fields)
        except ValueError as error:
            self._notices.append(
                Notice(
                    severity="warning",
                    message=f"{SETTING}: the model {name!r} is left out: {error}.",
                    what_to_do="See docs/SETTINGS.md.",
                )
            )


def _tables(own: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    tables: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for key, value in own.items():
        name, _, field = key.rpartition(".")
        tables[name or key][field if name else ""] = value
    return tables


def _profile(name: str, fields: Mapping[str, str]) -> ModelProfile:
    """Raises ValueError with what is wrong, as the end of a sentence."""
    unknown = [field for field in fields if field not in _FIELDS]
    if unknown:
        raise ValueError(f"there is no {unknown[0]!r}; there are {', '.join(_FIELDS)}")
    base = profile_for(fields.get("like", name))
    given: dict[str, Any] = {
        field: int(_number(fields, field, most=_MOST)) for field in _TOKENS if field in fields
    }
    return replace(base, name=name, tokenizer=_spec(base.tokenizer, name, fields), source="settings", **given)


def _spec(like: TokenizerSpec, name: str, fields: Mapping[str, str]) -> TokenizerSpec:
    if fields.keys().isdisjoint(("tokenizer", "factor", "band")):
        return like
    base = fields.get("tokenizer", like.base)
    if base not in VOCABULARIES:
        raise ValueError(f"there is no tokenizer {base!r}; there are {', '.join(VOCABULARIES)}")
    factor = (
        _number(fields, "factor", most=10.0)
        if "factor" in fields
        else 1.0
        if "tokenizer" in fields
        else like.permille / 1000
    )
    band = int(_number(fields, "band", most=100)) if "band" in fields else 0 if factor == 1.0 else like.band
    exact = factor == 1.0 and band == 0
    return TokenizerSpec(
        base if exact else plain_name(name), exact=exact, base=base, permille=round(factor * 1000), band=band
    )


def _number(fields: Mapping[str, str], field: str, *, most: float) -> float:
    try:
        value = float(fields[field])
    except ValueError:
        value = -1.0
    # Also keeps out what is not a number at all: it compares as False.
    if not 0 <= value <= most or (field == "factor" and value < 0.1):
        raise ValueError(f"{field} cannot be {fields[field]!r}")
    return value
