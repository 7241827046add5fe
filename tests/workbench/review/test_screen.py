"""The review at a glance, with keys, on a real workspace: a commit compared in the Changes pane."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Static

from services.bench import Bench
from services.model.review import CommentState, Publication, ReviewComment
from tests.support.review_change import CODE, commit, committed, write
from tests.support.stage import Stage, on_stage
from workbench.commands.situation import CHANGES, DIFF
from workbench.commands.situation import CODE as CODE_PANE
from workbench.review.publishing import PublishScreen
from workbench.review.screen import ReviewScreen, Words

SECOND = CODE.replace("return a;", "return a + 1;").replace("Sum(a) + Sum(a)", "2 * Sum(a)")


@asynccontextmanager
async def compared(folder: Path) -> AsyncIterator[tuple[Stage, Bench]]:
    """The last commit of a small library is looked at."""
    with committed(folder) as bench:
        commit(bench, SECOND)
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            stage.main.changes.compare("HEAD")
            stage.main.focus_pane(CHANGES)
            await stage.rest()
            yield stage, bench


async def review(stage: Stage) -> ReviewScreen:
    """The screen, opened by its key."""
    await stage.press("Q")
    screen = stage.app.screen
    assert isinstance(screen, ReviewScreen)
    await stage.rest()
    return screen


def labels(screen: ReviewScreen) -> list[str]:
    return [row.label for row in screen.rows.rows]


def comment(bench: Bench) -> ReviewComment:
    (found,) = bench.review.review("HEAD").review.comments
    return found


async def test_it_says_how_far_the_review_is_and_leads_to_what_is_open(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        screen = await review(stage)
        assert "0 of 1 hunks" in str(screen.progress.content)
        assert "next Lib/Shop.cs:7" in str(screen.progress.content)
        await stage.press("n")
        assert stage.app.screen is stage.main
        assert (stage.main.pane, stage.main.code.view) == (CODE_PANE, DIFF)
        await stage.press("r")
        screen = await review(stage)
        assert "1 of 1 hunks · 1 of 1 files · all looked at" in str(screen.progress.content)
        await stage.press("escape")
        assert stage.main.changes.list.reviewed == {"Lib/Shop.cs"}
        assert bench.review.review("HEAD").progress.next_file is None


async def test_a_comment_of_lines_with_a_suggestion_is_typed_at_its_line(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        (await review(stage)).action_next()
        await stage.rest()
        await stage.press(
            "C", *"question: Why?", "ctrl+j", *"One will do.", "ctrl+g", "backspace", *" + 0;", "enter"
        )
        await stage.rest()
        assert stage.app.screen is stage.main
        made = comment(bench)
        assert (made.line, made.severity, made.text) == (7, "question", "Why?\nOne will do.")
        assert made.suggestion == "        return a + 1 + 0;"
        shown = [row.note for row in stage.main.code.diff.view.rows_in_view if row.note]
        assert shown[1:] == ["One will do.", "+         return a + 1 + 0;"]
        await stage.press("C", "escape")
        await stage.rest()
        assert stage.app.screen is stage.main
        assert comment(bench) == made


async def test_selected_lines_are_commented_on_copied_and_pinned(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        (await review(stage)).action_next()
        await stage.rest()
        await stage.press("end", "shift+up", "shift+up", "shift+up")
        await stage.press("c")
        assert stage.copied[-1] == (
            "@@ -9,3 +9,3 @@\n \n-    public int Twice(int a) => Sum(a) + Sum(a);\n"
            "+    public int Twice(int a) => 2 * Sum(a);\n }\n"
        )
        assert stage.said[-1].startswith("The selected lines")
        await stage.press("space")
        await stage.rest()
        assert "public int Twice(int a) => 2 * Sum(a)" in bench.window.render().text
        assert "return a + 1" not in bench.window.render().text
        await stage.press("C")
        about = stage.app.screen.query_one("#comment-code", Static)
        assert str(about.content) == "public int Twice(int a) => 2 * Sum(a);  … 1 more"
        await stage.press(*"Why?", "ctrl+g", "enter")
        await stage.rest()
        made = comment(bench)
        assert (made.line, made.end_line, made.suggestion) == (
            10, 11, "    public int Twice(int a) => 2 * Sum(a);\n}",
        )  # fmt: skip
        assert stage.main.code.diff.view.selected_hunk is None


async def test_a_comment_is_edited_suggested_proposed_decided_and_deleted(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        bench.review.add(
            "HEAD", ReviewComment(file="Lib/Shop.cs", line=7, text="Why?", quoted="return a + 1;")
        )
        screen = await review(stage)
        assert labels(screen) == ["Shop.cs:7"]
        for key, typed in (("e", "Why one more?"), ("l", "        return a + 2;")):
            await stage.press(key)
            box = stage.app.screen
            assert isinstance(box, Words)
            box.editor.load_text(typed)
            await stage.press("ctrl+s")
            await stage.rest()
        assert (comment(bench).text, comment(bench).suggestion) == ("Why one more?", "        return a + 2;")
        await stage.press("p")
        await stage.rest()
        (proposal,) = bench.proposals.listed(pending=True)
        assert "+        return a + 2;" in proposal.diff
        assert comment(bench).proposal == proposal.id
        await stage.press("v")
        await stage.rest()
        assert comment(bench).state is CommentState.REFUSED
        await stage.press("x")
        await stage.rest()
        assert labels(screen) == []
        assert bench.review.review("HEAD").review.comments == ()


async def test_what_is_found_without_a_model_becomes_a_comment(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        screen = await review(stage)
        await stage.press("f")
        await stage.rest()
        assert screen.finding is not None
        kinds = {row.tail for row in screen.rows.rows}
        assert kinds == {"tests"}
        await stage.press("c")
        await stage.rest()
        assert comment(bench).author_kind == "static"
        assert comment(bench).state is CommentState.DRAFT
        assert len(labels(screen)) == 1 + len(kinds) + 1


async def test_an_answer_is_pasted_and_the_summary_written(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        screen = await review(stage)
        for key, typed in (
            ("t", ('[{"file": "Shop.cs", "line": 4, "text": "odd", "quotedCode": "return a + 1;"},'
                  ' {"file": "Shop.cs", "line": 1, "text": "lost", "quotedCode": "nowhere();"}]')),
            ("s", "Looks fine."),
        ):  # fmt: skip
            await stage.press(key)
            box = stage.app.screen
            assert isinstance(box, Words)
            box.editor.load_text(typed)
            await stage.press("ctrl+s")
            await stage.rest()
        assert labels(screen) == ["Shop.cs:7", "dropped: lost"]
        assert bench.review.review("HEAD").review.summary == "Looks fine."


async def test_a_second_revision_shows_what_changed_since_the_last_look(tmp_path: Path) -> None:
    with committed(tmp_path) as bench:
        write(bench, SECOND)
        bench.review.mark("", "Lib/Shop.cs")
        write(bench, SECOND.replace("a + 1", "a + 3"))
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            stage.main.changes.compare("")
            stage.main.focus_pane(CHANGES)
            await stage.rest()
            assert stage.main.code.diff.marks == ("new since you looked",)
            screen = await review(stage)
            assert labels(screen) == ["changed since: Lib/Shop.cs"]
            shown = str(screen.detail.content)
            assert "NEW_LINE_7: +         return a + 3;" in shown
            assert "WAS: -         return a + 1;" in shown


async def test_an_edit_of_as_many_lines_is_seen_in_the_diff(tmp_path: Path) -> None:
    with committed(tmp_path) as bench:
        write(bench, SECOND)
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            stage.main.changes.compare("")
            await stage.rest()
            assert "return a + 1;" in stage.main.code.diff.text
            write(bench, SECOND.replace("a + 1", "a + 3"))
            stage.main.changes.reload()
            await stage.rest()
            assert "return a + 3;" in stage.main.code.diff.text


async def test_what_would_be_published_is_looked_at_first(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        bench.review.add(
            "HEAD", ReviewComment(file="Lib/Shop.cs", line=7, text="Why?", quoted="return a + 1;")
        )
        await review(stage)
        await stage.press("P")
        await stage.rest()
        screen = stage.app.screen
        assert isinstance(screen, PublishScreen)
        assert "Why?" in str(screen.text.content)
        await stage.press("3")
        await stage.rest()
        assert '"version": "2.1.0"' in str(screen.text.content)
        copied: list[str] = []
        screen._copy = lambda text, _: copied.append(text)
        await stage.press("y")
        assert copied[-1] == str(screen.text.content)
        screen.action_show("sarif", analyse=True)
        assert "analysed" in str(screen.lead.content)
        screen.action_copy()
        assert len(copied) == 1
        await stage.rest()
        assert '"version": "2.1.0"' in str(screen.text.content)
        await stage.press("ctrl+s")
        assert stage.app.screen is screen
        shown = bench.review.publish("HEAD", "markdown")
        assert isinstance(shown, Publication)
        assert comment(bench).state is CommentState.ACCEPTED


async def test_what_would_be_published_is_written_to_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    async with compared(tmp_path) as (stage, bench):
        bench.review.add("HEAD", ReviewComment(file="Lib/Shop.cs", line=7, text="Why?"))
        await review(stage)
        await stage.press("P")
        await stage.rest()
        screen = stage.app.screen
        assert isinstance(screen, PublishScreen)
        await stage.press("w", "escape")
        assert stage.app.screen is screen
        await stage.press("w", "enter")
        await stage.rest()
        assert "Why?" in (bench.root / "review.md").read_text()
        (bench.root / "review.md").write_text("mine")
        await stage.press("w", "enter")
        await stage.rest()
        assert (bench.root / "review.md").read_text() == "mine"
        assert "could not be written" in stage.noted[-1]
