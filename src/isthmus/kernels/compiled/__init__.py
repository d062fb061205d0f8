"""Loops in numba. Nothing here is imported before a loop is wanted in its compiled form."""
