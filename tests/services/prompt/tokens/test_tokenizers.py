import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.concurrency.latest import MadeOnce
from services.prompt.tokens import tokenizers
from services.prompt.tokens.models import load_encoding
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for, repaired

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=400)


class CountingBase:
    """A BaseCounter that remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def count_base(self, encoding, texts):
        self.asked.append(list(texts))
        return [len(text) for text in texts]


@pytest.fixture(scope="module", params=["o200k_base", "cl100k_base"])
def encoding(request):
    return load_encoding(request.param)


def test_counts_what_tiktoken_encodes(encoding, encodings):
    counter = counter_for(encoding.name, encodings)

    @given(ANY_TEXT)
    def check(text):
        assert counter.count(text) == len(encoding.encode_ordinary(text))

    check()


def test_special_tokens_in_a_text_are_ordinary_text(encodings):
    assert counter_for("gpt-4o", encodings).count("<|endoftext|>") > 1


@pytest.mark.parametrize("blank", [" ", "\t", "\r\n"])
def test_a_run_of_blanks_that_stops_tiktoken_is_counted_nearly(blank, encodings):
    length = 1_200_000 // len(blank)
    half = encodings.count_base("o200k_base", [blank * (length // 2)])[0]
    whole = encodings.count_base("o200k_base", ["x" + blank * length + "y"])[0]
    assert 2 * half - 4 <= whole <= 2 * half + 6


@pytest.mark.parametrize("character", ["a", "A", "-", "漢", "1", "\u0301"])
def test_a_long_run_of_anything_is_counted(character, encodings):
    assert encodings.count_base("o200k_base", [character * 300_000])[0] > 1000


def test_lone_surrogates_are_repaired_as_tiktoken_does():
    assert repaired("a\ud800b") == "a\ufffdb"
    assert repaired("plain ü 🎉") == "plain ü 🎉"


def test_a_text_is_counted_once():
    base = CountingBase()
    counter = counter_for("gpt-4o", base)
    assert counter.count_many(["ab", "c", "ab"]) == [2, 1, 2]
    assert counter.count_many(["c", "def"]) == [1, 3]
    assert base.asked == [["ab", "c"], ["def"]]


def test_the_cache_forgets_what_was_used_longest_ago():
    base = CountingBase()
    counter = counter_for("gpt-4o", base)
    counter.count("first")
    counter.count_many([str(n) for n in range(tokenizers.CACHED_COUNTS)])
    base.asked.clear()
    counter.count(str(tokenizers.CACHED_COUNTS - 1))
    assert base.asked == []
    counter.count("first")
    assert base.asked == [["first"]]


def test_an_approximation_scales_the_base_count():
    counter = counter_for("claude-sonnet-4-5", CountingBase())
    assert counter.count("x" * 10) == 13
    assert not counter.exact


def test_counters_and_threads_that_come_together_build_one_encoding(monkeypatch):
    ready, built = threading.Barrier(4), []

    def load(name):
        built.append(name)
        return load_encoding(name)

    def use():
        ready.wait()
        EncodingCounter().count_base("cl100k_base", ["x"])

    monkeypatch.setattr(tokenizers, "_encodings", MadeOnce())
    monkeypatch.setattr(tokenizers, "load_encoding", load)
    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == ["cl100k_base"]
