"""`inheritdoc`: the comment that it stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.bench.bench import Bench
from tests.support.workspace import indexed

SOURCE = """
namespace N;
/// <summary>A shape.</summary>
public interface IShape<T>
{
    /// <summary>Its area.</summary>
    /// <returns>Square metres.</returns>
    double Area();
    /// <summary>Moves by numbers.</summary>
    /// <param name="by">How far.</param>
    void Move(int by);
    /// <summary>Moves by words.</summary>
    void Move(string by);
    /// <summary>Its name.</summary>
    string Name { get; }
}
/// <inheritdoc/>
public abstract class Base : IShape<int>
{
    /// <summary>Makes one.</summary>
    protected Base(int at) { }
    /// <inheritdoc/>
    public abstract double Area();
    /// <inheritdoc />
    public void Move(int by) { }
    /// <inheritdoc/>
    public void Move(string by) { }
    /// <inheritdoc/>
    string IShape<int>.Name => "";
}
/// <summary><inheritdoc cref="IShape{T}"/></summary>
public class Round : Base
{
    /// <inheritdoc/>
    public Round(int at) : base(at) { }
    /// <inheritdoc/>
    public override double Area() => 0;
    /// <inheritdoc cref="IShape{T}.Move(string)"/>
    public void Push() { }
    /// <inheritdoc cref="Push"/>
    public void Again() { }
    /// <inheritdoc cref="M:N.IShape`1.Gone"/>
    public void Lost() { }
    /// <inheritdoc cref="Two"/>
    public void One() { }
    /// <inheritdoc cref="One"/>
    public void Two() { }
    /// <inheritdoc/>
    public override string ToString() => "";
}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("N.Base", "A shape."),
        ("N.Round", "A shape."),
        ("N.Base.Area", "Its area."),
        ("N.Round.Area", "Its area."),
        ("N.Base.Move(int)", "Moves by numbers."),
        ("N.Base.Move(string)", "Moves by words."),
        ("N.Base.Name", "Its name."),
        ("N.Round.Round", "Makes one."),
        ("N.Round.Push", "Moves by words."),
        ("N.Round.Again", "Moves by words."),
        ("N.Round.Lost", None),
        ("N.Round.One", None),
        ("N.Round.ToString", None),
    ],
)
def test_the_first_line_is_that_of_the_source(tmp_path: Path, path: str, line: str | None) -> None:
    with indexed(tmp_path, {"A.cs": SOURCE}) as bench:
        assert _first_line(bench, path) == line


def _first_line(bench: Bench, path: str) -> str | None:
    found = bench.lookup.resolve(path).symbol
    assert found is not None
    return {symbol.id: symbol.doc_first_line for symbol in bench.index.symbols()}[found.id]


def test_the_outline_of_a_member_says_what_its_parameters_and_result_are(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": SOURCE}) as bench:
        assert "// Returns: Square metres." in bench.outlines.outline("N.Round.Area").text
        assert "// by: How far." in bench.outlines.outline("N.Base.Move(int)").text
