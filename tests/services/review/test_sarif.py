"""SARIF as its schema has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from services.model.review import CommentState, Finding, Review, ReviewComment, Severity
from services.review.publisher import sarif

SCHEMA = Path(__file__).parents[2] / "support" / "sarif" / "sarif-2.1.0-rtm.5.json"
VALIDATOR = Draft4Validator(json.loads(SCHEMA.read_text()))
REVIEW = Review(id="R_1", change="HEAD", title="Commit HEAD")
PATHS = st.sampled_from(["", "src/A.cs", "src/with blank/Ä.cs", "a#b?.cs", "x%20.cs"])
LINES = st.none() | st.integers(1, 10**6)


def faults(log: str) -> list[str]:
    """What the schema has against a log."""
    return [error.message for error in VALIDATOR.iter_errors(json.loads(log))]


@st.composite
def comments(draw: st.DrawFn) -> ReviewComment:
    line = draw(LINES)
    return ReviewComment(
        id="C_1", file=draw(PATHS), line=line, end_line=line + draw(st.integers(1, 9)) if line else None,
        severity=draw(st.sampled_from(Severity)), category=draw(st.text(max_size=12)), text=draw(st.text(min_size=1)),
        suggestion=draw(st.none() | st.text(max_size=40)), state=CommentState.ACCEPTED,
    )  # fmt: skip


FINDINGS = st.builds(
    Finding,
    kind=st.sampled_from(["api", "callers", "tests", "secret", "conflict", "debris"]),
    severity=st.sampled_from(Severity),
    file=PATHS,
    line=LINES,
    text=st.text(min_size=1),
    code=st.sampled_from(["", "CP0002"]),
    places=st.lists(st.sampled_from(["src/B.cs:3", "N.Tests.M", "C:/x.cs:9", "b/c.cs:0"])).map(tuple),
)


@given(st.lists(comments(), max_size=4), st.lists(FINDINGS, max_size=4))
def test_every_log_fits_the_schema(said: list[ReviewComment], found: list[Finding]) -> None:
    assert faults(sarif(REVIEW, said, found)) == []


@pytest.mark.parametrize("broken", [
    {"runs": []}, {"version": "2.0.0", "runs": []}, {"version": "2.1.0", "runs": [{"tool": {}}]},
    {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "a"}}, "results": [{"level": "bad"}]}]},
])  # fmt: skip
def test_the_schema_refuses_what_is_none(broken: dict[str, Any]) -> None:
    assert faults(json.dumps(broken))
