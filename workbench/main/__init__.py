"""The main screen: it routes what panes, dialogs and the workspace say."""
