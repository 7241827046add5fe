"""A catalogue and a state folder to put a window over."""

import contextlib
import threading
from dataclasses import replace

from services.prompt.items import ItemKey, Rendered


class Shown:
    """A Catalogue over a dict of key -> Rendered, that remembers what was rendered."""

    def __init__(self, **items):
        self.items = {}
        self.rendered = []
        for name, text in items.items():
            self.put(name, text)

    def put(self, name, text, **given):
        """A type outline named `name`, or the item of a whole key."""
        key = ItemKey.parse(name) if ":" in name else ItemKey("type", name)
        version = str(hash(text))
        values = {
            "label": name,
            "text": text,
            "version": version,
            "language": "text",
            "detail": f"src/{name}.cs:1-9",
        }
        self.items[key] = replace(Rendered(**values), **given)
        return key

    def item_version(self, key):
        item = self.items.get(key)
        return item.version if item else None

    def render_item(self, key):
        self.rendered.append(str(key))
        return self.items.get(key)


class MemoryFiles:
    """StateFiles in memory."""

    def __init__(self):
        self.files = {}
        self.writes = []
        self._lock = threading.Lock()

    def read(self, name):
        return self.files.get(name)

    def write(self, name, data):
        self.writes.append(name)
        self.files[name] = data

    @contextlib.contextmanager
    def locked(self, name):
        with self._lock:
            yield


class Clock:
    """Milliseconds that pass when told."""

    def __init__(self):
        self.now = 1_700_000_000_000

    def __call__(self):
        self.now += 1
        return self.now


def lines(count, word="line"):
    return "".join(f"{word} {n}\n" for n in range(count))
