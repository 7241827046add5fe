"""A catalogue and a state folder to put a window over."""

import collections
import contextlib
import threading

from msgspec.structs import replace

from services.model import Level
from services.prompt.items import KINDS, ItemKey, Rendered


class Shown:
    """A Catalogue over a dict of key -> Rendered, that remembers what was rendered."""

    def __init__(self, **items):
        self.items = {}
        self.rendered = []
        self.lower = {}
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
        values["is_source"] = key.kind in ("range", "file")
        self.items[key] = replace(Rendered(**values), **given)
        self.lower.pop(key, None)
        return key

    def put_lower(self, key, **texts):
        """Texts of an item at other levels than its usual one."""
        self.lower[key] = {Level(name): text for name, text in texts.items()}

    def item_versions(self, requests):
        items = [self.items.get(request.key) for request in requests]
        return [item.version if item else None for item in items]

    def render_item(self, request):
        item = self.items.get(request.key)
        if item is None or request.level is KINDS[request.key.kind].usual:
            self.rendered.append(str(request.key))
            return item
        text = self.lower.get(request.key, {}).get(request.level)
        return None if text is None else replace(item, text=text)

    def anchor(self, key, before=None):
        return None


class MemoryFiles:
    """StateFiles in memory."""

    def __init__(self):
        self.files = {}
        self.writes = []
        self._locks = collections.defaultdict(threading.Lock)

    def read(self, name):
        return self.files.get(name)

    def write(self, name, data):
        self.writes.append(name)
        self.files[name] = data

    def quarantine(self, name, what):
        self.files[f"damaged {name}"] = self.files.pop(name)

    @contextlib.contextmanager
    def locked(self, name):
        with self._locks[name]:
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
