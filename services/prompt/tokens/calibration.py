"""Approximate tokenizers improved by real counts: reported sizes of windows for a person's model.

Each count is a ratio of the model's tokens to those of the base encoding. The factor is that of all counts together, so
that long texts weigh more. The band is two standard deviations of the ratios about it, with the published band as one
more observation, and never less than the furthest ratio was away: one count narrows it to seven tenths, four that agree
to less than half; counts that disagree widen it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from services.concurrency.filelock import lock
from services.decoding import decode
from services.errors import Busy, ReadOnly, UsageError
from services.model import Notice
from services.prompt.tokens.models import TokenizerSpec, plain_name
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
