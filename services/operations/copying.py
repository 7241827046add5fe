"""Operations on handing the window over: copies, their receipts, secrets, templates, models (SPEC section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from services.errors import BudgetExceeded, InvalidTemplate
from services.model.copies import (
    Calibration,
    Copy,
    ModelsAnswer,
    ReceiptsAnswer,
    SecretsAnswer,
    TemplateRow,
    TemplatesAnswer,
)
from services.operations.needs import Need, to_show_window
from services.operations.operation import CURATES, DECIDES, Faces, Param, declare

if TYPE_CHECKING:
    from services.bench import Bench
    from services.prompt.items import CopyRequest

_FORMAT = Param(
    "Format; else as the settings say.",
    name="format",
    flag="--format",
    choices=("md", "xml", "json"),
)
_CODE = Param("Code of a secret, as `secrets` lists it.")


_MODEL = Param("Model that it is for, where not the one of the settings.", flag="--model")
_PART_TOKENS = Param("Split into numbered parts of at most so many tokens.", flag="--part-tokens", least=50)
_CHANGED = Param("Only what changed since the last copy for the model.", flag="--changed")
_SINCE = Param("Only what changed since the copy of this receipt.", flag="--since")
_ALLOW = Param("Codes of secrets to let through this once, separated by commas.", flag="--allow")
_TREE = Param("With the folders of the workspace, for a template with {{tree}}.", flag="--tree")
_PICTURE = Param(
    "With how the types of the window hang together, for a template with {{picture}}.", flag="--picture"
)


@declare(
    "Copy",
    Faces(None, "copy"),
    effect=DECIDES,
    index=to_show_window,
    errors=(BudgetExceeded, InvalidTemplate),
)
def copy(
    bench: Bench,
    *,
    task: Annotated[str, Param("What the model is to do, for the template.", flag="--task", short="-t")] = "",
    template: Annotated[str | None, Param("Template around the window.", flag="--template")] = None,
    style: Annotated[str | None, _FORMAT] = None,
    model: Annotated[str | None, _MODEL] = None,
    part_tokens: Annotated[int | None, _PART_TOKENS] = None,
    changed: Annotated[bool, _CHANGED] = False,
    since: Annotated[str | None, _SINCE] = None,
    allow: Annotated[str, _ALLOW] = "",
    tree: Annotated[bool, _TREE] = False,
    picture: Annotated[bool, _PICTURE] = False,
) -> Copy:
    """Make the text to hand to a model: checked against the disk, secrets masked, in a template, in parts.

    A receipt is kept, so that the next copy can hold only what changed.
    """
    made = bench.copying.prepare(
        wanted(
            bench,
            task=task,
            template=template,
            style=style,
            model=model,
            part_tokens=part_tokens,
            changed=changed,
            since=since,
            allow=allow,
            tree=tree,
            picture=picture,
        )
    )
    unkept = bench.copying.keep(made)
    return msgspec.structs.replace(made, unkept=unkept) if unkept else made


def wanted(
    bench: Bench, *, style: str | None, template: str | None, allow: str, **given: object
) -> CopyRequest:
    """Return the request of a copy, with defaults from the settings."""
    from services.prompt.items import CopyRequest

    codes = tuple(code.strip().upper() for code in allow.split(",") if code.strip())
    settings = bench.settings.window
    values: dict[str, object] = {"form": style or settings.format, "template": template or settings.template}
    return CopyRequest(**values, allow=codes, **given)  # pyright: ignore[reportArgumentType]


@declare("ListReceipts", Faces(None, "receipts", "receipts"), index=Need.NOTHING)
def list_receipts(
    bench: Bench,
    limit: Annotated[int, Param("Most receipts to list.", flag="--limit", least=1, most=100)] = 20,
) -> ReceiptsAnswer:
    """List what was copied when, for which model, with a hash of every item."""
    return bench.copying.receipts(limit)


@declare("ListTemplates", Faces(None, "templates", "templates"), index=Need.NOTHING)
def list_templates(bench: Bench) -> TemplatesAnswer:
    """List the templates that a copy can be put into: of the workspace, the person and the program."""
    rows = bench.copying.templates.names().items()
    return TemplatesAnswer(templates=tuple(TemplateRow(name=name, source=source) for name, source in rows))


@declare("ListSecrets", Faces(None, "secrets", "secrets"), effect=DECIDES, index=to_show_window)
def list_secrets(bench: Bench) -> SecretsAnswer:
    """List the likely secrets that the window shows, by code, kind and place, and those that are let through."""
    return bench.copying.secrets()


@declare("AllowSecret", Faces(None, "allow-secret", "secrets"), effect=DECIDES, index=to_show_window)
def allow_secret(bench: Bench, code: Annotated[str, _CODE]) -> SecretsAnswer:
    """Let a secret of the window through from now on, wherever it is; `copy --allow` does so once."""
    return bench.copying.allow(code)


@declare("MaskSecret", Faces(None, "mask-secret", "secrets"), effect=DECIDES, index=to_show_window)
def mask_secret(bench: Bench, code: Annotated[str, _CODE]) -> SecretsAnswer:
    """Mask a secret again that was let through."""
    return bench.copying.forbid(code)


@declare("ListModels", Faces(None, "models", "models"), index=Need.NOTHING)
def list_models(bench: Bench) -> ModelsAnswer:
    """List models with their tokenizer, how exactly it is known, context and budget."""
    return ModelsAnswer(models=bench.models.rows())


@declare("Calibrate", Faces(None, "calibrate"), effect=CURATES, index=to_show_window)
def calibrate(
    bench: Bench,
    model: Annotated[str, Param("Name of the model, as in window.model.")],
    actual: Annotated[int, Param("Tokens that it counted for the window as it is now.", least=1, most=10**9)],
) -> Calibration:
    """Count better for a model whose tokenizer is approximated, from what it counted itself for the window."""
    text = bench.window.render(format=bench.settings.window.format).text
    return bench.models.calibrate(model, actual, text=text)
