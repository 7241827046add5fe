"""Names that several frameworks have: what the project is for decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workspace import indexed, project

INSIDE = "using System.Drawing;\nnamespace System.Windows.Forms; public class Grid { public Point At; }"

COM = (
    "using System.Runtime.InteropServices.ComTypes;\n"
    "namespace System.Runtime.InteropServices { class Grid { TYPEKIND At; } }"
)


@pytest.mark.parametrize(
    ("framework", "source", "expected"),
    [
        ("net8.0", INSIDE, "System.Drawing.Point"),
        ("net8.0-windows", INSIDE, "System.Drawing.Point"),
        ("net8.0-windows", "using System.Windows; class Grid { Point At; }", "System.Windows.Point"),
        ("net8.0", "using System.Windows; class Grid { Point At; }", "System.Windows.Point"),
        ("net8.0", "using System.Windows; using System.Drawing; class Grid { Point At; }", "System.Drawing.Point"),
        ("net48", "using System.Runtime.InteropServices; class Grid { TYPEKIND At; }",
         "System.Runtime.InteropServices.TYPEKIND"),
        ("net8.0", COM,
         "System.Runtime.InteropServices.ComTypes.TYPEKIND"),
    ],
)  # fmt: skip
def test_a_type_that_the_project_s_framework_has_comes_first(
    tmp_path: Path, framework: str, source: str, expected: str
) -> None:
    files = {"A.csproj": project(f"<TargetFramework>{framework}</TargetFramework>"), "A.cs": source}
    with indexed(tmp_path, files) as bench:
        (field,) = (symbol for symbol in bench.index.symbols() if symbol.name == "At")
        assert field.return_type_fqn == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("using nuint = System.UInt64; class Grid { nuint At; }", "System.UInt64"),
        ("namespace N; class nint { } class Grid { nint At; }", "N.nint"),
        ("namespace N; class dynamic { } class Grid { List<dynamic> At; }",
         "System.Collections.Generic.List<N.dynamic>"),
        ("using Unknown.Namespace; class Grid { nuint At; }", "nuint"),
    ],
)  # fmt: skip
def test_words_that_count_only_where_nothing_is_named_so(tmp_path: Path, source: str, expected: str) -> None:
    files = {
        "A.csproj": project(
            "<TargetFramework>net8.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings>"
        ),
        "A.cs": source,
    }
    with indexed(tmp_path, files) as bench:
        (field,) = (symbol for symbol in bench.index.symbols() if symbol.name == "At")
        assert field.return_type_fqn == expected
