"""Small programs that were once answered wrongly, asked through the command line and through JSON-RPC."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from services.server.jsonrpc import JsonRpc
from services.server.serving import Serving
from services.settings import IndexSettings, ReviewSettings, Settings
from services.source.journal.actor import Owner
from workbench.shell.cli import run

INPUTS = Path(__file__).parent / "inputs"
MARKS = {"bound": "=", "related": "~", "name": "~"}
Ask = Callable[..., Any]
"""Asks an operation by its method, with parameters by name, and returns its answer."""
COMMANDS: Mapping[str, tuple[str, str]] = {
    "FindUsages": ("usages", "path"),
    "ResolveSymbol": ("resolve", "path"),
    "SearchSymbols": ("search", "query"),
    "Status": ("status", ""),
    "Review": ("review", ""),
    "GetDiff": ("diff", ""),
}


@pytest.fixture(params=["command line", "JSON-RPC"])
def opened(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[Path], Any]:
    """Opens a folder, to be asked by one of the two."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))

    @contextmanager
    def by_command(folder: Path) -> Iterator[Ask]:
        def ask(method: str, **parameters: Any) -> Any:
            command, placed = COMMANDS[method]
            words = [str(parameters.pop(placed))] if placed in parameters else []
            words += [f"--{name}" for name, is_on in parameters.items() if is_on]
            run(["--root", str(folder), "--json", "--set", "index.workers=1", command, *words])
            out, err = capsys.readouterr()
            assert out, err
            return json.loads(out)

        yield ask

    @contextmanager
    def by_rpc(folder: Path) -> Iterator[Ask]:
        settings = Settings(index=IndexSettings(workers=1), review=ReviewSettings(tools=True))
        with Serving.open(folder, settings) as serving:

            def ask(method: str, **parameters: Any) -> Any:
                asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
                told = JsonRpc(serving).answer(json.dumps(asked).encode(), agent=Owner("tester"))
                assert told is not None
                answer = json.loads(told)
                return answer.get("result", answer)

            yield ask

    return by_command if request.param == "command line" else by_rpc


def copied(name: str, folder: Path) -> Path:
    """A copy of an input."""
    return Path(shutil.copytree(INPUTS / name, folder / name))


def places(answer: Any, symbol: str = "") -> set[str]:
    """Where something is used: file, line, and how sure that is."""
    assert "usages" in answer, (symbol, answer)
    return {f"{each['file']}:{each['line']} {MARKS[each['grade'].split()[0]]}" for each in answer["usages"]}


def lines(*numbers: int, file: str, mark: str = "=") -> set[str]:
    """Lines of one file."""
    return {f"{file}:{number} {mark}" for number in numbers}


USED = {
    ("union-closed", "Five.Pet"): lines(6, file="Union.cs"),
    ("in-lambda", "Y.State.One"): lines(*(n for n in range(15, 35) if n not in (27, 28, 31)), file="Lam.cs"),
    ("in-lambda", "Y2.IRepo"): lines(11, 18, 22, 23, 27, 28, 32, 33, 37, file="Yield.cs"),
    ("in-lambda", "Y2.IRepo+Ended"): lines(11, 23, 28, 32, 37, file="Yield.cs"),
    ("in-lambda", "Y2.State"): lines(13, 23, 37, file="Yield.cs"),
    ("file-apps", "Lib.Greeter.Hello"): lines(11, file="fba/one.cs"),
    ("file-apps", "Lib.Greeter"): lines(10, file="fba/one.cs"),
    ("markup", "TallyService.Add"): lines(8, file="Pages/Counter.razor") | lines(3, file="script.csx"),
    ("markup", "TallyService.Now"): lines(3, file="Pages/Counter.razor"),
    ("markup", "IndexModel.Title"): lines(3, file="Pages/Index.cshtml"),
    ("markup", "Main.Go_Click"): lines(1, file="Views/Main.xaml", mark="~"),
    ("markup", "Counter.Refresh"): lines(8, file="Pages/Counter.razor"),
    ("other-tfm", "Lamp.Log"): {f"Lamp.{name}.cs:1 =" for name in ("android", "ios", "netstandard")},
    ("other-tfm", "Lamp.On"): lines(1, file="Extra.ios.cs"),
    ("unity", "Hero.Warm"): lines(3, file="Assets/Game/Hero.cs"),
    ("broken-callers", "Files.Many"): {"Half.cs:5 ~", "Half.cs:6 =", "Half.cs:7 ~"},
}


@pytest.mark.parametrize("name", sorted({name for name, _ in USED}))
def test_what_uses_a_symbol_is_told(opened: Any, tmp_path: Path, name: str) -> None:
    with opened(copied(name, tmp_path)) as ask:
        for (where, symbol), expected in USED.items():
            if where == name:
                assert places(ask("FindUsages", path=symbol), symbol) == expected


def test_what_a_lambda_with_typed_parameters_names_is_told(opened: Any, tmp_path: Path) -> None:
    with opened(copied("in-lambda", tmp_path)) as ask:
        assert lines(15, 20, 33, 34, file="Lam.cs") <= places(ask("FindUsages", path="Box+Inner"))


DECLARED = {
    "union-closed": {
        "Five.GateState",
        "Five.Shape",
        "Five.Pet",
        "Five.Outcome",
        "Five.Outcome.Good",
        "Five.Outcome.Count",
    },
    "if-no-branch": {f"Yard.Gate.{name}" for name in ("Width", "Height", "Area", "Open", "Kind", "Locked")},
    "cr": {"Old.A", "Old.B", "Old.C", "Sep.B", "Sep.Z"},
    "unity": {"Acme.HeroAuthoring"},
    "markup": {"W.Pages.Counter.Bump"},
}


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_what_is_declared_is_found_in_files_that_are_read(opened: Any, tmp_path: Path, name: str) -> None:
    with opened(copied(name, tmp_path)) as ask:
        for path in DECLARED[name]:
            assert "symbol" in ask("ResolveSymbol", path=path), path
        assert "failed" not in ask("Status")["quality"]


def test_what_a_union_and_a_closed_class_are_is_told(opened: Any, tmp_path: Path) -> None:
    with opened(copied("union-closed", tmp_path)) as ask:
        kinds = {
            name: ask("ResolveSymbol", path=f"Five.{name}")["symbol"]
            for name in ("Pet", "Shape", "GateState")
        }
    assert [kinds[name]["kind"] for name in ("Pet", "Shape", "GateState")] == ["union", "class", "record"]
    assert kinds["Shape"]["access"] == "public"


def test_a_branch_that_no_configuration_takes_is_none(opened: Any, tmp_path: Path) -> None:
    with opened(copied("cr", tmp_path)) as ask:
        assert ask("SearchSymbols", query="Gone").get("hits", []) == []


def test_two_programs_in_one_folder_share_no_type(opened: Any, tmp_path: Path) -> None:
    with opened(copied("file-apps", tmp_path)) as ask:
        for name in ("Item", "Game"):
            found = ask("SearchSymbols", query=name)["hits"]
            found = [hit["symbol"] for hit in found]
            types = {each["file"] for each in found if each["path"] == name and each["kind"] != "constructor"}
            assert types == {"fba/one.cs", "fba/two.cs"}


def test_a_type_of_several_frameworks_is_one(opened: Any, tmp_path: Path) -> None:
    with opened(copied("other-tfm", tmp_path)) as ask:
        assert ask("ResolveSymbol", path="Lamp")["symbol"]["path"] == "Lamps.Lamp"


def git(folder: Path, *words: str, text: str = "") -> str:
    """What git prints."""
    person = ("-c", "user.name=x", "-c", "user.email=x@y")
    command = ["git", *person, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, input=text).stdout


def test_a_review_tells_the_caller_that_does_not_fit_any_more(opened: Any, tmp_path: Path) -> None:
    folder = copied("broken-callers", tmp_path)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a")
    file = folder / "Files.cs"
    file.write_text(file.read_text().replace("Print(string f)", "Print(string f, bool loud)"))
    with opened(folder) as ask:
        assert places(ask("FindUsages", path="Files.Print")) == {"Half.cs:4 ~"}
        first = ask("Review", analyze=True)["findings"][0]
    assert (first["kind"], first["file"], first["line"]) == ("broken", "Half.cs", 4)


def test_a_link_that_leads_elsewhere_is_one_line_each(opened: Any, tmp_path: Path) -> None:
    folder = tmp_path / "links"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.cs").write_text("class A {}\n")
    (folder / "b.cs").write_text("class B {}\nclass B2 {}\n")
    (folder / "link.cs").symlink_to("a.cs")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a")
    (folder / "link.cs").unlink()
    for name in ("link.cs", "new.cs"):
        (folder / name).symlink_to("b.cs")
    with opened(folder) as ask:
        text = json.dumps(ask("GetDiff"))
    assert "a.cs" in text and "class B" not in text and "120000" in text


def test_a_raw_patch_is_one_that_git_applies(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = tmp_path / "raw"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.cs").write_text("class A {\n int a;\n int b;\n int c;\n}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a")
    git(folder, "mv", "a.cs", "b c.cs")
    (folder / "b c.cs").write_text("class A {\n int a;\n int b;\n int d;\n}\n")
    assert run(["--root", str(folder), "diff", "--raw"]) == 0
    patch = capfdbinary.readouterr().out.decode()
    git(folder, "reset", "-q", "--hard")
    git(folder, "apply", "--check", "-", text=patch)
