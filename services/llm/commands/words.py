"""A command line taken apart: into words, as a shell quotes them and without anything else that a shell does, and
into the allowed options of programs, by exact tables: long ones by their full name, joined short ones one by one,
and those of git's reading commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from services.errors import CommandRefused
from services.workspace.files.openers import is_utf8

LONGEST = 20_000
"""Characters of a command line."""
_OPERATORS = {
    "|": "One program a call: there are no pipes. Use -m, head -n or wc -l FILE, or call again.",
    "&": "One program a call. Make another call.",
    ";": "One program a call. Make another call.",
    "<": "Nothing is redirected. Name the file as an argument.",
    ">": "Nothing is redirected: what is printed is the answer.",
    "(": "There are no subshells. Quote or escape a parenthesis that is meant: '('.",
    ")": "There are no subshells. Quote or escape a parenthesis that is meant: ')'.",
}
_EXPANDED = "Nothing is expanded. Put it between single quotes where the character itself is meant."


def words_of(line: str) -> list[str]:
    """The words. `* ? [ ] { } ! ~ # ^` are plain characters. Raises CommandRefused with the piece and what to write
    instead."""
    if len(line) > LONGEST:
        raise CommandRefused(f"The command has more than {LONGEST} characters.", piece=line[:40])
    for character, name in (("\n", "a line break"), ("\0", "a NUL character"), ("\r", "a line break")):
        if character in line:
            raise refused(character, f"it holds {name}", "One command a call, on one line.")
    if not is_utf8(line):
        piece = line.encode("utf-8", "backslashreplace").decode()
        raise refused(piece, "it is not UTF-8", "Name another file, or rename this one.")
    words: list[str] = []
    at = 0
    while (at := _after_blanks(line, at)) < len(line):
        word, at = _word(line, at)
        words.append(word)
    return words


def refused(piece: str, why: str, instead: str) -> CommandRefused:
    """The refusal of one piece of a command."""
    shown = piece if len(piece) <= 80 else f"{piece[:77]}…"
    return CommandRefused(
        f"{shown!r} was refused: {why}. {instead}".rstrip(), piece=piece[:200], instead=instead
    )


def _after_blanks(line: str, at: int) -> int:
    while at < len(line) and line[at] in " \t":
        at += 1
    return at


def _word(line: str, at: int) -> tuple[str, int]:
    made: list[str] = []
    while at < len(line) and line[at] not in " \t":
        character = line[at]
        if character == "'":
            piece, at = _single(line, at)
        elif character == '"':
            piece, at = _double(line, at)
        elif character == "\\":
            piece, at = _escaped(line, at)
        elif character in _OPERATORS:
            raise refused(character, "it is an operator of a shell, and there is none", _OPERATORS[character])
        elif character in "$`":
            raise refused(character, "it would be expanded by a shell", _EXPANDED)
        else:
            piece, at = character, at + 1
        made.append(piece)
    return "".join(made), at


def _single(line: str, at: int) -> tuple[str, int]:
    end = line.find("'", at + 1)
    if end < 0:
        raise refused(line[at:], "its quote is not closed", "Close it, or escape it: \\'.")
    return line[at + 1 : end], end + 1


def _double(line: str, at: int) -> tuple[str, int]:
    made: list[str] = []
    begin, at = at, at + 1
    while at < len(line) and line[at] != '"':
        if line[at] in "$`":
            raise refused(line[at], "it would be expanded by a shell", _EXPANDED)
        if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            at += 1
            if line[at] in "$`":
                raise refused(line[at], "it would be expanded by a shell", _EXPANDED)
        made.append(line[at])
        at += 1
    if at >= len(line):
        raise refused(line[begin:], "its quote is not closed", 'Close it, or escape it: \\".')
    return "".join(made), at + 1


def _escaped(line: str, at: int) -> tuple[str, int]:
    if at + 1 >= len(line):
        raise refused("\\", "nothing follows it", "Leave it out, or double it.")
    if line[at + 1] in "$`":
        raise refused(line[at + 1], "it would be expanded by a shell", _EXPANDED)
    return line[at + 1], at + 2


class OptionKind(StrEnum):
    """Kind of an option's value or an operand. `FILE`, `FOLDER`, `PATH` (either): below the root, there, and not
    hidden; `REVISION`: of git; `NONE`: there is none."""

    NONE = "none"
    TEXT = "text"
    NUMBER = "number"
    FILE = "file"
    FOLDER = "folder"
    PATH = "path"
    REVISION = "revision"


class CommandOption(NamedTuple):
    """Option of a program. `choices`: the values it may have; `optional`: its value may be left out
    (`--color[=WHEN]`)."""

    name: str
    kind: OptionKind = OptionKind.NONE
    choices: tuple[str, ...] = ()
    optional: bool = False


class ParsedArguments(NamedTuple):
    """A command's arguments, taken apart: options with their values, and operands. `dashed`: how many of the operands
    stood before `--`; None where there was none."""

    options: tuple[tuple[str, str | None], ...]
    operands: tuple[str, ...]
    dashed: int | None = None

    def has(self, *names: str) -> bool:
        """Whether one of these options was given."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[str]:
        """The values of these options, in their order."""
        return [value for name, value in self.options if name in names and value is not None]


Table = Mapping[str, CommandOption]
_SPEC = re.compile(r"(-{1,2}[^\s:=]+)(=)?(?::([\w,.-]+))?")
_NUMBER = re.compile(r"[+-]?\d{1,12}[bkKMG%]?")


def table(text: str) -> Table:
    """Options as words: `-n` has no value, `-m:number` has one, `--color=:always,never` may have one of these."""
    made: dict[str, CommandOption] = {}
    for word in text.split():
        found = _SPEC.fullmatch(word)
        if found is None:
            raise ValueError(word)
        name, optional, kind = found.groups()
        if kind is None:
            made[name] = CommandOption(name)
        elif kind in OptionKind._value2member_map_:
            made[name] = CommandOption(name, OptionKind(kind), optional=bool(optional))
        else:
            made[name] = CommandOption(name, OptionKind.TEXT, tuple(kind.split(",")), bool(optional))
    return made


def take_apart(program: str, words: Sequence[str], known: Table, *, number: str = "") -> ParsedArguments:
    """Parse the arguments of a program by its table. `number`: the option that `-20` represents; empty for none.
    Raises CommandRefused."""
    options: list[tuple[str, str | None]] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            dashed = len(operands)
            return ParsedArguments(tuple(options), (*operands, *rest), dashed)
        if number and re.fullmatch(r"-\d{1,9}", word):
            options.append((number, word[1:]))
        elif word.startswith("--"):
            options.append(_long(program, word, known, rest))
        elif word.startswith("-") and len(word) > 1:
            options.extend(_short(program, word, known, rest))
        else:
            operands.append(word)
    return ParsedArguments(tuple(options), tuple(operands))


def check_value(program: str, option: CommandOption, value: str) -> str:
    """A value of an option, where it is text or a number. Raises CommandRefused."""
    if option.choices and value not in option.choices:
        raise refused(
            f"{option.name}={value}", f"{option.name} of {program} may be {', '.join(option.choices)}", ""
        )
    if option.kind is OptionKind.NUMBER and not _NUMBER.fullmatch(value):
        raise refused(f"{option.name} {value}", "it is no number", "Write a number.")
    return value


def _long(program: str, word: str, known: Table, rest: Iterator[str]) -> tuple[str, str | None]:
    name, equals, value = word.partition("=")
    option = known.get(name)
    if option is None:
        raise _unknown(program, name, known)
    if option.kind is OptionKind.NONE:
        if equals:
            raise refused(word, f"{name} takes no value", f"Write {name}.")
        return name, None
    if not equals:
        if option.optional:
            return name, None
        value = _next(word, rest)
    return name, check_value(program, option, value)


def _short(program: str, word: str, known: Table, rest: Iterator[str]) -> Iterator[tuple[str, str | None]]:
    at = 1
    while at < len(word):
        name = f"-{word[at]}"
        option = known.get(name)
        if option is None:
            raise _unknown(program, name, known)
        at += 1
        if option.kind is OptionKind.NONE:
            yield name, None
            continue
        value = word[at:] or (None if option.optional else _next(name, rest))
        yield name, value if value is None else check_value(program, option, value)
        return


def _next(word: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise refused(word, "its value is missing", "Write the value behind it.")
    return value


def _unknown(program: str, name: str, known: Table) -> Exception:
    return refused(
        name, f"it is not among the options of {program} that only read", f"There are: {' '.join(known)}."
    )


def rebuilt(given: ParsedArguments, known: Table, shown: Callable[[OptionKind, str], str]) -> list[str]:
    """The options as one program understands them surely: a value behind its option, long ones joined by `=`. `shown`
    makes the value that is passed of one that was given."""
    made: list[str] = []
    for name, value in given.options:
        if value is None:
            made.append(name)
        elif name.startswith("--"):
            made.append(f"{name}={shown(known[name].kind, value)}")
        elif known[name].optional:
            made.append(f"{name}{shown(known[name].kind, value)}")
        else:
            made += [name, shown(known[name].kind, value)]
    return made


_CHANGES = """
    -p -u -s -S:text -G:text -w -b -U=:number -z -M=:number -C=:number -W -R --patch --no-patch --raw --stat=:text
    --shortstat --numstat --summary --name-only --name-status --word-diff=:plain,porcelain,color,none --minimal
    --patience --histogram --ignore-all-space --ignore-space-change --ignore-blank-lines --function-context
    --no-renames --find-renames=:number --find-copies=:number --find-copies-harder --pickaxe-regex --no-color
    --unified:number --diff-filter:text --abbrev=:number
"""
"""Of all that print changes."""
_HISTORY = f"""{_CHANGES}
    -n:number -i -E -F -P -L:text --oneline --graph --decorate=:short,full,auto,no --no-decorate --all --branches
    --tags --remotes --merges --no-merges --first-parent --reverse --follow --abbrev-commit --no-abbrev-commit
    --relative-date --topo-order --date-order --author-date-order --cherry-pick --left-right --full-history
    --boundary --ancestry-path --invert-grep --all-match --regexp-ignore-case --extended-regexp --fixed-strings
    --max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text
    --committer:text --grep:text --format:text --pretty=:text --date:text --encoding:text --max-parents:number
    --min-parents:number
"""
_DIFF = f"""{_CHANGES}
    --cached --staged --merge-base --check --exit-code --quiet --full-index
"""

TABLES: Mapping[str, Table] = {
    "log": table(_HISTORY),
    "show": table(_HISTORY),
    "diff": table(_DIFF),
    "shortlog": table(
        """
        -n -s -e --numbered --summary --email --no-merges --all --since:text --until:text
        --group:author,committer
        """
    ),
    "blame": table(
        """
        -L:text -l -t -s -e -w -M=:number -C=:number -n -f --since:text --date:text --porcelain --line-porcelain
        --show-email --show-name --show-number --root
        """
    ),
    "status": table(
        """
        -s -b -z --short --branch --long --porcelain=:v1,v2 --untracked-files=:no,normal,all
        -u=:no,normal,all --ahead-behind --no-renames
        """
    ),
    "ls-files": table(
        """
        -c -d -m -o -s -t -z --cached --deleted --modified --others --stage --exclude-standard
        --error-unmatch --full-name
        """
    ),
    "ls-tree": table(
        """
        -r -t -d -l -z --name-only --name-status --long --full-name --abbrev=:number
        """
    ),
    "grep": table(
        """
        -i -w -v -n -c -l -L -h -H -o -q -E -F -G -P -p -W -I -a -z -e:text -A:number -B:number -C:number
        -m:number --ignore-case --word-regexp --invert-match --line-number --count --files-with-matches
        --name-only --files-without-match --only-matching --extended-regexp --fixed-strings --perl-regexp
        --basic-regexp --show-function --function-context --heading --break --and --or --not --all-match
        --cached --no-color --max-count:number --after-context:number --before-context:number
        --context:number --max-depth:number
        """
    ),
    "rev-parse": table(
        """
        --short --verify --abbrev-ref --symbolic --symbolic-full-name --show-prefix --is-shallow-repository
        --is-inside-work-tree
        """
    ),
    "rev-list": table(
        """
        -n:number --count --all --branches --tags --merges --no-merges --first-parent --reverse --oneline
        --left-right --max-count:number --skip:number --since:text --until:text --author:text --grep:text
        """
    ),
    "merge-base": table(
        """
        -a --all --is-ancestor --octopus --independent --fork-point
        """
    ),
    "describe": table(
        """
        --all --tags --contains --always --long --abbrev=:number --candidates:number --match:text
        --exclude:text --dirty --first-parent
        """
    ),
    "name-rev": table(
        """
        --tags --name-only --always
        """
    ),
    "branch": table(
        """
        -a -r -v --all --remotes --verbose --list --show-current --contains:revision --no-contains:revision
        --merged=:revision --no-merged=:revision --points-at:revision --sort:text --format:text --no-color
        """
    ),
    "tag": table(
        """
        -l -n=:number --list --contains:revision --no-contains:revision --merged=:revision
        --no-merged=:revision --points-at:revision --sort:text --format:text --no-color
        """
    ),
    "for-each-ref": table(
        """
        --count:number --sort:text --format:text --points-at:revision --merged=:revision --contains:revision
        """
    ),
    "show-ref": table(
        """
        --head --heads --branches --tags --hash --abbrev -s -d --dereference
        """
    ),
    "reflog": table(
        """
        -n:number --oneline --all --max-count:number --since:text --until:text
        """
    ),
    "remote": table(
        """
        -v --verbose
        """
    ),
}
"""By the name of the command."""
