"""How the program is doing: what is indexed, what was measured, and what of it a person should look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from services.model import ModelUse, Status
from widgets.format.display import visible
from widgets.format.shorten import grouped
from workbench.shell.text.status_text import elapsed
from workbench.ui.modal import TextScreen, reading
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from workbench.main.frame import Frame


def show_status(frame: Frame) -> None:
    """Show the status as it is now."""
    bench = frame.session.bench
    if bench is None:
        return

    def show(status: Status) -> None:
        frame.app.push_screen(TextScreen("Status and measures", reading(status_text(status))))

    frame.jobs.run("measures", bench.health.status, show, failed=lambda error: frame.say(notice_of(error)))


def status_text(status: Status) -> Content:
    """All of it, to be read: alarms first."""
    parts = [
        *(Content.styled(visible(f"{each.message} {each.what_to_do}"), "$warning") for each in status.alarms),
        *([Content("")] if status.alarms else []),
        Content.styled("Now", "bold"),
        *_rows(_facts(status)),
    ]
    if status.models:
        parts += [Content(""), Content.styled("Models asked today", "bold")]
        parts += _rows({each.profile: _asked(each) for each in status.models})
    if status.measures:
        parts += [Content(""), Content.styled("Measured, by this process and those before", "bold")]
        parts += _rows({name: _figures(value) for name, value in sorted(status.measures.items())})
    return Content("\n").join(parts)


def _facts(status: Status) -> dict[str, str]:
    resolve = status.p95_resolve_ms
    return {
        "up": elapsed(status.uptime_sec),
        "projects": grouped(len(status.projects)),
        "files": grouped(status.files),
        "types": grouped(status.types_indexed),
        "memory": f"{status.memory_mb:.0f} MB",
        "resolving": "not measured yet" if resolve is None else f"P95 {resolve:.1f} ms",
        "notes waiting": grouped(status.semantic_queue_length),
    }


def _asked(use: ModelUse) -> str:
    cost = "" if use.cost is None else f"   {use.cost:.4f} {use.currency}"
    return f"{grouped(use.sent)} tokens sent   {grouped(use.received)} received{cost}"


def _rows(facts: Mapping[str, str]) -> Iterator[Content]:
    width = max(map(len, facts))
    for name, value in facts.items():
        yield Content.assemble((visible(f"  {name:<{width}}  "), "dim"), visible(value))


def _figures(value: object) -> str:
    if not isinstance(value, Mapping):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return f"P50 {value['p50']:g}   P95 {value['p95']:g}   of {value['count']}"
