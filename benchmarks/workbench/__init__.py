"""How the workbench feels, on a terminal of its own."""
