"""What semantic notes need of a workspace."""
