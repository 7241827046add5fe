"""No operation of the table answers with a secret that is planted wherever one can be."""

from __future__ import annotations

import json
import logging

import pytest

from services.errors import CodeCortexError
from services.operations import Operation
from services.operations.models.masking import masked
from services.operations.table import OPERATIONS
from services.semantic.values import Author, NoteFields
from services.server.failures import MaskedLog
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, served
from tests.support.workspace import indexed

AGENT = Owner("tester")
KEY = "AKIA" + "Q3EGRTZK7WX4MNPB"
PASSWORD = "q7Zr2Vx9Kp4Wm8Ty"
GIVEN = f'var apiKey = "{PASSWORD}"; // {KEY}'
SOURCE = f"""namespace Shop;

/// <summary>Uses {KEY} where apiKey = "{PASSWORD}".</summary>
public class Keys
{{
    /// <summary>The token is {PASSWORD}.</summary>
    public const string ApiKey = "{PASSWORD}";

    public void Login(string password = "{PASSWORD}", string id = "{KEY}") => Keys.Use(ApiKey); // {KEY}

    public static void Use(string key) {{ }}
}}
"""
FILES = {**SHOP, "Shop/Keys.cs": SOURCE}
OF_PARAMETERS = {
    "path": "Shop.Keys",
    "paths": "Shop.Keys",
    "obj": "Shop/Keys.cs",
    "query": "Keys",
    "words": "keys login",
    "pattern": "string",
    "name": "keys",
    "first": "keys",
    "model": "gpt-4o",
    "level": "whole",
    "wanted": "type:Keys",
    "context_lines": 3,
    "content": GIVEN,
    "task": GIVEN,
    "reason": GIVEN,
    "purpose": GIVEN,
    "id_": GIVEN,
    "code": KEY,
    "handle": KEY,
    "token": KEY,
    "diff": f"--- a/Shop/Keys.cs\n+++ b/Shop/Keys.cs\n@@ -1 +1 @@\n-{GIVEN}\n+{GIVEN}2\n",
}
"""What is given for parameters of these names; those of others are left out where they may be."""


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    with served(tmp_path_factory.mktemp("shop"), FILES) as made:
        yield made


def arguments_of(operation: Operation) -> dict[str, object]:
    given = {each.name: each for each in operation.parameters}
    return {each.wire: OF_PARAMETERS[name] for name, each in given.items() if name in OF_PARAMETERS}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_no_operation_tells_a_secret(serving, operation):
    try:
        answer = json.dumps(serving.call(operation, arguments_of(operation), agent=AGENT))
    except CodeCortexError as error:
        answer = json.dumps([error.message, error.details])
    assert KEY not in answer
    assert PASSWORD not in answer


def test_no_file_that_a_team_shares_tells_a_secret(tmp_path):
    with indexed(tmp_path, FILES) as bench:
        bench.packs.build("keys", filter="type:Keys")
        bench.exports.write(outlines=True)
        type_id = bench.lookup.sure("Shop.Keys").whole.id
        bench.notes.put(
            type_id, NoteFields(**dict.fromkeys(NoteFields.__struct_fields__, GIVEN)), Author.AGENT
        )
    shared = [*(tmp_path / ".context").rglob("*.md"), tmp_path / ".context" / "index.json"]
    assert len(shared) >= 4
    for each in shared:
        assert KEY not in each.read_text("utf-8"), each
        assert PASSWORD not in each.read_text("utf-8"), each


def test_what_should_be_a_name_and_is_prose_is_masked():
    answer = {"path": f"note {GIVEN}", "name": GIVEN, "object": "src/Keys.cs"}
    made = masked(answer, lambda text, _known: text.replace(KEY, "-"), lambda _file: ())
    assert KEY not in json.dumps(made)
    assert made["object"] == "src/Keys.cs"


def test_a_field_that_nobody_has_heard_of_is_masked():
    answer = {"rooms": [{"said": GIVEN, "token": KEY, "told": [GIVEN, [GIVEN]]}]}
    made = masked(answer, lambda text, _known: text.replace(KEY, "-"), lambda _file: ())
    assert json.dumps(made).count(KEY) == 1
    assert made["rooms"][0]["token"] == KEY


def test_a_line_of_the_log_is_masked_with_its_traceback():
    try:
        raise ValueError(GIVEN)
    except ValueError as error:
        told = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "said %s", (GIVEN,), told)
    line = MaskedLog("%(message)s").format(record)
    assert "ValueError" in line
    assert KEY not in line
    assert PASSWORD not in line
