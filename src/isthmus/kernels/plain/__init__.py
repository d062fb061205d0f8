"""The loops in NumPy and SciPy, for problems that are too small to be worth compiling."""
