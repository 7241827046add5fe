"""What git keeps of files, by id: many asked for at once, the last ones remembered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from pathlib import Path

from services.errors import WorkspaceError
from services.workspace.scan import git

_MOST_BYTES = 64_000_000
"""Bytes that are remembered."""


class Blobs:
    """Reads blobs. An id names the same bytes for ever, so what was read stays true."""

    def __init__(self, root: Path, *, largest: int) -> None:
        self._root = root
        self._largest = largest
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def read(self, blob: str) -> bytes:
        """The bytes of a blob. Raises WorkspaceError where git has not got it, or it is too large."""
        if blob not in self._known:
            self.fetch([blob])
        data = self._known.get(blob)
        if data is None:
            raise WorkspaceError(f"git cannot read {blob[:12]}, or it has more than {self._largest} bytes.")
        return data

    def fetch(self, blobs: Iterable[str]) -> None:
        """Read those that are not remembered, in two calls; what is not there, or too large, is left out."""
        wanted = [blob for blob in dict.fromkeys(blobs) if blob and blob not in self._known]
        small = [blob for blob, size in self._sizes(wanted) if size <= self._largest]
        if not small:
            return
        answer = git.run(self._root, ("cat-file", "--batch"), fed=_listed(small))
        for blob, data in _contents(answer.out if answer is not None else b""):
            self._keep(blob, data)

    def _sizes(self, blobs: list[str]) -> Iterator[tuple[str, int]]:
        if not blobs:
            return
        answer = git.run(self._root, ("cat-file", "--batch-check"), fed=_listed(blobs))
        for line in answer.out.decode("ascii").splitlines() if answer is not None else ():
            words = line.split()
            if len(words) == 3 and words[1] == "blob":
                yield words[0], int(words[2])

    def _keep(self, blob: str, data: bytes) -> None:
        self._known[blob] = data
        self._bytes += len(data)
        while self._bytes > _MOST_BYTES and len(self._known) > 1:
            self._bytes -= len(self._known.popitem(last=False)[1])


def _listed(blobs: Iterable[str]) -> bytes:
    return "".join(f"{blob}\n" for blob in blobs).encode("ascii")


def _contents(printed: bytes) -> Iterator[tuple[str, bytes]]:
    """`id blob size LF bytes LF` each."""
    at = 0
    while (end := printed.find(b"\n", at)) >= 0:
        words = printed[at:end].split()
        if len(words) != 3 or words[1] != b"blob":
            at = end + 1
            continue
        size = int(words[2])
        yield words[0].decode("ascii"), printed[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
