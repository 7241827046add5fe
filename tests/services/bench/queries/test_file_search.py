"""Files by parts of their paths."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from services.bench.queries.places import best_files
from services.bench.queries.sources import Grep
from tests.support.workspace import indexed

PATHS = [
    "src/Shop/Basket.cs",
    "src/Shop/BasketTests.cs",
    "src/basket/Till.cs",
    "README.md",
    "src/B/a/s/k/e/t.cs",
]


def test_names_come_before_folders_and_whole_words_before_letters() -> None:
    assert [hit.path for hit in best_files(PATHS, ["basket"], most=10)] == [
        "src/Shop/Basket.cs",
        "src/Shop/BasketTests.cs",
        "src/basket/Till.cs",
        "src/B/a/s/k/e/t.cs",
    ]
    assert [hit.path for hit in best_files(PATHS, ["shop", "tests"], most=10)] == ["src/Shop/BasketTests.cs"]


@given(
    st.lists(st.text(alphabet="abC/.İ", min_size=1), max_size=8),
    st.text(alphabet="abc", min_size=1, max_size=3),
)
def test_what_is_lit_are_letters_of_the_query(paths: list[str], word: str) -> None:
    for hit in best_files(paths, [word], most=5):
        low = hit.path.lower()
        assert sorted(low[at] for at in hit.positions) == sorted(word) or len(hit.positions) <= len(word)


def test_files_of_every_kind_are_found_and_literals_are_no_expressions(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { int[] a; int b; }", "notes/READ.md": "a"}) as bench:
        assert [hit.path for hit in bench.places.files("read")] == ["notes/READ.md"]
        assert bench.places.files(" ") == ()
        assert bench.sources.grep(Grep(pattern="int[]", literal=True)).match_count == 1
        assert bench.sources.grep(Grep(pattern="in", literal=True, word=True)).match_count == 0
        assert bench.sources.grep(Grep(pattern="a|b", word=True)).match_count == 2
