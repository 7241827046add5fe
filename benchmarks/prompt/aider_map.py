"""aider's repository map, by aider's own code, in an interpreter of its own: `benchmarks.prompt.coverage` runs it.

    python aider_map.py AIDER_SOURCE RANKS ROOT    then one JSON object a line: {"files", "chat", "idents", "tokens"}

AIDER_SOURCE: a folder with aider's package; RANKS: a pickle of (pattern, merge ranks) of the tokenizer to count with.
Answers each line with {"map"}. Imports nothing of this project: its interpreter has what aider needs, not what we do.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path


def main() -> None:
    """Answer requests until there are no more."""
    source, ranks, root = sys.argv[1:4]
    sys.path.insert(0, source)
    import tiktoken
    from aider.repomap import RepoMap  # pyright: ignore[reportMissingImports]

    pattern, merges = pickle.loads(Path(ranks).read_bytes())
    encoding = tiktoken.Encoding("given", pat_str=pattern, mergeable_ranks=merges, special_tokens={})

    class Model:
        """Model as a map uses it."""

        def token_count(self, text: str) -> int:
            """Tokens of a text."""
            return len(encoding.encode_ordinary(text))

    class Silent:
        """Output of a map, ignored."""

        def __getattr__(self, _: str):
            return lambda *_, **__: None

        def read_text(self, name: str) -> str:
            """A file."""
            return Path(name).read_text("utf-8-sig", errors="replace")

    made = RepoMap(root=root, main_model=Model(), io=Silent(), refresh="always")
    for line in sys.stdin:
        asked = json.loads(line)
        made.max_map_tokens = asked["tokens"]
        others = [each for each in asked["files"] if each != asked["chat"]]
        text = made.get_repo_map(
            [asked["chat"]], others, mentioned_idents=set(asked["idents"]), force_refresh=True
        )
        print(json.dumps({"map": text or ""}), flush=True)


if __name__ == "__main__":
    main()
