"""Revisions of Phabricator and Phorge, over Conduit."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from services.errors import RemoteError
from services.review.sources.client import ServerClient
from services.review.sources.patch_text import ParsedFile, parse_changes
from services.review.sources.source import RemoteRef

_REF = re.compile(r"D(\d{1,9})|https?://[^/]+/D(\d{1,9})(?:[/?#].*)?")
_TOKEN = ("ERR-INVALID-AUTH", "ERR-INVALID-SESSION", "ERR-CONDUIT-CORE-AUTH", "ERR-INVALID-CERTIFICATE")


class Phabricator:
    """Revisions of one server. `token`: of Conduit, sent in the body as it wants it."""

    kind = "phabricator"

    def __init__(self, client: ServerClient, token: str) -> None:
        self._client = client
        self._token = token

    @staticmethod
    def reads(name: str) -> tuple[str, int] | None:
        """`D123`, or its address."""
        found = _REF.fullmatch(name)
        return ("", int(found[1] or found[2])) if found else None

    def number_of(self, phid: str) -> int:
        """Return the number of the revision that a PHID of a webhook names. Raises RemoteError."""
        found = self._one("differential.revision.search", {"phids": [phid]}, phid)
        try:
            return int(found["id"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._odd() from error

    def fetch(self, project: str, number: int) -> tuple[RemoteRef, tuple[ParsedFile, ...]]:  # noqa: ARG002
        """A revision with the files of its last diff. Raises RemoteError."""
        revision = self._one("differential.revision.search", {"ids": [number]}, f"D{number}")
        try:
            fields = revision["fields"]
            diff = self._one(
                "differential.diff.search", {"phids": [fields["diffPHID"]]}, f"the diff of D{number}"
            )
            refs = {each.get("type"): each.get("identifier") for each in diff["fields"].get("refs") or ()}
            ref = RemoteRef(
                kind=self.kind, number=number, diff=str(diff["id"]), base=str(refs.get("base") or ""),
                title=str(fields.get("title") or ""), author=str(fields.get("authorPHID") or ""),
                url=str(fields.get("uri") or ""),
            )  # fmt: skip
        except (KeyError, TypeError, AttributeError) as error:
            raise self._odd() from error
        text = self._call("differential.getrawdiff", {"diffID": ref.diff})
        if not isinstance(text, str):
            raise self._odd()
        return ref, parse_changes(text) if text.strip() else ()

    def inline(self, ref: RemoteRef, comment: dict[str, Any]) -> str:
        """Create a comment at a line, a draft until `submit`; return its id. Raises RemoteError."""
        answer = self._call(
            "differential.createinline", {"revisionID": ref.number, "diffID": ref.diff, **comment}
        )
        return str(answer.get("id") or answer.get("phid") or "") if isinstance(answer, dict) else ""

    def submit(self, ref: RemoteRef, body: str) -> str:
        """Publishes the drafts with a comment on the whole. Raises RemoteError."""
        # `differential.revision.edit` leaves drafts of inline comments alone.
        told = {"revision_id": ref.number, "message": body, "action": "none", "attach_inlines": True}
        self._call("differential.createcomment", told)
        return ref.url

    def published(self, ref: RemoteRef) -> list[str]:
        """The texts of the comments that are there."""
        answer = self._call("transaction.search", {"objectIdentifier": f"D{ref.number}"})
        rows = answer.get("data") if isinstance(answer, dict) else None
        comments = (comment for row in rows or () for comment in row.get("comments") or ())
        return [str((comment.get("content") or {}).get("raw") or "") for comment in comments]

    def _one(self, method: str, constraints: dict[str, Any], what: str) -> Any:
        answer = self._call(method, {"constraints": constraints})
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise self._odd()
        if not rows:
            message = f"{self._client.host} has no {what}: it is gone, or the token may not see it."
            raise RemoteError(message, host=self._client.host, reason="gone")
        return rows[0]

    def _call(self, method: str, params: dict[str, Any]) -> Any:
        told = msgspec.json.encode({**params, "__conduit__": {"token": self._token}}).decode()
        form = {"params": told, "output": "json", "__conduit__": "1"}
        answer = self._client.post(f"api/{method}", form=form).json(self._client.host)
        if not isinstance(answer, dict):
            raise self._odd()
        code = answer.get("error_code")
        if code:
            said = str(answer.get("error_info") or "").replace(self._token, "…") if self._token else ""
            reason = "token" if code in _TOKEN else "server"
            advice = " Make a new Conduit token." if reason == "token" else ""
            raise RemoteError(
                f"{self._client.host} refused: {said or code}.{advice}", host=self._client.host, reason=reason
            )
        return answer.get("result")

    def _odd(self) -> RemoteError:
        host = self._client.host
        return RemoteError(f"{host} answered something that is no revision.", host=host, reason="answer")
