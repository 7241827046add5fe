"""Notes on what types are for, at the workbench: written, asked for, pasted, compared."""
