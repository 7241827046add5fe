"""Run the program where no file can be locked, as on a network share without a lock service (Linux).

    python -m tests.support.no_locks ARGUMENTS...

A filter of system calls answers ENOLCK to `flock` and to the locking forms of `fcntl`. It needs no rights.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

_CALLS = {"x86_64": (73, 72), "aarch64": (32, 25)}
"""Numbers of flock and fcntl by machine."""
_LOCKING = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, and the same of open files."""
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050000 | errno.ENOLCK
_NUMBER, _SECOND = 0, 24
"""Offsets of the call's number and of its second argument."""
_NO_NEW_RIGHTS, _SET_FILTER = 38, 22


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def refuse_locks() -> None:
    """Refuse locks to this process and its children from now on. Raises OSError, KeyError on another machine."""
    flock, fcntl = _CALLS[platform.machine()]
    kinds = [(_EQUAL, len(_LOCKING) - at, 0, kind) for at, kind in enumerate(_LOCKING)]
    steps = [
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, len(_LOCKING) + 3, 0, flock),
        (_EQUAL, 0, len(_LOCKING) + 1, fcntl),
        (_LOAD, 0, 0, _SECOND),
        *kinds,
        (_RETURN, 0, 0, _ALLOWED),
        (_RETURN, 0, 0, _REFUSED),
    ]
    packed = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), packed)
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((_NO_NEW_RIGHTS, 1, 0, 0, 0), (_SET_FILTER, 2, ctypes.byref(program), 0, 0)):
        if libc.prctl(*call):
            raise OSError(ctypes.get_errno(), "the filter cannot be set")


if __name__ == "__main__":
    from workbench.shell.cli import main

    refuse_locks()
    main()
