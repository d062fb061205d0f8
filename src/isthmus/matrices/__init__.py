"""Matrices of documents and the engine that moves dense factors: the two things a solver sees.

``protocols`` says what they can do; ``csr`` and ``dense`` hold documents in memory, ``host`` is
the engine of the local processor.
"""
