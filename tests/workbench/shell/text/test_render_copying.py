"""What a person should know of a copy, of models and of secrets."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from services.model import Level, Omitted
from services.model.copies import (
    AllowedRow,
    Calibration,
    Copy,
    ModelRow,
    Receipt,
    ReceiptItem,
    ReceiptsAnswer,
    SecretRow,
    SecretsAnswer,
)
from workbench.shell.text.render import Look, render
from workbench.shell.text.render_copying import copy_facts

TERMINAL, PIPE = Look(terminal=True, colour=False), Look(terminal=False, colour=False)
ITEM = ReceiptItem(key="k", label="Tree", hash="h", level=Level.OUTLINE, tokens=5)
RECEIPT = Receipt(
    id="R_1", at=0, model="gpt", tokens=1200, approximate=False, format="md", template="",
    parts=1, hash="h", items=(ITEM,),
)  # fmt: skip
COPY = Copy(
    text="a\x1b[2J\n",
    parts=("a\x1b[2J\n",),
    tokens=1200,
    tokens_low=1100,
    tokens_high=1300,
    budget=32_000,
    receipt=RECEIPT,
)
SECRET = SecretRow(
    code="3F9K6X",
    kind="password",
    placeholder="<3F9K6X>",
    masked=True,
    key="k",
    label="Tree",
    line=3,
    file="A.cs",
)


def test_a_copy_is_the_text_itself_in_a_pipe_and_visible_on_a_terminal() -> None:
    assert render(COPY, PIPE) == COPY.text
    assert render(COPY, TERMINAL) == "a␛[2J\n"
    assert render(replace(COPY, parts=("one\n", "two\n")), PIPE) == "one\n\ntwo\n"


@pytest.mark.parametrize(
    ("copy", "facts"),
    [
        (COPY, ["1 item, 1 200 of 32 000 tokens for gpt"]),
        (
            replace(
                COPY, receipt=replace(RECEIPT, approximate=True, items=(ITEM, replace(ITEM, sent=False)))
            ),
            ["1 item, ≈ 1 200 (1 100 to 1 300) of 32 000 tokens for gpt"],
        ),
        (replace(COPY, parts=("a", "b")), ["in 2 parts"]),
        (replace(COPY, changed=("A", "B"), gone=("C",)), ["2 changed: A, B", "1 gone: C"]),
        (
            replace(COPY, secrets=(SECRET, replace(SECRET, masked=False))),
            ["1 likely secret masked (`codecortex secrets` lists them)"],
        ),
        (
            replace(COPY, omitted=(Omitted(key="k", label="x", tokens=9, reason="No room."),)),
            ["1 item does not fit"],
        ),
    ],
    ids=["plain", "approximate", "parts", "since a receipt", "secrets", "left out"],
)
def test_a_person_is_told_of_a_copy_what_it_does_not_show(copy: Copy, facts: list[str]) -> None:
    assert [fact for fact in facts if fact not in copy_facts(copy)] == []
    assert len(copy_facts(copy)) == (1 if len(facts) == 1 and facts[0].endswith("gpt") else 1 + len(facts))


def test_a_receipt_says_what_it_goes_on_from() -> None:
    lines = render(
        ReceiptsAnswer(receipts=(RECEIPT, replace(RECEIPT, id="R_2", since="R_1"))), PIPE
    ).splitlines()
    assert lines[0].endswith("gpt  1 200 tokens  1 item")
    assert lines[1].endswith("1 item, what changed since R_1")
    assert render(ReceiptsAnswer(receipts=()), PIPE) == "Nothing was copied yet.\n"


def test_a_secret_is_told_by_its_code_and_place_and_never_by_itself() -> None:
    allowed = AllowedRow(code="0ABCDE", kind="token", where="B.cs:9")
    rows = (SECRET, replace(SECRET, masked=False, file=None))
    assert render(SecretsAnswer(secrets=rows, allowed=(allowed,)), PIPE).splitlines() == [
        "3F9K6X  password  masked  A.cs:3",
        "3F9K6X  password  let through  Tree:3",
        "0ABCDE  token  always let through  B.cs:9",
    ]
    assert "nothing that looks like a secret" in render(SecretsAnswer(secrets=()), PIPE)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            ModelRow(name="gpt", tokenizer="o200k", exact=True, context=128_000, chosen=True),
            "gpt * o200k exact reads 128 000",
        ),
        (ModelRow(name="c", tokenizer="o200k", exact=False, factor=1.1, band=5), "c o200k ≈ 1.10 ± 5 %"),
        (ModelRow(name="c", tokenizer="t", exact=True, source="settings"), "c t exact settings"),
    ],
    ids=["exact", "approximate", "from the settings"],
)
def test_a_model_says_how_exactly_it_is_counted(row: ModelRow, words: str) -> None:
    line = render(row, PIPE)
    assert " ".join(line.split()) == words
    assert line == f"{line.rstrip()}\n"


def test_a_calibration_says_what_became_of_the_count() -> None:
    made = Calibration(
        model="c", actual=1000, samples=1, factor=1.25, band=8, factor_before=1.1, band_before=10,
        tokens=1010, tokens_low=930, tokens_high=1090,
    )  # fmt: skip
    assert render(made, PIPE) == (
        "c: 1.100 ± 10 % became 1.250 ± 8 % after 1 count.\n"
        "This window is now counted as ≈ 1 010 (930 to 1 090) tokens; the model said 1 000.\n"
    )
