"""Document matrices and the engine for dense factors, the two interfaces of the solvers.

``protocols`` defines both interfaces; ``csr`` and ``dense`` implement documents in memory, ``host``
the engine of the CPU.
"""
