"""`batch` and `paste` at a shell, over the real services."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.support.workspace import project, write_workspace
from workbench.shell.cli import run

SHOP = (
    "namespace Shop;\npublic class Basket\n{\n    public void Add(int n) { }\n    void M() { Add(1); }\n}\n"
)


class Shell:
    """Runs commands in one folder."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capture = capture
        self._patch = patch

    def run(self, *arguments: str, stdin: str | bytes = "") -> tuple[int, str, str]:
        """(exit status, stdout, stderr)."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        self._capture.readouterr()
        status = run(["--root", str(self.folder), *arguments])
        out, err = self._capture.readouterr()
        return status, out, err

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text("utf-8") for path in self.folder.glob("*.cs")}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = write_workspace(tmp_path / "w", {"Shop.csproj": project(), "Basket.cs": SHOP})
    return Shell(folder, capsys, monkeypatch)


BATCH = """\
# two edits
rename Shop.Basket Cart

signature Shop.Cart.Add "n, int twice := 2"
"""


def test_a_batch_is_shown_then_written_then_taken_back(shell: Shell) -> None:
    status, out, _ = shell.run("batch", "--dry-run", stdin=BATCH)
    assert status == 0
    assert "Dry run: Rename Basket to Cart; Change the parameters of Add" in out
    assert shell.files() == {"Basket.cs": SHOP}
    status, out, _ = shell.run("batch", stdin=BATCH)
    assert status == 0
    assert shell.files().keys() == {"Cart.cs"}
    assert "Add(1, 2)" in shell.files()["Cart.cs"]
    assert shell.run("undo")[0] == 0
    assert shell.files() == {"Basket.cs": SHOP}


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("", 2, "no edit in it"),
        ("rename Shop.Basket", 2, "Line 1: Missing argument"),
        ("\nshuffle Shop.Basket", 2, "Line 2: shuffle is no edit"),
        ('rename "Shop.Basket Cart', 2, "Line 1: No closing quotation"),
        ("rename Shop.Basket Cart --dry-run", 2, "belong to all edits"),
        ("rename Shop.Basket Cart\nrename Shop.Basket Pile", 1, "Edit 2: 'Shop.Basket' not found"),
        ("rename Shop.Basket.Add Cart\nrename Shop.Basket Cart", 1, "Edit 2: Rename Basket to Cart"),
        ("rename Shop.Basket 1st", 1, "no C# identifier"),
    ],
)
def test_a_batch_that_cannot_be_made_writes_nothing(shell: Shell, text: str, status: int, said: str) -> None:
    answered, _, err = shell.run("batch", stdin=text)
    assert (answered, said in err) == (status, True), err
    assert shell.files() == {"Basket.cs": SHOP}


DIFF = """\
Here is the change:

```diff
--- a/Basket.cs
+++ b/Basket.cs
@@ -90,2 +90,2 @@
 public class Basket
 {
-    public void Add(int n) { }
+    public void Add(int n) { Count += n; }
```
"""


def test_an_answer_is_shown_then_written_then_there_already(shell: Shell) -> None:
    status, out, err = shell.run("paste", stdin=DIFF)
    assert (status, shell.files()["Basket.cs"]) == (0, SHOP)
    assert "+    public void Add(int n) { Count += n; }" in out
    assert "--write" in err
    assert shell.run("paste", "--write", stdin=DIFF)[0] == 0
    written = shell.files()["Basket.cs"]
    assert written == SHOP.replace("{ }", "{ Count += n; }")
    status, out, err = shell.run("paste", "--write", stdin=DIFF)
    assert (status, shell.files()["Basket.cs"]) == (0, written)
    assert "already" in err + out
    assert shell.run("undo")[0] == 0
    assert shell.files()["Basket.cs"] == SHOP


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I would suggest to think about it.", "no edit in the answer"),
        ("", "no edit in the answer"),
        (DIFF.replace("Add(int n) { }", "Remove(int n) { }"), "Basket.cs"),
        (DIFF.replace("Basket.cs", "../../etc/passwd"), "passwd"),
        (DIFF.replace("Basket.cs", "Elsewhere.cs"), "Elsewhere.cs"),
        ("word " * 200_000, "no edit in the answer"),
    ],
    ids=["prose", "nothing", "another line", "outside", "another repository", "a megabyte"],
)
def test_an_answer_that_does_not_land_is_refused_with_its_reason(shell: Shell, text: str, said: str) -> None:
    status, _, err = shell.run("paste", "--write", stdin=text)
    assert (status, said in err) == (1, True), err
    assert shell.files() == {"Basket.cs": SHOP}
    status, out, err = shell.run("paste", "--write", "--json", stdin=text)
    assert status == 1
    assert said in json.loads(out or err)["error"]["message"]


def test_an_answer_that_is_no_text_is_refused(shell: Shell) -> None:
    assert shell.run("paste", "--write", stdin=b"\xff\xfe\x00```")[0] != 0
    assert shell.files() == {"Basket.cs": SHOP}
