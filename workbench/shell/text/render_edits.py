"""Structured edits as text for a person at a shell: the diff, and what is left to decide."""

from __future__ import annotations

from datetime import datetime

from services.model import Proposal
from services.model.writes import EditAnswer, EditBatch, EditPlace, PasteAnswer
from services.operations.edits.proposals import ProposalList
from widgets.format.display import visible
from workbench.shell.text.render import Look, counted, render

_MOST_LISTED = 20


@render.register
def _(result: EditAnswer, look: Look) -> str:
    diffs = "".join(look.source(each.diff) for each in result.files)
    done = "Written" if result.written else "Dry run"
    counts = f"{counted(result.places, 'place')} in {counted(len(result.files), 'file')}"
    created = look.source(f"{result.created}\n") if result.created else ""
    undone = f", undo {result.group}" if result.written else ""
    rows = [f"{done}: {look.bold(visible(result.title))}, {counts}{undone}\n"]
    rows += [f"Moved: {visible(old)} to {visible(new)}\n" for old, new in result.moves.items()]
    if result.undecided:
        rows.append(f"To decide, by --leave or --change: {counted(len(result.undecided), 'place')}\n")
        rows += _places(result.undecided, look)
    if result.listed:
        count = counted(len(result.listed), "place")
        rows.append(look.dim(f"Left alone: {count} in strings, comments and other languages\n"))
        rows += _places(result.listed, look)
    return diffs + created + "".join(rows)


@render.register
def _(result: EditBatch, look: Look) -> str:
    edits = [f"  {each.kind} {each.object} {each.text}".rstrip() for each in result.edits]
    head = f"Batch {look.bold(visible(result.id))}, {counted(len(edits), 'edit')}, not written\n"
    return head + "".join(f"{visible(line)}\n" for line in edits)


@render.register
def _(result: PasteAnswer, look: Look) -> str:
    if not result.files:
        there = ", ".join(map(visible, result.already))
        return f"Nothing changes: {there} is so already.\n" if there else "Nothing changes.\n"
    return "".join(look.source(each.diff) for each in result.files)


def _places(places: tuple[EditPlace, ...], look: Look) -> list[str]:
    rows = [
        f"  {visible(each.file)}:{each.line}:{each.column}  {look.dim(visible(each.reason))}\n"
        f"    {look.source(each.text)}\n"
        for each in places[:_MOST_LISTED]
    ]
    more = len(places) - len(rows)
    return [*rows, *([look.dim(f"  and {more} more\n")] if more else [])]


@render.register
def _(result: ProposalList, look: Look) -> str:
    if not result.proposals:
        return "No agent has proposed a change.\n"
    return "".join(_proposal_line(proposal, look) for proposal in result.proposals)


@render.register
def _(result: Proposal, look: Look) -> str:
    reason = f"{visible(result.reason)}\n" if result.reason else ""
    return _proposal_line(result, look) + reason + look.source(result.diff)


def _proposal_line(proposal: Proposal, look: Look) -> str:
    at = datetime.fromtimestamp(proposal.created_at / 1000).astimezone()
    head = f"{proposal.id}  {proposal.state:<9}  {at:%Y-%m-%d %H:%M}  {visible(proposal.agent)}"
    why = look.dim(f"  {visible(proposal.purpose)}") if proposal.purpose else ""
    return f"{head}  {visible(proposal.object)}{why}\n"
