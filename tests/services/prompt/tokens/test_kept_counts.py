"""Counts that outlast a process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import TokenizerError
from services.prompt.tokens.tokenizers import EncodingCounter, KeptCounts


class Lengths:
    """Counts letters, and remembers which texts it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
        self.asked += texts
        return [len(text) + len(encoding) for text in texts]


def test_a_text_is_counted_once(tmp_path: Path) -> None:
    first, second = Lengths(), Lengths()
    assert KeptCounts(first, tmp_path).count_base("o", ["a", "bb", "a"]) == [2, 3, 2]
    assert KeptCounts(second, tmp_path).count_base("o", ["bb", "ccc", "a"]) == [3, 4, 2]
    assert (first.asked, second.asked) == (["a", "bb"], ["ccc"])


def test_encodings_are_told_apart(tmp_path: Path) -> None:
    counts = KeptCounts(Lengths(), tmp_path)
    assert counts.count_base("o200k_base", ["a"]) == [11]
    assert counts.count_base("cl100k_base", ["a"]) == [12]


def test_a_damaged_file_or_none_at_all_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "tokens-1.db").write_bytes(b"no database" * 1000)
    assert KeptCounts(Lengths(), tmp_path).count_base("o", ["a"]) == [2]
    (tmp_path / "file").write_text("")
    assert KeptCounts(Lengths(), tmp_path / "file" / "below").count_base("o", ["a"]) == [2]


def test_the_file_is_the_persons_alone(tmp_path: Path) -> None:
    KeptCounts(Lengths(), tmp_path / "made").count_base("o", ["a"])
    assert (tmp_path / "made").stat().st_mode & 0o077 == 0
    assert (tmp_path / "made" / "tokens-1.db").stat().st_mode & 0o077 == 0


@given(st.lists(st.text(st.characters()), max_size=5))
def test_counts_are_those_of_the_tokenizer(tmp_path_factory: object, texts: list[str]) -> None:
    folder = Path(str(tmp_path_factory.getbasetemp()), "kept-counts")  # type: ignore[attr-defined]
    base = EncodingCounter()
    for _ in range(2):
        assert KeptCounts(base, folder).count_base("o200k_base", texts) == base.count_base(
            "o200k_base", texts
        )


def test_where_a_counter_fails_the_spare_one_counts(tmp_path: Path) -> None:
    class Failing:
        def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
            raise TokenizerError("gone", tokenizer=encoding)

    texts = ["one two", "three"]
    expected = EncodingCounter().count_base("o200k_base", texts)
    spared = KeptCounts(Failing(), tmp_path / "a", spare=EncodingCounter())
    assert spared.count_base("o200k_base", texts) == expected
    with pytest.raises(TokenizerError):
        KeptCounts(Failing(), tmp_path / "b").count_base("o200k_base", texts)
