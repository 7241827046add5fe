"""The house: no folder is crowded, imports lead somewhere, and no modules import each other in a circle."""

from __future__ import annotations

import ast
import gc
import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("services", "workbench", "widgets", "themes")
MOST = 12
"""Modules of a folder, without its `__init__`."""


@pytest.fixture(autouse=True, scope="module")
def _few_collections() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Run without the garbage collector, which takes three quarters of the time: trees are many objects and no
    garbage."""
    gc.disable()
    yield
    for each in (_tree, _trees, _code, _mentioned, _documented):
        each.cache_clear()
    gc.enable()


@cache
def _modules() -> dict[str, Path]:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return {_module(file): file for file in files}


@cache
def _tree(file: Path) -> ast.Module:
    """The syntax tree of a module, which nobody changes."""
    return ast.parse(file.read_text("utf-8"))


def _typing_only(tree: ast.Module) -> set[ast.AST]:
    blocks = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    return {inner for block in blocks for inner in ast.walk(block)}


@cache
def _imports(file: Path) -> set[str]:
    """Our modules that a module imports when it runs, late imports too."""
    return _imported_by(file, _typing_only(_tree(file)))


def _typed_imports(file: Path) -> set[str]:
    """Our modules that a module imports, for their types alone too."""
    return _imported_by(file, set())


def _imported_by(file: Path, skipped: set[ast.AST]) -> set[str]:
    modules = _modules()
    found: set[str] = set()
    for node in ast.walk(_tree(file)):
        if node in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in modules else node.module for name in inner}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & set(modules)


def test_no_folder_holds_more_modules_than_a_reader_takes_in() -> None:
    sizes = Counter(
        file.parent.relative_to(ROOT) for file in _modules().values() if file.name != "__init__.py"
    )
    assert {str(folder): size for folder, size in sizes.items() if size > MOST} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    _check_order({name: _imports(file) for name, file in _modules().items()})


def test_no_modules_import_types_of_each_other_in_a_circle() -> None:
    _check_order({name: _typed_imports(file) for name, file in _modules().items()})


def _check_order(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter({name: imported - {name} for name, imported in graph.items()}).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


def test_few_modules_are_too_small_for_their_only_reader() -> None:
    """A module under eighty lines that one other imports is most often a part of that one."""
    modules = _modules()
    readers = Counter(name for file in modules.values() for name in _imports(file))
    small = [
        name
        for name, file in modules.items()
        if readers[name] == 1
        and file.name != "__init__.py"
        and len(file.read_text("utf-8").splitlines()) < 80
    ]
    assert len(small) <= 20, sorted(small)


def test_pytest_looks_into_every_folder_that_holds_tests(pytestconfig: pytest.Config) -> None:
    passed_over = pytestconfig.getini("norecursedirs")
    folders = {file.parent.relative_to(ROOT) for file in (ROOT / "tests").rglob("test_*.py")}
    found = {
        folder for folder in folders for part in folder.parts if any(fnmatch(part, p) for p in passed_over)
    }
    assert found == set()


_WAITING = re.compile(
    r"\b(?:threading|anyio)\.(?:Lock|RLock|Condition|Thread)\(|\b(?:ThreadPoolExecutor|ProcessPoolExecutor)\("
)


def test_locks_and_threads_outside_concurrency_have_a_reason_beside_them() -> None:
    found = {
        f"{name}:{at + 1}": _has_reason(lines, at)
        for name, file in _modules().items()
        if not name.startswith("services.concurrency")
        for lines in (file.read_text("utf-8").splitlines(),)
        for at, line in enumerate(lines)
        if _WAITING.search(line)
    }
    assert [place for place, has_reason in found.items() if not has_reason] == []
    assert len(found) <= 20, sorted(found)


def _has_reason(lines: list[str], at: int) -> bool:
    """Whether a comment stands on a line or above it, or a docstring below it."""
    return (
        "#" in lines[at]
        or lines[at - 1].strip().startswith("#")
        or '"""' in lines[min(at + 1, len(lines) - 1)]
    )


def test_few_methods_only_hand_on_to_one_of_the_same_name() -> None:
    """Callers name the part; a method that hands on is for an interface that somebody else asks for."""
    found = [
        f"{name}: {each.name}"
        for name, file in _modules().items()
        for kind in ast.walk(_tree(file))
        if isinstance(kind, ast.ClassDef)
        for each in kind.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and _hands_on(each)
    ]
    assert len(found) <= 25, found


def _hands_on(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether all it does is to call `self.part.its_own_name` with its own arguments."""
    *documented, last = method.body
    if any(not isinstance(each, ast.Expr) or not isinstance(each.value, ast.Constant) for each in documented):
        return False
    call = last.value if isinstance(last, ast.Return | ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    part = call.func.value
    while isinstance(part, ast.Attribute) and not isinstance(part.value, ast.Name):
        part = part.value
    if not isinstance(part, ast.Attribute) or not isinstance(part.value, ast.Name) or part.value.id != "self":
        return False
    own = sorted(each.arg for each in [*method.args.args[1:], *method.args.kwonlyargs])
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    names = sorted(each.id for each in given if isinstance(each, ast.Name))
    return call.func.attr.lstrip("_") == method.name.lstrip("_") and len(names) == len(given) and names == own


def _functions() -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (f"{name}: {each.name}", each)
        for name, file in _modules().items()
        for each in ast.walk(_tree(file))
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_a_function_fits_a_screen() -> None:
    long = [name for name, each in _functions() if (each.end_lineno or 0) - each.lineno >= 45]
    assert long == []


def test_a_function_takes_few_parameters_by_position() -> None:
    """Parameters that are passed by name read well in greater numbers, as those of an operation do."""
    many = [
        name
        for name, each in _functions()
        if len(
            [each for each in (*each.args.posonlyargs, *each.args.args) if each.arg not in ("self", "cls")]
        )
        > 6
    ]
    assert many == []


def _uses(pattern: str) -> set[str]:
    """Modules whose code holds a pattern, docstrings and comments aside."""
    return {name for name, file in _modules().items() if re.search(pattern, _code(file))}


@cache
def _code(file: Path) -> str:
    return ast.unparse(_without_docstrings(ast.parse(file.read_text("utf-8"))))


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(0)
    return tree


def test_one_module_finds_programs() -> None:
    """An entry of PATH inside a workspace is a stranger's (docs/SAFETY.md)."""
    assert _uses(r"\bwhich\(") == {"services.workspace.programs"}


def test_programs_are_started_in_few_places_and_git_in_one() -> None:
    assert _uses(
        r"\bPopen\(|\bsubprocess\.(run|call|check)|os\.(system|exec\w+|posix_spawn)|create_subprocess"
    ) == {
        "services.llm.commands.launcher",
        "services.llm.commands.running",
        "services.prompt.tokens.counter_process",
        "services.resident.client",  # a process that the command leaves behind
        "services.workspace.scan.git",
        "services.workspace.scan.sweep",
    }
    assert _uses(r"find\('git'") == {"services.workspace.scan.git"}


def test_files_are_replaced_and_never_truncated() -> None:
    """Another process may have them mapped: services/workspace/files/durable.py replaces them."""
    assert _uses(r"O_TRUNC|\.write_bytes\(|\.write_text\(|ftruncate|\bopen\([^)]*'[wa]\+?b?'") == {
        "services.index.names.packages",  # makes a table of the program's own
        "services.llm.commands.running",  # a file of a temporary folder
        "services.review.states",  # likewise
        "services.server.installing",  # a new file beside, then renamed
        "workbench.shell.commands.setup",
        "workbench.state.clipboard",  # the terminal
    }
    assert _uses(r"np\.save\(|\bmmap\.mmap\(|np\.load\(") == {
        "services.index.search.match.columns",
        "services.workspace.files.mapped",
    }


_DECODES = (
    r"\.json\.(decode|Decoder)\(|msgpack\.(decode|Decoder)\(|\bDecoder\(|json\.loads?\(|JSONDecoder|tomllib|raw_decode"
    r"|ElementTree|minidom|expat|\byaml\.|\bimport yaml\b|pickle\.loads|marshal"
)


def test_what_strangers_write_is_decoded_in_one_place() -> None:
    """Bounded in size, depth and count (services/decoding.py). The index reads its own records as fast as can be."""
    assert {name for name in _uses(_DECODES) if not name.startswith("services.index.catalog.")} == {
        "services.decoding",
        "services.msbuild.xmltree",  # XML, within bounds of its own
        "services.llm.commands.launcher",  # a program of the standard library alone, told by its parent
        "services.prompt.tokens.counter_child",  # told by its parent
        "services.context.ground_cache",
        "services.context.words",
        "services.context.text_index",
        "services.index.build.refresh",
        "services.index.graph.by_file",
        "services.index.graph.worker_process",
        "services.index.hashes",
    }


_PLAIN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_ATOMIC = re.compile(r"[^(|*+?\s](?:[*+?]|\{\d*,?\d*\})\+|\(\?>.", re.DOTALL)


def _texts(tree: ast.AST) -> list[str]:
    """The texts of a module but docstrings, what is filled into them as one letter."""
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [text for node in ast.walk(tree) if node not in docs and (text := _text(node)) is not None]


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "x" for part in node.values)
    value = node.value if isinstance(node, ast.Constant) else None
    return value.decode("latin-1") if isinstance(value, bytes) else value if isinstance(value, str) else None


@pytest.mark.parametrize(
    ("expression", "is_atomic"),
    [
        (r"a*+", True),
        (r"[^+]++", True),
        (r"(?:a|b)?+", True),
        (r"a{2,3}+", True),
        (r"(?>a)", True),
        (r"\*+", False),
        (r"[*+]", False),
        ("+++ b/, --- or +++", False),
        (r"(?=(a))\1", False),
    ],
)
def test_atomic_expressions_are_told(expression: str, is_atomic: bool) -> None:
    assert _is_atomic(expression) is is_atomic


def _is_atomic(text: str) -> bool:
    return _ATOMIC.search(_PLAIN.sub("x", text)) is not None


def test_no_expression_has_possessive_loops_or_atomic_groups() -> None:
    """Before Python 3.11.5 `re` loses its place where one of them gives something up (gh-106052)."""
    found = [
        f"{name}: {text}"
        for name, file in _modules().items()
        if re.search(r"^import re$", file.read_text("utf-8"), re.MULTILINE)
        for text in _texts(_tree(file))
        if _is_atomic(text)
    ]
    assert found == []


RELATIVE = re.compile(
    r"(What|Who|Whose|Those|That which|As|The same|By|Of|It|One|None|Yes|No|Nobody|Others|Whatever|Whoever|Where"
    r"|Whether there)\b"
)
"""First words of a docstring that is a relative clause rather than a sentence or a noun phrase."""
RELATIVE_MOST = 40
"""Docstrings that still begin so; the number only goes down."""
PRIVATE = re.compile(
    r"\b(told|tells?|telling|laid|lays?|lay|anew|asked|asks?|kept|keeps?|held|said|says?|whoever|whatever|nobody"
    r"|withheld|stands?|goes|comes|come back|let go|give way|patience|beside|near|worth|owes?|speaks?|moment|rooms?"
    r"|grounds?|bench|crew|cue|spot|rung|placed|shadow|facade)\b",
    re.IGNORECASE,
)
"""Words that this code once used for the field's own: `store` for keep, `return` for tell, `next to` for beside."""
PRIVATE_MOST = 150
"""First lines of docstrings that still have one; the number only goes down."""
SAME_CLASS_MOST = 5
"""Names that three classes or more have; the number only goes down."""


@cache
def _documented() -> list[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (name, node)
        for name, file in _modules().items()
        for node in ast.walk(_tree(file))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_docstrings_begin_with_a_sentence_or_a_noun_phrase() -> None:
    found = [
        f"{name}: {text.splitlines()[0]}"
        for name, node in _documented()
        if (text := ast.get_docstring(node)) and RELATIVE.match(text)
    ]
    assert len(found) <= RELATIVE_MOST, found


def test_docstrings_use_the_words_of_the_field() -> None:
    found = [
        f"{name}: {text.splitlines()[0]}"
        for name, node in _documented()
        if (text := ast.get_docstring(node)) and PRIVATE.search(text.splitlines()[0])
    ]
    assert len(found) <= PRIVATE_MOST, found


def test_few_class_names_are_used_three_times() -> None:
    names = Counter(node.name for _, node in _documented() if isinstance(node, ast.ClassDef))
    found = {name: count for name, count in names.items() if count > 2}
    assert len(found) <= SAME_CLASS_MOST, found


CHECKED = ("services", "workbench", "widgets", "themes", "tests", "benchmarks")
_DOTTED = re.compile(rf"(?:{'|'.join(CHECKED)})(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?")


@cache
def _trees() -> dict[str, ast.Module]:
    files = [file for package in CHECKED for file in sorted((ROOT / package).rglob("*.py"))]
    return {_module(file): _tree(file) for file in files if "samples" not in file.parts}


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def _names_of(module: str) -> frozenset[str]:
    return frozenset(_bound_by(_trees()[module].body))


def _bound_by(body: list[ast.stmt]) -> Iterator[str]:
    """Names that statements bind in their own scope, so not those inside functions and classes."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        else:
            yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            inner = [each for field in ("body", "orelse", "finalbody") for each in getattr(node, field, [])]
            yield from _bound_by(
                inner + [each for caught in getattr(node, "handlers", []) for each in caught.body]
            )


def _exists(dotted: str) -> bool:
    """Whether a dotted path is one of our modules, or a name of one (a member's member counts too)."""
    trees = _trees()
    if dotted in trees:
        return True
    module, _, name = dotted.replace(":", ".").rpartition(".")
    if module in trees:
        return name == "*" or name in _names_of(module)
    owner, _, kind = module.rpartition(".")
    return owner in trees and kind in _names_of(owner)


@cache
def _mentioned() -> dict[str, list[tuple[str, str]]]:
    """Dotted paths by package, each with its place: imports, and texts that are one (to patch, to run with `-m`)."""
    found: dict[str, list[tuple[str, str]]] = {package: [] for package in CHECKED}
    for module, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom | ast.Import | ast.Constant):
                places = ((f"{module}:{node.lineno}", dotted) for dotted in _dotted_paths(node))
                found[module.partition(".")[0]] += places
    return found


def _dotted_paths(node: ast.ImportFrom | ast.Import | ast.Constant) -> list[str]:
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
        named = [text] if _DOTTED.fullmatch(text) else []
    elif isinstance(node, ast.Import):
        named = [alias.name for alias in node.names]
    else:
        named = [f"{node.module}.{alias.name}" for alias in node.names]
    return [each for each in named if each.partition(".")[0] in CHECKED]


@pytest.mark.parametrize("package", CHECKED)
def test_imports_and_dotted_texts_lead_to_a_module_and_a_name(package: str) -> None:
    assert [place for place in _mentioned()[package] if not _exists(place[1])] == []


def test_contracts_name_modules_that_exist() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    named = set(_DOTTED.findall(text))
    assert [name for name in sorted(named) if not _exists(name)] == []


@pytest.mark.parametrize(
    ("module", "name", "exists"),
    [
        ("services", "errors", True),
        ("services", "no_such_module", False),
        ("services.errors", "NoSuchError", False),
        ("tests.test_house", "ROOT", True),
        ("tests.test_house", "place", False),
        ("tests.test_house", "Path.exists", True),
    ],
)
def test_paths_are_told_apart(module: str, name: str, exists: bool) -> None:
    assert _exists(f"{module}.{name}") is exists
