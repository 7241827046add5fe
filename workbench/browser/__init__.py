"""The workbench in a browser on this machine: each page is a workbench of its own over the same workspace."""
