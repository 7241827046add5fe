"""What a change needs, over a real workspace with a history."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.window.context import ContextRequest
from services.errors import SymbolNotFound
from services.model import Context, Level
from services.model.window import ContextItem
from tests.support.state import state_of
from tests.support.workspace import edit, indexed, opened, project, write_workspace

FILES = {
    "src/Shop.csproj": project(),
    "src/Basket.cs": "namespace Shop; public class Basket : IPriced { public decimal Total(Discount off) => 1; }",
    "src/IPriced.cs": "namespace Shop; public interface IPriced { decimal Total(Discount off); }",
    "src/Gift.cs": "namespace Shop; public class Gift : IPriced { public decimal Total(Discount off) => 0; }",
    "src/Discount.cs": "namespace Shop; /// <summary>Makes it cheaper.</summary>\npublic class Discount { }",
    "src/Receipt.cs": 'namespace Shop; public class Receipt { public string Print() => "voucher"; }',
    "src/Clock.cs": "namespace Shop; public class Clock { public int Now; }",
    "test/Shop.Tests.csproj": project(),
    "test/BasketTests.cs": "namespace Shop.Tests; public class BasketTests { Basket basket; }",
}


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    write_workspace(tmp_path, FILES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "everything")
    for number in range(2):
        edit(tmp_path, "src/Receipt.cs", FILES["src/Receipt.cs"] + f"// {number}")
        edit(tmp_path, "src/Basket.cs", FILES["src/Basket.cs"] + f"// {number}")
        git(tmp_path, "commit", "-q", "-a", "-m", "Round prices to cents")
    with opened(tmp_path) as bench:
        bench.index.refresh()
        yield bench


def find(bench: Bench, words: str = "", *seeds: str, **more: object) -> Context:
    return bench.context.find(ContextRequest(words, seeds)._replace(**more))


def labels(found: Context) -> list[str]:
    return [item.symbol.label for item in found.items]


def reasons(found: Context) -> dict[str, str]:
    return {item.symbol.label: "; ".join(item.reasons) for item in found.items}


def test_from_a_seed_come_what_it_names_its_family_and_what_changed_with_it(bench: Bench) -> None:
    found = find(bench, "", "Basket.Total")
    told = reasons(found)
    assert {"IPriced", "Discount", "Receipt", "Gift"} <= told.keys()
    assert "Basket" not in told
    assert "Basket implements it" in told["IPriced"]
    assert "named by Basket" in told["Discount"]
    assert told["Receipt"].startswith("changed together with Basket 3 of 3 times")
    assert told["Gift"].startswith("is an IPriced as Basket is")


def test_from_words_come_types_that_have_them_and_those_that_commits_about_them_changed(bench: Bench) -> None:
    found = find(bench, "vouchers for rounding to a cent")
    assert labels(found)[0] == "Receipt"
    assert "has 1 of 3 words: vouchers" in reasons(found)["Receipt"]
    assert "2 earlier commits" in reasons(found)["Basket"]


def test_a_keyword_of_the_task_counts_where_names_are_made_of_it(bench: Bench, tmp_path: Path) -> None:
    edit(
        tmp_path, "src/Clock.cs", "namespace Shop; public class TimedLock { void Wait() { lock (this) { } } }"
    )
    bench.index.refresh()
    assert labels(find(bench, "lock"))[0] == "TimedLock"


def test_a_sentence_of_which_no_word_is_anywhere_finds_nothing(bench: Bench) -> None:
    assert find(bench, "quaternion manifold").items == ()


def test_tests_come_last_unless_they_are_asked_for(bench: Bench) -> None:
    assert labels(find(bench, "basket"))[-1] == "BasketTests"
    assert "BasketTests" in labels(find(bench, "tests of the basket"))[:2]


def test_a_test_that_alone_has_a_word_is_not_behind_what_has_none(bench: Bench) -> None:
    text = "namespace Shop.Tests; public class OrderTests { Receipt r; void Zeppelin() { } }"
    edit(Path(bench.root), "test/OrderTests.cs", text)
    bench.index.refresh()
    assert labels(find(bench, "zeppelin"))[0] == "OrderTests"
    assert labels(find(bench, "zeppelin of the receipt")).index("OrderTests") < 3
    assert labels(find(bench, "receipt"))[-1] in {"OrderTests", "BasketTests"}


def test_frames_of_a_trace_come_first_with_their_numbers(bench: Bench) -> None:
    trace = """System.Exception: no
   at Shop.Clock.get_Now()
   at Shop.Clock.Tick()
   at Shop.Gift.Total(Discount off)
   at System.Linq.Enumerable.ToList[T](IEnumerable`1 s)"""
    found = find(bench, trace)
    assert labels(found)[:2] == ["Clock", "Gift"]
    assert reasons(found)["Gift"].startswith("frame 3 of the stack trace is Total(Discount)")
    assert [item.score for item in found.items[:2]] == [1.0, 1.0]
    assert not any("Gift" in reason for reason in found.items[1].reasons)
    assert [place.symbol is None for place in found.places] == [False, True, False, True]


def test_what_it_costs_is_told_and_kept_to(bench: Bench) -> None:
    for budget in (30, 120, 400, 8_000):
        found = find(bench, "basket discount receipt", budget=budget)
        assert sum(item.cost for item in found.items) == found.tokens <= budget
    assert {item.level for item in found.items} == {Level.OUTLINE}
    assert find(bench, "basket", budget=1).items == ()
    assert len(find(bench, "basket discount receipt", most=2).items) == 2


def test_only_kinds_that_are_asked_for(bench: Bench) -> None:
    assert labels(find(bench, "total discount", kinds=("interface",))) == ["IPriced"]


def test_a_new_file_and_a_new_commit_are_seen(bench: Bench, tmp_path: Path) -> None:
    assert find(bench, "parcel").items == ()
    edit(tmp_path, "src/Parcel.cs", "namespace Shop; public class Parcel { }")
    bench.index.refresh()
    assert labels(find(bench, "parcel")) == ["Parcel"]
    commits = find(bench, "parcel").commits
    git(tmp_path, "add", ".")
    edit(tmp_path, "src/Clock.cs", FILES["src/Clock.cs"] + "// ships")
    git(tmp_path, "commit", "-q", "-a", "-m", "Ship parcels")
    found = find(bench, "", "Shop.Parcel")
    assert found.commits == commits + 1
    assert "changed together" not in reasons(found).get("Clock", "")  # once says nothing
    assert "Clock" in labels(found)


def test_words_and_history_outlive_the_process(bench: Bench, tmp_path: Path) -> None:
    first = find(bench, "vouchers for rounding")
    bench.close()
    with opened(tmp_path) as again:
        again.index.refresh()
        second = find(again, "vouchers for rounding")
    assert labels(second) == labels(first)
    assert second.commits == first.commits
    assert {"words.db", "history.bin"} <= {path.name for path in state_of(tmp_path).iterdir()}


@pytest.mark.parametrize("damaged", ["words.db", "history.bin"])
def test_what_is_damaged_is_made_anew(bench: Bench, tmp_path: Path, damaged: str) -> None:
    first = find(bench, "vouchers for rounding")
    bench.close()
    (state_of(tmp_path) / damaged).write_bytes(b"\xc1garbage")
    with opened(tmp_path) as again:
        again.index.refresh()
        assert labels(find(again, "vouchers for rounding")) == labels(first)


def test_without_git_everything_but_the_history_is_there(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        found = find(bench, "vouchers", "Shop.Basket")
        assert found.commits == 0
        assert {"Receipt", "IPriced"} <= set(labels(found))


def test_a_workspace_without_types_answers_nothing(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Empty.cs": "// nothing"}) as bench:
        assert find(bench, "anything").items == ()


def test_a_seed_that_is_not_there_is_said(bench: Bench) -> None:
    with pytest.raises(SymbolNotFound, match="Nowhere"):
        find(bench, "", "Shop.Nowhere")


def test_seeds_may_be_lines_of_files_and_ids(bench: Bench) -> None:
    by_path = labels(find(bench, "", "src/Basket.cs:1"))
    assert by_path == labels(find(bench, "", "Shop.Basket"))
    assert "IPriced" in by_path


def test_what_was_used_lately_rises(bench: Bench) -> None:
    before = labels(find(bench, "total discount"))
    assert before.index("Gift") > 0
    bench.index.use(bench.lookup.resolve("Shop.Gift").resolved.type_id)  # type: ignore[union-attr]
    after = labels(find(bench, "total discount"))
    assert after.index("Gift") <= before.index("Gift")


def test_a_repository_of_one_commit_changes_nothing_of_what_words_find(tmp_path: Path) -> None:
    write_workspace(tmp_path, FILES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "everything")
    with opened(tmp_path) as bench:
        bench.index.refresh()
        found = find(bench, "voucher")
        assert (labels(found)[0], found.commits) == ("Receipt", 1)
        assert "IPriced" in labels(find(bench, "", "Shop.Basket"))


def test_a_shallow_clone_answers_with_the_commits_it_has(bench: Bench, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    url = tmp_path.as_uri()
    subprocess.run(["git", "clone", "-q", "--depth", "1", url, str(shallow)], check=True, capture_output=True)
    with opened(shallow) as other:
        other.index.refresh()
        found = find(other, "", "Shop.Basket")
        assert found.commits == 1
        assert {"IPriced", "Discount"} <= set(labels(found))


def test_a_subject_in_chinese_leads_to_what_it_changed(bench: Bench, tmp_path: Path) -> None:
    edit(tmp_path, "src/Clock.cs", FILES["src/Clock.cs"] + "// later")
    git(tmp_path, "commit", "-q", "-a", "-m", "取消订单")
    assert labels(find(bench, "取消订单"))[0] == "Clock"


def test_a_trace_of_five_megabytes_is_answered_with_its_frames_first(bench: Bench) -> None:
    frames = "   at Shop.Gift.Total(Discount off)\n   at System.Linq.Enumerable.ToList[T](IEnumerable`1 s)\n"
    found = find(bench, "System.Exception: no\n" + frames * (5_000_000 // len(frames)))
    assert labels(found)[0] == "Gift"


@pytest.mark.parametrize(
    "words", ["\0\x01\x02 voucher \x7f\x00", "voucher \ud800 \ufffd", "voucher\r\n\x1b[31m"]
)
def test_bytes_that_are_no_text_among_the_words_harm_nothing(bench: Bench, words: str) -> None:
    assert labels(find(bench, words))[0] == "Receipt"


WIDE = "namespace Shop; public class Wide {{ {} public int TakeVoucher(int code) => code; }}".format(
    " ".join(f"public void DoSomethingElse{number}(int first, string second) {{ }}" for number in range(190))
)


def test_of_a_large_type_the_outline_lists_the_members_that_the_words_touch(
    bench: Bench, tmp_path: Path
) -> None:
    edit(tmp_path, "src/Wide.cs", WIDE)
    bench.index.refresh()
    item = next(
        item for item in find(bench, "take a voucher", budget=2_000).items if item.symbol.label == "Wide"
    )
    assert item.level is Level.OUTLINE
    assert item.cost <= 400
    assert 1 <= len(item.members) < 191
    window = bench.window.pin_offered([item], force=True)
    assert (window.items[0].tokens, window.items[0].members) == (item.cost, item.members)
    assert "{ // public unless said" in window.text
    assert " int TakeVoucher(int code);" in window.text
    assert f"… {191 - len(item.members)} more" in window.text
    whole = bench.window.set_level("Wide", "outline", force=True)
    assert "more" not in whole.text
    assert whole.items[0].members == ()


def test_a_large_type_is_shown_whole_where_there_is_room_in_the_end(bench: Bench, tmp_path: Path) -> None:
    edit(tmp_path, "src/Wide.cs", WIDE)
    bench.index.refresh()
    found = find(bench, "take a voucher", budget=20_000).items
    assert next(item for item in found if item.symbol.label == "Wide").members == ()


def test_what_was_let_go_is_read_again_for_the_next_question(bench: Bench) -> None:
    found = find(bench, "print a receipt")
    edit(bench.root, "src/Clock.cs", "namespace Shop; public class Clock { public string PrintedReceipt; }")
    bench.index.refresh()
    after = find(bench, "print a receipt")
    assert labels(found) != labels(after)
    assert bench.context.grounds.let_go()
    again = find(bench, "print a receipt")
    assert (labels(again), reasons(again)) == (labels(after), reasons(after))


def test_nothing_is_let_go_while_somebody_asks(bench: Bench) -> None:
    asked, answered, went = threading.Event(), threading.Event(), list[bool]()

    def report(_: object) -> None:
        asked.set()
        assert answered.wait(60)

    asking = threading.Thread(target=lambda: bench.context.prepare(report=report))
    asking.start()
    assert asked.wait(60)
    went.append(bench.context.grounds.let_go())
    answered.set()
    asking.join(60)
    assert went == [False]
    assert bench.context.grounds.let_go()


LINKED = {
    "Shop.csproj": project(),
    "ICart.cs": "namespace Shop; public interface ICart { event System.EventHandler PriceChanged; }",
    "Trolley.cs": "namespace Shop; public class Trolley { }",
    "Odd.cs": "namespace Odd; public class Trolley { }",
    "Setup.cs": """namespace Shop; public static class Setup {
        public static void Add(IServices services) {
            services.AddScoped<ICart, Trolley>(); services.Find<ICart, Till>(); } }""",
    "Till.cs": """namespace Shop; public class Till {
        public void Open(ICart cart) { cart.PriceChanged += OnOther; cart.PriceChanged += OnOther; }
        void OnOther(object sender, System.EventArgs e) { } }""",
    "Lamp.cs": "namespace Shop; public class Lamp { void On(ICart cart) { cart.PriceChanged += (a, b) => { }; } }",
    "SlowDigAttribute.cs": "namespace Shop; public class SlowDigAttribute : System.Attribute { }",
    "Mole.cs": "namespace Shop; public class Mole { [SlowDig] public void Dig() { } }",
}


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with indexed(tmp_path_factory.mktemp("linked"), LINKED) as bench:
        yield bench


@pytest.mark.parametrize(
    ("words", "seeds", "label", "reason"),
    [
        ("ICart", (), "Trolley", "registered for ICart"),
        ("", ("ICart",), "Trolley", "registered for ICart"),
        ("", ("Shop.Trolley",), "ICart", "Trolley is registered for it"),
        ("PriceChanged", (), "Till", "OnOther handles ICart.PriceChanged"),
        ("", ("ICart.PriceChanged",), "Lamp", "subscribes to ICart.PriceChanged"),
        ("", ("Till.OnOther",), "ICart", "Till.OnOther handles its PriceChanged"),
        ("what is [SlowDig]", (), "Mole", "has the attribute SlowDig"),
        ("", ("SlowDigAttribute",), "Mole", "has the attribute SlowDig"),
    ],
)
def test_what_is_registered_subscribed_and_marked_is_reached_with_the_reason(
    linked: Bench, words: str, seeds: tuple[str, ...], label: str, reason: str
) -> None:
    items = find(linked, words, *seeds).items
    told = {item.symbol.path: item.reasons[0] for item in items}
    assert told.get(f"Shop.{label}") == reason
    assert not any("registered" in each for each in reasons_of(items, "Odd.Trolley", "Shop.Till"))


def reasons_of(items: Sequence[ContextItem], *paths: str) -> list[str]:
    return [reason for item in items if item.symbol.path in paths for reason in item.reasons]
