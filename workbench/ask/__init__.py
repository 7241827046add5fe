"""Models at the workbench: what they are asked, and notes on types, written, generated, pasted and compared."""
