"""One project file, from XML to an evaluated project."""
