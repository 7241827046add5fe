"""Programs without a project file: file-based apps, scripts and Unity's assemblies."""
