"""Likely secrets do not reach agents."""

from __future__ import annotations

import json

import pytest

from services.errors import CodeCortexError
from services.operations import by_name
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, served

AGENT = Owner("tester")
KEY = "AKIA" + "Q3EGRTZK7WX4MNPB"
SOURCE = f"""namespace Shop;

public class Keys
{{
    public const string Id = "{KEY}";
}}
"""
PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "".join(f"{n}Qy7Xk{'aB3d' * 14}\n" for n in range(6))
    + "-----END PRIVATE KEY-----\n"
)
KEYED = f"""namespace Shop;

public class Keyed
{{
    // BEGIN
    public const string Pem = @"{PEM}";
    public const string Old = "q7Zr2Vx9Kp4Wm8Ty"; // the old token
}}
"""
FILES = {**SHOP, "Shop/Keys.cs": SOURCE, "Shop/key.pem": PEM, "Shop/Keyed.cs": KEYED}


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    with served(tmp_path_factory.mktemp("shop"), FILES) as made:
        yield made


def call(serving, name, **arguments):
    return serving.call(by_name(name), arguments, agent=AGENT)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("getObjectSourceV2", {"object": "Shop/Keys.cs"}),
        ("getObjectSource", {"object": "Shop/Keys.cs"}),
        ("grepObjectSource", {"pattern": "Id", "object": "Shop/Keys.cs", "contextLines": 2}),
        ("GetOutline", {"path": "Shop.Keys"}),
        ("objectStructure", {"object": "Shop.Keys"}),
        ("FindUsages", {"path": "Shop.Keys.Id"}),
    ],
)
def test_no_answer_tells_a_secret(serving, name, arguments):
    assert KEY not in json.dumps(call(serving, name, **arguments))


def test_a_read_keeps_its_lines_and_says_that_something_is_masked(serving):
    read = call(serving, "getObjectSourceV2", object="Shop/Keys.cs")
    assert read["content"].count("\n") == read["lineCount"]
    assert "const string Id" in read["content"]


def test_matches_in_and_past_what_is_masked_have_no_place(serving):
    (match,) = call(serving, "grepObjectSource", pattern='string|Q3EG|";', object="Shop/Keys.cs", regex=True)[
        "matches"
    ]
    assert [match["content"][start:end] for start, end in match["spans"]] == ["string"]


def test_tokens_and_handles_are_not_masked_and_what_was_masked_is_not_written_back(serving):
    read = call(serving, "getObjectSourceV2", object="Shop/Keys.cs")
    handle = call(serving, "lock", object="Shop/Keys.cs")["LOCK_HANDLE"]
    line = read["content"].splitlines(keepends=True)[4]
    change = {"object": "Shop/Keys.cs", "token": read["token"], "lockHandle": handle}
    with pytest.raises(CodeCortexError, match="Nothing was written"):
        call(serving, "setObjectSourceV2", **change, startLine=5, endLine=5, content=line)
    assert KEY in (serving.bench.root / "Shop/Keys.cs").read_text()
    call(serving, "setObjectSourceV2", **change, startLine=2, endLine=2, content="\n// fine\n")
    assert KEY in (serving.bench.root / "Shop/Keys.cs").read_text()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("getObjectSourceV2", {"object": "Shop/key.pem", "startLine": 3, "endLine": 4}),
        ("grepObjectSource", {"pattern": "BEGIN", "object": "Shop/Keyed.cs", "contextLines": 3}),
        ("grepObjectSource", {"pattern": "Pem", "contextLines": 2}),
    ],
)
def test_lines_from_within_a_key_are_masked_by_what_their_file_tells(serving, name, arguments):
    answer = json.dumps(call(serving, name, **arguments))
    assert "aB3d" not in answer
    assert "secret:private-key" in answer


@pytest.mark.parametrize("where", [{}, {"object": "Shop/Keys.cs"}])
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (KEY, "AKIAZZZZZZZZZZZZZZZZ"),
        (f'Id = "{KEY[:5]}', 'Id = "AKIAZ'),
        (r'Id = "[^Q]*"', r'Id = "[^Z]*"'),
        (rf'Id = ".*{KEY[8:10]}.*"', 'Id = ".*ZZ.*"'),
        (r'Id = ".{20}";', r'Id = ".{21}";'),
        (rf"\[\[secret|{KEY[4:10]}", r"\[\[secret|ZZZZZZ"),
        (f"\ufdd0|{KEY[4:10]}", "\ufdd0|ZZZZZZ"),
        (rf"\x{{FDD0}}.*|{KEY[4:10]}", r"\x{FDD0}.*|ZZZZZZ"),
        (rf"(?i){KEY[4:10].lower()}", "(?i)zzzzzz"),
    ],
)
def test_no_pattern_tells_a_guess_of_what_is_masked_from_the_secret(serving, right, wrong, where):
    answers = [call(serving, "grepObjectSource", pattern=each, **where) for each in (right, wrong)]
    told = [{k: v for k, v in each.items() if k not in ("pattern", "tookMs")} for each in answers]
    for each in told:
        each["matches"] = [match for match in each["matches"] if match["file"] == "Shop/Keys.cs"]
    assert told[0]["matches"] == told[1]["matches"]
    assert KEY not in json.dumps(told)


def test_what_stands_around_a_secret_is_found_and_shows_its_placeholder(serving):
    (match,) = call(serving, "grepObjectSource", pattern='Id = ".*"', regex=True, object="Shop/Keys.cs")[
        "matches"
    ]
    assert "[[secret:aws-access-key:" in match["content"]


def test_a_person_greps_the_text_itself(serving):
    from services.bench.queries.sources import Grep

    assert serving.bench.sources.grep(Grep(pattern=KEY)).match_count == 1
