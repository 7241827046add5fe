"""The sequence of ADT's wire with PyPI's erpl-adt: prints a line a step. Arguments: the program's command, the address.

Its program needs glibc 2.38. Where the system's is older, the command is the loader of a newer one with its libraries:
`…/ld-linux-x86-64.so.2 --library-path …/lib/x86_64-linux-gnu …/erpl_adt/bin/erpl-adt`.
"""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

OBJECT = "/sap/bc/adt/oo/classes/zcl_demo"
TEXT = "CLASS zcl_demo DEFINITION PUBLIC.\nENDCLASS.\nCLASS zcl_demo IMPLEMENTATION.\nENDCLASS.\n"


class ErplProgram:
    """The program, logged in to one system with every call."""

    def __init__(self, command: str, address: str, folder: Path) -> None:
        parts = urlsplit(address)
        login = ["--host", parts.hostname or "", "--port", str(parts.port), "--user", "DEVELOPER"]
        self._command = [*shlex.split(command), *login, "--password", "secret", "--client", "001", "--json"]
        self._session = ["--session-file", str(folder / "session.json")]
        self._file = folder / "zcl_demo.abap"
        self._file.write_text(TEXT)
        self._handle = ""

    def run(self, *arguments: str) -> str:
        """Return what a call printed. Raises RuntimeError where it failed."""
        done = subprocess.run(
            [*self._command, *arguments], check=False, capture_output=True, text=True, timeout=60
        )
        if done.returncode:
            raise RuntimeError(f"{done.stderr}{done.stdout}".strip()[:300])
        return done.stdout

    def lock(self) -> None:
        """Lock the class, and keep the handle and the session."""
        answer = json.loads(self.run("object", "lock", OBJECT, *self._session))
        self._handle = answer.get("handle") or answer["lock_handle"]

    def write(self) -> None:
        """Write under the lock."""
        self.run(
            "source", "write", f"{OBJECT}/source/main", "--file", str(self._file), "--handle", self._handle,
            "--transport", "NPLK900001", *self._session,
        )  # fmt: skip

    def unlock(self) -> None:
        """Give the lock back."""
        self.run("object", "unlock", OBJECT, "--handle", self._handle, *self._session)

    def write_at_once(self) -> None:
        """Lock, write, unlock and activate in one call."""
        self.run(
            "source", "write", f"{OBJECT}/source/main", "--file", str(self._file),
            "--transport", "NPLK900001", "--activate",
        )  # fmt: skip


def main() -> None:
    """Run every step, whether the one before failed or not."""
    with tempfile.TemporaryDirectory() as folder:
        program = ErplProgram(sys.argv[1], sys.argv[2], Path(folder))
        steps = {
            "search": lambda: program.run("search", "ZCL_D*", "--type", "CLAS"),
            "structure": lambda: program.run("object", "read", OBJECT),
            "source": lambda: program.run("source", "read", f"{OBJECT}/source/main"),
            "include": lambda: program.run("source", "read", OBJECT, "--section", "testclasses"),
            "check": lambda: program.run("source", "check", f"{OBJECT}/source/main"),
            "lock": program.lock,
            "put": program.write,
            "unlock": program.unlock,
            "activate": lambda: program.run("activate", OBJECT),
            "put and activate": program.write_at_once,
            "transport": lambda: program.run("transport", "create", "--desc", "Demo", "--package", "ZDEMO"),
        }
        for name, step in steps.items():
            try:
                step()
                print(name, "ok")
            except Exception as error:  # noqa: BLE001 - whatever the client says is its answer
                print(name, "FAILED", type(error).__name__, " ".join(str(error).split()))


if __name__ == "__main__":
    main()
