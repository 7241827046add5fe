"""Finding lines by regular expression: in one text, in parts of one, or in every file of the workspace."""
