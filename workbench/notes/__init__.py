"""Notes on the purpose of types, at the workbench: written, generated, pasted, compared."""
