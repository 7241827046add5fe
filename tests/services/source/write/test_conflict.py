"""What a version conflict tells: who, what now, and how both changes go together."""

from __future__ import annotations

import pytest

from services.errors import CodeCortexError, NotText, Unsettled, UsageError, VersionConflict
from services.source.read.token import token_of
from services.source.text.patch import MisfitError
from services.source.write.admission import CurrentFile, conflict
from services.source.write.refusal import NOTHING_WRITTEN, refusing
from services.workspace.text import Text, decode

BASE = decode(b"one\ntwo\nthree\nfour\n")
AT = 1_700_000_000_000_000_000


def raised(now: bytes | None, mine: bytes | Exception | None, *, by: str = "bob") -> VersionConflict:
    def make(_: Text) -> bytes | None:
        if isinstance(mine, Exception):
            raise mine
        return mine

    return conflict(CurrentFile("a.cs", now, AT, by), "0_old", base=BASE, mine=make)


def test_it_says_who_changed_the_file_when_and_under_which_token_it_is_now() -> None:
    error = raised(b"now\n", None)
    assert error.message.startswith("a.cs was changed by bob since it was read.")
    assert error.details["object"] == "a.cs"
    assert error.details["expectedToken"] == "0_old"
    assert error.details["currentToken"] == token_of(b"now\n", AT)
    assert (error.details["changedBy"], error.details["changedAt"]) == ("bob", AT // 1_000_000)
    assert raised(b"now\n", None, by="").message.startswith("a.cs has changed since it was read.")


def test_a_file_that_is_gone_has_no_token_and_nothing_goes_together() -> None:
    error = raised(None, b"one\n")
    assert error.message.startswith("a.cs has been deleted since it was read.")
    assert error.details["currentToken"] is None
    assert {"rebased", "hunks"} & error.details.keys() == set()


def test_changes_of_other_lines_go_together_as_a_diff_of_the_file_as_it_is_now() -> None:
    error = raised(b"one\ntwo\nthree\nFOUR\n", b"ONE\ntwo\nthree\nfour\n")
    assert "-one\n+ONE\n" in error.details["rebased"]
    assert " FOUR\n" in error.details["rebased"]
    assert "hunks" not in error.details
    assert "`rebased`" in error.message


def test_the_same_change_leaves_nothing_to_write() -> None:
    error = raised(b"one\nTWO\nthree\nfour\n", b"one\nTWO\nthree\nfour\n")
    assert {"rebased", "hunks"} & error.details.keys() == set()
    assert "nothing is left to write" in error.message


def test_changes_of_the_same_lines_are_shown_side_by_side() -> None:
    error = raised(b"one\ntheirs\nthree\nfour\n", b"one\nmine\nthree\nfour\n")
    assert error.details["hunks"] == [
        {"startLine": 2, "base": "two\n", "mine": "mine\n", "theirs": "theirs\n"}
    ]
    assert "rebased" not in error.details


def test_no_more_than_twenty_are_shown() -> None:
    lines = [f"{n}\nsame {n}\n" for n in range(30)]
    base = decode("".join(lines).encode())

    def changed(word: str) -> bytes:
        return "".join(f"{word} {each}" for each in lines).encode()

    error = conflict(
        CurrentFile("a.cs", changed("theirs"), AT, ""), None, base=base, mine=lambda _: changed("mine")
    )
    assert len(error.details["hunks"]) == 20


@pytest.mark.parametrize(
    "mine",
    [None, MisfitError((), None), NotText("no", path="a"), UnicodeEncodeError("ascii", "é", 0, 1, "no")],
)
def test_where_the_change_cannot_be_made_of_what_was_read_nothing_is_merged(
    mine: Exception | None,
) -> None:
    error = raised(b"one\n", mine)
    assert {"rebased", "hunks"} & error.details.keys() == set()
    assert "Read the lines again" in error.message


def test_without_what_was_read_nothing_is_merged() -> None:
    now = CurrentFile("a.cs", b"x\n", AT, "")
    assert "hunks" not in conflict(now, "t", base=None, mine=lambda _: b"y\n").details
    assert "hunks" not in conflict(now, "t", base=BASE, mine=None).details


def test_a_refusal_says_first_what_did_not_happen_and_only_once() -> None:
    with (
        pytest.raises(UsageError, match=rf"^{NOTHING_WRITTEN} It is wrong\.$") as raised_,
        refusing(),
        refusing(),
    ):
        raise UsageError("It is wrong.", line=3)
    assert raised_.value.details["line"] == 3
    with (
        pytest.raises(CodeCortexError, match=r"^Nothing was pasted\. No\.$"),
        refusing("Nothing was pasted."),
    ):
        raise UsageError("No.")


def test_who_cannot_vouch_for_it_does_not_say_so() -> None:
    with pytest.raises(Unsettled, match=r"^Half\.$"), refusing():
        raise Unsettled("Half.")
    with pytest.raises(KeyError), refusing():
        raise KeyError
