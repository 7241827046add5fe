"""Profile of a model: the program's defaults, then the settings, then real counts, which improve approximate
tokenizers."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from services.concurrency.exclusion import lock
from services.decoding import decode
from services.errors import Busy, ReadOnly, UsageError
from services.model import Notice
from services.prompt.tokens.models import (
    SUGGESTED_MODELS,
    VOCABULARIES,
    ModelProfile,
    TokenizerSpec,
    plain_name,
    profile_for,
)
from services.workspace.files import durable
from services.workspace.files.openers import held

FILE = "calibration.json"
KEPT = 20
"""Counts kept of a model: it may get another tokenizer under the same name."""
LEAST_TOKENS = 200
"""In a smaller window what a chat adds around it outweighs what is measured."""
_LEAST_BAND = 2
_PATIENCE = 5.0
_LEAST_RATIO, _MOST_RATIO = 0.25, 4.0


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A real count. `base`: tokens of the base encoding, `actual`: of the model; `at`: ms since 1970; `text`: hash of
    what was counted."""

    base: int
    actual: int
    at: int
    text: str

    @property
    def ratio(self) -> float:
        """Tokens of the model for one of the base encoding."""
        return self.actual / self.base


class _State(msgspec.Struct, frozen=True, kw_only=True):
    format: int = 1
    models: Mapping[str, tuple[Sample, ...]] = {}


def calibrated(spec: TokenizerSpec, samples: Sequence[Sample]) -> TokenizerSpec:
    """The tokenizer with factor and band from real counts; as it is where it is exact or there are none."""
    if spec.exact or not samples:
        return spec
    factor = sum(each.actual for each in samples) / sum(each.base for each in samples)
    away = [abs(each.ratio / factor - 1) for each in samples]
    published = spec.band / 200
    deviation = math.sqrt((published**2 + sum(each**2 for each in away)) / (1 + len(samples)))
    band = math.ceil(100 * max(2 * deviation, *away))
    return replace(spec, permille=math.ceil(factor * 1000), band=max(_LEAST_BAND, band))


def check(sample: Sample, *, formatting: int = 0) -> None:
    """Raise UsageError for a count that is impossible for that text. `formatting`: tokens beyond the sample."""
    if sample.base < LEAST_TOKENS:
        raise UsageError(
            f"The window takes only {sample.base} tokens. Pin more: from {LEAST_TOKENS} on a count says something."
        )
    if not _LEAST_RATIO <= sample.ratio <= _MOST_RATIO:
        raise UsageError(
            f"{sample.actual + formatting} tokens cannot be of this window, which takes about {sample.base}. "
            "Give the count of the window as it is now."
        )


class Calibrations:
    """Real counts by model, stored in the user's state folder for all workspaces. Thread-safe, and safe among
    processes. A damaged file is set aside with a notice."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notices: tuple[Notice, ...] = ()

    def notices(self) -> tuple[Notice, ...]:
        """Return notices of damaged files."""
        return self._notices

    def of(self, model: str) -> tuple[Sample, ...]:
        """The counts of a model, oldest first."""
        return self._read().models.get(plain_name(model), ())

    def add(self, model: str, sample: Sample) -> tuple[Sample, ...]:
        """Store a count, replacing an earlier one of the same text; return the present ones. Raises ReadOnly."""
        name = plain_name(model)
        try:
            durable.private_folder(self._folder)
            with self._locked() as folder:
                state = self._read()
                others = [each for each in state.models.get(name, ()) if each.text != sample.text]
                samples = (*others, sample)[-KEPT:]
                durable.replace(folder, FILE, _encoded(_State(models={**state.models, name: samples})))
        except OSError as error:
            raise ReadOnly(
                f"{self._folder / FILE} was not written: {error.strerror}.", path=str(self._folder)
            ) from error
        return samples

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        """Yield the locked folder: no other process changes it."""
        with (
            held(os.fspath(self._folder), os.O_RDONLY | os.O_DIRECTORY) as folder,
            held(f"{FILE}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, folder=folder) as guard,
        ):
            if not lock(guard, _PATIENCE):
                raise Busy("Another process is keeping a count. Try again.")
            yield folder

    def _read(self) -> _State:
        file = self._folder / FILE
        try:
            return decode(_State, file.read_bytes())
        except OSError:
            return _State()
        except msgspec.DecodeError:
            self._quarantine(file)
            return _State()

    def _quarantine(self, file: Path) -> None:
        aside = file.with_name(f"{FILE}.damaged")
        with contextlib.suppress(OSError):
            file.replace(aside)
        self._notices = (
            Notice(
                severity="warning",
                message=f"The real counts of tokens in {FILE} are damaged: windows are estimated without them.",
                what_to_do=f"They are kept as {aside.name}. Count again with `calibrate`.",
                file=str(aside),
            ),
        )


def _encoded(state: _State) -> bytes:
    return json.dumps(msgspec.to_builtins(state), indent=2, sort_keys=True).encode() + b"\n"


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
