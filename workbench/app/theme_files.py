"""A person's own themes: `themes/NAME.toml` in the folder of their settings."""

from __future__ import annotations

from pathlib import Path

from textual.theme import Theme

from services.model import Notice

_MOST_BYTES = 65_536
_MOST_FILES = 100


def own_themes(folder: Path) -> tuple[list[Theme], list[Notice]]:
    """Every theme that can be used, by name, and why the others cannot."""
    themes: list[Theme] = []
    notices: list[Notice] = []
    for file in _files(folder):
        try:
            themes.append(_theme(file))
        except (OSError, ValueError) as error:
            said = f"The theme {file.name} is left out: {error}"
            notices.append(
                Notice(severity="warning", message=said, what_to_do="See docs/SETTINGS.md.", file=str(file))
            )
    return themes, notices


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.suffix == ".toml")[:_MOST_FILES]
    except OSError:
        return []


def _theme(file: Path) -> Theme:
    import tomllib

    from themes.own import own_theme

    if not file.is_file():
        raise ValueError("It is not a regular file.")
    with file.open("rb") as opened:
        data = opened.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"It is larger than {_MOST_BYTES} bytes.")
    return own_theme(file.stem, tomllib.loads(data.decode("utf-8-sig")))
