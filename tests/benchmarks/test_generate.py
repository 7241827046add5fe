"""The made-up workspace is the same for the same seed, clean C#, and shaped like real ones."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.synthetic.workspace import generate, texts
from services.index.build.project_cache import ProjectRequest
from services.index.build.units import plan
from services.model import Kind, Quality
from services.syntax.parse.parsing import read_file
from services.workspace.files.root import Root

FILES = 300


@pytest.fixture(scope="module")
def sources() -> list[bytes]:
    return [text.encode() for path, text in texts(FILES, 1) if path.endswith(".cs")]


def test_same_seed_same_workspace_other_seed_another():
    first = list(texts(60, 5))
    assert first == list(texts(60, 5))
    assert first != list(texts(60, 6))


def test_as_many_files_as_asked_for_each_with_a_path_of_its_own():
    paths = [path.lower() for path, _ in texts(FILES, 2)]
    assert len(set(paths)) == len(paths)
    assert sum(path.endswith(".cs") for path in paths) == FILES


def test_every_file_is_read_without_repair(sources: list[bytes]):
    qualities = Counter(read_file(source).quality for source in sources)
    assert qualities.keys() == {Quality.EXACT, Quality.DIRECTIVES}
    assert 0.03 < qualities[Quality.DIRECTIVES] / FILES < 0.12


def test_symbols_are_spread_as_in_real_repositories(sources: list[bytes]):
    declarations = [each for source in sources for each in read_file(source).declarations]
    kinds = Counter(each.kind for each in declarations)
    common = {
        Kind.CLASS,
        Kind.INTERFACE,
        Kind.ENUM,
        Kind.RECORD,
        Kind.METHOD,
        Kind.PROPERTY,
        Kind.FIELD,
        Kind.EVENT,
    }
    assert common <= kinds.keys()
    assert 0.4 < kinds[Kind.METHOD] / len(declarations) < 0.65
    assert 8 < len(declarations) / FILES < 25
    assert any(each.type_parameters for each in declarations)
    assert any("partial" in each.modifiers for each in declarations)
    assert any(each.parent >= 0 and each.kind is Kind.CLASS for each in declarations)


def test_projects_take_all_files_and_refer_only_backwards(tmp_path: Path):
    made = generate(tmp_path, files=FILES, seed=3)
    planned = plan(Root.open(tmp_path), ProjectRequest(), known=None, cancel=None)
    assert len(planned.evaluation.projects) == made.projects > 1
    assert len(planned.units) == made.files == FILES
    assert not planned.notices
    assert any(project.references for project in planned.evaluation.projects)
