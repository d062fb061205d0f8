"""Compiled loops, and nothing else.

Every kernel works on a range of rows ``[start, stop)`` and writes only to rows of its own or to an
accumulator handed to it, so that the room above may run ranges side by side. Kernels release the
interpreter lock, are compiled on first use and cached on disk.
"""
