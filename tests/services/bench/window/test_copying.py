"""Copies of a real workspace: checked, masked, in a template, in parts, and only what changed."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from services.bench.bench import Bench
from services.bench.queries.sources import Grep
from services.errors import BudgetExceeded, InvalidTemplate, UsageError
from services.model import ItemFlag
from services.operations import by_name
from services.prompt.items import CopyRequest
from services.prompt.receipts import FOLDER, KEPT
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from tests.services.prompt.secrets_samples import SECRETS
from tests.support.workspace import edit, indexed

TOKEN = SECRETS["github-token"]
FILES = {
    "A.cs": "class A { int One() => 1; }\n",
    "B.cs": f'class B\n{{\n    const string Key = "{TOKEN}";\n}}\n',
}
COUNTER = counter_for("gpt-5", EncodingCounter())


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        bench.window.pin("A.cs")
        bench.window.pin("B.cs")
        yield bench


def copied(bench: Bench, **given: object):
    made = bench.copying.prepare(CopyRequest(**given))  # pyright: ignore
    bench.copying.keep(made)
    return made


def test_without_a_task_it_is_the_window_and_its_tokens_are_exact(bench: Bench) -> None:
    made = copied(bench)
    about, _, window = made.text.rstrip().partition("\n\n")
    assert about.startswith(f"Below is a selection from the code base {bench.name}, not all of it.")
    assert window == bench.window.render().text.rstrip()
    assert copied(bench, form="json").text.startswith('{"items"')
    assert made.tokens == made.tokens_high == COUNTER.count(made.text)
    assert made.parts == (made.text,)


@pytest.mark.parametrize("form", ["md", "xml", "json"])
def test_no_secret_leaves_by_any_way(bench: Bench, form: str) -> None:
    made = copied(bench, form=form, task=f"Use {TOKEN}")
    assert TOKEN not in made.text
    assert TOKEN not in bench.window.render(format=form).text
    bench.window.unchecked.close()
    published = (bench.state.shared.read("prompt_window.md") or b"").decode()
    assert "B.cs" in published
    assert TOKEN not in published
    (row,) = made.secrets
    assert (row.kind, row.file, row.line, row.masked) == ("github-token", "B.cs", 3, True)
    assert row.placeholder in made.text
    flags = {item.key: item.flags for item in bench.window.render(format=form).items}
    assert flags == {"file:A.cs": (), "file:B.cs": (ItemFlag.SECRET,)}


def test_a_secret_is_let_through_once_or_always(bench: Bench) -> None:
    (row,) = bench.copying.secrets().secrets
    assert TOKEN in copied(bench, allow=(row.code,)).text
    assert TOKEN not in copied(bench).text
    answer = bench.copying.allow(row.code)
    assert [(each.code, each.where) for each in answer.allowed] == [(row.code, "B.cs:3")]
    assert TOKEN in copied(bench).text
    assert TOKEN in bench.window.render().text
    bench.copying.forbid(row.code)
    assert TOKEN not in bench.window.render().text
    with pytest.raises(UsageError, match="no secret"):
        bench.copying.allow("ZZZZZZ")


def test_what_was_edited_since_is_copied_as_it_is_now(bench: Bench) -> None:
    edit(bench.root, "A.cs", "class A { int Two() => 2; }\n")
    assert "Two()" in copied(bench).text


def test_the_next_copy_can_be_only_what_changed(bench: Bench) -> None:
    first = copied(bench)
    with pytest.raises(UsageError, match="Nothing changed since"):
        copied(bench, changed=True)
    edit(bench.root, "A.cs", "class A { int Two() => 2; }\n")
    second = copied(bench, changed=True)
    assert "Two()" in second.text
    assert "class B" not in second.text
    assert (second.changed, second.added, second.gone) == (("A.cs",), (), ())
    assert second.receipt.since == first.receipt.id
    assert {item.key: item.sent for item in second.receipt.items} == {"file:A.cs": True, "file:B.cs": False}
    with pytest.raises(UsageError, match="Nothing changed since"):
        copied(bench, changed=True)
    bench.window.unpin("B.cs")
    bench.window.dismiss("B.cs")
    gone = copied(bench, changed=True)
    assert gone.gone == ("B.cs",)
    assert "No longer part of it: B.cs." in gone.text


def test_changes_can_be_told_from_any_receipt(bench: Bench) -> None:
    first = copied(bench)
    edit(bench.root, "A.cs", "class A { int Two() => 2; }\n")
    copied(bench)
    assert "Two()" in copied(bench, since=first.receipt.id).text
    with pytest.raises(UsageError, match="no receipt"):
        copied(bench, since="nope")
    with pytest.raises(UsageError, match="Nothing was copied for gpt-4 yet"):
        copied(bench, changed=True, model="gpt-4")


def test_receipts_are_readable_say_nothing_secret_and_are_pruned(bench: Bench) -> None:
    made = copied(bench, task="Explain")
    data = bench.state.read(f"{FOLDER}/{made.receipt.id}.json") or b""
    assert json.loads(data)["tokens"] == made.tokens
    assert TOKEN not in data.decode()
    for at in range(KEPT + 5):
        bench.state.path(f"{FOLDER}/2000{at:03}.json").write_bytes(data)
    copied(bench)
    assert len(bench.state.names(FOLDER)) == KEPT
    bench.state.write(f"{FOLDER}/2999.json", b"{")
    assert len(bench.copying.receipts(2 * KEPT).receipts) == KEPT


def test_a_template_of_the_workspace_is_used_and_counted(bench: Bench) -> None:
    bench.state.shared.write(
        "templates/ask.md", b"You know C#.\n\n{{window}}\n\nTask: {{task}} ({{workspace}}, {{model}})\n"
    )
    made = copied(bench, template="ask", task="Explain")
    assert made.text.startswith("You know C#.\n\n## A.cs")
    assert made.text.endswith(f"Task: Explain ({bench.name}, gpt-5)\n")
    assert made.tokens == COUNTER.count(made.text)
    bench.state.shared.write("templates/bad.md", b"{{windo}}")
    with pytest.raises(InvalidTemplate, match="line 1, column 1"):
        copied(bench, template="bad")


def test_the_whole_is_within_the_budget_however_long_the_task(tmp_path: Path) -> None:
    from services.settings import IndexSettings, Settings, WindowSettings
    from tests.support.workspace import write_workspace

    files = {
        f"F{n}.cs": f"class F{n} {{ {' '.join(f'int M{m}() => {m};' for m in range(25))} }}\n"
        for n in range(6)
    }
    write_workspace(tmp_path, files)
    for model in ("gpt-5", "claude-sonnet-4-5"):
        settings = Settings(index=IndexSettings(workers=1), window=WindowSettings(budget=1000, model=model))
        with Bench.open(tmp_path, settings=settings) as bench:
            bench.index.refresh()
            for path in files:
                bench.window.pin(path, force=True)
            for words in (0, 300):
                made = bench.copying.prepare(CopyRequest(task="word " * words))
                assert made.tokens_high <= 1000
                assert made.tokens_low <= made.tokens <= made.tokens_high
                assert "F0" in made.text
            with pytest.raises(BudgetExceeded, match="No room is left"):
                bench.copying.prepare(CopyRequest(task="word " * 3000))


def test_parts_fit_and_an_empty_window_is_not_copied(bench: Bench) -> None:
    made = copied(bench, part_tokens=60)
    assert len(made.parts) > 1
    assert all(COUNTER.count(part) <= 60 for part in made.parts)
    for path in FILES:
        bench.window.unpin(path)
        bench.window.dismiss(path)
    with pytest.raises(UsageError, match="empty"):
        copied(bench)


def test_lines_from_within_a_key_are_masked_by_what_their_file_tells(bench: Bench) -> None:
    lines = [f"{n}Qy7Xk{'aB3d' * 14}" for n in range(6)]
    key = "\n".join(("-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----", ""))
    (bench.root / "key.pem").write_text(key)
    text = bench.window.pin("key.pem:3-4").text
    assert "aB3d" not in text
    (whole,) = {row.placeholder for row in bench.copying.secrets().secrets if row.kind == "private-key"}
    assert text.count(whole) == 2
    bench.window.pin_search(Grep(pattern="3Qy7"))
    assert "aB3d" not in bench.window.render().text


def test_what_was_opened_is_listed_and_not_copied_until_it_is_taken_in(bench: Bench) -> None:
    bench.window.dismiss("B.cs")
    bench.window.visit("B")
    window = bench.window.render()
    assert [(item.label, item.copied, item.tokens > 0) for item in window.items] == [
        ("A.cs", True, True),
        ("B", False, True),
    ]
    assert window.omitted == ()
    assert "class B" not in copied(bench).text
    assert [item.label for item in bench.copying.receipts(1).receipts[0].items] == ["A.cs"]
    bench.window.pin_recent()
    assert "B.cs" in copied(bench).text


def test_settings_may_have_what_was_opened_copied(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.window.visit("A")
        with pytest.raises(UsageError, match="Nothing is pinned"):
            copied(bench)
        settings = bench.settings
        window = msgspec.structs.replace(settings.window, recents="copy")
        bench.use_settings(msgspec.structs.replace(settings, window=window))
        assert "A.cs" in copied(bench).text


def test_clearing_what_is_recent_leaves_the_pins(bench: Bench) -> None:
    bench.window.visit("B")
    bench.window.clear_recent()
    assert [item.label for item in bench.window.render().items] == ["A.cs", "B.cs"]
    with pytest.raises(UsageError, match="Nothing is recent"):
        bench.window.pin_recent()


def test_what_was_unpinned_since_a_copy_is_no_longer_part_of_it(bench: Bench) -> None:
    copied(bench)
    bench.window.unpin("A.cs")
    assert copied(bench, changed=True).gone == ("A.cs",)


def test_a_receipt_counts_only_the_parts_that_were_handed_over(tmp_path: Path) -> None:
    lines = "".join(f"    int Field{n};\n" for n in range(60))
    with indexed(
        tmp_path, {"A.cs": f"class A\n{{\n{lines}}}\n", "B.cs": f"class B\n{{\n{lines}}}\n"}
    ) as bench:
        bench.window.pin("A.cs")
        bench.window.pin("B.cs")
        made = bench.copying.prepare(CopyRequest(part_tokens=300))
        first, second = made.receipt.items
        assert len(made.parts) > 2
        assert first.parts[0] == 1
        assert second.parts[-1] == len(made.parts)
        bench.copying.keep(made, first.parts)
        kept = bench.copying.receipts(1).receipts[0]
        assert [item.label for item in kept.items] == ["A.cs"]
        assert (kept.delivered, kept.parts) == (first.parts, len(made.parts))
        again = bench.copying.prepare(CopyRequest(changed=True))
        assert again.added == ("B.cs",)
        bench.copying.keep(made, [])
        assert bench.copying.receipts(1).receipts[0].items == ()


def test_the_task_stands_first_and_again_last(bench: Bench) -> None:
    text = copied(bench, task="Find the fault.").text
    assert text.startswith("Find the fault.\n")
    assert text.endswith("\nFind the fault.\n")
    assert copied(bench, task="word " * 3000).text.count("word word") < 3000


def test_the_head_says_which_state_of_the_repository_it_is(bench: Bench, tmp_path: Path) -> None:
    assert " commit " not in copied(bench).text
    for command in ("init -q -b main", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", "-C", str(tmp_path), *command.split()], check=True)
    assert re.search(r"It is of branch main, commit [0-9a-f]{7,}, clean\.", copied(bench).text)
    edit(tmp_path, "A.cs", "class A { int Two() => 2; }\n")
    assert "with uncommitted changes." in copied(bench).text


def test_the_folders_are_told_on_request(bench: Bench) -> None:
    assert "./  2 files" not in copied(bench).text
    assert "./  2 files" in copied(bench, tree=True).text


def test_a_copy_without_a_receipt_is_handed_over_and_says_so_until_one_is_kept(bench: Bench) -> None:
    folder = bench.state.path(FOLDER)
    folder.write_bytes(b"")  # nothing can be written below it
    operation = by_name("Copy")
    assert operation is not None
    made = operation.run(bench, {})
    assert "class A" in made.text
    assert made.unkept.startswith("No receipt of the copy is kept: ")
    assert made.unkept in [notice.message for notice in bench.health.renewals()]
    folder.unlink()
    assert operation.run(bench, {}).unkept == ""
    assert bench.copying.notices() == ()
