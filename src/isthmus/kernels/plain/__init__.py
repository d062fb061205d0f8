"""The same loops in NumPy and SciPy, for problems too small to wait for a compiler."""
