"""The middle pane: outline, notes, source and diff of what is open."""
