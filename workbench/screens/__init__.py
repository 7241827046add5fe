"""The screens, and the panes of the main one."""
