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
from services.operations.models.agent import run_agent
from services.operations.models.ask import ask, list_chats, list_tools, run_tool
from services.operations.models.commands import run_command
from services.operations.notes.ops import cancel_op, list_ops, pause_ops, stream_op
from services.operations.notes.semantic import (
    accept_semantic,
    generate_semantic,
    get_semantic,
    prompt_for_semantic,
    set_semantic,
    take_semantic,
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
from services.operations.review.changes import get_diff, get_numbered_diff, list_changes, list_commits
from services.operations.review.comments import delete_comment, edit_comment, propose_suggestion
from services.operations.review.reviews import (
    add_comment,
    decide_comment,
    get_interdiff,
    mark_reviewed,
    pack_diff,
    paste_comments,
    publish_review,
    review,
    run_review_agent,
    summarize_review,
)
from services.operations.source import (
    get_object_source,
    get_whole_source,
    grep_object_source,
    object_structure,
)
from services.operations.symbols import (
    export,
    find_context,
    find_usages,
    get_graph,
    get_hierarchy,
    get_member_outline,
    get_outline,
    investigate,
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
    find_context,
    get_semantic,
    set_semantic,
    prompt_for_semantic,
    take_semantic,
    generate_semantic,
    accept_semantic,
    get_hierarchy,
    get_graph,
    investigate,
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
    list_changes,
    get_diff,
    get_numbered_diff,
    list_commits,
    review,
    add_comment,
    paste_comments,
    decide_comment,
    edit_comment,
    delete_comment,
    propose_suggestion,
    mark_reviewed,
    summarize_review,
    get_interdiff,
    pack_diff,
    publish_review,
    run_review_agent,
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
    list_ops,
    stream_op,
    cancel_op,
    pause_ops,
    ask,
    list_chats,
    list_tools,
    run_tool,
    run_command,
    run_agent,
    status,
    export,
)


def by_tool(name: str) -> Operation | None:
    """The operation of an MCP tool."""
    return next((operation for operation in OPERATIONS if operation.faces.tool == name), None)


def by_command(name: str) -> Operation | None:
    """The operation that a CLI command runs: the first of those that share it."""
    return next((operation for operation in OPERATIONS if operation.faces.command == name), None)
