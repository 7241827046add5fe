"""Ways to copy, and what is said of each."""

from __future__ import annotations

import threading

from workbench.state.clipboard import (
    BROWSER_CLIPBOARD,
    TERMINAL_LIMIT,
    Clipboard,
    Copied,
    CopyMethod,
    is_remote,
)


class Ways:
    """Where texts went. `error`: what the system's clipboard raises."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.system_took: list[str] = []
        self.terminal_took: list[str] = []
        self.file_took: list[str] = []

    def system(self, text: str) -> None:
        if self.error is not None:
            raise self.error
        self.system_took.append(text)

    def save(self, text: str) -> str:
        self.file_took.append(text)
        return "copied.md"

    def clipboard(self, *, remote: bool = False) -> Clipboard:
        return Clipboard(self.system, self.terminal_took.append, self.save, remote=remote)


def test_the_system_clipboard_is_first() -> None:
    ways = Ways()
    assert ways.clipboard().copy("text") == Copied(CopyMethod.SYSTEM)
    assert (ways.system_took, ways.terminal_took, ways.file_took) == (["text"], [], [])


def test_over_ssh_the_terminal_takes_it() -> None:
    ways = Ways()
    copied = ways.clipboard(remote=True).copy("text")
    assert copied.way is CopyMethod.TERMINAL
    assert (ways.system_took, ways.terminal_took) == ([], ["text"])
    assert ways.file_took == ["text"]
    assert copied.sentence("9 tokens").endswith("does not confirm; the text also lies in copied.md.")


def test_where_there_is_no_system_clipboard_the_terminal_takes_it_and_the_reason_is_kept() -> None:
    copied = (
        Ways(RuntimeError("Pyperclip could not find a mechanism. For more, see …")).clipboard().copy("text")
    )
    assert copied == Copied(CopyMethod.TERMINAL, "copied.md", "Pyperclip could not find a mechanism.")


def test_in_a_browser_the_clipboard_is_the_browsers() -> None:
    ways = Ways()
    clipboard = Clipboard(ways.system, ways.terminal_took.append, None, remote=True, taker=BROWSER_CLIPBOARD)
    assert clipboard.copy("text").sentence("It") == (
        "It sent to the browser's clipboard, which does not confirm: paste to see."
    )


def test_what_is_too_long_for_a_terminal_goes_to_a_file_and_says_where() -> None:
    ways = Ways(RuntimeError("none"))
    text = "x" * TERMINAL_LIMIT
    copied = ways.clipboard().copy(text)
    assert (copied.way, copied.where, ways.terminal_took, ways.file_took) == (
        CopyMethod.FILE,
        "copied.md",
        [],
        [text],
    )
    assert copied.sentence("9 tokens") == (
        "9 tokens written to copied.md: no clipboard took it. none. "
        "It is too long for the terminal's clipboard (OSC 52)."
    )


def test_the_limit_is_that_of_the_encoded_text() -> None:
    ways = Ways(RuntimeError("none"))
    most = TERMINAL_LIMIT // 4 * 3
    assert ways.clipboard().copy("x" * most).way is CopyMethod.TERMINAL
    assert ways.clipboard().copy("x" * (most + 1)).way is CopyMethod.FILE


def test_a_file_that_cannot_be_written_is_the_end_of_it() -> None:
    def refuse(text: str) -> str:
        raise OSError("read-only")

    copied = Clipboard(Ways(RuntimeError("none")).system, None, refuse).copy("text")
    assert copied.sentence("9 tokens") == (
        "9 tokens could not be copied. none. A file could not be written either: read-only."
    )


def test_a_helper_that_hangs_is_not_waited_for() -> None:
    gate = threading.Event()
    ways = Ways()
    clipboard = Clipboard(lambda _: gate.wait(30) and None, ways.terminal_took.append, None, patience=0.05)
    copied = clipboard.copy("text")
    gate.set()
    assert copied == Copied(CopyMethod.TERMINAL, why="The clipboard did not answer within 0.05 s.")


def test_the_terminal_way_says_that_it_is_not_confirmed() -> None:
    assert Copied(CopyMethod.TERMINAL).sentence("9 tokens") == (
        "9 tokens sent to the terminal's clipboard (OSC 52), which does not confirm: paste to see."
    )


def test_ssh_is_known_by_its_variables() -> None:
    assert is_remote({"SSH_TTY": "/dev/pts/1"})
    assert not is_remote({"SSH_TTY": "", "TERM": "xterm"})


def test_one_way_alone_can_be_asked_for() -> None:
    sent: list[str] = []
    clipboard = Clipboard(sent.append, sent.append, lambda text: f"/w/{text}")
    assert clipboard.send("a").way is CopyMethod.TERMINAL
    assert clipboard.keep("b").sentence("Window") == "Window written to /w/b."
    assert clipboard.send("x" * TERMINAL_LIMIT).why == "It is too long for the terminal's clipboard (OSC 52)."
    assert Clipboard(sent.append, None, None).send("a").way is CopyMethod.NONE
    assert sent == ["a"]
