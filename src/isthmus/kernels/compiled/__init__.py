"""Loops compiled with numba; imported on demand."""
