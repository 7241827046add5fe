"""Conflicting edits of one object by many users: `python -m benchmarks.adt.contention [USERS] [EDITS]`.

Each user reads the class, adds a line of its own under a lock, and begins again where another was first. Prints how
often each answer came, and how many lines are there at the end, each once.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter

from services.adt.client import AdtClient
from services.adt.objects import NEW_LOCK, AdtObjects
from services.adt.values import AdtSystem
from services.errors import CodeCortexError
from services.source.text.edit import Edit
from tests.support.adt_simulator import CLASS, USERS, simulated


def _edits(address: str, user: str, count: int, told: Counter[str]) -> None:
    system = AdtSystem(name="DEV", url=address, user=user)
    objects = AdtObjects(lambda: {"DEV": lambda: AdtClient(system, lambda: "secret")})
    try:
        for number in range(count):
            while not _added(objects, f"* {user} {number}\n", told):
                time.sleep(random.uniform(0.0, 0.1))
    finally:
        objects.places.close()


def _added(objects: AdtObjects, line: str, told: Counter[str]) -> bool:
    try:
        read = objects.read("adt:zcl_demo")
        edit = Edit(start=1, end=0, content=line)
        objects.edit("adt:zcl_demo", edit, token=read.token, handle=NEW_LOCK)
    except CodeCortexError as error:
        told[type(error).__name__] += 1
        return False
    told["written"] += 1
    return True


def main() -> None:
    """Run it and check the text at the end."""
    users, edits = (int(each) for each in (*sys.argv[1:], "8", "50")[:2])
    names = [f"USER{number}" for number in range(users)]
    USERS.update(dict.fromkeys(names, "secret"))
    told = Counter[str]()
    began = time.perf_counter()
    with simulated() as (simulator, address):
        threads = [threading.Thread(target=_edits, args=(address, name, edits, told)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        text = simulator.objects[CLASS].text("source/main", "inactive") or ""
        locked, sessions = simulator.locked, len(simulator.sessions)
    lines = Counter(line for line in text.splitlines() if line.startswith("* USER"))
    wanted = {f"* {name} {number}" for name in names for number in range(edits)}
    once = sum(count == 1 for line, count in lines.items() if line in wanted)
    print(f"{users} users x {edits} edits: {once} of {len(wanted)} lines there once, {dict(told)}")
    print(f"locks left {locked}, sessions left {sessions}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
