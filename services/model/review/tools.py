"""Answers of a review server's tools (002) that no other operation has."""

from __future__ import annotations

from services.model.base import Value
from services.model.review.answers import Finding


class FindingsAnswer(Value, kw_only=True, frozen=True):
    """Findings of a change. `label`: always static; `not_looked_up`: why the code was not analysed, if so."""

    title: str
    findings: tuple[Finding, ...]
    label: str = "static"
    not_looked_up: str = ""


class FileText(Value, kw_only=True, frozen=True):
    """A file in a commit."""

    path: str
    commit: str
    content: str
    line_count: int


class PathAnswer(Value, kw_only=True, frozen=True):
    """Normalised path within the workspace, and whether a file or a folder is there."""

    path: str
    is_file: bool
    is_folder: bool


class FeatureList(Value, kw_only=True, frozen=True):
    """Features of a change as documented: subjects of its commits, and changes of its public API."""

    title: str
    commits: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    label: str = "static"


class TestCases(Value, kw_only=True, frozen=True):
    """Members of a change that no test reaches, and the prompt that requests tests of them; `text`: the model's
    answer, where there is one."""

    untested: tuple[str, ...]
    prompt: str
    text: str = ""


class MergeRequest(Value, kw_only=True, frozen=True):
    """A request on a server. `created`: whether this call made it; `preview`: whether nothing was sent."""

    project: str
    title: str
    source: str
    target: str
    address: str = ""
    created: bool = False
    preview: bool = False
