"""What the compiler declares, and no more: small programs that say it themselves.

Behind `//:` stands what a line declares: kind, name and accessibility, with `;` between."""

from collections import Counter
from pathlib import Path

import pytest

from tests.support.workspace import indexed

Declared = tuple[str, str, str]

HEADERS = """\
using System.Collections.Generic;
namespace Shapes
{
    [System.Serializable]
    public record Point(           //: record Point public; constructor Point public
        int X,                     //: property X public
        [property: System.Obsolete]
        int Y = 3,                 //: property Y public
        params int[] Rest)         //: property Rest public
    {
        public int Sum => X + Y;   //: property Sum public
    }

    internal readonly record struct Size(  //: record struct Size internal; constructor Size public
        int Width, int Height);    //: property Width public; property Height public

    [System.Obsolete(
        "old")]
    public abstract class Shape(   //: class Shape public; constructor Shape protected
        string name)
        : object
    {
        static Shape() { }         //: constructor Shape private
        ~Shape() { }               //: destructor ~Shape protected
        string Name => name;       //: property Name private
        public delegate void Drawn(int at, params int[] all);  //: delegate Drawn public
        public event Drawn On, Off;    //: event On public; event Off public
        private const int A = 1, B = A + 1;  //: constant A private; constant B private
    }

    public interface IShape        //: interface IShape public
    {
        static IShape() { }        //: constructor IShape private
        int Area { get; }          //: property Area public
        void Draw();               //: method Draw public
    }
    public interface ISolid : IShape  //: interface ISolid public
    {
        void IShape.Draw() { }     //: method Draw private
        private void Fill() { }    //: method Fill private
        static abstract ISolid operator +(ISolid a, ISolid b);  //: operator operator + public
    }
    enum Colour : byte { Red = 1,  //: enum Colour internal; enum member Red public
        Green, Blue = Red | Green }  //: enum member Green public; enum member Blue public
}
"""

STATEMENTS = """\
using System;
using System.Linq;

var count = args.Length;           //: class Program internal
var found = from each in args
            where each.Length > count
            select each;
foreach (var each in found) { Console.WriteLine(each); }
int Twice(int value) { return value * 2; }
Console.WriteLine(Twice(count));

partial class Program
{
    static int Kept;               //: field Kept private
}
file class Kept { }                //: class Kept file
"""

QUERIES = """\
using System.Linq;
class Rows                         //: class Rows internal
{
    int[] all = { 1, 2 };          //: field all private
    int[] some = (from each in new[] { 1, 2 }  //: field some private
                  where each > 1
                  select each).ToArray();
    object more =                  //: field more private
    from each in new[] { 1, 2 }
    join other in new[] { 3 } on each equals other into joined
    select new { each, joined };
    public object Told =>              //: property Told public
        from each in all
        let from = each
        orderby from
        select from;
    public object Get() =>             //: method Get public
    from each in all select each;
}
"""

LAYOUT = """\
static class Words                 //: class Words internal
{
    extension(string text)
    {
        public int Count => text.Length;  //: extension block member Count public
        public string Twice() => text + text;  //: extension block member Twice public
    }
    public static string record(this string from) => from;  //: method record public
    static (int a, string b) Pair() => (1, "{ class No { } }");  //: method Pair private
#if NEVER
    void Left() { }
#else
    static void Right() { }        //: method Right private
#endif
    /* class Not { } */ static readonly string text = @"
class Neither { int x; }
";                                 //: field text private
    static int this_ { get; set; } = 1; static int Other;  //: property this_ private; field Other private
}
"""


def _expected(source: str) -> Counter[tuple[int, Declared]]:
    found: Counter[tuple[int, Declared]] = Counter()
    for number, line in enumerate(source.splitlines(), 1):
        for each in line.partition("//:")[2].split(";"):
            if each.strip():
                kind_and_name, _, access = each.strip().rpartition(" ")
                found[number, (*_split(kind_and_name), access)] += 1
    return found


def _split(text: str) -> tuple[str, str]:
    """Kinds and names may be two words."""
    for kind in ("record struct", "enum member", "extension block member", "operator"):
        if text.startswith(kind + " "):
            return kind, text.removeprefix(kind + " ")
    kind, _, name = text.partition(" ")
    return kind, name


@pytest.mark.parametrize(
    "source", [HEADERS, STATEMENTS, QUERIES, LAYOUT], ids=["headers", "statements", "queries", "layout"]
)
def test_declarations_are_those_of_the_compiler(tmp_path: Path, source: str) -> None:
    with indexed(tmp_path, {"Code.cs": source}) as bench:
        told = [
            each
            for each in bench.index.symbols()
            # Nobody wrote the others; a positional property stands in the header.
            if not each.implicit or (each.kind.value == "property" and each.name != "EqualityContract")
        ]
    waiting = [(s.start_line, s.end_line, (s.kind.value, s.name, s.accessibility.declared)) for s in told]
    for (line, declared), count in _expected(source).items():
        for _ in range(count):
            fits = [each for each in waiting if each[2] == declared and each[0] <= line <= each[1]]
            assert fits, f"{line}: {declared}, of {[each for each in waiting if each[0] <= line <= each[1]]}"
            waiting.remove(min(fits, key=lambda each: each[1] - each[0]))
    assert waiting == []
