"""The hot loops, each in two forms: compiled for this machine, and plain NumPy and SciPy.

Every loop works on a range of rows ``[start, stop)`` and writes only to rows of its own or to an
accumulator handed to it, so that the room above may run ranges side by side. ``loops`` lists them,
``choice`` decides which form a call takes.
"""
