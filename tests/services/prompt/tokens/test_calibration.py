"""Real counts narrow the band, disagreement widens it, and profiles come from program, settings and counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError
from services.prompt.render.ladder import Budget
from services.prompt.tokens.models import tokenizer_for
from services.prompt.tokens.profiles import FILE, KEPT, Calibrations, Profiles, Sample, calibrated, check

CLAUDE = tokenizer_for("claude-sonnet-4-5")


def sample(ratio: float, *, base: int = 10_000, text: str = "t") -> Sample:
    return Sample(base=base, actual=round(base * ratio), at=0, text=text)


def test_each_count_that_agrees_narrows_the_band() -> None:
    bands = [calibrated(CLAUDE, [sample(1.21)] * n).band for n in range(8)]
    assert bands[0] == CLAUDE.band
    assert bands == sorted(bands, reverse=True)
    assert bands[1] <= 11
    assert bands[4] <= 7
    assert calibrated(CLAUDE, [sample(1.21)]).permille == 1210


def test_counts_that_disagree_widen_it() -> None:
    spec = calibrated(CLAUDE, [sample(0.9), sample(1.5)])
    assert spec.band >= 25


@given(st.lists(st.tuples(st.floats(0.5, 3.0), st.integers(200, 100_000)), min_size=1, max_size=KEPT))
def test_every_count_lies_within_the_band(counts: list[tuple[float, int]]) -> None:
    samples = [sample(ratio, base=base) for ratio, base in counts]
    spec = calibrated(CLAUDE, samples)
    budget = Budget(tokens=1, band=spec.band)
    for each in samples:
        tokens = spec.scale(each.base)
        assert budget.low(tokens) <= each.actual + 1
        assert budget.high(tokens) >= each.actual - 1


@given(st.integers(100, 100_000), st.integers(0, 60), st.integers(0, 90))
def test_what_fits_the_room_fits_the_budget_at_the_high_end(tokens: int, band: int, reserve: int) -> None:
    budget = Budget(tokens=tokens, band=band, reserve=reserve)
    assert budget.high(budget.room.tokens) + reserve <= tokens
    assert budget.pin_room.tokens <= budget.room.tokens


def test_counts_are_kept_by_model_and_once_for_a_text(tmp_path: Path) -> None:
    kept = Calibrations(tmp_path / "state")
    kept.add("anthropic/Claude-X", sample(1.2, text="a"))
    kept.add("claude-x", sample(1.3, text="a"))
    assert [each.actual for each in Calibrations(tmp_path / "state").of("claude-x")] == [13_000]
    for n in range(KEPT + 3):
        kept.add("claude-x", sample(1.2, text=str(n)))
    assert len(kept.of("claude-x")) == KEPT
    assert kept.of("other") == ()
    (tmp_path / "state" / FILE).write_text("{")
    assert kept.of("claude-x") == ()


@pytest.mark.parametrize("bad", [sample(9.0), sample(0.1), sample(1.2, base=100)])
def test_a_count_that_cannot_be_is_refused(bad: Sample) -> None:
    with pytest.raises(UsageError):
        check(bad)


def test_a_refusal_names_the_count_as_it_was_said() -> None:
    with pytest.raises(UsageError, match=r"^5 tokens cannot be of this window"):
        check(Sample(base=10_000, actual=-2, at=0, text="a"), formatting=7)


def test_settings_make_models_of_their_own(tmp_path: Path) -> None:
    house_own = {"house-1.5.tokenizer": "cl100k_base", "house-1.5.context": "9000"}
    mine_own = {"like": "claude", "factor": "1.25", "band": "4", "per_message": "11", "budget": "5000"}
    own = house_own | {f"mine.{field}": value for field, value in mine_own.items()}
    made = Profiles(own, Calibrations(tmp_path))
    house, mine = made.profile("house-1.5"), made.profile("Mine")
    assert (house.tokenizer.exact, house.tokenizer.base, house.context) == (True, "cl100k_base", 9000)
    assert (mine.tokenizer.permille, mine.tokenizer.band, mine.per_message, mine.budget) == (
        1250,
        4,
        11,
        5000,
    )
    assert mine.context == 200_000
    assert made.names()[:2] == ("house-1.5", "mine")
    assert made.notices() == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("m.factor", "x"),
        ("m.factor", "nan"),
        ("m.band", "-1"),
        ("m.context", "1e12"),
        ("m.tokenizer", "p50k"),
        ("m.x", "1"),
    ],
)
def test_what_makes_no_sense_is_left_out_with_a_notice(tmp_path: Path, key: str, value: str) -> None:
    made = Profiles({key: value}, Calibrations(tmp_path))
    assert len(made.notices()) == 1
    assert made.profile("m").source == "program"


def test_a_count_comes_before_what_the_settings_say(tmp_path: Path) -> None:
    Calibrations(tmp_path).add("m", sample(1.11))
    made = Profiles({"m.factor": "1.5", "m.band": "20"}, Calibrations(tmp_path))
    assert (made.profile("m").tokenizer.permille, made.profile("m").source) == (1110, "calibrated")
    assert made.uncalibrated("m").tokenizer.permille == 1500


def test_a_damaged_file_is_set_aside_and_said_to_be(tmp_path: Path) -> None:
    counts = Calibrations(tmp_path)
    counts.add("x", sample(1.2))
    assert counts.notices() == ()
    (tmp_path / FILE).write_bytes(b"\x00not json")
    assert counts.of("x") == ()
    assert "damaged" in counts.notices()[0].message
    assert (tmp_path / f"{FILE}.damaged").read_bytes() == b"\x00not json"
    assert len(counts.add("x", sample(1.2))) == 1
