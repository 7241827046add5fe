"""Answers pasted into a workspace: placed in what was copied, written as one, taken back as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import EditConflict, VersionConflict
from services.prompt.items import CopyRequest
from services.settings import Settings

TEXT = "class A\n{\n    void One()\n    {\n        Work();\n    }\n\n    void Two()\n    {\n        Work();\n    }\n}\n"
ANSWER = "```csharp\nvoid Two()\n{\n    Rest();\n}\n```\n"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "files"
    root.mkdir()
    (root / "A.cs").write_text(TEXT)
    with Bench.open(root, settings=Settings()) as made:
        yield made


def copied(bench: Bench) -> None:
    bench.window.pin("A.cs", force=True)
    bench.copying.keep(bench.copying.prepare(CopyRequest()))


def test_it_is_shown_written_and_taken_back(bench: Bench) -> None:
    copied(bench)
    shown = bench.pasting.paste(ANSWER, rehearse=True)
    assert (shown.group, "+        Rest();" in shown.diff) == (0, True)
    assert (bench.root / "A.cs").read_text() == TEXT
    assert bench.pasting.paste(ANSWER).group
    assert (bench.root / "A.cs").read_text() == TEXT[::-1].replace(";)(kroW", ";)(tseR", 1)[::-1]
    assert bench.pasting.paste(ANSWER).already == ("A.cs",)
    bench.writing.undo(None)
    assert (bench.root / "A.cs").read_text() == TEXT


def test_what_went_on_since_the_copy_is_merged(bench: Bench) -> None:
    copied(bench)
    (bench.root / "A.cs").write_text("// theirs\n" + TEXT)
    bench.pasting.paste(ANSWER)
    made = (bench.root / "A.cs").read_text()
    assert made.startswith("// theirs\n")
    assert "Rest();" in made


def test_a_file_that_changed_since_the_preview_keeps_all_from_being_written(bench: Bench) -> None:
    shown = bench.pasting.paste(ANSWER, rehearse=True)
    (bench.root / "A.cs").write_text("// theirs\n" + TEXT)
    with pytest.raises(VersionConflict, match="Nothing was written"):
        bench.pasting.paste(ANSWER, tokens=shown.tokens)


def test_a_masked_secret_comes_back_as_itself(bench: Bench) -> None:
    secret = '    const string Password = "kX9vQ2mLp7RtZ4wB8nYc";\n'
    text = TEXT.replace("{\n", "{\n" + secret, 1)
    (bench.root / "A.cs").write_text(text)
    copied(bench)
    shown = bench.copying.prepare(CopyRequest()).text
    line = next(line for line in shown.split("\n") if "[[secret:" in line)
    diff = f"--- a/A.cs\n+++ b/A.cs\n@@ @@\n {line}\n     void One()\n     {{\n-        Work();\n+        Rest();\n"
    bench.pasting.paste(diff)
    made = (bench.root / "A.cs").read_text()
    assert secret in made
    assert made == text.replace("Work", "Rest", 1)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("B.g.cs", "written by a tool"),
        ("out.cs", "ignored by git"),
        ("link.cs", "link"),
        ("ro.cs", "may not be written"),
    ],
)
def test_files_that_are_no_places_for_an_answer_are_refused(bench: Bench, path: str, reason: str) -> None:
    (bench.root / ".gitignore").write_text("out.cs\n")
    if path == "link.cs":
        (bench.root / path).symlink_to("A.cs")
    else:
        (bench.root / path).write_text("one\ntwo\n")
    if path == "ro.cs":
        (bench.root / path).chmod(0o444)
    with pytest.raises(EditConflict, match=reason):
        bench.pasting.paste(f"--- a/{path}\n+++ b/{path}\n@@ @@\n-one\n+eins\n")
