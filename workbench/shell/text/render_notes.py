"""Semantic notes, and operations that last, as text for a person at a shell."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from services.operations.investigations import OpsAnswer
from services.operations.semantic import NotesTaken, SemanticPrompt, SemanticQueue
from services.ops.jobs import WORKFLOWS, Op, OpEvent, OpState
from services.prompt.outline.names import type_name
from services.semantic.text import LABELS, linked
from services.semantic.values import Author, NoteAnswer, NoteFields
from widgets.format.display import visible, visible_lines
from workbench.shell.text.render import Look, counted, number, render


@render.register
def _(result: NoteAnswer, look: Look) -> str:
    lines = [f"{look.bold(visible(type_name(result.fqn)))}  {result.type_id}  {look.dim(_by(result))}"]
    lines += [f"  {visible(reason)}" for reason in result.reasons]
    lines += [f"  {visible(linked(each))}" for each in result.conclusions]
    if result.unreadable:
        lines.append(f"  {visible(result.unreadable)}")
    if result.last_error:
        lines.append(f"  The last attempt failed: {visible(result.last_error)}")
    lines += ["", _fields(result.fields, look)]
    if result.waiting is not None:
        heading = look.bold("A newer note waits; `codecortex semantic-accept` takes it:")
        lines += ["", heading, "", _fields(result.waiting, look)]
    return "\n".join(lines) + "\n\n"


def _by(result: NoteAnswer) -> str:
    if result.is_static:
        asked = "" if result.state == "none" else f", {result.state}"
        return f"read off the code: nobody wrote a note{asked}"
    provider = result.provider
    who = "by a person" if provider.author is Author.PERSON else f"by {provider.author}"
    return visible(" ".join(part for part in (f"{result.state},", who, provider.name, provider.date) if part))


def _fields(fields: NoteFields, look: Look) -> str:
    return "\n\n".join(
        f"{look.bold(label)}\n" + visible_lines(getattr(fields, field)) for field, label in LABELS.items()
    )


@render.register
def _(result: SemanticPrompt, look: Look) -> str:
    return look.source(result.text) if look.terminal else result.text


@render.register
def _(result: NotesTaken, look: Look) -> str:
    lines = [f"{look.bold(visible(type_name(each.fqn)))}  {each.state}" for each in result.notes]
    lines += [f"{visible(path)}  not kept: {visible(why)}" for path, why in result.refused.items()]
    lines += [f"{visible(path)}  not in the answer" for path in result.missing]
    return "\n".join(lines) + "\n"


@render.register
def _(result: SemanticQueue, look: Look) -> str:
    rows = "".join(render(op, look) for op in result.ops)
    about = "" if result.exact else "about "
    facts = [counted(result.notes, "note"), f"{about}{counted(result.tokens, 'token')} of prompts"]
    facts += [f"up to {counted(result.answers, 'token')} of answers"]
    if result.model:
        facts.append(f"by {visible(result.model)}")
    if result.cost is not None:
        facts.append(f"{result.cost[0]:.4f} to {result.cost[1]:.4f} {visible(result.currency)}")
    return rows + look.dim(", ".join(facts) + "\n")


@render.register
def _(result: OpsAnswer, look: Look) -> str:
    rows = "".join(render(op, look) for op in result.ops) or look.dim("Nothing was asked for that lasts.\n")
    paused = "".join(
        f"Paused: {visible(kind)}; `pause-ops {kind} --resume` goes on.\n" for kind in result.paused
    )
    return rows + paused


@render.register
def _(result: Op, look: Look) -> str:
    progress = result.progress
    is_over = result.state.is_end
    far = f"{number(progress.done)} of {number(progress.total)}" if progress.total and not is_over else ""
    phase = "" if is_over else progress.phase
    error = (result.error or {}).get("message", "") if result.state is OpState.FAILED else ""
    facts = "  ".join(visible(str(fact)) for fact in (_clock(result.created_at), far, phase, error) if fact)
    row = f"{look.bold(result.op_id)}  {result.state:<9}  {visible(result.title)}  {look.dim(facts)}\n"
    return row + "".join(f"    {visible(line)}\n" for line in _outcome(result))


def _outcome(op: Op) -> Iterator[str]:
    """Lines on the outcome of a workflow: whether its gate is passed, why, and what was written and opened."""
    told = op.result if op.kind == WORKFLOWS and isinstance(op.result, dict) else {}
    if "passed" in told:
        yield "The gate is passed." if told["passed"] else "The gate is not passed."
        yield from (str(each) for each in (*told["reasons"], *told["files"], told["address"]) if each)


@render.register
def _(result: OpEvent, look: Look) -> str:
    refs = f"  {look.dim(visible(', '.join(result.refs)))}" if result.refs else ""
    return f"{result.n:>4}  {_clock(result.at)}  {look.bold(visible(result.kind))}  {visible(result.text)}{refs}\n"


def _clock(at: int) -> str:
    return datetime.fromtimestamp(at / 1000).astimezone().strftime("%H:%M:%S")
