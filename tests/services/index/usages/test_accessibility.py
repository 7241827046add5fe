"""What is not accessible in another assembly is none of the candidates there."""

from __future__ import annotations

from pathlib import Path

from tests.support.workspace import indexed, project

LIBRARY = """namespace L;
public class Pump
{
    public string Run(object o) => "";
    internal int Run(string s) => 1;
    private int Run(int n) => n;
}
public static class Open { public static int Turn(this Pump p, object o) => 1; }
internal static class Hidden { public static int Turn(this Pump p, string s) => 2; }
public static class Half { internal static int Turn(this Pump p, int n) => 3; }
"""
USING = """using L;
class User { object Go(Pump p) => (p.Run("a"), p.Run(1), p.Turn("a"), p.Turn(1)); }
"""
REFERENCE = '<ItemGroup><ProjectReference Include="../L/L.csproj" /></ItemGroup>'
FRIEND = 'using System.Runtime.CompilerServices;\n[assembly: InternalsVisibleTo("U")]\n'


def bound(folder: Path, library: str) -> dict[str, int]:
    """How often what is declared with a parameter list is used."""
    files = {
        "L/L.csproj": project(),
        "L/Pump.cs": library,
        "U/U.csproj": project().replace("</Project>", f"{REFERENCE}</Project>"),
        "U/User.cs": USING,
    }
    paths = (
        "Pump.Run(object)",
        "Pump.Run(string)",
        "Open.Turn(Pump, object)",
        "Hidden.Turn(Pump, string)",
        "Half.Turn(Pump, int)",
    )
    with indexed(folder, files) as bench:
        return {path: sum(each.grade == "bound" for each in bench.usages.find(path).usages) for path in paths}


def test_an_assembly_uses_what_is_public_of_another(tmp_path: Path) -> None:
    assert bound(tmp_path, LIBRARY) == {
        "Pump.Run(object)": 2,
        "Pump.Run(string)": 0,
        "Open.Turn(Pump, object)": 2,
        "Hidden.Turn(Pump, string)": 0,
        "Half.Turn(Pump, int)": 0,
    }


def test_a_friend_uses_what_is_internal_too(tmp_path: Path) -> None:
    assert bound(tmp_path, FRIEND + LIBRARY) == {
        "Pump.Run(object)": 1,
        "Pump.Run(string)": 1,
        "Open.Turn(Pump, object)": 0,
        "Hidden.Turn(Pump, string)": 1,
        "Half.Turn(Pump, int)": 1,
    }
