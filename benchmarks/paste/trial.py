"""Run of a case as a person would do it: its files are copied and changed, and the answer is pasted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from benchmarks.paste.cases import Case

if TYPE_CHECKING:
    from services.bench import Bench
    from services.settings import Settings

_OWN = ".context"
"""What the program keeps beside the files, where it was asked to."""


class Verdict(msgspec.Struct, kw_only=True):
    """Outcome of a case. `verdict`: right, miss (a question where the answer should be applied) or wrong; `told`: the
    message where it was not applied."""

    id: str
    form: int
    verdict: str
    told: str = ""


def tried(case: Case) -> Verdict:
    """The verdict on a case."""
    with TemporaryDirectory(prefix="codecortex-paste-") as temporary:
        folder = Path(temporary, "files")
        folder.mkdir()
        _write(folder, case.base)
        with _opened(folder) as bench:
            _copy(bench, case.base)
            answer = _marked(bench, case)
            _become(folder, case.base, case.disk)
            landed, told = _pasted(bench, answer)
        expected = dict(case.disk)
        if case.expect is not None and landed:
            expected |= {path: text for path, text in case.expect.items() if text is not None}
            expected = {
                path: text for path, text in expected.items() if case.expect.get(path, text) is not None
            }
        same = _read(folder) == {path: text.encode() for path, text in expected.items()}
    if not same or (landed and case.expect is None):
        return Verdict(id=case.id, form=case.form, verdict="wrong", told=told or "landed")
    is_right = landed == (case.expect is not None)
    return Verdict(id=case.id, form=case.form, verdict="right" if is_right else "miss", told=told)


def _opened(folder: Path) -> Bench:
    from services.bench import Bench

    return Bench.open(folder, settings=_settings())


def _settings() -> Settings:
    from services.settings import Settings, WindowSettings

    return Settings(window=WindowSettings(budget=10_000_000, max_chars=100_000_000))


def _copy(bench: Bench, base: Mapping[str, str]) -> None:
    """All files, handed over whole."""
    from services.prompt.items import CopyRequest

    for path in base:
        bench.window.pin(path, force=True)
    bench.copying.keep(bench.copying.prepare(CopyRequest()))


def _marked(bench: Bench, case: Case) -> str:
    """The answer with the marks that this copy gave out for the same secrets; where it gave out none, it showed the
    secret, and so would the answer."""
    answer, masker = case.answer, bench.vault.masker()
    own: dict[str, str] = {}
    for path, text in case.base.items():
        data = text.removeprefix("\ufeff").encode()
        own |= {data[start:end].decode(): mark for start, end, mark in masker.pieces(data, path)}
    for mark, secret in case.masks.items():
        answer = answer.replace(mark, own.get(secret, secret))
    return answer


def _pasted(bench: Bench, answer: str) -> tuple[bool, str]:
    from services.errors import CodeCortexError

    try:
        bench.pasting.paste(answer)
    except CodeCortexError as error:
        return False, error.message
    return True, ""


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def _become(folder: Path, base: Mapping[str, str], disk: Mapping[str, str]) -> None:
    for path in base.keys() - disk.keys():
        with suppress(FileNotFoundError):
            (folder / path).unlink()
    _write(folder, {path: text for path, text in disk.items() if base.get(path) != text})


def _read(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    relative = {path.relative_to(folder): path for path in files}
    return {str(name): path.read_bytes() for name, path in relative.items() if name.parts[0] != _OWN}
