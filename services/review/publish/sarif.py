"""A review as SARIF 2.1.0 (OASIS), which editors and build servers read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import msgspec

import services
from services.model.review import Finding, Review, ReviewComment, Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.BLOCKER: "error",
    Severity.WARNING: "warning",
    Severity.SUGGESTION: "note",
    Severity.QUESTION: "note",
    Severity.PRAISE: "none",
}


def sarif(review: Review, comments: Sequence[ReviewComment], findings: Sequence[Finding] = ()) -> str:
    """The comments, and what was found without a model, as one run."""
    results = [*map(_of_comment, comments), *map(_of_finding, findings)]
    rules = sorted({result["ruleId"] for result in results})
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "CodeCortex", "version": services.__version__,
                "rules": [{"id": rule, "shortDescription": {"text": rule.replace("/", ": ")}} for rule in rules],
            }},
            "automationDetails": {"id": f"review/{review.id}"},
            "columnKind": "utf16CodeUnits",
            "results": [{**result, "ruleIndex": rules.index(result["ruleId"])} for result in results],
        }],
    }  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode()


def _of_comment(comment: ReviewComment) -> dict[str, Any]:
    category = comment.category.strip().replace(" ", "-") or comment.severity
    result = _result(f"review/{category}", comment.severity, comment.text)
    result |= _locations(comment.file, comment.line, comment.end_line)
    result["partialFingerprints"] = {"commentId/v1": comment.id}
    if comment.suggestion is not None and comment.file and comment.line is not None:
        result["fixes"] = [_fix(comment, comment.line, comment.suggestion)]
    return result


def _of_finding(finding: Finding) -> dict[str, Any]:
    rule = f"{finding.kind}/{finding.code}" if finding.code else finding.kind
    result = _result(rule, finding.severity, f"{finding.text} (static)")
    result |= _locations(finding.file, finding.line, None)
    places = dict.fromkeys(finding.places)
    related = [_place(*_split(place)) for place in places if ":" in place and "/" in place]
    return result | ({"relatedLocations": related} if related else {})


def _result(rule: str, severity: Severity, text: str) -> dict[str, Any]:
    kind = {"kind": "informational"} if _LEVELS[severity] == "none" else {}
    return {"ruleId": rule, "level": _LEVELS[severity], "message": {"text": text}, **kind}


def _locations(file: str, line: int | None, end: int | None) -> dict[str, Any]:
    return {"locations": [_place(file, line, end)]} if file else {}


def _place(file: str, line: int | None, end: int | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if line is not None:
        place["region"] = {"startLine": line, **({"endLine": end} if end else {})}
    return {"physicalLocation": place}


def _split(place: str) -> tuple[str, int | None]:
    path, _, line = place.rpartition(":")
    return path, int(line) if line.isdigit() and int(line) else None


def _artifact(file: str) -> dict[str, str]:
    return {"uri": quote(file, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}


def _fix(comment: ReviewComment, line: int, suggestion: str) -> dict[str, Any]:
    """Whole lines: from the start of the first to the start of the one behind the last."""
    region = {"startLine": line, "startColumn": 1, "endLine": (comment.end_line or line) + 1, "endColumn": 1}
    text = f"{suggestion}\n" if suggestion else ""
    replacement = {"deletedRegion": region, "insertedContent": {"text": text}}
    return {"artifactChanges": [{"artifactLocation": _artifact(comment.file), "replacements": [replacement]}]}
