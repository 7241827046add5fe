"""Comments and trailing commas go, strings stay."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.xmltree import plain

VALUES = st.recursive(
    st.text(alphabet='/*",\\}] a', max_size=8) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet='/*,"a', max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_plain_json_means_the_same_afterwards(value):
    assert json.loads(plain(json.dumps(value, indent=1))) == value


@pytest.mark.parametrize("text", ["/*" * 200_000, '"\\' * 200_000, '"a\\' * 100_000 + "\\", ", " * 200_000])
def test_an_unfinished_text_is_read_once(text):
    started = time.process_time()
    plain(text)
    assert time.process_time() - started < 30.0


def test_comments_and_trailing_commas_go():
    text = '{ // one\n "a//b": ["/*c*/", 1, /* two\n lines */ ], \n "d": {"e": 2, }, // three\n }'
    assert json.loads(plain(text)) == {"a//b": ["/*c*/", 1], "d": {"e": 2}}
