"""The table itself (SPEC section 10), in the order in which it is listed."""

from __future__ import annotations

from services.operations.copying import (
    allow_secret,
    calibrate,
    copy,
    list_models,
    list_receipts,
    list_secrets,
    list_templates,
    mask_secret,
)
from services.operations.operation import Operation
from services.operations.packs import (
    activate_pack,
    build_pack,
    delete_pack,
    delete_preset,
    diff_presets,
    list_packs,
    list_presets,
    load_preset,
    save_preset,
)
from services.operations.proposals import (
    apply_proposal,
    get_proposal,
    list_proposals,
    refuse_proposal,
    withdraw_proposal,
)
from services.operations.source import (
    get_object_source,
    get_whole_source,
    grep_object_source,
    object_structure,
)
from services.operations.symbols import (
    export,
    find_usages,
    get_member_outline,
    get_outline,
    list_symbols,
    resolve_symbol,
    search_symbols,
    status,
)
from services.operations.window import (
    complete,
    dismiss,
    get_prompt_window,
    move,
    pin,
    set_level,
    suggest,
    unpin,
)
from services.operations.writes import (
    apply_patch,
    break_lock,
    history,
    list_locks,
    lock,
    redo,
    renew_lock,
    set_object_source,
    set_whole_source,
    undo,
    unlock,
)

OPERATIONS: tuple[Operation, ...] = (
    search_symbols,
    resolve_symbol,
    get_outline,
    get_member_outline,
    find_usages,
    get_object_source,
    get_whole_source,
    grep_object_source,
    object_structure,
    lock,
    unlock,
    list_locks,
    renew_lock,
    break_lock,
    set_object_source,
    set_whole_source,
    apply_patch,
    undo,
    redo,
    history,
    list_proposals,
    get_proposal,
    apply_proposal,
    refuse_proposal,
    withdraw_proposal,
    list_symbols,
    get_prompt_window,
    pin,
    unpin,
    dismiss,
    set_level,
    move,
    complete,
    suggest,
    build_pack,
    list_packs,
    activate_pack,
    delete_pack,
    copy,
    list_receipts,
    list_templates,
    list_secrets,
    allow_secret,
    mask_secret,
    list_models,
    calibrate,
    list_presets,
    save_preset,
    load_preset,
    delete_preset,
    diff_presets,
    status,
    export,
)


def by_tool(name: str) -> Operation | None:
    """The operation of an MCP tool."""
    return next((operation for operation in OPERATIONS if operation.faces.tool == name), None)


def by_command(name: str) -> Operation | None:
    """The operation that a CLI command runs: the first of those that share it."""
    return next((operation for operation in OPERATIONS if operation.faces.command == name), None)
