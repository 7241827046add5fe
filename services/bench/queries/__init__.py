"""Questions about the workspace: symbols, outlines, sources and places."""
