"""Members of a class in its shell: what they use stands above them, each line of the source once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.model import Level
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from tests.support.workspace import edit, indexed

GAUGE = """namespace Orchard.Tools;

public sealed class Gauge : IGauge
{
    private const double Factor = 1.5;
    private readonly int _limit = 3;
    private int _unused;

    public int Level { get; set; }

    public int Read(int raw)
    {
        return Clamp((int)(raw * Factor));
    }

    private int Clamp(int value)
    {
        return value > _limit ? _limit : value;
    }

    public void Reset() => Level = 0;
}
"""
FILES = {
    "src/Gauge.cs": GAUGE,
    "src/IGauge.cs": (
        "namespace Orchard.Tools;\n\npublic interface IGauge { int Read(int raw); "
        + " ".join(f"int Weigh{n}(int raw, string unit);" for n in range(6))
        + " }\n"
    ),
}
COUNTER = counter_for("gpt-5", EncodingCounter())


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        yield bench


def test_members_of_one_class_stand_in_its_declaration_below_what_they_use(bench: Bench) -> None:
    bench.window.pin("Gauge.Reset", level="bodies")
    bench.window.pin("IGauge", level="signature")
    bench.window.pin("Gauge.Read", level="bodies")
    text = bench.window.render().text
    assert text.startswith("## IGauge · type signature\n"), "interfaces stand before what uses them"
    assert (
        """## Gauge · type with bodies

```cs
// src/Gauge.cs:3-22
namespace Orchard.Tools;

public sealed class Gauge : IGauge
{
    private const double Factor = 1.5;
    private readonly int _limit = 3;
    private int _unused;
    public int Level { get; set; }
    private int Clamp(int value);

    // lines 11-14
    public int Read(int raw)
    {
        return Clamp((int)(raw * Factor));
    }

    // line 21
    public void Reset() => Level = 0;
}
```
"""
        in text
    )
    assert text.count("int Read(int raw)\n") == 1


def test_bodies_of_a_partial_class_name_their_files(tmp_path: Path) -> None:
    files = {
        "src/Pump.cs": "public partial class Pump\n{\n    public int Fill() => 1;\n}\n",
        "src/Pump.Drain.cs": "public partial class Pump\n{\n    public int Drain() => 2;\n}\n",
    }
    with indexed(tmp_path, files) as bench:
        bench.window.pin("Pump.Fill", level="bodies")
        assert "// src/Pump.cs:3\n" in bench.window.render().text, "the declaration is in another file"
        bench.window.pin("Pump.Drain", level="bodies")
        text = bench.window.render().text
    assert "// src/Pump.cs:3\n" in text
    assert "// src/Pump.Drain.cs:3\n" in text


def test_items_that_share_a_shell_cost_together_what_it_takes(bench: Bench) -> None:
    bench.window.pin("Gauge.Reset", level="bodies")
    bench.window.pin("Gauge.Read", level="bodies")
    window = bench.window.render()
    assert sum(item.tokens for item in window.items) == window.tokens == COUNTER.count(window.text)
    assert [item.level for item in window.items] == [Level.BODIES, Level.BODIES]
    assert all(item.tokens > 0 for item in window.items)


def test_an_edit_of_a_body_shows_in_the_shell(bench: Bench, tmp_path: Path) -> None:
    bench.window.pin("Gauge.Read", level="bodies")
    assert "Factor = 1.5" in bench.window.render().text
    edit(tmp_path, "src/Gauge.cs", GAUGE.replace("raw * Factor", "raw + _limit"))
    text = bench.window.render().text
    assert "raw + _limit" in text
    assert "private readonly int _limit = 3;" in text
    assert "Factor" not in text


def test_lines_that_another_item_shows_are_shown_once(bench: Bench) -> None:
    bench.window.pin("Gauge.Read", level="bodies")
    bench.window.pin("src/Gauge.cs")
    window = bench.window.render()
    assert window.text.count("return Clamp(") == 1
    assert [item.tokens == 0 for item in window.items] == [True, False]
    assert window.omitted == ()


def test_ranges_that_overlap_share_no_line(bench: Bench) -> None:
    bench.window.pin("src/Gauge.cs:5-12")
    bench.window.pin("src/Gauge.cs:10-18")
    text = bench.window.render().text
    assert text.count("public int Read(int raw)") == 1
    assert "## src/Gauge.cs:5-12" in text
    assert "## src/Gauge.cs:13-18" in text


def test_where_not_all_fits_what_is_left_of_one_class_stands_in_one_shell(bench: Bench) -> None:
    bench.window.pin("Gauge.Read", level="bodies")
    bench.window.pin("IGauge", level="outline", force=True)
    bench.window.pin("Gauge.Reset", level="bodies", force=True)
    bench.window.pin("Gauge.Clamp", level="bodies", force=True)
    whole = bench.window.render().tokens
    joined = 0
    for budget in range(100, whole + 40, 7):
        bench.models.choose(None, budget)
        window = bench.window.render()
        assert window.tokens <= budget
        assert COUNTER.count(window.text) == window.tokens
        if window.omitted == () and window.lowered == ():
            continue
        assert window.text.count("public sealed class Gauge : IGauge") <= 1
        shown = [item for item in window.items if item.level is not None]
        assert sum(item.tokens for item in shown) <= window.tokens
        joined += "lines 11-14" in window.text and "line 21" in window.text
    assert joined, "some budget lowers an item and shows both bodies in one shell"


def test_what_joining_saves_is_given_to_others(bench: Bench) -> None:
    for member in ("Read", "Clamp", "Reset"):
        bench.window.pin(f"Gauge.{member}", level="bodies", force=True)
    bench.window.pin("IGauge", level="outline", force=True)
    together = bench.window.render()
    bench.window.pin("src/IGauge.cs", force=True)
    bench.models.choose(None, together.tokens + 60)
    window = bench.window.render()
    assert window.text.count("public sealed class Gauge") == 1
    assert {item.level for item in window.items if item.kind == "member"} == {Level.BODIES}


def test_an_overload_that_a_body_calls_is_declared_above_it(tmp_path: Path) -> None:
    code = """class Player
{
    public void Stop(int id)
    {
        Stop(id, true);
    }

    private bool Stop(int id, bool now)
    {
        return now;
    }

    public void Pause(int id)
    {
    }

    public void Pause()
    {
    }
}
"""
    with indexed(tmp_path, {"Player.cs": code}) as bench:
        bench.window.pin("Player.Stop(int)", level="bodies")
        bench.window.pin("Player.Pause(int)", level="bodies")
        text = bench.window.render().text
    assert "    private bool Stop(int id, bool now);\n" in text
    assert "Pause();" not in text
    assert "// … 1 more member" in text


def test_what_a_type_derives_from_is_said_once(tmp_path: Path) -> None:
    code = "class Base { }\nclass Other { }\nclass Derived : Base { public Other Next; public Base First; }"
    with indexed(tmp_path, {"Types.cs": code}) as bench:
        bench.index.relate()
        bench.window.pin("Derived")
        text = bench.window.render().text
    assert text.count("Base") == 2, "once in the base list, once as the type of a field"
