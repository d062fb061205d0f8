"""The hot loops, each in two versions: compiled with numba, and plain NumPy and SciPy.

Every loop processes a range of rows ``[start, stop)`` and writes only to these rows or to an
accumulator that is passed to it, so that :mod:`isthmus.matrices` can run ranges in parallel.
``loops`` lists the loops, ``dispatch`` selects the version of a call.
"""
