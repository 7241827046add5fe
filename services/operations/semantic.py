"""Operations on semantic notes: what a type is for (SPEC section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import msgspec

from services.errors import (
    AmbiguousSymbol,
    CodeCortexError,
    NoModel,
    NoteInvalid,
    ReadOnly,
    SymbolNotFound,
    UsageError,
    VersionConflict,
)
from services.model.base import Value
from services.operations.investigations import OpsAnswer
from services.operations.operation import CURATES, DECIDES, Faces, Param, always, declare
from services.operations.symbols import Path
from services.ops.jobs import Op
from services.semantic.values import Author, NoteAnswer, NoteState
from services.source.journal.actor import actor, agent
from services.source.read.token import parse_token

if TYPE_CHECKING:
    from services.bench import Bench
    from services.llm.profiles import Price

_TOLD = 50
"""Operations that an answer lists, of those that were queued."""
FEATURE = "semantic.tools"
_FOUND = (SymbolNotFound, AmbiguousSymbol)
_PATHS = Param("Symbol paths or ids of types, separated by commas.", name="paths")


class NotesTaken(Value, kw_only=True, frozen=True):
    """Outcome of an answer about several types. `refused`: why a part of it is no note, by the requested path;
    `missing`: paths without a part in the answer."""

    notes: tuple[NoteAnswer, ...]
    refused: dict[str, str]
    missing: tuple[str, ...]


class SemanticPrompt(Value, kw_only=True, frozen=True):
    """Prompt that requests notes from a chat, with its tokens for the model in use."""

    text: str
    tokens: int


class SemanticQueue(Value, kw_only=True, frozen=True):
    """Queued notes, or an estimate of them: the first of the operations that make them, one a group, and how many
    there are. `tokens`: of all prompts; `answers`: most tokens of the answers; `exact`: whether every prompt was
    counted; `cost`: of the prompts, and with the longest answers, where the price is known."""

    ops: tuple[Op, ...]
    notes: int
    tokens: int
    answers: int = 0
    exact: bool = True
    model: str = ""
    cost: tuple[float, float] | None = None
    currency: str = ""


@declare("GetSemantic", Faces("get_semantic", "semantic"), errors=_FOUND)
def get_semantic(bench: Bench, path: Path) -> NoteAnswer:
    """Show what a type is for: role, lifecycle, edge cases, limitations and recommendations.

    `isStatic`: nobody wrote it, the code alone was read. A stale note comes with `reasons` why it may not hold.
    """
    type_id = _type(bench, path)
    note = bench.notes.get(type_id)
    is_to_renew = note.state is NoteState.STALE and note.provider.author is Author.MODEL
    if bench.settings.semantic.renew and is_to_renew and note.op_id is None:
        with suppress(CodeCortexError):  # no model, no more tokens: the old one is answered all the same
            bench.generation.ask([type_id])
            note = bench.notes.get(type_id)
    return _about(bench, note, path)


@declare(
    "SetSemantic",
    Faces("set_semantic", None),
    effect=CURATES,
    errors=(*_FOUND, NoteInvalid, VersionConflict, ReadOnly),
)
def set_semantic(
    bench: Bench,
    path: Path,
    text: Annotated[
        str,
        Param(
            "The note: ROLE:, LIFECYCLE:, EDGE_CASES:, LIMITATIONS: and RECOMMENDATIONS:.",
            is_text=always,
        ),
    ],
    tokens: Annotated[
        Mapping[str, str] | None,
        Param("Tokens its files were read under, by path: where one has changed, nothing is kept."),
    ] = None,
) -> NoteAnswer:
    """Store what was learned about a type: what it is for, and what a reader of its code cannot see at once.

    All five labels need a text. The note is tied to the type as it is now.
    """
    from services.semantic.answers import read_answer

    type_id = _surely(bench, path)
    for file, token in (tokens or {}).items():
        _refuse_changed(bench, file, token)
    who = actor()
    author = Author.AGENT if agent() is not None else Author.PERSON
    return _about(bench, bench.notes.put(type_id, read_answer(text), author, who.user), path)


@declare("PromptForSemantic", Faces("prompt_for_semantic", None), errors=_FOUND, feature=FEATURE)
def prompt_for_semantic(bench: Bench, paths: Annotated[str, _PATHS]) -> SemanticPrompt:
    """Make the prompt for a chat to write the notes of types, each with those it depends on in a circle.

    TakeSemantic keeps what the chat answers.
    """
    text = bench.notes.prompt([_type(bench, each) for each in _each(paths)])
    return SemanticPrompt(text=text, tokens=bench.models.options().counter.count(text))


@declare(
    "TakeSemantic",
    Faces("take_semantic", None),
    effect=CURATES,
    errors=(*_FOUND, NoteInvalid, ReadOnly),
    feature=FEATURE,
)
def take_semantic(
    bench: Bench,
    paths: Annotated[str, _PATHS],
    answer: Annotated[str, Param("What the chat answered, as it is.", is_text=always)],
    model: Annotated[str, Param("Who answered.", flag="--model")] = "chat",
) -> NotesTaken:
    """Store the notes that a chat answered to PromptForSemantic, tied to what the prompt was made from."""
    asked = {_surely(bench, each): each for each in _each(paths)}
    found = bench.notes.take(answer, list(asked), Author.MODEL, model)
    said = {id_ for id_, each in found.items() if isinstance(each, NoteAnswer)}
    covered = {other for id_ in said for other in bench.notes.group(id_)}
    return NotesTaken(
        notes=tuple(each for each in found.values() if isinstance(each, NoteAnswer)),
        refused={asked[id_]: each.message for id_, each in found.items() if isinstance(each, NoteInvalid)},
        missing=tuple(path for id_, path in asked.items() if id_ not in covered and id_ not in found),
    )


@declare(
    "QueueSemantic",
    Faces("queue_semantic", None),
    effect=CURATES,
    errors=(*_FOUND, NoModel, ReadOnly),
    feature=FEATURE,
)
def queue_semantic(
    bench: Bench,
    paths: Annotated[str, _PATHS],
    wait: Annotated[bool, Param("Make them here and now.", flag="--wait")] = False,
    dry_run: Annotated[bool, Param("Ask for nothing; answer what it would take.", flag="--dry-run")] = False,
) -> SemanticQueue:
    """Have the model that is set up write the notes of types, one group after the other, in the background."""
    ids = [_surely(bench, each) for each in _each(paths)]
    estimate = bench.generation.estimate(ids)
    asked = () if dry_run else bench.generation.ask(ids, is_waited_for=wait or len(ids) == 1)
    ops = (bench.ops.run(op_id) if wait else bench.ops.jobs.get(op_id) for op_id in asked)
    told = tuple(ops if wait else islice(ops, _TOLD))
    profile, price = _price(bench)
    return SemanticQueue(
        ops=told,
        notes=estimate.notes,
        tokens=estimate.tokens,
        answers=estimate.answers,
        exact=estimate.is_exact,
        model=profile,
        cost=price.between(estimate.tokens, estimate.answers) if price is not None else None,
        currency=price.currency if price is not None else "",
    )


@declare(
    "CancelSemantic",
    Faces("cancel_semantic", None),
    effect=CURATES,
    errors=(*_FOUND, ReadOnly),
    feature=FEATURE,
)
def cancel_semantic(bench: Bench, paths: Annotated[str, _PATHS]) -> OpsAnswer:
    """Cancel the queued notes of types; one that is being written ends within a second."""
    found = (bench.notes.get(_surely(bench, each)).op_id for each in _each(paths))
    ops = tuple(bench.ops.cancel(op_id) for op_id in dict.fromkeys(found) if op_id is not None)
    return OpsAnswer(ops=ops, paused=tuple(sorted(bench.ops.jobs.paused())))


@declare(
    "AcceptSemantic", Faces(None, "semantic-accept"), effect=DECIDES, errors=(*_FOUND, UsageError, ReadOnly)
)
def accept_semantic(
    bench: Bench,
    path: Path,
    refuse: Annotated[bool, Param("Drop the newer one.", flag="--refuse")] = False,
) -> NoteAnswer:
    """Accept the newer note that waits behind a person's, or drop it."""
    return bench.notes.accept(_surely(bench, path), is_accepted=not refuse)


def _price(bench: Bench) -> tuple[str, Price | None]:
    """The profile of the model that writes notes, and its price; nothing where none is set up."""
    try:
        name = bench.generation.model_name()
    except NoModel:
        return "", None
    return name, bench.asking.profiles().models[name].price


def _refuse_changed(bench: Bench, file: str, token: str) -> None:
    """Raises VersionConflict where a file is another than was read, FileMissing, WorkspaceError, PathRefused."""
    entry, _ = bench.reader.content(file)
    if parse_token(token).digest != entry.digest:
        raise VersionConflict(
            f"Nothing was kept: {file} has changed since it was read. Read it again, and say what holds now.",
            expectedToken=token,
            currentToken=entry.token,
            changedBy=entry.changed_by,
        )


def _about(bench: Bench, note: NoteAnswer, path: str) -> NoteAnswer:
    """Return the note with the requested symbol."""
    return msgspec.structs.replace(note, resolved=bench.lookup.resolve(path).resolved)


def _type(bench: Bench, path: str) -> str:
    """The id of the type that a path means, or that declares the member it means. Raises SymbolNotFound and
    AmbiguousSymbol."""
    return bench.lookup.found(path).whole.id


def _surely(bench: Bench, path: str) -> str:
    """Return as `_type` does, without guessing."""
    return bench.lookup.sure(path).whole.id


def _each(paths: str) -> list[str]:
    """Paths separated by commas, but for those within brackets, of generics and parameter lists."""
    parts: list[str] = [""]
    depth = 0
    for character in paths:
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    found = [part.strip() for part in parts if part.strip()]
    if not found:
        raise UsageError("Name at least one type.")
    return found
