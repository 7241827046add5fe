"""The Textual app, what is painted first, and the app in a browser: each page is a workbench of its own."""
