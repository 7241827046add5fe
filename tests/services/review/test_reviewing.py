from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from services.bench.bench import Bench
from services.errors import RemoteError, UsageError
from services.model.review import CommentState, ReviewComment, Severity
from services.review.markdown import counted
from services.review.packing import parse_comments
from services.review.reviewing import Reviewing
from services.review.sources.opening import ChangeSources
from services.settings import ReviewSettings
from tests.support.review_change import CODE, committed, write
from tests.support.review_servers import FakeGitHub, FakeGitLab, FakePhabricator


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        yield made


def comment(**given: object) -> ReviewComment:
    return ReviewComment(file="Shop.cs", text="Why?", severity=Severity.QUESTION, **given)  # pyright: ignore[reportArgumentType]


def test_a_comment_follows_its_line_through_edits(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    taken = bench.review.add("", comment(line=7)).taken[0]
    assert (taken.file, taken.line, taken.quoted, taken.state) == (
        "Lib/Shop.cs", 7, "        return a + 1;", CommentState.ACCEPTED,
    )  # fmt: skip
    write(bench, "// new\n" + CODE.replace("return a;", "return a + 1;"))
    assert bench.review.review("").review.comments[0].line == 8
    write(bench, CODE.replace("return a;", "return 2;"))
    gone = bench.review.review("").review.comments[0]
    assert (gone.outdated, gone.text) == (True, "Why?")
    write(bench, CODE.replace("return a;", "return a + 1;"))
    assert not bench.review.review("").review.comments[0].outdated


def test_a_comment_on_a_line_that_is_not_shown_is_refused(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    with pytest.raises(UsageError, match="not among"):
        bench.review.add("", comment(line=900))
    with pytest.raises(UsageError, match="no file"):
        bench.review.add("", ReviewComment(file="Other.cs", line=1, text="x"))


def test_marks_fall_where_their_hunk_changes(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    assert bench.review.mark("", "Shop.cs", 7).progress.reviewed == 1
    assert bench.review.review("").progress.next_file is None
    write(bench, CODE.replace("return a;", "return a + 2;"))
    progress = bench.review.review("").progress
    assert (progress.reviewed, progress.hunks, progress.next_file) == (0, 1, "Lib/Shop.cs")
    (file,) = bench.review.since("").files
    assert file.status == "changed"
    assert file.lines == ("WAS: -         return a + 1;", "NEW_LINE_7: +         return a + 2;")
    with pytest.raises(UsageError, match="No hunk"):
        bench.review.mark("", "Shop.cs", 900)


def test_what_a_model_answers_is_checked_and_kept(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    told = json.dumps({"summary": "Fine.", "comments": [
        {"file": "Lib/Shop.cs", "line": 3, "severity": "bug", "quotedCode": "return a + 1;", "text": "Off by one",
         "suggestion": "        return a;"},
        {"file": "Lib/Shop.cs", "line": 7, "quotedCode": "return a;", "text": "About the old line"},
        {"file": "Nowhere.cs", "line": 1, "text": "x"},
    ]})  # fmt: skip
    answer = bench.review.paste("", f"Here you are:\n```json\n{told}\n```\nBye.", model="m")
    (taken,) = answer.taken
    assert (taken.line, taken.severity, taken.state, taken.author_kind) == (
        7, Severity.BLOCKER, CommentState.DRAFT, "model",
    )  # fmt: skip
    assert "does not say that" in taken.note
    assert [("deleted" in each.reason or "no file" in each.reason) for each in answer.dropped] == [True, True]
    review = bench.review.paste("", told).review
    kept = bench.review.review("").review
    assert (kept.id, kept.summary, len(kept.comments)) == (review, "Fine.", 1)
    markdown = (Path(bench.root) / ".context" / "reviews" / f"{review}.md").read_text()
    assert "**Blocker** · line 7" in markdown
    assert "## Dropped" in markdown


def test_comments_are_decided(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    bench.review.paste("", "Lib/Shop.cs:8: warning: is this right?")
    (id_,) = [each.id for each in bench.review.review("").review.comments]
    answer = bench.review.decide("", id_, CommentState.EDITED, text="Is it?")
    assert (answer.review.comments[0].text, answer.counts["warning"]) == ("Is it?", 1)
    assert bench.review.decide("", id_, CommentState.REFUSED).counts["warning"] == 0
    with pytest.raises(UsageError, match="no comment"):
        bench.review.decide("", "C_00000000", CommentState.REFUSED)


def test_what_is_found_without_a_model(bench: Bench) -> None:
    write(bench, CODE.replace("public int Sum(int a)", "public int Sum(int a, int b = 1)").replace(
        "return a;", 'Console.WriteLine("x");\n<<<<<<< HEAD\n=======\n>>>>>>> other\n        return a; // TODO: more'
    ))  # fmt: skip
    write(
        bench,
        'class K { const string ApiKey = "ghp_0123456789abcdefABCDEF0123456789abcd"; }\n',
        "Lib/Keys.cs",
    )
    findings = bench.review.review("", analyze=True).findings
    kinds = {(each.kind, each.code, each.line) for each in findings}
    assert ("api", "CP0002", None) in kinds
    assert [each.line for each in findings if each.kind == "conflict"] == [8, 9, 10]
    assert {each.line for each in findings if each.kind == "debris"} == {7, 11}
    assert [(each.file, each.line) for each in findings if each.kind == "secret"] == [("Lib/Keys.cs", 1)]
    reached = [each for each in findings if each.kind == "tests" and each.places]
    assert any("ShopTests.Sums" in place for each in reached for place in each.places)
    assert {each.label for each in findings} == {"static"}


def test_callers_that_did_not_change_are_told(bench: Bench) -> None:
    write(bench, CODE.replace("public int Sum(int a)", "public virtual int Sum(int a)"))
    (finding,) = [each for each in bench.review.review("", analyze=True).findings if each.kind == "callers"]
    assert finding.places == ("Lib/Shop.cs:10",)


def test_a_pack_has_the_change_and_what_is_around_it_within_its_budget(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    pack = bench.review.pack("", budget=3_000)
    assert "NEW_LINE_7: +         return a + 1;" in pack.text
    assert "### Caller N.Shop.Twice of N.Shop.Sum" in pack.text
    assert pack.tokens <= 3_000
    small = bench.review.pack("", budget=450)
    assert small.tokens <= 450
    assert small.left_out
    assert "Left out" in small.text


def test_sarif_has_what_the_standard_asks_for(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    bench.review.add("", comment(line=7, suggestion="        return a;"))
    log = json.loads(bench.review.publish("", "sarif").text)
    (run,) = log["runs"]
    result = next(each for each in run["results"] if each["ruleId"] == "review/question")
    assert (log["version"], result["level"]) == ("2.1.0", "note")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 7}
    deleted = result["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]
    assert deleted == {"startLine": 7, "startColumn": 1, "endLine": 8, "endColumn": 1}


SERVERS = [("github:octo/demo#7", FakeGitHub, "x.cs"), ("gitlab:group/demo!5", FakeGitLab, "y.cs"),
           ("D12", FakePhabricator, "z.cs")]  # fmt: skip


def served(bench: Bench, handler: object) -> Reviewing:
    ground = bench.review._services
    settings = ReviewSettings(
        github="https://api.github.test", gitlab="https://gitlab.test", phabricator="https://phab.test"
    )
    transport = httpx2.MockTransport(handler)  # pyright: ignore[reportArgumentType]
    sources = ChangeSources(
        bench.files,
        bench.changes,
        settings,
        state=bench.state,
        transport=transport,
        key=lambda _: "secret-token",
    )
    values = {name: getattr(ground, name) for name in ground.__slots__}
    return Reviewing(type(ground)(**{**values, "sources": sources}))


def bodies(fake: FakeGitHub | FakeGitLab | FakePhabricator) -> list[str]:
    if isinstance(fake, FakeGitHub):
        return [each["body"] for review in fake.reviews for each in (*review["comments"], review)]
    if isinstance(fake, FakeGitLab):
        return [each["body"] for each in fake.notes]
    return fake.comments


@pytest.mark.parametrize(("change", "kind", "file"), SERVERS)
def test_publishing_sends_what_was_accepted_once(
    bench: Bench, change: str, kind: type[FakeGitHub | FakeGitLab | FakePhabricator], file: str
) -> None:
    fake = kind()
    review = served(bench, fake)
    review.add(change, ReviewComment(file=file, line=2, text="One ghp_0123456789abcdefABCDEF0123456789abcd"))
    review.paste(change, f"{file}:1: a draft")
    shown = review.publish(change, "server")
    assert shown.preview
    assert bodies(fake) == []
    done = review.publish(change, "server", preview=False)
    assert (len(done.published), done.pending) == (1, ())
    assert len(bodies(fake)) == 2
    assert not any("ghp_" in body or "a draft" in body for body in bodies(fake))
    review.publish(change, "server", preview=False)
    assert len(bodies(fake)) == 2
    states = [each.state for each in review.review(change).review.comments]
    assert states == [CommentState.PUBLISHED, CommentState.DRAFT]


@pytest.mark.parametrize(("change", "kind", "file"), SERVERS)
def test_a_comment_on_a_file_names_it_and_one_on_the_whole_does_not(
    bench: Bench, change: str, kind: type[FakeGitHub | FakeGitLab | FakePhabricator], file: str
) -> None:
    fake = kind()
    review = served(bench, fake)
    review.add(change, ReviewComment(file=file, line=None, text="On the file"))
    review.add(change, ReviewComment(file="", line=None, text="On all"))
    preview = review.publish(change, "server").text
    review.publish(change, "server", preview=False)
    for text in (preview, "\n".join(bodies(fake))):
        lines = {line.rpartition("**: ")[2]: line for line in text.splitlines() if "**: " in line}
        assert lines["On the file"].startswith(f"{file}: **")
        assert lines["On all"].startswith("**")


@pytest.mark.parametrize(("change", "kind", "file"), SERVERS)
def test_a_second_round_says_only_what_is_new(
    bench: Bench, change: str, kind: type[FakeGitHub | FakeGitLab | FakePhabricator], file: str
) -> None:
    fake = kind()
    review = served(bench, fake)
    review.summarize(change, "All in all, good.")
    for number in (1, 2):
        review.add(change, ReviewComment(file=file, line=number, text=f"Comment {number}"))
        review.publish(change, "server", preview=False)
    text = "\n".join(bodies(fake))
    assert [text.count(each) for each in ("All in all, good.", "Comment 1", "Comment 2")] == [1, 1, 1]


@pytest.mark.parametrize(("change", "kind", "file"), SERVERS)
def test_a_review_that_says_nothing_is_not_published(
    bench: Bench, change: str, kind: type[FakeGitHub | FakeGitLab | FakePhabricator], file: str
) -> None:
    fake = kind()
    review = served(bench, fake)
    review.paste(change, f"{file}:1: a draft")
    with pytest.raises(UsageError, match="nothing to publish"):
        review.publish(change, "server", preview=False)
    assert bodies(fake) == []


def test_words_on_the_whole_that_come_after_a_break_count_what_was_sent_before(bench: Bench) -> None:
    change, _, file = SERVERS[1]
    fake = FakeGitLab()

    def breaking(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST" and request.url.path.endswith("/notes"):
            raise httpx2.ConnectError("gone")
        return fake(request)

    comment = ReviewComment(file=file, line=1, text="Why?")
    review = served(bench, breaking)
    review.add(change, comment)
    with pytest.raises(RemoteError):
        review.publish(change, "server", preview=False)
    served(bench, fake).publish(change, "server", preview=False)
    assert [counted([comment]) in body for body in bodies(fake)] == [False, True]


@pytest.mark.parametrize("broken_at", [1, 2, 3])
@pytest.mark.parametrize(("change", "kind", "file"), SERVERS)
def test_what_broke_off_is_finished_and_never_doubled(
    bench: Bench,
    change: str,
    kind: type[FakeGitHub | FakeGitLab | FakePhabricator],
    file: str,
    broken_at: int,
) -> None:
    fake, posted = kind(), 0

    def breaking(request: httpx2.Request) -> httpx2.Response:
        nonlocal posted
        sends = (
            request.method == "POST"
            and b"search" not in request.url.raw_path
            and b"raw" not in request.url.raw_path
        )
        posted += sends
        if sends and posted == broken_at:
            raise httpx2.ConnectError("gone")
        return fake(request)

    review = served(bench, breaking)
    for number in (1, 2):
        review.add(change, ReviewComment(file=file, line=number, text=f"Comment {number}"))
    with pytest.raises(RemoteError):
        for _ in range(broken_at):
            review.publish(change, "server", preview=False)
        raise RemoteError("all was sent before")
    review.publish(change, "server", preview=False)
    sent = bodies(fake)
    assert [sum(f"Comment {number}" in body for body in sent) for number in (1, 2)] == [1, 1]


@pytest.mark.parametrize("lost_at", [1, 2, 3])
@pytest.mark.parametrize(("change", "kind", "file"), SERVERS)
def test_what_was_taken_though_the_answer_was_lost_is_not_sent_again(
    bench: Bench,
    change: str,
    kind: type[FakeGitHub | FakeGitLab | FakePhabricator],
    file: str,
    lost_at: int,
) -> None:
    fake, posted = kind(), 0

    def losing(request: httpx2.Request) -> httpx2.Response:
        nonlocal posted
        path = request.url.raw_path
        posted += request.method == "POST" and b"search" not in path and b"raw" not in path
        answer = fake(request)
        if posted == lost_at:
            posted += 1
            raise httpx2.ReadError("the process was killed")
        return answer

    review = served(bench, losing)
    for number in (1, 2):
        review.add(change, ReviewComment(file=file, line=number, text=f"Comment {number}"))
    with contextlib.suppress(RemoteError):
        review.publish(change, "server", preview=False)
    served(bench, losing).publish(change, "server", preview=False)
    sent = bodies(fake)
    assert [sum(f"Comment {number}" in body for body in sent) for number in (1, 2)] == [1, 1]
    if isinstance(fake, FakePhabricator):
        assert fake.drafts == []
    states = {each.state for each in review.review(change).review.comments}
    assert states == {CommentState.PUBLISHED}


@pytest.mark.parametrize(("text", "count"), [
    ('[{"path": "a.cs", "lineNumber": "3", "comment": "x"}]', 1),
    ('{"comments": []}', 0),
    ("- `src/A.cs:12`: blocker: it fails\nand more words\nsrc/B.cs:3-5 nit: name", 2),
    ('{"comments": [{"file": 1}, {"text": ""}, null, {"text": "y", "line": -1}]}', 1),
])  # fmt: skip
def test_answers_are_read_in_the_forms_that_models_give(text: str, count: int) -> None:
    assert len(parse_comments(text)[1]) == count


def test_an_answer_without_comments_is_refused() -> None:
    with pytest.raises(UsageError, match="no comments"):
        parse_comments("Looks good to me!")
