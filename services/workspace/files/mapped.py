"""Memory-mapped files, whose pages can be released while no reader needs them."""

from __future__ import annotations

import mmap
from contextlib import suppress
from weakref import WeakSet

_mapped: WeakSet[mmap.mmap] = WeakSet()


def mapped(descriptor: int) -> mmap.mmap:
    """All of an open file, to be read. It stays as it is when the file is removed. Raises OSError, and ValueError for
    an empty one."""
    mapping = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    _mapped.add(mapping)
    return mapping


def release_pages() -> None:
    """Hands the pages of all of them back to the system, which reads them again when they are looked at: of a large
    workspace 30 MB, in a millisecond."""
    if hasattr(mmap, "MADV_DONTNEED"):
        for each in list(_mapped):
            with suppress(ValueError, OSError):  # closed meanwhile, or not to be had on this system
                each.madvise(mmap.MADV_DONTNEED)
