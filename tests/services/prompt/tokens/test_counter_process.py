import os
import signal
import subprocess
import sys
import threading

import pytest

from services.errors import TokenizerError
from services.prompt.tokens.counter_process import CounterProcess
from services.prompt.tokens.tokenizers import counter_for
from tests.support.eventually import eventually


@pytest.fixture(scope="module")
def helper():
    with CounterProcess() as process:
        yield process


def test_counts_as_the_counter_in_this_process_does(helper, encodings):
    texts = ["", "public class A { }", "ü 漢字 🎉 \ud800", "x" * 100_000, "<|endoftext|>"]
    for name in ("o200k_base", "cl100k_base"):
        assert helper.count_base(name, texts) == encodings.count_base(name, texts)


def test_is_started_again_when_it_dies(helper):
    helper.count_base("cl100k_base", ["a"])
    killed = helper.pid
    os.kill(killed, signal.SIGKILL)
    assert helper.count_base("cl100k_base", ["hello world"]) == [2]
    assert helper.pid != killed


def test_ends_when_nothing_is_asked_for_a_while_and_counts_again_after_that():
    with CounterProcess(rest=0.2) as counter:
        before = counter.count_base("o200k_base", ["a text of words"])
        eventually(lambda: counter.pid is None)  # told once its status was taken: no zombie is left
        assert counter.count_base("o200k_base", ["a text of words"]) == before


def test_threads_get_their_own_answers(helper):
    counter = counter_for("cl100k_base", helper)
    answers = {}

    def use(n):
        answers[n] = counter.count_many([" the" * k for k in range(n, n + 20)])

    threads = [threading.Thread(target=use, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: list(range(n, n + 20)) for n in range(1, 9)}


def test_what_the_helper_cannot_do_is_an_error_here(helper):
    with pytest.raises(TokenizerError, match="There is no tokenizer"):
        helper.count_base("o200k_base_of_nobody", ["a"])


def test_a_closed_counter_says_so_and_leaves_no_process():
    helper = CounterProcess()
    helper.count_base("cl100k_base", ["a"])
    pid = helper.pid
    helper.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(TokenizerError, match="closed"):
        helper.count_base("cl100k_base", ["a"])


def test_never_imports_from_the_folder_it_is_started_in(tmp_path, monkeypatch):
    for name in ("services", "tiktoken", "msgspec"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('imported from the workspace')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "."]))
    with CounterProcess() as helper:
        assert helper.count_base("cl100k_base", ["hello world"]) == [2]


def test_this_side_never_loads_tiktoken():
    script = (
        "import sys\n"
        "from services.prompt.tokens.counter_process import CounterProcess\n"
        "from services.prompt.tokens.tokenizers import counter_for\n"
        "with CounterProcess() as helper:\n"
        "    print(counter_for('gpt-4', helper).count('hello world'), 'tiktoken' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["2", "False"]
