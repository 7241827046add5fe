"""`copy` at a shell: where the text goes, what is said of it, and when a receipt is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.state import state_of
from tests.support.workspace import write_workspace
from workbench.shell.cli import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = write_workspace(tmp_path / "w", {"A.cs": "class A { int One() => 1; }\n"})
    assert run(["--root", str(root), "pin", "A.cs"]) == 0
    return root


def test_in_a_pipe_the_text_goes_to_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["--root", str(folder), "copy", "--task", "Explain"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Explain\n\nBelow is a selection")
    assert len(list((state_of(folder) / "receipts").iterdir())) == 1


def test_parts_go_to_files_that_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = "\n".join(f"{n} things to do" for n in range(40))
    given = ["--root", str(folder), "copy", "--task", task, "--part-tokens", "90"]
    assert run([*given, "--to", "file"]) == 0
    said = capsys.readouterr().err
    assert "Part 1 of " in said
    assert "copied-2.md." in said
    assert (state_of(folder) / "copied-2.md").read_text().startswith("Part 2 of ")
    assert run([*given, "--part", "99"]) == 2


def test_no_part_of_an_earlier_copy_is_left_beside_a_later_one(folder: Path) -> None:
    def copied(*flags: str) -> list[str]:
        task = "\n".join(f"{n} things to do" for n in range(40))
        assert run(["--root", str(folder), "copy", "--to", "file", "--task", task, *flags]) == 0
        return sorted(path.name for path in state_of(folder).glob("copied*"))

    many = copied("--part-tokens", "90")
    assert "copied.md" not in many
    few = copied("--part-tokens", "180")
    assert few == [f"copied-{n}.md" for n in range(1, len(few) + 1)]
    assert 1 < len(few) < len(many)
    assert copied() == ["copied.md"]


def test_what_could_not_be_delivered_has_no_receipt(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Longer than any terminal takes, and there may be none: either way nothing was delivered.
    task = "word " * 16_000
    flags = ["--set", "window.budget=60000", "--set", "window.max_chars=900000"]
    assert run(["--root", str(folder), *flags, "copy", "--to", "osc52", "--task", task]) == 1
    assert "could not be copied" in capsys.readouterr().err
    assert not (state_of(folder) / "receipts").exists()
