"""The Model Context Protocol: tools, resources and a prompt over one served workspace, on the SDK's low-level server.

The SDK's `MCPServer` is not used: it makes schemas from pydantic models, and loses the structured form of other values.
"""
