"""Model files: arrays and JSON in one file, never code."""
