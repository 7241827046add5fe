"""The page of results: a topic a section, a corpus a row."""

from __future__ import annotations

from benchmarks.harness.figures import Figure, Section
from benchmarks.harness.results import read_topic, updated

HEADINGS = {"cold": "Cold index", "memory": "Memory"}


def section(corpus: str, seconds: float, *, benchmark: str = "cold") -> Section:
    figure = Figure(
        what="refresh", unit="s", values=(seconds,), reference=(2.0,), against="plain parse", bar="≤ 0.75×"
    )
    plain = Figure(what="most memory", unit="MB", values=(40.0,))
    return Section(
        corpus=corpus, benchmark=benchmark, figures=(figure, plain), notes=("10 files.", "*stamp*")
    )


def test_a_corpus_is_a_row_below_what_it_stands_beside() -> None:
    text = updated("# Results\n\nHead.\n", [section("Polly", 1.0), section("Dapper", 3.0)], HEADINGS)
    assert text.startswith("# Results\n\nHead.\n\n## Cold index\n\n| corpus | refresh | most memory |\n")
    assert "| *beside* | plain parse |  |" in text
    assert "| *bar* | ≤ 0.75× |  |" in text
    assert "| Polly | 1.00 s, **0.50×** | 40.0 MB |\n| Dapper | 3.00 s, **1.50×** | 40.0 MB |" in text
    assert text.endswith("- **Polly**: 10 files. *stamp*\n- **Dapper**: 10 files. *stamp*\n")


def test_a_row_is_rewritten_in_place_and_the_rest_is_left() -> None:
    before = updated(
        "# Results\n\n## Grep\n\n| own | table |\n|---|---|\n| a | b |\n", [section("Polly", 1.0)], HEADINGS
    )
    before = updated(before, [section("Dapper", 3.0)], HEADINGS)
    after = updated(before, [section("Polly", 4.0)], HEADINGS)
    assert "| Polly | 4.00 s, **2.00×** | 40.0 MB |\n| Dapper | 3.00 s" in after
    assert "## Grep\n\n| own | table |\n|---|---|\n| a | b |\n\n## Cold index" in after
    assert updated(after, [section("Polly", 1.0)], HEADINGS) == before


def test_a_figure_that_only_one_corpus_has_is_a_column_with_a_gap() -> None:
    text = updated("# Results\n", [section("Polly", 1.0)], HEADINGS)
    extra = Section(
        corpus="Dapper", benchmark="cold", figures=(Figure(what="source", unit="MB/s", values=(5.0,)),)
    )
    text = updated(text, [extra], HEADINGS)
    assert "| Polly | 1.00 s, **0.50×** | 40.0 MB |  |" in text
    assert "| Dapper |  |  | 5.00 MB/s |" in text
    topic = text.split("## Cold index")[1]
    assert read_topic(topic).text() == topic.strip()
