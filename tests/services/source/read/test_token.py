"""Version tokens: their form, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import TokenInvalid
from services.source.read.token import EMPTY, digest_of, parse_token, token_of


@given(st.binary(max_size=50), st.integers(0, 2**62))
def test_a_token_comes_apart_into_time_and_content(data: bytes, mtime_ns: int) -> None:
    token = token_of(data, mtime_ns)
    assert str(parse_token(token)) == token
    assert parse_token(token).digest == digest_of(data)
    assert (token == EMPTY) == (data == b"")


def test_a_file_from_before_1970_has_a_token_that_can_be_read() -> None:
    assert parse_token(token_of(b"x", -5_000_000)).changed_at == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "empty",
        "1_empty",
        "_" + "0" * 16,
        "1_" + "0" * 15,
        "1_" + "0" * 17,
        "1_" + "A" * 16,
        "-1_" + "0" * 16,
        " 1_" + "0" * 16,
        "1_" + "0" * 16 + "\n",
        "١_" + "0" * 16,
        "1" * 10_000 + "_" + "0" * 16,
        "1_\0" + "0" * 15,
    ],
)
def test_what_no_read_can_have_given_is_refused(text: str) -> None:
    with pytest.raises(TokenInvalid, match="is not a version token") as raised:
        parse_token(text)
    assert raised.value.as_value()["retryAction"] == "getObjectSourceV2"
    assert len(raised.value.message) < 300
