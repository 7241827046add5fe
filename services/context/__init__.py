"""Context of a change: types ranked by text, structure, history and use, each with its reasons."""
