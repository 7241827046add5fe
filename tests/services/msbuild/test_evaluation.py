"""What holds of the whole: confinement, order, cancelling, speed."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import Cancelled
from services.msbuild.evaluation import evaluate
from tests.services.msbuild.memory import Memory, only, sdk, sources, workspace

NAMES = st.sampled_from(
    ["PropertyGroup", "ItemGroup", "Compile", "Import", "Choose", "When", "Target", "Using", "X"]
)
TEXTS = st.text(alphabet="$()@%'*;./\\abX[]:", max_size=12)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["Include", "Exclude", "Remove", "Update", "Condition", "Project", "Sdk", "Name"]),
    TEXTS,
    max_size=3,
)
ELEMENTS = st.recursive(
    st.tuples(NAMES, ATTRIBUTES, TEXTS.map(lambda text: [text])),
    lambda children: st.tuples(NAMES, ATTRIBUTES, st.lists(children, max_size=4)),
    max_leaves=12,
)


def xml(element) -> str:
    if isinstance(element, str):
        return element
    name, attributes, children = element
    inside = "".join(f' {key}="{text}"' for key, text in attributes.items())
    return f"<{name}{inside}>{''.join(map(xml, children))}</{name}>"


@given(st.lists(ELEMENTS, max_size=5))
def test_no_project_file_breaks_the_evaluation_or_leads_it_outside(elements):
    files = Memory({"A/A.csproj": sdk("".join(map(xml, elements))), **sources("A/One.cs", "B/Two.cs")})
    evaluation = evaluate(files, root_name="Work")
    every = {file for project in evaluation.projects for file in project.files}
    assert every <= set(files.cs_files)
    assert not [path for path in files.reads if path.startswith(("/", "..")) or "/../" in path]


def test_the_same_files_give_the_same_answer():
    files = {"b/B.csproj": sdk(), "a/A.csproj": sdk(), **sources("a/x.cs", "b/y.cs")}
    assert workspace(files) == workspace(dict(reversed(files.items())))


def test_the_answer_does_not_depend_on_where_the_workspace_lies():
    body = "<PropertyGroup><LangVersion>$(MSBuildProjectDirectory)</LangVersion></PropertyGroup>"
    assert only({"a/A.csproj": sdk(body), **sources("a/x.cs")}).lang_version == "/Work/a"


def test_a_cancelled_evaluation_stops():
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        workspace({"a/A.csproj": sdk()}, cancel=cancel)


def test_a_wildcard_over_many_files_is_not_tried_against_each_of_them_for_each_project():
    files = {
        f"src/P{n}/P{n}.csproj": sdk('<ItemGroup><Compile Remove="Sub/**" /></ItemGroup>') for n in range(100)
    }
    for n in range(100):
        files |= sources(
            *(f"src/P{n}/Sub/F{k}.cs" for k in range(20)), *(f"src/P{n}/G{k}.cs" for k in range(10))
        )
    memory = Memory(files)
    started = time.process_time()
    evaluation = evaluate(memory)
    assert time.process_time() - started < 30.0
    assert {len(project.files) for project in evaluation.projects if project.path != "."} == {10}


A = "x" * 1000
BOMBS = {
    "doubled property": "<PropertyGroup><A>xx</A>" + "<A>$(A)$(A)</A>" * 60 + "</PropertyGroup>",
    "replaced": f"<PropertyGroup><A>{A}</A>" + "<A>$(A.Replace('x', '$(A)'))</A>" * 9 + "</PropertyGroup>",
    "formatted": f"<PropertyGroup><A>{A}</A>"
    f"<B>$([System.String]::Format('{'{0}' * 2000}', '$(A)'))</B></PropertyGroup>",
    "many copies": f"<PropertyGroup><A>{A * 200}</A>"
    + "".join(f"<B{n}>$(A)</B{n}>" for n in range(2000))
    + "</PropertyGroup>",
    "doubled items": '<ItemGroup><Using Include="a;b" />'
    + '<Using Include="@(Using);@(Using)" />' * 60
    + "</ItemGroup>",
    "transformed": f'<ItemGroup><Using Include="a"><M>{A}</M></Using>'
    + f"<Using Include=\"@(Using->'{'%(M)' * 500}')\" />" * 500
    + "</ItemGroup>",
    "brackets": f"<PropertyGroup><A>{'$(' * 20000}</A><A>{'$([' * 20000}</A><A>{'$(A.B(' * 9000}</A></PropertyGroup>",
    "condition": f'<PropertyGroup Condition="\'{"$(" * 3000}" /><PropertyGroup Condition="{"(" * 5000}" />',
    "nested choices": "<Choose><Otherwise>" * 31 + "</Otherwise></Choose>" * 31,
    "removed one by one": "<ItemGroup>"
    + "".join(f'<Using Include="a{n}" />' for n in range(9000))
    + "<Using Remove=\"@(Using->'%(Identity)*')\" /></ItemGroup>",
    "many globs": f'<ItemGroup><Compile Remove="{";".join(f"**/x{n}*/**/*.cs" for n in range(2000))}" /></ItemGroup>',
    "long glob": f'<ItemGroup><Compile Remove="{"**/a*/" * 40000}*.cs" /></ItemGroup>',
    "many elements": "<ItemGroup>" + "<X/>" * 200_000 + "</ItemGroup>",
    "unfinished items": f"<PropertyGroup><A>{'@(a->x' * 40000}</A></PropertyGroup>".replace("x", "'")
    + "<ItemGroup><Using Include=\"a\" Condition=\"'$(A)' == ''\" /></ItemGroup>",
    "globs": f'<ItemGroup><Compile Include="{"**/*a*/" * 300}*.cs" /></ItemGroup>',
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_project_made_to_grow_without_end_ends(kind):
    started = time.process_time()
    project = only(
        {"A/A.csproj": sdk(BOMBS[kind]), **sources("A/One.cs", *(f"A/aa/bab/{n}.cs" for n in range(50)))}
    )
    assert time.process_time() - started < 30.0
    assert "A/One.cs" in project.files
    assert sum(len(using.name) for using in project.usings) < 50_000_000
    assert project.evaluated or "cannot be read" in project.notices[0].message


def test_a_long_chain_of_imports_is_cut_and_counted():
    files = {f"A/{n}.props": f'<Project><Import Project="{n + 1}.props" /></Project>' for n in range(500)}
    project = only({"A/A.csproj": sdk('<Import Project="0.props" />'), **files, **sources("A/One.cs")})
    assert project.unknown == 1
    assert "nested too deeply" in project.unknown_examples[0]


def test_however_many_projects_there_are_a_file_is_not_read_again_for_each():
    files = {f"src/P{n}/P{n}.csproj": sdk() for n in range(5)}
    files |= {
        "Directory.Build.props": '<Project><Import Project="eng/x.props" /></Project>',
        "eng/x.props": "<Project />",
        "Directory.Build.targets": """<Project><PropertyGroup>
          <A Condition="Exists('$(MSBuildThisFileDirectory)readme.txt')">a</A></PropertyGroup></Project>""",
    }
    asked = {"readme.txt": "", "global.json": "{}"}
    memory = Memory({**files, **asked, **sources("src/P1/a.cs")})
    evaluate(memory)
    assert [memory.reads.count(path) for path in files] == [1] * len(files)
    assert all(1 <= memory.reads.count(path) <= 2 for path in asked)


def hooked(hook: str, condition: str) -> str:
    """A project with a target that adds the constant X."""
    group = (
        f"<PropertyGroup {condition}><DefineConstants>$(DefineConstants);X</DefineConstants></PropertyGroup>"
    )
    target = f'<Target Name="T" BeforeTargets="{hook}">{group}</Target>'
    return sdk(f"<PropertyGroup><On>true</On></PropertyGroup>{target}")


@pytest.mark.parametrize(
    ("hook", "condition", "expected"),
    [
        ("CoreCompile", "", True),
        ("Pack;BeforeBuild", "Condition=\"'$(On)' == 'true'\"", True),
        ("CoreCompile", "Condition=\"'$(On)' != 'true'\"", False),
        ("Pack", "", False),
    ],
)
def test_constants_of_targets_that_always_run_before_the_compiler(hook, condition, expected):
    assert ("X" in only({"A.csproj": hooked(hook, condition), "A.cs": ""}).defines) is expected
