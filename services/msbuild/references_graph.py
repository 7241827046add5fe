"""Cycles among project references: each is said once."""

from __future__ import annotations

from collections.abc import Sequence

from services.model import Notice
from services.msbuild.language.info import ProjectInfo


def cycles(projects: Sequence[ProjectInfo]) -> list[Notice]:
    """A notice for each reference that closes a cycle, in the order of `projects`."""
    references = {info.path: info.references for info in projects}
    done: set[str] = set()
    notices: list[Notice] = []
    for start, first in references.items():
        stack = [(start, iter(first))]
        way = {start: None}
        while stack and start not in done:
            path, following = stack[-1]
            target = next(following, None)
            if target is None:
                stack.pop()
                way.pop(path)
                done.add(path)
            elif target in way:
                notices.append(_cycle([*way][[*way].index(target) :]))
            elif target in references and target not in done:
                stack.append((target, iter(references[target])))
                way[target] = None
    return notices


def _cycle(paths: list[str]) -> Notice:
    return Notice(
        severity="warning",
        message="These projects reference each other in a circle: " + " → ".join([*paths, paths[0]]),
        file=paths[-1],
    )
