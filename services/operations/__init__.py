"""Every operation, declared once: command line, JSON-RPC and MCP are made from the table (SPEC 10)."""

from services.operations.needs import Need
from services.operations.operation import (
    Effect,
    Faces,
    Operation,
    OperationParameter,
    Param,
    Work,
    arguments_schema,
    by_command,
    by_name,
    result_schema,
)

__all__ = [
    "Effect",
    "Faces",
    "Need",
    "Operation",
    "OperationParameter",
    "Param",
    "Work",
    "arguments_schema",
    "by_command",
    "by_name",
    "result_schema",
]
