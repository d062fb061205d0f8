"""The automatic method: several classifiers, combined and judged."""
