"""The `test://` resources and the `test_*` prompts."""

from __future__ import annotations

import json
import re
from typing import Any

import mcp_types as types

from tests.support.conformance.content import PNG, embedded, image, text

TEMPLATE = re.compile(r"test://template/([^/]+)/data")
WATCHED = "test://watched-resource"


def resources() -> list[types.Resource]:
    named = {
        "test://static-text": "text/plain",
        "test://static-binary": "image/png",
        WATCHED: "text/plain",
    }
    return [
        types.Resource(uri=uri, name=uri[7:], description="Of the suite.", mime_type=kind)
        for uri, kind in named.items()
    ]


def templates() -> list[types.ResourceTemplate]:
    return [
        types.ResourceTemplate(
            uri_template="test://template/{id}/data", name="template", mime_type="application/json"
        )
    ]


def contents(uri: str) -> Any | None:
    """The contents of a resource; None for one that is not of the suite."""
    if uri == "test://static-text":
        words = "This is the content of the static text resource."
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
    if uri == WATCHED:
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text="Watched.")
    if uri == "test://static-binary":
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    if match := TEMPLATE.fullmatch(uri):
        data = {"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(data))
    return None


def prompts() -> list[types.Prompt]:
    arguments = {
        "test_simple_prompt": (),
        "test_prompt_with_arguments": ("arg1", "arg2"),
        "test_prompt_with_embedded_resource": ("resourceUri",),
        "test_prompt_with_image": (),
        "test_input_required_result_prompt": (),
    }
    return [
        types.Prompt(
            name=name,
            description="Of the suite.",
            arguments=[types.PromptArgument(name=each, description=each, required=True) for each in names],
        )
        for name, names in arguments.items()
    ]


def prompted(name: str, arguments: dict[str, str]) -> types.GetPromptResult | None:
    """Return the text of a prompt; None for one outside the suite."""
    match name:
        case "test_simple_prompt":
            said = [text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            said = [text(f"Prompt with arguments: arg1='{arguments['arg1']}', arg2='{arguments['arg2']}'")]
        case "test_prompt_with_embedded_resource":
            words = "Embedded resource content for testing."
            said = [
                embedded(arguments["resourceUri"], "text/plain", words),
                text("Please process the embedded resource above."),
            ]
        case "test_prompt_with_image":
            said = [image(), text("Please analyze the image above.")]
        case _:
            return None
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in said])
