"""Tables in the documents, made from what the program declares. `python -m tests.support.documents` rewrites them."""

from __future__ import annotations

import ast
import itertools
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click

from services.settings import definitions
from tests.support.grammar_gaps import GAPS
from workbench.commands.commands import COMMANDS
from workbench.commands.keymap import resolve
from workbench.shell.group import make_group
from workbench.shell.options import common_options

ROOT = Path(__file__).parents[2]
_RIGHT = re.compile(r"recall|precision|found|right|wrong|exact")


def commands_table() -> str:
    """Every command of the command line, with its own arguments and options."""
    group = make_group()
    context = click.Context(group)
    found = ((name, group.get_command(context, name)) for name in group.list_commands(context))
    rows = [
        (f"`{_usage(name, command)}`", command.get_short_help_str(200)) for name, command in found if command
    ]
    return _table(("command", "what it does"), rows)


def options_table() -> str:
    """The options that every command takes."""
    options = [option for option in common_options() if isinstance(option, click.Option)]
    return _table(
        ("option", "what it does"), [(f"`{_option(option)}`", option.help or "") for option in options]
    )


def keys_table() -> str:
    """Every command of the workbench that has a key."""
    keys = resolve({})
    rows = [(keys.shown(command.id), command.title, command.help, f"`{command.id}`") for command in COMMANDS]
    return _table(("keys", "command", "what it does", "id"), [row for row in rows if row[0]])


def settings_table() -> str:
    """Every setting. A personal one is not read from the file of a project."""
    return _table(
        ("setting", "default", "allowed", "variable", "project file", "what it is"),
        [
            (
                f"`{definition.key}`",
                definition.default_text,
                definition.allowed,
                f"`{definition.variable}`",
                "no" if definition.personal else "yes",
                definition.help,
            )
            for definition in definitions().values()
        ],
    )


def gaps_table() -> str:
    """Every form that the grammar refuses or reads otherwise."""
    head = ("form", "example", "what is done", "where", "upstream")
    return _table(head, [gap.row for gap in GAPS])


def accuracy_tables() -> str:
    """Return the tables of accuracy from the results, each with the text above it."""
    results = (ROOT / "benchmarks/RESULTS.md").read_text("utf-8")
    made: list[str] = []
    for title in (
        "Accuracy",
        "Against the compiler",
        "Structured edits against Roslyn",
        "Public API changes",
    ):
        section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", results, re.MULTILINE | re.DOTALL)
        blocks = section[1].strip().split("\n\n") if section is not None else []
        shown = [
            f"{before}\n\n{block}\n"
            for before, block in itertools.pairwise(blocks)
            if block.startswith("|") and _RIGHT.search(block.partition("\n")[0])
        ]
        made += [f"## Measured: {title[0].lower()}{title[1:]}\n", *shown] if shown else []
    return "\n" + "\n".join(made) + "\n"


def rooms_table() -> str:
    """Return every room of the source, with the first sentence of its description."""
    packages = ("services", "workbench", "widgets", "themes")
    files = [file for package in packages for file in sorted((ROOT / package).glob("*/__init__.py"))]
    rows = [(f"`{file.parent.relative_to(ROOT)}/`", _first_line(file)) for file in files]
    return _table(("room", "what it holds"), rows)


def _first_line(file: Path) -> str:
    return (
        (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").partition("\n\n")[0].replace("\n", " ")
    )


def contracts_list() -> str:
    """The import contracts; of layers, each floor on a line from the top down."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    lines: list[str] = []
    for contract in contracts:
        lines.append(f"- {contract['name'][0].upper()}{contract['name'][1:]}.")
        lines += [f"  - {_floor(layer)}" for layer in contract.get("layers", ())]
    return "\n".join(lines) + "\n"


def _floor(layer: str) -> str:
    return ", ".join(f"`{name.strip()}`" for name in layer.split("|"))


TABLES: Mapping[str, Callable[[], str]] = {
    "accuracy": accuracy_tables,
    "commands": commands_table,
    "options": options_table,
    "keys": keys_table,
    "settings": settings_table,
    "gaps": gaps_table,
    "rooms": rooms_table,
    "contracts": contracts_list,
}
DOCUMENTS: Mapping[str, tuple[str, ...]] = {
    "docs/ACCURACY.md": ("accuracy",),
    "docs/ARCHITECTURE.md": ("contracts", "rooms"),
    "docs/COMMANDS.md": ("commands", "options"),
    "docs/GRAMMAR.md": ("gaps",),
    "docs/KEYS.md": ("keys",),
    "docs/SETTINGS.md": ("settings",),
}


def renewed(text: str, names: Iterable[str]) -> str:
    """`text` with the table of each name between its marks replaced. Raises ValueError where the marks are missing."""
    for name in names:
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        if not marks.search(text):
            raise ValueError(f"no marks for {name}")
        text = marks.sub(lambda match, name=name: match[1] + TABLES[name]() + match[2], text)
    return text


def _usage(name: str, command: click.Command) -> str:
    common = {option.name for option in common_options()}
    shown = (each for each in command.params if not getattr(each, "hidden", False))
    own = [parameter for parameter in shown if parameter.name not in common]
    arguments = [
        parameter.make_metavar(click.Context(command))
        for parameter in own
        if isinstance(parameter, click.Argument)
    ]
    options = [f"[{_option(parameter)}]" for parameter in own if isinstance(parameter, click.Option)]
    return " ".join([name, *arguments, *options])


def _option(option: click.Option) -> str:
    flag = max(option.opts, key=len)
    return flag if option.is_flag else f"{flag} {option.make_metavar(click.Context(click.Command('')))}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


if __name__ == "__main__":
    for path, names in DOCUMENTS.items():
        document = ROOT / path
        document.write_text(renewed(document.read_text("utf-8"), names), "utf-8")
