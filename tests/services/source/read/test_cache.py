"""The memory of reads: what lives how long, what goes first, and what it takes to know a token."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import CacheExpired, TokenInvalid, TokenMismatch
from services.settings import CacheSettings
from services.source.read.cache import CachedContent, SourceCache
from services.source.read.token import digest_of, token_of
from services.source.text.ranges import covers, from_text, joined, shifted, to_text
from services.workspace.files.root import FileStamp
from services.workspace.text import decode

SECOND_NS = 1_000_000_000


class HandClock:
    """A clock that is moved by hand; the wall may jump without the steady one."""

    def __init__(self) -> None:
        self.now = 1_000_000
        self.jumped = 0

    def wall(self) -> int:
        return self.now + self.jumped

    def steady(self) -> int:
        return self.now


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def made(clock: HandClock, *, base_bytes: int = 1_000, **settings: Any) -> SourceCache:
    return SourceCache(CacheSettings(**settings), clock=clock, base_bytes=base_bytes)


def put(cache: SourceCache, path: str, content: str, *, mtime_ns: int = SECOND_NS) -> CachedContent:
    data = content.encode()
    stamp = FileStamp(path, len(data), mtime_ns)
    return cache.remember(
        path, digest_of(data), decode(data), mtime_ns=mtime_ns, changed_by="ann", stamp=stamp
    )


def test_a_file_with_the_stamp_it_was_read_with_needs_no_reading(clock: HandClock) -> None:
    cache = made(clock)
    entry = put(cache, "a", "one\n")
    stamp = FileStamp("a", 4, SECOND_NS)
    assert cache.fresh(stamp) is not None
    assert cache.fresh(FileStamp("a", 5, SECOND_NS)) is None
    assert cache.fresh(FileStamp("a", 4, SECOND_NS + 1)) is None
    assert cache.fresh(FileStamp("b", 4, SECOND_NS)) is None
    assert (entry.token, entry.line_count) == (token_of(b"one\n", SECOND_NS), 1)
    figures = cache.figures()
    assert (figures["hits"], figures["misses"], figures["entries"], figures["bytes"]) == (1, 3, 1, 4)


def test_a_file_changed_a_moment_before_it_was_read_is_read_again(clock: HandClock) -> None:
    cache = made(clock)
    mtime_ns = (clock.wall() - 20) * 1_000_000
    put(cache, "a", "one\n", mtime_ns=mtime_ns)
    assert cache.fresh(FileStamp("a", 4, mtime_ns)) is None


def test_an_entry_lives_for_its_time_and_using_it_begins_it_again(clock: HandClock) -> None:
    cache = made(clock, ttl=1_000)
    token = put(cache, "a", "one\n").token
    clock.now += 999
    assert cache.seen("a", token).token == token
    assert cache.fresh(FileStamp("a", 4, SECOND_NS)) is not None
    clock.now += 999
    assert cache.seen("a", token).expires_at == clock.wall() + 1
    clock.now += 1
    with pytest.raises(CacheExpired) as raised:
        cache.seen("a", token)
    value = raised.value.as_value()
    assert (value["code"], value["retry"], value["retryAction"]) == (4000, True, "getObjectSourceV2")
    assert (value["details"]["object"], value["advice"]) == ("a", "reread")


@pytest.mark.parametrize("jump", [-10_000_000, 10_000_000])
def test_a_wall_clock_that_jumps_expires_nothing(clock: HandClock, jump: int) -> None:
    cache = made(clock, ttl=1_000)
    token = put(cache, "a", "one\n").token
    clock.jumped += jump
    assert cache.seen("a", token).path == "a"


def test_without_time_to_live_nothing_is_remembered(clock: HandClock) -> None:
    cache = made(clock, ttl=0)
    token = put(cache, "a", "one\n").token
    with pytest.raises(CacheExpired):
        cache.seen("a", token)


def test_the_least_recently_used_makes_room(clock: HandClock) -> None:
    cache = made(clock, size=2)
    tokens = {name: put(cache, name, name).token for name in "ab"}
    cache.seen("a", tokens["a"])
    put(cache, "c", "c")
    assert cache.seen("a", tokens["a"]).path == "a"
    with pytest.raises(CacheExpired):
        cache.seen("b", tokens["b"])
    assert (cache.figures()["evictions"], cache.figures()["entries"]) == (1, 2)


def test_contents_are_kept_within_their_bytes_and_what_was_read_stays_known(clock: HandClock) -> None:
    cache = made(clock, base_bytes=10)
    first = put(cache, "a", "x" * 8)
    cache.saw(first, 1, 1)
    put(cache, "b", "y" * 8)
    kept = cache.seen("a", first.token)
    assert (kept.base, kept.lines) == (None, ((1, 1),))
    assert cache.figures()["bytes"] == 8
    put(cache, "c", "z" * 11)
    assert cache.figures()["bytes"] == 0


def test_clean_up_comes_on_the_way_once_its_interval_has_passed(clock: HandClock) -> None:
    cache = made(clock, ttl=1_000, cleanup_interval=5_000)
    put(cache, "a", "one\n")
    clock.now += 4_000
    put(cache, "b", "two\n")
    assert cache.figures()["entries"] == 2
    clock.now += 1_000
    put(cache, "c", "three\n")
    assert (cache.figures()["entries"], cache.figures()["expired"], cache.figures()["evictions"]) == (1, 2, 0)


def test_a_token_is_known_by_its_bytes_whatever_the_time_in_it(clock: HandClock) -> None:
    cache = made(clock)
    entry = put(cache, "a", "one\n")
    cache.saw(entry, 1, 1)
    later = put(cache, "a", "one\n", mtime_ns=2 * SECOND_NS)
    assert later.token != entry.token
    assert cache.seen("a", entry.token).lines == cache.seen("a", later.token).lines == ((1, 1),)


def test_a_token_of_another_file_and_one_of_no_read_are_told_apart(clock: HandClock) -> None:
    cache = made(clock)
    other = put(cache, "b", "two\n")
    with pytest.raises(TokenMismatch, match="is of b, not of a") as raised:
        cache.seen("a", other.token)
    assert raised.value.as_value()["code"] == 4002
    with pytest.raises(TokenInvalid) as invalid:
        cache.seen("a", "HEAD")
    assert invalid.value.as_value()["code"] == 4001


def test_the_content_before_a_change_stays_as_the_base_of_a_merge(clock: HandClock) -> None:
    cache = made(clock)
    before = put(cache, "a", "one\n")
    put(cache, "a", "two\n", mtime_ns=2 * SECOND_NS)
    base = cache.seen("a", before.token).base
    assert base is not None
    assert base.data == b"one\n"
    cache.forget("a")
    assert cache.figures()["entries"] == cache.figures()["bytes"] == 0


def test_a_version_of_git_changes_nothing_about_the_working_file(clock: HandClock) -> None:
    cache = made(clock)
    put(cache, "a", "one\n")
    data = b"one\n"
    told = cache.remember(
        "a", digest_of(data), decode(data), mtime_ns=5 * SECOND_NS, changed_by="bob", stamp=None
    )
    assert told.changed_by == "bob"
    kept = cache.fresh(FileStamp("a", 4, SECOND_NS))
    assert kept is not None
    assert (kept.changed_by, kept.token) == ("ann", token_of(data, SECOND_NS))


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 6)), max_size=12))
def test_the_lines_that_were_read_are_all_those_and_no_others(reads: list[tuple[int, int]]) -> None:
    cache = made(HandClock())
    entry = put(cache, "a", "x\n" * 40)
    read: set[int] = set()
    for first, length in reads:
        cache.saw(entry, first, first + length)
        read.update(range(first, first + length + 1))
    lines = cache.seen("a", entry.token).lines
    assert [n for a, b in lines for n in range(a, b + 1)] == sorted(read)
    assert all(b + 1 < c for (_, b), (c, _) in pairwise(lines))
    for first in range(1, 30):
        assert covers(lines, first, first + 2) == {first, first + 1, first + 2}.issubset(read)
        assert covers(lines, first, first - 1) == (first in read or first - 1 in read)


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(0, 6)), max_size=6),
    st.integers(1, 20),
    st.integers(0, 5),
    st.integers(0, 5),
)
def test_known_lines_move_with_what_a_write_makes_of_others(
    told: list[tuple[int, int]], first: int, before: int, after: int
) -> None:
    lines = joined((), [(start, start + length) for start, length in told])
    known = {number for a, b in lines for number in range(a, b + 1)}
    old, new = (first, first + before - 1), (first, first + after - 1)
    moved = {
        number if number < first else number + after - before
        for number in known
        if not old[0] <= number <= old[1]
    } | set(range(new[0], new[1] + 1))
    found = shifted(lines, old, new)
    assert [number for a, b in found for number in range(a, b + 1)] == sorted(moved)
    assert from_text(to_text(found)) == found
