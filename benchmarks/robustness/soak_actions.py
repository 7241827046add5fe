"""Acts of the readers' soak: operations in the order in which a person or an agent calls them, one about the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from services.errors import CodeCortexError
from services.operations import by_name
from services.operations.edits.consent import call
from services.source.journal.actor import Owner, acting

if TYPE_CHECKING:
    from services.bench import Bench

Look = Callable[[str, object], None]
"""Takes the name of an operation, and what it answered."""

_LINE = "// By hand.\n"
_LEASE = 5
_AGENT = Owner("soaking-agent", "1", "soak")


class Acts:
    """Actions on the workspace and the screen, in parallel with others. `look`: called with every answer."""

    def __init__(self, bench: Bench, look: Look, choose: random.Random) -> None:
        self._bench, self._look, self._choose = bench, look, choose

    def every(self) -> Sequence[Callable[[str], None]]:
        """All of them; each takes the path of an object that changes."""
        return (
            self.write,
            self.write_whole,
            self.patch,
            self.undo,
            self.hold,
            self.propose,
            self.decide,
            self.curate,
            self.pack,
            self.copy,
            self.tell,
        )

    def _run(self, name: str, /, **arguments: Any) -> Any:
        operation = by_name(name)
        if operation is None:
            raise LookupError(name)
        answer = operation.run(self._bench, arguments)
        self._look(name, list(answer) if operation.stream else answer)
        return answer

    @contextmanager
    def _locked(self, path: str) -> Iterator[str]:
        handle = self._run("lock", object=path, purpose="soak", lease=_LEASE).lock_handle
        try:
            yield handle
        finally:
            with suppress(CodeCortexError):  # the file of a symbol that has gone is free when the lease ends
                self._run("unLock", object=path, lockHandle=handle)

    def _insertion(self, path: str) -> dict[str, Any]:
        """A line more at the begin of an object, under the token that it was just read with."""
        read = self._run("getObjectSourceV2", object=path)
        begin = read.start_line
        return {
            "object": path,
            "token": read.token,
            "startLine": begin,
            "endLine": begin - 1,
            "content": _LINE,
        }

    def write(self, path: str) -> None:
        """Insert a line under a lock, unless another process has written meanwhile, and undo it at times."""
        with self._locked(path) as handle:
            self._run("setObjectSourceV2", **self._insertion(path), lockHandle=handle)
            if self._choose.random() < 0.5:
                self._run("undo", object=path, lockHandle=handle)
                self._run("redo", object=path, lockHandle=handle)

    def write_whole(self, path: str) -> None:
        """Writes a file as it was read, with a line more."""
        with self._locked(path) as handle:
            read = self._run("getObjectSource", object=path)
            content = read.content if "class" in path else f"{read.content}{_LINE}"
            self._run(
                "setObjectSource",
                object=path,
                content=content,
                token=read.token,
                lockHandle=handle,
                dryRun=True,
            )

    def patch(self, path: str) -> None:
        """Inserts a line by a diff."""
        path = self._run("getObjectSourceV2", object=path).file
        with self._locked(path) as handle:
            read = self._run("getObjectSourceV2", object=path, startLine=1, endLine=1)
            diff = f"--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,1 @@\n+{_LINE}"
            self._run("applyPatch", diff=diff, expected={path: read.token}, lockHandles=(handle,))

    def undo(self, path: str) -> None:
        """Undo the last write, of any process."""
        self._run("history", object=path, limit=5)
        self._run(self._choose.choice(("undo", "redo")), object=path, dryRun=self._choose.random() < 0.5)

    def hold(self, path: str) -> None:
        """Holds a lock that others may break, renews it, and gives it back."""
        with self._locked(path) as handle:
            self._run("listLocks")
            self._run("renewLock", lockHandle=handle)
            if self._choose.random() < 0.2:
                self._run("breakLock", object=path, reason="soak")

    def propose(self, path: str) -> None:
        """Proposes a line more, as an agent does, and takes the proposal back at times."""
        with acting(_AGENT):
            with self._locked(path) as handle, suppress(CodeCortexError):
                self._asked("setObjectSourceV2", self._insertion(path) | {"lockHandle": handle})
            for proposal in self._run("ListProposals", pending=True).proposals[4:]:
                self._run("WithdrawProposal", proposalId=proposal.id)

    def _asked(self, name: str, arguments: Mapping[str, Any]) -> None:
        operation = by_name(name)
        assert operation is not None
        self._look(f"{name} as an agent", call(self._bench, operation, arguments))

    def decide(self, _: str) -> None:
        """Decides what agents proposed."""
        for proposal in self._run("ListProposals", pending=True).proposals[:1]:
            self._run("GetProposal", proposalId=proposal.id)
            if self._choose.random() < 0.5:
                self._run("RefuseProposal", proposalId=proposal.id, reason="soak")
            else:
                self._run("ApplyProposal", proposalId=proposal.id)

    def curate(self, path: str) -> None:
        """Pins, shows more or less of it, moves it, and takes it out."""
        self._run("Pin", path=path, level=self._choose.choice(("outline", "whole")), force=True)
        self._run("SetLevel", path=path, level="signature", force=True)
        self._run("Complete")
        self._run("GetPromptWindow", format=self._choose.choice(("md", "xml", "json")))
        self._run("Unpin", path=path)
        self._run("Dismiss", path=path)

    def pack(self, _: str) -> None:
        """Makes a pack of everything, shows it, and removes it."""
        name = f"soak{self._choose.randrange(3)}"
        self._run("BuildPack", name=name, filter="namespace:Soak", budget=2_000)
        self._run("ActivatePack", name=name)
        self._run("ListPacks")
        self._run("DeletePack", name=name)

    def copy(self, path: str) -> None:
        """Copy the window, and store and load its choice."""
        self._run("Copy", task=f"Change {path}.")
        self._run("ListReceipts", limit=2)
        name = f"soak{self._choose.randrange(3)}"
        self._run("SavePreset", name=name)
        self._run("ListPresets")
        self._run("LoadPreset", name=name)
        self._run("DeletePreset", name=name)

    def tell(self, path: str) -> None:
        """Everything that is listed whole."""
        self._run("ListSymbols")
        self._run("ListSecrets")
        self._run("Export", paths=path, outlines=True)
        self._run("Status")
