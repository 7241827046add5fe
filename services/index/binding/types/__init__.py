"""Types and members as the binder sees them, those of the workspace and of assemblies alike."""
