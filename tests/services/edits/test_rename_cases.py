"""Renames of marked C#, each a project of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from services.bench import Bench
from services.edits.places import place_of
from services.errors import EditConflict
from services.model.writes import EditAnswer
from tests.support.workspace import indexed, project

CASES = Path(__file__).with_name("cases") / "renames.txt"
_MARKED = re.compile(r"\[\|([^|]*?)(?:=>([^|]*))?\|\]")
_HERE = "/*here*/"


@dataclass
class Case:
    """A case of the file: `files`: marked texts by name."""

    title: str
    new: str = ""
    refused: str = ""
    undecided: int = 0
    files: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def name(self) -> str:
        """The title as the name of a folder."""
        return re.sub(r"\W+", "-", self.title)


def _cases() -> Iterator[Case]:
    _, *blocks = CASES.read_text("utf-8").split("\n## ")
    for block in blocks:
        title, names, *lines = block.rstrip("\n").split("\n")
        case = Case(title, names.partition(" -> ")[2])
        name = "A.cs"
        for line in lines:
            if line.startswith("!! "):
                case.refused = line[3:]
            elif line.startswith("?? "):
                case.undecided = int(line[3:])
            elif line.startswith("// file: "):
                name = line.removeprefix("// file: ")
            else:
                case.files[name] = case.files.get(name, "") + line + "\n"
        yield case


_ALL = list(_cases())


def _source(marked: str) -> str:
    return _MARKED.sub(lambda found: found[1], marked)


def _expected(marked: str, new: str) -> str:
    return _MARKED.sub(lambda found: new if found[2] is None else found[2], marked)


@pytest.fixture(scope="module", params=["bound", "stored"])
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Yield all cases as one workspace: what their bodies name is bound when it is asked for, or stored before."""
    files = {f"{case.name}/P.csproj": project() for case in _ALL}
    for case in _ALL:
        files |= {f"{case.name}/{name}": _source(text) for name, text in case.files.items()}
    with indexed(tmp_path_factory.mktemp("renames"), files) as opened:
        if request.param == "stored":
            opened.index.relate()
            opened.index.read_bodies()
        yield opened


def _asked(bench: Bench, case: Case) -> EditAnswer:
    path, text = next(
        (f"{case.name}/{name}", _source(each)) for name, each in case.files.items() if _HERE in each
    )
    start = text.encode().index(_HERE.encode()) + len(_HERE)
    return bench.refactoring.rename(str(place_of(path, text.encode(), start)), case.new, rehearse=True)


def _texts(case: Case, answer: EditAnswer) -> dict[str, str]:
    """What the diffs make of the files."""
    from services.source.text.patch import apply_patch, parse_patch
    from services.workspace.text import decode

    texts = {f"{case.name}/{name}": _source(text) for name, text in case.files.items()}
    for patch in parse_patch(answer.diff) if answer.diff else ():
        made = apply_patch(decode(texts[patch.path].encode()), patch)
        texts[patch.path] = made.decode() if made is not None else ""
    return texts


@pytest.mark.parametrize("case", _ALL, ids=lambda case: case.title)
def test_a_rename(bench: Bench, case: Case) -> None:
    if case.refused:
        with pytest.raises(EditConflict) as refused:
            _asked(bench, case)
        said = " ".join(str(each["message"]) for each in refused.value.details["diagnostics"])
        assert case.refused in said
        return
    answer = _asked(bench, case)
    wanted = {f"{case.name}/{name}": _expected(text, case.new) for name, text in case.files.items()}
    assert _texts(case, answer) == wanted
    assert len(answer.undecided) == case.undecided
