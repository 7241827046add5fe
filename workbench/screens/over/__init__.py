"""What opens over the main screen: copying, packs, presets, models, settings."""
