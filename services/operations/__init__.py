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
    by_name,
    result_schema,
)
from services.operations.source import GrepResult, ReadAnswer, StructureAnswer
from services.operations.table import OPERATIONS, by_command, by_tool
from services.operations.window import WindowChange

__all__ = [
    "OPERATIONS",
    "Effect",
    "Faces",
    "GrepResult",
    "Need",
    "Operation",
    "OperationParameter",
    "Param",
    "ReadAnswer",
    "StructureAnswer",
    "WindowChange",
    "Work",
    "arguments_schema",
    "by_command",
    "by_name",
    "by_tool",
    "result_schema",
]
