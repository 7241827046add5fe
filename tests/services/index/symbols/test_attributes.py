"""Attributes that mean something at run time, read from the source of a declaration."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workspace import indexed

SHOP = """using Microsoft.AspNetCore.Mvc;
namespace Shop;

/// <summary>Serves items.</summary>
[ApiController] // for clients
[Route("items/{id:regex(^[a-z]{{2,}}$)}"), Authorize(Roles = "a, b]")]
public partial class Items : ControllerBase
{
    [HttpGet("{id}")]
    [HttpHead("{id}")]
    [ProducesResponseType(200)]
    [return: NotNull]
    public Item Get([FromQuery] int id) => null;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fast() { }

    [Theory, InlineData(1), InlineData(2), InlineData(3), InlineData(4)]
    public void Test(int value) { }

    [field: NonSerialized]
    public event Action Changed;

    [Obsolete(@"Use ""Get"".")]
    public void Old() { }
}

[Table("items")]
public partial class Items { }
"""


def found(tmp_path: Path) -> dict[str, tuple[str, ...]]:
    with indexed(tmp_path, {"Items.cs": SHOP}) as bench:
        detail = bench.outlines.detail("Shop.Items")
        names = {each.id: each.name for each in (detail.symbol, *detail.members)}
        return {names[id_]: its for id_, its in detail.attributes.items()}


def test_what_means_something_at_run_time_is_told_as_it_is_written(tmp_path: Path) -> None:
    assert found(tmp_path) == {
        "Items": (
            "ApiController",
            'Route("items/{id:regex(^[a-z]{{2,}}$)}")',
            'Authorize(Roles = "a, b]")',
            'Table("items")',
        ),
        "Get": ('HttpGet("{id}")', 'HttpHead("{id}")'),
        "Test": ("Theory", "InlineData(1)", "InlineData(2)", "/* 2 more InlineData */"),
        "Changed": ("field: NonSerialized",),
        "Old": ('Obsolete(@"Use ""Get"".")',),
    }


@pytest.mark.parametrize(
    "broken", ['[Route("a class C { }', "[Route(((( class C { }", "[", '[Route("a"), , ] class C { }']
)
def test_a_section_that_does_not_close_says_nothing_and_fails_nothing(tmp_path: Path, broken: str) -> None:
    with indexed(tmp_path, {"C.cs": broken, "D.cs": "class D { }"}) as bench:
        assert bench.outlines.detail("D").attributes == {}
        for hit in bench.index.search("C").hits:
            bench.outlines.outline(hit.symbol.id)
