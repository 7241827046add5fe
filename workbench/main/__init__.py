"""Main screen: it routes messages of panes, dialogs and the workspace."""
