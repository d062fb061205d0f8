"""A stand-in for cupyx."""
