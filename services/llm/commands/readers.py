"""Programs that only read, the options they may be given, and how they are called so that they see nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from services.llm.commands.place import CommandWorkspace
from services.llm.commands.words import (
    OptionKind,
    ParsedArguments,
    Table,
    check_value,
    rebuilt,
    refused,
    table,
    take_apart,
)

_LONGEST_ARGUMENTS = 100_000
"""Characters of the names in one call; what has more files is called several times."""

Argvs = list[tuple[str, ...]]


class ReadingProgram(NamedTuple):
    """A program. `calls`: its argument lists, without the program, of the words behind its name."""

    calls: Callable[[Sequence[str], CommandWorkspace], Argvs]


_GREP = table(
    """
    -E -F -G -P -i -y -v -w -x -c -l -L -o -q -s -b -H -h -n -T -z -a -I -U -r -e:text -f:file -m:number
    -A:number -B:number -C:number --extended-regexp --fixed-strings --basic-regexp --perl-regexp
    --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches
    --files-without-match --only-matching --quiet --silent --no-messages --byte-offset --with-filename
    --no-filename --line-number --initial-tab --null --null-data --text --recursive --regexp:text --file:file
    --max-count:number --after-context:number --before-context:number --context:number --include:text
    --exclude:text --exclude-dir:text --color=:never,auto,always --colour=:never,auto,always
    --binary-files:text,without-match,binary --line-buffered --version
    """
)
_CAT = table(
    """
    -A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank
    --show-tabs --show-nonprinting
    """
)
_WC = table(
    """
    -c -m -l -L -w --bytes --chars --lines --max-line-length --words --total:auto,always,only,never
    """
)
_HEAD = table(
    """
    -n:number -c:number -q -v -z --lines:number --bytes:number --quiet --silent --verbose --zero-terminated
    """
)
_TAIL = table(
    """
    -n:number -c:number -q -v -z --lines:number --bytes:number --quiet --silent --verbose --zero-terminated
    """
)
_LS = table(
    """
    -a -A -l -h -1 -s -S -t -r -F -p -i -n -g -o -G -d -m -x -c -u -U -v -X -Q -N -b -q -k --all --almost-all
    --human-readable --size --reverse --classify --inode --numeric-uid-gid --no-group --directory --escape
    --hide-control-chars --literal --quote-name --full-time --group-directories-first
    --sort:none,size,time,version,extension --time-style:full-iso,long-iso,iso --color=:never,auto,always
    """
)
_SORT = table(
    """
    -b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k:text -t:text --ignore-leading-blanks
    --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort
    --human-numeric-sort --numeric-sort --reverse --version-sort --check --merge --stable --unique
    --zero-terminated --key:text --field-separator:text
    """
)


def _files(program: str, known: Table, *, number: str = "") -> ReadingProgram:
    """A program whose operands are all files, of which it needs one: it would wait for standard input."""

    def calls(words: Sequence[str], place: CommandWorkspace) -> Argvs:
        given = take_apart(program, words, known, number=number)
        if not given.operands:
            raise refused(program, "it would read standard input, and there is none", "Name a file.")
        names = [place.path(OptionKind.FILE, each) for each in given.operands]
        return [(*rebuilt(given, known, _as_is), "--", *names)]

    return ReadingProgram(calls)


def _as_is(_: OptionKind, value: str) -> str:
    return value


def _echo(words: Sequence[str], _: CommandWorkspace) -> Argvs:
    flags = [*words]
    options: list[str] = []
    while flags and flags[0].startswith("-") and len(flags[0]) > 1 and set(flags[0][1:]) <= set("neE"):
        options.append(flags.pop(0))
    return [(*options, *flags)]


def _ls(words: Sequence[str], place: CommandWorkspace) -> Argvs:
    if any(word in ("-R", "--recursive") for word in words):
        raise refused("-R", "it would list what is ignored", "Use find PATH.")
    given = take_apart("ls", words, _LS)
    names = [place.path(OptionKind.PATH, each) for each in given.operands or (".",)]
    hidden = {inner.rpartition("/")[2] for name in names for inner in _beside(place, name)}
    left_out = [f"--ignore={_quoted(each)}" for each in sorted(hidden)]
    return [(*rebuilt(given, _LS, _as_is), *left_out, "--", *names)]


def _beside(place: CommandWorkspace, folder: str) -> Iterator[str]:
    """Yield the hidden entries of a folder itself."""
    bare = folder.removeprefix("./")
    depth = 0 if bare == "." else bare.count("/") + 1
    return (each for each in place.hidden_below(folder) if each.count("/") == depth)


def _quoted(name: str) -> str:
    """A name as a pattern that matches it alone. A byte that is not UTF-8, which sandboxes do not take in arguments, is
    any that is not ASCII; such names are matched byte by byte."""
    return "".join(
        _ANY_BYTE if "\ud800" <= each <= "\udfff" else f"\\{each}" if each in "*?[]\\" else each
        for each in name
    )


_ANY_BYTE = "[!\x01-\x7f]"


# grep


def _grep(words: Sequence[str], place: CommandWorkspace) -> Argvs:
    for word in words:
        if word in ("-R", "--dereference-recursive"):
            raise refused(word, "it follows links", "Use -r.")
    given = take_apart("grep", words, _GREP, number="-C")
    patterned = given.has("-e", "-f", "--regexp", "--file")
    if not patterned and not given.operands:
        raise refused("grep", "it has no pattern", "Write grep PATTERN FILE.")
    pattern, named = ((), given.operands) if patterned else (given.operands[:1], given.operands[1:])
    recursive = given.has("-r", "--recursive")
    if not named and not recursive:
        raise refused("grep", "it would read standard input, and there is none", "Name a file, or use -r.")
    names = [place.path(OptionKind.PATH if recursive else OptionKind.FILE, each) for each in named or (".",)]

    def shown(kind: OptionKind, value: str) -> str:
        return place.path(kind, value) if kind is OptionKind.FILE else value

    kept = ParsedArguments(tuple(each for each in given.options if each[0] not in _CHOOSING), ())
    options = rebuilt(kept, _GREP, shown)
    if pattern:
        options += ["-e", pattern[0]]
    if recursive:
        files = list(_chosen(given, [file for name in names for file in _visible(place, name)]))
        named_too = [] if given.has("-h", "--no-filename") else ["-H"]
        return [(*options, *named_too, "--", *some) for some in _in_parts(files)]
    return [(*options, "--", *names)]


_CHOOSING = ("-r", "--recursive", "--include", "--exclude", "--exclude-dir")


def _visible(place: CommandWorkspace, name: str) -> Iterator[str]:
    return (f"./{each}" if each.startswith("-") else each for each in place.below(name))


def _chosen(given: ParsedArguments, files: Sequence[str]) -> Iterator[str]:
    """The files that --include, --exclude and --exclude-dir leave, by the names of files and folders."""
    include, exclude = given.values("--include"), given.values("--exclude")
    folders = [each.rstrip("/") for each in given.values("--exclude-dir")]
    for file in dict.fromkeys(files):
        *above, name = file.removeprefix("./").split("/")
        if include and not any(fnmatchcase(name, each) for each in include):
            continue
        if any(fnmatchcase(name, each) for each in exclude):
            continue
        if any(fnmatchcase(part, each) for part in above for each in folders):
            continue
        yield file


def _in_parts(files: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for file in files:
        if size > _LONGEST_ARGUMENTS:
            yield part
            part, size = [], 0
        part.append(file)
        size += len(file) + 1
    if part:
        yield part


# find

_TESTS = table(
    """
    -name:text -iname:text -path:text -ipath:text -wholename:text -iwholename:text -regex:text -iregex:text
    -type:f,d,l -xtype:f,d,l -size:text -empty -newer:file -mtime:number -mmin:number -atime:number
    -amin:number -ctime:number -cmin:number -maxdepth:number -mindepth:number -perm:text -links:number
    -user:text -group:text -readable -writable -executable -true -false -print -print0 -ls -printf:text
    -prune -quit -not -and -or -a -o -depth -daystart -mount -xdev -noleaf -regextype:text -nouser -nogroup
    -inum:number -nowarn -warn
    """
)
_ACTIONS = ("-print", "-print0", "-ls", "-printf")
_GLOBAL = (
    "-maxdepth",
    "-mindepth",
    "-depth",
    "-daystart",
    "-mount",
    "-xdev",
    "-noleaf",
    "-regextype",
    "-nowarn",
    "-warn",
)


def _find(words: Sequence[str], place: CommandWorkspace) -> Argvs:
    starts: list[str] = []
    rest = [*words]
    while rest and not rest[0].startswith("-") and rest[0] not in ("!", "(", ")", ","):
        starts.append(place.path(OptionKind.PATH, rest.pop(0)))
    if rest and rest[0] in ("-P", "--"):
        raise refused(rest[0], "it is not needed", "Write find PATH EXPRESSION.")
    expression, everywhere, acts = _expression(rest, place)
    starts = starts or ["."]
    hidden = [_below_start(start, inner) for start in starts for inner in place.hidden_below(start)]
    prune: list[str] = []
    for each in hidden:
        prune += ["-o", "-path", _quoted(each)] if prune else ["-path", _quoted(each)]
    wanted = ["(", *(expression or ["-true"]), ")", *([] if acts else ["-print"])]
    # -prune is false where a file cannot be looked at, as one whose name is not UTF-8 in a sandbox.
    leave = ["(", *prune, ")", "(", "-prune", "-o", "-true", ")", "-o"] if prune else []
    return [(*starts, *everywhere, *leave, *wanted)]


def _below_start(start: str, inner: str) -> str:
    """Return a path as find prints it, with the start point as it was written."""
    return f"./{inner}" if start == "." or start.startswith("./") else inner


def _expression(words: Sequence[str], place: CommandWorkspace) -> tuple[list[str], list[str], bool]:
    """The tests and actions, the options that count everywhere, and whether there is an action among them."""
    made: list[str] = []
    everywhere: list[str] = []
    rest = iter(words)
    acts = False
    for word in rest:
        if word in ("!", "(", ")", ","):
            made.append(word)
            continue
        option = _TESTS.get(word)
        if option is None:
            raise refused(word, "find may only test and print here", f"There are: {' '.join(_TESTS)}.")
        piece = [word]
        if option.kind is not OptionKind.NONE:
            value = next(rest, None)
            if value is None:
                raise refused(word, "its value is missing", "Write the value behind it.")
            check_value("find", option, value)
            piece.append(place.path(option.kind, value) if option.kind is OptionKind.FILE else value)
        if word == "-depth":
            raise refused(word, "what is ignored could not be left out", "Leave it out.")
        acts |= word in _ACTIONS
        (everywhere if word in _GLOBAL else made).extend(piece)
    return made, everywhere, acts


READERS: Mapping[str, ReadingProgram] = {
    "cat": _files("cat", _CAT),
    "echo": ReadingProgram(_echo),
    "find": ReadingProgram(_find),
    "grep": ReadingProgram(_grep),
    "head": _files("head", _HEAD, number="-n"),
    "ls": ReadingProgram(_ls),
    "sort": _files("sort", _SORT),
    "tail": _files("tail", _TAIL, number="-n"),
    "wc": _files("wc", _WC),
}
