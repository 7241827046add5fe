"""What holds of the whole: confinement, order, cancelling, speed."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.errors import Cancelled
from services.workspace.projects import evaluate
from tests.services.workspace.projects.memory import Memory, only, sdk, sources, workspace

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


@settings(max_examples=150, deadline=None)
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
    assert time.process_time() - started < 2.0
    assert {len(project.files) for project in evaluation.projects if project.path != "."} == {10}


def test_every_file_is_read_once():
    files = {f"src/P{n}/P{n}.csproj": sdk() for n in range(5)}
    files |= {
        "Directory.Build.props": '<Project><Import Project="eng/x.props" /></Project>',
        "eng/x.props": "<Project />",
    }
    memory = Memory({**files, **sources("src/P1/a.cs")})
    evaluate(memory)
    assert [memory.reads.count(path) for path in files] == [1] * len(files)
