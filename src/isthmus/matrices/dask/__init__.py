"""The engine of a Dask cluster: the rows of the documents stay on its workers.

dask and distributed are imported only here, when a fit uses a cluster. ``cluster`` finds the client
and explains what is missing. ``matrix`` is the handle of a matrix in blocks of rows, and
``row_array`` an array with one row per document in the same blocks. ``expression`` records what is
computed with such arrays, ``rounds`` sends it to the workers when a sum over rows is needed, and
``group_task`` computes it there, and adds the parts of a sum in an order that depends on the blocks
alone. ``documents`` and ``engine`` implement the two protocols.
"""
