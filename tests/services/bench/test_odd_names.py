"""A file whose name is no UTF-8 is pinned, compared, reviewed and read as any other, and never written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import PathRefused
from services.model.review import ReviewComment
from services.review.publisher import sarif
from tests.support.review_change import committed

NAME = "Lib/caf\udce9.cs"
TEXT = b"namespace N;\npublic class Cafe\n{\n    int Cups() => 1;\n}\n"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        (tmp_path / NAME).write_bytes(TEXT)
        made.index.refresh()
        yield made


@pytest.mark.parametrize("item", [NAME, f"{NAME}:2-4"], ids=["file", "range"])
def test_it_is_pinned_and_kept(bench: Bench, item: str) -> None:
    assert "int Cups()" in bench.window.pin(item).text
    bench.presets.save("odd")
    bench.window.unpin(item)
    assert "int Cups()" in bench.presets.load("odd").text
    with Bench.open(bench.root, settings=bench.settings) as other:
        assert [each.pinned for each in other.window.render().items] == [True]
    written = bench.root / ".context" / "prompt_window.md"
    bench.close()
    assert "int Cups()" in written.read_text("utf-8")


def test_it_is_a_change_among_others_that_is_marked_and_commented_on(bench: Bench) -> None:
    opened = bench.review.open("")
    assert [each.path for each in opened.set.files] == [NAME]
    (taken,) = bench.review.add("", ReviewComment(file=NAME, line=4, text="How many?")).taken
    assert bench.review.mark("", NAME, 4).progress.reviewed == 1
    assert bench.review.comment("", taken.id).file == NAME
    assert [each.status for each in bench.review.since("").files] == ["same"]
    (bench.root / NAME).write_bytes(TEXT.replace(b"1", b"2"))
    changed = bench.review.open("")
    assert changed.set.signature != opened.set.signature
    assert bench.review.review("").progress.reviewed == 0


def test_its_place_in_sarif_is_an_address_of_its_bytes(bench: Bench) -> None:
    bench.review.add("", ReviewComment(file=NAME, line=4, text="How many?"))
    review = bench.review.review("").review
    assert '"uri": "Lib/caf%E9.cs"' in sarif(review, review.comments)


def test_it_is_read_and_a_write_is_refused_with_the_reason_before_anything_happens(bench: Bench) -> None:
    read = bench.sources.read(NAME, start=4, end=4)
    assert read.content == "    int Cups() => 1;\n"
    assert bench.sources.structure(NAME).line_count == 5
    attempts: list[Callable[[], object]] = [
        lambda: bench.writing.lock(NAME),
        lambda: bench.writing.replace(NAME, "int Cups() => 2;\n", handle="L", token=read.token),
        lambda: bench.patching.lock(bench.patching.begin(NAME, 4, 4)),
        lambda: bench.writing.break_lock(NAME, reason="Mine."),
        lambda: bench.writing.undo(NAME),
        lambda: bench.writing.history(NAME, limit=5),
    ]
    for attempt in attempts:
        with pytest.raises(PathRefused, match="no UTF-8"):
            attempt()
    assert (bench.root / NAME).read_bytes() == TEXT


def test_a_draft_of_it_is_kept_and_found_again(bench: Bench) -> None:
    bench.patching.keep(bench.patching.begin(NAME, 4, 4))
    assert [each.file for each in bench.patching.drafts()] == [NAME]
