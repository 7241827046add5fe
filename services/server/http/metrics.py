"""Figures of a server in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from services.measures import Measures, memory_mb
from services.ops.ops import OperationService
from services.ops.values import OpState

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PLAIN = re.compile(r"[^a-zA-Z0-9_]+")


def prometheus_text(
    measures: Measures, ops: OperationService, deliveries: Mapping[tuple[str, str], int], *, is_ready: bool
) -> str:
    """The figures of this process and workspace, each with its help and type. `deliveries`: of webhooks, by provider
    and outcome."""
    return "".join(_families(measures, ops, deliveries, is_ready=is_ready))


def _families(
    measures: Measures, ops: OperationService, deliveries: Mapping[tuple[str, str], int], *, is_ready: bool
) -> Iterator[str]:
    yield _family("ready", "gauge", "Whether the index can be asked.", [("", int(is_ready))])
    yield _family(
        "uptime_seconds", "gauge", "Seconds since the server began.", [("", round(measures.uptime, 1))]
    )
    yield _family("memory_megabytes", "gauge", "Resident memory of the server.", [("", memory_mb())])
    states = ((f'state="{state}"', count) for state, count in _states(ops).items())
    yield _family("operations", "gauge", "Long-running operations that are listed, by state.", states)
    counts = (
        (f'provider="{provider}",outcome="{outcome}"', count)
        for (provider, outcome), count in sorted(deliveries.items())
    )
    yield _family("webhook_deliveries_total", "counter", "Deliveries of webhooks, by outcome.", counts)
    for name, value in measures.summary().items():
        plain = _PLAIN.sub("_", name).strip("_")
        if isinstance(value, dict):
            rows = [(f'quantile="{at}"', value[key]) for at, key in (("0.5", "p50"), ("0.95", "p95"))]
            yield _family(plain, "gauge", f"{name}, of the last values.", rows)
        elif isinstance(value, int | float):
            yield _family(plain, "gauge", f"{name}.", [("", value)])


def _states(ops: OperationService) -> dict[OpState, int]:
    found = dict.fromkeys(OpState, 0)
    for op in ops.jobs.listed(most=1_000):
        found[op.state] += 1
    return found


def _family(name: str, kind: str, help_: str, rows: Iterable[tuple[str, float]]) -> str:
    full = f"codecortex_{name}"
    lines = (f"{full}{{{labels}}} {value}\n" if labels else f"{full} {value}\n" for labels, value in rows)
    return f"# HELP {full} {help_}\n# TYPE {full} {kind}\n{''.join(lines)}"
