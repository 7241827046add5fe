"""Workspace access of an investigation by a model: initial findings, read-only tools, and verification of evidence."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from services.bench.items.identity import split_lines
from services.bench.queries.lookup import Lookup
from services.bench.queries.places import FilePlaces
from services.bench.window.context import ContextRequest
from services.bench.window.investigation import Investigation
from services.errors import CodeCortexError, UsageError
from services.llm.client import ToolBox
from services.llm.tool_files import ToolFiles
from services.model.copies import Citation
from services.model.window import Conclusion, EvidencePlace
from services.semantic.conclusions import FileNow, StoredConclusion, digest_of, doubts, file_of, shown
from services.semantic.investigator import Checked, InvestigationQuestion
from services.semantic.values import LinkedConclusion
from services.source.read.reader import FileLocation, SourceReader, parse_location

_QUOTE = re.compile(r"`?[ \t]*[:—–-][ \t]*`(?P<quote>[^`\n]{3,300})`")
_EVIDENCE = re.compile(r"^[#* ]*EVIDENCE[:* ]*$", re.MULTILINE | re.IGNORECASE)
_CONCLUSION = re.compile(r"^[#* ]*CONCLUSION[:* ]*$", re.MULTILINE | re.IGNORECASE)
_MOST = 60
"""Places of one conclusion."""
_NOT_THERE = " ✗"


class Inquiries:
    """Over the index and files as they are. `cited`: the places that a text names; `mask`: a text without likely
    secrets; `files`: those that may be shown to models; `tools`: what a model of a profile may call."""

    def __init__(
        self,
        found: Callable[[], Investigation],
        lookup: Lookup,
        places: Callable[[], FilePlaces],
        reader: SourceReader,
        *,
        cited: Callable[[str], list[Citation]],
        mask: Callable[[str], str],
        files: Callable[[], ToolFiles],
        tools: Callable[[str], ToolBox],
    ) -> None:
        self._found = found
        self._lookup = lookup
        self._places = places
        self._reader = reader
        self._cited = cited
        self._mask = mask
        self._files = files
        self._tools = tools

    def start(self, question: InvestigationQuestion, cancel: threading.Event) -> str:
        """Return the initial findings as services.semantic.investigator.Workspace.start does."""
        try:
            asked = ContextRequest(words=question.text, seeds=question.seeds, within=question.scope)
            return self._found().conclude(asked, cancel=cancel).text
        except UsageError:  # of words that say nothing: the model begins with nothing
            return ""

    def tools(self, profile: str) -> ToolBox:
        """Return the tools for reading and searching that a model may use."""
        return self._tools(profile)

    def mask(self, text: str) -> str:
        """A text without likely secrets."""
        return self._mask(text)

    def check(self, answer: str) -> Checked:
        """An answer with its places looked up, likely secrets masked."""
        answer = self._mask(answer.strip())
        evidence = _EVIDENCE.search(answer)
        ends = evidence.start() if evidence is not None else len(answer)
        places: dict[tuple[str, int, int], EvidencePlace] = {}
        left_out: dict[str, None] = {}
        signs: list[int] = []
        for each in self._cited(answer):
            found = self._place(each, answer, in_list=each.start >= ends)
            if isinstance(found, str):
                left_out[found] = None
                signs += [each.end] if each.end <= ends else []
            elif found is not None and len(places) < _MOST:
                places.setdefault((found.file, found.start_line, found.end_line), found)
        types = dict.fromkeys(filter(None, (self._type_of(each) for each in places.values())))
        return Checked(_said(answer[:ends], signs), tuple(places.values()), tuple(left_out), tuple(types))

    def file(self, path: str) -> FileNow | None:
        """A file as it is now; None where it is gone, or models may not see it."""
        with suppress(CodeCortexError):
            self._files().path(path)
            entry, text = self._reader.content(path)
            return FileNow(entry.token, split_lines(text.content))
        return None

    def told(self, kept: StoredConclusion) -> Conclusion:
        """A conclusion with whether it still holds."""
        reasons = doubts(kept, self.file)
        return Conclusion(
            question=kept.question,
            kind="model",
            text=shown(kept, reasons),
            file=f".context/{file_of(kept.id)}",
            places=kept.places,
            left_out=kept.left_out,
            reasons=reasons,
            op_id=kept.id,
        )

    def linked(self, kept: Iterable[StoredConclusion]) -> Iterator[LinkedConclusion]:
        """Conclusions as the notes of their types name them."""
        for each in kept:
            yield LinkedConclusion(op_id=each.id, title=each.title, reasons=doubts(each, self.file))

    def _place(self, each: Citation, answer: str, *, in_list: bool) -> EvidencePlace | str | None:
        """Return the evidence at a citation, or why there is none; None where it names no lines. Symbols are
        evidence in the list alone: sentences mention them everywhere."""
        if each.problem:
            return each.problem
        if each.target.startswith("T_"):
            return self._of_symbol(each.target) if in_list else None
        location = parse_location(each.target)
        if location.start is None:
            return None
        quote = _QUOTE.match(answer, each.end)
        return self._of_lines(location, quote["quote"] if quote is not None else "")

    def _of_symbol(self, id_: str) -> EvidencePlace | None:
        with suppress(CodeCortexError):
            ref = self._lookup.ref(self._lookup.found(id_))
            now = self.file(ref.file)
            return None if now is None else self._made(ref.file, now, ref.start_line, ref.end_line)
        return None

    def _of_lines(self, at: FileLocation, quote: str) -> EvidencePlace | str | None:
        now = self.file(at.path)
        start, end = at.start or 1, at.end or at.start or 1
        if now is None:
            return f"There is no file {at.path}."
        wanted = _squeezed(quote)
        if wanted and wanted not in _squeezed("\n".join(now.lines[start - 1 : end])):
            there = [number for number, line in enumerate(now.lines, 1) if wanted in _squeezed(line)]
            if len(there) != 1:
                return f"{at.path}:{start} does not say `{quote}`."
            start = end = there[0]
        return self._made(at.path, now, start, end)

    def _made(self, file: str, now: FileNow, start: int, end: int) -> EvidencePlace:
        symbol = self._places().enclosing(file, start)
        return EvidencePlace(
            file=file,
            start_line=start,
            end_line=end,
            token=now.token,
            digest=digest_of(now.lines[start - 1 : end]),
            path=symbol.path if symbol is not None else "",
        )

    def _type_of(self, place: EvidencePlace) -> str:
        symbol = self._places().enclosing(place.file, place.start_line)
        is_in_type = symbol is not None and symbol.id.startswith("T_")
        return "_".join(symbol.id.split("_")[:2]) if symbol is not None and is_in_type else ""


def _said(conclusion: str, signs: list[int]) -> str:
    """Return the conclusion with a mark behind each location that does not exist."""
    for at in sorted(signs, reverse=True):
        at += conclusion[at : at + 1] == "`"
        conclusion = f"{conclusion[:at]}{_NOT_THERE}{conclusion[at:]}"
    begins = _CONCLUSION.search(conclusion)
    return conclusion[begins.end() if begins is not None else 0 :].strip()


def _squeezed(text: str) -> str:
    return " ".join(text.split())
