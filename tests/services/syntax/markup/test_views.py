"""Views of markup: C# stays where it stands, and everything else is blank."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import Quality
from services.syntax.markup.reading import read_source_file, source_text, view_of

COMPONENT = b"""@page "/x/{Id:int}"
@using N.Other
@inject IStore Store
@inherits Base<int>
@* not Hidden *@
<p class="a b">me@home.org costs @@5 @Model.Price(1, "a)b").Text. @(x + y)</p>
@if (Store.Any) { <b>@Store.Name</b> } else { Fall(); }
@foreach (var each in Items)
{
    var twice = each * 2;
    <Card Title="Plain text" Items="items" OnClick="@(() => Save(twice))" @bind-Value="Price" />
}
@code {
    // } in a comment
    [Parameter] public int Price { get; set; }
    void Save(int count) { var s = "}"; Store.Add(count); }
}
<i>@Last</i>
"""


def names(path: str, text: bytes) -> list[str]:
    return [text[start:end].decode() for start, end in view_of(path, text).names]


def code(path: str, text: bytes) -> str:
    return " ".join(view_of(path, text).text.decode().split())


def test_a_component_is_a_part_of_its_class():
    record = read_source_file("P/My.razor", COMPONENT, frozenset({"namespace:App.P"}))
    found = {each.name: each for each in record.declarations}
    assert list(found) == ["My", "Store", "Price", "Save"]
    assert found["My"].bases == ("Base<int>",) and found["My"].is_program
    assert [each.parent for each in record.declarations] == [-1, 0, 0, 0]
    assert COMPONENT[found["Save"].start : found["Save"].end].startswith(b"void Save(int count)")
    assert found["Save"].start_line == 16 and found["Store"].start_line == 3
    assert record.scopes[found["My"].scope].namespace == "App.P"
    assert [using.name for using in record.scopes[0].usings] == ["N.Other"]


def test_expressions_are_statements_and_the_rest_is_names():
    text = code("My.razor", COMPONENT)
    for kept in (
        'Model.Price(1, "a)b").Text;',
        "(x + y);",
        "if (Store.Any) {",
        "Store.Name;",
        "Fall();",
        "Last",
    ):
        assert kept in text, kept
    for left in ("home", "Hidden", "Plain", "costs", "Id"):
        assert left not in text, left
    found = names("My.razor", COMPONENT)
    assert {"Items", "items", "Title", "Value"} <= set(found)
    assert "(() => Save(twice))" in text and "_=Price" in text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (b"@{ var a = 1; }<p>@a</p>", ["{ var a = 1; }", "a;"]),
        (b"@switch (x) { case 1: <p>@y</p> break; }", ["switch (x) {", "y;", "break; }"]),
        (
            b"@try { A(); } catch (Exception e) { <p>@e.Message</p> } finally { B(); }",
            ["catch (Exception e) {", "finally"],
        ),
        (b"@while (Go()) { @: text @Now\n Next(); }", ["while (Go()) {", "Now", "Next();"]),
        (b"@functions { int M() => 1; } @M()", ["int M() => 1;", "M()"]),
        (
            b"@await Html.PartialAsync(nameof(A), Model?.B![0])",
            ["Html.PartialAsync(nameof(A), Model?.B![0])"],
        ),
        (b"@section Scripts { <b>@V</b> } @W", ["V;", "W"]),
        (b'<a @onclick="async () => { await Go(1); }">x</a>', ["async () => { await Go(1); }"]),
    ],
)
def test_forms_of_razor(text: bytes, kept: list[str]):
    shown = code("A.razor", text)
    for each in kept:
        assert each in shown, (each, shown)


def test_comments_of_razor_in_code_are_none_of_it():
    text = b'@code { int a; @* #if (x) { int gone; *@ string s = "@* kept *@"; void M() { @* } *@ } int b; }'
    record = read_source_file("My.razor", text, frozenset())
    assert record.quality is Quality.EXACT
    assert [each.name for each in record.declarations] == ["My", "a", "s", "M", "b"]
    assert "@* kept *@" in code("My.razor", text)


@pytest.mark.parametrize(
    "directive",
    ["attribute [Authorize(Policy = Names.Own)]", "layout Shared.Main", "inherits Base<int>", "model A"],
)
@pytest.mark.parametrize("path", ["_Imports.razor", "_ViewImports.cshtml"])
def test_what_directives_of_imports_name_is_no_code(directive: str, path: str):
    text = f"@using N.Other\n@{directive}\n".encode()
    record = read_source_file(path, text, frozenset())
    assert record.quality is Quality.EXACT
    assert record.declarations == ()
    assert [using.name for using in record.scopes[0].usings] == ["N.Other"]
    assert record.names or record.types


def test_a_view_has_its_model():
    text = b'@model N.Person\n@using X\n<input asp-for="Name" asp-action="Save" class="big">@Model.Name'
    record = read_source_file("Views/Home/Edit.cshtml", text, frozenset({"namespace:.Views.Home"}))
    assert [(each.name, each.returns) for each in record.declarations] == [
        ("Views_Home_Edit", None),
        ("Model", "N.Person"),
    ]
    assert names("Edit.cshtml", text) == ["Name", "Save"]


XAML = b"""<?xml version="1.0"?>
<!DOCTYPE x [ <!ENTITY a "b"> <!ENTITY c SYSTEM "file:///etc/passwd"> ]>
<Window x:Class="App.Views.Main" xmlns:x="http://x" xmlns:vm="clr-namespace:App.Models;assembly=App"
        xmlns:u="using:App.Controls" x:DataType="vm:MainModel">
  <!-- <Button x:Name="Gone"/> -->
  <u:Gauge x:Name="Dial" Level="{Binding Engine.Speed, Mode=OneWay, Converter={StaticResource conv}}" Text="&a;"/>
  <Button Click="Go_Click" Content="{x:Static vm:Words.Go}" Command="{x:Bind Model.Run}" Width="12" Title="Two words"/>
  <DataTemplate DataType="{x:Type vm:Row}"/>
</Window>"""


def test_xaml_declares_its_named_elements_and_names_what_it_binds():
    record = read_source_file("V/Main.axaml", XAML, frozenset({"namespace:Wrong"}))
    assert [(each.name, each.returns) for each in record.declarations] == [("Main", None), ("Dial", "Gauge")]
    assert record.declarations[0].bases == ("Window",)
    assert record.scopes[1].namespace == "App.Views"
    assert [using.name for using in record.scopes[0].usings] == ["App.Models", "App.Controls"]
    view = view_of("V/Main.axaml", XAML)
    assert {"Engine", "Speed", "Go_Click", "Level"} <= set(names("V/Main.axaml", XAML))
    assert not {"Gone", "conv", "words", "OneWay", "passwd"} & set(names("V/Main.axaml", XAML))
    assert {XAML[a:b] for a, b in view.types} == {b"MainModel", b"Gauge", b"Row"}
    assert "Words.Go;" in code("V/Main.axaml", XAML) and "Model.Run;" in code("V/Main.axaml", XAML)


def test_pages_handlers_and_queries():
    page = b"""<%@ Page Language="C#" Inherits="Site.Home" %><%@ Import Namespace="Site.Data" %>
<%-- <%= Gone %> --%><script runat="server">void Load() { Go(); }</script>
<asp:Button OnClick="Save_Click" Text='<%# Eval("Name") %>' runat="server"/><% if (Any) { %><%= Title %><% } %>"""
    record = read_source_file("Home.aspx", page, frozenset())
    assert [each.name for each in record.declarations] == ["Home", "Load"]
    assert names("Home.aspx", page) == ["Button", "Save_Click"]
    data = b'<my:Gauge SelectMethod="All" ItemType="Site.Data.Row" TypeName="Site.Store" Text="Gone" runat="server" />'
    assert names("List.ascx", data) == ["Gauge", "All", "Site", "Data", "Row", "Site", "Store"]
    shown = code("Home.aspx", page)
    assert 'Eval("Name")' in shown and "if (Any) {" in shown and "Title" in shown and "Gone" not in shown
    handler = b'<%@ WebHandler Language="C#" Class="H" %>\nnamespace N; public class H { void M() { } }'
    for text in (handler, b"\xef\xbb\xbf" + handler):
        assert [each.name for each in read_source_file("H.ashx", text, frozenset()).declarations] == [
            "H",
            "M",
        ]
    query = b'<Query Kind="Program">\n  <Namespace>N.M</Namespace>\n</Query>\n\nvoid Main() { }\nclass Q { }'
    record = read_source_file("q.linq", query, frozenset())
    assert [each.name for each in record.declarations] == ["Program", "Main", "Q"]
    assert "N.M" in {using.name for using in record.scopes[0].usings}


@pytest.mark.parametrize("tail", ["", "\n", " ", "\r\n\r\n", " // all"])
def test_a_query_may_be_an_expression_and_need_not_be_csharp(tail: str) -> None:
    query = (
        f'<Query Kind="Expression">\n  <Namespace>static N.M</Namespace>\n</Query>\n\nGo(1)\n\t.To(2){tail}'
    )
    record = read_source_file("q.linq", query.encode(), frozenset())
    assert record.quality is Quality.EXACT and [each.name for each in record.declarations] == ["Program"]
    assert ("N.M", True) in {(using.name, using.static) for using in record.scopes[0].usings}
    assert "".join(code("q.linq", query.encode()).split()).startswith("_=Go(1)")
    for kind in ("FSharpProgram", "VBStatements", "SQL"):
        record = read_source_file("q.linq", query.replace("Expression", kind).encode(), frozenset())
        assert record.quality is Quality.EXACT and not record.declarations


_PIECES = [
    "@",
    "{",
    "}",
    "(",
    ")",
    '"',
    "'",
    "<p>",
    "</p>",
    "<",
    ">",
    "@code {",
    "@if (",
    "a.b",
    "\n",
    "*",
    "@*",
    "<!--",
    ";",
    "<%",
    "%>",
    "<?",
    "x:Name=",
    "é",
    "\r\n",
    "@{",
    "//",
    '$"',
]


@given(
    st.lists(st.sampled_from(_PIECES)).map("".join),
    st.sampled_from(["a.razor", "a.cshtml", "a.xaml", "a.aspx", "a.linq"]),
)
def test_any_text_keeps_its_length_and_its_lines(text: str, path: str):
    data = text.encode()
    shown = source_text(path, data)
    assert len(shown) == len(data)
    assert [at for at, byte in enumerate(shown) if byte == 10] == [
        at for at, byte in enumerate(data) if byte == 10
    ]
    record = read_source_file(path, data, frozenset({"namespace:N"}))
    assert all(0 <= each.start <= each.end <= len(data) for each in record.declarations)


@pytest.mark.parametrize(
    "piece",
    [b"@(", b"@{ <p> ", b"@if (a) { ", b'<A B="@x" ', b"@a[b](c).", b"@code { ", b'"', b"@* ", b"@x ", b"<"],
)
@pytest.mark.parametrize("path", ["a.razor", "a.xaml", "a.aspx"])
def test_a_megabyte_is_read_in_a_moment(piece: bytes, path: str):
    text = piece * (1_000_000 // len(piece))
    began = time.process_time()
    source_text(path, text)
    assert time.process_time() - began < 20
